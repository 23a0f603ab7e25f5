"""Solvers inside solvers and loops, at loose and tight tolerances: the derivative is that of the solution."""

import math

import numpy as np
import pytest
from scipy import integrate, optimize
from scipy.sparse.linalg import LinearOperator, cg
from scipy_checks import check

import morula

A = np.array([[4.0, 1.0, 0.2], [1.0, 3.0, 0.5], [0.2, 0.5, 2.0]])
ONES = np.ones(3)


def decay(t, y, k):
    return np.array([-k * y[0] + 0.1 * y[1] ** 2, k * y[0] - 0.3 * y[1]])


def end_of(k, **options):
    return integrate.solve_ivp(decay, (0.0, 1.0), [1.0, 0.2], args=(k,), **options).y[:, -1]


NESTED = {
    "minimize of an integrated equation": lambda p: optimize.minimize_scalar(
        lambda k: np.sum((end_of(k, rtol=1e-6, atol=1e-8) - p * np.array([0.5, 0.6])) ** 2), tol=1e-11
    ).x,
    "least_squares of an integrated equation": lambda p: optimize.least_squares(
        lambda k: end_of(k[0], rtol=1e-6, atol=1e-8) - p * np.array([0.5, 0.6]), [1.0], xtol=1e-14, ftol=1e-14
    ).x[0],
    "quad inside root": lambda p: optimize.brentq(
        lambda b: integrate.quad(lambda x: math.exp(-p * x * x), 0.0, b)[0] - 0.4, 0.0, 3.0, xtol=1e-14
    ),
    "root inside quad": lambda p: integrate.quad(
        lambda x: optimize.brentq(lambda z: z**3 + p * z - x, 0.0, 2.0, xtol=1e-14), 0.0, p
    )[0],
    "root inside an equation": lambda p: integrate.solve_ivp(
        lambda t, y: [-optimize.newton(lambda z: z + p * z**3 - y[0], 0.5, tol=1e-13)], (0, 1), [p],
        rtol=1e-9, atol=1e-9,
    ).y[0, -1],
    "root of a minimum": lambda p: optimize.root_scalar(
        lambda a: optimize.minimize_scalar(lambda x: (x - a) ** 2 + p * x**4, tol=1e-12).x - 0.3, x0=0.3, x1=0.5
    ).root,
    "root of a boundary value problem": lambda p: optimize.brentq(
        lambda a: integrate.solve_bvp(
            lambda x, y: np.vstack([y[1], -a * y[0]]), lambda left, right: np.array([left[0], right[0] - 1.0]),
            np.linspace(0, 1, 5), np.ones((2, 5)), tol=1e-3,
        ).y[1, 0] - p, 0.1, 3.0, xtol=1e-14,
    ),
    "fixed point in a loop": lambda p: in_a_loop(
        lambda x: optimize.fixed_point(lambda z: np.cos(z) * x * p, 0.5, xtol=1e-13)
    ),
    "newton in a loop": lambda p: in_a_loop(lambda x: optimize.newton(lambda z: z**3 + z - x * p, 0.5, tol=1e-13)),
    "quad in a loop": lambda p: in_a_loop(lambda x: integrate.quad(lambda z: z * math.exp(-x * z * p), 0.0, 1.0)[0]),
    "solve_ivp in a loop": lambda p: in_a_loop(lambda x: end_of(x * p, rtol=1e-8, atol=1e-10)[0]),
    "minimize in a loop": lambda p: in_a_loop(
        lambda x: optimize.minimize(lambda z: np.sum((z - x) ** 2 + p * z**4), np.zeros(2), tol=1e-10).x.sum() / 2
    ),
    "cg in a loop": lambda p: in_a_loop(lambda x: cg(A + x * np.eye(3), p * ONES, rtol=1e-13)[0].sum()),
    "cg with products by a root": lambda p: cg(
        LinearOperator((3, 3), lambda v: A @ v + v * optimize.brentq(lambda z: z**3 - p, 0.0, 2.0, xtol=1e-14)),
        ONES, rtol=1e-13,
    )[0].sum(),
}  # fmt: skip


def in_a_loop(step):
    x = 0.7
    for _ in range(3):
        x = step(x) + 0.1
    return x


@pytest.mark.parametrize("name", NESTED)
def test_solvers_in_solvers_and_loops(name: str) -> None:
    check(NESTED[name], 1.1, h=1e-2, rtol=2e-4 if "integrated" in name else 2e-5)


def cubic(z, p):
    return z**3 + z - p


SLOPE = 1 / (3 * 0.6823278038280193**2 + 1)  # of the root of ``z**3 + z - 1``
CURVATURE = -6 * 0.6823278038280193 * SLOPE**3
ROOTS = {
    "newton": lambda p, tol: optimize.newton(cubic, 0.5, args=(p,), tol=tol),
    "brentq": lambda p, tol: optimize.brentq(cubic, 0.0, 2.0, args=(p,), xtol=tol),
    "bisect": lambda p, tol: optimize.bisect(cubic, 0.0, 2.0, args=(p,), xtol=tol),
    "fixed_point": lambda p, tol: optimize.fixed_point(lambda z: p / (1 + z**2), 0.7, xtol=tol),
    "fsolve": lambda p, tol: optimize.fsolve(cubic, 0.5, args=(p,), xtol=tol)[0],
    "root": lambda p, tol: optimize.root(cubic, 0.5, args=(p,), tol=tol).x[0],
    "krylov": lambda p, tol: optimize.root(cubic, [0.5], args=(p,), method="krylov", options={"fatol": tol}).x[0],
    "minimize": lambda p, tol: optimize.minimize(lambda z: np.sum(z**4 / 4 + z**2 / 2 - p * z), [0.5], tol=tol).x[0],
    "minimize_scalar": lambda p, tol: optimize.minimize_scalar(lambda z: z**4 / 4 + z**2 / 2 - p * z, tol=tol).x,
    "least_squares": lambda p, tol: optimize.least_squares(cubic, 0.5, args=(p,), xtol=tol, ftol=tol, gtol=tol).x[0],
}  # fmt: skip


@pytest.mark.parametrize("tol", [1e-2, 1e-5, 1e-11])
@pytest.mark.parametrize("name", ROOTS)
def test_the_derivative_is_as_near_as_the_solution(name: str, tol: float) -> None:
    """At the root that was found, whatever the iterations were: the formula holds there as far as the root is one."""
    f = lambda p: ROOTS[name](p, tol)
    z = float(f(1.0))
    near = 30 * abs(z - 0.6823278038280193) + 1e-7
    for slope in (morula.gradient(f, 1.0)[0], morula.jvp(f, (1.0,), (1.0,))[1]):
        assert slope == pytest.approx(SLOPE, abs=near)
    assert morula.hvp(f, 1.0, 1.0) == pytest.approx(CURVATURE, abs=3 * near)


@pytest.mark.parametrize("rtol", [1e-2, 1e-4, 1e-7])
@pytest.mark.parametrize("method", ["RK23", "RK45", "DOP853", "Radau", "BDF", "LSODA"])
def test_the_derivative_of_an_integrated_equation_is_as_near_as_the_solution(method: str, rtol: float) -> None:
    f = lambda k: integrate.solve_ivp(lambda t, y: -k * y, (0, 1), [1.0], method=method, rtol=rtol, atol=rtol).y[0, -1]
    near = 30 * abs(f(1.3) - math.exp(-1.3)) + 1e-6
    assert morula.gradient(f, 1.3)[0] == pytest.approx(-math.exp(-1.3), abs=near)
    assert morula.jvp(f, (1.3,), (1.0,))[1] == pytest.approx(-math.exp(-1.3), abs=near)
    if rtol > 1e-7:
        assert morula.hvp(f, 1.3, 1.0) == pytest.approx(math.exp(-1.3), abs=3 * near)
