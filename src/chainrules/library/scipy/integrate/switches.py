"""Right-hand sides that jump or bend: where a parameter or the state decides when, that adds to derivatives.

The derivative of a solver's steps misses it: at the time of a jump that moves, the derivative of the solution jumps, as
well (see Galan, Feehery and Barton, Parametric sensitivity functions for hybrid discrete/continuous systems, 1999); at
a bend, the second derivative does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ....tangents import NotImplementedDerivative

__all__ = ["Switch", "refuse_moving", "switches"]

SMALL = 1e-6  # a change that does not matter, in comparison with the largest value
NEARBY = 1e-3


class Path:
    """Slopes along a solution, and their derivatives in time, each component in comparison with its largest value.

    Attributes:
        f: the right-hand side, of time and state.
        times: the points of time that a solver stepped to.
        states, slopes: there, one in each row.
        scales: the largest slope of each component, and its largest derivative; infinite where it stays the same.
        least: an interval of time in which nothing can be told apart.
    """

    def __init__(self, f: Callable, times: Any, states: Any, stages: Any = ()):
        self.f, self.times, self.states = f, np.asarray(times, float), np.asarray(states)
        if len(stages):
            self.slopes = np.concatenate([stages[:, 0], stages[-1:, -1]])
        else:
            self.slopes = np.array([self.slope(t, y, f) for t, y in zip(self.times.tolist(), self.states, strict=True)])
        self.span = abs(self.times[-1] - self.times[0])
        self.least = 1e-13 * max(self.span, *np.abs(self.times[[0, -1]]))
        largest = np.max(np.abs(self.slopes), axis=0)
        nothing = 1e-9 * np.max(np.abs(self.states), axis=0) / (self.span or 1.0)
        self.scales = [np.where(largest > nothing, largest, np.inf)]

    def step(self, t: float) -> int:
        """The number of the step that a time lies in."""
        forward = np.sign(self.times[-1] - self.times[0])
        return int(np.clip(np.searchsorted(forward * self.times, forward * t) - 1, 0, len(self.times) - 2))

    def slope(self, t: float, y: Any, f: Callable) -> Any:
        """The slope, in an array of its own."""
        return np.array(f(t, y.copy()), float).ravel()

    def states_at(self, k: Any, t: Any) -> Any:
        """The states at times of steps, by Hermite's cubic."""
        h = (self.times[k + 1] - self.times[k])[:, None]
        s = (t - self.times[k])[:, None] / h
        y, y_new = self.states[k], self.states[k + 1]
        f, f_new = h * self.slopes[k], h * self.slopes[k + 1]
        return y + s * s * (3 - 2 * s) * (y_new - y) + s * (1 - s) * ((1 - s) * f - s * f_new)

    def moved(self, k: Any) -> Any:
        """Small changes of the states at the beginning of steps."""
        sizes = np.abs(self.states[k]) + NEARBY * np.max(np.abs(self.states), axis=0)
        signs = np.where(np.arange(sizes.shape[1]) % 2, -1.0, 1.0)
        return NEARBY * signs * np.where(sizes > 0, sizes, 1.0)

    def at(self, order: int, k: Any, t: Any, close: Callable | None = None) -> Any:
        """The slopes at times of steps, or their derivatives if `order` is 1: one place in each row.

        Args:
            close: another right-hand side, for states close by.
        """
        k, t = np.asarray(k), np.asarray(t)
        if order:
            away = self.width(1, k)
            low, high = np.sort([self.times[k], self.times[k + 1]], axis=0)
            middle = np.clip(t, low + away, high - away)
            ends = [self.at(0, k, x, close) for x in (middle - away, middle + away)]
            return (ends[1] - ends[0]) / (2 * away[:, None]) / (self.scales[1] if len(self.scales) > 1 else 1.0)
        states = self.states_at(k, t) + (0.0 if close is None else self.moved(k))
        f = self.f if close is None else close
        found = [self.slope(s, y, f) for s, y in zip(t.tolist(), states, strict=True)]
        return np.reshape(found, states.shape) / self.scales[0]

    def width(self, order: int, k: Any) -> Any:
        """Half of the interval of time that a value is of."""
        return 1e-5 * np.abs(self.times[k + 1] - self.times[k]) if order else np.full(np.shape(k), self.least)


class Switch(NamedTuple):
    """Where the slope jumps, or bends if `order` is 1.

    Attributes:
        order: of the derivative of the slope that jumps.
        step: the number of the step.
        time: of the place.
    """

    order: int
    step: int
    time: float


def uneven(samples: Any, c: Any) -> tuple[Any, ...]:
    """Where components change unevenly on steps: the numbers of the steps, and those of the components.

    Args:
        samples: on each step, ``(steps, len(c), components)``, in comparison with the largest.
        c: the parts of a step at which these are.
    """
    order = np.argsort(c, kind="stable")
    parts = np.diff(np.asarray(c)[order])
    changes = np.abs(np.diff(samples[:, order], axis=1))[:, parts > 0]
    whole = np.abs(samples[:, order[-1]] - samples[:, order[0]])[:, None]
    return np.nonzero(np.any(changes > np.maximum(1.1 * parts[parts > 0, None] * whole, SMALL), axis=1))


def jumps(path: Path, order: int, k: Any, i: Any) -> list[Switch]:
    """Where components `i` jump on steps `k`, each found by halving; all at once, as most stop in the middle."""
    found = []
    low, high = path.times[k], path.times[k + 1]
    ends = [path.at(1, k, low), path.at(1, k, high)] if order else path.slopes[[k, k + 1]] / path.scales[0]
    below, above = (end[np.arange(len(k)), i] for end in ends)
    while len(k):
        change, x = np.abs(above - below), (low + high) / 2
        (steps, times), place = np.unique([k, x], axis=1, return_inverse=True)
        y = path.at(order, steps.astype(int), times)[place.ravel(), i]
        first = np.abs(y - below) > np.abs(above - y)
        low, high = np.where(first, low, x), np.where(first, x, high)
        below, above = np.where(first, below, y), np.where(first, y, above)
        left = np.abs(above - below)
        goes_on = ~(left <= np.maximum(0.55 * change, SMALL))
        ended = goes_on & (np.abs(high - low) <= 4 * path.width(order, k))
        for j in np.flatnonzero(ended & (left > (1000 if order else 100) * SMALL)):
            found.append(Switch(order, int(k[j]), float((low[j] + high[j]) / 2)))
        k, i, low, high, below, above = (a[goes_on & ~ended] for a in (k, i, low, high, below, above))
    return found


def bends(path: Path) -> list[Switch]:
    """Where the slope bends: its derivative jumps, on a step or between two."""
    parts = np.array([0.0, 0.5, 1.0])
    times = path.times[:-1, None] + np.diff(path.times)[:, None] * parts
    steps = np.repeat(np.arange(len(times)), len(parts))
    samples = path.at(1, steps, times.ravel()).reshape(*times.shape, -1)
    largest = np.max(np.abs(samples), axis=(0, 1))
    path.scales.append(np.where(largest * path.span > SMALL, largest, np.inf))
    samples = samples / path.scales[1]
    between = np.flatnonzero(np.any(np.abs(samples[1:, 0] - samples[:-1, -1]) > 0.01, axis=1))
    return jumps(path, 1, *uneven(samples, parts)) + [Switch(1, int(k), float(path.times[k + 1])) for k in between]


def switches(
    f: Callable, times: Any, states: Any, order: int, stages: Any = (), c: Any = None
) -> tuple[Path, list[Switch]]:
    """Where a right-hand side jumps along a solution, or bends, if derivatives of more than first order are needed.

    Args:
        f: the right-hand side, of time and state.
        times, states: what a solver stepped to.
        order: of the derivatives.
        stages, c: slopes on each step, of states that need only be near, and the parts of a step at which these are, if
            the solver tells them.
    """
    with np.errstate(all="ignore"):
        path = Path(f, times, states, stages)
        if path.span == 0:
            return path, []
        if len(stages):
            samples = stages / path.scales[0]
        else:
            middles = path.at(0, np.arange(len(path.times) - 1), (path.times[1:] + path.times[:-1]) / 2)
            slopes = path.slopes / path.scales[0]
            samples, c = np.stack([slopes[:-1], middles, slopes[1:]], axis=1), (0.0, 0.5, 1.0)
        found = jumps(path, 0, *uneven(samples, c))
        if order > 1:
            found += bends(path)
    return path, found


TWO_CALLS = (
    "solve up to there and go on in a second call, each with a right-hand side of its own (a known time is the end of "
    "the first; a state that is reached is a terminal event of it)"
)


def refuse_moving(path: Path, found: list[Switch], close: Callable | None, instead: str = TWO_CALLS) -> None:
    """Nothing, if the places are the same for values and states close by.

    Args:
        close: the right-hand side, when what it depends on is a little other; None if that is not known.
        instead: what to do where they are not.

    Raises:
        NotImplementedDerivative: they are not, or may not be.
    """
    for one in found:
        with np.errstate(all="ignore"):
            same = close is not None and stays(path, one, close)
        if not same:
            what = "bends" if one.order else "jumps"
            raise NotImplementedDerivative(
                f"the right-hand side {what} near t = {one.time:.6g}, and where it does so may move: {instead}"
            )


def stays(path: Path, one: Switch, close: Callable) -> bool:
    """Whether the slope does the same at the same time for values and a state close by."""
    away = max(1e4 * path.least, 4 * path.width(one.order, np.array(one.step)))
    times = np.array([one.time - away, one.time + away])
    steps = np.array([path.step(t) for t in times])
    change, nearby = [np.abs(np.diff(path.at(one.order, steps, times, f), axis=0)[0]) for f in (None, close)]
    seen = change > 100 * SMALL
    return bool(np.any(seen) and np.all(nearby[seen] > change[seen] / 2))
