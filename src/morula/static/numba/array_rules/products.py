"""Products of vectors and matrices.

The cotangents are ``y_bar b^H`` and ``a^H y_bar``. A matrix with a vector is one pass over the matrix, which is faster
than two calls of BLAS; matrices are left to BLAS.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numba.extending import register_jitable

from morula.static.numba.array_rules.registry import array_rule
from morula.static.numba.array_rules.shared import conj, dot, h, like, plus, zero
from morula.static.numba.small_matrices import SMALL


def dot_tangent(y: Any, a: Any, b: Any, a_dot: Any, b_dot: Any) -> Any:
    """``a_dot b + a b_dot``."""
    return plus(dot(a_dot, b), dot(a, b_dot))


@array_rule(np.dot, np.matmul, operator.matmul, tangent=dot_tangent, reads="a b")
def dot_adjoint(y: Any, y_bar: Any, a: Any, b: Any, a_bar: Any, b_bar: Any) -> None:
    """``y_bar b^H`` and ``a^H y_bar`` for vectors and matrices of one dtype."""
    if a.ndim == 1:
        if b.ndim == 1:
            if a_bar is not None:
                for i in range(len(a)):
                    a_bar[i] += y_bar * np.conj(b[i])
            if b_bar is not None:
                for i in range(len(a)):
                    b_bar[i] += y_bar * np.conj(a[i])
        else:
            if a_bar is not None:
                if b.size > SMALL:
                    a_bar += dot(conj(b), y_bar)
                else:
                    for i in range(len(a)):
                        total = zero(a[i])
                        for j in range(len(y_bar)):
                            total += y_bar[j] * np.conj(b[i, j])
                        a_bar[i] += total
            if b_bar is not None:
                for i in range(len(a)):
                    weight = np.conj(a[i])
                    for j in range(len(y_bar)):
                        b_bar[i, j] += weight * y_bar[j]
    else:
        if b.ndim == 1:
            for i in range(len(y_bar)):
                seed = y_bar[i]
                if a_bar is not None:
                    for j in range(len(b)):
                        a_bar[i, j] += seed * np.conj(b[j])
                if b_bar is not None:
                    for j in range(len(b)):
                        b_bar[j] += seed * np.conj(a[i, j])
        elif y_bar.size * b.shape[0] > SMALL:
            if a_bar is not None:
                a_bar += dot(y_bar, h(b))
            if b_bar is not None:
                b_bar += dot(h(a), y_bar)
        else:
            for i in range(y_bar.shape[0]):
                for k in range(b.shape[0]):
                    if a_bar is not None:
                        total = zero(a[i, k])
                        for j in range(y_bar.shape[1]):
                            total += y_bar[i, j] * np.conj(b[k, j])
                        a_bar[i, k] += total
                    if b_bar is not None:
                        weight = np.conj(a[i, k])
                        for j in range(y_bar.shape[1]):
                            b_bar[k, j] += weight * y_bar[i, j]


def vdot_tangent(y: Any, a: Any, b: Any, a_dot: Any, b_dot: Any) -> Any:
    """``a_dot^H b + a^H b_dot``."""
    y_dot = zero(y)
    for i in range(len(a)):
        if a_dot is not None:
            y_dot += np.conj(a_dot[i]) * b[i]
        if b_dot is not None:
            y_dot += np.conj(a[i]) * b_dot[i]
    return y_dot


@array_rule(np.vdot, tangent=vdot_tangent, reads="a b")
def vdot_adjoint(y: Any, y_bar: Any, a: Any, b: Any, a_bar: Any, b_bar: Any) -> None:
    """``sum(conj(a) b)``: antilinear in ``a``."""
    if a_bar is not None:
        for i in range(len(a)):
            a_bar[i] += np.conj(y_bar) * b[i]
    if b_bar is not None:
        for i in range(len(a)):
            b_bar[i] += y_bar * a[i]


def outer_tangent(y: Any, a: Any, b: Any, out: Any, a_dot: Any, b_dot: Any) -> Any:
    """``a_dot b^T + a b_dot^T``."""
    y_dot = np.zeros(y.shape, y.dtype)
    first, second = a.ravel(), b.ravel()
    for i in range(y.shape[0]):
        for j in range(y.shape[1]):
            if a_dot is not None:
                y_dot[i, j] += a_dot.ravel()[i] * second[j]
            if b_dot is not None:
                y_dot[i, j] += first[i] * b_dot.ravel()[j]
    return y_dot


@array_rule(np.outer, tangent=outer_tangent, reads="a b", out=None)
def outer_adjoint(y: Any, y_bar: Any, a: Any, b: Any, out: Any, a_bar: Any, b_bar: Any) -> None:
    """The seed times the other one; matrices count as the vectors of their elements."""
    if a_bar is not None:
        other = b.ravel()
        i = 0
        for at in np.ndindex(a.shape):
            for j in range(len(other)):
                a_bar[at] += like(a, y_bar[i, j] * np.conj(other[j]))
            i += 1
    if b_bar is not None:
        first = a.ravel()
        j = 0
        for at in np.ndindex(b.shape):
            for i in range(len(first)):
                b_bar[at] += like(b, y_bar[i, j] * np.conj(first[i]))
            j += 1


@register_jitable
def rows(x: Any) -> Any:
    """A view of a vector as a matrix of one row; a matrix itself."""
    if x.ndim == 1:
        return np.expand_dims(x, 0)
    return x


def kron_tangent(y: Any, a: Any, b: Any, a_dot: Any, b_dot: Any) -> Any:
    """``kron(a_dot, b) + kron(a, b_dot)``."""
    first, second = rows(a), rows(b)
    y_dot = np.zeros(y.shape, y.dtype)
    out = rows(y_dot)
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            at, col, k, m = i // second.shape[0], j // second.shape[1], i % second.shape[0], j % second.shape[1]
            if a_dot is not None:
                out[i, j] += rows(a_dot)[at, col] * second[k, m]
            if b_dot is not None:
                out[i, j] += first[at, col] * rows(b_dot)[k, m]
    return y_dot


@array_rule(np.kron, tangent=kron_tangent, reads="a b")
def kron_adjoint(y: Any, y_bar: Any, a: Any, b: Any, a_bar: Any, b_bar: Any) -> None:
    """Each block of the seed against the other one, for vectors and matrices."""
    first, second, seed = rows(a), rows(b), rows(y_bar)
    for i in range(first.shape[0]):
        for k in range(second.shape[0]):
            for j in range(first.shape[1]):
                for m in range(second.shape[1]):
                    g = seed[i * second.shape[0] + k, j * second.shape[1] + m]
                    if a_bar is not None:
                        rows(a_bar)[i, j] += g * np.conj(second[k, m])
                    if b_bar is not None:
                        rows(b_bar)[k, m] += g * np.conj(first[i, j])


@register_jitable
def cross_into(x_bar: Any, x: Any, u: Any, v: Any) -> None:
    """Add ``u x v`` to ``x_bar``, as far as that has components; a third one that is missing is 0."""
    u_2 = u[2] if len(u) == 3 else 0 * u[0]
    v_2 = v[2] if len(v) == 3 else 0 * v[0]
    x_bar[0] += like(x, u[1] * v_2 - u_2 * v[1])
    x_bar[1] += like(x, u_2 * v[0] - u[0] * v_2)
    if len(x_bar) == 3:
        x_bar[2] += like(x, u[0] * v[1] - u[1] * v[0])


def cross_tangent(y: Any, a: Any, b: Any, a_dot: Any, b_dot: Any) -> Any:
    """``a_dot x b + a x b_dot``."""
    y_dot = np.zeros(y.shape, y.dtype)
    out, first, second = rows(y_dot), rows(a), rows(b)
    for i in range(out.shape[0]):
        at_a = i if first.shape[0] > 1 else 0
        at_b = i if second.shape[0] > 1 else 0
        if a_dot is not None:
            cross_into(out[i], y, rows(a_dot)[at_a], second[at_b])
        if b_dot is not None:
            cross_into(out[i], y, first[at_a], rows(b_dot)[at_b])
    return y_dot


@array_rule(np.cross, tangent=cross_tangent, reads="a b")
def cross_adjoint(y: Any, y_bar: Any, a: Any, b: Any, a_bar: Any, b_bar: Any) -> None:
    """``b x y_bar`` and ``y_bar x a``, for vectors and for rows of vectors, which broadcast."""
    seeds, first, second = rows(y_bar), rows(a), rows(b)
    for i in range(seeds.shape[0]):
        at_a = i if first.shape[0] > 1 else 0
        at_b = i if second.shape[0] > 1 else 0
        if a_bar is not None:
            cross_into(rows(a_bar)[at_a], a, np.conj(second[at_b]), seeds[i])
        if b_bar is not None:
            cross_into(rows(b_bar)[at_b], b, seeds[i], np.conj(first[at_a]))
