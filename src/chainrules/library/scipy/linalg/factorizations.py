"""Cholesky, LU and QR factors, and solving by them.

The pivots are constants. Of ``A = P L U`` with a square matrix ``A_bar = P L^-H (tril(L^H L_bar, -1) + triu(U_bar
U^H)) U^-H``: F. de Hoog, R. Anderssen and M. Lukas, "Differentiation of matrix functionals using triangular
factorization" (2011).
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from scipy import linalg as la  # type: ignore[import-untyped]

from ....rules import rrule
from ....tangents import Thunk
from ...numpy.factorizations import qr_bar
from ...numpy.linalg import cholesky_bar
from ...numpy.linear import _h
from ...numpy.shared import as_array, conj, leading
from .solving import outer, solved, transposed_matrix


@rrule(la.cholesky)
@leading
def cholesky_rule(a: Any, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    """As `numpy.linalg.cholesky`."""
    y = la.cholesky(a, lower, check_finite=check_finite)
    return y, lambda y_bar: Thunk(cholesky_bar, y, not lower, y_bar)


_LEFT_OVER = bool(la.cho_factor(np.array([[1.0, 0.0], [0.5, 1.0]]))[0][1, 0])


@rrule(la.cho_factor)
@leading
def cho_factor_rule(a: Any, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    """As `cholesky_rule`; the other triangle of the factor holds what was there in ``a``, or since SciPy 1.18 zeros."""
    y = la.cho_factor(a, lower, check_finite=check_finite)

    def a_bar(c_bar: Any) -> Any:
        c = y[0]
        factor = np.tril(c) if lower else np.triu(c)
        bar = cholesky_bar(factor, not lower, np.tril(c_bar) if lower else np.triu(c_bar))
        if _LEFT_OVER:
            bar = bar + (np.triu(c_bar, 1) if lower else np.tril(c_bar, -1))
        return bar

    return y, lambda y_bar: Thunk(a_bar, y_bar[0])


@rrule(la.cho_solve)
@partial(leading, active=2)
def cho_solve_rule(c_and_lower: Any, b: Any, overwrite_b: bool = False, check_finite: bool = True) -> Any:
    """``b_bar = A^-1 G``, ``a_bar = -b_bar y^H``, and the factor's in its triangle, as ``A = L L^H = U^H U``."""
    c, lower = c_and_lower
    y = la.cho_solve((c, lower), b, check_finite=check_finite)
    vector = np.ndim(b) < 2
    below = bool(np.all(lower))  # of a stack SciPy tells it for every matrix
    if below != bool(np.any(lower)):
        raise NotImplementedError("the rule for scipy.linalg.cho_solve is for factors in the same triangle")

    def b_bar(y_bar: Any) -> Any:
        return solved(lambda g: la.cho_solve((c, lower), g, check_finite=check_finite), y_bar, vector)

    def c_bar(y_bar: Any) -> Any:
        g = -outer(b_bar(y_bar), y, vector)
        g = g + _h(g)
        return np.tril(g @ np.tril(c)) if below else np.triu(np.triu(c) @ g)

    return y, lambda y_bar: ((Thunk(c_bar, y_bar), None), Thunk(b_bar, y_bar))


def _check_square(a: Any) -> None:
    if np.ndim(a) < 2 or np.shape(a)[-1] != np.shape(a)[-2]:
        raise NotImplementedError("the rules for scipy.linalg.lu and its kin are for square matrices")


def _lu_bar(low: Any, up: Any, low_bar: Any, up_bar: Any) -> Any:
    """The cotangent of ``L U``, a square matrix.

    Its last column is ``L^-H U_bar[:, -1]``, in which the last pivot cancels: that may be zero, as of the rate matrices
    of Markov chains. ``A_bar U^H = L^-H inner`` gives the other columns.
    """
    inner = np.tril(_h(low) @ low_bar, -1) + np.triu(up_bar @ _h(up))
    right = np.linalg.solve(_h(low), np.concatenate([inner[..., :-1], up_bar[..., -1:]], axis=-1))
    others = right[..., :-1] - right[..., -1:] @ _h(up[..., :-1, -1:])
    return np.concatenate([_h(np.linalg.solve(up[..., :-1, :-1], _h(others))), right[..., -1:]], axis=-1)


def _unpacked(lu: Any) -> tuple[Any, Any]:
    """The unit lower and the upper triangular matrix that LAPACK stores in one."""
    return np.tril(lu, -1) + np.eye(lu.shape[-1]), np.triu(lu)


def _row_order(piv: Any) -> Any:
    """The rows of the matrix in the order in which the swaps of LAPACK put them."""
    order = np.broadcast_to(np.arange(piv.shape[-1]), piv.shape).copy()
    for stack in np.ndindex(piv.shape[:-1]):
        rows = order[stack].tolist()
        for i, j in enumerate(piv[stack].tolist()):
            rows[i], rows[j] = rows[j], rows[i]
        order[stack] = rows
    return order


def _rows(x: Any, order: Any) -> Any:
    """The rows of matrices in another order."""
    return np.take_along_axis(x, np.broadcast_to(order[..., None], (*x.shape[:-1], 1)), axis=-2)


def _put_back(rows_bar: Any, order: Any) -> Any:
    """The cotangent of a matrix from that of its rows in another order."""
    return _rows(rows_bar, np.argsort(order, axis=-1))


@rrule(la.lu_factor)
@leading
def lu_factor_rule(a: Any, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    """As said above, of both factors in one matrix."""
    y = la.lu_factor(a, check_finite=check_finite)

    def a_bar(lu_bar: Any) -> Any:
        _check_square(a)
        low, up = _unpacked(y[0])
        return _put_back(_lu_bar(low, up, np.tril(lu_bar, -1), np.triu(lu_bar)), _row_order(y[1]))

    return y, lambda y_bar: Thunk(a_bar, y_bar[0])


@rrule(la.lu)
@leading
def lu_rule(
    a: Any, permute_l: bool = False, overwrite_a: bool = False, check_finite: bool = True, p_indices: bool = False
) -> Any:
    """As said above."""
    y = la.lu(a, permute_l, check_finite=check_finite, p_indices=p_indices)

    def a_bar(y_bar: Any) -> Any:
        _check_square(a)
        if not np.size(a):
            return np.zeros(np.shape(a))
        low, up = y[-2:]
        low_bar, up_bar = y_bar[-2:]
        if permute_l:  # the permuted matrix is the only thing that tells the permutation
            p, low, up = la.lu(a, check_finite=check_finite, p_indices=True)
            low_bar = None if low_bar is None else _put_back(low_bar, p)
        else:
            p = y[0] if p_indices else np.argmax(y[0], axis=-1)
        low_bar = np.zeros(low.shape) if low_bar is None else low_bar
        up_bar = np.zeros(up.shape) if up_bar is None else up_bar
        # row i of A is row p[i] of L U
        return _rows(_lu_bar(low, up, low_bar, np.triu(up_bar)), p)

    return y, lambda y_bar: Thunk(a_bar, y_bar)


@rrule(la.lu_solve)
@partial(leading, active=2)
def lu_solve_rule(lu_and_piv: Any, b: Any, trans: int = 0, overwrite_b: bool = False, check_finite: bool = True) -> Any:
    """As `scipy.linalg.solve`; then through the product ``P L U``."""
    lu, piv = lu_and_piv
    _check_square(lu)  # SciPy looks at no shape where an array is empty
    y = la.lu_solve((lu, piv), b, trans, check_finite=check_finite)
    vector = np.ndim(b) < 2

    def adjoint(y_bar: Any) -> Any:
        if trans == 1:
            return conj(la.lu_solve((lu, piv), conj(y_bar), 0, check_finite=check_finite))
        return la.lu_solve((lu, piv), y_bar, 2 - trans, check_finite=check_finite)

    def b_bar(y_bar: Any) -> Any:
        return solved(adjoint, y_bar, vector)

    def lu_bar(y_bar: Any) -> Any:
        g = -outer(b_bar(y_bar), y, vector)
        g = g if trans == 0 else transposed_matrix(g) if trans == 1 else _h(g)
        rows_bar = _rows(g, _row_order(piv))
        low, up = _unpacked(lu)
        return np.tril(rows_bar @ _h(up), -1) + np.triu(_h(low) @ rows_bar)

    return y, lambda y_bar: ((Thunk(lu_bar, y_bar), None), Thunk(b_bar, y_bar))


def _columns(x: Any, order: Any) -> Any:
    return np.take_along_axis(x, np.broadcast_to(order, (*x.shape[:-2], 1, x.shape[-1])), axis=-1)


@rrule(la.qr)
@leading
def qr_rule(
    a: Any, overwrite_a: bool = False, lwork: Any = None, mode: str = "full", pivoting: bool = False,
    check_finite: bool = True,
) -> Any:  # fmt: skip
    """As `numpy.linalg.qr`, of the columns in the order that was chosen."""
    if mode == "raw":
        raise NotImplementedError("the rule for scipy.linalg.qr has no derivative for mode='raw'")
    given = {} if lwork is None else {"lwork": lwork}  # deprecated since SciPy 1.18
    y = la.qr(a, mode=mode, pivoting=pivoting, check_finite=check_finite, **given)
    a = as_array(a)

    def a_bar(y_bar: Any) -> Any:
        order = y[-1][..., None, :] if pivoting else None
        moved = a if order is None else _columns(a, order)
        if mode == "r":
            q = la.qr(moved, mode="economic", check_finite=check_finite)[0]
            bar = qr_bar(moved, q, None, y[0], y_bar[0])
        else:
            bar = qr_bar(moved, y[0], y_bar[0], y[1], y_bar[1])
        return bar if order is None else _columns(bar, np.argsort(order, axis=-1))

    return y, lambda y_bar: Thunk(a_bar, y_bar)
