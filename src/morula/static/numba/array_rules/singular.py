"""Singular values and vectors.

With ``U^H dA V = H + K``, Hermitian and skew, the vectors turn by ``H/(s_j - s_i) + K/(s_i + s_j)`` and ``H/(s_j - s_i)
- K/(s_i + s_j)``. Where values repeat the first part is a question of gauge, as in `spectral`; where they vanish left
and right vectors turn freely. For the complex case the same holds on the diagonal: Z.-Q. Wan and S.-X. Zhang,
"Automatic differentiation for complex valued SVD" (2019).
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
from morula.static.numba.array_rules.shared import dot


@register_jitable
def vanishing(s: Any, n: int) -> float:
    """Singular values up to this are zeros of a matrix whose longer side is ``n``."""
    return np.finfo(s.dtype).eps * n * largest(s)


@register_jitable
def thin(u: Any, u_bar: Any, k: int) -> Any:
    """The seed of the first ``k`` vectors, with what the completing ones ``U_2`` pass on: ``dU_2 = -U_1 dU_1^H U_2``
    without a rotation among themselves. NaN for a loss that depends on that.
    """
    first = np.ascontiguousarray(u_bar[:, :k])
    if u.shape[1] == k:
        return first
    u1, u2, g2 = np.ascontiguousarray(u[:, :k]), np.ascontiguousarray(u[:, k:]), np.ascontiguousarray(u_bar[:, k:])
    m = dot(turned_over(u2), g2)
    bound = felt_from(m, max(largest(m), largest(dot(turned_over(u1), g2))))
    first -= dot(u2, dot(turned_over(g2), u1))
    for i in range(len(m)):
        for j in range(len(m)):
            if not abs(m[i, j] - np.conj(m[j, i])) <= bound:
                first[:, :] = np.nan
    return first


@register_jitable
def outside(u: Any, m: Any, u_bar: Any, s: Any, s_bar: Any, level: float, gone: float) -> Any:
    """What leaves the span of the vectors, ``(I - U U^H) U_bar / s``."""
    rest = u_bar - dot(u, m)
    bound = felt_from(rest, level)
    for j in range(len(s)):
        for i in range(len(rest)):
            if s[j] > gone:
                rest[i, j] /= s[j]
            elif not abs(rest[i, j]) <= bound or (seed_of(s_bar, j) != 0 and level > 0):
                rest[i, j] = np.nan
            else:
                rest[i, j] = 0
    return rest


@register_jitable
def svd_bar(u: Any, u_bar: Any, s: Any, s_bar: Any, v: Any, v_bar: Any) -> Any:
    """The cotangent of the matrix, from the thin form."""
    n, rows, columns = len(s), len(u), len(v)
    m_u, m_v = dot(turned_over(u), u_bar), dot(turned_over(v), v_bar)
    level = max(largest(u_bar), largest(v_bar))
    gone, near = vanishing(s, max(rows, columns)), closed_below(s)
    bound = felt_from(u, level)
    sizes = np.abs(m_u) + np.abs(m_v)
    inner = np.zeros((n, n), u.dtype)
    for i in range(n):
        for j in range(n):
            t_u = 0.5 * (m_u[i, j] - np.conj(m_u[j, i]))
            t_v = 0.5 * (m_v[i, j] - np.conj(m_v[j, i]))
            lost = is_lost(sizes, i, j, felt_from(sizes, level), level, s_bar)
            gap = s[j] - s[i]
            if abs(gap) > near:
                inner[i, j] += (t_u + t_v) / gap
            elif not abs(t_u + t_v) <= bound or (lost and i != j):
                inner[i, j] = np.nan
            if s[i] > gone or s[j] > gone:
                inner[i, j] += (t_u - t_v) / (s[i] + s[j])
            elif not abs(t_u - t_v) <= bound or (lost and (i != j or np.iscomplexobj(u))):
                # Where a value vanishes the phase between its vectors is lost too.
                inner[i, j] = np.nan
        if s[i] > gone or level > 0:
            # The vectors say on which side of the kink a value that vanishes is; without them it is 0 there.
            inner[i, i] += seed_of(s_bar, i)
    whole = dot(dot(u, inner), turned_over(v))
    if rows > n:
        whole += dot(outside(u, m_u, u_bar, s, s_bar, level, gone), turned_over(v))
    if columns > n:
        whole += dot(u, turned_over(outside(v, m_v, v_bar, s, s_bar, level, gone)))
    return whole


@register_jitable
def turned(u: Any, inside: Any, seen: Any, s: Any, level: float, gone: float) -> Any:
    """The tangent of one side's vectors, the completing ones too, which stay orthogonal to the others."""
    n = len(s)
    u1 = np.ascontiguousarray(u[:, :n])
    out = seen - dot(u1, dot(turned_over(u1), seen))
    bound = felt_from(out, level)
    for j in range(n):
        for i in range(len(out)):
            if s[j] > gone:
                out[i, j] /= s[j]
            else:
                out[i, j] = 0 if abs(out[i, j]) <= bound else np.nan
    first = dot(u1, inside) + out
    if u.shape[1] == n:
        return first
    rest = dot(u1, dot(turned_over(first), np.ascontiguousarray(u[:, n:])))
    return np.concatenate((first, -rest), axis=1)


def svd_tangent(y: Any, a: Any, full_matrices: Any, a_dot: Any) -> Any:
    """As above; NaN where repeated values leave the vectors open, and their signs and phases move as little as they
    can.
    """
    u, s, v = np.ascontiguousarray(y[0]), y[1], turned_over(y[2])
    n = len(s)
    u1, v1 = np.ascontiguousarray(u[:, :n]), np.ascontiguousarray(v[:, :n])
    seen_u, seen_v = dot(np.ascontiguousarray(a_dot), v1), dot(turned_over(a_dot), u1)
    m = dot(turned_over(u1), seen_u)
    level = largest(a_dot)
    bound = felt_from(m, level)
    gone, near = vanishing(s, max(a.shape[0], a.shape[1])), closed_below(s)
    s_dot = np.empty_like(s)
    stretch, turn = np.zeros_like(m), np.zeros_like(m)
    for i in range(n):
        s_dot[i] = m[i, i].real
        for j in range(n):
            together, apart = 0.5 * (m[i, j] + np.conj(m[j, i])), 0.5 * (m[i, j] - np.conj(m[j, i]))
            gap = s[j] - s[i]
            if abs(gap) > near:
                stretch[i, j] = together / gap
            elif i != j and not abs(together) <= bound:
                stretch[i, j] = np.nan
            if s[i] > gone or s[j] > gone:
                turn[i, j] = apart / (s[i] + s[j])
            elif not abs(apart) <= bound:
                turn[i, j] = np.nan
    u_dot = turned(u, stretch + turn, seen_u, s, level, gone)
    v_dot = turned(v, stretch - turn, seen_v, s, level, gone)
    return u_dot, s_dot, turned_over(v_dot)


@array_rule(np.linalg.svd, tangent=svd_tangent, reads="y", full_matrices=1)
def svd_adjoint(y: Any, y_bar: Any, a: Any, full_matrices: Any, a_bar: Any) -> None:
    """Singular values ``U diag(s_bar) V^H``; vectors as above. The vectors that complete a basis are known up to a
    rotation: NaN for a loss that depends on it.
    """
    u, s, v = np.ascontiguousarray(y[0]), y[1], turned_over(y[2])
    n = len(s)
    u_bar, v_bar = seeds_of(y_bar[0], u), turned_over(seeds_of(y_bar[2], y[2]))
    left, right = np.ascontiguousarray(u[:, :n]), np.ascontiguousarray(v[:, :n])
    a_bar += svd_bar(left, thin(u, u_bar, n), s, y_bar[1], right, thin(v, v_bar, n))
