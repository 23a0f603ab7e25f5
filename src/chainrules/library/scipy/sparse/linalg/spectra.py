"""Some eigenvalues and singular values: `eigsh`, `eigs` and `svds`, of simple ones, with their vectors.

Each pair solves its own equations, ``A v = w M v`` and ``v . M v = 1``, and is differentiated as their solution. Where
the value is repeated, their Jacobian is singular, and there is no derivative.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse  # type: ignore[import-untyped]
from scipy.sparse import linalg as sla  # type: ignore[import-untyped]

from .....programs import program
from .....tangents import NotImplementedDerivative
from ...implicit import corrected, jacobian_of
from .iterative import Solving, is_explicit, refuse_complex

REPEATED = "an eigenvalue or singular value is repeated, or nearly so: it and its vectors have no derivative"


def inverse_of(rows: Any) -> Solving:
    """The inverse of a matrix given by blocks.

    Raises:
        NotImplementedDerivative: it is singular.
    """
    a = sparse.csc_array(sparse.bmat(rows))
    try:
        lu = sla.splu(a)
    except RuntimeError:
        raise NotImplementedDerivative(REPEATED) from None
    n = a.shape[0]
    inverse = sla.LinearOperator(a.shape, lu.solve, rmatvec=lambda b: lu.solve(b, "T"), dtype=float)
    if n > 4 and sla.onenormest(inverse) * abs(a).sum(axis=0).max() > 1e12:
        raise NotImplementedDerivative(REPEATED)
    return Solving(n, lambda b, transposed: lu.solve(b, "T" if transposed else "N"))


def of_pair(a: Any, m: Any, w: Any, v: Any) -> Solving:
    """The inverse of the Jacobian of the equations of an eigenvalue and its vector."""
    metric = sparse.identity(a.shape[0]) if m is None else sparse.csc_array(m)
    mv = metric @ v
    return inverse_of([[sparse.csc_array(a) - w * metric, -mv[:, None]], [mv[None], None]])


def of_triple(a: Any, u: Any, s: Any, v: Any) -> Solving:
    """The inverse of the Jacobian of the equations of a singular value and its vectors."""
    a = sparse.csc_array(a)
    left, right = sparse.identity(len(u)), sparse.eye_array(len(v))
    return inverse_of([
        [-s * left, a, -u[:, None]],
        [a.T, -s * right, -v[:, None]],
        [None, v[None], None],
    ])  # fmt: skip


@program(sla.eigsh)
def eigsh_program(
    config: Any, A: Any, k: int = 6, M: Any = None, sigma: Any = None, which: Any = "LM", v0: Any = None,
    ncv: Any = None, maxiter: Any = None, tol: Any = 0, return_eigenvectors: bool = True, **options: Any,
) -> Any:  # fmt: skip
    given = (A, k, M, sigma, which, v0, ncv, maxiter, tol)
    w, v = config.plainly(sla.eigsh, *given, True, **options)
    config.plainly(refuse_complex, A, v, M)
    values, vectors = [], []
    for i in range(len(w)):

        def residual(z: Any) -> Any:
            x, value = z[:-1], z[-1]
            mx = x if M is None else M @ x
            return np.concatenate((A @ x - value * mx, np.reshape((np.dot(x, mx) - 1) / 2, 1)))

        z = np.append(v[:, i], w[i])
        if is_explicit(A) and (M is None or is_explicit(M)):
            linear = config.plainly(of_pair, A, M, w[i], v[:, i])
        else:
            linear = config.plainly(jacobian_of, config, residual, z)
        z = corrected(config, z, residual, linear)
        values.append(z[-1])
        vectors.append(z[:-1])
    if return_eigenvectors:
        return np.stack(values), np.stack(vectors, axis=1)
    order = config.plainly(sla.eigsh, *given, False, **options)  # comes in another one
    return np.stack(values)[np.argsort(w)[np.argsort(np.argsort(order))]]


def of_eigenpair(a: Any, m: Any, w: Any, v: Any) -> Solving:
    """The inverse of the Jacobian of the equations of an eigenvalue and its vector, in real and imaginary parts.

    The vector keeps its length, and its phase as that of the part along the one that was found.
    """
    n = a.shape[0]
    metric = sparse.identity(n) if m is None else sparse.csc_array(m)
    shifted = sparse.csc_array(sparse.csc_array(a) - w * metric)
    mv = metric @ v
    return inverse_of([
        [shifted.real, -shifted.imag, -mv.real[:, None], mv.imag[:, None]],
        [shifted.imag, shifted.real, -mv.imag[:, None], -mv.real[:, None]],
        [v.real[None], v.imag[None], None, None],
        [-v.imag[None], v.real[None], None, None],
    ])  # fmt: skip


@program(sla.eigs)
def eigs_program(
    config: Any, A: Any, k: int = 6, M: Any = None, sigma: Any = None, which: Any = "LM", v0: Any = None,
    ncv: Any = None, maxiter: Any = None, tol: Any = 0, return_eigenvectors: bool = True, **options: Any,
) -> Any:  # fmt: skip
    given = (A, k, M, sigma, which, v0, ncv, maxiter, tol)
    w, v = config.plainly(sla.eigs, *given, True, **options)
    config.plainly(refuse_complex, A, M)
    n, values, vectors = len(v), [], []
    for i in range(len(w)):
        start = config.plainly(np.array, v[:, i])

        def residual(z: Any, start: Any = start) -> Any:
            x, y, re, im = z[:n], z[n : 2 * n], z[-2], z[-1]
            mx, my = (x, y) if M is None else (M @ x, M @ y)
            size = (np.dot(x, x) + np.dot(y, y) - 1) / 2
            turn = np.dot(start.real, y) - np.dot(start.imag, x)
            return np.concatenate((
                A @ x - re * mx + im * my, A @ y - re * my - im * mx, np.reshape(size, 1), np.reshape(turn, 1),
            ))  # fmt: skip

        z = np.concatenate((start.real, start.imag, [w[i].real, w[i].imag]))
        if is_explicit(A) and (M is None or is_explicit(M)):
            linear = config.plainly(of_eigenpair, A, M, w[i], start)
        else:
            linear = config.plainly(jacobian_of, config, residual, z)
        z = corrected(config, z, residual, linear)
        values.append(z[-2] + 1j * z[-1])
        vectors.append(z[:n] + 1j * z[n : 2 * n])
    if return_eigenvectors:
        return np.stack(values), np.stack(vectors, axis=1)
    order = config.plainly(sla.eigs, *given, False, **options)  # comes in another one
    return np.stack([values[i] for i in config.plainly(nearest, w, order)])


def nearest(found: Any, wanted: Any) -> list[int]:
    """Which of some numbers stand in another order, each once."""
    left, places = list(range(len(found))), []
    for value in wanted:
        places.append(min(left, key=lambda i: abs(found[i] - value)))
        left.remove(places[-1])
    return places


@program(sla.svds)
def svds_program(
    config: Any, A: Any, k: int = 6, ncv: Any = None, tol: Any = 0, which: Any = "LM", v0: Any = None,
    maxiter: Any = None, return_singular_vectors: Any = True, *args: Any, **options: Any,
) -> Any:  # fmt: skip
    u, s, vh = config.plainly(sla.svds, A, k, ncv, tol, which, v0, maxiter, True, *args, **options)
    config.plainly(refuse_complex, A)
    m = len(u)
    at = A.T if is_explicit(A) else sla.aslinearoperator(A).T
    lefts, values, rights = [], [], []
    for i in range(len(s)):

        def residual(z: Any) -> Any:
            x, y, value = z[:m], z[m:-1], z[-1]
            return np.concatenate((A @ y - value * x, at @ x - value * y, np.reshape((np.dot(y, y) - 1) / 2, 1)))

        z = np.concatenate((u[:, i], vh[i], s[i : i + 1]))
        if is_explicit(A):
            linear = config.plainly(of_triple, A, u[:, i], s[i], vh[i])
        else:
            linear = config.plainly(jacobian_of, config, residual, z)
        z = corrected(config, z, residual, linear)
        lefts.append(z[:m])
        values.append(z[-1])
        rights.append(z[m:-1])
    if return_singular_vectors is False:
        return np.sort(np.stack(values))
    return np.stack(lefts, axis=1), np.stack(values), np.stack(rights)
