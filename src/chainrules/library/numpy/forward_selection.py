"""Forward rules for what chooses and orders: the tangents of the elements that were chosen."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib import stride_tricks

from ...declarations import non_differentiable
from ...products import strong_div, strong_mul
from ..forward import array_dot, filled, forward
from . import methods, select  # noqa: F401  (the reverse rules)
from .extrema import _or_false
from .forward_shapes import linear
from .sets import _first_slices, _sources
from .shared import NO_VALUE, as_array
from .windows import elements_read

_np: Any = np
_nd = np.ndarray

linear(_nd.compress, 1)
linear(np.ix_, None, indices=True)
if hasattr(np, "row_stack"):
    linear(np.row_stack, 1)


@forward(np.select, 1, 2)
def select_forward(y: Any, dots: Any, condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    """The tangent of the choice whose condition is the first that holds; else that of the default."""
    choices_dot, default_dot = dots
    return np.select(condlist, filled(list(choicelist), choices_dot), 0.0 if default_dot is None else default_dot)


def choose_forward(y: Any, dots: Any, a: Any, choices: Any, out: Any = None, mode: Any = "raise") -> Any:
    """The tangent of the array that was chosen."""
    return np.choose(a, filled(list(choices), dots[0]), mode=mode)


forward(np.choose, 1)(choose_forward)
forward(_nd.choose, 1)(choose_forward)


def clip_forward(
    y: Any, dots: Any, a: Any, a_min: Any = NO_VALUE, a_max: Any = NO_VALUE, out: Any = None, *, min: Any = NO_VALUE,
    max: Any = NO_VALUE, **options: Any,
) -> Any:  # fmt: skip
    """On a bound the tangent stays with ``a``; outside it is that of the bound that cut, the upper one of both."""
    low = min if a_min is NO_VALUE else a_min
    high = max if a_max is NO_VALUE else a_max
    a_dot, low_dot, high_dot = dots
    own, above, below = _cut_where(y, a, None if low is NO_VALUE else low, None if high is NO_VALUE else high)
    y_dot: Any = 0.0
    if low_dot is not None:
        y_dot = np.where(below, low_dot, 0.0)
    if high_dot is not None:
        y_dot = np.where(above, high_dot, y_dot)
    return np.where(own, 0.0 if a_dot is None else a_dot, y_dot)


def _cut_where(y: Any, a: Any, low: Any, high: Any) -> Any:
    """Where the value is that of ``a``, where it was too high, and where it was too low."""
    above = _or_false(high, lambda: _np.greater(a if low is None else np.maximum(a, low), high))
    below = np.False_ if low is None else np.less(a, low)
    return np.equal(y, a) & ~below, above, below & ~above


non_differentiable(_cut_where)
forward(np.clip, 0, 1, 2)(clip_forward)


@forward(_nd.clip, 0, 1, 2)
def method_clip_forward(y: Any, dots: Any, a: Any, min: Any = None, max: Any = None, *args: Any, **options: Any) -> Any:
    """As `numpy.clip`."""
    return clip_forward(y, dots, a, min, max)


@forward(np.partition)
def partition_forward(y: Any, dots: Any, a: Any, kth: Any, axis: Any = -1, *args: Any, **options: Any) -> Any:
    """As `numpy.sort`, in the order that the partition has."""
    a, a_dot = as_array(a), array_dot(a, dots[0])
    if axis is None:
        a, a_dot, axis = a.ravel(), a_dot.ravel(), 0
    ranked = np.take_along_axis(a_dot, np.argsort(a, axis, kind="stable"), axis)
    return np.take_along_axis(ranked, np.argsort(np.argsort(y, axis, kind="stable"), axis, kind="stable"), axis)


@forward(np.sort_complex)
def sort_complex_forward(y: Any, dots: Any, a: Any) -> Any:
    """As `numpy.sort`."""
    order = np.argsort(as_array(a).astype(y.dtype), axis=-1, kind="stable")
    return np.take_along_axis(array_dot(a, dots[0]), order, axis=-1)


@forward(np.trim_zeros)
def trim_zeros_forward(y: Any, dots: Any, filt: Any, trim: Any = "fb", *args: Any, **options: Any) -> Any:
    """What was kept."""
    a, kept = as_array(filt), np.shape(y)
    first = [0] * a.ndim
    if "f" in trim.lower() and np.any(a):
        nonzero = np.argwhere(a).min(axis=0)
        first = [int(k) if m < n else 0 for k, m, n in zip(nonzero, kept, a.shape, strict=True)]
    return array_dot(a, dots[0])[tuple([slice(k, k + m) for k, m in zip(first, kept, strict=True)])]


@forward(stride_tricks.as_strided)
def as_strided_forward(y: Any, dots: Any, x: Any, *args: Any, **options: Any) -> Any:
    """The tangents of the elements that the view reads."""
    a = as_array(x)
    return array_dot(a, dots[0]).ravel()[elements_read(a, y)].reshape(y.shape)


@forward(np.unwrap)
def unwrap_forward(y: Any, dots: Any, p: Any, *args: Any, **options: Any) -> Any:
    """The tangent: what is added is a multiple of the period."""
    return dots[0]


# -- interpolation ----------------------------------------------------------------------------------------


def _between(at: Any, knots: Any) -> tuple[Any, Any, Any, Any]:
    """The places of the knots around each point, and which points are outside."""
    low = np.clip(np.searchsorted(knots, at, side="right") - 1, 0, max(len(knots) - 2, 0))
    return low, np.minimum(low + 1, len(knots) - 1), at < knots[0], at > knots[-1]


non_differentiable(_between)


@forward(np.interp, 0, 1, 2, 3, 4)
def interp_forward(
    y: Any, dots: Any, x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None
) -> Any:
    """With the weight ``t`` of the upper neighbour ``f_dot + slope (x_dot - knot_dot)``, both between the neighbours;
    outside the range the ends.
    """
    if np.size(x) == 0:
        return np.zeros_like(y)
    at, knots = np.asarray(x, np.float64), np.asarray(xp, np.float64)
    values = as_array(fp)
    x_dot, knots_dot, values_dot, left_dot, right_dot = dots
    if knots_dot is not None:
        knots_dot = array_dot(knots, knots_dot)
    if values_dot is not None:
        values_dot = array_dot(values, values_dot)
    if period is not None:
        at, knots, left, right = at % abs(period), knots % abs(period), None, None
        order = np.argsort(knots)
        around = np.concatenate((order[-1:], order, order[:1]))
        knots, values = knots[around], values[around]
        knots_dot = None if knots_dot is None else knots_dot[around]
        values_dot = None if values_dot is None else values_dot[around]
        once = np.zeros(len(knots))
        once[0], once[-1] = -1.0, 1.0
        knots = knots + abs(period) * once
    low, high, below, above = _between(at, knots)
    width = knots[high] - knots[low]
    t = np.where(below | (width == 0), 0.0, np.where(above, 1.0, strong_div(at - knots[low], width)))
    y_dot: Any = 0.0
    if x_dot is not None or knots_dot is not None:
        slope = np.where(below | above | (width == 0), 0.0, strong_div(values[high] - values[low], width))
        moved = 0.0 if x_dot is None else array_dot(at, x_dot)
        if knots_dot is not None:
            moved = moved - (1 - t) * knots_dot[low] - t * knots_dot[high]
        y_dot = strong_mul(slope, moved)
    if values_dot is not None:
        y_dot = y_dot + (1 - t) * values_dot[low] + t * values_dot[high]
    if left is not None:
        y_dot = np.where(below, 0.0 if left_dot is None else left_dot, y_dot)
    if right is not None:
        y_dot = np.where(above, 0.0 if right_dot is None else right_dot, y_dot)
    return y_dot


# -- sets -------------------------------------------------------------------------------------------------


non_differentiable(_sources, _first_slices)  # indices


def _in_first(y: Any, y_dot: Any) -> Any:
    return (y_dot, *(None,) * (len(y) - 1)) if isinstance(y, tuple) else y_dot


@forward(np.unique)
def unique_forward(
    y: Any, dots: Any, ar: Any, return_index: bool = False, return_inverse: bool = False,
    return_counts: bool = False, axis: Any = None, **options: Any,
) -> Any:  # fmt: skip
    """The tangent of the first occurrence of each value, or of each slice along the axis."""
    a, a_dot = as_array(ar), array_dot(ar, dots[0])
    values = y[0] if isinstance(y, tuple) else y
    if axis is None:
        return _in_first(y, a_dot.ravel()[_sources(a.ravel(), values)])
    return _in_first(y, np.take(a_dot, _first_slices(a, values, axis), axis))


for name in ("unique_values", "unique_counts", "unique_inverse", "unique_all"):
    if hasattr(np, name):

        @forward(getattr(np, name))
        def named_forward(y: Any, dots: Any, x: Any) -> Any:
            """The tangent of the first occurrence of each value."""
            values = y[0] if isinstance(y, tuple) else y
            return _in_first(y, array_dot(x, dots[0]).ravel()[_sources(as_array(x).ravel(), values)])


for f in (np.union1d, np.intersect1d, np.setdiff1d, np.setxor1d):

    @forward(f, 0, 1)
    def set_forward(y: Any, dots: Any, ar1: Any, ar2: Any, *args: Any, **options: Any) -> Any:
        """The tangent of where each element occurs first, in the first array before the second."""
        flat = np.concatenate([as_array(a).ravel() for a in (ar1, ar2)])
        flat_dot = np.concatenate([array_dot(a, t).ravel() for a, t in zip((ar1, ar2), dots, strict=True)])
        return _in_first(y, flat_dot[_sources(flat, y[0] if isinstance(y, tuple) else y)])
