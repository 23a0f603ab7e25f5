"""Small functions that generated code calls; compiled by Numba with it."""

import math
from typing import Any

import numpy as np
from llvmlite import ir as llvm
from numba import types
from numba.extending import intrinsic

from morula.static.numba.compiling import helper
from morula.static.numba.tape_growth import grown

__all__ = [
    "all_finite",
    "angle_leg",
    "complex_power_dp",
    "complex_power_dx",
    "digamma",
    "grown",
    "is_finite",
    "log_of_size",
    "opaque",
    "power_dp",
    "power_dp_dx",
    "power_dx",
    "power_dx_dp",
    "power_dx_dx",
    "ratio",
    "share_of",
    "times",
    "unit",
]  # fmt: skip


@intrinsic
def opaque(typing_context: Any, x: Any) -> Any:
    """An integer that the optimiser cannot see through: it passes an empty piece of assembly."""
    if not isinstance(x, types.Integer):
        return None

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        t = args[0].type
        return builder.asm(llvm.FunctionType(t, [t]), "", "=r,0", args, False)

    return types.intp(types.intp), generate


inline = helper(error_model="numpy", inline="never")


@inline
def is_finite(x: Any) -> bool:
    """Whether a number is neither infinite nor undefined."""
    return x - x == 0


@inline
def all_finite(x: Any) -> bool:
    """Whether all elements of an array are finite."""
    bad = 0
    for v in x.flat:
        bad |= 0 if v - v == 0 else 1
    return bad == 0


@inline
def times(g: float, partial: float) -> float:
    """A product that is 0 where a factor is exactly 0, also beside an infinite or undefined one."""
    return 0.0 if g == 0.0 or partial == 0.0 else g * partial


@inline
def ratio(x: float, y: float) -> float:
    """`x / y`, and 0 at 0 (the derivative of `hypot`)."""
    return x / y if y != 0.0 else 0.0


@inline
def angle_leg(x: float, y: float) -> float:
    """`x / (x^2 + y^2)`, and 0 at the origin (the derivatives of `atan2`), by a quotient that does not overflow."""
    if x == 0.0 and y == 0.0:
        return 0.0
    if abs(x) >= abs(y):
        t = y / x
        return 1.0 / x / (1.0 + t * t)
    t = x / y
    return t / y / (1.0 + t * t)


@inline
def share_of(a: float, b: float) -> float:
    """`e^a / (e^a + e^b)`, a half for equal infinities (the derivative of `logaddexp`)."""
    d = 0.0 if a == b and math.isinf(a) else a - b
    t = math.exp(-d if d >= 0.0 else d)  # not -abs(d), whose derivative at 0 is another one
    return 1.0 / (1.0 + t) if d >= 0.0 else t / (1.0 + t)


@inline
def unit(z: complex) -> complex:
    """`z / |z|`, and 0 at 0."""
    r = abs(z)
    return z / r if r != 0.0 else 0.0 * z


@inline
def power_dx(x: float, p: float) -> float:
    """The derivative of `x ** p` by `x`: `p x^(p-1)`, with its limits at 0."""
    if p == 0.0:
        return 0.0
    if p == 1.0:
        return 1.0
    return p * x ** (p - 1.0)


@inline
def power_dp(x: float, p: float, y: float) -> float:
    """The derivative of `y = x ** p` by `p`: `y log|x|`, and 0 at `x = 0` for `p > 0`."""
    if x == 0.0:
        return 0.0 if p > 0.0 else -np.inf
    return y * math.log(abs(x))


@inline
def power_dx_dx(x: float, p: float) -> float:
    """The second derivative of `x ** p` by `x`: `p (p-1) x^(p-2)`, with its limits at 0."""
    if p == 0.0 or p == 1.0:
        return 0.0
    return p * (p - 1.0) if p == 2.0 else p * (p - 1.0) * x ** (p - 2.0)


@inline
def power_dx_dp(x: float, p: float) -> float:
    """The derivative of `p x^(p-1)` by `p`: `x^(p-1) (1 + p log|x|)`, and 0 at `x = 0` for `p > 1`."""
    if x == 0.0:
        return 0.0 if p > 1.0 else -np.inf
    return x ** (p - 1.0) * (1.0 + p * math.log(abs(x)))


@inline
def power_dp_dx(x: float, p: float, y: float) -> float:
    """The derivative of `y log|x|` by `x`, where `y = x ** p` is held: `y / x`, and 0 at `x = 0` for `p > 1`."""
    if x == 0.0:
        return 0.0 if p > 1.0 else np.inf
    return y / x


@inline
def log_of_size(x: float) -> float:
    """`log|x|`."""
    return math.log(abs(x))


@inline
def complex_power_dx(x: complex, p: Any) -> complex:
    """The derivative of `x ** p` by `x`."""
    if p == 0:
        return 0.0 * x
    return p * x ** (p - 1)


@inline
def complex_power_dp(x: complex, p: Any, y: complex) -> complex:
    """The derivative of `y = x ** p` by `p`: `y log x`, and 0 at `x = 0`."""
    if x == 0:
        return 0.0 * y
    return y * np.log(x + 0j)


@inline
def digamma(x: float) -> float:
    """The logarithmic derivative of the gamma function.

    By its recurrence up to 10, and there the asymptotic series (Abramowitz and Stegun 6.3.18); by reflection for
    negative arguments.
    """
    found = 0.0
    if x <= 0.0:
        if x == math.floor(x):
            return np.nan
        found = -math.pi / math.tan(math.pi * x)
        x = 1.0 - x
    while x < 10.0:
        found -= 1.0 / x
        x += 1.0
    r = 1.0 / (x * x)
    tail = r * (
        1.0 / 12 - r * (1.0 / 120 - r * (1.0 / 252 - r * (1.0 / 240 - r * (1.0 / 132 - r * (691.0 / 32760 - r / 12)))))
    )
    return found + math.log(x) - 0.5 / x - tail
