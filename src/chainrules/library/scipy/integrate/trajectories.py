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
from scipy.integrate import DOP853  # type: ignore[import-untyped]

from ....declarations import constant_instances
from ....rules import rrule
from ....tangents import NoTangent


class Trajectory:
    """What a solver did.

    Attributes:
        method: a class of explicit Runge-Kutta methods.
        times: the points of time that the solver stepped to.
        states: there, one in each row.
        slopes: those of all stages of the steps, ``(steps, stages + 1, n)``, and of DOP853 those that only its dense
            output takes, in steps in which something is wanted.
        at: where the solution is wanted; None for the points of time.
        values: the solution there, as SciPy gives it: one state in each column.
        start: gives ``pullback(t, y, k_bar)``: the cotangents of ``y`` and the arguments from that of
            ``f(t, y, *args)``; without `t_first`, ``pullback(y, t, k_bar)``.
    """

    def __init__(
        self, method: Any, times: Any, states: Any, slopes: Any, at: Any, values: Any, start: Any, t_first: bool = True
    ):  # fmt: skip
        self.method = method
        self.t_first = t_first
        self.times = np.asarray(times)
        self.states = states
        self.slopes = slopes
        self.at = at
        self.values = values
        self.start = start

    def weights(self) -> tuple[Any, Any, Any]:
        """The step that each wanted time lies in, and weights ``v``, ``w``: ``y = y_old + v (y_new - y_old) + w k``."""
        order = self.times if self.times[-1] >= self.times[0] else -self.times
        key = self.at if order is self.times else -self.at
        step = np.clip(np.searchsorted(order, key, side="left") - 1, 0, len(self.times) - 2)
        h = np.diff(self.times)[step]
        part = (self.at - self.times[step]) / h
        if issubclass(self.method, DOP853):
            return step, *of_eighth_order(h, part)
        powers = part[:, None] ** np.arange(1, self.method.P.shape[1] + 1)
        return step, np.zeros(len(h)), h[:, None] * (powers @ self.method.P.T)


def of_eighth_order(h: Any, x: Any) -> tuple[Any, Any]:
    """The weights of DOP853's dense output, at parts `x` of steps `h`: of the step's difference, and of its slopes.

    It is ``y_old + F_0 x + F_1 x (1 - x) + F_2 x^2 (1 - x) + ...``; see Hairer, Norsett and Wanner, Solving Ordinary
    Differential Equations I, section II.6.
    """
    factors = [x if j % 2 == 0 else 1 - x for j in range(3 + len(DOP853.D))]
    c = np.cumprod(factors, axis=0)
    of_slopes = c[3:].T @ DOP853.D
    of_slopes[:, 0] += c[1] - c[2]
    of_slopes[:, DOP853.n_stages] -= c[2]
    return c[0] - c[1] + 2 * c[2], h[:, None] * of_slopes


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
            step, of_difference, weights = trajectory.weights()
            np.add.at(y_bars, step, (1 - of_difference)[:, None] * values_bar.T)
            np.add.at(y_bars, step + 1, of_difference[:, None] * values_bar.T)
            np.add.at(k_bars, step, weights[:, :, None] * values_bar.T[:, None, :])
        y_bar, args_bar = swept(trajectory, y_bars, k_bars, len(args))
        return NoTangent(), y_bar, *args_bar

    return solution(trajectory, y0, *args), solution_pullback


def swept(trajectory: Trajectory, y_bars: Any, k_bars: Any, count: int) -> tuple[Any, list[Any]]:
    """The cotangents of the initial state and the arguments, from those of all states and slopes."""
    method, times, pullback = trajectory.method, trajectory.times.tolist(), trajectory.start()
    a, b, c = method.A, method.B[:, None], method.C.tolist()
    stages = len(c)
    extra = []
    if issubclass(method, DOP853):
        extra = list(zip(method.A_EXTRA, method.C_EXTRA.tolist(), strict=True))
    totals: list[Any] = [0.0] * count

    def through(t: float, y: Any, k_bar: Any) -> Any:
        y_bar, *args_bar = pullback(*((t, y) if trajectory.t_first else (y, t)), k_bar.copy())
        for i, bar in enumerate(args_bar):
            totals[i] = totals[i] + bar
        return y_bar

    y_bar = y_bars[-1]
    for n in reversed(range(len(times) - 1)):
        t, h, y = times[n], times[n + 1] - times[n], trajectory.states[n]
        k, k_bar = trajectory.slopes[n], k_bars[n]
        of_extra: Any = 0.0
        for i in reversed(range(stages + 1, len(k_bar))):  # of the dense output alone
            if k_bar[i].any():
                weights, part = extra[i - stages - 1]
                row = h * weights[:i]
                g = through(t + part * h, y + row @ k[:i], k_bar[i])
                of_extra = of_extra + g
                k_bar[:i] += row[:, None] * g
        if k_bar[stages].any():
            y_bar = y_bar + through(times[n + 1], trajectory.states[n + 1].copy(), k_bar[stages])
        if y_bar.any() or k_bar.any():
            k_bar[:stages] += h * b * y_bar
            weights = h * a
            places = y + weights @ k[: a.shape[1]]
            for i in range(stages - 1, 0, -1):
                g = through(t + c[i] * h, places[i], k_bar[i])
                y_bar = y_bar + g
                k_bar[:i] += weights[i, :i, None] * g
        y_bar = y_bar + of_extra + y_bars[n]
        if n:
            k_bars[n - 1, stages] += k_bar[0]
    if k_bars[0, 0].any():
        y_bar = y_bar + through(times[0], trajectory.states[0].copy(), k_bars[0, 0])
    return y_bar, totals
