"""Making arrays out of active values: `array` and its kin, `full`, `linspace`, conversions, copies."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...rules import rrule
from .shared import NO_VALUE, as_array, given, leading, refuse

_np: Any = np


def _seed(y_bar: Any) -> Any:
    return y_bar


def _cut_off(y_bar: Any) -> Any:
    """Nothing gets through a conversion to integers."""
    return None


# The cotangent of ``np.array(obj)`` is that of ``obj``: projection splits it for nested lists.
CONVERSIONS = (
    np.array, np.asarray, np.asanyarray, np.ascontiguousarray, np.asfortranarray, np.asarray_chkfinite,
    np.copy, np.ndarray.copy, np.require, np.astype,
)  # fmt: skip
for f in CONVERSIONS:

    def _conversion(*args: Any, f: Any = f, **kwargs: Any) -> Any:
        """The seed."""
        y = f(*args, **kwargs)
        if y.dtype.kind in "iub" and ("dtype" in kwargs or len(args) > 1):
            return y, _cut_off
        if "ndmin" in kwargs or not isinstance(args[0], (list, tuple)):
            shape = np.shape(args[0])
            if shape != y.shape:
                if y.dtype.kind == "O":
                    return NotImplemented
                return y, lambda y_bar: y_bar.reshape(shape)
        return y, _seed

    rrule(f)(leading(_conversion))


@rrule(np.ndarray.astype)
@leading
def astype_rule(a: Any, dtype: Any, *args: Any, **kwargs: Any) -> Any:
    """The seed; a numeric zero where the new type has no derivative."""
    y = a.astype(dtype, *args, **kwargs)
    if y.dtype.kind not in "fcO":
        return y, lambda y_bar: np.zeros(a.shape)
    return y, _seed


@rrule(np.ndarray.__copy__)
@rrule(np.ndarray.__deepcopy__)
@leading
def copy_rule(a: Any, *args: Any) -> Any:
    """The seed."""
    return (a.__deepcopy__(*args) if args else a.__copy__()), _seed


@rrule(np.ndarray.tolist)
def tolist_rule(a: Any) -> Any:
    """The seed: projection makes an array of the nested list."""
    return a.tolist(), lambda y_bar: [y_bar] if isinstance(y_bar, tuple) else y_bar


@rrule(np.ndarray.item)
@leading
def item_rule(a: Any, *index: Any) -> Any:
    """The seed in its cell."""
    y = a.item(*index)

    def item_pullback(y_bar: Any) -> Any:
        a_bar = np.zeros(a.shape, np.result_type(np.asarray(y_bar), np.float64))
        at: Any = 0 if not index else index[0] if len(index) == 1 else np.ravel_multi_index(index, a.shape)
        cell = at if isinstance(at, tuple) else np.unravel_index(int(at) % a.size, a.shape)
        a_bar[cell] = y_bar
        return a_bar

    return y, item_pullback


for t in (np.float64, np.float32, np.float16, np.longdouble, np.complex128, np.complex64):

    def _scalar(*args: Any, t: Any = t) -> Any:
        """The seed."""
        return (t(*args), _seed) if len(args) == 1 else NotImplemented

    rrule(t, (float, int, complex, np.number, np.ndarray))(_scalar)


def full_rule(shape: Any, fill_value: Any, *args: Any, **kwargs: Any) -> Any:
    """The seed: projection sums it."""
    return np.full(shape, fill_value, *args, **kwargs), lambda y_bar: (None, y_bar)


rrule(np.full)(leading(full_rule, active=2))


def full_like_rule(a: Any, fill_value: Any, *args: Any, **kwargs: Any) -> Any:
    """The seed to the value; ``a`` gives only its shape."""
    return np.full_like(a, fill_value, *args, **kwargs), lambda y_bar: (None, y_bar)


rrule(np.full_like)(leading(full_like_rule, active=2))


def linspace_rule(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, retstep: bool = False, dtype: Any = None,
    axis: int = 0, **kwargs: Any,
) -> Any:  # fmt: skip
    """``start (1 - t) + stop t``."""
    refuse("numpy.linspace", **kwargs)
    y = np.linspace(start, stop, num, endpoint, retstep, dtype, axis)  # type: ignore[call-overload]
    parts = num - 1 if endpoint else num

    def linspace_pullback(y_bar: Any) -> Any:
        points_bar, step_bar = y_bar if retstep else (y_bar, None)
        start_bar: Any = 0.0
        stop_bar: Any = 0.0
        if points_bar is not None:
            g = np.moveaxis(as_array(points_bar), axis, 0)
            t = (np.arange(num) / max(parts, 1)).reshape((num,) + (1,) * (g.ndim - 1))
            start_bar, stop_bar = np.sum(g * (1 - t), axis=0), np.sum(g * t, axis=0)
        if step_bar is not None:
            start_bar, stop_bar = start_bar - step_bar / parts, stop_bar + step_bar / parts
        return start_bar, stop_bar

    return y, linspace_pullback


rrule(np.linspace)(leading(linspace_rule, active=2))


def arange_rule(start: Any = NO_VALUE, stop: Any = None, step: Any = None, dtype: Any = None, **options: Any) -> Any:
    """``start + i step``; where it stops decides only how many there are."""
    if start is NO_VALUE:
        y = _np.arange(stop=stop, dtype=dtype, **given(step=step), **options)
    else:
        y = _np.arange(start, stop, step, dtype=dtype, **options)
    if y.dtype.kind in "iub":
        return y, lambda y_bar: (None, None, None)

    def arange_pullback(y_bar: Any) -> Any:
        start_bar = 0.0 if stop is None else np.sum(y_bar)
        step_bar = None if step is None else np.sum(np.arange(len(y_bar)) * y_bar)
        return start_bar, None if stop is None else 0.0, step_bar

    return y, arange_pullback


rrule(np.arange)(leading(arange_rule, active=3))


@rrule(np.ix_)
def ix_rule(*args: Any) -> Any:
    """The seeds in the old shapes; of a mask there is none."""
    shapes = [None if as_array(a).dtype.kind == "b" else np.shape(a) for a in args]

    def ix_pullback(y_bar: Any) -> Any:
        return tuple(None if g is None or s is None else np.reshape(g, s) for g, s in zip(y_bar, shapes, strict=True))

    return np.ix_(*args), ix_pullback


def _evenly(g: Any, num: int, endpoint: bool) -> Any:
    """The sums of ``g`` along the first axis, weighted for the start and for the stop."""
    t = np.arange(num) / max(num - 1 if endpoint else num, 1)
    t = t.reshape((num,) + (1,) * (g.ndim - 1))
    return np.sum(g * (1 - t), axis=0), np.sum(g * t, axis=0)


def logspace_rule(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, base: Any = 10.0, dtype: Any = None,
    axis: int = 0,
) -> Any:  # fmt: skip
    """Through the exponents, which are evenly spaced."""
    refuse("numpy.logspace", dtype=dtype, axis=axis or None)
    y = np.logspace(start, stop, num, endpoint, base)
    return y, lambda y_bar: _evenly(np.conj(y * np.log(base)) * y_bar, num, endpoint)


rrule(np.logspace)(leading(logspace_rule, active=2))


def geomspace_rule(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, dtype: Any = None, axis: int = 0
) -> Any:
    """Through the logarithms, which are evenly spaced."""
    refuse("numpy.geomspace", dtype=dtype, axis=axis or None)
    y = np.geomspace(start, stop, num, endpoint)

    def geomspace_pullback(y_bar: Any) -> Any:
        start_bar, stop_bar = _evenly(np.conj(y) * y_bar, num, endpoint)
        return start_bar / np.conj(start), stop_bar / np.conj(stop)

    return y, geomspace_pullback


rrule(np.geomspace)(leading(geomspace_rule, active=2))


@rrule(np.vander)
@leading
def vander_rule(x: Any, N: Any = None, increasing: bool = False) -> Any:
    """``k x**(k-1)`` in each column."""
    y = np.vander(x, N, increasing)
    x = as_array(x)

    def vander_pullback(y_bar: Any) -> Any:
        n = y.shape[1]
        k = np.arange(n) if increasing else np.arange(n)[::-1]
        lower = np.vander(x, n, True)[:, np.maximum(k - 1, 0)]
        return np.sum(np.conj(k * lower) * y_bar, axis=1)

    return y, vander_pullback
