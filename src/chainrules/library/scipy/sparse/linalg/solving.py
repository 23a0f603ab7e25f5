"""Direct solutions of sparse systems: `spsolve`, `splu`, `factorized`, `spsolve_triangular`.

With ``op(A) x = b``, ``b_bar = op(A)^-H x_bar``, and ``op(A)_bar = -b_bar x^H`` where A has entries. One factorization
serves the solution and the derivatives of every order.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from scipy import sparse  # type: ignore[import-untyped]
from scipy.sparse import linalg as sla  # type: ignore[import-untyped]

from .....declarations import constant_instances
from .....programs import program
from .....rules import frule, rrule
from .....tangents import NotImplementedDerivative, NotImplementedTangent, Thunk, ZeroTangent, is_absent, unthunk
from ....forward import forward
from ....numpy.shared import conj, leading
from ..products import product, sampled, turned

ADJOINT = {"N": "H", "H": "N", "T": "C", "C": "T"}
"""Of ``op(A)``, which is A, its transpose, its adjoint or its conjugate, the adjoint."""
TURNED = {"N": "T", "T": "N", "H": "C", "C": "H"}


class Factors:
    """The factors of a sparse matrix, which is constant: what varies are its entries, which are given beside it.

    Attributes:
        pattern: ``form, shape, major, minor``, as `product` takes it.
    """

    __slots__ = ("_lu", "_turned", "pattern")

    def __init__(self, data: Any, pattern: Any, options: dict[str, Any]):
        self.pattern = form, shape, major, minor = pattern
        self._turned = form == "csr"  # whose arrays are those of the transpose by columns
        data = np.asarray(data, np.result_type(data, np.float32))
        csc = sparse.csc_array((data, minor, major), shape=shape[::-1] if self._turned else shape)
        if not csc.has_sorted_indices:
            csc = csc.sorted_indices()
        try:
            self._lu = sla.splu(csc, **options)
        except RuntimeError as error:
            if "singular" not in str(error):
                raise
            raise NotImplementedDerivative("the matrix is singular: there is no solution to differentiate") from None

    def solve(self, b: Any, trans: str) -> Any:
        trans = TURNED[trans] if self._turned else trans
        if trans == "C":
            return conj(self._solve(conj(b), "N"))
        return self._solve(b, trans)

    def _solve(self, b: Any, trans: str) -> Any:
        if b.dtype.kind == "c" and self._lu.U.dtype.kind != "c":
            trans = "T" if trans == "H" else trans
            return self._lu.solve(b.real, trans) + 1j * self._lu.solve(b.imag, trans)
        return self._lu.solve(b, trans)


constant_instances(Factors)


def solved(data: Any, b: Any, factors: Factors, trans: str) -> Any:
    """The solution of ``op(A) x = b``; `data` are the entries of A, `factors` those of the same matrix."""
    return factors.solve(b, trans)


@rrule(solved)
def solved_rule(data: Any, b: Any, factors: Factors, trans: str) -> Any:
    """As above."""
    x = solved(data, b, factors, trans)

    def data_bar(x_bar: Any) -> Any:
        b_bar = -solved(data, x_bar, factors, ADJOINT[trans])
        if trans in "NT":
            u, v = b_bar, conj(x)
        else:
            u, v = conj(b_bar), x
        return sampled(u, v, *factors.pattern) if trans in "NC" else sampled(v, u, *factors.pattern)

    def solved_pullback(x_bar: Any) -> Any:
        return Thunk(data_bar, x_bar), Thunk(lambda: solved(data, x_bar, factors, ADJOINT[trans])), None, None

    return x, solved_pullback


@frule(solved, given_value=True)
def solved_tangent(x: Any, primals: Any, tangents: Any) -> Any:
    """``x_dot = op(A)^-1 (b_dot - op(A_dot) x)``."""
    data, _, factors, trans = primals
    data_dot, b_dot = [None if is_absent(t) else unthunk(t) for t in tangents[:2]]
    right = b_dot
    if data_dot is not None:
        form, shape, major, minor = factors.pattern
        if trans in "HC":
            data_dot = conj(data_dot)
        if trans in "NC":
            moved = product(data_dot, x, form, shape, major, minor)
        else:
            form = {"csr": "csc", "csc": "csr"}[form]
            moved = product(data_dot, x, form, shape[::-1], *turned(form, major, minor))
        right = -moved if right is None else right - moved
    return ZeroTangent() if right is None else solved(data, right, factors, trans)


class Solver:
    """What `splu` returns for a matrix that varies: it solves systems, and shows none of its factors.

    Attributes:
        shape: of the matrix.
    """

    def __init__(self, a: Any, options: dict[str, Any]):
        self.shape = a.shape
        self._data = a.data
        self._factors = Factors(a.data, (a.format, a.shape, a.indptr, a.indices), options)

    def solve(self, rhs: Any, trans: str = "N") -> Any:
        return solved(self._data, rhs, self._factors, trans)

    def __getattr__(self, name: str) -> Any:
        if name in ("L", "U", "perm_c", "perm_r", "nnz"):
            raise NotImplementedDerivative(
                f"the factors of a sparse matrix have no rule ({name!r} was read): use them to solve"
            )
        raise AttributeError(name)


def compressed(a: Any) -> Any:
    """A matrix by rows or columns, without repeated entries."""
    if not sparse.issparse(a) or a.format not in ("csr", "csc"):
        a = sparse.csc_array(a)
    a.sum_duplicates()
    return a


@program(sla.splu)
def splu_program(
    config: Any, A: Any, permc_spec: Any = None, diag_pivot_thresh: Any = None, relax: Any = None,
    panel_size: Any = None, options: Any = None,
) -> Any:  # fmt: skip
    return Solver(
        compressed(A),
        {
            "permc_spec": permc_spec, "diag_pivot_thresh": diag_pivot_thresh, "relax": relax,
            "panel_size": panel_size, "options": options or {},
        },
    )  # fmt: skip


DROPPED = (
    "scipy.sparse.linalg.spilu drops entries by their size: what its factors solve has no derivative with respect to "
    "the matrix. Give them to a solver as M, or use splu"
)


def nearly_solved(data: Any, b: Any, factors: Any, trans: str) -> Any:
    """The solution by incomplete factors of a matrix with the entries `data`."""
    return factors.solve(b, trans)


@rrule(nearly_solved)
def nearly_solved_rule(data: Any, b: Any, factors: Any, trans: str) -> Any:
    def b_bar(x_bar: Any) -> Any:
        return superlu_adjoint(factors, x_bar, trans)

    return nearly_solved(data, b, factors, trans), lambda x_bar: (
        NotImplementedTangent(DROPPED), Thunk(b_bar, x_bar), None, None,
    )  # fmt: skip


@frule(nearly_solved)
def nearly_solved_tangent(primals: Any, tangents: Any) -> Any:
    x = nearly_solved(*primals)
    if not is_absent(tangents[0]):
        return x, NotImplementedTangent(DROPPED)
    return x, ZeroTangent() if is_absent(tangents[1]) else nearly_solved(primals[0], unthunk(tangents[1]), *primals[2:])


class Incomplete:
    """What `spilu` returns for a matrix that varies: the preconditioner of a solver, of which its solution is free."""

    def __init__(self, factors: Any, a: Any):
        self._factors = factors
        self._data = a.data  # on which it depends

    def solve(self, rhs: Any, trans: str = "N") -> Any:
        return nearly_solved(self._data, rhs, self._factors, trans)

    def __getattr__(self, name: str) -> Any:
        return getattr(object.__getattribute__(self, "_factors"), name)


@program(sla.spilu)
def spilu_program(config: Any, A: Any, *args: Any, **options: Any) -> Any:
    return Incomplete(config.plainly(sla.spilu, A, *args, **options), compressed(A))


@program(sla.factorized)
def factorized_program(config: Any, A: Any) -> Any:
    return Solver(compressed(A), {}).solve


@program(sla.spsolve)
def spsolve_program(config: Any, A: Any, b: Any, permc_spec: Any = None, use_umfpack: bool = True) -> Any:
    solver = Solver(compressed(A), {"permc_spec": permc_spec})
    if sparse.issparse(b):
        x = solver.solve(b.toarray())
        return np.ravel(x) if b.ndim == 1 or b.shape[1] == 1 else A.__class__(x)
    b = np.asarray(b)
    return solver.solve(np.ravel(b) if b.ndim == 2 and b.shape[1] == 1 else b)


@program(sla.spsolve_triangular)
def spsolve_triangular_program(
    config: Any, A: Any, b: Any, lower: bool = True, overwrite_A: bool = False, overwrite_b: bool = False,
    unit_diagonal: bool = False,
) -> Any:  # fmt: skip
    config.plainly(sla.spsolve_triangular, A, b, lower, unit_diagonal=unit_diagonal)  # raises where SciPy does
    a = sparse.csc_array(A)
    if unit_diagonal:
        a = (sparse.tril(a, -1) if lower else sparse.triu(a, 1)) + sparse.identity(a.shape[0])
    return Solver(compressed(a), {"permc_spec": "NATURAL"}).solve(b)


def superlu_adjoint(lu: Any, y_bar: Any, trans: str) -> Any:
    """The solution of the adjoint system."""
    if trans == "T":
        return conj(lu.solve(conj(y_bar)))
    return lu.solve(y_bar, "H" if trans == "N" else "N")


@rrule(sla.SuperLU.solve)
@partial(leading, active=2)
def superlu_solve_rule(lu: Any, rhs: Any, trans: str = "N") -> Any:
    """Of constant factors: the adjoint system."""
    y = lu.solve(rhs, trans)

    return y, lambda y_bar: (None, Thunk(superlu_adjoint, lu, y_bar, trans))


@forward(sla.SuperLU.solve, 1)
def superlu_solve_tangent(y: Any, dots: Any, lu: Any, rhs: Any, trans: str = "N") -> Any:
    return lu.solve(dots[0], trans)
