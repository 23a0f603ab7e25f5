"""Derivatives of eigenpairs and singular values along a matrix, whose own derivatives know where values repeat.

Written with the vectors, a second derivative would ask how those of a repeated value turn, which nobody knows and
which matters to no value beside. So the matrix stands for its values and vectors here: these have no cotangents, and
that of the matrix holds differences of values that are not the same alone (Kato, Perturbation Theory for Linear
Operators, section II.2). What does depend on how a repeated value splits is NaN.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...rules import rrule
from ...tangents import Thunk
from .linear import _h

_np: Any = np


def largest(x: Any) -> Any:
    """The largest size in each matrix of a stack, to compare with."""
    return np.max(np.abs(x), axis=(-2, -1), keepdims=True, initial=0.0)


def is_closed(gap: Any, scale: Any) -> Any:
    """Whether differences of eigenvalues are zero up to rounding; ``scale`` is the size of the values."""
    return np.abs(gap) <= 8 * np.finfo(gap.dtype).eps * gap.shape[-1] * scale


def is_felt(x: Any, level: Any) -> Any:
    """Whether ``x`` is more than what rounding makes of a zero, beside numbers of the size ``level``; NaN is."""
    return ~(np.abs(x) <= np.sqrt(np.finfo(x.dtype).eps) * level)


def quotients(top: Any, gap: Any, closed: Any, undefined: Any) -> Any:
    """``top / gap``; where the gap is closed 0, or NaN where that is undefined."""
    return np.where(closed, np.where(undefined, np.nan, 0.0), top / np.where(closed, 1.0, gap))


def gaps(w: Any) -> tuple[Any, Any]:
    """Differences of eigenvalues, and which of them are closed between two."""
    gap = w[..., None, :] - w[..., :, None]
    return gap, is_closed(gap, np.max(np.abs(w), axis=-1, initial=0.0)[..., None, None])


def seen(v: Any, t: Any) -> Any:
    """A Hermitian matrix in the basis of the vectors."""
    return _h(v) @ t @ v


def value_dots(a: Any, w: Any, v: Any, a_dot: Any) -> Any:
    """``diag(V^H A_dot V)``: how eigenvalues change."""
    return np.real(np.diagonal(seen(v, a_dot), axis1=-2, axis2=-1))


def splits(w: Any, p: Any) -> Any:
    """Which pairs of values that are the same a matrix, seen as ``p``, splits."""
    return gaps(w)[1] & is_felt(p, largest(p)) & ~np.eye(w.shape[-1], dtype=bool)


def marked(w_dot: Any, w: Any, p: Any) -> Any:
    """How values change, for derivatives of it: NaN for those that a matrix, seen as ``p``, splits.

    Where both of a pair have seeds of zero, only what is made of this tells values that somebody uses, as
    ``(w - 1)**2`` does at 1, from those that nobody reads.
    """
    return np.where(np.any(splits(w, p), axis=-1), np.nan, w_dot)


def marked_dots(a: Any, w: Any, v: Any, t: Any) -> Any:
    """`value_dots`, `marked`."""
    return marked(value_dots(a, w, v, t), w, seen(v, 0.5 * (t + _h(t))))


def of_values(a: Any, w: Any, v: Any, w_bar: Any) -> Any:
    """``V diag(w_bar) V^H``: the cotangent of a Hermitian matrix from that of its eigenvalues."""
    return (v * w_bar[..., None, :]) @ _h(v)


def used_values(w_bar: Any) -> Any:
    """Pairs of which one value is used, as far as its seed tells: all are zero where a function is stationary."""
    return (w_bar[..., None, :] != 0) | (w_bar[..., :, None] != 0) | ~np.any(w_bar)


def used_splits(w: Any, p: Any, w_bar: Any) -> Any:
    """Of the pairs that a matrix `splits`, those with seeds that are told apart."""
    none = w == 0  # where powers are stationary, too: a seed of zero says nothing
    return splits(w, p) & (used_values(w_bar) | none[..., None, :] & none[..., :, None])


def of_values_moved(w: Any, v: Any, w_bar: Any, t: Any) -> Any:
    """The derivative of `of_values` along a matrix: divided differences of ``w_bar`` (Daleckii and Krein, 1965)."""
    p = seen(v, 0.5 * (t + _h(t)))
    gap, closed = gaps(w)
    first, other = w_bar[..., None, :], w_bar[..., :, None]
    return v @ (p * quotients(first - other, gap, closed, used_splits(w, p, w_bar))) @ _h(v)


@rrule(value_dots)
def value_dots_rule(a: Any, w: Any, v: Any, a_dot: Any) -> Any:
    def value_dots_pullback(w_bar: Any) -> Any:
        return Thunk(of_values_moved, w, v, w_bar, a_dot), None, None, Thunk(of_values, a, w, v, w_bar)

    return marked_dots(a, w, v, a_dot), value_dots_pullback


@rrule(of_values)
def of_values_rule(a: Any, w: Any, v: Any, w_bar: Any) -> Any:
    def of_values_pullback(t: Any) -> Any:
        return Thunk(of_values_moved, w, v, w_bar, t), None, None, Thunk(marked_dots, a, w, v, t)

    return of_values(a, w, v, w_bar), of_values_pullback


def general_value_dots(w: Any, inner: Any) -> Any:
    """The diagonal of ``V^-1 A_dot V``; its derivative is NaN for values that split."""
    w_dot, split = np.diagonal(inner, axis1=-2, axis2=-1), splits(w, inner)
    return splitting(w_dot, np.any(split, axis=-1)) if np.any(split) else w_dot


def splitting(w_dot: Any, split: Any) -> Any:
    """A copy, whose derivative is NaN where ``split``."""
    return w_dot.copy()


@rrule(splitting)
def splitting_rule(w_dot: Any, split: Any) -> Any:
    return np.where(split, np.nan, w_dot), lambda w_bar: (np.where(split & (w_bar != 0), np.nan, w_bar), None)


def pair_dots(a: Any, w: Any, v: Any, a_dot: Any) -> Any:
    """``w_dot = diag(V^H A_dot V)`` and ``V_dot = V (F * V^H A_dot V)``; NaN where repeated values leave it open."""
    inner = seen(v, a_dot)
    gap, closed = gaps(w)
    others = ~np.eye(w.shape[-1], dtype=bool)
    w_dot = np.real(np.diagonal(inner, axis1=-2, axis2=-1))
    return w_dot, v @ quotients(inner * others, gap, closed, closed & others)


def of_pairs(w: Any, v: Any, w_bar: Any, v_bar: Any) -> Any:
    """The cotangent of a real matrix from those of its eigenvalues and simple vectors: the transpose of `pair_dots`."""
    gap, closed = gaps(w)
    inner = quotients(_h(v) @ v_bar, gap, closed, closed & undefined(closed, v_bar)) + diagonal_of(w_bar)
    return v @ (0.5 * (inner + _h(inner))) @ _h(v)


def of_pairs_moved(w: Any, v: Any, w_bar: Any, v_bar: Any, t: Any) -> Any:
    """The derivative of `of_pairs` along a symmetric matrix.

    It is that of ``sum_i v_bar_i . G_i T v_i + w_bar_i v_i . T v_i``, with the reduced resolvent ``G_i = sum_{j != i}
    v_j v_j^T / (w_i - w_j)``, ``dv_i = G_i dA v_i``, and, with ``P_i = v_i v_i^T``,
    ``dG_i = G_i (dA - dw_i) G_i - G_i^2 dA P_i - P_i dA G_i^2``.
    """
    gap, closed = gaps(w)
    f = quotients(1.0, gap, closed, False)
    b, q = _h(v) @ v_bar, seen(v, 0.5 * (t + _h(t)))
    x, y = f * b, f * q
    own_b, own_q = (np.diagonal(m, axis1=-2, axis2=-1)[..., None, :] for m in (b, q))
    inner = x @ _h(y) - diagonal_of(np.sum(x * y, axis=-2))
    inner = inner + f * (q @ x - x * own_q - y * own_b) + 2 * w_bar[..., None, :] * y
    used = (w_bar[..., None, :] != 0) | (w_bar[..., :, None] != 0)
    split = closed & used & is_felt(q, largest(q)) & ~np.eye(w.shape[-1], dtype=bool)
    inner = np.where(split | undefined(closed, v_bar), np.nan, inner)
    return v @ (0.5 * (inner + _h(inner))) @ _h(v)


def undefined(closed: Any, v_bar: Any) -> Any:
    """The columns of vectors that matter although their value repeats."""
    return (np.sum(closed, axis=-2, keepdims=True) > 1) & np.any(v_bar != 0, axis=-2, keepdims=True)


def diagonal_of(w: Any) -> Any:
    """Matrices with ``w`` on their diagonals."""
    return w[..., None, :] * np.eye(w.shape[-1], dtype=w.dtype)


@rrule(pair_dots)
def pair_dots_rule(a: Any, w: Any, v: Any, a_dot: Any) -> Any:
    """Of real matrices; those of complex ones depend on the phases of vectors."""
    if np.iscomplexobj(v):
        return NotImplemented

    def pair_dots_pullback(y_bar: Any) -> Any:
        w_bar, v_bar = (np.zeros(x.shape) if bar is None else bar for x, bar in zip((w, v), y_bar, strict=True))
        return (
            Thunk(of_pairs_moved, w, v, w_bar, v_bar, a_dot), None, None, Thunk(of_pairs, w, v, w_bar, v_bar),
        )  # fmt: skip

    w_dot, v_dot = pair_dots(a, w, v, a_dot)
    return (marked(w_dot, w, seen(v, 0.5 * (a_dot + _h(a_dot)))), v_dot), pair_dots_pullback
