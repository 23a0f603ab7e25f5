"""Sums and products, over axes and running."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...derived import by_operand
from ...rules import rrule
from .shared import (
    DOUBLE,
    NO_VALUE,
    as_array,
    given,
    kept_shape,
    leading,
    ndarray,
    normal_axes,
    reduced_size,
    refuse,
    spread,
)

_np: Any = np


def _space(a: Any, axis: Any) -> tuple[tuple[int, ...], tuple[int, ...] | None, tuple[int, ...]]:
    """The shape of ``a``, that shape with the reduced axes kept (``None``: all of them are reduced), and the
    axes.
    """
    shape = a.shape if isinstance(a, ndarray) else np.shape(a)
    if axis is None:
        return shape, None, tuple(range(len(shape)))
    axes = normal_axes(axis, len(shape))
    return shape, kept_shape(shape, axes), axes


def _masked(x_bar: Any, where: Any) -> Any:
    return x_bar if where is NO_VALUE or where is True else np.where(where, x_bar, 0)


def check_dtype(name: str, dtype: Any, a: Any) -> None:
    """Refuse a ``dtype`` that rounds the numbers of ``a``, or drops their imaginary part."""
    if dtype is None or dtype is NO_VALUE:
        return
    kind, own = np.dtype(dtype).kind, as_array(a).dtype.kind
    if (own in "fc" and kind in "iub") or (own == "c" and kind == "f"):
        refuse(name, dtype=dtype)


def _sum_of_all(a: Any, *rest: Any) -> Any:
    """The sum of all elements of an array, and what gives its cotangent."""
    if rest or type(a) is not ndarray:
        return None
    return _np.add.reduce(a, None), (a.shape,), (_spread_to,)


def _spread_to(shape: tuple[int, ...], y_bar: Any) -> Any:
    return spread(y_bar, shape, None)


@rrule(np.sum)
@rrule(np.ndarray.sum)
@by_operand(_sum_of_all)
@leading
def sum_rule(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False,
    initial: Any = NO_VALUE, where: Any = True,
) -> Any:  # fmt: skip
    """The seed, spread over what was summed."""
    if out is not None:
        refuse("numpy.sum", out=out)
    if hasattr(a, "__next__"):
        return NotImplemented
    if dtype is not None:
        check_dtype("numpy.sum", dtype, a)
    if type(a) is ndarray and initial is NO_VALUE and where is True:
        y = _np.add.reduce(a, axis, dtype, None, keepdims)
        shape = a.shape
        if axis is None:
            return y, lambda y_bar: spread(y_bar, shape, None)
        kept = kept_shape(shape, normal_axes(axis, len(shape)))
        return y, lambda y_bar: spread(y_bar, shape, kept)
    y = np.sum(a, axis, dtype, keepdims=keepdims, where=where, **given(initial=initial))
    shape, space, _ = _space(a, axis)
    return y, lambda y_bar: _masked(spread(y_bar, shape, space), where)


def _mean_of_all(a: Any, *rest: Any) -> Any:
    """The mean of all elements of an array, and what gives its cotangent."""
    if rest or type(a) is not ndarray or a.dtype is not DOUBLE or not a.size:
        return None
    n = a.size  # as NumPy computes it
    return _np.add.reduce(a, None) / n, (n, a.shape), (_part_to,)


def _part_to(n: int, shape: tuple[int, ...], y_bar: Any) -> Any:
    return spread(y_bar / n, shape, None)


@rrule(np.mean)
@rrule(np.ndarray.mean)
@by_operand(_mean_of_all)
@leading
def mean_rule(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    *,
    where: Any = NO_VALUE,
) -> Any:
    """The seed divided by the count, spread."""
    if out is not None:
        refuse("numpy.mean", out=out)
    if not isinstance(a, ndarray):
        a = np.asarray(a)
    if dtype is not None:
        check_dtype("numpy.mean", dtype, a)
    elif axis is None and not keepdims and where is NO_VALUE and (found := _mean_of_all(a)) is not None:
        return found[0], lambda y_bar: _part_to(a.size, a.shape, y_bar)
    shape, space, axes = _space(a, axis)
    if where is NO_VALUE or where is True:
        y = a.mean(axis, dtype, None, keepdims)
        n = a.size if axis is None else reduced_size(shape, axes)
        return y, lambda y_bar: spread(y_bar / (n or 1), shape, space)
    y = a.mean(axis, dtype, None, keepdims, where=where)
    counts = np.sum(np.broadcast_to(where, shape), axis=axis, keepdims=keepdims)
    return y, lambda y_bar: _masked(spread(y_bar / np.maximum(counts, 1), shape, space), where)


@rrule(np.cumsum)
@rrule(np.ndarray.cumsum)
@leading
def cumsum_rule(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """The running sum from the far end."""
    refuse("numpy.cumsum", out=out)
    check_dtype("numpy.cumsum", dtype, a)
    y = np.cumsum(a, axis, dtype)
    shape = np.shape(a)
    axis = axis if shape else None

    def cumsum_pullback(y_bar: Any) -> Any:
        if axis is None:
            return np.cumsum(y_bar[::-1])[::-1].reshape(shape)
        return np.flip(np.cumsum(np.flip(y_bar, axis), axis), axis)

    return y, cumsum_pullback


@rrule(np.trace)
@rrule(np.ndarray.trace)
@leading
def trace_rule(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: Any = None) -> Any:
    """The seed on the diagonal."""
    refuse("numpy.trace", out=out)
    check_dtype("numpy.trace", dtype, a)
    y = np.trace(a, offset, axis1, axis2, dtype)
    shape = np.shape(a)

    def trace_pullback(y_bar: Any) -> Any:
        on = np.eye(shape[axis1], shape[axis2], offset)
        others = [i for i in range(len(shape)) if i not in (axis1 % len(shape), axis2 % len(shape))]
        x_bar = np.multiply.outer(y_bar, on)
        order = [*others, axis1 % len(shape), axis2 % len(shape)]
        return np.transpose(x_bar, np.argsort(order))

    return y, trace_pullback
