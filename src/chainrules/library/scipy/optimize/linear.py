"""Linear programs and linear least squares within bounds, by the constraints that are active at the solution.

A vertex of a linear program is where as many independent constraints hold as equations as there are variables: it
solves that linear system, and the multipliers solve the transposed one. Where it is degenerate, the solution has no
derivative; the optimal value still has one, by the multipliers, if these are unique.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import optimize  # type: ignore[import-untyped]

from ....declarations import non_differentiable
from ....programs import program
from ....rules import rrule
from ....tangents import NotImplementedDerivative, NotImplementedTangent
from ..implicit import corrected, invertible
from ..naming import refuse
from ..solutions import converged, moved_as, with_values
from .stationary import ACTIVE

DEGENERATE = (
    "the solution of the linear program is degenerate or not unique, so that it has no derivative; its value may have "
    "one"
)


def rows_of(a: Any, b: Any, n: int) -> tuple[Any, Any]:
    if a is None:
        return np.zeros((0, n)), np.zeros(0)
    if hasattr(a, "toarray"):
        a = a.toarray()
    return np.atleast_2d(np.asarray(a, float)), np.ravel(np.asarray(b, float))


def limits_of(bounds: Any, n: int) -> tuple[list[Any], list[Any]]:
    """Lower and upper bounds of each variable; None, or an infinity, for none."""
    if bounds is None:
        bounds = [(0.0, None)] * n
    elif len(bounds) == 2 and np.ndim(bounds[0]) == 0:
        bounds = [bounds] * n
    elif len(bounds) == 1 and n > 1:
        bounds = [bounds[0]] * n
    return [pair[0] for pair in bounds], [pair[1] for pair in bounds]


def held(x: Any, limits: list[Any]) -> list[int]:
    """The variables that are at their limits."""
    return [i for i, v in enumerate(limits) if v is not None and abs(x[i] - v) <= 1e-9 * (1.0 + abs(v))]


def undefined(x: Any, source: Any) -> Any:
    """`x`, which has no derivative with respect to `source`, on which it depends."""
    return x * 1.0


@rrule(undefined)
def undefined_rule(x: Any, source: Any) -> Any:
    return undefined(x, source), lambda x_bar: (None, NotImplementedTangent(DEGENERATE))


@program(optimize.linprog)
def linprog_program(
    config: Any, c: Any, A_ub: Any = None, b_ub: Any = None, A_eq: Any = None, b_eq: Any = None,
    bounds: Any = (0, None), method: Any = "highs", callback: Any = None, options: Any = None, x0: Any = None,
    integrality: Any = None,
) -> Any:  # fmt: skip
    found = config.plainly(
        optimize.linprog, c, A_ub, b_ub, A_eq, b_eq, bounds, method, callback, options, x0, integrality
    )
    if integrality is not None and config.plainly(np.any, integrality):
        raise NotImplementedDerivative("integer variables are not implemented: the solution jumps")
    converged(found.success, found.message)
    if "ineqlin" not in found:
        raise NotImplementedDerivative(f"method={method!r} gives no multipliers; use one of the HiGHS methods")
    c = np.ravel(np.asarray(c, float))
    n = len(c)
    ub, b_ub = rows_of(A_ub, b_ub, n)
    eq, b_eq = rows_of(A_eq, b_eq, n)
    lower, upper = limits_of(bounds, n)
    active, low, high, vertex = config.plainly(active_set, found, ub, b_ub, eq, b_eq, lower, upper)
    eye = np.eye(n)
    a = np.concatenate([eq, ub[active], eye[low], eye[high]])
    b = np.concatenate([b_eq, b_ub[active], np.array([lower[i] for i in low]), np.array([upper[i] for i in high])])
    if not vertex:
        return at_degenerate(config, found, c, a, b, active, low, high)
    x = np.linalg.solve(a, b)
    x = moved_as(config, found.x, x)
    slack, con = b_ub - ub @ x, b_eq - eq @ x
    m = np.linalg.solve(a.T, c)
    ends = np.cumsum([len(b_eq), len(active), len(low)])
    values = {"x": x, "fun": type(found.fun)(c @ x), "slack": slack, "con": con}
    parts = {
        "eqlin": (con, m[: ends[0]]),
        "ineqlin": (slack, spread(m[ends[0] : ends[1]], active, len(b_ub))),
        "lower": (above(x, lower, -np.inf), spread(m[ends[1] : ends[2]], low, n)),
        "upper": (-above(x, upper, np.inf), spread(m[ends[2] :], high, n)),
    }
    for name, (residual, marginals) in parts.items():
        values[name] = with_values(found[name], residual=residual, marginals=marginals)
    return with_values(found, **values)


def above(x: Any, limits: list[Any], far: float) -> Any:
    """How far a solution is from its limits; `far` stands for none."""
    return x - np.array([far if v is None else v for v in limits])


def spread(m: Any, places: Any, n: int) -> Any:
    out = np.zeros(n)
    out[places] = m
    return out


def active_set(found: Any, ub: Any, b_ub: Any, eq: Any, b_eq: Any, lower: Any, upper: Any) -> Any:
    """The inequalities and bounds that hold as equations, and whether these make a vertex that is stable."""
    x = found.x
    active = np.flatnonzero(b_ub - ub @ x <= 1e-9 * (1.0 + np.abs(b_ub)))
    low, high = held(x, lower), held(x, upper)
    n = len(x)
    a = np.concatenate([eq, ub[active], np.eye(n)[low], np.eye(n)[high]])
    vertex = len(a) == n and bool(np.linalg.cond(a) < 1e12)
    if vertex:
        m = np.concatenate([found.ineqlin.marginals[active], found.lower.marginals[low], found.upper.marginals[high]])
        vertex = not np.any(np.abs(m) <= 1e-10 * np.max(np.abs(m), initial=1.0))  # else there are other solutions
    return active, low, high, vertex


def at_degenerate(config: Any, found: Any, c: Any, a: Any, b: Any, active: Any, low: Any, high: Any) -> Any:
    """The value to first order: ``x dc + m (db - dA x)``, with a solution that is unique, and multipliers that are."""
    if config.orders() > 1:
        raise NotImplementedDerivative(DEGENERATE)
    m = np.concatenate([found.eqlin.marginals, found.ineqlin.marginals[active], found.lower.marginals[low],
                        found.upper.marginals[high]])  # fmt: skip
    x = found.x
    plain = config.plainly(np.asarray, a)
    x_unique = np.linalg.matrix_rank(plain[np.abs(m) > 1e-10 * np.max(np.abs(m), initial=1.0)]) == len(x)
    m_unique = np.linalg.matrix_rank(plain) == len(plain)
    of_c, of_b, of_a = np.sum(c), np.sum(b), np.sum(a)
    value = c @ x - config.plainly(np.dot, c, x) if x_unique else undefined(0.0, of_c)
    value = value + (m @ b - config.plainly(np.dot, m, b) if m_unique else undefined(0.0, of_b))
    value = value - (m @ (a - plain) @ x if x_unique and m_unique else undefined(0.0, of_a))
    source = of_a + of_b + of_c
    named = {name: undefined(found[name], source) for name in ("x", "slack", "con")}
    for name in ("eqlin", "ineqlin", "lower", "upper"):
        part = found[name]
        values = {kind: undefined(part[kind], source) for kind in ("residual", "marginals")}
        named[name] = with_values(part, **values)
    return with_values(found, fun=found.fun + value, **named)


def within(config: Any, x: Any, a: Any, b: Any, lower: Any, upper: Any) -> Any:
    """The least squares solution ``x`` within bounds: those that are reached hold, the rest is free."""
    low, high = config.plainly(reached, x, a, b, lower, upper)
    free = config.plainly(np.flatnonzero, ~(low | high))
    fixed = np.where(low, np.where(low, lower, 0.0), np.where(high, upper, 0.0))
    fixed = np.where(low | high, fixed, 0.0)
    columns = a[:, free]
    rest = b - a @ fixed
    normal = config.plainly(lambda m: invertible(m.T @ m, "the matrix of the free variables"), columns)
    inner = corrected(config, x[free], lambda z: columns.T @ (columns @ z - rest), normal)
    full = np.zeros(len(x))
    full[free] = inner
    return full + fixed


def reached(x: Any, a: Any, b: Any, lower: Any, upper: Any) -> Any:
    slope = a.T @ (a @ x - b)
    near = lambda x, limit, far: np.isfinite(limit) & (np.abs(x - limit) <= far * (1.0 + np.abs(np.nan_to_num(limit))))
    low, high = near(x, lower, ACTIVE), near(x, upper, ACTIVE)
    free = ~(low | high)
    exact = np.linalg.lstsq(a[:, free], b - a[:, ~free] @ x[~free], rcond=None)[0]
    touching = near(exact, lower[free], 1e-9) | near(exact, upper[free], 1e-9)
    flat = np.abs(slope[low | high]) <= ACTIVE * (1e-300 + np.max(np.abs(a.T @ b), initial=0.0))
    if np.any(touching) or np.any(flat):
        raise NotImplementedDerivative(
            "the active set is degenerate: a bound is reached whose multiplier is 0, and the solution has two "
            "one-sided derivatives"
        )
    return low, high & ~low


@program(optimize.nnls)
def nnls_program(config: Any, A: Any, b: Any, *options: Any, **named: Any) -> Any:
    x, _ = config.plainly(optimize.nnls, A, b, *options, **named)
    a, b = np.asarray(A, float), np.ravel(np.asarray(b, float))
    x = within(config, x, a, b, np.zeros(len(x)), np.full(len(x), np.inf))
    return x, np.linalg.norm(a @ x - b)


@program(optimize.lsq_linear)
def lsq_linear_program(
    config: Any, A: Any, b: Any, bounds: Any = (-np.inf, np.inf), *options: Any, **named: Any
) -> Any:
    found = config.plainly(optimize.lsq_linear, A, b, bounds, *options, **named)
    if hasattr(A, "toarray") or hasattr(A, "matvec"):
        raise NotImplementedDerivative("sparse matrices and operators are not implemented; give an array")
    converged(found.success, found.message)
    a, b = np.asarray(A, float), np.ravel(np.asarray(b, float))
    lower, upper = (bounds.lb, bounds.ub) if isinstance(bounds, optimize.Bounds) else bounds
    lower, upper = (np.asarray(v, float) + np.zeros(a.shape[1]) for v in (lower, upper))
    x = within(config, config.plainly(settled, found.x, found.active_mask, lower, upper), a, b, lower, upper)
    x = moved_as(config, found.x, x)
    residual = a @ x - b
    return with_values(found, x=x, fun=residual, cost=0.5 * (residual @ residual))


def settled(x: Any, mask: Any, lower: Any, upper: Any) -> Any:
    """A solution of an interior method, on the bounds that it comes near to."""
    return np.where(mask < 0, lower, np.where(mask > 0, upper, x))


non_differentiable(optimize.linear_sum_assignment)
refuse("has integer variables: the solution jumps; fix them, and solve the linear program that is left", optimize.milp)
refuse(
    "finds a permutation, which is constant where it is: write its cost with the indices that it returns",
    optimize.quadratic_assignment,
)
