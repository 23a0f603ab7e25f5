"""Functions that are made of others that have rules: banded spectra, Riccati equations, functions of a matrix, `rq`."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg as la  # type: ignore[import-untyped]

from ....programs import program
from ....tangents import NotImplementedDerivative
from ..solutions import moved_as


def dense(ab: Any, lower: bool) -> Any:
    """The triangle of a matrix whose band is `ab`, as `scipy.linalg.eig_banded` reads it."""
    n = ab.shape[1]
    i, j = np.indices((n, n))
    k = i - j if lower else len(ab) - 1 + i - j
    inside = (k >= 0) & (k < len(ab))
    return np.where(inside, ab[np.where(inside, k, 0), j], 0.0)


def chosen(config: Any, found: Any, w: Any, v: Any = None) -> Any:
    """Those eigenvalues and vectors of all that SciPy has found, with its signs."""
    values = found if v is None else found[0]
    at = config.plainly(nearest, values, w)
    w = w[at]
    if v is None:
        return w
    sign = config.plainly(signs, found[1], v[:, at])
    return w, v[:, at] * sign


def nearest(values: Any, w: Any) -> Any:
    """Which of all values, in ascending order, are some neighbours among them."""
    first = np.argmin(np.abs(w - values[0])) if len(values) else 0
    for start in (first, first - 1, first + 1):
        if start >= 0 and np.allclose(w[start : start + len(values)], values, rtol=1e-9, atol=1e-9 * np.max(np.abs(w))):
            return start + np.arange(len(values))
    raise NotImplementedDerivative("the eigenvalues found were not found again")


def signs(found: Any, v: Any) -> Any:
    """The numbers of size 1 that columns differ by."""
    along = np.sum(np.conj(v) * found, axis=0)
    size = np.abs(along)
    return np.where(size > 0, along / np.where(size > 0, size, 1.0), 1.0)


@program(la.eig_banded)
def eig_banded_program(
    config: Any, a_band: Any, lower: Any = False, eigvals_only: Any = False, *options: Any, **named: Any
) -> Any:
    found = config.plainly(la.eig_banded, a_band, lower, eigvals_only, *options, **named)
    a = dense(np.asarray(a_band), lower)
    if eigvals_only:
        return chosen(config, found, la.eigvalsh(a, lower=lower))
    return chosen(config, found, *la.eigh(a, lower=lower))


@program(la.eigvals_banded)
def eigvals_banded_program(config: Any, a_band: Any, lower: Any = False, *options: Any, **named: Any) -> Any:
    found = config.plainly(la.eigvals_banded, a_band, lower, *options, **named)
    return chosen(config, found, la.eigvalsh(dense(np.asarray(a_band), lower), lower=lower))


@program(la.eigh_tridiagonal)
def eigh_tridiagonal_program(
    config: Any, d: Any, e: Any, eigvals_only: Any = False, *options: Any, **named: Any
) -> Any:
    found = config.plainly(la.eigh_tridiagonal, d, e, eigvals_only, *options, **named)
    a = np.diag(d) + np.diag(e, -1)
    if eigvals_only:
        return chosen(config, found, la.eigvalsh(a))
    return chosen(config, found, *la.eigh(a))


@program(la.eigvalsh_tridiagonal)
def eigvalsh_tridiagonal_program(config: Any, d: Any, e: Any, *options: Any, **named: Any) -> Any:
    found = config.plainly(la.eigvalsh_tridiagonal, d, e, *options, **named)
    return chosen(config, found, la.eigvalsh(np.diag(d) + np.diag(e, -1)))


def adjoint(x: Any) -> Any:
    return np.conj(x).T


@program(la.solve_continuous_are)
def solve_continuous_are_program(
    config: Any, a: Any, b: Any, q: Any, r: Any, e: Any = None, s: Any = None, balanced: Any = True
) -> Any:
    """Newton's steps with the constant closed loop ``A - B K``, which solve equations of Lyapunov."""
    if e is not None:
        raise NotImplementedDerivative("a matrix e is not implemented: multiply a and b by its inverse")
    x = config.plainly(la.solve_continuous_are, a, b, q, r, None, s, balanced)

    def gain(x: Any) -> Any:
        return np.linalg.solve(r, adjoint(b) @ x + (0.0 if s is None else adjoint(s)))

    def residual(x: Any) -> Any:
        return adjoint(a) @ x + x @ a - (x @ b + (0.0 if s is None else s)) @ gain(x) + q

    r0, loop = config.plainly(residual, x), config.plainly(lambda x: adjoint(a - b @ gain(x)), x)
    for _ in range(config.orders()):
        x = x - la.solve_continuous_lyapunov(loop, residual(x) - r0)
    return x


@program(la.solve_discrete_are)
def solve_discrete_are_program(
    config: Any, a: Any, b: Any, q: Any, r: Any, e: Any = None, s: Any = None, balanced: Any = True
) -> Any:
    """As of the continuous equation."""
    if e is not None:
        raise NotImplementedDerivative("a matrix e is not implemented: multiply a and b by its inverse")
    x = config.plainly(la.solve_discrete_are, a, b, q, r, None, s, balanced)

    def gain(x: Any) -> Any:
        return np.linalg.solve(r + adjoint(b) @ x @ b, adjoint(b) @ x @ a + (0.0 if s is None else adjoint(s)))

    def residual(x: Any) -> Any:
        return adjoint(a) @ x @ a - x - (adjoint(a) @ x @ b + (0.0 if s is None else s)) @ gain(x) + q

    r0, loop = config.plainly(residual, x), config.plainly(lambda x: adjoint(a - b @ gain(x)), x)
    for _ in range(config.orders()):
        x = x + la.solve_discrete_lyapunov(loop, residual(x) - r0)
    return x


@program(la.funm)
def funm_program(config: Any, A: Any, func: Any, disp: Any = True) -> Any:
    """``V X f(w) X^-1 V^-1`` with constant eigenvectors V, and eigenvectors X of ``V^-1 A V`` whose diagonal is 1."""
    found = config.plainly(la.funm, A, func, disp)
    value = found if disp else found[0]
    v, inverse, over = config.plainly(eigenvectors, A)
    b = inverse @ A @ v
    x = np.eye(len(b))
    rest = config.plainly(np.array, b - np.diag(np.diag(b)))  # rounding errors
    for _ in range(config.orders()):
        y = (b - rest) @ x
        x = x - (y - x * np.diag(y)) * over
    w = np.diag(b @ x)
    y = v @ np.linalg.solve(x.T, (x * func(w)).T).T @ inverse
    y = np.real(y) if value.dtype.kind == "f" else y
    y = moved_as(config, value, y)
    return y if disp else (y, found[1])


def eigenvectors(a: Any) -> Any:
    """The eigenvectors of a matrix, their inverse, and 1 over the gaps between eigenvalues, 0 on the diagonal."""
    w, v = np.linalg.eig(a)
    gap, eye = w[:, None] - w, np.eye(len(w))
    size = np.max(np.abs(w), initial=0.0)
    if np.min(np.abs(gap) + eye * size, initial=np.inf) <= 1e-10 * size:
        raise NotImplementedDerivative("eigenvalues are repeated: funm is implemented for matrices with distinct ones")
    return v, np.linalg.inv(v), (1.0 - eye) / (gap + eye)


@program(la.qr_multiply)
def qr_multiply_program(
    config: Any, a: Any, c: Any, mode: Any = "right", pivoting: Any = False, conjugate: Any = False,
    overwrite_a: Any = False, overwrite_c: Any = False,
) -> Any:  # fmt: skip
    found = config.plainly(la.qr_multiply, a, c, mode, pivoting, conjugate)
    q, r, *order = la.qr(a, mode="economic", pivoting=pivoting)
    c = np.asarray(c)
    if mode == "left" and len(c) > q.shape[1]:
        raise NotImplementedDerivative("c with the columns of the full Q is not implemented: multiply by that of qr")
    q = np.conj(q) if conjugate else q
    y = c @ q if mode == "right" else q @ c
    return (np.reshape(y, found[0].shape), r, *order)


@program(la.rq)
def rq_program(
    config: Any, a: Any, overwrite_a: Any = False, lwork: Any = None, mode: Any = "full", check_finite: Any = True
) -> Any:
    """The QR factors of the matrix turned over, with SciPy's signs."""
    if np.ndim(a) != 2 or np.shape(a)[0] > np.shape(a)[1] or (mode == "full" and np.shape(a)[0] != np.shape(a)[1]):
        raise NotImplementedDerivative("it is implemented for square matrices, and wide ones with mode='economic'")
    found = config.plainly(la.rq, a, mode="economic")
    q, r = la.qr(adjoint(np.asarray(a))[:, ::-1], mode="economic")
    q, r = adjoint(q)[::-1], adjoint(r)[::-1, ::-1]
    turn = config.plainly(signs, adjoint(found[1]), adjoint(q))
    r, q = r * turn, np.conj(turn)[:, None] * q
    return r if mode == "r" else (r, q)


@program(la.blas.dtrsm)
def dtrsm_program(
    config: Any, alpha: Any, a: Any, b: Any, side: Any = 0, lower: Any = 0, trans_a: Any = 0, diag: Any = 0,
    overwrite_b: Any = 0,
) -> Any:  # fmt: skip
    """By `solve_triangular`; with ``side=1`` the unknown stands on the left of the triangle."""
    if side:
        return la.solve_triangular(a, alpha * np.asarray(b).T, 1 - trans_a, bool(lower), bool(diag)).T
    return la.solve_triangular(a, alpha * np.asarray(b), trans_a, bool(lower), bool(diag))
