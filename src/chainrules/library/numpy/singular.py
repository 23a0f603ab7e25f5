"""Singular values and vectors.

With ``U^H dA V = H + K``, Hermitian and skew, the vectors turn by ``dU = U O_u`` and ``dV = V O_v`` where ``O_u + O_v =
2 H / (s_j - s_i)`` and ``O_u - O_v = 2 K / (s_i + s_j)``. So the skew parts ``t_u``, ``t_v`` of ``U^H U_bar`` and ``V^H
V_bar`` give ``(t_u + t_v) / (s_j - s_i) + (t_u - t_v) / (s_i + s_j)``: where singular values repeat the first part
is a question of gauge, as in `spectral`, and the second, which carries the polar factor ``U V^H``, stays finite. Where
they vanish left and right vectors turn freely. For the complex case the same holds on the diagonal: Z.-Q. Wan and
S.-X. Zhang, "Automatic differentiation for complex valued SVD" (2019).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...rules import rrule
from ...tangents import Thunk
from .eigenpairs import diagonal_of, is_closed, is_felt, largest, quotients
from .linalg import _one_triangle, from_triangle
from .linear import _h
from .shared import as_array, leading
from .singular_pairs import of_singular_values, vanishes
from .spectral import lost_blocks

_np: Any = np


@rrule(np.linalg.svd)
@leading
def svd_rule(a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
    """Singular values ``U diag(s_bar) V^H``; vectors as above. The vectors that complete a basis are known up to a
    rotation: NaN for a loss that depends on it.
    """
    y = _np.linalg.svd(a, full_matrices, compute_uv, hermitian)
    a = as_array(a)
    if not compute_uv:
        return y, lambda y_bar: Thunk(of_values, a, y_bar, hermitian)

    def a_bar(*y_bar: Any) -> Any:
        whole = svd_bar(y, y_bar)
        return _lower_triangle(whole) if hermitian else whole

    return y, lambda y_bar: Thunk(a_bar, *y_bar)


def svd_bar(y: Any, y_bar: Any) -> Any:
    """The cotangent of a matrix from those of ``u, s, vh``, which may be complete; some may be ``None``."""
    (u, s, vh), (u_bar, s_bar, vh_bar) = y, y_bar
    left, left_bar = _thin(u, u_bar, s.shape[-1])
    right, right_bar = _thin(_h(vh), None if vh_bar is None else _h(vh_bar), s.shape[-1])
    return _svd_bar(left, left_bar, s, s_bar, right, right_bar)


@rrule(np.linalg.svdvals)
def svdvals_rule(x: Any, /) -> Any:
    """``U diag(s_bar) V^H``."""
    return np.linalg.svdvals(x), lambda y_bar: Thunk(of_values, as_array(x), y_bar)


def _lower_triangle(x_bar: Any) -> Any:
    """What `numpy.linalg.eigh` reads, for ``hermitian=True``."""
    return _one_triangle(x_bar, False)


def of_values(a: Any, s_bar: Any, hermitian: bool = False) -> Any:
    """The cotangent of a matrix from that of its singular values; of those that vanish it is 0."""
    if not a.size:
        return np.zeros(a.shape)
    # The vectors are found here only: the singular values alone have an algorithm, and last bits, of their own.
    u, s, vh = _np.linalg.svd(a, full_matrices=False, hermitian=hermitian)
    weight = np.where(vanishes(s, max(a.shape[-2:])), 0.0, s_bar)
    whole = of_singular_values(from_triangle(a, False) if hermitian else a, u, s, vh, weight)
    return _lower_triangle(whole) if hermitian else whole


def _thin(u: Any, u_bar: Any, k: int) -> Any:
    """The first ``k`` vectors, and their cotangent with what the completing ones ``U_2`` pass on: ``dU_2 = -U_1
    dU_1^H U_2`` without a rotation among themselves.
    """
    if u.shape[-1] == k or u_bar is None:
        return u[..., :k], u_bar
    u1, u2 = u[..., :k], u[..., k:]
    g1, g2 = u_bar[..., :k], u_bar[..., k:]
    m = _h(u2) @ g2
    rotates = np.any(is_felt(m - _h(m), largest(_h(u) @ g2)), axis=(-2, -1), keepdims=True)
    return u1, g1 - u2 @ (_h(g2) @ u1) + np.where(rotates, np.nan, 0.0)


def _svd_bar(u: Any, u_bar: Any, s: Any, s_bar: Any, v: Any, v_bar: Any) -> Any:
    n, rows, columns = s.shape[-1], u.shape[-2], v.shape[-2]
    zeros = np.zeros((n, n))
    m_u = zeros if u_bar is None else _h(u) @ u_bar
    m_v = zeros if v_bar is None else _h(v) @ v_bar
    t_u, t_v = 0.5 * (m_u - _h(m_u)), 0.5 * (m_v - _h(m_v))
    together, apart = t_u + t_v, t_u - t_v
    none = np.zeros((1, 1))
    level = np.maximum(none if u_bar is None else largest(u_bar), none if v_bar is None else largest(v_bar))
    gone = vanishes(s, max(rows, columns))
    inner: Any = 0.0
    if s_bar is not None:
        # The vectors say on which side of the kink a value that gone is; without them it is 0 there.
        s_bar = np.where(gone & (level[..., 0] == 0), 0.0, s_bar)
        inner = diagonal_of(s_bar)
    lost = lost_blocks(np.abs(m_u) + np.abs(m_v), level, s_bar)
    others = lost & ~np.eye(n, dtype=bool)
    scale = np.max(s, axis=-1, initial=0.0)[..., None, None]
    gap, total = s[..., None, :] - s[..., :, None], s[..., None, :] + s[..., :, None]
    inner = inner + quotients(together, gap, is_closed(gap, scale), is_felt(together, level) | others)
    # Where a value gone the phase between its vectors is lost too.
    phases = lost if np.iscomplexobj(u) else others
    pairs = gone[..., None, :] & gone[..., :, None]
    inner = inner + quotients(apart, total, pairs, is_felt(apart, level) | phases)
    whole = u @ inner @ _h(v)
    if rows > n:
        whole = whole + _outside(u, m_u, u_bar, s, gone, level, s_bar) @ _h(v)
    if columns > n:
        whole = whole + u @ _h(_outside(v, m_v, v_bar, s, gone, level, s_bar))
    return whole


def _outside(u: Any, m: Any, u_bar: Any, s: Any, gone: Any, level: Any, s_bar: Any) -> Any:
    """What leaves the span of the vectors, ``(I - U U^H) U_bar / s``."""
    rest = np.zeros(u.shape) if u_bar is None else u_bar - u @ m
    undefined = is_felt(rest, level)
    if s_bar is not None:
        undefined = undefined | (s_bar != 0)[..., None, :] & (level > 0)
    return quotients(rest, s[..., None, :], gone[..., None, :], undefined)
