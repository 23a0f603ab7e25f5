"""Sums, means, products and moments, over all elements; sums along axes too.

Empty arrays have nothing to add to.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.cpython.unsafe.tuple import tuple_setitem
from numba.extending import overload

from .registry import array_rule
from .shared import like


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


def sum_tangent(y: Any, a: Any, axis: Any, dtype: Any, a_dot: Any) -> Any:
    """The sum of the tangents."""
    return np.sum(a_dot, axis, dtype)


@array_rule(np.sum, tangent=sum_tangent, linear=True, axis=None, dtype=None)
def sum_adjoint(y: Any, y_bar: Any, a: Any, axis: Any, dtype: Any, a_bar: Any) -> None:
    """The seed, spread over what was summed."""
    if axis is None:
        a_bar += like(a, y_bar)
    elif a.ndim == 2:
        a_bar += like(a, widened(y_bar, a, axis))
    else:
        a_bar += like(a, widened(y_bar, a, axis))


def cumsum_tangent(y: Any, a: Any, axis: Any, dtype: Any, a_dot: Any) -> Any:
    """The running sum of the tangents."""
    return np.cumsum(a_dot, axis, dtype)


@array_rule(np.cumsum, tangent=cumsum_tangent, linear=True, axis=None, dtype=None)
def cumsum_adjoint(y: Any, y_bar: Any, a: Any, axis: Any, dtype: Any, a_bar: Any) -> None:
    """The running sum from the far end."""
    if axis is None:
        total = like(a, np.sum(y_bar))
        k = 0
        for at in np.ndindex(a.shape):
            a_bar[at] += total
            total -= like(a, y_bar[k])
            k += 1
