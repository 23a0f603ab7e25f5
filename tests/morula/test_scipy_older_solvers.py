"""The older interfaces of SciPy's solvers, and isotonic regression."""

import numpy as np
import pytest
from scipy import optimize
from scipy_checks import check

import morula
from morula import NotDifferentiable


def bowl(x, p):
    return (x[0] - p) ** 2 * (1 + x[1] ** 2) + (x[1] - 2 * p) ** 2


def with_slope(x, p):
    return bowl(x, p), np.array([
        2 * (x[0] - p) * (1 + x[1] ** 2), 2 * x[1] * (x[0] - p) ** 2 + 2 * (x[1] - 2 * p)
    ])  # fmt: skip


slope = lambda x, p: with_slope(x, p)[1]
START = np.array([0.1, 0.2])
BOTH = lambda x: x[0] * x[1] ** 2
MINIMA = {
    "fmin": lambda p: BOTH(optimize.fmin(bowl, START, (p,), xtol=1e-9, ftol=1e-14, disp=0)),
    "fmin, its value": lambda p: (
        lambda found: BOTH(found[0]) + found[1]
    )(optimize.fmin(lambda x, p: bowl(x, p) + p**3, START, (p,), 1e-9, 1e-14, disp=0, full_output=True)),
    "fmin_powell": lambda p: BOTH(optimize.fmin_powell(bowl, START, (p,), xtol=1e-9, ftol=1e-14, disp=0)),
    "fmin_cg": lambda p: BOTH(optimize.fmin_cg(bowl, START, slope, (p,), 1e-9, disp=0)),
    "fmin_bfgs": lambda p: BOTH(optimize.fmin_bfgs(bowl, START, args=(p,), fprime=slope, gtol=1e-9, disp=0)),
    "fmin_ncg": lambda p: BOTH(optimize.fmin_ncg(bowl, START, slope, args=(p,), avextol=1e-10, disp=0)),
    "fmin_l_bfgs_b": lambda p: BOTH(optimize.fmin_l_bfgs_b(with_slope, START, args=(p,), pgtol=1e-9, factr=1.0)[0]),
    "fmin_l_bfgs_b at a bound": lambda p: BOTH(
        optimize.fmin_l_bfgs_b(bowl, START, slope, (p,), bounds=[(None, None), (0, 1.5)], pgtol=1e-9, factr=1.0)[0]
    ),
    "fmin_tnc": lambda p: BOTH(optimize.fmin_tnc(with_slope, START, args=(p,), disp=0, ftol=1e-15, pgtol=1e-9)[0]),
    "fmin_slsqp": lambda p: BOTH(optimize.fmin_slsqp(
        bowl, START, [lambda x, p: x[0] + x[1] - 2.5 * p], bounds=[(-9, 9)] * 2, args=(p,), iprint=0, acc=1e-14
    )),
    "fmin_slsqp, inequality": lambda p: BOTH(optimize.fmin_slsqp(
        bowl, START, f_ieqcons=lambda x, p: np.array([1.2 - x[1], x[0] + 9]), args=(p,), iprint=0, acc=1e-14
    )),
    "fmin_cobyla": lambda p: BOTH(optimize.fmin_cobyla(
        bowl, START, lambda x, p: 2 * p - 0.2 - x[1], (p,), rhoend=1e-10, catol=1e-12, disp=0
    )),
    "leastsq": lambda p: BOTH(optimize.leastsq(
        lambda x, p: np.array([x[0] - p, x[1] - x[0] ** 2, x[1] * p - 1]), START, p, xtol=1e-14, ftol=1e-14
    )[0]),
    "fminbound": lambda p: optimize.fminbound(lambda x: (x - p) ** 2 * (1 + x**2), 0.0, 2.0, xtol=1e-12) ** 2,
    "fminbound, its end": lambda p: optimize.fminbound(lambda x: (x - p) ** 2, 0.0, p / 2, xtol=1e-12) ** 2,
    "brent": lambda p: optimize.brent(lambda x, p: (x - p) ** 2 * (1 + x**2), (p,), tol=1e-12) ** 2,
    "golden": lambda p: optimize.golden(lambda x, p: (x - p) ** 2 * (1 + x**2), (p,), tol=1e-12, full_output=1)[0] ** 2,
}  # fmt: skip
cubic = lambda x, p: x**3 + x - p * np.array([1.0, 2.0])
ROOTS = {
    solver.__name__: lambda p, solver=solver: BOTH(solver(lambda x: cubic(x, p), START, f_tol=1e-11))
    for solver in (optimize.newton_krylov, optimize.broyden1, optimize.broyden2, optimize.anderson)
}


@pytest.mark.parametrize("name", MINIMA | ROOTS)
def test_solutions(name: str) -> None:
    f = (MINIMA | ROOTS)[name]
    assert morula.withgradient(f, 1.1).value == pytest.approx(f(1.1), rel=1e-12)
    check(f, 1.1, h=2e-2, rtol=1e-4)


@pytest.mark.skipif(not hasattr(optimize, "isotonic_regression"), reason="SciPy 1.12")
@pytest.mark.parametrize("increasing", [True, False])
def test_isotonic_regression(increasing: bool) -> None:
    y, w = np.array([1.0, 3.0, 2.0, 2.5, 5.0, 4.0]), np.array([1.0, 2.0, 1.0, 3.0, 1.0, 2.0])
    f = lambda y, w: np.sum(np.cos(np.arange(6)) * optimize.isotonic_regression(y, weights=w, increasing=increasing).x)
    check(f, y, w)


def test_what_is_refused() -> None:
    with pytest.raises(NotDifferentiable, match="retall"):
        morula.gradient(lambda p: optimize.fmin(bowl, START, (p,), disp=0, retall=1)[0][0], 1.1)
    with pytest.raises(NotDifferentiable, match="did not converge"):
        morula.gradient(lambda p: optimize.fmin(bowl, START, (p,), disp=0, maxiter=3)[0], 1.1)
    with pytest.raises(NotDifferentiable, match="curve_fit"):
        morula.gradient(lambda p: optimize.leastsq(cubic, START, (p,), full_output=True)[0][0], 1.1)
