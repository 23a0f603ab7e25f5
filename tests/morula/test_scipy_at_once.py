"""Integrals and roots whose first derivatives come in one step, from static adjoints of what the solver calls."""

import math

import numpy as np
import pytest
from scipy import integrate, optimize

import morula
from morula.verbs import at_once

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # whoever makes errors of them gets no texts

P, Q = 0.7, 1.3


def between_moving_limits(p, q):
    return integrate.quad(lambda x: math.exp(-p * x * x) * q, 0.1 * q, 1.0 + p)[0]


def backwards(p, q):
    return integrate.quad(lambda x: math.exp(-p * x * x) * q, 1.0 + p, 0.1 * q)[0]


def to_infinity(p, q):
    return integrate.quad(lambda x, a, b: math.exp(-a * x * x) * b, 0, math.inf, args=(p, q))[0]


def from_infinity(p, q):
    return integrate.quad(lambda x, a, b: np.exp(-a * x * x) * b, -np.inf, q, args=(p, 2.0))[0]


def with_array(p, q):
    w = np.array([p, q, 1.0])
    return integrate.quad(lambda x, w: np.sum(w * x ** np.arange(3)), 0, q, args=(w,))[0]


def with_captured_array(p, q):
    w = np.array([p, q, 1.0])
    return integrate.quad(lambda x: w[0] * x + w[1] * x * x, 0, q)[0]


def with_integer(p, q):
    return integrate.quad(lambda x, n: x**n * p, 0, q, args=(2,))[0]


def at_a_point(p, q):
    return integrate.quad(lambda x: abs(x - p) * q, 0, 1.0, points=[p])[0]


def twice(p, q):
    return integrate.dblquad(lambda y, x: math.exp(-p * x * y) * q, 0, 1, 0, 1)[0]


def twice_with_args(p, q):
    found = integrate.dblquad(lambda y, x, c, n: math.exp(-c * x * y) * q * x**n, p, q + 1, q, 0.1 * p, args=(p, 2))
    return found[0]


def twice_to_infinity(p, q):
    return integrate.dblquad(lambda y, x: p * math.exp(-x * x - q * y * y), 0, np.inf, -np.inf, np.inf)[0]


def over_a_triangle(p, q):
    return integrate.dblquad(lambda y, x: math.exp(-p * x * y) * q, 0, q, 0, lambda x: x)[0]


def between_functions(p, q):
    found = integrate.dblquad(lambda y, x: p * x * y * y, p, 2.0, lambda x: -q * x, lambda x: x * x + p * q)
    return found[0]


def backwards_between_functions(p, q):
    w = np.array([p, q])
    found = integrate.dblquad(lambda y, x, c: y * x + c, 1.0, q, lambda x: w[1] * x + w[0], lambda x: 0, args=(p,))
    return found[0]


def one_function_for_both_limits(p, q):
    def end(x):
        return p * x

    return (
        integrate.dblquad(lambda y, x: y * x + q, 0.0, q, end, end)[0]
        + integrate.dblquad(lambda y, x: y * x + q, 0.0, q, end, 3.0)[0]
    )


def bracketed(p, q):
    return optimize.brentq(lambda x: x**3 - p * x - q, 0, 5)


def with_args(p, q):
    return optimize.bisect(lambda x, a, b: x**3 - a * x - b, 0, 5, args=(p, q))


def moving_bracket(p, q):
    x, found = optimize.brentq(lambda x: x**3 - p * x - q, -p, 5 * q, full_output=True)
    return x * found.root


def by_newton(p, q):
    return optimize.newton(lambda x: x**3 - p * x - q, 2.0, fprime=lambda x: 3 * x * x - p)


def scalar(p, q):
    return optimize.root_scalar(lambda x: x**3 - p * x - q, x0=2.0, x1=2.2).root


def system(p, q):
    x = optimize.root(lambda z: [z[0] ** 2 + z[1] - p, z[0] - z[1] * q], [1.0, 1.0]).x
    return x[0] * x[1] ** 2


def system_of_arrays(p, q):
    a, b = np.array([[2.0, p], [q, 3.0]]), np.array([1.0, p])
    x = optimize.root(lambda z: a @ z + 0.1 * z**3 - b, np.zeros(2)).x
    return x[0] * x[1]


def older(p, q):
    x = optimize.fsolve(lambda z, w: z**3 - w[0] * z - w, np.ones(3) * 2, args=(np.array([p, q, p * q]),))
    return np.sum(x**2)


def least_of_all(p, q):
    w = np.array([p, q, 1.0])
    found = optimize.minimize(lambda z: np.sum((z - w) ** 2) + np.sum(z**4), np.zeros(3), tol=1e-12)
    return found.x[0] * found.x[1]


def least_with_args(p, q):
    found = optimize.minimize(
        lambda z, a, b: (z[0] - a) ** 2 + b * (z[1] + z[0] * a) ** 2, [0.1, 0.2], args=(p, q), tol=1e-12
    )
    return found.x[1]


def least_inside(p, q):
    found = optimize.minimize(lambda z: np.sum((z - p) ** 2 * q + z**4), np.ones(2), bounds=[(-5, 5)] * 2, tol=1e-13)
    return found.x[0]


def least_on_line(p, q):
    return optimize.minimize_scalar(lambda z: (z - p) ** 2 * q + z**4, tol=1e-12).x


X = np.linspace(0.0, 4.0, 30)
Y = 2.5 * np.exp(-1.3 * X) + 0.05 * np.sin(9.0 * X)


def decay(x, a, b):
    return a * np.exp(-b * x)


def fitted(p, q):
    a, b = optimize.curve_fit(decay, X, Y * p + 0.01 * q * X, [2.0, 1.0], ftol=1e-14, xtol=1e-14)[0]
    return a * b


def fitted_with_errors(p, q):
    found, _ = optimize.curve_fit(decay, np.arange(30), Y * p, [2.0, 0.2], 1.0 + q * X, ftol=1e-14, xtol=1e-14)
    return found[1]


def least_squares(p, q):
    y = Y * p + 0.01 * q * X

    def residuals(z):
        return z[0] * np.exp(-z[1] * X) - y

    return optimize.least_squares(residuals, [2.0, 1.0], ftol=1e-14, xtol=1e-14, gtol=1e-14).x[0] * q


def least_squares_with_args(p, q):
    found = optimize.least_squares(
        lambda z, n, a, y: [(z[0] - a) ** n, z[1] - a * z[0] + y[0], 0.3 * z[1] * z[0] - y[1]],
        [0.1, 0.2], bounds=(-5, 5), args=(2, p, np.array([q, p * q])), ftol=1e-14, xtol=1e-14, gtol=1e-14,
    )  # fmt: skip
    return found.x[0] * found.x[1]


PROGRAMS = [
    between_moving_limits, backwards, to_infinity, from_infinity, with_array, with_captured_array, with_integer,
    at_a_point, twice, twice_with_args, twice_to_infinity, over_a_triangle, between_functions,
    backwards_between_functions,
    bracketed, with_args, moving_bracket, by_newton, scalar, system, system_of_arrays, older,
    least_of_all, least_with_args, least_inside, least_on_line, fitted, fitted_with_errors,
    least_squares, least_squares_with_args,
]  # fmt: skip


@pytest.fixture
def entries(monkeypatch):
    """What is put on the tape by answers in one step."""
    found = []
    for name in ("WeightedArrays", "ByJacobians"):
        kind = getattr(at_once, name)
        monkeypatch.setattr(at_once, name, lambda *args, kind=kind: found.append(kind) or kind(*args))
    return found


def by_differences(f, h=1e-5):
    return [(f(P + h, Q) - f(P - h, Q)) / (2 * h), (f(P, Q + h) - f(P, Q - h)) / (2 * h)]


@pytest.mark.parametrize("f", PROGRAMS)
def test_first_derivatives_in_one_step(f, entries):
    y, bars = morula.value_and_grad(f, (0, 1))(P, Q)
    assert len(entries) == 1
    assert (y, type(y)) == (f(P, Q), type(f(P, Q)))
    is_rough = PROGRAMS.index(f) >= PROGRAMS.index(least_of_all)  # the values, where iterations end
    h, rtol, atol = (1e-4, 1e-3, 2e-6) if is_rough else (1e-5, 1e-6, 1e-8)
    found = [0.0 if bar is None else bar for bar in bars]
    np.testing.assert_allclose(found, by_differences(f, h), rtol=rtol, atol=atol)
    with morula.tier("eager"):
        others = morula.gradient(f, P, Q)
    assert len(entries) == 1
    np.testing.assert_allclose(found, [0.0 if bar is None else bar for bar in others], rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("f", PROGRAMS[: PROGRAMS.index(least_of_all) : 2])
def test_second_derivatives_take_the_general_way(f, entries):
    found = morula.hessian(lambda v: f(v[0], v[1]), np.array([P, Q]))
    h = 1e-5
    gradient = lambda p, q: np.array([bar or 0.0 for bar in morula.gradient(f, p, q)])
    columns = [gradient(P + h, Q) - gradient(P - h, Q), gradient(P, Q + h) - gradient(P, Q - h)]
    np.testing.assert_allclose(found, np.stack(columns, axis=1) / (2 * h), rtol=1e-5, atol=1e-6)


def test_what_a_solver_calls_may_not_store_what_is_active():
    def noting(p):
        seen = []

        def f(x):
            seen.append(x * p)
            return x * x - p

        return optimize.brentq(f, 0.0, 3.0) + sum(seen)

    with pytest.raises(morula.NotDifferentiable, match="writes into"):
        morula.gradient(noting, P)


def at_a_bound(p, q):
    found = optimize.minimize(lambda z: np.sum((z - p) ** 2 * q), np.ones(2), bounds=[(1.0, 5)] * 2, tol=1e-12)
    return found.x[0] + found.fun


def least_squares_at_a_bound(p, q):
    found = optimize.least_squares(lambda z: [z[0] - p, z[1] - q, z[0] * z[1]], [2.0, 0.5], bounds=([0.9, -5], [5, 5]))
    return found.x[1] + found.cost


def least_squares_of_a_loss(p, q):
    found = optimize.least_squares(
        lambda z: z[0] * np.exp(-z[1] * X) - Y * p * q, [2.0, 1.0], loss="soft_l1", ftol=1e-14, xtol=1e-14, gtol=1e-14
    )
    return found.x[0] * found.x[1]


def with_covariance(p, q):
    found, covariance = optimize.curve_fit(decay, X, Y * p + 0.01 * q * X, [2.0, 1.0], ftol=1e-14, xtol=1e-14)
    return 100.0 * covariance[0, 1] + found[0]


def least_value(p, q):
    w = np.array([p, q, 1.0])
    found = optimize.minimize(lambda z: np.sum((z - w) ** 2) + np.sum(z**4), np.zeros(3), tol=1e-12)
    w[0] = 100.0  # which does not matter any more
    return found.fun + found.x[0] ** 2


@pytest.mark.parametrize(
    "f", [at_a_bound, least_squares_at_a_bound, least_squares_of_a_loss, with_covariance, least_value]
)
def test_what_comes_with_a_minimum(f):
    for tier in ("auto", "eager"):
        with morula.tier(tier):
            y, bars = morula.value_and_grad(f, (0, 1))(P, Q)
        assert (y, type(y)) == (f(P, Q), type(f(P, Q)))
        np.testing.assert_allclose([bar or 0.0 for bar in bars], by_differences(f, 1e-4), rtol=1e-3, atol=1e-6)


class Slanted:
    def __init__(self, p):
        self.p = p

    def __call__(self, x):
        return self.p * x


def limits_of_other_kinds(p, q):
    """Callables other than functions take the general path, even beside a function."""
    return (
        integrate.dblquad(lambda y, x: y * x + q, 0.1, 1.0, Slanted(p), lambda x: 2.0 + q * x)[0]
        + (integrate.dblquad(lambda y, x: y * x * p, 0.1, 1.0, np.sin, lambda x: 2.0 + q * x)[0])
    )


def bent_limit(p, q):
    return integrate.dblquad(lambda y, x: y * x * p, 0.0, 1.0, lambda x: abs(x - 0.5), lambda x: 2.0 + q * x)[0]


@pytest.mark.parametrize("f", [one_function_for_both_limits, limits_of_other_kinds, bent_limit])
def test_limits_that_are_functions(f):
    for tier in ("auto", "static", "eager"):
        with morula.tier(tier):
            y, bars = morula.value_and_grad(f, (0, 1))(P, Q)
        assert (y, type(y)) == (f(P, Q), type(f(P, Q)))
        np.testing.assert_allclose([bar or 0.0 for bar in bars], by_differences(f), rtol=1e-6, atol=1e-8)


def test_a_slope_of_zero_is_refused():
    with pytest.raises(morula.NotDifferentiable, match="slope"):
        morula.gradient(lambda p: optimize.bisect(lambda x: (x - p) ** 3, -0.5, 1.5), 0.5)


def test_what_changes_later_does_not_matter():
    def f(p):
        w = np.array([p, 2.0])
        y = integrate.quad(lambda x: w[0] * x + w[1], 0.0, 1.0)[0]
        w[0] = 100.0
        return y * w[1]

    assert morula.gradient(f, P)[0] == pytest.approx(1.0)


NUMBERS = {
    "fixed_point": lambda p: optimize.fixed_point(lambda x: math.cos(x) * p, 0.5),
    "fminbound": lambda p: optimize.fminbound(lambda x: (x - p) ** 2 * (1 + x * x), 0, 3),
    "brent": lambda p: optimize.brent(lambda x: (x - p) ** 2 * (1 + x * x) + x),
    "golden": lambda p: optimize.golden(lambda x: (x - p) ** 2 * (1 + x * x) + x),
    "toms748": lambda p: optimize.toms748(lambda x: x * x - p, 0, 3),
    "newton": lambda p: optimize.newton(lambda x: x * x - p, 1.0),
    "minimize_scalar": lambda p: optimize.minimize_scalar(lambda x: (x - p) ** 2 * (1 + x * x) + x).x,
    "within bounds": lambda p: optimize.minimize_scalar(lambda x: (x - p) ** 2 * (1 + x * x) + x, bounds=(0, 2)).x,
    "root_scalar": lambda p: optimize.root_scalar(lambda x: x * x - p, x0=1.0).root,
}


@pytest.mark.parametrize("tier", ["auto", "eager"])
@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_are_of_the_type_that_scipy_gives(name, tier):
    f = NUMBERS[name]
    with morula.tier(tier):
        y, _ = morula.pullback(f, P)
    assert (y, type(y)) == (f(P), type(f(P)))
