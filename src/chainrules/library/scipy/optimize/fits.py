"""Fits: `scipy.optimize.least_squares` and `curve_fit`.

The exact Hessian of the cost, not that of Gauss and Newton: where residuals are not 0 at the solution, the derivative
of the parameters needs the curvature of the model too.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import optimize  # type: ignore[import-untyped]

from ....programs import program
from ....tangents import NotImplementedDerivative
from ...numpy.shared import given
from ..callbacks import found_by, tell
from ..implicit import invertible
from ..solutions import converged, least, tuple_of, with_values
from .minima import on_copies
from .stationary import active, at_rest, minimum, minimum_at_once

LOSSES = {
    "linear": lambda z: z,
    "soft_l1": lambda z: 2 * ((1 + z) ** 0.5 - 1),
    "huber": lambda z: np.where(z <= 1, z, 2 * np.where(z <= 1, 1.0, z) ** 0.5 - 1),
    "cauchy": lambda z: np.log1p(z),
    "arctan": lambda z: np.arctan(z),
}


def limits_of(bounds: Any) -> Any:
    """Bounds of the parameters as a constraint."""
    if isinstance(bounds, optimize.Bounds):
        return [(lambda z: z, bounds.lb, bounds.ub)]
    return [(lambda z: z, np.asarray(bounds[0], float), np.asarray(bounds[1], float))]


FEW = 300  # residuals, each of which is pulled back by itself


def fit_at_once(config: Any, f: Any, ways: Any, args: Any, others: Any, found: Any, bounds: Any) -> Any:
    """The least sum of squares of residuals r, with its first derivatives; see `RuleConfig.at_once`.

    With the Jacobian J by the parameters and that by anything else, J', the derivatives of the gradient are

        J^T J + sum r_i d^2 r_i / dx dx   and   J^T J' + sum r_i d^2 r_i / dx dp.
    """
    x, r = found.x, found.fun
    limits = [active(c, x, low, high)[:2] for c, low, high in limits_of(bounds)]
    if x.ndim != 1 or not 0 < len(r) <= FEW or any(map(len, (side for both in limits for side in both))):
        return None
    ways = ways.of_many(len(r))
    if not ways.reach(1) or not ways.reach(2):
        return None
    by_x, *by_others = (rows_of(bars) for bars in zip(*[ways.pullback(x, e) for e in np.eye(len(r))], strict=True))
    curved = zip(*[ways.curvature(x, e, r)[1] for e in np.eye(len(x))], strict=True)
    by_x_twice, *mixed = (rows_of(bars) for bars in curved)
    hessian = invertible(by_x.T @ by_x + by_x_twice)
    at_rest(lambda z: ways.pullback(z, np.asarray(f(z, *args), float))[0], x, hessian)
    moved = [np.tensordot(by_x, bars, (0, 0)) + more for bars, more in zip(by_others, mixed, strict=True)]
    inverse = np.linalg.inv(hessian)
    return (x, (None, None)), [-np.tensordot(inverse, bars, 1) for bars in moved]


def rows_of(bars: Any) -> Any:
    """Cotangents of one shape, some of which may be a zero that is a number, along a new first axis."""
    return np.stack(np.broadcast_arrays(*bars))


@program(optimize.least_squares)
def least_squares_program(
    config: Any, fun: Any, x0: Any, jac: Any = "2-point", bounds: Any = (-np.inf, np.inf), method: Any = "trf",
    ftol: Any = 1e-8, xtol: Any = 1e-8, gtol: Any = 1e-8, x_scale: Any = None, loss: Any = "linear",
    f_scale: Any = 1.0, *options: Any, args: Any = (), kwargs: Any = None, **named: Any,
) -> Any:  # fmt: skip
    if options:
        raise NotImplementedDerivative("options after f_scale have to be given by name")
    if loss not in LOSSES:
        raise NotImplementedDerivative("a loss that is a function is not implemented: write the residuals with it")
    args = tuple_of(args)
    kwargs = kwargs or {}
    found, calls = found_by(
        config, on_copies, optimize.least_squares, fun, x0, jac, bounds, method, ftol, xtol, gtol, loss=loss,
        f_scale=f_scale, args=args, kwargs=kwargs, **given(x_scale=x_scale), **named,
    )  # fmt: skip
    converged(found.status > 0, found.message)
    rho = LOSSES[loss]
    residuals = lambda z: np.atleast_1d(fun(z, *args, **kwargs))
    cost = lambda z: 0.5 * f_scale**2 * np.sum(rho((residuals(z) / f_scale) ** 2))
    quick = None
    if loss == "linear" and not kwargs:
        quick = config.at_once(fit_at_once, fun, np.asarray(x0, float), args, (), found, bounds)
    x = quick[0] if quick is not None else minimum(config, cost, found.x, limits_of(bounds))
    tell(named.get("callback"), calls, x)
    return with_values(found, x=x, cost=least(config, found.cost, cost, x), fun=least(config, found.fun, residuals, x))


def as_found(f: Any, args: Any, found: Any, bounds: Any) -> Any:
    """The parameters that `curve_fit` found, and their limits."""
    return found[0], None, limits_of(bounds)


@program(optimize.curve_fit)
def curve_fit_program(
    config: Any, f: Any, xdata: Any, ydata: Any, p0: Any = None, sigma: Any = None, absolute_sigma: Any = False,
    check_finite: Any = None, bounds: Any = (-np.inf, np.inf), method: Any = None, jac: Any = None, *,
    full_output: Any = False, nan_policy: Any = None, **named: Any,
) -> Any:  # fmt: skip
    if nan_policy == "omit":
        raise NotImplementedDerivative("nan_policy='omit' is not implemented: remove these points first")
    found = config.plainly(
        optimize.curve_fit, f, xdata, ydata, p0, sigma, absolute_sigma, check_finite, bounds, method, jac,
        full_output=full_output, nan_policy=nan_policy, **named,
    )  # fmt: skip
    if isinstance(xdata, list | tuple):
        xdata = np.asarray(xdata, float)
    ydata = np.asarray(ydata, float)
    sigma = None if sigma is None else np.asarray(sigma)

    def residuals(p: Any) -> Any:
        r = np.ravel(f(xdata, *p) - ydata)
        if sigma is None:
            return r
        return r / sigma if np.ndim(sigma) < 2 else np.linalg.solve(np.linalg.cholesky(sigma), r)

    cost = lambda p: 0.5 * np.sum(residuals(p) ** 2)
    quick = None
    if type(xdata) is np.ndarray and (sigma is None or np.ndim(sigma) < 2):
        weights = 1.0 if sigma is None else 1.0 / sigma
        weighted = lambda p, x, y, w: 0.5 * np.sum(((f(x, *p) - y) * w) ** 2)
        quick = config.at_once(
            minimum_at_once, weighted, found[0], (xdata, ydata, weights), (), as_found, found, bounds
        )
    if quick is not None and quick[1][1]:
        p = quick[0]
    else:
        p = minimum(config, cost, found[0], limits_of(bounds))

    def covariance(p: Any) -> Any:
        columns = [config.jvp(residuals, (p,), (e,))[1] for e in np.eye(len(p))]
        a = np.stack(columns, axis=1)
        inverse = np.linalg.inv(a.T @ a)
        return inverse if absolute_sigma else inverse * (2 * cost(p) / (len(a) - len(p)))

    if not config.plainly(np.all, np.isfinite(found[1])):
        return (p, *found[1:])
    return (p, least(config, found[1], covariance, p), *found[2:])
