"""Derivatives by differences of function values, extrapolated (L. F. Richardson)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from .leaves import copied, is_inexact, leaves, replaced

__all__ = ["directional_derivative", "finite_difference_gradient"]


def directional_derivative(phi: Callable[[float], float], step: float = 1e-3) -> float:
    """``phi'(0)`` from central differences at two steps, extrapolated; the error is of order ``step**4``.

    Args:
        phi: a real function of a real number, smooth near 0.
        step: the larger of the two steps.

    >>> round(float(directional_derivative(lambda h: np.sin(1 + h))), 9), round(float(np.cos(1)), 9)
    (0.540302306, 0.540302306)
    """

    def central(h: float) -> float:
        return (phi(h) - phi(-h)) / (2 * h)

    return (4 * central(step / 2) - central(step)) / 3


def finite_difference_gradient(f: Callable[..., Any], *args: Any, step: float = 1e-3) -> tuple[Any, ...]:
    """The gradient of a real scalar function with respect to every float and complex in its arguments.

    Args:
        f: returns a real number, or an array of one element.
        args: numbers, arrays, nested containers. They are copied for every call.
        step: as for `directional_derivative`.

    Returns:
        One gradient for each argument, in its structure; ``None`` where nothing can be varied. For complex
        leaves ``dL/dRe + i dL/dIm``.

    >>> finite_difference_gradient(lambda x, n: x**n, 3.0, 2)[0].__round__(6)
    6.0
    """

    def derivative(i: int, path: Any, index: Any, unit: Any) -> float:
        def phi(h: float) -> float:
            def nudge(leaf: Any) -> Any:
                if not isinstance(leaf, np.ndarray):
                    return leaf + h * unit
                leaf = leaf.copy(order="K")
                leaf[index] += h * unit
                return leaf

            moved = [copied(a) for a in args]
            moved[i] = replaced(moved[i], path, nudge)
            return float(np.real(np.asarray(f(*moved)).reshape(())))

        return directional_derivative(phi, step)

    def leaf_gradient(i: int, path: Any, leaf: Any) -> Any:
        units = (1.0, 1j) if np.iscomplexobj(leaf) else (1.0,)
        if not isinstance(leaf, np.ndarray):
            parts = [derivative(i, path, (), unit) for unit in units]
            return parts[0] if len(parts) == 1 else complex(*parts)
        gradient = np.zeros(leaf.shape, np.complex128 if len(units) == 2 else np.float64)
        for index in np.ndindex(leaf.shape):
            gradient[index] = sum(derivative(i, path, index, unit) * unit for unit in units)
        return gradient

    gradients = []
    for i, arg in enumerate(args):
        result = arg
        for path, leaf in list(leaves(arg)):
            value = leaf_gradient(i, path, leaf) if is_inexact(leaf) else None
            result = replaced(result, path, partial(_instead, value))
        gradients.append(result)
    return tuple(gradients)


def _instead(value: Any, _: Any) -> Any:
    return value
