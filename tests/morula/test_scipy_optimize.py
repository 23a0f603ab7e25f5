"""Solutions that SciPy's solvers find: by the data, in arguments and closures, at any order, and what is refused."""

import math

import numpy as np
import pytest
from morula_helpers import assert_same
from scipy import optimize

import morula
from chainrules import rules_for
from morula import NotDifferentiable, gradient, hessian, jvp


def differences(f, x, h=1e-4):
    return (f(x + h) - f(x - h)) / (2 * h)


def cubic(x, p):
    return x**3 - p * x - 1.0


def system(x, p):
    return np.array([x[0] ** 2 - p * x[1], x[1] - p - 0.1 * x[0] * x[1] ** 2])


def repeated(p):
    x = p
    for _ in range(3):
        x = optimize.brentq(lambda z: z**3 + z - x * p, 0.0, 3.0)  # noqa: B023
    return x


ROOTS = {
    "brentq": lambda p: optimize.brentq(lambda x: math.cos(p * x) - x, 0.0, 2.0) * p,
    "brenth": lambda p: optimize.brenth(cubic, 0.0, 3.0, args=(p,)),
    "bisect": lambda p: optimize.bisect(cubic, 0.0, 3.0 * p, (p,), 1e-12),
    "ridder": lambda p: optimize.ridder(cubic, 0.0, 3.0, args=p),
    "toms748": lambda p: optimize.toms748(lambda x: cubic(x, p), 0.0, 3.0, full_output=True)[0],
    "newton": lambda p: optimize.newton(lambda x: cubic(x, p), 1.5 * p, tol=1e-13),
    "newton with its slope": lambda p: optimize.newton(cubic, 1.5, lambda x, q: 3 * x**2 - q, (p,), tol=1e-13),
    "newton of an array": lambda p: optimize.newton(lambda x: x**2 - p * np.arange(1.0, 4.0), np.ones(3), tol=1e-13)[1],
    "root_scalar": lambda p: optimize.root_scalar(lambda x: cubic(x, p), bracket=[0.0, 3.0]).root,
    "root_scalar with slopes": lambda p: (
        optimize.root_scalar(lambda x: (cubic(x, p), 3 * x**2 - p), x0=1.5, fprime=True, xtol=1e-13).root * p
    ),
    "fixed_point": lambda p: optimize.fixed_point(lambda x: np.cos(p * x), 0.5, xtol=1e-13),
    "fixed_point of an array": lambda p: optimize.fixed_point(
        lambda x, q: np.cos(q * x[::-1] + [0.0, 0.3]), np.full(2, 0.5), args=(p,), xtol=1e-13
    )[1],
    "root": lambda p: optimize.root(lambda x: system(x, p), [1.0, 1.0]).x @ np.array([1.0, 2.0]),
    "fsolve": lambda p: optimize.fsolve(system, [1.0, 1.0], args=(p,))[1],
    "in a loop": lambda p: repeated(p),
}


@pytest.mark.parametrize("name", ROOTS)
def test_roots(name):
    f = ROOTS[name]
    assert f(0.7) == pytest.approx(morula.withgradient(f, 0.7).value, rel=1e-14)
    slope = differences(f, 0.7)
    assert gradient(f, 0.7)[0] == pytest.approx(slope, rel=1e-6)
    assert jvp(f, (0.7,), (1.0,))[1] == pytest.approx(slope, rel=1e-6)
    curvature = differences(lambda p: gradient(f, p)[0], 0.7)
    assert hessian(f, 0.7) == pytest.approx(curvature, rel=1e-6)
    assert gradient(lambda p: gradient(f, p)[0], 0.7)[0] == pytest.approx(curvature, rel=1e-6)


def test_any_order():
    f = lambda p: optimize.newton(lambda x: x**2 - p, 1.0, tol=1e-14)
    p = 0.7
    wanted = [p**0.5, 0.5 * p**-0.5, -0.25 * p**-1.5, 0.375 * p**-2.5, -0.9375 * p**-3.5]
    assert_same(np.array(morula.taylor(f, p, 1.0, 4)), np.array(wanted), rtol=1e-10)
    assert hessian(lambda p: morula.checkpoint(f, p), p) == pytest.approx(wanted[2])


@pytest.mark.parametrize("tol", [1e-3, 1e-12])
def test_the_gradient_is_that_of_the_solution_and_not_of_the_iterations(tol):
    x, (g,) = morula.withgradient(lambda p: optimize.brentq(lambda x: x**2 - p, 0.0, 3.0, xtol=tol), 2.0)
    assert g == pytest.approx(1 / (2 * x), rel=1e-12)


def test_large_systems_are_solved_by_products():
    n = 150

    def f(p):
        fun = lambda x: 3 * x + p * np.sin(np.roll(x, 1)) - np.linspace(0.0, 1.0, n)
        return np.sum(optimize.root(fun, np.zeros(n), method="krylov", options={"fatol": 1e-12}).x ** 2)

    assert gradient(f, 0.7)[0] == pytest.approx(differences(f, 0.7), rel=1e-5)
    assert hessian(f, 0.7) == pytest.approx(differences(lambda p: gradient(f, p)[0], 0.7), rel=1e-5)


def valley(x, a):
    return (a - x[0]) ** 2 + 10 * (x[1] - x[0] ** 2) ** 2 + 0.1 * x[0] ** 4


def far(x, p):
    return (x[0] - 3 * p) ** 2 + (x[1] - p * x[0]) ** 2


def solve(fun, x0=(0.5, 0.5), **options):
    return optimize.minimize(fun, x0, tol=1e-12, **options)


T = np.linspace(0, 1, 9)
DATA = np.exp(-T) + 0.1 * np.sin(9 * T)
W = np.array([1.0, 2.0])
TIGHT = {"xtol": 1e-14, "ftol": 1e-14, "gtol": 1e-14}


def decay(t, a, b):
    return a * np.exp(-b * t)


def fitted(p, **options):
    popt, pcov = optimize.curve_fit(decay, T, DATA * p**T, [1.0, 1.0], **options, **TIGHT)
    return popt @ W + 10 * pcov[0, 1]


MINIMA = {
    "args": lambda p: optimize.minimize(valley, [1.0, 1.0], args=(p,), tol=1e-8).x @ W,
    "gradient given": lambda p: solve(lambda x: valley(x, p), jac=morula.grad(lambda x: valley(x, p))).x @ W,
    "gradient beside": lambda p: (
        solve(morula.value_and_grad(lambda x: valley(x, p)), jac=True, method="L-BFGS-B").x @ W
    ),
    "Newton-CG": lambda p: solve(valley, args=(p,), jac=morula.grad(valley), method="Newton-CG").x @ W,
    "least value": lambda p: solve(lambda x: valley(x, p) * p).fun,
    "bounds": lambda p: solve(lambda x: far(x, p), bounds=[(None, p), (0, None)]).x @ W,
    "Bounds": lambda p: solve(far, args=(p,), bounds=optimize.Bounds([-1.0, 2 * p], [1.0, 9.0])).fun,
    "equation": lambda p: solve(lambda x: far(x, p), constraints={"type": "eq", "fun": lambda x: x @ x - p}).x @ W,
    "inequalities": lambda p: (
        solve(far, args=(p,), constraints=[
            {"type": "ineq", "fun": lambda x, q: q**2 - x[0] * x[1], "args": (p,)},
            {"type": "ineq", "fun": lambda x: 10 - x[0]},
        ]).x @ W
    ),
    "LinearConstraint": lambda p: solve(
        lambda x: far(x, p), constraints=[optimize.LinearConstraint(np.ones((1, 2)), -np.inf, p)]
    ).fun,
    "NonlinearConstraint": lambda p: solve(
        lambda x: far(x, p), constraints=[optimize.NonlinearConstraint(lambda x: x @ x, 0.1, p)]
    ).x @ W,
    "minimize_scalar": lambda p: optimize.minimize_scalar(lambda x: (x - p) ** 2 + 0.1 * math.exp(x)).x,
    "minimize_scalar value": lambda p: optimize.minimize_scalar(lambda x, q: (x - q) ** 2 + q * x, args=(p,)).fun,
    "minimize_scalar of an array": lambda p: sum(
        np.sum(r.x) * np.sum(r.fun)
        for r in [optimize.minimize_scalar(lambda x: np.array([[(x - p) ** 2 + x]]), bounds=(-3, 3), method="bounded")]
    ),
    "minimize_scalar at a bound": lambda p: (
        optimize.minimize_scalar(lambda x: (x + p) ** 2, bounds=(p * p, 3), method="bounded").x
    ),
    "least_squares": lambda p: optimize.least_squares(lambda q: decay(T, *q) - DATA * p**T, [1.0, 1.0], **TIGHT).x @ W,
    "least_squares, robust": lambda p: (
        optimize.least_squares(
            lambda q, s: decay(T, *q) - DATA * s**T, [1.0, 1.0], loss="soft_l1", f_scale=0.1, args=(p,), **TIGHT
        ).cost * 100
    ),
    "least_squares, bounds": lambda p: (
        optimize.least_squares(lambda q: decay(T, *q) - DATA * p**T, [0.5, 1.0], bounds=([0, 0], [p, 9]), **TIGHT).x @ W
    ),
    "curve_fit": fitted,
    "curve_fit, sigma": lambda p: fitted(p, sigma=1 + T, absolute_sigma=True),
}  # fmt: skip


@pytest.mark.parametrize("name", MINIMA)
def test_minima(name):
    f = MINIMA[name]
    slope = differences(f, 0.7, 1e-3)
    assert gradient(f, 0.7)[0] == pytest.approx(slope, rel=1e-4, abs=1e-5)
    assert jvp(f, (0.7,), (1.0,))[1] == pytest.approx(slope, rel=1e-4, abs=1e-5)
    curvature = differences(lambda p: gradient(f, p)[0], 0.7, 1e-3)
    assert hessian(f, 0.7) == pytest.approx(curvature, rel=1e-3, abs=1e-4)


def test_minima_of_many_variables():
    n = 200
    b = np.linspace(-1.0, 1.0, n)

    def solution(p):
        fun = lambda x: np.sum(x**4) / 4 + p * np.sum(np.diff(x) ** 2) + 0.5 * np.sum((x - b) ** 2)
        fun = morula.value_and_grad(fun)
        return optimize.minimize(fun, np.zeros(n), jac=True, method="L-BFGS-B", tol=1e-14).x

    x = solution(0.7)
    chain = np.diff(np.eye(n), axis=0)
    chain = 2 * chain.T @ chain
    wanted = -2 * x @ np.linalg.solve(np.diag(3 * x**2 + 1) + 0.7 * chain, chain @ x)
    assert gradient(lambda p: np.sum(solution(p) ** 2), 0.7)[0] == pytest.approx(wanted, rel=1e-8)


@pytest.mark.parametrize("n", [65, 66, 67])
def test_symmetric_systems_by_their_products(n):
    """Of a chain the diagonals tell all; what else they lead to is left again."""
    rules_for(optimize.minimize)  # loads the module
    from chainrules.library.scipy.implicit import Linear

    rng = np.random.default_rng(n)
    chain = np.diag(rng.uniform(3.0, 4.0, n)) + 0.0
    chain += np.diag(s := rng.uniform(-1.0, 1.0, n - 1), 1) + np.diag(s, -1)
    full = (q := rng.normal(size=(n, n))) @ q.T + np.eye(n)
    for a, most in ((chain, 6), (np.diag(rng.uniform(0.1, 9.0, n)), 6), (full, 4 * n), (-chain, 4 * n)):
        products = []
        linear = Linear(n, product := lambda v, a=a, made=products: made.append(v) or a @ v, product, True)
        b = rng.normal(size=n)
        np.testing.assert_allclose(a @ linear.inverse(b, False), b, rtol=1e-8, atol=1e-8)
        assert len(products) <= most


def refusals():
    def flat(p):
        return optimize.root(lambda x: np.array([x[0] + x[1] - p, 2 * x[0] + 2 * x[1] - 2 * p]), [1.0, 1.0]).x[0]

    def double(p):
        return optimize.newton(lambda x: (x - p) ** 2, p, tol=1e-3)

    def valley_without_end(p):
        return optimize.minimize(lambda x: (x[0] + x[1] - p) ** 2, [0.0, 0.0]).x[0]

    def too_short(p):
        return optimize.minimize(valley, [9.0, 9.0], args=(p,), options={"maxiter": 1}).x[0]

    def degenerate(p):
        return optimize.minimize(lambda x: (x[0] - p + 0.7) ** 2, [0.0], bounds=[(0.0, None)]).x[0]

    def writes(p):
        seen = []
        optimize.brentq(lambda x: seen.append(x * 1.0) or x - p, 0.0, 3.0)
        return seen[-1]

    def kink(p):
        return optimize.minimize(lambda x: abs(x[0] - p) + x[0] ** 2 / 10, [0.3], method="Nelder-Mead").x[0]

    def crossing(p):
        return optimize.minimize_scalar(lambda x: max((x - p) ** 2, (x + p) ** 2 + x / 5)).x

    def steep(p):
        return optimize.fmin(lambda x: abs(x[0] - p / 200) + 100 * x[0] ** 2, [0.003], disp=0)[0]

    return [*{
        kink: "kink", crossing: "kink", steep: "kink",
        flat: "singular", double: "slope of the function is 0", valley_without_end: "singular",
        too_short: "did not converge", degenerate: "degenerate", writes: "writes",
    }.items()]  # fmt: skip


@pytest.mark.parametrize(("f", "why"), refusals())
def test_refused(f, why):
    with pytest.raises(NotDifferentiable, match=why):
        gradient(f, 0.7)


def test_a_program_takes_nothing_from_a_plain_call():
    found = []
    gradient(lambda p: p * optimize.brentq(lambda x: found.append(x) or x - 1.0, 0.0, 3.0), 0.7)
    assert found[-1] == 1.0


@pytest.mark.parametrize("recorded", [True, False])
def test_minima_of_many_unknowns(recorded):
    """Of a quadratic function they are known; `numpy.diff` is not recorded for second derivatives."""
    n = 90
    d, w = np.linspace(1.0, 40.0, n), np.linspace(-1.0, 1.0, n)

    def f(x, t):
        steps = x[1:] - x[:-1] if recorded else np.diff(x)
        return (0.5 * d * (x - t) ** 2).sum() + (steps**2).sum()

    def found(t):
        return optimize.minimize(f, np.zeros(n), (t,), jac=lambda x, t: gradient(f, x, t)[0], tol=1e-9).x @ w

    differences = np.diff(np.eye(n), axis=0)
    hessian_at = np.diag(d) + 2.0 * differences.T @ differences
    t = np.cos(np.arange(float(n)))
    np.testing.assert_allclose(gradient(found, t)[0], d * np.linalg.solve(hessian_at, w), rtol=1e-8, atol=1e-10)


def test_functions_of_numpys_vectorize_keep_what_they_make_of_a_function():
    square = np.vectorize(lambda x: x * x, otypes=[float])
    found = gradient(lambda p: optimize.brentq(lambda x: float(square(x)) - p, 0.0, 3.0), 2.0)
    assert found == pytest.approx((0.5 / 2**0.5,), rel=1e-12)
