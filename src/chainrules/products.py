"""Products and quotients in which an exact zero is strong: it kills an infinity or a NaN on the other side.

The chain rule multiplies a partial by a seed. Where a seed is exactly 0 the result does not depend on what
lies behind it, and where a partial is exactly 0 the seed does not matter; IEEE arithmetic would say NaN.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["strong_div", "strong_mul"]

_ndarray = np.ndarray
_vdot = np.vdot
_smallest = np.minimum.reduce
# Elements from which on the inner product may be left to several threads, which wait for each other: on a machine
# whose cores are busy that takes a thousand times as long as to look for the smallest element.
_THREADED = 8192


def has_nan_quickly(r: Any) -> bool:
    """Whether an array holds a NaN, from one sum or minimum and without an array of booleans.

    Args:
        r: a real or complex array of any shape.

    >>> has_nan_quickly(np.array([1.0, np.nan])), has_nan_quickly(np.array([[1.0, np.inf]]))
    (True, False)
    """
    # One NaN makes the sum of squares NaN, and the minimum; an infinity alone makes the sum infinite.
    if r.size < _THREADED:
        s = r.dot(r) if r.ndim == 1 else _vdot(r, r)
    else:
        s = _smallest(r, None)
    return bool(s != s)


def strong_mul(p: Any, g: Any) -> Any:
    """``p * g`` where an exact zero on either side gives zero, whatever the other side is.

    Args:
        p: number or array, usually a partial derivative.
        g: number or array that broadcasts with ``p``, usually a seed.

    Returns:
        The product, with broadcasting. NumPy may report an invalid value where ``0 * inf`` occurs; wrap
        many calls in one ``np.errstate(all="ignore")``.

    >>> strong_mul(0.0, float("inf")), strong_mul(2.0, 3.0)
    (0.0, 6.0)
    """
    r = p * g
    if type(r) is _ndarray:
        if has_nan_quickly(r):
            return np.where(_either_zero(p, g), 0.0, r).astype(r.dtype, copy=False)
    elif r != r and (p == 0 or g == 0):
        return type(r)(0)
    return r


def strong_div(g: Any, d: Any) -> Any:
    """``g / d`` where an exact zero in ``g`` gives zero, whatever ``d`` is.

    Args:
        g: number or array, usually a seed.
        d: number or array that broadcasts with ``g``.

    Returns:
        The quotient. A Python zero in ``d`` gives an infinity, as NumPy has it, instead of an exception.

    >>> strong_div(0.0, 0.0), strong_div(1.0, 0.0), strong_div(1.0, 2.0)
    (0.0, inf, 0.5)
    """
    try:
        r = g / d
    except ZeroDivisionError:
        return type(g)(0) if g == 0 else g * np.inf
    if type(r) is _ndarray:
        if has_nan_quickly(r):
            return np.where(np.equal(g, 0), 0.0, r).astype(r.dtype, copy=False)
    elif r != r and g == 0:
        return type(r)(0)
    return r


def _either_zero(p: Any, g: Any) -> Any:
    return np.equal(p, 0) | np.equal(g, 0)
