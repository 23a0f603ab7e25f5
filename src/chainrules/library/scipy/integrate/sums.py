"""Gauss's formula on many intervals, in place of an integral: a finite sum, which is differentiated as such.

An infinite limit is where a variable in 0 .. 1 is zero, as in QUADPACK.
"""

from __future__ import annotations

from math import isfinite
from typing import Any, NamedTuple

import numpy as np

POINTS, WEIGHTS = np.polynomial.legendre.leggauss(20)
MANY = 200  # intervals


def kind_of(a: Any, b: Any) -> str:
    if isfinite(a):
        return "finite" if isfinite(b) else "upper"
    return "lower" if isfinite(b) else "both"


def place(kind: str, a: Any, b: Any, t: Any) -> Any:
    """Where the integrand is asked for; `t` lies in 0 .. 1, or in -1 .. 1 if there is no limit."""
    if kind == "finite":
        return a + (b - a) * t
    if kind == "upper":
        return a + (1 - t) / t
    if kind == "lower":
        return b - (1 - t) / t
    return (1 + t) / t if t < 0 else (1 - t) / t


def unit(intervals: Any, kind: str, a: Any, b: Any) -> Any:
    """Intervals of the variable that `place` takes."""
    edges = np.asarray(intervals, float)
    if kind != "finite":
        return edges
    return (edges - a) / (b - a) if a != b else edges * 0 + [0.0, 1.0]


def rule_on(intervals: Any, kind: str, a: Any, b: Any) -> Any:
    """Points and weights of Gauss's formula on all intervals; finite limits are 0 and 1."""
    edges = unit(intervals, kind, a, b)
    low, high = edges[:, :1], edges[:, 1:]
    half = (high - low) / 2
    return ((low + high) / 2 + half * POINTS).ravel(), (half * WEIGHTS).ravel()


def gauss(config: Any, f: Any, a: Any, b: Any, intervals: Any) -> Any:
    """The integral of `f` as a sum; `intervals` are those of the unit variable that `quad` integrates over."""
    kind = config.plainly(kind_of, a, b)
    nodes, weights = config.plainly(rule_on, intervals, kind, a, b)
    total = 0.0
    for t, w in zip(nodes.tolist(), weights.tolist(), strict=True):
        weight = w * (b - a) if kind == "finite" else w / t**2
        total = total + f(place(kind, a, b, t)) * weight
    return total


def summed_on(config: Any, f: Any, a: Any, b: Any, intervals: Any) -> tuple[Any, list]:
    """The sum that `gauss` takes, and the values at the points."""
    values: list[Any] = []
    return gauss(config, lambda x: noted(values, f(x)), a, b, intervals), values


def noted(values: list, y: Any) -> Any:
    values.append(y)
    return y


def divided(intervals: Any, at: Any) -> Any:
    """Intervals, with more edges."""
    for x in at:
        hit = (intervals[:, 0] < x) & (x < intervals[:, 1])
        low, high = intervals[hit].T
        halves = [np.stack([low, low * 0 + x], axis=1), np.stack([high * 0 + x, high], axis=1)]
        intervals = np.concatenate([intervals[~hit], *halves])
    return intervals


def graded(intervals: Any, halvings: int = 60) -> Any:
    """Intervals, the first of which is divided towards its lower end, and the last towards its upper end."""
    ordered = intervals[np.argsort(intervals[:, 0])]
    (low, first), (last, high) = ordered[0], ordered[-1]
    if len(ordered) == 1:
        first = last = (low + high) / 2
    down = np.concatenate([[low], low + (first - low) * 0.5 ** np.arange(halvings, -1, -1)])
    up = np.concatenate([high - (high - last) * 0.5 ** np.arange(0, 30), [high]])
    ends = [np.stack([edges[:-1], edges[1:]], axis=1) for edges in (down, up)]
    return np.concatenate([ends[0], ordered[1:-1], ends[1]])


def bisected(summed: Any, intervals: Any, bound: Any) -> Any:
    """Intervals, each divided until what is `summed` on it and on its halves differs by less than the bound."""
    waiting = [(low, high, summed(np.array([[low, high]]))) for low, high in intervals]
    done: list[tuple[float, float]] = []
    while waiting:
        low, high, whole = waiting.pop()
        halves = [(x, y, summed(np.array([[x, y]]))) for x, y in ((low, (low + high) / 2), ((low + high) / 2, high))]
        near = np.max(np.abs(halves[0][2] + halves[1][2] - whole), initial=0.0) <= bound
        if near or len(done) + len(waiting) > MANY:
            done.append((low, high))
        else:
            waiting += halves
    return np.array(done)


class Nodes(NamedTuple):
    """A sum ``sum(w_i f(x_i))`` in place of an integral.

    Attributes:
        x: points.
        w: their weights.
        by_limits: for each limit, the derivatives of points and weights with respect to it.
    """

    x: Any
    w: Any
    by_limits: tuple[tuple[Any, Any], tuple[Any, Any]]

    def summed(self, values: Any) -> Any:
        """The sum of the weights with numbers or arrays, one for each point."""
        return np.dot(self.w, values.reshape(len(values), -1)).reshape(values.shape[1:])


def nodes_of(intervals: Any, a: Any, b: Any) -> Nodes:
    """The sum that `gauss` takes."""
    kind = kind_of(a, b)
    t, w = rule_on(intervals, kind, a, b)
    still = np.zeros(len(t))
    if kind == "finite":
        return Nodes(a + (b - a) * t, w * (b - a), ((1 - t, -w), (t, w)))
    w = w / t**2
    part = (1 - t) / t
    if kind == "upper":
        return Nodes(a + part, w, ((still + 1, still), (still, still)))
    if kind == "lower":
        return Nodes(b - part, w, ((still, still), (still + 1, still)))
    return Nodes(np.where(t < 0, (1 + t) / t, part), w, ((still, still), (still, still)))
