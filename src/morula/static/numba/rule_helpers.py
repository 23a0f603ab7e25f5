"""Compiled equals of what the rules for Python's and NumPy's functions call: Numba compiles none of the originals.

They are for real numbers, and the two products also for arrays of them. What they mean stands with the originals,
by whose names they are found.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba.core import types
from numba.extending import overload

from morula.static.numba import helpers

__all__ = ["HELPERS"]

_njit: Any = numba.njit(error_model="numpy")


@_njit
def reciprocal(x: Any) -> Any:
    return 1.0 / x


@_njit
def quotient(a: Any, b: Any) -> Any:
    return a / b


@_njit
def signum(x: Any) -> Any:
    if x > 0:
        return 1.0
    if x < 0:
        return -1.0
    return 0.0 if x == 0 else math.nan


@_njit
def leg(y: Any, x: Any) -> Any:
    return helpers.ratio(x, y)


@_njit
def angle_leg(x: Any, y: Any) -> Any:
    return helpers.angle_leg(x, y)


@_njit
def turn(a: Any, b: Any) -> Any:
    return angle_leg(b, a)


@_njit
def power_dx(y: Any, x: Any, p: Any) -> Any:
    return helpers.power_dx(x, p)


@_njit
def power_dp(y: Any, x: Any, p: Any) -> Any:
    return helpers.power_dp(x, p, y)


@_njit
def logistic(d: Any) -> Any:
    return math.exp(-np.logaddexp(0.0, -d))


@_njit
def logistic2(d: Any) -> Any:
    return 2.0 ** -np.logaddexp2(0.0, -d)


@_njit
def difference(a: Any, b: Any) -> Any:
    return 0.0 if a == b and math.isinf(a) else a - b


@_njit
def two_to(n: Any) -> Any:
    return math.ldexp(1.0, n)


def _product(p: Any, g: Any) -> Any:
    """Stands for `chainrules.strong_mul` in compiled code."""


def _quotient(g: Any, d: Any) -> Any:
    """Stands for `chainrules.strong_div` in compiled code."""


def _are_numbers(*arguments: Any) -> bool:
    return all(isinstance(t, types.Number | types.Boolean) for t in arguments)


@overload(_product, jit_options={"error_model": "numpy"})
def _overload_product(p: Any, g: Any) -> Any:
    def of_numbers(p: Any, g: Any) -> Any:
        r = p * g
        return 0.0 if r != r and (p == 0 or g == 0) else r

    def of_arrays(p: Any, g: Any) -> Any:
        return np.where((p == 0) | (g == 0), 0.0, p * g)

    return of_numbers if _are_numbers(p, g) else of_arrays


@overload(_quotient, jit_options={"error_model": "numpy"})
def _overload_quotient(g: Any, d: Any) -> Any:
    def of_numbers(g: Any, d: Any) -> Any:
        return 0.0 if g == 0 else g / d

    def of_arrays(g: Any, d: Any) -> Any:
        return np.where(g == 0, 0.0, g / d)

    return of_numbers if _are_numbers(g, d) else of_arrays


@_njit
def strong_mul(p: Any, g: Any) -> Any:
    return _product(p, g)


@_njit
def strong_div(g: Any, d: Any) -> Any:
    return _quotient(g, d)


HELPERS: dict[str, Callable[..., Any]] = {
    **{
        f"chainrules.library.partials.{f.__name__}": f
        for f in (reciprocal, quotient, signum, leg, angle_leg, power_dx, power_dp)
    },
    **{f"chainrules.library.numpy.ufuncs.{f.__name__}": f for f in (turn, logistic, logistic2, difference)},
    "chainrules.library.python.math.two_to": two_to,
    "chainrules.library.python.math.digamma": helpers.digamma,
    **{f"chainrules.products.{f.__name__}": f for f in (strong_mul, strong_div)},
}
"""Dispatchers by module and name of what they stand for."""
