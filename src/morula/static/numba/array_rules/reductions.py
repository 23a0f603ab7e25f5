"""Sums along axes; traces."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.cpython.unsafe import tuple as unsafe_tuple
from numba.extending import overload

from morula.static.numba.array_rules.registry import array_rule
from morula.static.numba.array_rules.shared import like

tuple_setitem: Any = unsafe_tuple.tuple_setitem


def widened(y: Any, x: Any, axis: Any) -> Any:
    """``y``, reduced from ``x`` along ``axis`` (an int or several), with those axes kept at length one."""
    if axis is None or np.ndim(y) == 0:
        return y
    return np.expand_dims(y, axis)


@overload(widened, strict=False)
def _widened(y: Any, x: Any, axis: Any) -> Any:
    if not isinstance(y, types.Array) or y.ndim == 0:
        return lambda y, x, axis: y
    if isinstance(axis, types.Integer):
        return lambda y, x, axis: np.expand_dims(y, axis)
    if isinstance(axis, types.Tuple):  # of no axes
        return lambda y, x, axis: y

    def widened_along_several(y: Any, x: Any, axis: Any) -> Any:
        shape = x.shape
        for k in axis:
            shape = tuple_setitem(shape, k if k >= 0 else k + x.ndim, 1)
        return np.ascontiguousarray(y).reshape(shape)

    return widened_along_several


@array_rule(np.sum, linear=True, axis=None, dtype=None)
def sum_adjoint(y: Any, y_bar: Any, a: Any, axis: Any, dtype: Any, a_bar: Any) -> None:
    """The seed, spread over what was summed."""
    a_bar += like(a, widened(y_bar, a, axis))


@array_rule(np.cumsum, linear=True, axis=None, dtype=None)
def cumsum_adjoint(y: Any, y_bar: Any, a: Any, axis: Any, dtype: Any, a_bar: Any) -> None:
    """The running sum from the far end; of the flat array it is `front.array_bodies.cumsum`."""
    seeds, bars = np.swapaxes(y_bar, axis, 0), np.swapaxes(a_bar, axis, 0)
    total = np.zeros(seeds.shape[1:], y_bar.dtype)
    for k in range(len(seeds) - 1, -1, -1):
        total = total + seeds[k]
        bars[k] += like(a, total)


@array_rule(np.trace, linear=True, offset=0)
def trace_adjoint(y: Any, y_bar: Any, a: Any, offset: Any, a_bar: Any) -> None:
    """The seed on the diagonal."""
    for i in range(max(0, -offset), min(a.shape[0], a.shape[1] - offset)):
        a_bar[i, i + offset] += y_bar
