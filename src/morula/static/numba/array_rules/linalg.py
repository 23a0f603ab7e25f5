"""Solving, inverting, determinants, powers and Cholesky factors.

Formulas: M. Giles, "Collected matrix derivative results for forward and reverse mode algorithmic differentiation"
(2008); for complex matrices the transpose becomes the conjugate transpose.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload, register_jitable

from morula.static.numba.array_rules.adjugates import adjugate
from morula.static.numba.array_rules.registry import array_rule
from morula.static.numba.array_rules.shared import all_finite, dot, h, plus, zero


@register_jitable
def solved(a: Any, b: Any) -> Any:
    """``A^-1 b``; NaN for a right side that is not finite, where Numba's solver raises.

    Both in C order: the solver that the primal has compiled already serves here too.
    """
    if all_finite(b):
        return np.linalg.solve(np.ascontiguousarray(a), np.ascontiguousarray(b))
    return np.full(b.shape, np.nan, b.dtype)


def solve_tangent(y: Any, a: Any, b: Any, a_dot: Any, b_dot: Any) -> Any:
    """``A^-1 (b_dot - A_dot y)``."""
    return solved(a, plus(dot(a_dot, -y), b_dot))


@array_rule(np.linalg.solve, tangent=solve_tangent, reads="y a")
def solve_adjoint(y: Any, y_bar: Any, a: Any, b: Any, a_bar: Any, b_bar: Any) -> None:
    """``b_bar = A^-H y_bar`` and ``a_bar = -b_bar y^H``."""
    right = solved(h(a), y_bar)
    if b_bar is not None:
        b_bar += right
    if a_bar is not None:
        if b.ndim == 1:
            for i in range(len(y)):
                for j in range(len(y)):
                    a_bar[i, j] -= right[i] * np.conj(y[j])
        else:
            a_bar -= dot(right, h(y))


def inv_tangent(y: Any, a: Any, a_dot: Any) -> Any:
    """``-Y A_dot Y``."""
    return -dot(dot(y, a_dot), y)


@array_rule(np.linalg.inv, tangent=inv_tangent, reads="y")
def inv_adjoint(y: Any, y_bar: Any, a: Any, a_bar: Any) -> None:
    """``-Y^H y_bar Y^H``."""
    a_bar -= dot(dot(h(y), y_bar), h(y))


@register_jitable
def cofactors(a: Any, y: Any) -> Any:
    """The transposed adjugate, not conjugated: ``det(A) A^-T`` without dividing by a determinant that may be 0.

    One by one: so it compiles in half the time.
    """
    n = len(a)
    is_regular = y != 0 and np.isfinite(y)
    source = np.linalg.inv(np.ascontiguousarray(a)) if is_regular else adjugate(a)
    found = np.empty((n, n), a.dtype)
    for i in range(n):
        for j in range(n):
            found[i, j] = y * source[j, i] if is_regular else source[j, i]
    return found


def det_tangent(y: Any, a: Any, a_dot: Any) -> Any:
    """``tr(adj(A) A_dot)``."""
    partials = cofactors(a, y)
    y_dot = zero(y)
    for i in range(len(a)):
        for j in range(len(a)):
            y_dot += partials[i, j] * a_dot[i, j]
    return y_dot


@array_rule(np.linalg.det, tangent=det_tangent, reads="y a")
def det_adjoint(y: Any, y_bar: Any, a: Any, a_bar: Any) -> None:
    """The seed times the conjugate cofactors."""
    partials = cofactors(a, y)
    for i in range(len(a)):
        for j in range(len(a)):
            a_bar[i, j] += y_bar * np.conj(partials[i, j])


def sign_dot(sign: Any, change: Any) -> Any:
    """A complex sign turns by the imaginary part; a real one does not move."""
    return 1j * change.imag * sign if np.iscomplexobj(sign) else 0.0 * sign


@overload(sign_dot, strict=False)
def _sign_dot(sign: Any, change: Any) -> Any:
    if isinstance(sign, types.Complex):
        return lambda sign, change: 1j * change.imag * sign
    return lambda sign, change: 0.0 * sign


def log_bar(sign: Any, sign_bar: Any, change_bar: Any) -> Any:
    """The cotangent of the complex logarithm, of which the sign is the phase."""
    if np.iscomplexobj(sign):
        return change_bar - 1j * (np.conj(sign_bar) * sign).imag
    return change_bar


@overload(log_bar, strict=False)
def _log_bar(sign: Any, sign_bar: Any, change_bar: Any) -> Any:
    if isinstance(sign, types.Complex):
        return lambda sign, sign_bar, change_bar: change_bar - 1j * (np.conj(sign_bar) * sign).imag
    return lambda sign, sign_bar, change_bar: change_bar


def slogdet_tangent(y: Any, a: Any, a_dot: Any) -> Any:
    """``tr(A^-1 A_dot)``: its real part to the logarithm, its imaginary part turns the sign."""
    inverse = np.linalg.inv(np.ascontiguousarray(a))
    change = zero(y[0])
    for i in range(len(a)):
        for j in range(len(a)):
            change += inverse[j, i] * a_dot[i, j]
    return sign_dot(y[0], change), change.real


@array_rule(np.linalg.slogdet, tangent=slogdet_tangent, reads="y a")
def slogdet_adjoint(y: Any, y_bar: Any, a: Any, a_bar: Any) -> None:
    """``A^-H`` to the logarithm; the sign turns only where it is complex."""
    a_bar += log_bar(y[0], y_bar[0], y_bar[1]) * h(np.linalg.inv(np.ascontiguousarray(a)))


def cholesky_tangent(y: Any, a: Any, a_dot: Any) -> Any:
    """Column by column, as the factor itself; of ``a_dot`` the lower triangle is read."""
    n = len(y)
    y_dot = np.zeros_like(y)
    for j in range(n):
        change = a_dot[j, j].real
        for k in range(j):
            change -= 2 * (np.conj(y[j, k]) * y_dot[j, k]).real
        d = y[j, j].real
        change /= 2 * d
        y_dot[j, j] = change
        for i in range(j + 1, n):
            total = a_dot[i, j] - y[i, j] * change
            for k in range(j):
                total -= y_dot[i, k] * np.conj(y[j, k]) + y[i, k] * np.conj(y_dot[j, k])
            y_dot[i, j] = total / d
    return y_dot


@array_rule(np.linalg.cholesky, tangent=cholesky_tangent, reads="y")
def cholesky_adjoint(y: Any, y_bar: Any, a: Any, a_bar: Any) -> None:
    """In the lower triangle, which is what is read: the columns backward, two at a time as rows of the factor.

    I. Murray, "Differentiation of the Cholesky decomposition" (2016), the unblocked algorithm.
    """
    n = len(y)
    g = np.zeros_like(y)
    for i in range(n):
        for j in range(i + 1):
            g[i, j] = y_bar[i, j]
    for j in range(n - 1, -1, -1):
        d = y[j, j].real
        own = g[j, j].real
        for i in range(j + 1, n):
            own -= (np.conj(y[i, j]) * g[i, j]).real / d
        own /= d
        for k in range(j):
            g[j, k] -= own * y[j, k]
        for i in range(j + 1, n):
            below = g[i, j] / d
            g[i, j] = below
            for k in range(j):
                g[j, k] -= np.conj(below) * y[i, k]
                g[i, k] -= below * y[j, k]
        g[j, j] = own / 2
    for i in range(n):
        for j in range(i + 1):
            a_bar[i, j] += g[i, j]


@register_jitable
def sum_of_powers(base: Any, middle: Any, n: int) -> Any:
    """``sum_k B^k M B^(n-1-k)``."""
    total = middle
    left = middle
    for _ in range(n - 1):
        left = np.dot(base, left)
        total = np.dot(total, base) + left
    return total


def matrix_power_tangent(y: Any, a: Any, n: int, a_dot: Any) -> Any:
    """``sum_k A^k A_dot A^(n-1-k)``; a negative power is that of the inverse."""
    if n == 0:
        return np.zeros(a.shape, a.dtype)
    if n > 0:
        return sum_of_powers(np.ascontiguousarray(a), np.ascontiguousarray(a_dot), n)
    inverse = np.ascontiguousarray(np.linalg.inv(np.ascontiguousarray(a)))
    return sum_of_powers(inverse, -np.dot(np.dot(inverse, np.ascontiguousarray(a_dot)), inverse), -n)


@array_rule(np.linalg.matrix_power, tangent=matrix_power_tangent, reads="a")
def matrix_power_adjoint(y: Any, y_bar: Any, a: Any, n: int, a_bar: Any) -> None:
    """``sum_k (A^H)^k y_bar (A^H)^(n-1-k)``; a negative power is that of the inverse."""
    if n > 0:
        a_bar += sum_of_powers(np.ascontiguousarray(h(a)), np.ascontiguousarray(y_bar), n)
    elif n < 0:
        inverse = np.ascontiguousarray(h(np.linalg.inv(np.ascontiguousarray(a))))
        a_bar -= np.dot(np.dot(inverse, sum_of_powers(inverse, np.ascontiguousarray(y_bar), -n)), inverse)
