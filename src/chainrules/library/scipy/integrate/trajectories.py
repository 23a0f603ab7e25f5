"""The solution of an explicit Runge-Kutta method as one function of the initial state and the arguments.

The discrete adjoint of the steps that SciPy took. A step is

    k_i = f(t + c_i h, Y_i),   Y_i = y + h sum_j a_ij k_j,   y_new = y + h sum_i b_i k_i,

and its last slope ``f(t + h, y_new)`` the first of the next step; so the cotangents of the slopes go back through

    g_i = (df/dy)(Y_i)^T k_i_bar,   y_bar += g_i,   k_j_bar += h a_ij g_i.

The slopes are those that the solver had. See Hager, Runge-Kutta methods in optimal control and the transformed adjoint
system, Numerische Mathematik 87 (2000).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ....declarations import constant_instances
from ....rules import rrule
from ....tangents import NoTangent


class Trajectory:
    """What a solver did.

    Attributes:
        method: a class of explicit Runge-Kutta methods, whose dense output is a polynomial in the slopes.
        times: the points of time that the solver stepped to.
        states: there, one in each row.
        slopes: those of all stages of the steps, ``(steps, stages + 1, n)``.
        at: where the solution is wanted; None for the points of time.
        values: the solution there, as SciPy gives it: one state in each column.
        start: gives ``pullback(t, y, k_bar)``: the cotangents of ``y`` and the arguments from that of
            ``f(t, y, *args)``.
    """

    def __init__(self, method: Any, times: Any, states: Any, slopes: Any, at: Any, values: Any, start: Any):
        self.method = method
        self.times = np.asarray(times)
        self.states = states
        self.slopes = slopes
        self.at = at
        self.values = values
        self.start = start

    def weights(self) -> tuple[Any, Any]:
        """The step that each wanted time lies in, and the weights of its slopes there; ``y = y_old + w k``."""
        order = self.times if self.times[-1] >= self.times[0] else -self.times
        key = self.at if order is self.times else -self.at
        step = np.clip(np.searchsorted(order, key, side="left") - 1, 0, len(self.times) - 2)
        h = np.diff(self.times)[step]
        part = (self.at - self.times[step]) / h
        powers = part[:, None] ** np.arange(1, self.method.P.shape[1] + 1)
        return step, h[:, None] * (powers @ self.method.P.T)


constant_instances(Trajectory)


def solution(trajectory: Trajectory, y0: Any, *args: Any) -> Any:
    """The states at the wanted times, one in each column."""
    return trajectory.values.copy()


@rrule(solution)
def solution_rule(trajectory: Trajectory, y0: Any, *args: Any) -> Any:
    """The steps, backwards."""

    def solution_pullback(values_bar: Any) -> Any:
        y_bars, k_bars = np.zeros(trajectory.states.shape), np.zeros(trajectory.slopes.shape)
        if trajectory.at is None:
            y_bars += values_bar.T
        else:
            step, weights = trajectory.weights()
            np.add.at(y_bars, step, values_bar.T)
            np.add.at(k_bars, step, weights[:, :, None] * values_bar.T[:, None, :])
        y_bar, args_bar = swept(trajectory, y_bars, k_bars, len(args))
        return NoTangent(), y_bar, *args_bar

    return solution(trajectory, y0, *args), solution_pullback


def swept(trajectory: Trajectory, y_bars: Any, k_bars: Any, count: int) -> tuple[Any, list[Any]]:
    """The cotangents of the initial state and the arguments, from those of all states and slopes."""
    method, times, pullback = trajectory.method, trajectory.times.tolist(), trajectory.start()
    a, b, c = method.A, method.B[:, None], method.C.tolist()
    stages = len(c)
    totals: list[Any] = [0.0] * count

    def through(t: float, y: Any, k_bar: Any) -> Any:
        y_bar, *args_bar = pullback(t, y, k_bar.copy())
        for i, bar in enumerate(args_bar):
            totals[i] = totals[i] + bar
        return y_bar

    y_bar = y_bars[-1]
    for n in reversed(range(len(times) - 1)):
        t, h, y = times[n], times[n + 1] - times[n], trajectory.states[n]
        k, k_bar = trajectory.slopes[n], k_bars[n]
        if k_bar[-1].any():
            y_bar = y_bar + through(times[n + 1], trajectory.states[n + 1].copy(), k_bar[-1])
        if y_bar.any() or k_bar.any():
            k_bar[:-1] += h * b * y_bar
            for i in range(stages - 1, 0, -1):
                row = h * a[i, :i]
                g = through(t + c[i] * h, y + row @ k[:i], k_bar[i])
                y_bar = y_bar + g
                k_bar[:i] += row[:, None] * g
        y_bar = y_bar + y_bars[n]
        if n:
            k_bars[n - 1, -1] += k_bar[0]
    if k_bars[0, 0].any():
        y_bar = y_bar + through(times[0], trajectory.states[0].copy(), k_bars[0, 0])
    return y_bar, totals
