"""Forward rules for singular vectors, eigenvectors and least squares.

What singular and eigenvectors leave open (signs, phases, the vectors that complete a basis) moves as little as it can.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..forward import array_dot, forward
from . import factorizations  # noqa: F401  (the reverse rules)
from .eigenpairs import gaps, quotients
from .forward_linalg import pinv_dot
from .general_values import along_values, pairs_of, seen_by
from .linalg import from_triangle
from .pseudo import cut_between, threshold_between
from .shared import as_array, conj
from .singular_pairs import singular_pair_dots, singular_values_dot

_np: Any = np


@forward(np.linalg.svd)
def svd_forward(
    y: Any, dots: Any, a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False
) -> Any:
    """As `singular_value_dots` and `singular_pair_dots`."""
    a_dot = array_dot(a, dots[0])
    if hermitian:
        a, a_dot = from_triangle(as_array(a), False), from_triangle(a_dot, False)
    if compute_uv:
        return singular_pair_dots(as_array(a), y[0], y[1], y[2], a_dot)
    return singular_values_dot(as_array(a), _np.linalg.svd(a, full_matrices=False, hermitian=hermitian), a_dot)


@forward(np.linalg.eigvals)
def eigvals_forward(y: Any, dots: Any, a: Any) -> Any:
    """``diag(V^-1 A_dot V)``."""
    return along_values(a, *pairs_of(a, y), array_dot(a, dots[0]))


@forward(np.linalg.eig)
def eig_forward(y: Any, dots: Any, a: Any) -> Any:
    """``w_dot = diag(M)`` with ``M = V^-1 A_dot V``, and ``V_dot = V (M/(w_j - w_i))`` less what would change the
    length of a vector, or make its largest element, which LAPACK leaves real, complex.
    """
    w, v = y
    a_dot = array_dot(a, dots[0])
    m = seen_by(v, a_dot)
    eye = np.eye(w.shape[-1], dtype=bool)
    off = np.where(eye, 0.0, m)
    gap, closed = gaps(w)
    v_dot = v @ quotients(off, gap, closed, closed & ~eye)
    along = np.real(np.sum(conj(v) * v_dot, axis=-2, keepdims=True))
    if np.iscomplexobj(v) and v.size:
        top = np.argmax(np.abs(v), axis=-2)[..., None, :]
        ratio = np.take_along_axis(v_dot, top, -2) / np.take_along_axis(v, top, -2)
        along = along + 1j * np.imag(ratio)
    return along_values(a, w, v, a_dot), v_dot - v * along


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
    return x_dot, residuals_dot, None, singular_values_dot(a, (u, s_thin, vh), a_dot)
