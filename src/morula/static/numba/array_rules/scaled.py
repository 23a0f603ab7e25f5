"""Numbers as a mantissa and a power of two: for products that leave the range of floats on the way only."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba.extending import register_jitable


@register_jitable
def scaled(x: Any, e: Any) -> Any:
    """``(m, k)`` with ``m 2**k = x 2**e`` and the larger part of ``m`` about 1/2; ``k`` is 0 for a zero."""
    size = max(abs(x.real), abs(x.imag))
    if size == 0:
        return x, 0
    if not np.isfinite(size):
        return x, e
    k = math.frexp(size)[1]
    return shifted(x, -k), e + k


@register_jitable
def shifted(x: Any, e: Any) -> Any:
    """``x 2**e`` without an overflow of the power alone."""
    half = max(-1100, min(1100, e // 2))
    return x * np.ldexp(1.0, half) * np.ldexp(1.0, max(-1100, min(1100, e - half)))


@register_jitable
def add_scaled(x: Any, e: Any, z: Any, f: Any) -> Any:
    """The sum of two such numbers."""
    if x == 0:
        return z, f
    if z == 0:
        return x, e
    top = max(e, f)
    return scaled(shifted(x, e - top) + shifted(z, f - top), top)


@register_jitable
def stays_in_range(x: Any) -> bool:
    """Whether no product of some of the elements of a vector that are not 0 can leave the range of floats.

    Told by the largest and the smallest of them: gradients of `numpy.prod` and `numpy.cumprod` of 10,000 numbers take
    67 and 86 us where it holds, 800 and 1,300 with exponents, and as plain loops 33 and 57.
    """
    low, high = 1.0, 1.0
    for i in range(len(x)):
        size = abs(x[i])
        if size != 0:
            low, high = min(low, size), max(high, size)
    edge = np.zeros_like(x[:1])
    if len(x):
        edge[0] = 2.0**200  # infinite in single precision
    powers = 900.0 if np.isfinite(np.sum(edge)) else 110.0
    return len(x) * max(np.log2(high), -np.log2(low)) < powers
