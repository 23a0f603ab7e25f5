"""Integrals and solutions of initial value problems: by limits, arguments, closures, ends and times, at any order."""

import math

import numpy as np
import pytest
from morula_helpers import assert_same
from scipy import integrate, optimize
from scipy_checks import check as check_all
from scipy_checks import weighed

import morula
from morula import NotDifferentiable, gradient, hessian, jvp

W = np.array([1.0, 2.0])
K = np.arange(6.0)


def differences(f, x, h=1e-4):
    return (f(x - 2 * h) - 8 * f(x - h) + 8 * f(x + h) - f(x + 2 * h)) / (12 * h)


INTEGRALS = {
    "closure and limits": lambda p: integrate.quad(lambda x: math.exp(-p * x * x), 0, 2 * p)[0] * p,
    "args, limits reversed": lambda p: integrate.quad(lambda x, q: math.sin(q * x), p, 0.1, args=(p,))[0],
    "to infinity": lambda p: integrate.quad(lambda x: np.exp(-p * x), p, np.inf)[0],
    "from infinity": lambda p: integrate.quad(lambda x: np.exp(p * x), -np.inf, p)[0],
    "over all numbers": lambda p: integrate.quad(lambda x: np.exp(-p * x * x + x / 3), -np.inf, np.inf)[0],
    "singular": lambda p: integrate.quad(lambda x: p * p * x**-0.5 * math.log(x), 0, 1)[0],
    "weights": lambda p: sum(
        integrate.quad(lambda x, q: np.exp(-q * x), 0.1, p, args=(p,), weight=kind, wvar=v)[0]
        for kind, v in {"cos": 2 * p, "sin": 3.0, "alg": (1.5, 0.5), "alg-loga": (1.5, 1.5), "alg-logb": (2, 1)}.items()
    ),
    "weights that are singular at ends which move": lambda p: sum(
        integrate.quad(lambda x: np.exp(-p * x), p, p * p + 2.0, weight=kind, wvar=powers)[0]
        for kind, powers in (("alg", (0.5, 0.3)), ("alg-log", (p, 1.3)))
    ),
    "complex": lambda p: abs(integrate.quad(lambda x: np.exp((1j * p - 0.3) * x), 0, 2 * p, complex_func=True)[0]),
    "dblquad": lambda p: integrate.dblquad(lambda y, x: x * y * p + y, 0, p, 0, lambda x: x * p)[0],
    "nquad": lambda p: integrate.nquad(lambda x, y: x * y * p + y, [lambda y: (0, y * p), (0, p)])[0],
    "quad_vec": lambda p: integrate.quad_vec(lambda x: np.array([np.sin(p * x), x * p * p]), 0, p)[0] @ W,
    "quad_vec over all": lambda p: integrate.quad_vec(lambda x: np.exp(-p * W * x * x), -np.inf, np.inf)[0] @ W,
    "fixed_quad": lambda p: integrate.fixed_quad(lambda x: np.sin(p * x), 0, p, n=6)[0],
    "trapezoid": lambda p: integrate.trapezoid(np.sin(p * K), x=p * K**2),
    "simpson": lambda p: integrate.simpson(np.sin(p * K), dx=p),
    "cumulative_trapezoid": lambda p: integrate.cumulative_trapezoid(np.sin(p * K), dx=p, initial=0) @ K,
    "romb": lambda p: integrate.romb(np.sin(p * K[:5]), dx=p),
    "in a loop": lambda p: sum(integrate.quad(lambda x: x**i * p**i, 0.0, p)[0] for i in range(3)),  # noqa: B023
    "root of an integral": lambda p: optimize.brentq(
        lambda b: integrate.quad(lambda x: math.exp(-p * x), 0.0, b)[0] - 0.5, 0.0, 5.0
    ),
}


def check(f, rel):
    found = morula.withgradient(f, 0.7)
    assert found.value == pytest.approx(f(0.7), rel=1e-14)
    slope = differences(f, 0.7)
    assert found.gradient[0] == pytest.approx(slope, rel=rel)
    assert jvp(f, (0.7,), (1.0,))[1] == pytest.approx(slope, rel=rel)
    assert hessian(f, 0.7) == pytest.approx(differences(lambda p: gradient(f, p)[0], 0.7, 1e-3), rel=rel)


@pytest.mark.parametrize("name", INTEGRALS)
def test_integrals(name):
    check(INTEGRALS[name], 1e-5)


def test_a_triple_integral():
    f = lambda p: integrate.tplquad(lambda z, y, x: x * y * p + z, 0, p, 0, 1, 0.0, lambda x, y: x * y + p)[0]
    assert gradient(f, 0.7)[0] == pytest.approx(differences(f, 0.7, 1e-3), rel=1e-6)


def payoff(x, p):
    return max(x - p, 0.0) * math.exp(-x * x / 2)


def layers(x, edge=0.5123):
    return 2.0 if x < edge else 1.0


# integrands that jump or bend: the integral, its first and its second derivative at 0.7
ROUGH = {
    "a bend that moves": (lambda p: integrate.quad(lambda x: abs(x - p) * x, 0, 2)[0], 0.7**2 - 2, None),
    "a bend at a point": (lambda p: integrate.quad(lambda x: abs(x - p) * x, 2, 0, points=[p])[0], 2 - 0.7**2, -1.4),
    "a jump at a point": (lambda p: integrate.quad(lambda x: x if x < p else 0.0, 0, 2, points=[p])[0], 0.7, 1.0),
    "two points": (
        lambda p: integrate.quad(lambda x: abs(x - p) + layers(x, p * p), 0, 2, points=np.array([p, p * p]))[0],
        2 * 0.7 - 2 + 2 * 0.7,
        4.0,
    ),
    "a weak bend at a point": (
        lambda p: integrate.quad(lambda x: abs(x - p) ** 1.5, 0, 2, points=[p])[0],
        0.7**1.5 - 1.3**1.5,
        1.5 * (0.7**0.5 + 1.3**0.5),
    ),
    "vectors": (
        lambda p: integrate.quad_vec(lambda x: np.array([abs(x - p), x * p]), 0, 2, points=[p])[0] @ W, -0.6 + 4, 2.0,
    ),
    "a fixed jump": (lambda p: integrate.quad(lambda x: p**3 * layers(x), 0, 2)[0], 3 * 0.49 * 2.5123, 4.2 * 2.5123),
    "a fixed jump, moving limits": (
        lambda p: integrate.quad(lambda x: layers(x) * math.exp(-x), 0, p)[0], math.exp(-0.7), -math.exp(-0.7),
    ),
    "a fixed bend": (
        lambda p: integrate.quad(lambda x: p**3 * abs(x - 0.5), 0, 1)[0], 3 * 0.49 / 4, 6 * 0.7 / 4,
    ),
    "a fixed jump of all numbers": (
        lambda p: integrate.quad(lambda x: p**3 * layers(x, 0.1) * math.exp(-x), 0, np.inf)[0],
        3 * 0.49 * (2 - math.exp(-0.1)),
        4.2 * (2 - math.exp(-0.1)),
    ),
    "an integral of bends": (
        lambda p: integrate.dblquad(lambda y, x: p**3 * abs(x - y), 0, 1, 0, 1)[0], 0.49, 1.4,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ROUGH)
def test_rough_integrands(name):
    f, slope, curvature = ROUGH[name]
    assert gradient(f, 0.7)[0] == pytest.approx(slope, rel=1e-6)
    assert jvp(f, (0.7,), (1.0,))[1] == pytest.approx(slope, rel=1e-6)
    if curvature is None:
        with pytest.raises(NotDifferentiable, match=r"not smooth near 0\.7"):
            hessian(f, 0.7)
    else:
        assert hessian(f, 0.7) == pytest.approx(curvature, rel=1e-6)


class Plant:
    def __init__(self, edge):
        self.edge = edge

    def rate(self, x):
        return 3.0 if x < self.edge else 1.0


@pytest.mark.parametrize("integrand", [
    lambda p: lambda x: 1.0 if x < p else 0.2, lambda p: Plant(p * p).rate, lambda p: lambda x: layers(x, [p][0]),
    lambda p: lambda x: abs(x - p) ** 0.4,
])  # fmt: skip
def test_a_jump_that_may_move_is_refused(integrand):
    with pytest.raises(NotDifferentiable, match="points="):
        gradient(lambda p: integrate.quad(integrand(p), 0, 2)[0], 0.7)
    with pytest.raises(NotDifferentiable, match="points="):
        jvp(lambda p: integrate.quad(integrand(p), 0, 2)[0], (0.7,), (1.0,))


def test_attributes_that_do_not_move_a_jump():
    def heat(p):
        plant = Plant(0.61)
        plant.power = p
        return integrate.quad(lambda x: plant.rate(x) * plant.power**2, 0, 2)[0]

    assert gradient(heat, 0.7)[0] == pytest.approx(1.4 * (2 + 2 * 0.61), rel=1e-7)


def test_bends_of_payoffs():
    f = lambda p: integrate.quad(payoff, p, np.inf, args=(p,))[0]
    assert hessian(f, 0.7) == pytest.approx(math.exp(-0.245), rel=1e-7)
    with pytest.raises(NotDifferentiable, match="a limit of two integrals"):
        hessian(lambda p: integrate.quad(payoff, -np.inf, np.inf, args=(p,))[0], 0.7)


def hunt(t, y, a, b):
    return [a * y[0] - b * y[0] * y[1], b * y[0] * y[1] - y[1] * (1 + 0.1 * math.sin(t))]


TIGHT = {"rtol": 1e-9, "atol": 1e-10}
TIMES = np.linspace(0.0, 1.5, 4)


@pytest.mark.parametrize("method", ["RK23", "RK45", "DOP853", "Radau", "BDF", "LSODA"])
def test_methods(method):
    loose = {"rtol": 1e-6, "atol": 1e-8} if method in ("RK23", "BDF") else TIGHT

    def at_the_end(p):
        return integrate.solve_ivp(hunt, (0.0, 1.5), [p, 1.0], method=method, args=(p, 0.5), **loose).y[0, -1]

    def at_times(p):
        fun = lambda t, y: hunt(t, y, p, 0.5)
        return (integrate.solve_ivp(fun, (0.0, 1.5), W, method=method, t_eval=TIMES, **loose).y @ TIMES) @ W

    reference = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-13}
    fun = lambda p: lambda t, y: hunt(t, y, p, 0.5)
    exact = (
        lambda p: integrate.solve_ivp(fun(p), (0.0, 1.5), [p, 1.0], **reference).y[0, -1],
        lambda p: (integrate.solve_ivp(fun(p), (0.0, 1.5), W, t_eval=TIMES, **reference).y @ TIMES) @ W,
    )
    for f, wanted in zip((at_the_end, at_times), exact, strict=True):
        found = morula.withgradient(f, 0.7)
        assert found.value == f(0.7)
        assert found.gradient[0] == pytest.approx(differences(wanted, 0.7, 1e-3), rel=1e-4)
        assert jvp(f, (0.7,), (1.0,))[1] == pytest.approx(found.gradient[0], rel=1e-10)
    if method in ("RK45", "DOP853", "Radau"):
        second = differences(lambda p: differences(exact[0], p, 1e-2), 0.7, 1e-2)
        assert hessian(at_the_end, 0.7) == pytest.approx(second, rel=1e-4)


def test_explicit_steps_are_those_of_the_solver():
    """At a loose tolerance the derivative is that of the computed solution, with the step sizes that it had."""
    from scipy.integrate import RK45

    options = {"rtol": 1e-2, "atol": 1e-2}
    found = integrate.solve_ivp(lambda t, y: -0.7 * y * y, (0.0, 3.0), [1.0], **options)

    def steps(p):
        y = np.array([1.0])
        for t, t_new in zip(found.t[:-1], found.t[1:], strict=True):
            ks = []
            for a in RK45.A:
                ks.append(-p * (y + (t_new - t) * sum((w * k for w, k in zip(a, ks, strict=False)), 0.0 * y)) ** 2)
            y = y + (t_new - t) * sum(w * k for w, k in zip(RK45.B, ks, strict=True))
        return y[0]

    f = lambda p: integrate.solve_ivp(lambda t, y: -p * y * y, (0.0, 3.0), [1.0], **options).y[0, -1]
    assert gradient(f, 0.7)[0] == pytest.approx(gradient(steps, 0.7)[0], rel=1e-12)


def falls(t, y):
    return y[0] - 0.4


falls.terminal = True  # type: ignore[attr-defined]


def decayed(p, span=(0.0, 3.0), **options):
    return integrate.solve_ivp(lambda t, y: -p * y, span, np.array([1.0]), **options, **TIGHT)


SOLUTIONS = {  # with what they are in closed form
    "both ends": (lambda p: decayed(1.0, (p * 0.1, 3 * p)).y[0, -1], lambda p: math.exp(-2.9 * p)),
    "backwards": (lambda p: decayed(p, (1.0, 0.0)).y[0, -1], math.exp),
    "times": (
        lambda p: decayed(1.0, t_eval=TIMES * p + 0.1).y[0].sum(), lambda p: sum(math.exp(-p * t - 0.1) for t in TIMES)
    ),
    "t": (lambda p: decayed(1.0, (p, 2.0)).t[0] + decayed(1.0, t_eval=[p]).t[0], lambda p: 2 * p),
    "event": (lambda p: decayed(p, events=lambda t, y: y[0] - 0.5).t_events[0][0], lambda p: math.log(2) / p),
    "terminal event": (
        lambda p: (r := decayed(p, events=[falls])).t[-1] + r.y[0, -1], lambda p: -math.log(0.4) / p + 0.4
    ),
    "dense output": (
        lambda p: (r := decayed(p, dense_output=True)).sol(p)[0] + r.sol(np.array([1.0, 2.0]))[0] @ W,
        lambda p: math.exp(-p * p) + math.exp(-p) + 2 * math.exp(-2 * p),
    ),
    "odeint": (lambda p: integrate.odeint(lambda y, t: -p * y, [p], TIMES)[-1, 0], lambda p: p * math.exp(-1.5 * p)),
}  # fmt: skip


@pytest.mark.parametrize("name", SOLUTIONS)
def test_solutions(name):
    f, exact = SOLUTIONS[name]
    found = morula.withgradient(f, 0.7)
    assert found.value == pytest.approx(exact(0.7), rel=1e-6)
    assert found.gradient[0] == pytest.approx(differences(exact, 0.7), rel=1e-5)
    second = differences(lambda p: differences(exact, p, 1e-3), 0.7, 1e-3)
    assert hessian(f, 0.7) == pytest.approx(second, rel=1e-4, abs=1e-6)


@pytest.mark.parametrize("method", ["RK23", "RK45", "DOP853", "Radau", "BDF", "LSODA"])
def test_solutions_as_functions_of_time_are_those_of_scipy(method):
    """Also where the steps that are differentiated are others than the solver's."""

    def states(p, y0=(1.0, 0.3)):
        fun = lambda t, y: [-p * y[0] ** 2 + np.sin(5 * t), y[0] - y[1]]
        event = lambda t, y: y[0] - 0.7
        found = integrate.solve_ivp(fun, (0, 2), y0, method=method, dense_output=True, events=event, t_eval=[0.3, 1.1])
        return [found.sol(0.77), found.sol([0.1, 1.9]), found.y_events[0], found.t_events[0], found.y]

    y = morula.pullback(states, 2.0)[0]
    for got, want in zip(y, states(2.0), strict=True):
        np.testing.assert_array_equal(got, want)


def test_a_fit_of_an_initial_value_problem():
    """An optimisation whose objective integrates: the fitted rate by the data."""

    def fitted(p):
        data = np.exp(-p * TIMES)
        loss = lambda q: np.sum((decayed(q[0], t_eval=TIMES).y[0] - data) ** 2)
        return optimize.minimize(morula.value_and_grad(loss), [1.0], jac=True, tol=1e-10).x[0]

    assert gradient(fitted, 0.7)[0] == pytest.approx(1.0, rel=1e-4)


@pytest.mark.parametrize("method", ["RK45", "BDF"])
def test_a_vectorized_right_hand_side_is_given_columns(method):
    def final(p, y0=0.8):
        fun = lambda t, y, q: np.array([-q * y[0] * y[1], y[0] - y[1] ** 2]) + 0.0 * y.shape[1]
        return integrate.solve_ivp(
            fun, (0.0, 1.0), [y0, p], method=method, vectorized=True, args=(p,), rtol=1e-9, atol=1e-11
        ).y[:, -1] @ [1.0, 2.0]

    expected = (final(0.7 + 1e-4) - final(0.7 - 1e-4)) / 2e-4
    assert gradient(final, 0.7)[0] == pytest.approx(expected, rel=1e-5)
    assert morula.jvp(final, (0.7,), (1.0,))[1] == pytest.approx(expected, rel=1e-5)
    curvature = (final(0.701) - 2 * final(0.7) + final(0.699)) / 1e-6
    assert morula.hessian(final, 0.7) == pytest.approx(curvature, rel=1e-3)


def end(rate, span=(0.0, 2.0), y0=(1.0,), **options):
    return integrate.solve_ivp(rate, span, y0, **{**TIGHT, **options}).y[0, -1]


LEVELS = np.array([0.0, 1.0, 3.0, 2.0, 5.0])
SWITCHES = {
    "a time": lambda p: end(lambda t, y: [float(t < p) - y[0]]),
    "a time, as an argument": lambda p: end(lambda t, y, q: [np.heaviside(t - q, 0.5) - y[0]], args=(p * p,)),
    "a threshold": lambda p: end(lambda t, y: [1.0 if y[0] < p + 1 else 0.2]),
    "a state": lambda p: end(lambda t, y: [1.0 if y[0] < 2 else 0.2], y0=(p,)),
    "friction": lambda p: end(lambda t, y: [y[1], -p * y[0] - 0.1 * np.sign(y[1])], y0=(1.0, 0.01)),
    "implicitly": lambda p: end(lambda t, y: [float(t < p) - y[0]], method="BDF"),
    "backwards": lambda p: end(lambda t, y: [float(t < p) - y[0]], (2.0, 0.0), method="DOP853"),
    "odeint": lambda p: integrate.odeint(lambda y, t: [float(t < p) - y[0]], [1.0], [0.0, 2.0])[-1, 0],
    "its end": lambda p: end(lambda t, y: [float(t < p) - y[0]], (0.0, p)),
}  # fmt: skip


@pytest.mark.parametrize("name", SWITCHES)
def test_right_hand_sides_whose_jumps_may_move_are_refused(name):
    with pytest.raises(NotDifferentiable, match="second call"):
        gradient(SWITCHES[name], 0.7)
    with pytest.raises(NotDifferentiable, match="second call"):
        jvp(SWITCHES[name], (0.7,), (1.0,))


def held(t, p):
    return p * LEVELS[min(int(t / 0.5), 4)]


# right-hand sides that jump or bend where they always do so, or bend where it does not matter; the slope at 0.7
STILL = {
    "levels": (lambda p: end(lambda t, y: [held(t, p)]), 3.0),
    "levels that are active": (lambda p: (lambda v: end(lambda t, y: [v[min(int(t / 0.5), 4)]]))(LEVELS * p), 3.0),
    "a fixed time": (lambda p: end(lambda t, y: [p * (t < 0.83) - y[0]]), math.exp(-2.0) * (math.exp(0.83) - 1)),
    "moving ends": (lambda p: end(lambda t, y: [2.0 if t < 0.83 else 1.0], (p, 3 * p)), -2.0 + 3.0),
    "a bend": (lambda p: end(lambda t, y: [max(0.0, t - p)]), 0.7 - 2.0),
    "nothing happens": (lambda p: end(lambda t, y: [0.0, p * y[0]], y0=(p, 1.0)), 1.0),
    "no time": (lambda p: end(lambda t, y: [1.0 if t < p else 0.0], (0.0, 0.0), y0=(p,)), 1.0),
}


@pytest.mark.parametrize("name", STILL)
def test_right_hand_sides_whose_jumps_stay(name):
    f, slope = STILL[name]
    assert gradient(f, 0.7)[0] == pytest.approx(slope, rel=2e-4)
    assert jvp(f, (0.7,), (1.0,))[1] == pytest.approx(slope, rel=2e-4)
    if name == "a bend":
        with pytest.raises(NotDifferentiable, match=r"bends near t = 0\.7"):
            hessian(f, 0.7)
    else:
        assert hessian(f, 0.7) == pytest.approx(0.0, abs=1e-5)


def test_a_bend_of_a_boundary_value_problem():
    def middle(p, power):
        load = lambda x, y: np.vstack([y[1], np.maximum(x - p, 0.0) ** power])
        ends = lambda a, b: np.array([a[0], b[0]])
        return integrate.solve_bvp(load, ends, np.linspace(0, 1, 40), np.zeros((2, 40)), tol=1e-6).sol(0.5)[0]

    assert hessian(lambda p: middle(p, 3), 0.7) == pytest.approx(-0.5 * 0.3**3, rel=1e-3)
    with pytest.raises(NotDifferentiable, match="joined by boundary conditions"):
        hessian(lambda p: middle(p, 1), 0.7)


def test_two_calls_in_place_of_a_jump():
    """What the message of a refusal says to do."""

    def final(p):
        loaded = end(lambda t, y: [1.0 - y[0]], (0.0, p))
        return end(lambda t, y: [-y[0]], (p, 2.0), y0=(loaded,))

    assert gradient(final, 0.7)[0] == pytest.approx(math.exp(0.7 - 2.0), rel=1e-6)

    def reached(p):
        full = lambda t, y: y[0] - 1.5
        full.terminal = True
        first = integrate.solve_ivp(lambda t, y: [1.0], (0.0, 2.0), [p], events=full, **TIGHT)
        return end(lambda t, y: [0.2], (first.t[-1], 2.0), y0=first.y[:, -1])

    assert gradient(reached, 0.7)[0] == pytest.approx(0.2, rel=1e-6)


REFUSED = {
    "cauchy": lambda p: integrate.quad(lambda x: p * x, 0.0, 1.0, weight="cauchy", wvar=0.5)[0],
    "did not converge": lambda p: integrate.solve_ivp(lambda t, y: p * y * y, (0.0, 9.0), [1.0]).y[0, -1],
}


@pytest.mark.parametrize("why", REFUSED)
@pytest.mark.filterwarnings("ignore")
def test_refused(why):
    with pytest.raises(NotDifferentiable, match=why) as told:
        gradient(REFUSED[why], 0.7)
    assert "test_scipy_integrate.py" in str(told.value) + "".join(getattr(told.value, "__notes__", []))


def test_a_plain_call_stays_plain():
    assert_same(gradient(lambda p: p * integrate.quad(math.exp, 0.0, 1.0)[0], 0.7), (math.e - 1,), rtol=1e-12)


# -- sums of samples ---------------------------------------------------------------------------------------------

SAMPLES = {
    "trapezoid": lambda y, x: integrate.trapezoid(y, x) + weighed(integrate.trapezoid([y, y * y], dx=0.3, axis=1)),
    "simpson": lambda y, x: integrate.simpson(y, x=x) + integrate.simpson(y[1:], x=x[1:]) * integrate.simpson(y),
    "cumulative_trapezoid": lambda y, x: weighed(integrate.cumulative_trapezoid(y, x, initial=0)),
    "cumulative_simpson": lambda y, x: weighed(integrate.cumulative_simpson(y, x=x, initial=0)),
    "romb": lambda y, x: integrate.romb(y, dx=x[0]) ** 2,
    "fixed_quad": lambda y, x: integrate.fixed_quad(lambda t: np.sin(y[0] * t), x[0], y[1] + 2.0, n=7)[0],
}


@pytest.mark.parametrize("name", SAMPLES)
def test_sums_of_samples(name) -> None:
    if not hasattr(integrate, name):
        pytest.skip("of newer versions of SciPy")
    x = np.array([0.1, 0.5, 0.6, 1.2, 1.7, 2.0, 2.6, 3.1, 3.3])
    check_all(SAMPLES[name], np.cos(x), x)


# -- boundary values ---------------------------------------------------------------------------------------------


def bratu(strength, end, length):
    """The problem of Bratu, with a force that grows along the way."""

    def slopes(x, y):
        return np.vstack([y[1], -strength * x * np.exp(y[0])])

    def ends(left, right):
        return np.array([left[0], right[0] - end])

    return integrate.solve_bvp(slopes, ends, np.linspace(0.0, length, 6), np.zeros((2, 6)), tol=1e-7)


@pytest.mark.slow
def test_boundary_values() -> None:
    args = 0.7, 0.2, 1.2
    for value in (
        lambda *p: weighed(bratu(*p).sol(np.array([0.3, 0.7]))),
        lambda *p: bratu(*p).y[1, 0] ** 2,
        lambda *p: bratu(*p).yp[1, -1],
    ):
        g = gradient(value, *args)
        for i in range(3):
            h = 1e-4 * np.eye(3)[i]
            want = (value(*np.add(args, h)) - value(*np.subtract(args, h))) / 2e-4
            np.testing.assert_allclose(g[i], want, rtol=1e-5, atol=1e-5)
    slope = lambda p: gradient(lambda s: bratu(s, 0.2, 1.2).y[1, 0], p)[0]
    curve = morula.jvp(slope, (0.7,), (1.0,))[1]
    np.testing.assert_allclose(curve, (slope(0.701) - slope(0.699)) / 2e-3, rtol=1e-4)


def test_an_eigenvalue_problem() -> None:
    """The frequency of a string of varying mass is an unknown parameter of the problem."""

    def frequency(mass, length):
        x = np.linspace(0.0, length, 9)
        found = integrate.solve_bvp(
            lambda x, y, p: np.vstack([y[1], -(p[0] ** 2) * (1.0 + mass * x) * y[0]]),
            lambda a, b, p: np.array([a[0], b[0], a[1] - 1.0]),
            x, np.vstack([np.sin(np.pi * x / 1.2), np.cos(np.pi * x / 1.2)]), p=[2.5], tol=1e-5,
        )  # fmt: skip
        return found.p[0]

    for i, g in enumerate(gradient(frequency, 0.3, 1.2)):
        h = 1e-4 * np.eye(2)[i]
        want = (frequency(*np.add([0.3, 1.2], h)) - frequency(*np.subtract([0.3, 1.2], h))) / 2e-4
        np.testing.assert_allclose(g, want, rtol=1e-4)


def test_boundary_values_that_are_refused() -> None:
    with pytest.raises(NotDifferentiable, match="singular term"):
        gradient(lambda p: integrate.solve_bvp(lambda x, y: p * y, lambda a, b: a - 1.0, [0.0, 1.0], np.zeros((1, 2)),
                                               S=np.eye(1) * 0).y.sum(), 0.3)  # fmt: skip


def grown(t, y, a, r, w=0.3):
    x, v = y
    if x > 1.5:
        x = 0.5 * x + 0.75
    return np.array([a * x - r[0] * x * v + math.cos(r[1] * t), r[2] * x * v - w * v])


STEPS = {
    "t_eval": {"t_eval": np.linspace(0.0, 2.0, 5)}, "states": {}, "RK23": {"method": "RK23"},
    "few": {"t_eval": [0.0, 0.7], "max_step": 0.3}, "Radau": {"method": "Radau"},
    "BDF": {"method": "BDF", "t_eval": np.linspace(0.0, 2.0, 5)}, "LSODA": {"method": "LSODA", "t_eval": [0.0, 0.7]},
}  # fmt: skip


@pytest.mark.parametrize("options", STEPS.values(), ids=STEPS)
@pytest.mark.parametrize("span", [(0.0, 2.0), (0, -1.0)])
def test_a_trajectory_is_that_of_the_steps_followed(options, span):
    if span[1] < 0 and "t_eval" in options:
        options = {**options, "t_eval": -0.5 * np.array(options["t_eval"])}
    r = np.array([0.5, 2.0, 0.25])

    def weighed(found):
        return (found.y**2).sum() + found.y[1, -1]

    def by_arguments(a, r, y0):
        return weighed(integrate.solve_ivp(grown, span, y0, args=(a, r), **options))

    def captured(a, r, y0):
        return weighed(integrate.solve_ivp(lambda t, y: grown(t, y, a, r), span, y0, **options))

    def followed(a, r, y0):
        fun = lambda t, y: np.stack([grown(t, y, a, r)])[0]  # which has no static adjoint
        return weighed(integrate.solve_ivp(fun, span, y0, **options))

    given = 1.1, r, np.array([1.2, 0.4])
    wanted = morula.withgradient(followed, *given)
    for f in (by_arguments, captured):
        found = morula.withgradient(f, *given)
        assert found.value == wanted.value
        for bar, other in zip(found.gradient, wanted.gradient, strict=True):
            np.testing.assert_allclose(bar, other, rtol=1e-11, atol=1e-12)
    # of a pullback that is used twice, and where a seed is zero
    y, back = morula.pullback(lambda a: integrate.solve_ivp(grown, span, given[2], args=(a, r), **options).y, 1.1)
    assert back(np.ones(y.shape))[0] == back(np.ones(y.shape))[0] != 0.0
    assert back(np.zeros(y.shape))[0] in (None, 0.0)


def test_times_are_active_beside_a_trajectory():
    f = lambda p: decayed(0.7, (p, 2.0)).y[0, -1] + decayed(0.7, t_eval=[p]).y[0, 0]
    assert gradient(f, 0.3)[0] == pytest.approx(0.7 * math.exp(-0.7 * 1.7) - 0.7 * math.exp(-0.21), rel=1e-6)


def test_a_loop_of_solvers():
    """Each function is what it was when its solver called it."""

    def f(p):
        total, y = 0.0, np.array([1.0])
        for k in range(1, 4):
            rate = p * k
            y = integrate.solve_ivp(lambda t, y: [-rate * y[0] ** k], (0.0, 0.5), y, **TIGHT).y[:, -1]  # noqa: B023
            total = total + y[0] * k
        return total

    assert gradient(f, 0.7)[0] == pytest.approx(differences(f, 0.7, 1e-3), rel=1e-6)


RATE = 1.0


def rate_of(y):
    return -RATE * y[0]


def test_what_varies_elsewhere_than_in_captured_variables():
    def through_a_global(p):
        globals()["RATE"] = p
        y = integrate.solve_ivp(lambda t, y: [rate_of(y)], (0.0, 1.0), [1.0], **TIGHT).y[0, -1]
        globals()["RATE"] = 1.0
        return y

    def through_state(p):
        global RATE
        RATE = p
        y = integrate.solve_ivp(lambda t, y: [rate_of(y)], (0.0, 1.0), [1.0], **TIGHT).y[0, -1]
        RATE = 1.0
        return y

    def by_default(p):
        def fun(t, y, a=p):
            return [-a * y[0]]

        return integrate.solve_ivp(fun, (0.0, 1.0), [1.0], **TIGHT).y[0, -1]

    def in_a_dict(p):
        d = {"rate": p}
        return integrate.solve_ivp(lambda t, y: [-d["rate"] * y[0]], (0.0, 1.0), [1.0], **TIGHT).y[0, -1]

    for f in (through_a_global, through_state, by_default, in_a_dict):
        assert gradient(f, 0.7)[0] == pytest.approx(-math.exp(-0.7), rel=1e-6)


def test_what_a_solver_read_stays():
    def f(p):
        y = integrate.solve_ivp(lambda t, y: [-p * RATE * y[0]], (0.0, 1.0), [1.0], **TIGHT).y[0, -1]
        globals()["RATE"] = 2.0
        return y

    try:
        with pytest.raises(NotDifferentiable, match="has changed since a solver called it"):
            gradient(f, 0.7)
    finally:
        globals()["RATE"] = 1.0


@pytest.mark.parametrize("solver", [integrate.RK23, integrate.DOP853, integrate.Radau, integrate.BDF])
def test_a_solver_that_is_stepped_by_hand(solver) -> None:
    def f(p):
        slope = lambda t, y: np.array([-p[0] * y[0] + p[1] * y[1], p[0] * y[0] - y[1] ** 2])
        stepper = solver(slope, 0.0, np.array([1.0, 0.5]), 0.3, rtol=1e-6)
        total = 0.0
        while stepper.status == "running":
            stepper.step()
            total = total + stepper.dense_output()(stepper.t - 0.3 * stepper.step_size)[0] * stepper.step_size
        return total + stepper.y[1] ** 2

    p, v = np.array([1.3, 0.4]), np.array([1.0, -0.7])
    want = (f(p + 1e-6 * v) - f(p - 1e-6 * v)) / 2e-6
    assert morula.gradient(f, p)[0] @ v == pytest.approx(want, rel=1e-5)
    assert morula.jvp(f, (p,), (v,))[1] == pytest.approx(want, rel=1e-5)


def prey(t, y, a, b):
    return [a * y[0] - b * y[0] * y[1], b * y[0] * y[1] - y[1]]


def stepped(p, name="dopri5", **options):
    solver = integrate.ode(prey).set_integrator(name, rtol=1e-9, **options)
    solver.set_initial_value([p[0], 0.5], 0.0).set_f_params(p[1], p[2])
    found = []
    while solver.successful() and solver.t < 1.0:
        found.append(solver.integrate(solver.t + 0.5)[0])
    return sum(found) + solver.y[1]


@pytest.mark.parametrize("name", ["dopri5", "vode", "lsoda"])
def test_the_class_ode(name):
    def f(p):
        return stepped(p, name, **({"method": "bdf"} if name == "vode" else {}))

    def exact(p):
        options = {"args": (p[1], p[2]), "method": "DOP853", "rtol": 1e-11, "atol": 1e-12, "t_eval": [0.5, 1.0]}
        y = integrate.solve_ivp(prey, (0, 1), [p[0], 0.5], **options).y
        return y[0].sum() + y[1, 1]

    p = np.array([1.0, 1.2, 0.8])
    want = [(exact(p + e) - exact(p - e)) / 2e-4 for e in 1e-4 * np.eye(3)]
    np.testing.assert_allclose(gradient(f, p)[0], want, rtol=1e-5)
    assert morula.jvp(f, (p,), (p,))[1] == pytest.approx(p @ want, rel=1e-6)
    with pytest.raises(morula.NotDifferentiable, match="use solve_ivp"):
        gradient(
            lambda p: (
                integrate.ode(prey).set_initial_value([p[0], 0.5]).set_f_params(1.0, p[1]).integrate(1.0, step=True)[0]
            ),
            p,
        )


def test_values_have_the_types_of_scipys():
    """A limit that is one of NumPy's numbers makes the integral none."""
    for f in (
        lambda p: integrate.quad(lambda t: np.exp(-p[0] * t), 0, p[1])[0],
        lambda p: integrate.dblquad(lambda y, x: x * y * p[0], 0, p[1], 0, lambda x: x * p[0])[0],
        lambda p: integrate.nquad(lambda x, y: x * y * p[0], [[0, 1], [0, p[1]]])[0],
    ):
        at = np.array([0.5, 1.2])
        assert repr(morula.pullback(f, at)[0]) == repr(f(at))


def test_integrals_in_single_precision_have_their_own_value():
    x = np.array([0.024, 0.414, -0.519], np.float32)

    def f(x):
        return integrate.quad(lambda t: x[1] * t + math.sin(0.25 * t), 0.0, 1.0)[0]

    for tier in ("eager", "static"):
        with morula.tier(tier):
            value, (x_bar,) = morula.withgradient(f, x)
        assert value == f(x)
        np.testing.assert_allclose(x_bar, [0.0, 0.5, 0.0], rtol=1e-6)


def test_integrals_that_overflow_are_refused():
    def f(x):
        return integrate.quad(lambda t: (x @ x) * t, 0.0, 1.0)[0]

    with np.errstate(over="ignore"), pytest.raises(morula.NotDifferentiable, match="the integral is not finite"):
        morula.gradient(f, np.array([3e198, 1e200]))
