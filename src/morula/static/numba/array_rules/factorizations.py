"""Pseudo-inverses, least squares and QR factors."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import register_jitable

from morula.static.numba.array_rules.blocks import columns_of, seeds_of, turned_over
from morula.static.numba.array_rules.registry import array_rule
from morula.static.numba.array_rules.shared import dot, dot_of
from morula.static.numba.array_rules.singular import vanishing


@register_jitable
def as_columns(x: Any) -> Any:
    """A vector as a matrix of one column; a matrix itself."""
    if x.ndim == 1:
        return np.expand_dims(x, 1)
    return x


@register_jitable
def pinv_bar(u: Any, s: Any, v: Any, rank: int, g: Any) -> Any:
    """The cotangent of ``A = U S V^H`` from that of its pseudo-inverse, which takes the first ``rank`` values.

    With ``f(s) = 1/s`` or 0 the divided differences ``(f_j - f_i)/(s_j - s_i)`` go to the Hermitian part of ``U^H g^H
    V``, ``(f_i + f_j)/(s_i + s_j)`` to the skew one, ``f/s`` to what leaves the spans; for constant rank that is the
    formula of G. Golub and V. Pereyra, "The differentiation of pseudo-inverses and nonlinear least squares problems
    whose variables separate" (1973).
    """
    n = len(s)
    vh, gh = turned_over(v), turned_over(g)
    gv, ug = dot(gh, v), dot(turned_over(u), gh)
    m = dot(turned_over(u), gv)
    inner = np.zeros((n, n), u.dtype)
    for i in range(n):
        for j in range(n):
            if i < rank and j < rank:
                hermitian, skew = -1.0 / (s[i] * s[j]), 1.0 / (s[i] * s[j])
            elif i < rank or j < rank:
                f = 1.0 / s[min(i, j)]
                hermitian, skew = np.divide(f, s[min(i, j)] - s[max(i, j)]), f / (s[i] + s[j])
            else:
                hermitian, skew = 0.0, 0.0
            both, apart = m[i, j] + np.conj(m[j, i]), m[i, j] - np.conj(m[j, i])
            inner[i, j] = 0.5 * (hermitian * both + skew * apart)
    # What leaves the spans.
    left, right = gv - dot(u, m), ug - dot(m, vh)
    scaled = u.copy()
    for k in range(n):
        ratio = 1.0 / (s[k] * s[k]) if k < rank else 0.0
        left[:, k] *= ratio
        scaled[:, k] *= ratio
    return dot(dot(u, inner) + left, vh) + dot(scaled, right)


@register_jitable
def pinv_of(u: Any, s: Any, v: Any, rank: int) -> Any:
    """The pseudo-inverse itself."""
    scaled = np.zeros(v.shape, v.dtype)
    for k in range(rank):
        scaled[:, k] = v[:, k] / s[k]
    return dot(scaled, turned_over(u))


@register_jitable
def factors(a: Any) -> Any:
    """The thin singular value decomposition ``U, s, V``."""
    u, s, vh = np.linalg.svd(a, False)
    return np.ascontiguousarray(u), s, turned_over(vh)


@register_jitable
def rank_of(s: Any, rcond: float) -> int:
    """How many singular values are more than ``rcond`` times the largest."""
    rank = 0
    for k in range(len(s)):
        if s[k] > rcond * s[0]:
            rank += 1
    return rank


def pinv_tangent(y: Any, a: Any, rcond: Any, a_dot: Any) -> Any:
    """The same symmetric map."""
    u, s, v = factors(a)
    return turned_over(pinv_bar(u, s, v, rank_of(s, rcond), turned_over(a_dot)))


@array_rule(np.linalg.pinv, tangent=pinv_tangent, reads="a", rcond=1e-15)
def pinv_adjoint(y: Any, y_bar: Any, a: Any, rcond: Any, a_bar: Any) -> None:
    """Through the singular values: those that were cut off are known to be."""
    u, s, v = factors(a)
    a_bar += pinv_bar(u, s, v, rank_of(s, rcond), y_bar)


@register_jitable
def vector_or_matrix(x: Any, like: Any) -> Any:
    """A matrix of one column as a vector where ``like`` is one."""
    if like.ndim == 1:
        return x[:, 0]
    return x


def lstsq_tangent(y: Any, a: Any, b: Any, rcond: Any, a_dot: Any, b_dot: Any) -> Any:
    """``x = P b`` with ``P = pinv(A)``, the residuals and the singular values."""
    u, s, v = factors(a)
    rank = int(y[2])
    x, right = columns_of(y[0]), columns_of(b)
    moved, change = columns_of(dot_of(b, b_dot)), np.ascontiguousarray(dot_of(a, a_dot))
    turn = turned_over(pinv_bar(u, s, v, rank, turned_over(change)))
    x_dot = dot(pinv_of(u, s, v, rank), moved) + dot(turn, right)
    residuals_dot = np.zeros(y[1].shape, y[1].dtype)
    left, step = right - dot(np.ascontiguousarray(a), x), moved - dot(change, x)
    for k in range(len(residuals_dot)):
        for i in range(len(left)):
            residuals_dot[k] += 2 * (np.conj(left[i, k]) * step[i, k]).real
    s_dot, inner = np.zeros_like(s), dot(dot(turned_over(u), change), v)
    for k in range(len(s)):
        if s[k] > vanishing(s, max(a.shape[0], a.shape[1])):
            s_dot[k] = inner[k, k].real
    return vector_or_matrix(x_dot, b), residuals_dot, None, s_dot


@array_rule(np.linalg.lstsq, tangent=lstsq_tangent, reads="y a b", rcond=-1.0)
def lstsq_adjoint(y: Any, y_bar: Any, a: Any, b: Any, rcond: Any, a_bar: Any, b_bar: Any) -> None:
    """``x = pinv(A) b``, the residuals ``|b - A x|^2`` and the singular values; the rank is a constant."""
    u, s, v = factors(a)
    rank = int(y[2])
    x, right = columns_of(y[0]), columns_of(b)
    g, residuals_bar, s_bar = columns_of(seeds_of(y_bar[0], y[0])), seeds_of(y_bar[1], y[1]), seeds_of(y_bar[3], y[3])
    left = right - dot(np.ascontiguousarray(a), x)
    for k in range(len(residuals_bar)):
        left[:, k] *= 2 * residuals_bar[k]
    if a_bar is not None:
        a_bar += pinv_bar(u, s, v, rank, dot(g, turned_over(right)))
        if len(residuals_bar):
            a_bar -= dot(left, turned_over(x))
        scaled = u.copy()
        for k in range(len(s)):
            scaled[:, k] *= s_bar[k] if s[k] > vanishing(s, max(a.shape[0], a.shape[1])) else 0.0
        a_bar += dot(scaled, turned_over(v))
    if b_bar is not None:
        columns = as_columns(b_bar)
        columns += dot(turned_over(pinv_of(u, s, v, rank)), g)
        if len(residuals_bar):
            columns += left


@register_jitable
def tall_bar(q: Any, q_bar: Any, r: Any, r_bar: Any) -> Any:
    """``(Q_bar + Q copyltu(R R_bar^H - Q_bar^H Q)) R^-H``: S. Walter and L. Lehmann (2010)."""
    n = len(r)
    m = dot(r, turned_over(r_bar)) - dot(turned_over(q_bar), q)
    for i in range(n):
        for j in range(i):
            m[j, i] = np.conj(m[i, j])
        m[i, i] = m[i, i].real
    return turned_over(np.linalg.solve(r, turned_over(q_bar + dot(q, m))))


@register_jitable
def check_full_rank(r: Any, n: int) -> None:
    """Raise for a factor with a zero on its diagonal."""
    largest = 0.0
    for i in range(len(r)):
        for j in range(i, len(r)):
            largest = max(largest, abs(r[i, j]))
    for i in range(len(r)):
        if abs(r[i, i]) <= 8 * np.finfo(r.dtype).eps * n * largest:
            raise NotImplementedError("Singular matrix: the rule for numpy.linalg.qr is for matrices of full rank")


def qr_tangent(y: Any, a: Any, a_dot: Any) -> Any:
    """``Q_dot = Q O + (I - Q Q^H) A_dot R^-1``, ``O`` skew with the lower triangle of ``Q^H A_dot R^-1``."""
    q, r, change = np.ascontiguousarray(y[0]), np.ascontiguousarray(y[1]), np.ascontiguousarray(a_dot)
    k = r.shape[0]
    first = np.ascontiguousarray(r[:, :k])
    check_full_rank(first, max(a.shape[0], a.shape[1]))
    m = turned_over(np.linalg.solve(turned_over(first), turned_over(np.ascontiguousarray(change[:, :k]))))
    inner = dot(turned_over(q), m)
    turn = np.zeros_like(inner)
    for i in range(k):
        for j in range(i):
            turn[i, j] = inner[i, j]
            turn[j, i] = -np.conj(inner[i, j])
        turn[i, i] = inner[i, i] - inner[i, i].real
    q_dot = dot(q, turn - inner) + m
    r_dot = np.zeros_like(r)
    r_dot[:, :k] = dot(inner - turn, first)
    if r.shape[1] > k:
        other, other_dot = np.ascontiguousarray(a[:, k:]), np.ascontiguousarray(change[:, k:])
        r_dot[:, k:] = dot(turned_over(q_dot), other) + dot(turned_over(q), other_dot)
    return q_dot, r_dot


@array_rule(np.linalg.qr, tangent=qr_tangent, reads="y a")
def qr_adjoint(y: Any, y_bar: Any, a: Any, a_bar: Any) -> None:
    """A wide matrix is ``Q [R_1 R_2]`` with ``R_2 = Q^H A_2``: D. A. O. Roberts and L. R. Roberts, "QR and LQ
    decomposition matrix backpropagation algorithms for square, wide, and deep matrices" (2020).
    """
    q, r = np.ascontiguousarray(y[0]), np.ascontiguousarray(y[1])
    q_bar, r_bar = seeds_of(y_bar[0], y[0]), np.ascontiguousarray(np.triu(seeds_of(y_bar[1], y[1])))
    k = r.shape[0]
    first = np.ascontiguousarray(r[:, :k])
    check_full_rank(first, max(a.shape[0], k))
    if r.shape[1] > k:
        other = np.ascontiguousarray(r_bar[:, k:])
        q_bar = q_bar + dot(np.ascontiguousarray(a[:, k:]), turned_over(other))
        a_bar[:, k:] += dot(q, other)
    a_bar[:, :k] += tall_bar(q, q_bar, first, np.ascontiguousarray(r_bar[:, :k]))
