"""NumPy's universal functions of numbers: a table of partial derivatives."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...scalar import scalar_rule
from ..partials import leg, power_dp, power_dx, reciprocal, remainder_dy

_LN2 = float(np.log(2.0))
_LN10 = float(np.log(10.0))
_DEGREE = float(np.pi / 180)


def logistic(d: Any) -> Any:
    """``1 / (1 + exp(-d))``, which is 0 where the exponential overflows.

    >>> float(logistic(0.0)), float(logistic(-np.inf))
    (0.5, 0.0)
    """
    return 1 / (1 + np.exp(-d))


def logistic2(d: Any) -> Any:
    """``1 / (1 + 2**-d)``, which is 0 where the power overflows."""
    return 1 / (1 + np.exp2(-d))


def difference(a: Any, b: Any) -> Any:
    """``a - b``, 0 where the two are the same infinity."""
    return np.where(np.equal(a, b) & np.isinf(a), 0.0, np.subtract(a, b))


# d/dx sum_k (-1)^k (pi x)^(2k) / (2k + 1)!, divided by x: by powers of x**2.
_SINC_SLOPES = [(-1.0) ** k * 2 * k * math.pi ** (2 * k) / math.factorial(2 * k + 1) for k in range(1, 11)]


def sinc_dx(y: Any, x: Any) -> Any:
    """``d sinc(x)/dx`` with ``sinc(x) = sin(pi x)/(pi x)``; a series where the quotient loses its digits."""
    small = np.abs(x) < 0.5
    inside = np.where(small, x, 0.0)
    safe = np.where(small, 1.0, x)
    square, series = np.square(inside), np.zeros_like(inside)
    for c in _SINC_SLOPES[::-1]:
        series = series * square + c
    return np.where(small, inside * series, (np.cos(np.pi * safe) - y) / safe)


def arcsinh_dx(y: Any, x: Any) -> Any:
    """``1 / sqrt(1 + x**2)``, whose square does not overflow for real ``x``."""
    return np.true_divide(1, np.sqrt(1 + np.square(x)) if np.iscomplexobj(x) else np.hypot(1, x))


def leg_of_one(x: Any) -> Any:
    """``sqrt(1 - x**2)``; of complex numbers in factors, the signs of whose imaginary zeros choose the branch."""
    return np.sqrt(-(x - 1.0)) * np.sqrt(1.0 + x) if np.iscomplexobj(x) else np.sqrt((1.0 - x) * (1.0 + x))


def turn(a: Any, b: Any) -> Any:
    """``b / (a**2 + b**2)``, 0 at 0, without squares that leave the range."""
    if isinstance(a, float) and isinstance(b, float):
        if not a and not b:
            return 0.0
        if not b or abs(b) < abs(a):  # Python raises where it divides by 0
            return (t := b / a) / a / (1.0 + t * t)
        return 1.0 / b / (1.0 + (t := a / b) * t)
    is_far, at_origin = np.abs(b) < np.abs(a), np.equal(a, 0) & np.equal(b, 0)
    large = np.where(at_origin, 1.0, np.where(is_far, a, b))
    t = np.where(is_far, b, a) / large
    return np.where(at_origin, 0.0, np.where(is_far, t, 1.0)) / large / (1.0 + t * t)


# Exact for real and complex arguments alike: the functions are holomorphic, piece by piece at least.
HOLOMORPHIC: list[tuple[Any, ...]] = [
    (np.add, 1, 1),
    (np.subtract, 1, -1),
    (np.multiply, lambda y, a, b: b, lambda y, a, b: a),
    (np.true_divide, lambda y, a, b: np.true_divide(1.0, b), lambda y, a, b: -y / b),
    (np.power, power_dx, power_dp),
    (np.float_power, power_dx, power_dp),
    (np.negative, -1),
    (np.positive, 1),
    (np.square, lambda y, x: 2.0 * x),
    (np.reciprocal, lambda y, x: -y * y),
    (np.sqrt, lambda y, x: 0.5 / y),
    (np.exp, lambda y, x: y),
    (np.exp2, lambda y, x: _LN2 * y),
    (np.expm1, lambda y, x: np.exp(x)),
    (np.log, lambda y, x: reciprocal(x)),
    (np.log2, lambda y, x: np.true_divide(1 / _LN2, x)),
    (np.log10, lambda y, x: np.true_divide(1 / _LN10, x)),
    (np.log1p, lambda y, x: np.true_divide(1, 1 + x)),
    (np.sin, lambda y, x: np.cos(x)),
    (np.cos, lambda y, x: -np.sin(x)),
    (np.tan, lambda y, x: 1 + y * y),
    (np.sinh, lambda y, x: np.cosh(x)),
    (np.cosh, lambda y, x: np.sinh(x)),
    (np.tanh, lambda y, x: 1 - y * y),
    (np.arcsin, lambda y, x: np.true_divide(1, leg_of_one(x))),
    (np.arccos, lambda y, x: np.true_divide(-1, leg_of_one(x))),
    (np.arctan, lambda y, x: np.true_divide(1, 1 + np.square(x))),
    (np.arcsinh, arcsinh_dx),
    (np.arccosh, lambda y, x: np.true_divide(1, np.sqrt(x - 1.0) * np.sqrt(x + 1.0))),
    (np.arctanh, lambda y, x: np.true_divide(1, (1.0 - x) * (1.0 + x))),
    (np.sinc, sinc_dx),
    (np.rint, 0),
    # Complex numbers have an order in NumPy. Ties: `maximum` gives all to the second, `minimum` all to the first.
    (np.maximum, lambda y, a, b: np.greater(a, b), lambda y, a, b: np.greater_equal(b, a)),
    (np.minimum, lambda y, a, b: np.less_equal(a, b), lambda y, a, b: np.less(b, a)),
    (
        np.fmax,
        lambda y, a, b: np.greater(a, b) | (np.isnan(b) & ~np.isnan(a)),
        lambda y, a, b: ~(np.greater(a, b) | (np.isnan(b) & ~np.isnan(a))),
    ),
    (
        np.fmin,
        lambda y, a, b: np.less_equal(a, b) | np.isnan(b),
        lambda y, a, b: ~(np.less_equal(a, b) | np.isnan(b)),
    ),
]

# For real arguments only: not holomorphic, or not defined for complex ones.
REAL: list[tuple[Any, ...]] = [
    (np.fabs, lambda y, x: np.sign(x)),
    (np.cbrt, lambda y, x: np.square(np.reciprocal(y)) / 3),
    (np.arctan2, lambda y, a, b: turn(a, b), lambda y, a, b: -turn(b, a)),
    (np.hypot, lambda y, a, b: leg(y, a), lambda y, a, b: leg(y, b)),
    (np.degrees, 1 / _DEGREE),
    (np.rad2deg, 1 / _DEGREE),
    (np.radians, _DEGREE),
    (np.deg2rad, _DEGREE),
    (np.floor, 0),
    (np.ceil, 0),
    (np.trunc, 0),
    (np.heaviside, 0, lambda y, a, b: np.equal(a, 0)),
    (np.floor_divide, 0, 0),
    (np.remainder, 1, remainder_dy),
    # Not ``trunc(a / b)``: the quotient may round up to the next integer.
    (np.fmod, 1, lambda y, a, b: -np.rint(np.true_divide(np.subtract(a, y), b))),
    (np.copysign, lambda y, a, b: np.where(np.signbit(a) == np.signbit(b), 1.0, -1.0), 0),
    (np.logaddexp, lambda y, a, b: logistic(difference(a, b)), lambda y, a, b: logistic(difference(b, a))),
    (np.logaddexp2, lambda y, a, b: logistic2(difference(a, b)), lambda y, a, b: logistic2(difference(b, a))),
    (np.ldexp, lambda y, a, n: np.ldexp(1.0, n), lambda y, a, n: y * _LN2),
    (np.nextafter, 1, 0),
]

# The quotients of what overflows are no derivatives.
scalar_rule(logistic, lambda y, d: y * logistic(-d))
scalar_rule(logistic2, lambda y, d: _LN2 * y * logistic2(-d))
for f, *partials in HOLOMORPHIC:
    scalar_rule(f, *partials)
for f, *partials in REAL:
    scalar_rule(f, *partials, real=True)
if hasattr(np, "fix"):
    scalar_rule(np.fix, 0, real=True)
