"""Minima depend on data as the solution of the system of Karush, Kuhn and Tucker does.

With the constraints c that hold as equations at the solution (bounds too) and their multipliers m, a minimum is a
stationary point of ``L(x, m) = f(x) - m . c(x)`` in both. The Jacobian of that system is symmetric.
See Nocedal and Wright, Numerical Optimization, chapter 12.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import optimize  # type: ignore[import-untyped]

from ....tangents import NotImplementedDerivative
from ..implicit import DIRECTLY, Linear, corrected, invertible, jacobian_of, solved

ACTIVE = 1e-6  # how near to its limit a constraint holds as an equation, relative to sizes above 1
Constraint = tuple[Callable[[Any], Any], Any, Any]  # a function, and its lower and upper limits


def number(y: Any) -> Any:
    """The value of an objective: SciPy takes arrays of one item too."""
    return np.sum(y) if np.ndim(y) else y


def or_zero(bar: Any, x: Any) -> Any:
    return np.zeros(np.shape(x)) if bar is None else bar


def minimum(config: Any, value: Callable[[Any], Any], x: Any, constraints: list[Constraint]) -> Any:
    """`x`, at which `value` was found least under the constraints, with its derivatives."""
    equations: Any = None  # those of which the limits are reached
    sure: list[bool] = []  # whether one is an inequality, whose multiplier is not 0
    for c, low, high in constraints:
        lower, upper, unequal = config.plainly(active, c, x, low, high)
        if len(lower) + len(upper):
            equations = extended(equations, c, low, high, lower, upper)
            sure = sure + unequal
    if equations is None:
        slope = lambda z: or_zero(config.gradient(value, z)[0], z)
        hessian = config.plainly(hessian_of, config, value, slope, x, True)
        config.plainly(at_rest, slope, x, hessian)
        return corrected(config, x, slope, hessian)
    n = len(x)
    multipliers = config.plainly(multipliers_of, config, value, equations, x, sure)

    def lagrangian(z: Any) -> Any:
        return value(z[:n]) - np.dot(z[n:], equations(z[:n]))

    slope = lambda z: or_zero(config.gradient(lagrangian, z)[0], z)
    z = config.plainly(np.concatenate, [x, multipliers])
    hessian = config.plainly(hessian_of, config, lagrangian, slope, z, False)
    config.plainly(at_rest, slope, z, hessian)
    return corrected(config, z, slope, hessian)[:n]


def minimum_at_once(config: Any, f: Any, ways: Any, args: Any, others: Any, find: Any, *given: Any) -> Any:
    """A minimum that ``find(f, args, *given)`` finds, with its first derivatives; see `RuleConfig.at_once`.

    `find` gives the minimum, what else the solver found, and the constraints. With the latter of these comes whether
    there are derivatives: there are none where a constraint is reached.
    """
    if not ways.reach(2):
        return None
    x, found, constraints = find(f, args, *given)
    limits = [active(c, x, low, high)[:2] for c, low, high in constraints]
    if np.ndim(x) > 1 or any(map(len, (side for both in limits for side in both))):
        return (x, (found, False)), None
    at = x if np.ndim(x) else float(x)
    rows = [ways.curvature(at, e)[1] for e in (np.eye(len(x)) if np.ndim(x) else [1.0])]
    slopes, *columns = (np.stack(parts) if np.ndim(x) else parts[0] for parts in zip(*rows, strict=True))
    hessian = invertible(slopes)
    at_rest(lambda z: ways.curvature(z, 0.0 * z)[0][0], at, hessian)
    inverse = np.linalg.inv(hessian) if np.ndim(x) else 1 / hessian
    by_each = [-np.tensordot(inverse, column, 1) if np.ndim(x) else -inverse * column for column in columns]
    return (x, (found, True)), by_each


def at_rest(slope: Callable[[Any], Any], x: Any, hessian: Any) -> None:
    """Nothing where the gradient vanishes at `x`, but for what Newton's method would mend.

    Raises:
        NotImplementedDerivative: it does not, as where an objective has a kink.
    """
    r = slope(x)
    largest = np.max(np.abs(r), initial=0.0)
    if isinstance(hessian, Linear):
        if largest <= 1e-4:
            return  # what solvers stop at
        step = solved(hessian, r)
    else:
        step = np.linalg.solve(hessian, r) if np.ndim(hessian) else r / hessian
    if np.max(np.abs(step), initial=0.0) <= 1e-4 * (1e-2 + np.max(np.abs(x), initial=0.0)):
        return
    if not np.max(np.abs(slope(x - step)), initial=0.0) <= 0.5 * largest:
        raise NotImplementedDerivative(
            f"the gradient is {largest:.3g} at the solution and does not go to zero near it: the objective has a kink "
            "there, or the solver stopped elsewhere (see its tolerances). A kink is written as a constraint: the least "
            "t with f(x) <= t for each of the smooth pieces f"
        )


def hessian_of(config: Any, value: Callable[[Any], Any], slope: Callable[[Any], Any], x: Any, convex: bool) -> Any:
    try:
        if np.size(x) > DIRECTLY:
            product = config.hessian_products(value, x)
            return Linear(np.size(x), product, product, convex)
        return jacobian_of(config, slope, x, symmetric=True)
    except NotImplementedDerivative as reason:
        raise NotImplementedDerivative(f"{reason} (of the gradient: it is the Hessian)") from None


def extended(equations: Any, c: Any, low: Any, high: Any, lower: Any, upper: Any) -> Callable[[Any], Any]:
    """Some equations and those of one more constraint."""

    def more(z: Any) -> Any:
        y = np.ravel(c(z))
        below = y[lower] - (np.zeros(y.shape) + low)[lower]
        above = (np.zeros(y.shape) + high)[upper] - y[upper]
        return np.concatenate([below, above] if equations is None else [equations(z), below, above])

    return more


def active(c: Callable[[Any], Any], x: Any, low: Any, high: Any) -> Any:
    """Where a function is at its lower limit, equations among them; where at the upper one; which are inequalities."""
    y = np.ravel(np.asarray(c(x), float))
    low, high = np.zeros(y.shape) + low, np.zeros(y.shape) + high
    near = lambda limit: np.isfinite(limit) & (np.abs(y - limit) <= ACTIVE * (1 + np.abs(np.nan_to_num(limit))))
    lower = near(low)
    upper = near(high) & ~lower
    return np.flatnonzero(lower), np.flatnonzero(upper), [*(low != high)[lower], *[True] * np.sum(upper)]


def multipliers_of(config: Any, value: Any, equations: Any, x: Any, sure: Any) -> Any:
    """The multipliers at a solution, by least squares."""
    slope = or_zero(config.gradient(value, x)[0], x)
    rows = config.jacobian(equations, x)[0]
    rows = np.zeros((len(equations(x)), len(x))) if rows is None else rows
    if np.linalg.matrix_rank(rows) < len(rows):
        raise NotImplementedDerivative(
            "the constraints that hold as equations at the solution have dependent gradients there, so that their "
            "multipliers, and the derivative of the solution, are not defined"
        )
    found = np.linalg.lstsq(rows.T, slope, rcond=None)[0]
    if np.any(np.abs(found[np.array(sure, bool)]) <= 1e-6 * (1e-3 + np.max(np.abs(slope), initial=0.0))):
        raise NotImplementedDerivative(
            "the active set is degenerate: an inequality or bound is reached whose multiplier is 0, and the solution "
            "has two one-sided derivatives"
        )
    return found


def of_bounds(bounds: Any) -> list[Constraint]:
    """Bounds as a constraint: a `Bounds`, or pairs with None for what is not bounded."""
    if bounds is None:
        return []
    if isinstance(bounds, optimize.Bounds):
        return [(lambda z: z, bounds.lb, bounds.ub)]
    low = np.array([-np.inf if pair[0] is None else pair[0] for pair in bounds])
    high = np.array([np.inf if pair[1] is None else pair[1] for pair in bounds])
    return [(lambda z: z, low, high)]


def of_constraints(constraints: Any) -> list[Constraint]:
    """What `minimize` takes as constraints."""
    if isinstance(constraints, dict | optimize.LinearConstraint | optimize.NonlinearConstraint):
        constraints = [constraints]
    return [of_constraint(c) for c in constraints]


def of_constraint(given: Any) -> Constraint:
    if isinstance(given, optimize.LinearConstraint):
        matrix = given.A
        return lambda z: np.asarray(matrix) @ z, given.lb, given.ub
    if isinstance(given, optimize.NonlinearConstraint):
        fun = given.fun
        return lambda z: np.asarray(fun(z)), given.lb, given.ub
    args = given.get("args", ())
    fun = given["fun"]
    return lambda z: np.asarray(fun(z, *args)), 0.0, 0.0 if given["type"].lower() == "eq" else np.inf


def of_number(config: Any, value: Callable[[Any], Any], x: Any, bounds: Any) -> Any:
    """A minimum of a function of one number."""
    slope = lambda z: or_zero(config.gradient(value, z)[0], z)
    at, curvature = config.plainly(two_slopes, config, slope, x)
    if bounds is not None:
        for side in (0, 1):
            if config.plainly(reaches, x, at, curvature, bounds, side):
                return x + (bounds[side] - config.plainly(float, bounds[side]))
    invertible(curvature, "the second derivative at the minimum")
    config.plainly(at_rest, slope, x, curvature)
    return corrected(config, x, slope, curvature)


def two_slopes(config: Any, slope: Callable[[Any], Any], x: Any) -> Any:
    at, curvature = config.jvp(slope, (x,), (1.0,))
    return float(at), 0.0 if curvature is None else float(curvature)


def reaches(x: Any, slope: Any, curvature: Any, bounds: Any, side: int) -> Any:
    """Whether the minimum is at a bound, where the function would go on falling."""
    near = abs(x - bounds[side]) <= 1e-4 * abs(bounds[1] - bounds[0])
    falls = slope * (1 if side == 0 else -1) > 0
    return bool(near and falls and abs(slope) > abs(curvature) * abs(x - bounds[side]))
