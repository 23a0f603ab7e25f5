"""Solvers of differential equations with complex states, beside the same problems in real and imaginary parts."""

import numpy as np
import pytest
from scipy import integrate

import morula

P = np.array([0.8, 1.1, 0.3])
Z = np.array([[1.0, 0.0], [0.0, -1.0]])
X = np.array([[0.0, 1.0], [1.0, 0.0]])
TIGHT = {"rtol": 1e-9, "atol": 1e-11}


def differences(f, x, h=1e-3):
    along = [h * e for e in np.eye(len(x))]
    return np.array([(8 * (f(x + e) - f(x - e)) - (f(x + 2 * e) - f(x - 2 * e))) / (12 * h) for e in along])


def driven(p, method="RK45", until=3.0, **options):
    """A driven quantum bit."""
    found = integrate.solve_ivp(
        lambda t, y: -1j * ((p[1] / 2 * Z + p[0] * np.cos(3 * t) * X) @ y),
        (0.0, until), np.array([1.0, 1j * p[2]]), method=method, **TIGHT, **options,
    )  # fmt: skip
    return np.sum(np.abs(found.y[1]) ** 2 if options else np.abs(found.y[1, -1]) ** 2) + 0.3 * found.y[0, -1].imag


def laser(t, y, a, b):
    """Not holomorphic in the state."""
    return [(a + 1j * b) * y[0] - y[0] * abs(y[0]) ** 2]


def dense(p):
    found = integrate.solve_ivp(laser, (0.0, 2.0), [1.0 + p[2] * 1j], args=(p[0], p[1]), dense_output=True, **TIGHT)
    return abs(found.sol(1.234)[0] - 2j) ** 2 + np.sum(found.sol(np.array([0.3, p[0]])).imag ** 2)


def reached(p):
    crosses = lambda t, y, a, b: y[0].real - 0.2
    crosses.terminal = True
    found = integrate.solve_ivp(laser, (0.0, 4.0), [1.0 + p[2] * 1j], args=(p[0], p[1]), events=crosses, **TIGHT)
    return found.t_events[0][0] + found.y_events[0][0, 0].imag * 2 + found.y[0, -1].imag


def columns(p):
    slope = lambda t, y: (p[0] + 1j * p[1]) * y
    return np.abs(integrate.solve_ivp(slope, (0.0, p[2]), [1 + 0j, 2j], vectorized=True, **TIGHT).y[:, -1] + 1).sum()


def by_hand(p, made):
    solver = made(lambda t, y: laser(t, y, p[0], p[1])).set_initial_value([1.0 + 1j * p[2]], 0.0)
    total = 0.0
    for _ in range(2):
        total = total + abs(solver.integrate(solver.t + 0.5)[0] - 1) ** 2
    return total + solver.y[0].imag


def zvode(p, method="adams"):
    return by_hand(p, lambda f: integrate.ode(f).set_integrator("zvode", method=method, **TIGHT))


def complex_ode(p, name="dopri5"):
    return by_hand(p, lambda f: integrate.complex_ode(f).set_integrator(name, **TIGHT))


def ends(p):
    found = integrate.solve_bvp(
        lambda x, y: np.vstack([y[1], (1.1 - p[0] - 1j * (p[1] - 0.2)) * y[0]]),
        lambda a, b: np.array([a[0] - 0.7 - p[2], b[0] - 0.4j]),
        np.linspace(0, 1, 11), np.zeros((2, 11), complex), tol=1e-8,
    )  # fmt: skip
    return abs(found.y[0, 5]) ** 2 + found.sol(0.3)[1].imag + abs(found.yp[1, 0])


PROGRAMS = {
    **{name: lambda p, name=name: driven(p, name, 0.3) for name in ("RK23", "BDF")},
    **{name: lambda p, name=name: driven(p, name) for name in ("RK45", "DOP853")},
    "t_eval": lambda p: driven(p, t_eval=np.linspace(0, 3, 7)),
    **{f.__name__: f for f in (dense, reached, columns, zvode, complex_ode, ends)},
    "zvode, bdf": lambda p: zvode(p, "bdf"), "complex_ode, vode": lambda p: complex_ode(p, "vode"),
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_gradients(name):
    f = PROGRAMS[name]
    found = morula.withgradient(f, P)
    assert found.value == pytest.approx(f(P), rel=1e-12)
    want = differences(f, P)
    np.testing.assert_allclose(found.gradient[0], want, rtol=2e-5, atol=1e-6)
    v = np.array([0.3, -0.7, 1.1])
    assert morula.jvp(f, (P,), (v,))[1] == pytest.approx(want @ v, rel=2e-5, abs=1e-6)


def test_a_hessian():
    f = lambda p: driven(p, "DOP853", 0.5)
    want = differences(lambda p: morula.gradient(f, p)[0], P)
    np.testing.assert_allclose(morula.hessian(f, P), want, rtol=1e-5, atol=1e-6)


def test_complex_arguments():
    """Their cotangents are those of the real and imaginary parts, put together."""

    def f(c, y0):
        slope = lambda t, y, c: c * y - 0.1 * np.conj(y) ** 2
        y = integrate.solve_ivp(slope, (0.0, 1.5), y0, args=(c,), **TIGHT).y
        return np.abs(y[0, -1] - 1j) ** 2 + y[1, -1].imag

    y0 = np.array([1 + 0.4j, 0.3 - 0.2j])
    c_bar, y0_bar = morula.gradient(f, -0.3 + 0.9j, y0)
    q = np.array([-0.3, 0.9, 0.4])
    want = differences(lambda q: f(complex(q[0], q[1]), np.array([complex(1, q[2]), y0[1]])), q)
    np.testing.assert_allclose([c_bar.real, c_bar.imag, y0_bar[0].imag], want, rtol=1e-6)


def test_a_jump_that_moves_is_refused():
    def f(p):
        slope = lambda t, y: (1j * p[0] if t < p[1] else -1j * p[0]) * y
        return integrate.solve_ivp(slope, (0.0, 2.0), [1.0 + 0j], **TIGHT).y[0, -1].real

    with pytest.raises(morula.NotDifferentiable, match=r"jumps near t = 1\.1"):
        morula.gradient(f, P)
