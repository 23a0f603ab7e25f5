"""Largest and smallest, clipping, sorting: the cotangent goes to whom the value came from, the first of
equals.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...derived import by_operand
from ...rules import rrule
from ...tangents import Thunk
from .shared import DOUBLE, NO_VALUE, as_array, given, leading, ndarray, normal_axes, refuse, scatter

_np: Any = np


def _extremum(
    name: str, f: Any, arg: Any, worst: float, beaten: Any, reduction: Any = None, skip: bool = False
) -> Any:  # fmt: skip
    def rule(
        a: Any,
        axis: Any = None,
        out: Any = None,
        keepdims: Any = False,
        initial: Any = NO_VALUE,
        where: Any = True,
    ) -> Any:
        """The seed to the first element that has the extreme value."""
        if out is not None:
            refuse(name, out=out)
        if not isinstance(a, ndarray):
            a = np.asarray(a)
        keepdims = keepdims is not NO_VALUE and keepdims
        plain = initial is NO_VALUE and (where is True or where is NO_VALUE)
        where = True if where is NO_VALUE else where
        if plain and reduction is not None and type(a) is ndarray:
            y = reduction(a, axis, None, None, keepdims)
        elif plain:
            y = f(a, axis=axis, keepdims=keepdims)
        else:
            y = f(a, axis=axis, keepdims=keepdims, where=where, **given(initial=initial))
        shape, size = a.shape, a.size

        def extremum_pullback(y_bar: Any) -> Any:
            if size == 0:
                return np.zeros(shape)
            if axis is None and plain and not skip:
                return to_first(a, y_bar)
            at, there = winners(a, axis, arg, worst, where, skip)
            at, g = np.ravel(at), np.ravel(y_bar)
            if there is not True:
                g = np.where(np.ravel(there), g, 0.0)
            if initial is not NO_VALUE:
                g = np.where(beaten(a.ravel()[at], initial), 0.0, g)
            return scatter(at, g, size).reshape(shape)

        return y, extremum_pullback

    def to_first(a: Any, y_bar: Any) -> Any:
        """The seed in the cell of the first of all elements that has the extreme value."""
        if type(y_bar) is float or type(y_bar) is np.float64:
            a_bar = np.zeros(a.size)
        else:
            a_bar, y_bar = np.zeros(a.size, np.result_type(y_bar)), np.reshape(y_bar, ())
        a_bar[arg(a)] = y_bar
        return a_bar if a.ndim == 1 else a_bar.reshape(a.shape)

    def of_all(a: Any, *rest: Any) -> Any:
        """The extreme element of an array of doubles, and what gives its cotangent."""
        if rest or type(a) is not ndarray or a.dtype is not DOUBLE:
            return None
        return reduction(a, None), (a,), (to_first,)

    found = leading(rule)
    return found if reduction is None else by_operand(of_all)(found)


def winners(a: Any, axis: Any, arg: Any, worst: float, where: Any = True, skip: bool = False) -> tuple[Any, Any]:
    """Flat positions of the extreme elements among those that take part, and whether there is one at all.

    Args:
        a: the array.
        axis: along which.
        arg: `numpy.argmax` or `numpy.argmin`.
        worst: what no element is beaten by.
        where: which elements take part; ``True`` for all.
        skip: whether NaNs do not.
    """
    if where is True and not skip:
        return _positions(a, axis, arg), True
    there = np.broadcast_to(where, a.shape)
    numbers = there & ~np.isnan(a) if skip else there
    at = _positions(np.where(numbers, a, worst), axis, arg)
    # What takes part may be no better than what stands for the rest.
    at = np.where(numbers.ravel()[at], at, _positions(numbers, axis, np.argmax))
    return at, there.ravel()[at]


def _positions(a: Any, axis: Any, arg: Any) -> Any:
    """Flat positions of the extreme elements, in the order of the reduced result."""
    axes = normal_axes(axis, a.ndim)
    if len(axes) >= a.ndim:
        return arg(a)
    others = tuple(i for i in range(a.ndim) if i not in axes)
    shape = [a.shape[i] for i in others]
    flat = np.transpose(a, others + axes).reshape([*shape, -1])
    index = np.transpose(np.arange(a.size).reshape(a.shape), others + axes).reshape([*shape, -1])
    return np.take_along_axis(index, arg(flat, axis=-1)[..., None], axis=-1)[..., 0]


max_rule = _extremum("numpy.max", np.max, np.argmax, -np.inf, np.less, _np.maximum.reduce)
min_rule = _extremum("numpy.min", np.min, np.argmin, np.inf, np.greater, _np.minimum.reduce)
for f in (np.max, np.amax, np.ndarray.max):
    rrule(f)(max_rule)
for f in (np.min, np.amin, np.ndarray.min):
    rrule(f)(min_rule)


def _not_above(extreme: Any, initial: Any) -> Any:
    return ~np.greater_equal(extreme, initial)  # a NaN is not


def _not_below(extreme: Any, initial: Any) -> Any:
    return ~np.less_equal(extreme, initial)


rrule(np.nanmax)(_extremum("numpy.nanmax", np.nanmax, np.argmax, -np.inf, _not_above, skip=True))
rrule(np.nanmin)(_extremum("numpy.nanmin", np.nanmin, np.argmin, np.inf, _not_below, skip=True))


def clip_rule(
    a: Any, a_min: Any = NO_VALUE, a_max: Any = NO_VALUE, out: Any = None, *, min: Any = NO_VALUE,
    max: Any = NO_VALUE, **kwargs: Any,
) -> Any:  # fmt: skip
    """On a bound the seed stays with ``a``; outside it goes to the bound that cut, the upper one where both
    do.
    """
    if out is not None:
        refuse("numpy.clip", out=out)
    if kwargs:
        refuse("numpy.clip", **{k: v for k, v in kwargs.items() if k != "dtype"})
    low = min if a_min is NO_VALUE else a_min
    high = max if a_max is NO_VALUE else a_max
    low = None if low is NO_VALUE else low
    high = None if high is NO_VALUE else high
    y = np.clip(a, low, high, **kwargs)

    def above() -> Any:
        return _np.greater(a if low is None else np.maximum(a, low), high)

    def clip_pullback(y_bar: Any) -> Any:
        own = np.equal(y, a)
        return (
            # Where the lower bound is above the upper one, ``a`` may be equal to that and have no part in it.
            np.where(own if low is None else own & ~np.less(a, low), y_bar, 0.0),
            None if low is None else Thunk(lambda: np.where(np.less(a, low) & ~_or_false(high, above), y_bar, 0.0)),
            None if high is None else Thunk(lambda: np.where(above(), y_bar, 0.0)),
        )

    return y, clip_pullback


def _or_false(bound: Any, test: Any) -> Any:
    return np.False_ if bound is None else test()


rrule(np.clip)(leading(clip_rule, active=3))


def method_clip_rule(a: Any, min: Any = None, max: Any = None, out: Any = None, **kwargs: Any) -> Any:
    """As `numpy.clip`."""
    return clip_rule(a, min, max, out, **kwargs)


rrule(np.ndarray.clip)(leading(method_clip_rule, active=3))


def sorting(a: Any, axis: Any, descending: Any) -> Any:
    """Where `numpy.sort` takes its elements from; ``descending`` is of NumPy 2.5."""
    return _np.argsort(a, axis=axis, stable=True, **given(descending=descending))


@rrule(np.sort)
@leading
def sort_rule(
    a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None, descending: Any = None
) -> Any:
    """The seed back to where each element came from; equal ones in their order."""
    refuse("numpy.sort", order=order)
    y = _np.sort(a, axis=axis, **given(kind=kind, stable=stable, descending=descending))
    a = as_array(a)

    def sort_pullback(y_bar: Any) -> Any:
        found = sorting(a, axis, descending)
        if axis is None:
            return scatter(found, y_bar, a.size).reshape(a.shape)
        back = np.argsort(found, axis=axis, kind="stable")
        return np.take_along_axis(as_array(y_bar), back, axis=axis)

    return y, sort_pullback


@rrule(np.partition)
@leading
def partition_rule(a: Any, kth: Any, axis: Any = -1, kind: Any = "introselect", order: Any = None) -> Any:
    """As `numpy.sort`, for the order that the partition has."""
    refuse("numpy.partition", order=order)
    y = _np.partition(a, kth, axis=axis, kind=kind)
    a = as_array(a)

    def partition_pullback(y_bar: Any) -> Any:
        if axis is None:
            return ordered(a.ravel(), y_bar, 0).reshape(a.shape)
        return ordered(a, y_bar, axis)

    def ordered(a: Any, y_bar: Any, axis: int) -> Any:
        # The two hold the same numbers: those of equal rank belong together.
        rank = np.argsort(np.argsort(a, axis, kind="stable"), axis, kind="stable")
        found = np.take_along_axis(as_array(y_bar), np.argsort(y, axis, kind="stable"), axis)
        return np.take_along_axis(found, rank, axis)

    return y, partition_pullback


@rrule(np.sort_complex)
def sort_complex_rule(a: Any) -> Any:
    """As `numpy.sort`."""
    y = np.sort_complex(a)
    order = np.argsort(as_array(a).astype(y.dtype), axis=-1, kind="stable")
    back = np.argsort(order, axis=-1, kind="stable")
    return y, lambda y_bar: np.take_along_axis(as_array(y_bar), back, axis=-1)
