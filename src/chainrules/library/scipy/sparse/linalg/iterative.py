"""Iterative solutions, `cg`, `gmres` and kin, and least squares, `lsqr` and `lsmr`, by the conditions at the solution.

The derivative is that of the solution, whatever the method did to find it: where it began, its preconditioner and its
tolerance are no part of it. The linear systems of the derivatives are solved as the first one was, more exactly.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from scipy import sparse  # type: ignore[import-untyped]
from scipy.sparse import linalg as sla  # type: ignore[import-untyped]

from .....programs import program
from .....tangents import NotImplementedDerivative
from ...callbacks import found_by, tell
from ...implicit import Linear, corrected, jacobian_of
from ...naming import itself
from ...solutions import converged, moved_as

SYMMETRIC = ("cg", "minres")
TIGHT = 1e-12


INVERSES: WeakKeyDictionary[Linear, Callable[[Any, bool], Any]] = WeakKeyDictionary()


class Solving(Linear):
    """A constant linear map whose inverse a function gives; that may capture a preconditioner that varies."""

    def __init__(self, n: int, inverse: Callable[[Any, bool], Any]):
        self.n = n
        INVERSES[self] = inverse

    def inverse(self, b: Any, transposed: bool) -> Any:
        size = np.linalg.norm(b)
        if size == 0.0 or not np.isfinite(size):
            return b * 1.0
        return INVERSES[self](b / size, transposed) * size


def solving(solver: Any, a: Any, m: Any) -> Solving:
    """The inverse of an explicit matrix, by the solver that the user has chosen; by factors where that fails."""
    symmetric = solver.__name__ in SYMMETRIC
    factors: list[Any] = []

    def inverse(b: Any, transposed: bool) -> Any:
        if not factors:
            matrix = a.T if transposed and not symmetric else a
            prepared = None if transposed and not symmetric else m
            x, info = tightly(solver, matrix, b, prepared)
            if info == 0 and np.linalg.norm(matrix @ x - b) < 100 * TIGHT:
                return x
            factors.append(sla.splu(sparse.csc_array(a)))
        return factors[0].solve(b, "T" if transposed else "N")

    return Solving(a.shape[0], inverse)


def tightly(solver: Any, a: Any, b: Any, m: Any) -> Any:
    options = {} if solver is sla.minres else {"atol": 0.0}
    return solver(a, b, rtol=TIGHT, **options, **({} if m is None else {"M": m}))


if hasattr(sla.LinearOperator, "_init_dtype"):
    init_dtype = itself(sla.LinearOperator._init_dtype)

    @program(sla.LinearOperator._init_dtype)
    def init_dtype_program(config: Any, self: Any) -> None:
        """The kind of numbers that an operator gives, which it finds by a product."""
        if self.dtype is None:
            self.dtype = config.plainly(kind_of_products, self)


def kind_of_products(a: Any) -> Any:
    again = copy.copy(a)
    init_dtype(again)
    return again.dtype


def is_explicit(a: Any) -> bool:
    return sparse.issparse(a) or isinstance(a, np.ndarray)


def refuse_complex(*values: Any) -> None:
    if any(np.dtype(getattr(v, "dtype", None) or float).kind == "c" for v in values):
        raise NotImplementedDerivative("a complex system is not implemented: use spsolve or splu")


def iterative(solver: Any) -> None:
    """Declare the program of a solver of linear systems."""

    @program(solver)
    def solver_program(config: Any, A: Any, b: Any, *args: Any, **options: Any) -> Any:
        (x, info), calls = found_by(config, solver, A, b, *args, **options)
        converged(info == 0, f"info={info}")
        config.plainly(refuse_complex, A, b)
        shape = np.shape(x)
        right = np.ravel(b)
        residual = lambda z: A @ z - right
        x = np.ravel(x)
        if is_explicit(A):
            linear = config.plainly(solving, solver, A, options.get("M"))
        else:
            linear = config.plainly(jacobian_of, config, residual, x, solver.__name__ in SYMMETRIC)
        x = np.reshape(corrected(config, x, residual, linear), shape)
        tell(options.get("callback"), calls, x)
        return x, info


for _name in ("bicg", "bicgstab", "cg", "cgs", "gcrotmk", "gmres", "lgmres", "minres", "qmr", "tfqmr"):
    if hasattr(sla, _name):
        iterative(getattr(sla, _name))


def normal(a: Any, damp: float) -> Solving:
    """The inverse of ``A^T A + damp^2``.

    Raises:
        NotImplementedDerivative: it has none.
    """
    a = sparse.csc_array(a)
    n = a.shape[1]
    if a.shape[0] < n and damp == 0:
        raise NotImplementedDerivative("an underdetermined system is not implemented: give damp, or use a QR or SVD")
    try:
        lu = sla.splu(sparse.csc_array(a.T @ a + damp**2 * sparse.identity(n)))
    except RuntimeError:
        lu = None
    pivots = None if lu is None else np.abs(lu.U.diagonal())
    if pivots is None or np.min(pivots, initial=np.inf) < 1e-14 * np.max(pivots, initial=0.0):
        raise NotImplementedDerivative(
            "the matrix does not have full rank: the least-squares solution has no derivative"
        )
    return Solving(n, lambda b, transposed: lu.solve(b))


def of_least_squares(config: Any, a: Any, b: Any, damp: Any, x: Any) -> Any:
    """A solution of least squares with its derivatives, and the residual with its."""
    config.plainly(refuse_complex, a, b)
    at = a.T if is_explicit(a) else sla.aslinearoperator(a).T
    right = np.ravel(b)
    gradient = lambda z: at @ (a @ z - right) + damp**2 * z
    if is_explicit(a):
        linear = config.plainly(normal, a, damp)
    else:
        linear = config.plainly(jacobian_of, config, gradient, x, True)
    x = corrected(config, x, gradient, linear)
    return x, right - a @ x


@program(sla.lsqr)
def lsqr_program(config: Any, A: Any, b: Any, damp: Any = 0.0, *args: Any, **options: Any) -> Any:
    found = config.plainly(sla.lsqr, A, b, damp, *args, **options)
    x, istop, itn, r1norm, r2norm, anorm, acond, arnorm, xnorm, var = found
    converged(istop in (0, 1, 2, 4, 5), f"istop={istop}")
    if options.get("x0") is not None and np.any(damp):
        raise NotImplementedDerivative("damp with x0, from which it damps, is not implemented")
    x, r = of_least_squares(config, A, b, damp, x)
    size, total = np.linalg.norm(r), np.sqrt(np.dot(r, r) + damp**2 * np.dot(x, x))
    return (
        x, istop, itn, moved_as(config, r1norm, size), moved_as(config, r2norm, total), anorm, acond, arnorm,
        moved_as(config, xnorm, np.linalg.norm(x)), var,
    )  # fmt: skip


@program(sla.lsmr)
def lsmr_program(config: Any, A: Any, b: Any, damp: Any = 0.0, *args: Any, **options: Any) -> Any:
    found = config.plainly(sla.lsmr, A, b, damp, *args, **options)
    x, istop, itn, normr, normar, norma, conda, normx = found
    converged(istop in (0, 1, 2, 4, 5), f"istop={istop}")
    if options.get("x0") is not None and np.any(damp):
        raise NotImplementedDerivative("damp with x0, from which it damps, is not implemented")
    x, r = of_least_squares(config, A, b, damp, x)
    return (
        x, istop, itn, moved_as(config, normr, np.linalg.norm(r)), normar, norma, conda,
        moved_as(config, normx, np.linalg.norm(x)),
    )  # fmt: skip
