"""Small functions that generated code calls; compiled by Numba with it."""

import math
import operator
from typing import Any

import numpy as np
from llvmlite import ir as llvm
from numba import types
from numba.extending import intrinsic

from chainrules import scalar_rule_for, strong_mul
from morula.static.numba.compiling import helper
from morula.static.numba.library_texts import COMPILED, compiled_from
from morula.static.numba.tape_growth import grown, grown2, grown3, hold, room_for, start_of, widened

__all__ = [
    "added",
    "all_finite",
    "complex_power_dp",
    "complex_power_dx",
    "digamma",
    "grown",
    "grown2",
    "grown3",
    "hold",
    "is_finite",
    "list_sorted",
    "logistic",
    "logistic2",
    "opaque",
    "power_dp",
    "power_dx",
    "power_dxdp",
    "room_for",
    "sinc_dx",
    "start_of",
    "times",
    "turn",
    "unit",
    "widened",
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


@intrinsic
def added(typing_context: Any, x: Any, y: Any) -> Any:
    """The sum of two floats in a loop whose iterations may run in any order: partial sums may be added in any, too."""
    if not (isinstance(x, types.Float) and isinstance(y, types.Float)):
        return None

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.fadd(*args, flags=("reassoc", "nsz"))

    return types.float64(types.float64, types.float64), generate


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
def unit(z: complex) -> complex:
    """`z / |z|`, and 0 at 0."""
    r = abs(z)
    return z / r if r != 0.0 else 0.0 * z


@inline
def list_sorted(a: Any) -> Any:
    """The numbers of a vector in the order that a list of them has after `sort`."""
    xs = list(a)
    xs.sort()
    y = np.empty(len(xs), a.dtype)
    for k in range(len(xs)):
        y[k] = xs[k]
    return y


# What the library's partial derivatives call.


def _called_by(f: Any, name: str) -> Any:
    rule: Any = scalar_rule_for(f, of_library=True)
    return rule.partials[0].__globals__[name]


COMPILED[strong_mul, float] = "times", (0, 1)
_powers = scalar_rule_for(operator.pow, of_library=True).partials  # type: ignore[union-attr]
power_dx, power_dp = [compiled_from(f, inline="never") for f in _powers]
complex_power_dx, complex_power_dp = [compiled_from(f, complex) for f in _powers]
power_dxdp = compiled_from(scalar_rule_for(_powers[0]).partials[-1], inline="never")  # type: ignore[union-attr]
turn = compiled_from(_called_by(np.arctan2, "turn"), inline="never")
logistic = compiled_from(_called_by(np.logaddexp, "logistic"), inline="never")
logistic2 = compiled_from(_called_by(np.logaddexp2, "logistic2"), inline="never")
digamma = compiled_from(_called_by(math.gamma, "digamma"), inline="never")


# of the series of d sinc(x)/dx in odd powers of x, the highest first
_SLOPES_OF_SINC = tuple(
    [(-1.0) ** k * 2 * k * math.pi ** (2 * k) / math.factorial(2 * k + 1) for k in range(10, 0, -1)]
)


@helper(error_model="numpy")
def sinc_dx(y: float, x: float) -> float:
    """As the library's: a series near 0, where the quotient loses its digits."""
    if abs(x) >= 0.5:
        return (math.cos(math.pi * x) - y) / x
    found = 0.0
    for c in _SLOPES_OF_SINC:
        found = found * x * x + c
    return found * x
