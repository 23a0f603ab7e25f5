"""Eigenvalues and eigenvectors of matrices that are not Hermitian.

C. Boeddeker, P. Hanebrink et al., "On the computation of complex-valued gradients" (2017). What is lost at repeated
values is NaN, as in `spectral`; so is the cotangent of a matrix that has no basis of eigenvectors.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import register_jitable

from morula.static.numba.array_rules.blocks import (
    closed_below,
    felt_from,
    is_lost,
    largest,
    seed_of,
    seeds_of,
    turned_over,
)
from morula.static.numba.array_rules.registry import array_rule
from morula.static.numba.array_rules.shared import all_finite, dot, like


@register_jitable
def solved_in_basis(v: Any, inner: Any) -> Any:
    """``V^-1 inner``; NaN where ``V`` is singular up to rounding."""
    if len(v) == 0 or largest(inner) == 0:
        return np.zeros(v.shape, v.dtype)
    s = np.linalg.svd(v)[1]
    if s[-1] <= 8 * np.finfo(s.dtype).eps * len(s) * s[0] or not all_finite(inner):
        return np.full(v.shape, np.nan, v.dtype)
    return np.linalg.solve(v, inner)


@register_jitable
def cast_to(x: Any, like: Any) -> Any:
    """A copy with the type of ``like``."""
    found = np.empty(x.shape, like.dtype)
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            found[i, j] = x[i, j]
    return found


@register_jitable
def eig_inner(w: Any, v: Any, w_bar: Any, v_bar: Any) -> Any:
    """The cotangent of ``V^-1 A V``."""
    m, gram = dot(turned_over(v), seeds_of(v_bar, v)), dot(turned_over(v), v)
    level, near = largest(m), closed_below(w)
    bound = felt_from(m, level)
    inner = np.zeros(v.shape, v.dtype)
    for i in range(len(w)):
        for j in range(len(w)):
            off = m[i, j] - gram[i, j] * m[j, j].real
            gap = np.conj(w[j] - w[i])
            if abs(gap) > near:
                inner[i, j] = off / gap
            elif i == j:
                if not abs(m[i, i].imag) <= bound:  # a loss that depends on the phase of a vector
                    inner[i, j] = np.nan
            elif not abs(off) <= bound or is_lost(m, i, j, bound, level, w_bar):
                inner[i, j] = np.nan
        inner[i, i] += seed_of(w_bar, i)
    return inner


@register_jitable
def without_phases(a: Any, v: Any, v_bar: Any) -> Any:
    """The seed of the vectors, real for those real ones that LAPACK finds for a real matrix."""
    if v_bar is None:
        return np.zeros(v.shape, v.dtype)
    else:
        g = np.empty(v.shape, v.dtype)
        for j in range(v.shape[1]):
            real = np.isrealobj(a)
            for i in range(v.shape[0]):
                real = real and v[i, j].imag == 0
            for i in range(v.shape[0]):
                g[i, j] = v_bar[i, j].real if real else v_bar[i, j]
        return g


def eig_tangent(y: Any, a: Any, a_dot: Any) -> Any:
    """``w_dot = diag(M)`` with ``M = V^-1 A_dot V``, and ``V_dot = V (M/(w_j - w_i))`` less what would change the
    length of a vector, or make its largest element, which LAPACK leaves real, complex.
    """
    w, v = y[0], np.ascontiguousarray(y[1])
    n = len(w)
    m = solved_in_basis(v, dot(cast_to(a_dot, v), v))
    near = closed_below(w)
    w_dot = np.empty_like(w)
    for i in range(n):
        w_dot[i] = m[i, i]
        for j in range(n):
            gap = w[j] - w[i]
            m[i, j] = 0 if i == j else m[i, j] / gap if abs(gap) > near else np.nan
    v_dot = dot(v, m)
    for j in range(n):
        along, top = m[j, j], 0
        for i in range(n):
            along += (np.conj(v[i, j]) * v_dot[i, j]).real
            if abs(v[i, j]) > abs(v[top, j]):
                top = i
        along += like(v, 1j * (v_dot[top, j] / v[top, j]).imag)
        for i in range(n):
            v_dot[i, j] -= v[i, j] * along
    return w_dot, v_dot


@array_rule(np.linalg.eig, tangent=eig_tangent, reads="y")
def eig_adjoint(y: Any, y_bar: Any, a: Any, a_bar: Any) -> None:
    """``V^-H (diag(w_bar) + conj(F) * (V^H v_bar - V^H V diag(re(diag(V^H v_bar))))) V^H``: the vectors have length
    1. A loss that depends on their phases has no derivative: NaN.
    """
    v = np.ascontiguousarray(y[1])
    inner = eig_inner(y[0], v, y_bar[0], without_phases(a, v, y_bar[1]))
    a_bar += like(a, solved_in_basis(turned_over(v), dot(inner, turned_over(v))))


@register_jitable
def vectors_of(y: Any, a: Any) -> Any:
    """Eigenvectors in the order of the values ``y``, which another algorithm has found."""
    w, v = np.linalg.eig(a)
    found = np.ascontiguousarray(v)
    same = True
    for i in range(len(w)):
        same = same and abs(w[i] - y[i]) <= 1e-8 + 1e-5 * abs(y[i])
    if not same:
        for i in range(len(w)):
            nearest = 0
            for j in range(len(w)):
                if abs(w[j] - y[i]) < abs(w[nearest] - y[i]):
                    nearest = j
            for k in range(len(w)):
                found[k, i] = v[k, nearest]
    return found


def eigvals_tangent(y: Any, a: Any, a_dot: Any) -> Any:
    """``diag(V^-1 A_dot V)``."""
    v = vectors_of(y, a)
    m = solved_in_basis(v, dot(cast_to(a_dot, v), v))
    y_dot = np.empty_like(y)
    for i in range(len(y)):
        y_dot[i] = m[i, i]
    return y_dot


@array_rule(np.linalg.eigvals, tangent=eigvals_tangent, reads="y a")
def eigvals_adjoint(y: Any, y_bar: Any, a: Any, a_bar: Any) -> None:
    """``V^-H diag(w_bar) V^H``."""
    back = turned_over(vectors_of(y, a))
    scaled = np.empty(back.shape, back.dtype)
    for i in range(len(y)):
        for j in range(len(y)):
            scaled[i, j] = y_bar[i] * back[i, j]
    a_bar += like(a, solved_in_basis(back, scaled))
