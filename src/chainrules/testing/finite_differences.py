"""Derivatives by differences of function values: adaptive, extrapolated (L. F. Richardson), with an error estimate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from .leaves import copied, doubled, is_inexact, leaves, replaced

__all__ = [
    "Estimate",
    "complex_step",
    "derivative",
    "derivatives",
    "directional_derivative",
    "finite_difference_gradient",
]

OUTSIDE = (ValueError, ArithmeticError)  # what functions raise outside their domain; a LinAlgError is a ValueError
_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A derivative, how far it may be off, and the step it was found with."""

    value: float
    error: float
    step: float = 0.0

    def __str__(self) -> str:
        return f"{float(self.value)!r} ± {self.error:.1g}"


def derivative(
    phi: Callable[[float], float], step: float = 1e-2, rtol: float = 1e-9, atol: float = 1e-10, blocks: int = 9
) -> Estimate:
    """``phi'(0)`` with an estimate of its error; the step is made smaller until the estimate is good enough.

    Central differences at ``h``, ``h/2`` and ``h/4`` are extrapolated twice, which leaves an error of order
    ``h**6``; how much the extrapolations differ, and what rounding does at that step, is the estimate. Where it is
    too large, or ``phi`` raises or is not finite at one of the points, the next ``h`` is an eighth.

    Args:
        phi: a real function of a real number, smooth near 0.
        step: the first ``h``.
        rtol: the error that is good enough, relative to the derivative.
        atol: the same, absolute.
        blocks: how many ``h`` are tried.

    Returns:
        The estimate with the smallest error of those that were tried; its error is infinite where ``phi`` is defined
        nowhere around 0.

    Raises:
        Exception: what ``phi`` raises, where it does so at every step.

    >>> import math
    >>> print(derivative(math.sin)), derivative(lambda h: math.cbrt(h)).error > 1
    1.0 ± ...
    (None, True)
    """
    best = next_best = Estimate(float("nan"), float("inf"))
    answered, raised = False, None
    for k in range(blocks):
        h = step / 8**k
        try:
            found = _block(phi, h)
        except OUTSIDE as error:
            raised = error
            continue
        answered = True
        if found.error < best.error:
            best, next_best = found, best
        elif found.error < next_best.error:
            next_best = found
        if best.error <= atol + rtol * abs(best.value):
            return best
    if not answered and raised is not None:
        raise raised
    # The best of many may be so by chance; how far the next one is off tells.
    off = abs(best.value - next_best.value)
    return Estimate(best.value, max(best.error, off), best.step) if off < float("inf") else best


def _block(phi: Callable[[float], float], h: float) -> Estimate:
    largest, quotients = 0.0, []
    for s in (h, h / 2, h / 4):
        a, b = phi(s), phi(-s)
        if not abs(a) + abs(b) < float("inf"):
            return Estimate(float("nan"), float("inf"), h)
        largest = max(largest, abs(a), abs(b))
        quotients.append((a - b) / (2 * s))
    d0, d1, d2 = quotients
    first, second = (4 * d1 - d0) / 3, (4 * d2 - d1) / 3
    value = (16 * second - first) / 15
    off = abs(second - first)
    # Where the error is c h**2 + O(h**4) as it should be, d0 - d1 is four times d1 - d2, and `off` fifteen times the
    # error of `second`. Otherwise rounding rules, or the function is not smooth.
    if 2.5 < (d0 - d1) / ((d1 - d2) or 1.0) < 6.5:
        off /= 15
    return Estimate(value, off + 4 * _EPS * largest / h, h)


def derivatives(phi: Callable[[float], np.ndarray], step: float = 1e-2, blocks: int = 9) -> tuple[np.ndarray, float]:
    """As `derivative`, of a real vector: the derivatives, and how far the worst of them may be off."""
    best: tuple[np.ndarray, float] | None = None
    raised = None
    for k in range(blocks):
        h = step / 8**k
        try:
            values = [(phi(s), phi(-s)) for s in (h, h / 2, h / 4)]
        except OUTSIDE as error:
            raised = error
            continue
        if not all(np.all(np.isfinite(v)) for pair in values for v in pair):
            continue
        d0, d1, d2 = ((a - b) / (2 * s) for (a, b), s in zip(values, (h, h / 2, h / 4), strict=True))
        first, second = (4 * d1 - d0) / 3, (4 * d2 - d1) / 3
        value = (16 * second - first) / 15
        off = np.abs(second - first) / 4  # between what `_block` takes for smooth and for rounded values
        error_now = float(np.max(off, initial=0.0) + 4 * _EPS * np.max(np.abs(values), initial=0.0) / h)
        if best is None or error_now < best[1]:
            best = value, error_now
        if error_now <= 1e-10 + 1e-9 * np.max(np.abs(value), initial=0.0):
            break
    if best is None:
        if raised is not None:
            raise raised
        return np.full(np.shape(phi(0.0)), np.nan), float("inf")
    return best


def complex_step(phi: Callable[[complex], complex], step: float = 1e-30) -> float:
    """``phi'(0)`` of an analytic function that is real on the real line, to the last digit: ``Im phi(ih) / h``.

    Source: W. Squire and G. Trapp, SIAM Review 40 (1998) 110-112.

    Args:
        phi: called once, with an imaginary number.
        step: ``h``.

    >>> complex_step(lambda h: np.exp(2 * h))
    2.0
    """
    return float(np.imag(phi(1j * step)) / step)


def directional_derivative(phi: Callable[[float], float], step: float = 1e-2) -> float:
    """``phi'(0)`` by adaptive differences, see `derivative`, without the estimate of the error.

    Args:
        phi: a real function of a real number, smooth near 0.
        step: the first step.

    >>> round(float(directional_derivative(lambda h: np.sin(1 + h))), 9), round(float(np.cos(1)), 9)
    (0.540302306, 0.540302306)
    """
    return derivative(phi, step).value


def finite_difference_gradient(f: Callable[..., Any], *args: Any, step: float = 1e-2) -> tuple[Any, ...]:
    """The gradient of a real scalar function with respect to every float and complex in its arguments.

    Args:
        f: returns a real number, or an array of one element.
        args: numbers, arrays, nested containers. They are copied for every call.
        step: the first step of `derivative`.

    Returns:
        One gradient for each argument, in its structure; ``None`` where nothing can be varied. For complex
        leaves ``dL/dRe + i dL/dIm``.

    >>> finite_difference_gradient(lambda x, n: x**n, 3.0, 2)[0].__round__(6)
    6.0
    """
    gradients, _ = gradient_and_errors(f, args, step)
    return gradients


def gradient_and_errors(f: Callable[..., Any], args: tuple[Any, ...], step: float) -> tuple[Any, Any]:
    """The gradient as `finite_difference_gradient` has it, and in the same structure what its elements may be off."""
    args = doubled(args)
    gradients, errors = [], []
    for i, arg in enumerate(args):
        values = faults = arg
        for path, leaf in list(leaves(arg)):
            value = fault = None
            if is_inexact(leaf):
                value, fault = _leaf_gradient(f, args, i, path, leaf, step)
            values = replaced(values, path, partial(_instead, value))
            faults = replaced(faults, path, partial(_instead, fault))
        gradients.append(values)
        errors.append(faults)
    return tuple(gradients), tuple(errors)


def _leaf_gradient(f: Any, args: Any, i: int, path: Any, leaf: Any, step: float) -> tuple[Any, Any]:
    units = (1.0, 1j) if np.iscomplexobj(leaf) else (1.0,)
    if not isinstance(leaf, np.ndarray):
        parts = [derivative(_nudged(f, args, i, path, (), unit), step) for unit in units]
        error = max(p.error for p in parts)
        return (parts[0].value if len(parts) == 1 else complex(*(p.value for p in parts))), error
    gradient: Any = np.zeros(leaf.shape, np.complex128 if len(units) == 2 else np.float64)
    errors: Any = np.zeros(leaf.shape)
    for index in np.ndindex(leaf.shape):
        for unit in units:
            found = derivative(_nudged(f, args, i, path, index, unit), step)
            gradient[index] += found.value * unit
            errors[index] = max(errors[index], found.error)
    return gradient, errors


def _nudged(f: Any, args: Any, i: int, path: Any, index: Any, unit: Any) -> Callable[[float], float]:
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

    return phi


def _instead(value: Any, _: Any) -> Any:
    return value
