"""Choosing elements. What was not chosen gets a hard zero: nothing behind it leaks."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...derived import by_operand, thunks
from ...products import strong_div, strong_mul
from ...rules import rrule
from ...tangents import Thunk, unthunk
from .pick import gathered
from .shared import as_array, leading, refuse, scatter

_np: Any = np


_CHOSEN = (
    None,
    lambda condition, y_bar: np.where(condition, y_bar, 0.0),
    lambda condition, y_bar: np.where(condition, 0.0, y_bar),
)


def _chosen(*args: Any) -> Any:
    """`numpy.where` of two branches, and what gives the cotangent of each."""
    return (np.where(*args), args[:1], _CHOSEN) if len(args) == 3 else None


@rrule(np.where)
@by_operand(_chosen)
def where_rule(condition: Any, *branches: Any) -> Any:
    """The seed where the branch was chosen; with the condition alone it gives indices, which have no
    derivative.
    """
    y = np.where(condition, *branches)
    if not branches:
        return y, lambda y_bar: None
    return y, lambda y_bar: thunks(_CHOSEN, (condition,), y_bar)


def select_rule(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    """Where a condition is the first that holds, the seed to its choice; else to the default."""
    y = np.select(condlist, choicelist, default)

    def select_pullback(y_bar: Any) -> Any:
        free = np.ones((), bool)
        bars = []
        for c in condlist:
            bars.append(np.where(free & c, y_bar, 0.0))
            free = free & ~np.asarray(c)
        return None, bars, np.where(free, y_bar, 0.0)

    return y, select_pullback


rrule(np.select)(leading(select_rule, active=3))


def choose_rule(a: Any, choices: Any, out: Any = None, mode: str = "raise") -> Any:
    """The seed to the array that was chosen."""
    refuse("numpy.choose", out=out)
    y = _np.choose(a, choices, mode=mode)
    n = len(choices)

    def choose_pullback(y_bar: Any) -> Any:
        index = np.asarray(a)
        if mode != "raise":
            index = index % n if mode == "wrap" else np.clip(index, 0, n - 1)
        return None, [np.where(index == i, y_bar, 0.0) for i in range(n)]

    return y, choose_pullback


rrule(np.choose)(leading(choose_rule, active=2))


@rrule(np.take)
@rrule(np.ndarray.take)
@leading
def take_rule(a: Any, indices: Any, axis: Any = None, out: Any = None, mode: str = "raise") -> Any:
    """The seed added up where it was taken from."""
    refuse("numpy.take", out=out)
    return gathered(lambda v: _np.take(v, indices, axis, mode=mode), a)


@rrule(np.take_along_axis)
@leading
def take_along_axis_rule(arr: Any, indices: Any, axis: Any = -1) -> Any:
    """The seed added up where it was taken from."""
    return gathered(lambda v: np.take_along_axis(v, indices, axis), arr)


def compress_rule(condition: Any, a: Any, axis: Any = None, out: Any = None) -> Any:
    """The seed where it was kept."""
    refuse("numpy.compress", out=out)
    y, pullback = gathered(lambda v: np.compress(condition, v, axis), a)
    return y, lambda y_bar: (None, pullback(y_bar))


rrule(np.compress)(leading(compress_rule, active=2))


@rrule(np.ndarray.compress)
@leading
def compress_method_rule(a: Any, condition: Any, axis: Any = None, out: Any = None) -> Any:
    """The seed where it was kept."""
    refuse("numpy.compress", out=out)
    return gathered(lambda v: v.compress(condition, axis), as_array(a))


@rrule(np.extract)
def extract_rule(condition: Any, arr: Any) -> Any:
    """The seed where it was kept."""
    y, pullback = gathered(lambda v: np.extract(condition, v), arr)
    return y, lambda y_bar: (None, pullback(y_bar))


def interp_rule(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> Any:
    """The slope to ``x``, the two weights to ``fp``; outside the range the ends."""
    if np.size(x) == 0:  # nowhere; NumPy 2.5 takes that without any points, too
        return np.interp(x, xp, fp, left, right, period), lambda y_bar: (None,) * 5
    if period is not None:
        return _periodic(x, xp, fp, period)
    y = np.interp(x, xp, fp, left, right)

    def interp_pullback(y_bar: Any) -> Any:
        at, knots, values = np.asarray(x, dtype=np.float64), np.asarray(xp, dtype=np.float64), np.asarray(fp)
        n = len(knots)
        if n == 1:
            # A single knot: constant on both sides.
            inside = np.equal(at, knots[0])
            low = np.where(at < knots[0], y_bar, 0.0) if left is None else 0.0
            high = np.where(at > knots[0], y_bar, 0.0) if right is None else 0.0
            f_bar = np.reshape(np.sum(np.where(inside, y_bar, 0.0) + low + high), (1,))
            ends = _beyond(at < knots[0], left, y_bar), _beyond(at > knots[0], right, y_bar)
            return np.zeros_like(at), np.zeros(1), f_bar, *ends
        i = np.minimum(np.maximum(np.searchsorted(knots, at, side="right") - 1, 0), n - 2)
        width = knots[i + 1] - knots[i]
        below, above = at < knots[0], at > knots[-1]
        t = np.where(below, 0.0, np.where(above, 1.0, strong_div(at - knots[i], width)))
        slope = np.where(below | above, 0.0, strong_div(values[i + 1] - values[i], width))
        x_bar = strong_mul(np.conj(slope), y_bar)

        def spread(g: Any) -> Any:
            """To both knots around each point, by their weights."""
            return scatter(i, (1 - t) * g, n) + scatter(i + 1, t * g, n)

        def values_bar() -> Any:
            inner = y_bar if left is None else np.where(below, 0.0, y_bar)
            return spread(inner if right is None else np.where(above, 0.0, 1.0) * inner)

        ends = _beyond(below, left, y_bar), _beyond(above, right, y_bar)
        return x_bar, Thunk(lambda: -spread(np.real(x_bar))), Thunk(values_bar), *ends

    return y, interp_pullback


def _periodic(x: Any, xp: Any, fp: Any, period: Any) -> Any:
    """Interpolation of a periodic function: of the points moved into one period, and the last and first around it."""
    if period == 0:
        np.interp(x, xp, fp, period=period)  # raises
    period = abs(period)
    values = np.asarray(fp, dtype=np.complex128 if np.iscomplexobj(fp) else np.float64)
    knots = np.asarray(xp, dtype=np.float64) % period
    order = np.argsort(knots)
    around = np.concatenate((order[-1:], order, order[:1]))
    wide = knots[around]
    wide[0] -= period
    wide[-1] += period
    _, pullback = interp_rule(np.asarray(x, dtype=np.float64) % period, wide, values[around])

    def periodic_pullback(y_bar: Any) -> Any:
        x_bar, wide_bar, around_bar, *_ = map(unthunk, pullback(y_bar))
        return x_bar, scatter(around, wide_bar, len(knots)), scatter(around, around_bar, len(knots)), None, None

    return np.interp(x, xp, fp, period=period), periodic_pullback


def _beyond(mask: Any, value: Any, g: Any) -> Any:
    return None if value is None else np.sum(np.where(mask, g, 0.0))


rrule(np.interp)(leading(interp_rule, active=5))


@rrule(np.unwrap)
@leading
def unwrap_rule(p: Any, discont: Any = None, axis: int = -1, *, period: Any = 2 * np.pi) -> Any:
    """The seed: what is added is a multiple of the period."""
    return np.unwrap(p, discont, axis, period=period), lambda y_bar: y_bar
