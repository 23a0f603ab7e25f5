"""Sums and products, over axes and running."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...rules import rrule
from .shared import (
    NO_VALUE,
    as_array,
    conj,
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


@rrule(np.sum)
@rrule(np.ndarray.sum)
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


@rrule(np.mean)
@rrule(np.ndarray.mean)
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
    shape, space, axes = _space(a, axis)
    if where is NO_VALUE or where is True:
        y = a.mean(axis, dtype, None, keepdims)
        n = a.size if axis is None else reduced_size(shape, axes)
        return y, lambda y_bar: spread(y_bar / n, shape, space)
    y = a.mean(axis, dtype, None, keepdims, where=where)
    counts = np.sum(np.broadcast_to(where, shape), axis=axis, keepdims=keepdims)
    return y, lambda y_bar: _masked(spread(y_bar / counts, shape, space), where)


def _rest_products(x: Any) -> Any:
    """For each element along the last axis the product of all others: running products from both sides."""
    ones = np.ones((*x.shape[:-1], 1), x.dtype)
    left = np.cumprod(np.concatenate((ones, x[..., :-1]), axis=-1), axis=-1)
    right = np.cumprod(np.concatenate((ones, x[..., :0:-1]), axis=-1), axis=-1)[..., ::-1]
    return left * right


@rrule(np.prod)
@rrule(np.ndarray.prod)
@leading
def prod_rule(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False,
    initial: Any = NO_VALUE, where: Any = True,
) -> Any:  # fmt: skip
    """The product of the other factors, exact where some are zero."""
    refuse("numpy.prod", out=out)
    a = as_array(a)
    y = np.prod(a, axis, dtype, keepdims=keepdims, where=where, **given(initial=initial))
    shape, space, axes = _space(a, axis)

    def prod_pullback(y_bar: Any) -> Any:
        x = a.astype(np.float64) if a.dtype.kind in "iub" else a
        if where is not True:
            x = np.where(where, x, np.ones((), x.dtype))
        if x.size == 0:
            return np.zeros(shape)
        others = tuple(i for i in range(x.ndim) if i not in axes)
        moved = np.transpose(x, others + axes)
        rest = _rest_products(moved.reshape(*moved.shape[: len(others)], -1)).reshape(moved.shape)
        rest = np.transpose(rest, np.argsort(others + axes))
        if initial is not NO_VALUE:
            rest = rest * initial
        return _masked(conj(rest) * spread(y_bar, shape, space), where)

    return y, prod_pullback


@rrule(np.cumsum)
@rrule(np.ndarray.cumsum)
@leading
def cumsum_rule(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """The running sum from the far end."""
    refuse("numpy.cumsum", out=out)
    y = np.cumsum(a, axis, dtype)
    shape = np.shape(a)

    def cumsum_pullback(y_bar: Any) -> Any:
        if axis is None:
            return np.cumsum(y_bar[::-1])[::-1].reshape(shape)
        return np.flip(np.cumsum(np.flip(y_bar, axis), axis), axis)

    return y, cumsum_pullback


@rrule(np.cumprod)
@rrule(np.ndarray.cumprod)
@leading
def cumprod_rule(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """``x_bar[k] = (x[0] ... x[k-1]) s[k]`` with ``s[k] = y_bar[k] + x[k+1] s[k+1]``: no division, so zeros
    are exact.
    """
    refuse("numpy.cumprod", out=out)
    y = np.cumprod(a, axis, dtype)
    a = as_array(a)

    def cumprod_pullback(y_bar: Any) -> Any:
        x = a.ravel() if axis is None else np.moveaxis(a, axis, 0)
        g = y_bar if axis is None else np.moveaxis(y_bar, axis, 0)
        if len(x) == 0:
            return np.zeros(a.shape)
        x = conj(x.astype(np.float64) if x.dtype.kind in "iub" else x)
        s = g[-1]
        sums = [s]
        for k in range(len(x) - 2, -1, -1):
            s = g[k] + x[k + 1] * s
            sums.append(s)
        before = np.concatenate((np.ones_like(x[:1]), np.cumprod(x[:-1], axis=0)))
        x_bar = before * np.stack(sums[::-1])
        return x_bar.reshape(a.shape) if axis is None else np.moveaxis(x_bar, 0, axis)

    return y, cumprod_pullback


@rrule(np.trace)
@rrule(np.ndarray.trace)
@leading
def trace_rule(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: Any = None) -> Any:
    """The seed on the diagonal."""
    refuse("numpy.trace", out=out)
    y = np.trace(a, offset, axis1, axis2, dtype)
    shape = np.shape(a)

    def trace_pullback(y_bar: Any) -> Any:
        on = np.eye(shape[axis1], shape[axis2], offset)
        others = [i for i in range(len(shape)) if i not in (axis1 % len(shape), axis2 % len(shape))]
        x_bar = np.multiply.outer(y_bar, on)
        order = [*others, axis1 % len(shape), axis2 % len(shape)]
        return np.transpose(x_bar, np.argsort(order))

    return y, trace_pullback


def _skipping_nan(f: Any, rule: Any, name: str) -> None:
    def nan_rule(a: Any, *args: Any, **kwargs: Any) -> Any:
        if hasattr(a, "__next__"):
            return NotImplemented
        a = as_array(a)
        if "where" in kwargs:
            refuse(name, where=kwargs["where"])
        _, pullback = rule(a, *args, **kwargs, where=~np.isnan(a))
        return f(a, *args, **kwargs), pullback

    rrule(f)(nan_rule)


_skipping_nan(np.nansum, sum_rule, "numpy.nansum")
_skipping_nan(np.nanmean, mean_rule, "numpy.nanmean")
_skipping_nan(np.nanprod, prod_rule, "numpy.nanprod")


def _running(f: Any, rule: Any) -> None:
    def running_rule(
        x: Any, /, *, axis: Any = None, dtype: Any = None, out: Any = None, include_initial: bool = False
    ) -> Any:
        """As the running sum or product; the initial element is a constant."""
        refuse(f.__name__, out=out)
        y = f(x, axis=axis, dtype=dtype, include_initial=include_initial)
        along = 0 if axis is None else axis
        _, pullback = rule(np.ravel(x) if axis is None else as_array(x), axis=along, dtype=dtype)
        shape = np.shape(x)

        def running_pullback(y_bar: Any) -> Any:
            g = np.delete(y_bar, 0, along) if include_initial else y_bar
            return pullback(g).reshape(shape)

        return y, running_pullback

    rrule(f)(running_rule)


if hasattr(np, "cumulative_sum"):
    _running(np.cumulative_sum, cumsum_rule)
    _running(np.cumulative_prod, cumprod_rule)


def _running_past_nan(f: Any, rule: Any, instead: float) -> None:
    def running_rule(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
        """As without NaNs, which count as nothing."""
        refuse(f.__name__, out=out)
        a = as_array(a)
        missing = np.isnan(a)
        _, pullback = rule(np.where(missing, instead, a), axis=axis, dtype=dtype)
        return f(a, axis, dtype), lambda y_bar: np.where(missing, 0.0, pullback(y_bar))

    rrule(f)(leading(running_rule))


_running_past_nan(np.nancumsum, cumsum_rule, 0.0)
_running_past_nan(np.nancumprod, cumprod_rule, 1.0)
