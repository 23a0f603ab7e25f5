"""The solution of an initial value problem as one function, with the continuous adjoint.

With the cotangents of the solution at the wanted times added at these, the adjoint and the cotangents of the arguments
solve, from the end to the start,

    dl/dt = -(df/dy)^T l,   dp_bar/dt = -(df/dp)^T l.

The states are those of the solver's dense output. See Cao, Li, Petzold and Serban, Adjoint sensitivity analysis for
differential-algebraic equations, SIAM J. Sci. Comput. 24 (2003).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import integrate  # type: ignore[import-untyped]

from ....declarations import constant_instances
from ....rules import rrule
from ....tangents import NoTangent
from ..solutions import converged

EXPLICIT = (integrate.RK23, integrate.RK45, integrate.DOP853)

__all__ = ["EXPLICIT", "Backwards", "solution_of_equation"]


class Backwards:
    """A solution, and what its adjoint takes.

    Attributes:
        method: a class of solvers.
        options: of the solver of the adjoint: its tolerances.
        sol: the solution as a function of time.
        span: the first and the last point of time.
        at, values: where the solution is wanted; the solution there, one state in each column.
        start: gives ``pullback(t, y, k_bar)``: the cotangents of ``y`` and the arguments from that of
            ``f(t, y, *args)``; without `t_first`, ``pullback(y, t, k_bar)``.
    """

    def __init__(
        self, method: Any, options: Any, sol: Any, span: Any, at: Any, values: Any, start: Any, t_first: bool = True
    ):  # fmt: skip
        self.method, self.options = method, options
        self.sol, self.span, self.at, self.values = sol, [float(t) for t in span], at, values
        self.start, self.t_first = start, t_first


constant_instances(Backwards)


def solution_of_equation(solved: Backwards, y0: Any, *args: Any) -> Any:
    """The states at the wanted times, one in each column."""
    return solved.values.copy()


@rrule(solution_of_equation)
def solution_of_equation_rule(solved: Backwards, y0: Any, *args: Any) -> Any:
    """The adjoint equation, from each wanted time to the one before."""

    def solution_pullback(values_bar: Any) -> Any:
        y_bar, args_bar = swept(solved, values_bar, [np.shape(x) for x in args])
        return NoTangent(), y_bar, *args_bar

    return solution_of_equation(solved, y0, *args), solution_pullback


def swept(solved: Backwards, values_bar: Any, shapes: list[Any]) -> tuple[Any, list[Any]]:
    """The cotangents of the initial state and of arguments of these shapes, from those at the wanted times."""
    pullback, n = solved.start(), len(values_bar)
    first, last = solved.span
    shapes = [(n,), *shapes]
    sizes = [int(np.prod(shape)) for shape in shapes]

    def slope(t: float, z: Any) -> Any:
        y = np.array(solved.sol(t), float)
        bars = pullback(*((float(t), y) if solved.t_first else (y, float(t))), z[:n].copy())
        return -np.concatenate([np.ravel(np.broadcast_to(bar, k)) for bar, k in zip(bars, shapes, strict=True)])

    def jacobian(t: float, z: Any) -> Any:
        """Of the slope, which is linear in the adjoint, and does not depend on the rest."""
        found = np.zeros((len(z), len(z)))
        found[:, :n] = np.array([slope(t, e) for e in np.eye(n)]).T
        return found

    method, options = solved.method, solved.options
    if not issubclass(method, EXPLICIT):
        method, options = integrate.LSODA, {**options, "jac": jacobian}  # BDF fails on steps between jumps
    z, t = np.zeros(sum(sizes)), last
    for i in np.argsort(np.asarray(solved.at) * np.sign(first - last), kind="stable").tolist():
        if values_bar[:, i].any():
            z, t = carried(method, options, slope, t, float(solved.at[i]), z), float(solved.at[i])
            z[:n] += values_bar[:, i]
    z = carried(method, options, slope, t, first, z)
    ends = np.cumsum(sizes)[:-1]
    y_bar, *args_bar = [part.reshape(k) for part, k in zip(np.split(z, ends), shapes, strict=True)]
    return y_bar, [bar if bar.ndim else float(bar) for bar in args_bar]


def carried(method: Any, options: Any, slope: Any, t: float, until: float, z: Any) -> Any:
    """The adjoint at another time."""
    if t == until or not z.any():
        return z
    found = integrate.solve_ivp(slope, (t, until), z, method=method, **options)
    converged(found.success, f"its adjoint: {found.message}")
    return found.y[:, -1].copy()
