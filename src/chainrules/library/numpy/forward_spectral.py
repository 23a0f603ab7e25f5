"""Forward rules for singular vectors, eigenvectors and least squares.

What singular and eigenvectors leave open (signs, phases, the vectors that complete a basis) moves as little as it can.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..forward import array_dot, forward
from . import factorizations  # noqa: F401  (the reverse rules)
from .forward_linalg import from_triangle, pinv_dot
from .linear import _h
from .pseudo import cut_between, threshold_between
from .shared import as_array, conj
from .singular import _vanishes
from .spectral import is_closed, is_felt, largest, quotients

_np: Any = np


def _values_dot(u: Any, s: Any, vh: Any, a_dot: Any, n: int) -> Any:
    """``re diag(U^H A_dot V)``, 0 where a value vanishes."""
    s_dot = np.real(np.diagonal(_h(u) @ a_dot @ _h(vh), axis1=-2, axis2=-1))
    return np.where(_vanishes(s, n), 0.0, s_dot)


@forward(np.linalg.svd)
def svd_forward(
    y: Any, dots: Any, a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False
) -> Any:
    """With ``U^H A_dot V = H + K``, Hermitian and skew, the vectors turn by ``H/(s_j - s_i) + K/(s_i + s_j)`` and
    ``H/(s_j - s_i) - K/(s_i + s_j)`` as in `singular`; NaN where repeated values leave it open.
    """
    a_dot = array_dot(a, dots[0])
    if hermitian:
        a_dot = from_triangle(a_dot, False)
    size = max(np.shape(a)[-2:])
    if not compute_uv:
        u, s, vh = _np.linalg.svd(a, full_matrices=False, hermitian=hermitian)
        return _values_dot(u, s, vh, a_dot, size)
    u, s, vh = y
    n, v = s.shape[-1], _h(vh)
    u1, v1 = u[..., :n], v[..., :n]
    m = _h(u1) @ a_dot @ v1
    h, k = 0.5 * (m + _h(m)), 0.5 * (m - _h(m))
    scale, eye = np.max(s, axis=-1, initial=0.0)[..., None, None], np.eye(n, dtype=bool)
    gap, total = s[..., None, :] - s[..., :, None], s[..., None, :] + s[..., :, None]
    gone = _vanishes(s, size)
    closed, pairs = is_closed(gap, scale), gone[..., None, :] & gone[..., :, None]
    level = largest(a_dot)
    stretch = quotients(np.where(eye, 0.0, h), gap, closed, is_felt(np.where(eye, 0.0, h), level))
    turn = quotients(k, total, pairs, is_felt(k, level))
    u_dot = _completed(u, u1 @ (stretch + turn), a_dot @ v1, s, gone, level)
    v_dot = _completed(v, v1 @ (stretch - turn), _h(a_dot) @ u1, s, gone, level)
    s_dot = np.real(np.diagonal(m, axis1=-2, axis2=-1))
    return u_dot, s_dot, _h(v_dot)


def _completed(u: Any, inside: Any, seen: Any, s: Any, gone: Any, level: Any) -> Any:
    """With what leaves the span, ``(I - U U^H) A_dot V/s``; the completing vectors stay orthogonal to the others."""
    n = s.shape[-1]
    u1, u2 = u[..., :n], u[..., n:]
    out = seen - u1 @ (_h(u1) @ seen)
    first = inside + quotients(out, s[..., None, :], gone[..., None, :], is_felt(out, level))
    return np.concatenate((first, -(u1 @ (_h(first) @ u2))), axis=-1) if u2.shape[-1] else first


def _seen_by(v: Any, a_dot: Any) -> Any:
    """``V^-1 A_dot V``, NaN where ``V`` is singular up to rounding."""
    s = np.linalg.svdvals(v)
    n = v.shape[-1]
    if not n:
        return a_dot
    defective = (s[..., -1] <= 8 * np.finfo(s.dtype).eps * n * s[..., 0])[..., None, None]
    m = np.linalg.solve(np.where(defective, np.eye(n), v), a_dot @ v)
    return np.where(defective, np.where(largest(a_dot) == 0, 0.0, np.nan), m)


@forward(np.linalg.eigvals)
def eigvals_forward(y: Any, dots: Any, a: Any) -> Any:
    """``diag(V^-1 A_dot V)``."""
    w, v = np.linalg.eig(a)
    if not np.allclose(w, y):
        order = np.argmin(np.abs(y[..., :, None] - w[..., None, :]), axis=-1)
        v = np.take_along_axis(v, order[..., None, :], axis=-1)
    return np.diagonal(_seen_by(v, array_dot(a, dots[0])), axis1=-2, axis2=-1)


@forward(np.linalg.eig)
def eig_forward(y: Any, dots: Any, a: Any) -> Any:
    """``w_dot = diag(M)`` with ``M = V^-1 A_dot V``, and ``V_dot = V (M/(w_j - w_i))`` less what would change the
    length of a vector, or make its largest element, which LAPACK leaves real, complex.
    """
    w, v = y
    m = _seen_by(v, array_dot(a, dots[0]))
    eye = np.eye(w.shape[-1], dtype=bool)
    off = np.where(eye, 0.0, m)
    gap = w[..., None, :] - w[..., :, None]
    closed = is_closed(gap, np.max(np.abs(w), axis=-1, initial=0.0)[..., None, None])
    v_dot = v @ quotients(off, gap, closed, closed & ~eye)
    along = np.real(np.sum(conj(v) * v_dot, axis=-2, keepdims=True))
    if np.iscomplexobj(v) and v.size:
        top = np.argmax(np.abs(v), axis=-2)[..., None, :]
        ratio = np.take_along_axis(v_dot, top, -2) / np.take_along_axis(v, top, -2)
        along = along + 1j * np.imag(ratio)
    return np.diagonal(m, axis1=-2, axis2=-1), v_dot - v * along


@forward(np.linalg.lstsq, 0, 1)
def lstsq_forward(y: Any, dots: Any, a: Any, b: Any, rcond: Any = None) -> Any:
    """``x = P b`` with ``P = pinv(A)``, the residuals and the singular values."""
    x, residuals, rank, s = y
    a, b = as_array(a), as_array(b)
    a_dot, b_dot = array_dot(a, dots[0]), array_dot(b, dots[1])
    cut = cut_between(s, rank, a, rcond)
    p = np.linalg.pinv(a, threshold_between(s, rank, a, cut))
    x_dot = p @ b_dot + pinv_dot(a, p, a_dot, cut) @ b
    residuals_dot = np.zeros(np.shape(residuals))
    if np.size(residuals):
        change = 2 * np.real(np.sum(conj(b - a @ x) * (b_dot - a_dot @ x), axis=0))
        residuals_dot = np.reshape(change, residuals.shape)
    u, s_thin, vh = np.linalg.svd(a, full_matrices=False)
    return x_dot, residuals_dot, None, _values_dot(u, s_thin, vh, a_dot, max(a.shape))
