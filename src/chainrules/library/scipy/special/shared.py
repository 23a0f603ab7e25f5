"""What the rules for `scipy.special` share: partials that are missing, methods that work element by element, series."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from ....products import has_nan_quickly
from ....scalar import missing_partial
from ....tangents import NotImplementedDerivative
from ...partials import quotient

_BLOCK = 2048  # elements that are worked on together: what a method needs for each is bounded


def missing(name: str, what: str) -> Callable[..., Any]:
    """The partial derivative that `scipy.special` ``name`` has not: by ``what``, "its order"."""
    return missing_partial(f"the derivative of scipy.special.{name} with respect to {what} is not implemented")


def has_zero(x: Any) -> bool:
    """Whether a number, or one of an array, is 0."""
    return bool(np.count_nonzero(x) < np.size(x)) if isinstance(x, np.ndarray) else bool(x == 0)


def over(c: Any, z: Any) -> Any:
    """``c / z`` where ``c = 0`` gives 0, also at 0.

    >>> float(over(0.0, 0.0)), float(over(1.0, 2.0))
    (0.0, 0.5)
    """
    found = quotient(c, z)
    if has_nan_quickly(found) if type(found) is np.ndarray else found != found:
        return np.where(np.equal(c, 0) & np.equal(z, 0), 0.0, found)
    return found


def by_elements(method: Callable[..., Any]) -> Callable[..., Any]:
    """A function of numbers and arrays that broadcast, from one of vectors of doubles.

    The result is as wide as the arguments are: of float32 it is float32, although it is worked out in doubles.
    """

    @wraps(method)
    def function(*args: Any) -> Any:
        wide = np.result_type(*args)
        if wide.kind == "c":
            name = method.__name__.partition("_d")[0]  # what it is the partial of, as in `jv_dv`
            what = f"the derivative of scipy.special.{name} with respect to a parameter"
            raise NotImplementedDerivative(f"{what} is not implemented for complex arguments")
        arrays = np.broadcast_arrays(*(np.asarray(a, dtype=np.float64) for a in args))
        shape, flat = arrays[0].shape, [a.reshape(-1) for a in arrays]
        y = np.empty(flat[0].size)
        with np.errstate(all="ignore"):
            for i in range(0, y.size, _BLOCK):
                y[i : i + _BLOCK] = method(*(a[i : i + _BLOCK] for a in flat))
        return y.reshape(shape).astype(wide if wide.kind == "f" else np.float64, copy=False)[()]

    return function


def gauss_legendre(n: int) -> tuple[Any, Any]:
    """``n`` nodes and weights for the integral from 0 to 1."""
    nodes, weights = np.polynomial.legendre.leggauss(n)
    return 0.5 * (nodes + 1.0), 0.5 * weights


def power_series(coefficients: Any, x: Any) -> Any:
    """``sum_k c[k] x**k``.

    >>> float(power_series([1.0, 2.0, 3.0], np.float64(0.5)))
    2.75
    """
    total = coefficients[-1] + 0.0 * x
    for c in coefficients[-2::-1]:
        total = total * x + c
    return total


def half_sum(f: Any, v: Any, x: Any) -> Any:
    """``(f(v-1, x) + f(v+1, x)) / 2``."""
    return 0.5 * (f(v - 1.0, x) + f(v + 1.0, x))


def half_difference(f: Any, v: Any, x: Any) -> Any:
    """``(f(v-1, x) - f(v+1, x)) / 2``."""
    return 0.5 * (f(v - 1.0, x) - f(v + 1.0, x))
