"""Eigenvalues and eigenvectors.

Exact where the spectrum is separated. Where values repeat, the vectors of a repeated value are known up to a
rotation only, and of the cotangent ``X`` of ``V^H A V`` the block of that value is known as far as the seeds tell:

- Of the values alone it is ``diag(w_bar)``: finite, as symmetric functions of the eigenvalues need.
- Of the vectors alone (``w_bar`` is ``None``) it is 0 for a loss that does not depend on the rotation, such as the
  projector onto their span, and NaN for one that does.
- Of both, as in ``f(A) = V f(w) V^H``, its diagonal is ``w_bar``, and the rest of it is lost: at ``A = I`` the sum of
  the entries of ``A + A log A`` and that of ``A`` plus the trace of ``A log A`` have the same seeds, and different
  gradients. It is NaN.

A cotangent of zeros says that the vectors are not used.

Formulas: M. Giles, "Collected matrix derivative results for forward and reverse mode algorithmic differentiation"
(2008).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...rules import rrule
from ...tangents import Thunk
from .eigenpairs import diagonal_of, gaps, is_closed, is_felt, largest, of_values, quotients
from .general_values import of_general_values, pairs_of, turned_back
from .linalg import _one_triangle, from_triangle
from .linear import _h
from .shared import as_array, leading

_np: Any = np


def in_block(felt: Any) -> Any:
    """Whether anything is felt among two rows and columns, for each pair of them."""
    own = np.diagonal(felt, axis1=-2, axis2=-1)
    return felt | np.swapaxes(felt, -1, -2) | own[..., None, :] | own[..., :, None]


@rrule(np.linalg.eigh)
@leading
def eigh_rule(a: Any, UPLO: str = "L") -> Any:
    """``V (diag(w_bar) + F * skew(V^H v_bar)) V^H`` with ``F[i,j] = 1/(w[j] - w[i])``, in the triangle that is
    read. A loss that depends on the phases of complex vectors has no derivative: NaN.
    """
    y = _np.linalg.eigh(a, UPLO)
    return y, lambda y_bar: Thunk(eigh_bar, y, y_bar, UPLO.upper() == "U")


def eigh_bar(y: Any, y_bar: Any, upper: bool) -> Any:
    """The cotangent of a Hermitian matrix from those of its eigenvalues and vectors."""
    (w, v), (w_bar, v_bar) = y, y_bar
    inner = 0.0 if w_bar is None else diagonal_of(w_bar)
    if v_bar is not None:
        inner = inner + _vectors_inner(w, _h(v) @ v_bar, w_bar)
    return _one_triangle(v @ inner @ _h(v), upper)


def lost_blocks(m: Any, level: Any, w_bar: Any) -> Any:
    """For each pair of vectors whether the cotangent of a block with both in it is lost, as said above."""
    if w_bar is None:
        return np.zeros(m.shape, bool)
    values = w_bar != 0
    return in_block(is_felt(m, level)) | (values[..., None, :] | values[..., :, None]) & (level > 0)


def _vectors_inner(w: Any, m: Any, w_bar: Any) -> Any:
    skew = 0.5 * (m - _h(m))
    level, (gap, closed) = largest(m), gaps(w)
    lost = lost_blocks(m, level, w_bar) & ~np.eye(w.shape[-1], dtype=bool)
    return quotients(skew, gap, closed, is_felt(skew, level) | lost)


@rrule(np.linalg.eigvalsh)
@leading
def eigvalsh_rule(a: Any, UPLO: str = "L") -> Any:
    """``V diag(w_bar) V^H``, in the triangle that is read; finite at repeated values."""

    def a_bar(y_bar: Any) -> Any:
        upper = UPLO.upper() == "U"
        w, v = _np.linalg.eigh(a, UPLO)
        return _one_triangle(of_values(from_triangle(as_array(a), upper), w, v, y_bar), upper)

    return _np.linalg.eigvalsh(a, UPLO), lambda y_bar: Thunk(a_bar, y_bar)


@rrule(np.linalg.eigvals)
def eigvals_rule(a: Any) -> Any:
    """``V^-H diag(w_bar) V^H``; NaN for a matrix that has no basis of eigenvectors."""
    y = np.linalg.eigvals(a)
    return y, lambda y_bar: Thunk(eigvals_bar, a, y, y_bar)


def eigvals_bar(a: Any, y: Any, y_bar: Any) -> Any:
    """The cotangent of a matrix from that of its eigenvalues."""
    return of_general_values(a, *pairs_of(a, y), y_bar)


@rrule(np.linalg.eig)
def eig_rule(a: Any) -> Any:
    """``V^-H (diag(w_bar) + conj(F) * (V^H v_bar - V^H V diag(re(diag(V^H v_bar))))) V^H``: NumPy's vectors have
    length 1. A loss that depends on their phases has no derivative: NaN.

    C. Boeddeker, P. Hanebrink et al., "On the computation of complex-valued gradients" (2017).
    """
    y = np.linalg.eig(a)
    return y, eig_pullback_of(a, *y)


def eig_pullback_of(a: Any, w: Any, v: Any) -> Any:
    """The pullback of `eig_rule`, given eigenvalues and vectors of length 1."""

    def eig_pullback(y_bar: Any) -> Any:
        w_bar, v_bar = y_bar
        if v_bar is not None and np.iscomplexobj(v) and not np.iscomplexobj(a):
            # LAPACK makes real vectors for real values; complex ones of real matrices have a phase.
            real = np.all(np.imag(v) == 0, axis=-2, keepdims=True)
            v_bar = np.where(real, np.real(v_bar), v_bar)

        def a_bar() -> Any:
            inner = 0.0 if w_bar is None else diagonal_of(w_bar)
            if v_bar is None and w_bar is not None:
                return of_general_values(a, w, v, w_bar)
            if v_bar is not None:
                m = _h(v) @ v_bar
                level = largest(m)
                own = np.diagonal(m, axis1=-2, axis2=-1)
                off = m - (_h(v) @ v) * np.real(own)[..., None, :]
                gap = np.conj(w[..., None, :] - w[..., :, None])
                diagonal = np.eye(w.shape[-1], dtype=bool)
                closed = is_closed(gap, np.max(np.abs(w), axis=-1, initial=0.0)[..., None, None])
                felt = is_felt(off, level) | lost_blocks(m, level, w_bar)
                phase = is_felt(np.imag(own), level[..., 0])[..., None, :] & diagonal
                inner = inner + quotients(off, gap, closed, np.where(diagonal, phase, felt))
            return turned_back(v, inner)

        return Thunk(a_bar)

    return eig_pullback
