"""Linear systems, inverses, determinants, norms."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from scipy import linalg as la  # type: ignore[import-untyped]

from ....rules import rrule
from ....tangents import Thunk
from ...numpy.cofactors import cofactors
from ...numpy.factorizations import lstsq_rule as numpy_lstsq_rule
from ...numpy.linalg import _one_triangle, from_triangle
from ...numpy.linear import _h
from ...numpy.norms import norm_rule as numpy_norm_rule
from ...numpy.pseudo import _cut, pinv_bar
from ...numpy.shared import as_array, conj, given, leading


def transposed_matrix(x: Any) -> Any:
    """The transpose of a matrix, or of a stack of them."""
    return np.swapaxes(x, -1, -2)


def as_matrix(x: Any) -> Any:
    """``x`` as an array of matrices: SciPy takes a number for a matrix of one element."""
    x = as_array(x)
    return x if x.ndim > 1 else x.reshape(1, -1)


def read_part(g: Any, assume_a: Any, lower: bool) -> Any:
    """The cotangent of what is read of a matrix, from the cotangent ``g`` of the matrix that it stands for."""
    if assume_a in (None, "gen", "general"):
        return g
    if assume_a in ("pos", "positive definite", "her", "hermitian"):
        return _one_triangle(g, not lower)
    if assume_a in ("sym", "symmetric"):
        both = g + transposed_matrix(g)
        half = np.tril(both) if lower else np.triu(both)
        return half * (1.0 - 0.5 * np.eye(g.shape[-1]))
    if assume_a in ("upper triangular", "triangular upper"):
        return np.triu(g)
    if assume_a in ("lower triangular", "triangular lower"):
        return np.tril(g)
    if assume_a == "diagonal":
        return g * np.eye(g.shape[-1])
    if assume_a == "tridiagonal":
        return np.triu(np.tril(g, 1), -1)
    raise NotImplementedError(f"the rule for scipy.linalg has no derivative for assume_a={assume_a!r}")


def outer(left: Any, right: Any, vector: bool) -> Any:
    """``left right^H`` of columns, or of single vectors."""
    return left[..., :, None] * conj(right)[..., None, :] if vector else left @ _h(right)


def solved(solve: Any, g: Any, vector: bool) -> Any:
    """``solve(g)``; a stack of single vectors goes in as columns, since SciPy would read it as one matrix."""
    return solve(g[..., None])[..., 0] if vector and np.ndim(g) > 1 else solve(g)


@rrule(la.solve)
@partial(leading, active=2)
def solve_rule(
    a: Any, b: Any, lower: bool = False, overwrite_a: bool = False, overwrite_b: bool = False,
    check_finite: bool = True, assume_a: Any = None, transposed: bool = False,
) -> Any:  # fmt: skip
    """``b_bar = A^-H G`` and ``a_bar = -b_bar y^H``, in the part of the matrix that is read."""
    y = la.solve(a, b, lower, check_finite=check_finite, transposed=transposed, **given(assume_a=assume_a))
    a, vector = as_matrix(a), np.ndim(b) < 2
    if a.shape[-1] == 1:  # SciPy divides by the number
        assume_a = None
    options: dict[str, Any] = {"lower": lower, "check_finite": check_finite, **given(assume_a=assume_a)}

    def adjoint(y_bar: Any) -> Any:
        if transposed:  # A^T x = b
            return conj(la.solve(a, conj(y_bar), **options))
        if assume_a in (None, "gen", "general", "diagonal", "tridiagonal"):
            return la.solve(_h(a), y_bar, check_finite=check_finite, **given(assume_a=assume_a))
        if assume_a in ("sym", "symmetric"):
            return conj(la.solve(a, conj(y_bar), **options))
        if "triangular" in assume_a:
            return la.solve_triangular(a, y_bar, "C", "lower" in assume_a, check_finite=check_finite)
        return la.solve(a, y_bar, **options)

    def b_bar(y_bar: Any) -> Any:
        return solved(adjoint, y_bar, vector)

    def a_bar(y_bar: Any) -> Any:
        g = -outer(b_bar(y_bar), y, vector)
        return read_part(transposed_matrix(g) if transposed else g, assume_a, lower)

    return y, lambda y_bar: (Thunk(a_bar, y_bar), Thunk(b_bar, y_bar))


@rrule(la.inv)
@leading
def inv_rule(
    a: Any, overwrite_a: bool = False, check_finite: bool = True, *, assume_a: Any = None, lower: bool = False
) -> Any:
    """``-Y^H G Y^H``, in the part of the matrix that is read."""
    y = la.inv(a, check_finite=check_finite, **given(assume_a=assume_a, lower=lower or None))  # new in SciPy 1.17
    return y, lambda y_bar: Thunk(lambda: read_part(-(_h(y) @ y_bar @ _h(y)), assume_a, lower))


@rrule(la.det)
@leading
def det_rule(a: Any, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    """The cofactors, also where the determinant is 0."""
    y = la.det(a, check_finite=check_finite)
    return y, lambda y_bar: Thunk(lambda: np.asarray(y_bar)[..., None, None] * cofactors(as_array(a), y))


@rrule(la.solve_triangular)
@partial(leading, active=2)
def solve_triangular_rule(
    a: Any, b: Any, trans: Any = 0, lower: bool = False, unit_diagonal: bool = False, overwrite_b: bool = False,
    check_finite: bool = True,
) -> Any:  # fmt: skip
    """As `solve_rule`, by substitution, in one triangle; its diagonal has no say where it is one by decree."""
    kind = {"N": 0, "T": 1, "C": 2}.get(trans, trans)
    y = la.solve_triangular(a, b, kind, lower, unit_diagonal, check_finite=check_finite)
    a, vector = as_array(a), np.ndim(b) < 2

    def adjoint(y_bar: Any) -> Any:
        if kind == 1:
            return conj(la.solve_triangular(a, conj(y_bar), 0, lower, unit_diagonal))
        return la.solve_triangular(a, y_bar, 2 - kind, lower, unit_diagonal)

    def b_bar(y_bar: Any) -> Any:
        return solved(adjoint, y_bar, vector)

    def a_bar(y_bar: Any) -> Any:
        g = -outer(b_bar(y_bar), y, vector)
        g = g if kind == 0 else transposed_matrix(g) if kind == 1 else _h(g)
        k = int(unit_diagonal)
        return np.tril(g, -k) if lower else np.triu(g, k)

    return y, lambda y_bar: (Thunk(a_bar, y_bar), Thunk(b_bar, y_bar))


@rrule(la.norm)
@leading
def norm_rule(a: Any, ord: Any = None, axis: Any = None, keepdims: bool = False, check_finite: bool = True) -> Any:
    """As `numpy.linalg.norm`."""
    y = la.norm(a, ord, axis, keepdims, check_finite)
    _, back = numpy_norm_rule(a, ord, axis, keepdims)
    return y, lambda y_bar: Thunk(lambda: back(y_bar)[0])


@rrule(la.lstsq)
@partial(leading, active=2)
def lstsq_rule(
    a: Any, b: Any, cond: Any = None, overwrite_a: bool = False, overwrite_b: bool = False,
    check_finite: bool = True, lapack_driver: Any = None,
) -> Any:  # fmt: skip
    """As `numpy.linalg.lstsq`."""
    if np.ndim(a) > 2 or np.ndim(b) > 2:
        raise NotImplementedError("the rule for scipy.linalg.lstsq is for one system; solve those of a stack in a loop")
    y = la.lstsq(a, b, cond, check_finite=check_finite, lapack_driver=lapack_driver)

    def empty_pullback(y_bar: Any) -> Any:
        b_bar = np.zeros(np.shape(b)) if y_bar[1] is None or np.shape(a)[-1] else 2.0 * np.asarray(b) * y_bar[1]
        return np.zeros(np.shape(a)), b_bar

    def lstsq_pullback(y_bar: Any) -> Any:
        x_bar, residual_bar, _, s_bar = y_bar
        (_, residuals, _, _), back = numpy_lstsq_rule(a, b, cond)
        if residual_bar is not None:  # of a real number, to which SciPy 1.18 gives an imaginary part
            there = np.size(residuals) and np.size(residual_bar)  # "gelsy" gives none
            residual_bar = np.real(np.reshape(residual_bar, np.shape(residuals))) if there else None
        return back((x_bar, residual_bar, None, s_bar))

    return y, lstsq_pullback if np.size(a) else empty_pullback


@rrule(la.pinv)
@leading
def pinv_rule(
    a: Any, *, atol: Any = None, rtol: Any = None, return_rank: bool = False, check_finite: bool = True
) -> Any:
    """Golub and Pereyra's formula, as for `numpy.linalg.pinv`."""
    if atol is not None:
        raise NotImplementedError("the rule for scipy.linalg.pinv has no derivative for the keyword 'atol'; use rtol")
    y = la.pinv(a, rtol=rtol, return_rank=return_rank, check_finite=check_finite)
    inverse = y[0] if return_rank else y
    a = as_array(a)

    def a_bar(y_bar: Any) -> Any:
        g = y_bar[0] if return_rank else y_bar
        if g is None:
            return np.zeros(a.shape)
        eps = max(a.shape[-2:]) * np.finfo(a.dtype if a.dtype.kind in "fc" else float).eps
        return pinv_bar(a, inverse, g, np.eye(a.shape[-2]), _cut(a, eps if rtol is None else rtol, None))

    return y, lambda y_bar: Thunk(a_bar, y_bar)


@rrule(la.pinvh)
@leading
def pinvh_rule(
    a: Any, atol: Any = None, rtol: Any = None, lower: bool = True, return_rank: bool = False, check_finite: bool = True
) -> Any:
    """As `pinv_rule`, in the triangle that is read."""
    if atol is not None:
        raise NotImplementedError("the rule for scipy.linalg.pinvh has no derivative for the keyword 'atol'; use rtol")
    y = la.pinvh(a, None, rtol, lower, return_rank, check_finite)
    inverse = y[0] if return_rank else y
    a = as_array(a)

    def a_bar(y_bar: Any) -> Any:
        g = y_bar[0] if return_rank else y_bar
        if g is None:
            return np.zeros(a.shape)
        whole = from_triangle(a, not lower)
        eps = a.shape[-1] * np.finfo(a.dtype if a.dtype.kind in "fc" else float).eps
        bar = pinv_bar(whole, inverse, g, np.eye(a.shape[-1]), _cut(whole, eps if rtol is None else rtol, None))
        return _one_triangle(bar, not lower)

    return y, lambda y_bar: Thunk(a_bar, y_bar)
