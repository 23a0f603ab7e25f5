"""Compiled equals of what the rules for Python's and NumPy's functions call: Numba compiles none of the originals.

They are for real numbers, and the two products also for arrays of them. All but the products are the originals' own
texts, as they run for floats.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numba
import numpy as np
from numba.core import types
from numba.extending import overload

import chainrules
from morula.static.numba import helpers as helpers  # whose functions others call
from morula.static.numba.library_texts import compiled_from

__all__ = ["OF_LIBRARY", "helper_of"]

_njit: Any = numba.njit(error_model="numpy")
OF_LIBRARY = tuple(
    f"chainrules.library.{name}"
    for name in (
        "partials.reciprocal", "partials.quotient", "partials.signum", "partials.leg", "partials.angle_leg",
        "partials.power_dx", "partials.power_dp", "numpy.ufuncs.turn", "numpy.ufuncs.logistic",
        "numpy.ufuncs.logistic2", "numpy.ufuncs.difference", "python.math.two_to", "python.math.digamma",
    )
)  # fmt: skip
"""The functions of the library that have one, by module and name."""


@cache
def helper_of(f: Callable[..., Any]) -> Any:
    """The dispatcher that stands for a function of the library; None of any other function."""
    if f"{f.__module__}.{f.__qualname__}" in OF_LIBRARY:
        return compiled_from(f, keep_all=True)
    return {chainrules.strong_mul: strong_mul, chainrules.strong_div: strong_div}.get(f)


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
