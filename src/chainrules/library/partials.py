"""Partial derivatives that need a second thought, shared by Python's and NumPy's functions.

Each takes numbers and arrays, and gives the limit (an infinity, a zero) instead of an exception at singular
points.
"""

from __future__ import annotations

import cmath
import math
import numbers
from typing import Any

import numpy as np

NUMERIC = (float, int, complex, np.ndarray, np.number, np.bool_, numbers.Number)
"""What a rule for an operator accepts: numbers and arrays, not lists or strings."""

_inf = math.inf
_exact = (float, int)


def reciprocal(x: Any) -> Any:
    """``1 / x``, an infinity of the sign of the zero at 0; of a fraction a fraction.

    >>> reciprocal(4), reciprocal(0.0), reciprocal(-0.0), reciprocal(10**400)
    (0.25, inf, -inf, 0.0)
    """
    try:
        return 1 / x
    except ZeroDivisionError:
        return math.copysign(_inf, x) if not isinstance(x, complex) else complex(_inf, 0.0)


def quotient(a: Any, b: Any) -> Any:
    """``a / b``, with NumPy's infinities in place of Python's `ZeroDivisionError`.

    >>> quotient(1.0, 0.0), quotient(0.0, 0.0)
    (inf, nan)
    """
    try:
        return a / b
    except ZeroDivisionError:
        if isinstance(a, complex) or isinstance(b, complex):
            return complex(math.nan, math.nan) if a == 0 or a != a else complex(_inf, 0.0)
        return math.nan if a == 0 or a != a else math.copysign(_inf, a) * math.copysign(1.0, b)


def power_dx(y: Any, x: Any, p: Any) -> Any:
    """``d(x**p)/dx = p x**(p - 1)``, with its limits at ``x == 0``; 0 wherever ``p == 0``.

    >>> power_dx(0.0, 0.0, 0), power_dx(0.0, 0.0, 1), power_dx(0.0, 0.0, 0.5), power_dx(9.0, 3.0, 2)
    (0.0, 1.0, inf, 6.0)
    """
    if type(x) in _exact and type(p) in _exact:
        if p == 2:
            return x + x
        if p == 0:
            return 0.0
        try:
            dx = p * x ** (p - 1)
        except ZeroDivisionError:
            return _pole(x, p)
        except OverflowError:
            return _overflow(x, p)
        # np.power of a negative number is NaN where Python's ** turns complex.
        return dx if type(dx) is not complex or isinstance(y, complex) else math.nan
    if isinstance(x, np.ndarray) or isinstance(p, np.ndarray) or isinstance(x, np.generic):
        return _array_power_dx(x, p)
    if p == 0:
        return p  # a zero of its own kind
    try:
        return p * x ** (p - 1)
    except ZeroDivisionError:
        return _inf


def _pole(x: Any, p: Any) -> float:
    """The limit of ``p x**(p-1)`` at a zero ``x`` for ``p < 1``."""
    odd = float(p).is_integer() and p % 2 == 0
    return math.copysign(_inf, p) * (math.copysign(1.0, x) if odd else 1.0)


def _overflow(x: Any, p: Any) -> float:
    odd = p % 2 == 0
    return math.copysign(_inf, p) * (-1.0 if x < 0 and odd else 1.0)


def _array_power_dx(x: Any, p: Any) -> Any:
    if isinstance(p, (int, float)):
        if p == 2:
            return _inexact(x) * 2
        if p == 1:
            return np.ones_like(_inexact(x))
        if p == 0:
            return np.zeros_like(_inexact(x))
        return p * _inexact(x) ** (p - 1)
    p = _inexact(p)
    return np.where(p == 0, 0.0, p * np.power(_inexact(x), np.where(p == 0, 1, p - 1)))


def _inexact(x: Any) -> Any:
    """``x`` with integers made floats: NumPy refuses negative integer powers of integers."""
    x = np.asarray(x) if not isinstance(x, np.generic) else x
    return x.astype(np.float64) if x.dtype.kind in "iub" else x


def power_dp(y: Any, x: Any, p: Any) -> Any:
    """``d(x**p)/dp = y log|x|`` (``y log x`` for complex numbers), 0 at ``x == 0`` for ``p > 0``.

    >>> power_dp(0.0, 0.0, 2.0), power_dp(1.0, 0.0, 0.0), power_dp(1.0, 1.0, 5.0)
    (0.0, -inf, 0.0)
    """
    if type(x) in _exact and type(p) in _exact and type(y) is not complex:
        if x == 0:
            return 0.0 if p > 0 else -_inf
        return y * math.log(abs(x))
    if isinstance(x, np.ndarray) or isinstance(p, np.ndarray) or isinstance(y, (np.generic, np.ndarray)):
        return _array_power_dp(y, x, p)
    if isinstance(y, complex):
        return 0.0 if x == 0 else y * cmath.log(x)
    if x != 0 and hasattr(x, "ln"):  # a Decimal
        return y * abs(x).ln()
    return 0.0 if x == 0 and p > 0 else y * math.log(abs(x)) if x != 0 else -_inf


def _array_power_dp(y: Any, x: Any, p: Any) -> Any:
    x = np.asarray(x)
    at_zero = x == 0
    if np.iscomplexobj(y):
        log = np.log(np.where(at_zero, 1, x).astype(np.asarray(y).dtype))
        return y * log
    log = np.log(np.abs(np.where(at_zero, 1, x)))
    if not at_zero.any():
        return y * log
    return np.where(at_zero, np.where(np.real(p) > 0, 0.0, -_inf), y * log)


def remainder_dy(y: Any, a: Any, b: Any) -> Any:
    """``d(a % b)/db = -floor(a / b)``.

    >>> remainder_dy(1.0, 7.0, 3.0)
    -2.0
    """
    if type(b) is float:
        return -(a // b) if b != 0 else math.nan  # by 0 NumPy divides
    return -(a // b)


def signum(x: Any) -> Any:
    """-1, 0 or 1: the derivative of ``abs`` for real ``x``, 0 at 0.

    >>> signum(-2.5), signum(0.0)
    (-1.0, 0.0)
    """
    if type(x) is float or type(x) is int:
        return 1.0 if x > 0 else -1.0 if x < 0 else 0.0 if x == 0 else math.nan
    if isinstance(x, (np.ndarray, np.generic)):
        return np.sign(x)
    return 1 if x > 0 else -1 if x < 0 else 0


def phase(y: Any, z: Any) -> Any:
    """``z / |z|``, 0 at 0: ``d|z|`` in the direction of ``z``; ``y`` is ``|z|``.

    >>> phase(5.0, 3 + 4j)
    (0.6+0.8j)
    """
    if isinstance(z, np.ndarray):
        return np.where(y == 0, 0, z) / np.where(y == 0, 1, y)
    return z / y if y != 0 else z * 0


def angle_leg(x: Any, y: Any) -> Any:
    """``x / (x**2 + y**2)``, 0 at the origin: the partials of ``atan2``; nothing overflows on the way.

    >>> angle_leg(2.0, 0.0), angle_leg(0.0, 0.0), angle_leg(4e200, 0.0)
    (0.5, 0.0, 2.5e-201)
    """
    if x == 0 and y == 0:
        return 0.0
    if abs(x) >= abs(y) or y == 0:  # which also holds beside a NaN
        t = y / x
        return 1.0 / x / (1.0 + t * t)
    t = x / y
    return t / y / (1.0 + t * t)


def leg(y: Any, x: Any) -> Any:
    """``x / y`` with ``y = hypot(x, ...)``, 0 where ``y`` is 0.

    >>> leg(5.0, 3.0), leg(0.0, 0.0)
    (0.6, 0.0)
    """
    if isinstance(y, np.ndarray):
        return np.where(y == 0, 0.0, x) / np.where(y == 0, 1.0, y)
    return x / y if y != 0 else 0.0
