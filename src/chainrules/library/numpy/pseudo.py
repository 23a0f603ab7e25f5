"""The pseudo-inverse."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...declarations import ignore_derivatives, non_differentiable
from ...rules import rrule
from ...tangents import Thunk
from .linalg import _one_triangle
from .linear import _h
from .shared import NO_VALUE, as_array, leading

_np: Any = np


def pinv_bar(a: Any, y: Any, left: Any, right: Any, cut: Any = None) -> Any:
    """The cotangent of ``A`` from that of ``Y = pinv(A)``, given as ``left right^H``.

    For constant rank ``-Y^H G Y^H + (I - A Y) G^H Y Y^H + Y^H Y G^H (I - Y A)``: G. Golub and V. Pereyra, "The
    differentiation of pseudo-inverses and nonlinear least squares problems whose variables separate" (1973).

    Args:
        a: the matrix, or a stack of them.
        y: its pseudo-inverse.
        left: with ``right`` the cotangent of ``y``; the product is not formed.
        right: as ``left``.
        cut: the singular values up to ``cut`` times the largest were taken for zero; ``None``: those only that are.
    """
    if cut is not None:
        return _truncated_bar(a, left @ _h(right), cut)
    yl, yr = _h(y) @ left, y @ right
    inner = -(yl @ _h(yr))
    outer = (right - a @ yr) @ (_h(left) @ y @ _h(y))
    across = _h(y) @ yr @ (_h(left) - _h(yl) @ a)
    return inner + outer + across


def _truncated_bar(a: Any, g: Any, cut: Any) -> Any:
    """With ``Y^H = U f(S) V^H``, ``f(s) = 1/s`` or 0: the divided differences ``(f_j - f_i)/(s_j - s_i)`` to the
    Hermitian part of ``U^H G^H V``, ``(f_i + f_j)/(s_i + s_j)`` to the skew one, ``f/s`` to what leaves the spans; from
    the turning of the vectors as in `singular`.
    """
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    kept = s > np.asarray(cut)[..., None] * np.max(s, axis=-1, keepdims=True, initial=0.0)
    f = np.where(kept, 1.0 / np.where(kept, s, 1.0), 0.0)
    both = kept[..., :, None] & kept[..., None, :]
    gap, total = s[..., None, :] - s[..., :, None], s[..., None, :] + s[..., :, None]
    either = kept[..., :, None] ^ kept[..., None, :]
    outer = f[..., None, :] * f[..., :, None]
    sums, steps = f[..., None, :] + f[..., :, None], f[..., None, :] - f[..., :, None]
    hermitian = np.where(both, -outer, np.where(either, steps / np.where(either, gap, 1.0), 0.0))
    skew = np.where(both, outer, np.where(either, sums / np.where(either, total, 1.0), 0.0))
    gh, ratio = _h(g), (f * f)[..., None, :]
    gv, ug = gh @ _h(vh), _h(u) @ gh
    m = _h(u) @ gv
    inner = 0.5 * (hermitian * (m + _h(m)) + skew * (m - _h(m)))
    return u @ inner @ vh + ((gv - u @ m) * ratio) @ vh + (u * ratio) @ (ug - m @ vh)


def pinv_rule(a: Any, rcond: Any = None, hermitian: bool = False, **options: Any) -> Any:
    """Golub and Pereyra's formula; where singular values were cut off, the one that knows them."""
    y = _np.linalg.pinv(a, rcond, hermitian, **options)
    a = as_array(a)
    hermitian = hermitian and a.size > 0  # without elements it need not be square
    a = _from_lower(a) if hermitian else a

    def a_bar(y_bar: Any) -> Any:
        bar = pinv_bar(a, y, y_bar, np.eye(a.shape[-2]), _cut(a, rcond, options.get("rtol", NO_VALUE)))
        return _one_triangle(bar, False) if hermitian else bar

    return y, lambda y_bar: Thunk(a_bar, y_bar)


def _from_lower(a: Any) -> Any:
    low = np.tril(a, -1)
    return low + _h(low) + np.real(a) * np.eye(a.shape[-1])


def _cut(a: Any, rcond: Any, rtol: Any) -> Any:
    """The relative threshold where singular values lie under it, otherwise ``None``.

    Those that are zero up to rounding need none where the threshold is negligible too: the rank is what it is, and the
    formula for constant rank holds, which has no question of gauge among the vectors of a repeated zero. Below a larger
    threshold they may grow and stay cut off; then constant rank is right to first order only.
    """
    if a.size == 0:
        return None
    given = rcond
    if given is None:
        given = 1e-15 if rtol is NO_VALUE else max(a.shape[-2:]) * np.finfo(a.dtype).eps if rtol is None else rtol
    s = ignore_derivatives(np.linalg.svd(a, compute_uv=False))
    threshold = np.asarray(given)[..., None]
    lost = (s <= threshold * s.max(axis=-1, keepdims=True)) & ~(is_rounding(s, a) & (threshold <= negligible(s)))
    return given if lost.any() else None


def is_rounding(s: Any, a: Any) -> Any:
    """Which of the singular values of ``a`` are zero up to rounding."""
    return s <= rounding(s, a) * s.max(axis=-1, keepdims=True)


def rounding(s: Any, a: Any) -> float:
    """The size of what rounding makes of a singular value 0 of ``a``, relative to the largest."""
    return float(8 * max(a.shape[-2:]) * np.finfo(s.dtype).eps)


def negligible(s: Any) -> float:
    """The largest threshold that stands for a rank: what may grow below it is too small to matter."""
    return float(np.sqrt(np.finfo(s.dtype).eps))


def cut_between(s: Any, rank: int, a: Any, rcond: float | None = None) -> float | None:
    """The threshold between the ``rank`` largest singular values and others; ``None`` as in `_cut`."""
    if not 0 < rank < len(s) or (is_rounding(s, a)[rank] and (rcond is None or rcond <= negligible(s))):
        return None
    return float(s[rank - 1] + s[rank]) / 2 / float(s[0])


def threshold_between(s: Any, rank: int, a: Any, cut: float | None) -> float:
    """What has `numpy.linalg.pinv` keep the ``rank`` largest singular values; all are cut off if even the largest is 0.

    Where those cut off are zero up to rounding (no ``cut``), so is the threshold: that of constant rank.
    """
    if not 0 < rank < len(s):
        return float(rank == 0)
    return min(float(s[rank - 1] + s[rank]) / 2 / float(s[0]), rounding(s, a)) if cut is None else cut


non_differentiable(cut_between, threshold_between)


rrule(np.linalg.pinv)(leading(pinv_rule))
