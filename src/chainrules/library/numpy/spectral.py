"""Eigenvalues and singular values.

Exact where the spectrum is separated. Where values repeat, the parts that do not depend on the choice of
vectors stay finite, and the others are NaN. Formulas: M. Giles (2008); for the complex SVD Z.-Q. Wan and
S.-X. Zhang (2019).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...rules import rrule
from ...tangents import Thunk
from .linalg import _one_triangle
from .linear import _h
from .shared import leading

_np: Any = np


def quotients(top: Any, gap: Any, scale: Any) -> Any:
    """``top / gap`` where the gap is open; where it is closed, 0 for a ``top`` that vanishes and NaN for one
    that does not.

    Args:
        top: what has to vanish where the vectors are not determined.
        gap: differences of eigenvalues or of squares of singular values.
        scale: their size, per matrix, to tell a closed gap.
    """
    eps = np.finfo(gap.dtype).eps * gap.shape[-1] * 8
    closed = np.abs(gap) <= eps * scale
    size = np.abs(top)
    level = np.max(size, axis=(-2, -1), keepdims=True, initial=0.0)
    undefined = closed & (size > np.sqrt(np.finfo(gap.dtype).eps) * level)
    return np.where(undefined, np.nan, np.where(closed, 0.0, top / np.where(closed, 1.0, gap)))


def _diag(w: Any) -> Any:
    return w[..., None, :] * np.eye(w.shape[-1])


@rrule(np.linalg.eigh)
@leading
def eigh_rule(a: Any, UPLO: str = "L") -> Any:
    """``V (diag(w_bar) + F * (V^H v_bar)) V^H`` with ``F[i,j] = 1/(w[j] - w[i])``, in the triangle that is
    read.
    """
    y = _np.linalg.eigh(a, UPLO)
    w, v = y

    def eigh_pullback(y_bar: Any) -> Any:
        w_bar, v_bar = y_bar

        def a_bar() -> Any:
            inner = 0.0 if w_bar is None else _diag(w_bar)
            if v_bar is not None:
                m = _h(v) @ v_bar
                gap = w[..., None, :] - w[..., :, None]
                off = 1.0 - np.eye(w.shape[-1])
                scale = np.max(np.abs(w), axis=-1, initial=0.0)[..., None, None]
                inner = inner + quotients(0.5 * (m - _h(m)) * off, gap, scale)
            return _one_triangle(v @ inner @ _h(v), UPLO.upper() == "U")

        return Thunk(a_bar)

    return y, eigh_pullback


@rrule(np.linalg.eigvalsh)
@leading
def eigvalsh_rule(a: Any, UPLO: str = "L") -> Any:
    """``V diag(w_bar) V^H``, in the triangle that is read; finite at repeated values."""

    def a_bar(y_bar: Any) -> Any:
        v = _np.linalg.eigh(a, UPLO)[1]
        return _one_triangle((v * y_bar[..., None, :]) @ _h(v), UPLO.upper() == "U")

    return _np.linalg.eigvalsh(a, UPLO), lambda y_bar: Thunk(a_bar, y_bar)


@rrule(np.linalg.eigvals)
def eigvals_rule(a: Any) -> Any:
    """``V^-H diag(w_bar) V^H``."""
    w, v = np.linalg.eig(a)
    return w, lambda y_bar: Thunk(lambda: np.linalg.solve(_h(v), y_bar[..., :, None] * _h(v)))


@rrule(np.linalg.eig)
def eig_rule(a: Any) -> Any:
    """``V^-H (diag(w_bar) + F * (V^H v_bar - V^H V diag(re(diag(V^H v_bar))))) V^H``."""
    y = np.linalg.eig(a)
    w, v = y

    def eig_pullback(y_bar: Any) -> Any:
        w_bar, v_bar = y_bar

        def a_bar() -> Any:
            inner = 0.0 if w_bar is None else _diag(w_bar)
            if v_bar is not None:
                m = _h(v) @ v_bar
                lengths = np.real(np.diagonal(m, axis1=-2, axis2=-1))
                m = m - (_h(v) @ v) * lengths[..., None, :]
                gap = np.conj(w[..., None, :] - w[..., :, None])
                n = w.shape[-1]
                closed = (np.abs(gap) == 0) & ~np.eye(n, dtype=bool)
                inner = inner + np.where(
                    np.eye(n, dtype=bool), 0.0, m / np.where(np.eye(n, dtype=bool) | closed, 1, gap)
                )
                inner = np.where(closed, np.nan, inner)
            return np.linalg.solve(_h(v), inner @ _h(v))

        return Thunk(a_bar)

    return y, eig_pullback


@rrule(np.linalg.svd)
@leading
def svd_rule(a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
    """Singular values ``U diag(s_bar) V^H``; vectors by the gaps of the squares. The reduced form, or a
    square
    matrix.
    """
    if hermitian:
        return NotImplemented
    if not compute_uv:
        return np.linalg.svd(a, full_matrices, False), lambda y_bar: Thunk(_of_values, a, y_bar)
    y = np.linalg.svd(a, full_matrices=full_matrices)
    shape = np.shape(a)

    def svd_pullback(y_bar: Any) -> Any:
        if full_matrices and shape[-1] != shape[-2] and not (y_bar[0] is None and y_bar[2] is None):
            raise NotImplementedError(
                "the rule for numpy.linalg.svd has no derivative for the vectors of full_matrices=True; "
                "pass full_matrices=False"
            )
        k = min(shape[-2:])
        return Thunk(_svd_bar, y[0][..., :, :k], y[1], y[2][..., :k, :], *y_bar)

    return y, svd_pullback


@rrule(np.linalg.svdvals)
def svdvals_rule(x: Any, /) -> Any:
    """``U diag(s_bar) V^H``."""
    return np.linalg.svdvals(x), lambda y_bar: Thunk(_of_values, x, y_bar)


def _of_values(a: Any, s_bar: Any) -> Any:
    # The vectors are found here only: the singular values alone have an algorithm, and last bits, of their own.
    u, _, vh = np.linalg.svd(a, full_matrices=False)
    return (u * s_bar[..., None, :]) @ vh


def _svd_bar(u: Any, s: Any, vh: Any, u_bar: Any, s_bar: Any, vh_bar: Any) -> Any:
    v, n = _h(vh), s.shape[-1]
    off = 1.0 - np.eye(n)
    gap = (s[..., None, :] - s[..., :, None]) * (s[..., None, :] + s[..., :, None])
    scale = np.max(s, axis=-1, initial=0.0)[..., None, None] ** 2
    inverse = np.where(s == 0, 0.0, 1.0 / np.where(s == 0, 1.0, s))
    inner = np.zeros_like(u[..., :n, :] * 0.0) if s_bar is None else _diag(s_bar).astype(u.dtype)
    total: Any = 0.0
    if u_bar is not None:
        m = _h(u) @ u_bar
        # For complex matrices the phases: the imaginary diagonal, shared with those of V.
        j = quotients((m - _h(m)) * off, gap, scale)
        inner = inner + j * s[..., None, :]
        if np.iscomplexobj(m):
            inner = inner + _diag(1j * np.imag(np.diagonal(m, axis1=-2, axis2=-1)) * inverse)
        rest = u_bar - u @ m
        total = total + (rest * inverse[..., None, :]) @ vh
    if vh_bar is not None:
        v_bar = _h(vh_bar)
        m = vh @ v_bar
        k = quotients((m - _h(m)) * off, gap, scale)
        inner = inner + s[..., :, None] * k
        rest = v_bar - v @ m
        total = total + (u * inverse[..., None, :]) @ _h(rest)
    return u @ inner @ vh + total


@rrule(np.linalg.qr)
@leading
def qr_rule(a: Any, mode: str = "reduced") -> Any:
    """``(Q_bar + Q copyltu(R R_bar^H - Q_bar^H Q)) R^-H``: S. Walter and L. Lehmann (2010); for full column
    rank.
    """
    y = _np.linalg.qr(a, mode)
    shape = np.shape(a)
    if mode == "reduced" or (mode == "complete" and shape[-1] == shape[-2]):
        q, r = y
        single = False
    elif mode == "r":
        q, r = _np.linalg.qr(a, "reduced")
        single = True
    else:
        return refuse_mode(mode)
    if shape[-2] < shape[-1]:
        raise NotImplementedError("the rule for numpy.linalg.qr is for matrices with at least as many rows as columns")

    def qr_pullback(y_bar: Any) -> Any:
        q_bar, r_bar = (None, y_bar) if single else y_bar

        def a_bar() -> Any:
            g = np.zeros_like(q) if q_bar is None else q_bar
            m = -(_h(g) @ q)
            if r_bar is not None:
                m = m + r @ _h(np.triu(r_bar))
            low = np.tril(m, -1)
            both = low + _h(low) + np.real(m) * np.eye(m.shape[-1])
            return _h(np.linalg.solve(r, _h(g + q @ both)))

        return Thunk(a_bar)

    return y, qr_pullback


def refuse_mode(mode: str) -> Any:
    """Refuse a mode of `numpy.linalg.qr`."""
    raise NotImplementedError(f"the rule for numpy.linalg.qr has no derivative for mode={mode!r}")


def lstsq_rule(a: Any, b: Any, rcond: Any = None) -> Any:
    """The solution ``pinv(A) b``, the residuals and the singular values, for a matrix of full column rank."""
    y = np.linalg.lstsq(a, b, rcond)
    a, b = np.asarray(a), np.asarray(b)
    x = y[0]
    if y[2] != a.shape[1]:
        raise NotImplementedError("the rule for numpy.linalg.lstsq is for matrices of full column rank")

    def lstsq_pullback(y_bar: Any) -> Any:
        x_bar, residual_bar, _, s_bar = y_bar
        left = b - a @ x
        one = x.ndim == 1
        g = np.zeros_like(x) if x_bar is None else x_bar
        # x = (A^H A)^-1 A^H b
        gram = np.linalg.solve(_h(a) @ a, g)
        b_bar = a @ gram
        a_bar = (
            np.multiply.outer(left, np.conj(gram)) - np.multiply.outer(b_bar, np.conj(x))
            if one
            else left @ _h(gram) - b_bar @ _h(x)
        )
        if residual_bar is not None and np.size(residual_bar):
            r = residual_bar[0] if one else residual_bar
            b_bar = b_bar + 2 * left * r
            a_bar = a_bar - (np.multiply.outer(2 * left * r, np.conj(x)) if one else (2 * left * r) @ _h(x))
        if s_bar is not None:
            u, _, vh = np.linalg.svd(a, full_matrices=False)
            a_bar = a_bar + (u * s_bar) @ vh
        return a_bar, b_bar

    return y, lstsq_pullback


rrule(np.linalg.lstsq)(leading(lstsq_rule, active=2))
