"""Norms of vectors and matrices, and condition numbers: ``x/|x|`` and its kin, 0 where there is no direction."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import register_jitable

from morula.static.numba.array_rules.registry import array_rule
from morula.static.numba.array_rules.shared import zero


@register_jitable
def direction(v: Any) -> Any:
    """``v/|v|``, 0 for 0."""
    size = abs(v)
    return v / size if size != 0 else v * 0


@register_jitable
def first_extreme(sizes: Any, largest: bool) -> int:
    """Where the first of the largest, or smallest, sizes is. A comparison with the norm itself would be at the mercy of
    the last bit.
    """
    at = 0
    for i in range(1, len(sizes)):
        if sizes[i] > sizes[at] if largest else sizes[i] < sizes[at]:
            at = i
    return at


@register_jitable
def add_vector_norm(x_bar: Any, x: Any, p: Any, y: Any, g: Any) -> None:
    """The cotangent of the norm of a vector; where several elements have the extreme size, to the first."""
    if p == np.inf or p == -np.inf:
        if len(x):
            i = first_extreme(np.abs(x), p > 0)
            x_bar[i] += direction(x[i]) * g
    elif p != 0:
        for i in range(len(x)):
            size = abs(x[i])
            if size != 0 and y != 0:
                x_bar[i] += direction(x[i]) * (size / y) ** (p - 1) * g


@register_jitable
def add_line(x_bar: Any, x: Any, largest: bool, g: Any) -> None:
    """The seed to the row whose sum of sizes is the largest or smallest, the first of equals."""
    sums = np.zeros(len(x))
    for i in range(len(x)):
        for j in range(x.shape[1]):
            sums[i] += abs(x[i, j])
    i = first_extreme(sums, largest)
    for j in range(x.shape[1]):
        x_bar[i, j] += direction(x[i, j]) * g


@register_jitable
def add_matrix_norm(x_bar: Any, x: Any, p: Any, g: Any) -> None:
    """The cotangent of a matrix norm: of the largest or smallest row, column or singular value."""
    if x.size == 0:
        return
    if p == np.inf or p == -np.inf:
        add_line(x_bar, x, p > 0, g)
    elif p == 1 or p == -1:
        add_line(x_bar.T, x.T, p > 0, g)
    else:
        u, s, vh = np.linalg.svd(x, False)
        k = 0 if p == 2 else len(s) - 1
        if s[k] != 0:
            for i in range(x.shape[0]):
                for j in range(x.shape[1]):
                    x_bar[i, j] += u[i, k] * vh[k, j] * g


@register_jitable
def real_inner(a: Any, b: Any, y: Any) -> Any:
    """``Re <a, b>``, of the type of ``y``."""
    total = zero(y)
    for at in np.ndindex(a.shape):
        total += (np.conj(a[at]) * b[at]).real
    return total


def norm_tangent(y: Any, x: Any, ord: Any, x_dot: Any) -> Any:
    """The inner product with the gradient."""
    gradient = np.zeros(x.shape, x.dtype)
    norm_adjoint(y, 1.0, x, ord, gradient)
    return real_inner(gradient, x_dot, y)


@array_rule(np.linalg.norm, tangent=norm_tangent, reads="y x", ord=None)
@register_jitable
def norm_adjoint(y: Any, y_bar: Any, x: Any, ord: Any, x_bar: Any) -> None:
    """``x/|x|`` and its kin; 0 at 0. Matrix norms 2 and -2 from the singular vectors."""
    if ord is None:
        if y != 0:
            x_bar += x * (y_bar / y)
    elif x.ndim == 1:
        add_vector_norm(x_bar, x, ord, y, y_bar)
    else:
        add_matrix_norm(x_bar, x, ord, y_bar)


@register_jitable
def add_extremes(x_bar: Any, x: Any, turned: bool, g: Any) -> None:
    """The cotangent of the quotient of the largest and the smallest singular value, or the other way round."""
    u, s, vh = np.linalg.svd(x, False)
    n = len(s) - 1
    first, last = (n, 0) if turned else (0, n)
    with_first, ratio = np.divide(g, s[last]), np.divide(s[first], s[last])
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            x_bar[i, j] += with_first * (u[i, first] * vh[first, j]) - with_first * ratio * (u[i, last] * vh[last, j])


@register_jitable
def add_products(x_bar: Any, x: Any, p: Any, g: Any) -> None:
    """The cotangent of the norm of a matrix times that of its inverse."""
    inverse = np.linalg.inv(np.ascontiguousarray(x))
    back = np.zeros(x.shape, x.dtype)
    add_matrix_norm(x_bar, x, p, g * np.linalg.norm(inverse, p))
    add_matrix_norm(back, inverse, p, g * np.linalg.norm(x, p))
    inverse_h = np.ascontiguousarray(np.conj(inverse.T))
    x_bar -= np.dot(np.dot(inverse_h, back), inverse_h)


def cond_tangent(y: Any, x: Any, p: Any, x_dot: Any) -> Any:
    """The inner product with the gradient."""
    gradient = np.zeros(x.shape, x.dtype)
    cond_adjoint(y, 1.0, x, p, gradient)
    return real_inner(gradient, x_dot, y)


@array_rule(np.linalg.cond, tangent=cond_tangent, reads="x", p=None)
@register_jitable
def cond_adjoint(y: Any, y_bar: Any, x: Any, p: Any, x_bar: Any) -> None:
    """From the singular vectors; in other norms as the product of two. NaN where it is infinite."""
    if p is None:
        add_extremes(x_bar, x, False, y_bar)
    elif p == 2 or p == -2:
        add_extremes(x_bar, x, p == -2, y_bar)
    else:
        add_products(x_bar, x, p, y_bar)
