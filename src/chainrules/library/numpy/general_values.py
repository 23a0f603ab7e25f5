"""Derivatives of eigenvalues of general matrices along a matrix, without their vectors.

The second derivatives of a value along ``S`` and ``T``, seen in the basis of the vectors as ``s = V^-1 S V`` and ``t``,
are ``sum_{j != i} (t_ij s_ji + s_ij t_ji) / (w_i - w_j)`` (P. Lancaster, "On eigenvalues of matrices dependent on a
parameter", 1964). As in `eigenpairs`, the matrix stands for its values and vectors: these have no cotangents. Through
the vectors, whose phases have no derivative, what rounding leaves of seeds that cancel would be NaN.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...rules import rrule
from ...tangents import Thunk
from .eigenpairs import diagonal_of, gaps, largest, marked, quotients, used_splits
from .linear import _h

__all__ = ["along_values", "of_general_values", "pairs_of", "seen_by", "turned_back"]


def _solved(v: Any, top: Any, size: Any) -> Any:
    """``V^-1 top``, NaN where ``V`` is singular up to rounding and `size` is not 0."""
    if not v.shape[-1]:
        return top
    s = np.linalg.svdvals(v)
    defective = (s[..., -1] <= 8 * np.finfo(s.dtype).eps * v.shape[-1] * s[..., 0])[..., None, None]
    solved = np.linalg.solve(np.where(defective, np.eye(v.shape[-1]), v), top)
    return np.where(defective, np.where(largest(size) == 0, 0.0, np.nan), solved)


def pairs_of(a: Any, y: Any) -> tuple[Any, Any]:
    """Eigenvalues and vectors, in the order of the values ``y``, which another algorithm may have found in another."""
    w, v = np.linalg.eig(a)
    if not np.allclose(w, y):
        order = np.argmin(np.abs(y[..., :, None] - w[..., None, :]), axis=-1)
        w, v = np.take_along_axis(w, order, axis=-1), np.take_along_axis(v, order[..., None, :], axis=-1)
    return w, v


def seen_by(v: Any, t: Any) -> Any:
    """``V^-1 T V``."""
    return _solved(v, t @ v, t)


def turned_back(v: Any, inner: Any) -> Any:
    """``V^-H inner V^H``."""
    return _solved(_h(v), inner @ _h(v), inner)


def along_values(a: Any, w: Any, v: Any, t: Any) -> Any:
    """``diag(V^-1 T V)``: how eigenvalues change."""
    return np.diagonal(seen_by(v, t), axis1=-2, axis2=-1)


def of_general_values(a: Any, w: Any, v: Any, w_bar: Any) -> Any:
    """``V^-H diag(w_bar) V^H``: the cotangent of a matrix from that of its eigenvalues."""
    return turned_back(v, diagonal_of(w_bar))


def _marked(a: Any, w: Any, v: Any, t: Any) -> Any:
    """`along_values`, NaN for values that split, as in `eigenpairs.marked`."""
    p = seen_by(v, t)
    return marked(np.diagonal(p, axis1=-2, axis2=-1), w, p)


def _moved(w: Any, v: Any, w_bar: Any, t: Any) -> Any:
    """The cotangent of the matrix in ``Re w_bar^H diag(V^-1 T V)``: ``V^-H Q^H V^H`` with the divided differences
    ``Q_ij = t_ij (conj(w_bar_i) - conj(w_bar_j)) / (w_i - w_j)``.
    """
    p = seen_by(v, t)
    gap, closed = gaps(w)
    seeds = np.conj(w_bar)
    q = p * quotients(seeds[..., None, :] - seeds[..., :, None], gap, closed, used_splits(w, p, w_bar))
    return turned_back(v, _h(q))


@rrule(along_values)
def along_values_rule(a: Any, w: Any, v: Any, t: Any) -> Any:
    def along_values_pullback(w_bar: Any) -> Any:
        return Thunk(_moved, w, v, w_bar, t), None, None, Thunk(of_general_values, a, w, v, w_bar)

    return _marked(a, w, v, t), along_values_pullback


@rrule(of_general_values)
def of_general_values_rule(a: Any, w: Any, v: Any, w_bar: Any) -> Any:
    def of_general_values_pullback(t: Any) -> Any:
        return Thunk(_moved, w, v, w_bar, t), None, None, Thunk(_marked, a, w, v, t)

    return of_general_values(a, w, v, w_bar), of_general_values_pullback
