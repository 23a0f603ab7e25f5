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
    """Whether no product of some of the elements of a vector can be far from 1."""
    steps = 0.0
    for i in range(len(x)):
        size = abs(x[i])
        if size != 0:
            steps += abs(np.log2(size))
    return steps < 60
