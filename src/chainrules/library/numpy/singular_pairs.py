"""Derivatives of singular values and vectors along a matrix; as `eigenpairs`, where values repeat or vanish."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...rules import rrule
from ...tangents import Thunk
from .eigenpairs import gaps, is_closed, is_felt, largest, marked, of_pairs, of_pairs_moved, quotients, used_values
from .linear import _h

_np: Any = np


def vanishes(s: Any, n: int) -> Any:
    """Which singular values are zero up to rounding; `n`: the larger side of the matrix."""
    return s <= np.finfo(s.dtype).eps * n * np.max(s, axis=-1, keepdims=True, initial=0.0)


def singular_value_dots(a: Any, u: Any, s: Any, vh: Any, a_dot: Any) -> Any:
    """``re diag(U^H A_dot V)``: how singular values change; the vectors are those of the values alone."""
    return np.real(np.diagonal(_h(u) @ a_dot @ _h(vh), axis1=-2, axis2=-1))


def marked_dots(a: Any, u: Any, s: Any, vh: Any, t: Any) -> Any:
    """`singular_value_dots`, as `eigenpairs.marked_dots`."""
    p = _h(u) @ t @ _h(vh)
    return marked(np.real(np.diagonal(p, axis1=-2, axis2=-1)), s, 0.5 * (p + _h(p)))


def singular_values_dot(a: Any, thin: tuple, a_dot: Any) -> Any:
    """As `singular_value_dots`, with vectors and values of the thin kind, and 0 where a value vanishes."""
    u, s, vh = thin
    return np.where(vanishes(s, max(a.shape[-2:])), 0.0, singular_value_dots(a, u, s, vh, a_dot))


def of_singular_values(a: Any, u: Any, s: Any, vh: Any, s_bar: Any) -> Any:
    """``U diag(s_bar) V^H``: the cotangent of a matrix from that of its singular values."""
    return (u * s_bar[..., None, :]) @ vh


def of_singular_values_moved(u: Any, s: Any, vh: Any, s_bar: Any, t: Any) -> Any:
    """The derivative of `of_singular_values` along a matrix: divided differences and sums of ``s_bar``.

    Where both of two values vanish, and their cotangents with them, it is 0.
    """
    uh, v = _h(u), _h(vh)
    p = uh @ t @ v
    even, odd = 0.5 * (p + _h(p)), 0.5 * (p - _h(p))
    first, other = s_bar[..., None, :], s_bar[..., :, None]
    gap, closed = gaps(s)
    total, scale = s[..., None, :] + s[..., :, None], np.max(s, axis=-1, initial=0.0)[..., None, None]
    used = (first != 0) | (other != 0)
    split = used_values(s_bar) & is_felt(even, largest(p)) & ~np.eye(s.shape[-1], dtype=bool)
    gone = is_closed(total, scale)
    inner = even * quotients(first - other, gap, closed, split)
    inner = inner + odd * quotients(first + other, total, gone, used & is_felt(odd, largest(p)))
    ratio = quotients(first, s[..., None, :], is_closed(s[..., None, :], scale), first != 0)
    outside = ((t @ v - u @ p) * ratio) @ vh + (u * ratio) @ (uh @ t - p @ vh)
    return u @ inner @ vh + outside


@rrule(singular_value_dots)
def singular_value_dots_rule(a: Any, u: Any, s: Any, vh: Any, a_dot: Any) -> Any:
    def singular_value_dots_pullback(s_bar: Any) -> Any:
        to_a, to_dot = Thunk(of_singular_values_moved, u, s, vh, s_bar, a_dot), (a, u, s, vh, s_bar)
        return to_a, None, None, None, Thunk(of_singular_values, *to_dot)

    return marked_dots(a, u, s, vh, a_dot), singular_value_dots_pullback


@rrule(of_singular_values)
def of_singular_values_rule(a: Any, u: Any, s: Any, vh: Any, s_bar: Any) -> Any:
    def of_singular_values_pullback(t: Any) -> Any:
        to_a = Thunk(of_singular_values_moved, u, s, vh, s_bar, t)
        return to_a, None, None, None, Thunk(marked_dots, a, u, s, vh, t)

    return of_singular_values(a, u, s, vh, s_bar), of_singular_values_pullback


def singular_pair_dots(a: Any, u: Any, s: Any, vh: Any, a_dot: Any) -> Any:
    """With ``U^H A_dot V = H + K``, Hermitian and skew, the vectors turn by ``H/(s_j - s_i) + K/(s_i + s_j)`` and
    ``H/(s_j - s_i) - K/(s_i + s_j)`` as in `singular`; NaN where repeated values leave it open.
    """
    n, v = s.shape[-1], _h(vh)
    u1, v1 = u[..., :n], v[..., :n]
    m = _h(u1) @ a_dot @ v1
    h, k = 0.5 * (m + _h(m)), 0.5 * (m - _h(m))
    eye = np.eye(n, dtype=bool)
    gap, closed = gaps(s)
    gone = vanishes(s, max(np.shape(a)[-2:]))
    total, pairs = s[..., None, :] + s[..., :, None], gone[..., None, :] & gone[..., :, None]
    level = largest(a_dot)
    stretch = quotients(np.where(eye, 0.0, h), gap, closed, is_felt(np.where(eye, 0.0, h), level))
    turn = quotients(k, total, pairs, is_felt(k, level))
    u_dot = _completed(u, u1 @ (stretch + turn), a_dot @ v1, s, gone, level)
    v_dot = _completed(v, v1 @ (stretch - turn), _h(a_dot) @ u1, s, gone, level)
    return u_dot, np.real(np.diagonal(m, axis1=-2, axis2=-1)), _h(v_dot)


def _completed(u: Any, inside: Any, seen: Any, s: Any, gone: Any, level: Any) -> Any:
    """With what leaves the span, ``(I - U U^H) A_dot V/s``; the completing vectors stay orthogonal to the others."""
    n = s.shape[-1]
    u1, u2 = u[..., :n], u[..., n:]
    out = seen - u1 @ (_h(u1) @ seen)
    first = inside + quotients(out, s[..., None, :], gone[..., None, :], is_felt(out, level))
    return np.concatenate((first, -(u1 @ (_h(first) @ u2))), axis=-1) if u2.shape[-1] else first


@rrule(singular_pair_dots)
def singular_pair_dots_rule(a: Any, u: Any, s: Any, vh: Any, a_dot: Any) -> Any:
    """Of one real matrix with values that repeat or vanish; of others, what is written above is differentiated.

    Singular values are eigenvalues of ``[[0, A], [A^T, 0]]``, with the vectors one upon the other.
    """
    if s.ndim != 1 or np.iscomplexobj(u):
        return NotImplemented
    n, rows = len(s), len(u)
    manifold = (np.sum(gaps(s)[1], axis=0) > 1) | vanishes(s, max(a.shape))
    if not np.any(manifold):
        return NotImplemented

    def singular_pair_dots_pullback(y_bar: Any) -> Any:
        u_bar, s_bar, vh_bar = (np.zeros(x.shape) if b is None else b for x, b in zip((u, s, vh), y_bar, strict=True))
        both = np.concatenate([u[:, :n], vh[:n].T])
        both_bar = np.concatenate([u_bar[:, :n], vh_bar[:n].T])
        # The simple values are the largest, in the same order; the completing vectors have none of their own.
        w, z = _np.linalg.eigh(double(a))
        place = len(w) - 1 - np.arange(n)
        sign = np.sign(np.sum(z[:, place] * both, axis=0))
        w_bar, z_bar = np.zeros(len(w)), np.zeros(z.shape)
        w_bar[place], z_bar[:, place] = s_bar, both_bar * sign * 2**0.5
        lost = np.any((both_bar != 0) & manifold) or np.any(u_bar[:, n:]) or np.any(vh_bar[n:])
        if lost or np.any((s_bar != 0) & vanishes(s, max(a.shape))):
            w_bar = w_bar * np.nan
        corner = lambda whole: whole[:rows, rows:] + whole[rows:, :rows].T
        to_a = lambda: corner(of_pairs_moved(w, z, w_bar, z_bar, double(a_dot)))
        return Thunk(to_a), None, None, None, Thunk(lambda: corner(of_pairs(w, z, w_bar, z_bar)))

    return singular_pair_dots(a, u, s, vh, a_dot), singular_pair_dots_pullback


def double(a: Any) -> Any:
    """``[[0, A], [A^T, 0]]``."""
    first, last = (np.zeros((k, k)) for k in a.shape)
    return np.concatenate([np.concatenate([first, a], axis=1), np.concatenate([a.T, last], axis=1)])
