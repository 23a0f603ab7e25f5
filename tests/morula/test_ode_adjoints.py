"""The continuous adjoint of solvers of differential equations, beside the discrete one and central differences."""

import numpy as np
import pytest
from scipy import integrate

import chainrules
import morula
from chainrules.library.scipy.integrate import backwards
from morula.verbs import quick_pullbacks

TIGHT = {"rtol": 1e-9, "atol": 1e-10}
P = np.array([1.3, 0.8, 0.6])
AT = [0.3, 1.0, 1.7, 2.0]


def prey(t, y, a, b):
    return [a * y[0] - b[0] * y[0] * y[1], b[1] * y[0] * y[1] - y[1]]


def of_arguments(p, method):
    found = integrate.solve_ivp(prey, (0.0, 2.0), [p[2], 0.5], method, AT, args=(p[0], p[:2] * p[1]), **TIGHT)
    assert found.sol is None
    return np.sum(found.y * np.arange(8.0).reshape(2, 4))


def captured_backwards(p, method):
    found = integrate.solve_ivp(lambda t, y: np.sin(p[0] * y) + p[1] * t, (2.0, 0.0), [p[2]], method, **TIGHT)
    return found.y[0, -1] ** 3 + p[0] * found.y[0, 0]


def by_odeint(p, method):
    y = integrate.odeint(lambda y, t, a, b: prey(t, y, a, b), [p[2], 0.5], [0.0, *AT], args=(p[0], p[:2]), **TIGHT)
    return np.sum(y**2)


def complex_states(p, method):
    return (
        integrate.solve_ivp(lambda t, y: (1j * p[0] - p[1]) * y, (0.0, 2.0), [p[2] + 0j], "RK45", **TIGHT).y[0, -1].real
    )


CALLS = [(f, m) for f in (of_arguments, captured_backwards) for m in ("RK23", "DOP853", "Radau", "BDF", "LSODA")]


@pytest.mark.parametrize(("f", "method"), [*CALLS, (by_odeint, ""), (complex_states, "")])
def test_the_continuous_adjoint(f, method, monkeypatch):
    if method == "RK23":
        monkeypatch.setitem(TIGHT, "rtol", 1e-7)
    of_p = lambda p: f(p, method)
    discrete = morula.gradient(of_p, P)[0]
    swept = []
    whole = backwards.swept
    monkeypatch.setattr(backwards, "swept", lambda *given: swept.append(1) or whole(*given))
    with chainrules.ode_adjoint("continuous"):
        continuous = morula.gradient(of_p, P)[0]
        assert morula.jvp(of_p, (P,), (P,))[1] == pytest.approx(discrete @ P, rel=1e-5)
    assert bool(swept) == (f is not complex_states)  # for want of a static adjoint the steps go back
    np.testing.assert_allclose(continuous, discrete, rtol=2e-5)
    want = [(of_p(P + e) - of_p(P - e)) / 2e-4 for e in 1e-4 * np.eye(3)]
    np.testing.assert_allclose(continuous, want, rtol=1e-4)


def test_tolerances():
    """Of the adjoint alone: it is nearer to the derivative of the exact solution with smaller ones."""

    def decayed(k):
        return integrate.solve_ivp(lambda t, y: -k * y, (0.0, 3.0), [2.0], "DOP853", rtol=1e-10, atol=1e-12).y[0, -1]

    errors = []
    for rtol in (1e-3, 1e-6, 1e-9):
        with chainrules.ode_adjoint("continuous", rtol=rtol, atol=1e-14):
            errors.append(abs(morula.gradient(decayed, 0.7)[0] + 6.0 * np.exp(-2.1)))
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 1e-8


@pytest.mark.parametrize("solver", ["solve_ivp", "odeint"])
def test_a_jump_that_moves_is_refused(solver):
    def f(p):
        slope = lambda t, y: [1.0 if t < p[0] else -1.0]
        if solver == "odeint":
            return integrate.odeint(slope, [0.0], [0.0, 2.0], tfirst=True)[-1, 0]
        return integrate.solve_ivp(slope, (0.0, 2.0), [0.0]).y[0, -1]

    with chainrules.ode_adjoint("continuous"), pytest.raises(morula.NotDifferentiable, match="jumps near t = 1"):
        morula.gradient(f, P)


def test_other_kinds():
    with pytest.raises(ValueError, match="not 'adjoint'"), chainrules.ode_adjoint("adjoint"):
        pass


@pytest.mark.parametrize("how", ["odeint", "DOP853", "RK45"])
def test_all_slopes_are_pulled_back_by_static_adjoints(how, monkeypatch):
    """Also those that only the dense output takes."""
    followed = []
    monkeypatch.setattr(quick_pullbacks.ByNumbers, "followed", lambda *args: followed.append(args))
    times = np.linspace(0.0, 2.0, 9)

    def foxes(t, z, a, b):
        return [a * z[0] - b * z[0] * z[1], z[0] * z[1] - z[1]]

    def loss(a, b):
        if how == "odeint":
            return np.sum(integrate.odeint(foxes, [1.0, 0.5], times, args=(a, b), tfirst=True) ** 2)
        found = integrate.solve_ivp(foxes, (0.0, 2.0), [1.0, 0.5], method=how, t_eval=times, args=(a, b), rtol=1e-8)
        return np.sum(found.y**2)

    found = morula.gradient(loss, 1.1, 0.7)
    h = np.eye(2) * 1e-5
    expected = [(loss(1.1 + da, 0.7 + db) - loss(1.1 - da, 0.7 - db)) / 2e-5 for da, db in h]
    np.testing.assert_allclose(found, expected, rtol=2e-5)
    assert not followed
