"""`numpy.pad` in every mode that it names: linear in the array, and in the values it is padded with.

NumPy pads one axis after the other, each with what stands there already. The pullback goes back through them in
reverse and folds the padding of each onto what it was made from.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ...lookup import rules_for
from ...projection import project
from ...rules import rrule
from .pick import gathered
from .shared import as_array, given, leading, refuse

STATISTICS = {"maximum": np.max, "minimum": np.min, "mean": np.mean, "median": np.median}
PICKING = ("edge", "reflect", "symmetric", "wrap")


def pad_rule(
    array: Any, pad_width: Any, mode: Any = "constant", stat_length: Any = None, constant_values: Any = None,
    end_values: Any = None, reflect_type: Any = None,
) -> Any:  # fmt: skip
    """The seed without its borders, and what the borders were made of."""
    if callable(mode):
        refuse("numpy.pad with a function for its mode", mode=mode)
    options = given(
        stat_length=stat_length, constant_values=constant_values, end_values=end_values, reflect_type=reflect_type
    )
    y = np.pad(array, pad_width, mode, **options)
    if y.dtype.kind not in "fcO":
        return y, lambda y_bar: (None,) * 7  # what is padded are integers, rounded where they have to be
    if mode in PICKING and options.get("reflect_type", "even") == "even":
        _, pullback = gathered(lambda v: np.pad(v, pad_width, mode), array)
        return y, lambda y_bar: (pullback(y_bar), *(None,) * 6)
    widths = _pairs(pad_width, y.ndim)
    lengths = _pairs(stat_length, y.ndim)
    fold: Any = _FOLDS[mode] if mode in _FOLDS else partial(_fold_statistic, STATISTICS[mode])

    def pad_pullback(y_bar: Any) -> Any:
        g, ends = as_array(y_bar), []
        for axis in reversed(range(y.ndim)):
            left, right = widths[axis]
            n = g.shape[axis] - left - right
            x = _core(y, widths, axis)
            borders, g = (
                [_part(g, axis, 0, left), _part(g, axis, left + n, left + n + right)],
                _part(g, axis, left, left + n),
            )
            bars = []
            for side in (0, 1):
                if borders[side].shape[axis]:
                    length = lengths[axis][side]
                    more, end = fold(x, borders[side], axis, side, n if length is None else min(length, n))
                    g = g if more is None else g + more
                    bars.append(end)
                else:
                    bars.append(0.0)
            ends.append(bars)
        ends_bar = np.array(ends[::-1]) if ends else np.zeros(())
        return (
            g, None, None, None,
            None if constant_values is None else ends_bar, None if end_values is None else ends_bar, None,
        )  # fmt: skip

    return y, pad_pullback


rrule(np.pad)(leading(pad_rule, active=7))


def _pairs(given: Any, n: int) -> Any:
    """One pair for each axis, as NumPy reads a number, a pair, or one of them for each axis."""
    if isinstance(given, dict):  # axis -> pair, or one number
        table = np.zeros((n, 2), int)
        for axis, pair in given.items():
            table[axis] = pair
        return table.tolist()
    if given is None:
        return [(None, None)] * n
    return np.broadcast_to(np.asarray(given), (n, 2)).tolist()


def _part(g: Any, axis: int, start: int, stop: int) -> Any:
    return g[(*(slice(None),) * axis, slice(start, stop))]


def _core(y: Any, widths: Any, axis: int) -> Any:
    """What stood there when ``axis`` was about to be padded."""
    inside = tuple([slice(left, size - right) for (left, right), size in zip(widths, y.shape, strict=True)])
    return y[(*(slice(None),) * axis, *inside[axis:])]


def _placed(g: Any, axis: int, start: int, n: int) -> Any:
    """``g`` from ``start`` on in an array of zeros that is ``n`` long."""
    widths = [(0, 0)] * g.ndim
    widths[axis] = (start, n - start - g.shape[axis])
    return np.pad(g, widths)


def _fold_constant(x: Any, g: Any, axis: int, side: int, length: int) -> Any:
    return None, np.sum(g)


def _fold_nothing(x: Any, g: Any, axis: int, side: int, length: int) -> Any:
    return None, 0.0


def _fold_ramp(x: Any, g: Any, axis: int, side: int, length: int) -> Any:
    """The ramp is ``end (1 - t) + edge t``, with ``t`` 0 at the end and short of 1 beside the edge."""
    n, w = x.shape[axis], g.shape[axis]
    t = (np.arange(w) if side == 0 else np.arange(w)[::-1]) / w
    t = t.reshape((w,) + (1,) * (g.ndim - axis - 1))
    edge = np.sum(g * t, axis=axis, keepdims=True)
    return _placed(edge, axis, 0 if side == 0 else n - 1, n), np.sum(g * (1 - t))


def _fold_statistic(f: Any, x: Any, g: Any, axis: int, side: int, length: int) -> Any:
    """Through the rule for the statistic of the ``length`` elements next to the border."""
    n = x.shape[axis]
    start = 0 if side == 0 else n - length
    near = _part(x, axis, start, start + length)
    _, pullback = rules_for(f)[0].function(near, axis=axis, keepdims=True)
    bars = pullback(np.sum(g, axis=axis, keepdims=True))
    near_bar = project(bars[0] if isinstance(bars, tuple) else bars, near)
    return _placed(near_bar, axis, start, n), 0.0


def _fold_odd(x: Any, g: Any, axis: int, side: int, length: int, symmetric: bool = False) -> Any:
    """Reflections through the end points, as `_odd_extension` says where each element comes from."""
    n, w = x.shape[axis], g.shape[axis]
    at = np.arange(-w, 0) if side == 0 else np.arange(n, n + w)
    source, sign, first, last = _odd_extension(at, n, symmetric)
    along = (w,) + (1,) * (g.ndim - axis - 1)
    matrix = np.moveaxis(g * np.reshape(sign, along), axis, 0)
    body = np.zeros((n, *matrix.shape[1:]), matrix.dtype)
    np.add.at(body, source, matrix)
    body = np.moveaxis(body, 0, axis)
    ends = [np.sum(g * np.reshape(c, along), axis=axis, keepdims=True) for c in (first, last)]
    return body + _placed(ends[0], axis, 0, n) + _placed(ends[1], axis, n - 1, n), 0.0


def _odd_extension(at: Any, n: int, symmetric: bool) -> Any:
    """What stands at positions outside ``0 .. n - 1``: ``sign x[source] + first x[0] + last x[-1]``.

    One reflection gives ``2 x[0] - x[-i]`` (``symmetric``: ``2 x[0] - x[-1 - i]``), two of them, at both ends, a
    translation by the period that adds ``2 (x[-1] - x[0])``.
    """
    if n == 1 and not symmetric:  # NumPy repeats a single element
        return np.zeros_like(at), np.ones_like(at), np.zeros_like(at), np.zeros_like(at)
    half = n if symmetric else n - 1
    turns, rest = np.divmod(at, 2 * half)
    mirrored = rest >= n
    source = np.where(mirrored, 2 * half - rest - symmetric, rest)
    sign = np.where(mirrored, -1, 1)
    return source, sign, -2 * turns, 2 * turns + 2 * mirrored


_FOLDS: dict[str, Any] = {
    "constant": _fold_constant,
    "empty": _fold_nothing,
    "linear_ramp": _fold_ramp,
    "reflect": _fold_odd,
    "symmetric": partial(_fold_odd, symmetric=True),
}
