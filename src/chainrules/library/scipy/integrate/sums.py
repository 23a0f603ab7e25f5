"""Gauss's formula on many intervals, in place of an integral: a finite sum, which is differentiated as such.

An infinite limit is where a variable in 0 .. 1 is zero, as in QUADPACK.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ....declarations import constant_instances
from ....rules import rrule
from ....tangents import NoTangent, Thunk

POINTS, WEIGHTS = np.polynomial.legendre.leggauss(20)
MANY = 200  # intervals


def kind_of(a: Any, b: Any) -> str:
    if not np.isfinite(a) and not np.isfinite(b):
        return "both"
    return "finite" if np.isfinite(a) and np.isfinite(b) else "upper" if np.isfinite(a) else "lower"


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
    return ((low + high) / 2 + half * POINTS).ravel().tolist(), (half * WEIGHTS).ravel().tolist()


def gauss(config: Any, f: Any, a: Any, b: Any, intervals: Any) -> Any:
    """The integral of `f` as a sum; `intervals` are those of the unit variable that `quad` integrates over."""
    kind = config.plainly(kind_of, a, b)
    nodes, weights = config.plainly(rule_on, intervals, kind, a, b)
    total = 0.0
    for t, w in zip(nodes, weights, strict=True):
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


def integral(
    config: Any, f: Any, a: Any, b: Any, intervals: Any, y: Any, values: Any, func: Any = None, args: Any = ()
) -> Any:
    """The sum `y` of weighted `values`, with its derivatives; `f` is `func` with its `args`, if it gives numbers."""
    quick = None if func is None else config.quick_pullback(func, (0.5, *args), (), 1)
    if quick is None:
        return gauss(config, f, a, b, intervals)
    start, captured = quick
    return summed(config.plainly(Nodes, intervals, a, b, values, y, start), a, b, *args, *captured)


class Nodes:
    """A sum ``sum(w_i f(x_i))`` in place of an integral.

    Attributes:
        y: the integral.
        x: points.
        w: their weights.
        by_limits: for each limit, the derivatives of points and weights with respect to it.
        values: those of the integrand there.
        start: gives ``pullback(x, y_bar)``: the cotangents of `x`, the arguments, and what the integrand captures.
    """

    def __init__(self, intervals: Any, a: Any, b: Any, values: Any, y: Any, start: Any):
        kind = kind_of(a, b)
        t, w = map(np.asarray, rule_on(intervals, kind, a, b))
        still = np.zeros(len(t))
        self.y, self.values, self.start = y, values, start
        self.by_limits = [(still, still), (still, still)]
        if kind == "finite":
            self.x, self.w = a + (b - a) * t, w * (b - a)
            self.by_limits = [(1 - t, -w), (t, w)]
            return
        self.w = w / t**2
        part = (1 - t) / t
        if kind == "upper":
            self.x = a + part
            self.by_limits[0] = (still + 1, still)
        elif kind == "lower":
            self.x = b - part
            self.by_limits[1] = (still + 1, still)
        else:
            self.x = np.where(t < 0, (1 + t) / t, part)


constant_instances(Nodes)


def summed(nodes: Nodes, a: Any, b: Any, *args: Any) -> Any:
    """The integral; `args` are those of the integrand, and what it captures."""
    return nodes.y


@rrule(summed)
def summed_rule(nodes: Nodes, a: Any, b: Any, *args: Any) -> Any:
    """By the derivatives of the integrand at the points."""

    def summed_pullback(y_bar: Any) -> Any:
        pullback = nodes.start()
        totals: list[Any] = [0.0] * len(args)
        slopes = []
        for x, w in zip(nodes.x.tolist(), nodes.w.tolist(), strict=True):
            x_bar, *bars = pullback(x, np.array([w * y_bar]))
            slopes.append(x_bar)
            for i, bar in enumerate(bars):
                totals[i] = totals[i] + bar

        def limit_bar(k: int) -> Any:
            by_x, by_w = nodes.by_limits[k]
            if not by_w.any():
                return np.dot(slopes, by_x)
            return np.dot(slopes, by_x) + np.dot(nodes.values, by_w) * y_bar

        return NoTangent(), Thunk(limit_bar, 0), Thunk(limit_bar, 1), *totals

    return summed(nodes, a, b, *args), summed_pullback
