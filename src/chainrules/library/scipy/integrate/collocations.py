"""The solution of an implicit method as one function of the initial state and the arguments, as `trajectories` has it.

The discrete adjoint of steps of Radau IIA between the points of time of the solver. The states Z at the nodes solve

    Z_i = y + h sum_j a_ij f(t + c_j h, Z_j),   y_new = Z_3,

so that with the matrix S of this system, ``S = 1 - h A x J``, cotangents go back through

    S^T l = Z_bar,   y_bar = sum_i l_i,   k_j_bar = h sum_i a_ij l_i,

to the arguments by the pullback of f at the nodes. Only the states are stored, and S is made again. Both systems are
solved as `simplified` says, unless there are few states.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ....declarations import constant_instances
from ....rules import rrule
from ....tangents import NoTangent
from .simplified import FEW, Jacobian, adjoint_of
from .steps import NODES, RADAU, THROUGH, collocated, system_of


class Collocation:
    """What the steps of a solver are in terms of collocation.

    Attributes:
        times: the points of time that the solver stepped to.
        nodes: the states at the nodes of the steps, ``(steps, 3, n)``.
        places: time and state where the Jacobian was made that served each step; None where it took those at all nodes.
        at: where the solution is wanted; None for the points of time.
        values: the solution there, as SciPy gives it: one state in each column.
        start: gives ``pullback(t, y, k_bar)``: the cotangents of ``y`` and the arguments from that of
            ``f(t, y, *args)``.
    """

    def __init__(self, slope: Any, y0: Any, times: Any, states: Any, at: Any, values: Any, start: Any):
        self.times = np.asarray(times)
        self.at = at
        self.values = values
        self.start = start
        pullback = start()
        jacobian = lambda t, y: jacobian_by(pullback, t, y)
        y, nodes, kept = np.asarray(y0), [], Jacobian(jacobian)
        self.places: list[Any] = []
        for i, (t, h) in enumerate(zip(self.times.tolist(), np.diff(self.times).tolist(), strict=False)):
            guess = np.linspace(states[i], states[i + 1], 4)[1:]
            found = kept.step(slope, t, y, h, guess) if len(y) > FEW else None
            self.places.append(None if found is None else kept.place)
            if found is None:
                nodes.append(collocated(jacobian, slope, t, y, h, guess, False)[0])
                kept.place = None
            else:
                nodes.append(found[0])
                kept.leave(found[1], len(y))
            y = nodes[-1][2]
        self.nodes = np.array(nodes)


def jacobian_by(pullback: Any, t: float, y: Any) -> Any:
    """The Jacobian of the slope by the state, row by row."""
    return np.array([row_of(pullback(float(t), y.copy(), e.copy())[0], y) for e in np.eye(len(y))])


def row_of(bar: Any, y: Any) -> Any:
    """The cotangent of a state, of zeros where there is none."""
    return bar if np.ndim(bar) else np.zeros(len(y))


constant_instances(Collocation)


def collocated_solution(walk: Collocation, y0: Any, *args: Any) -> Any:
    """The states at the wanted times, one in each column."""
    return walk.values.copy()


@rrule(collocated_solution)
def collocated_solution_rule(walk: Collocation, y0: Any, *args: Any) -> Any:
    """The steps, backwards."""

    def solution_pullback(values_bar: Any) -> Any:
        steps, n = len(walk.nodes), walk.nodes.shape[2]
        bars = np.zeros((steps, 4, n))  # of the state at the beginning of each step, and of those at its nodes
        if walk.at is None:
            bars[0, 0] += values_bar[:, 0]
            bars[:, 3] += values_bar.T[1:]
        else:
            order = walk.times if walk.times[-1] >= walk.times[0] else -walk.times
            key = walk.at if order is walk.times else -walk.at
            step = np.clip(np.searchsorted(order, key, side="left") - 1, 0, steps - 1)
            part = (walk.at - walk.times[step]) / np.diff(walk.times)[step]
            weights = part[:, None] ** np.arange(4) @ THROUGH
            np.add.at(bars, step, weights[:, :, None] * values_bar.T[:, None, :])
        y_bar, args_bar = swept(walk, bars, len(args))
        return NoTangent(), y_bar, *args_bar

    return collocated_solution(walk, y0, *args), solution_pullback


def swept(walk: Collocation, bars: Any, count: int) -> tuple[Any, list[Any]]:
    """The cotangents of the initial state and the arguments, from those of all steps."""
    pullback, times = walk.start(), walk.times.tolist()
    totals: list[Any] = [0.0] * count
    kept = Jacobian(lambda t, y: jacobian_by(pullback, t, y))
    y_bar: Any = np.zeros(walk.nodes.shape[2])
    for i in reversed(range(len(walk.nodes))):
        t, h, nodes = times[i], times[i + 1] - times[i], walk.nodes[i]
        of_nodes = bars[i, 1:]
        of_nodes[2] += y_bar
        y_bar = bars[i, 0]
        if not of_nodes.any():
            continue
        back, through = of_step(pullback, kept, walk.places[i], t, h, nodes, of_nodes)
        y_bar = y_bar + back.sum(axis=0)
        if count:
            for _, *args_bar in through(back):
                for j, bar in enumerate(args_bar):
                    totals[j] = totals[j] + bar
    return y_bar, totals


def of_step(
    pullback: Any, kept: Jacobian, place: Any, t: float, h: float, nodes: Any, of_nodes: Any
) -> tuple[Any, Callable[[Any], list[Any]]]:
    """What solves the transposed system of a step, and what gives the cotangents at its nodes from that."""
    times = [t + c * h for c in NODES.tolist()]

    def through(back: Any) -> list[Any]:
        k_bars = h * RADAU.T @ back
        return [pullback(s, z.copy(), k_bar.copy()) for s, z, k_bar in zip(times, nodes, k_bars, strict=True)]

    if place is not None:
        kept.make(*place)
        of_states = lambda back: np.array([row_of(bars[0], nodes[0]) for bars in through(back)])
        back = adjoint_of(kept.factors(h), of_states, of_nodes)
        if back is not None:
            return back, through
    blocks = [jacobian_by(pullback, s, z) for s, z in zip(times, nodes, strict=True)]
    return np.linalg.solve(system_of(blocks, h).T, of_nodes.ravel()).reshape(nodes.shape), through
