"""Cholesky factors of banded matrices, and solutions by them, in time linear in the order of the matrix.

With ``A = L L^T`` and the bandwidth u, row i of the differential ``dA = dL L^T + L dL^T`` says, with the block W of the
u rows before,

    dL_iW L_WW^T = dA_iW - L_iW dL_WW^T,      2 L_ii dL_ii = dA_ii - 2 L_iW . dL_iW,

so that dL is found row by row, and the adjoint from the last row to the first.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg as la  # type: ignore[import-untyped]

from ....programs import program
from ....tangents import NotImplementedDerivative
from ..implicit import Linear, solved


def dense(rows: Any, i: int, u: int) -> Any:
    """The lower triangle of the block of up to u rows before row i, of a band in rows."""
    low = max(i - u, 0)
    block = np.zeros((i - low, i - low))
    for j in range(low, i):
        block[j - low, : j - low + 1] = rows[j, u - (j - low) :]
    return block


class Factoring(Linear):
    """The constant map from a differential of L to that of the lower triangle of ``L L^T``, both in rows of bands.

    Row i of a band of width u holds the elements from ``i - u`` to i; what lies before the matrix stays 0.
    """

    def __init__(self, rows: Any):
        self.rows = rows

    def inverse(self, b: Any, transposed: bool) -> Any:
        shape = self.rows.shape
        return np.ravel((self.backward if transposed else self.forward)(np.reshape(b, shape).copy()))

    def forward(self, s: Any) -> Any:
        """dL from dA."""
        rows, (n, u) = self.rows, (self.rows.shape[0], self.rows.shape[1] - 1)
        d = np.zeros_like(rows)
        for i in range(n):
            m = min(i, u)
            if m:
                r = s[i, u - m : u] - dense(d, i, u) @ rows[i, u - m : u]
                d[i, u - m : u] = la.solve_triangular(dense(rows, i, u), r, lower=True, check_finite=False)
            d[i, u] = 0.5 * (s[i, u] - 2.0 * rows[i, u - m : u] @ d[i, u - m : u]) / rows[i, u]
        return d

    def backward(self, g: Any) -> Any:
        """The cotangent of dA from that of dL."""
        rows, (n, u) = self.rows, (self.rows.shape[0], self.rows.shape[1] - 1)
        s = np.zeros_like(rows)
        for i in reversed(range(n)):
            m = min(i, u)
            s[i, u] = 0.5 * g[i, u] / rows[i, u]
            if not m:
                continue
            g[i, u - m : u] -= 2.0 * s[i, u] * rows[i, u - m : u]
            r = la.solve_triangular(dense(rows, i, u), g[i, u - m : u], lower=True, trans=1, check_finite=False)
            s[i, u - m : u] = r
            for j in range(m):  # row i - m + j of the block
                g[i - m + j, u - j :] -= r[j] * rows[i, u - m : u - m + j + 1]
        return s


def by_rows(ab: Any, lower: Any) -> Any:
    """The lower triangle in rows, from a band as LAPACK has it, by columns; zeros where there is no element."""
    u, n = len(ab) - 1, ab.shape[1]
    j = np.arange(n)[:, None] + np.arange(-u, 1)
    inside = j >= 0
    columns = np.maximum(j, 0)
    if lower:
        found = ab[np.arange(u, -1, -1) + 0 * columns, columns]
    else:  # the upper triangle has A[j, i] in its column i
        found = ab[np.arange(u + 1) + 0 * columns, np.arange(n)[:, None] + 0 * columns]
    return np.where(inside, found, 0.0)


def by_columns(rows: Any, lower: Any, like: Any) -> Any:
    """A band as LAPACK has it, from the lower triangle in rows; what is no element is as in `like`."""
    u, n = rows.shape[1] - 1, rows.shape[0]
    d = np.arange(u + 1)[:, None]
    i = np.arange(n) + (d if lower else 0)
    place = np.minimum(i, n - 1), (u - d if lower else d) + 0 * i
    inside = i < n if lower else i >= u - d
    return np.where(inside, rows[place], like)


def squared(rows: Any) -> Any:
    """The lower triangle of ``L L^T`` in rows."""
    n, u = rows.shape[0], rows.shape[1] - 1
    padded = np.concatenate([np.zeros((u, u + 1)), rows])
    columns = []
    for k in range(u, -1, -1):  # the element k before the diagonal: row i times row i - k
        other = padded[u - k : u - k + n]
        columns.append(np.sum(rows[:, : u + 1 - k] * other[:, k:], axis=1))
    return np.stack(columns, axis=1)


@program(la.cholesky_banded)
def cholesky_banded_program(
    config: Any, ab: Any, overwrite_ab: Any = False, lower: Any = False, check_finite: Any = True
) -> Any:
    found = config.plainly(la.cholesky_banded, ab, False, lower, check_finite)
    if found.dtype.kind == "c":
        raise NotImplementedDerivative("complex matrices are not implemented: solve with solveh_banded")
    if found.ndim > 2:
        raise NotImplementedDerivative("stacks of matrices are not implemented: loop over them")
    a = by_rows(np.asarray(ab), lower)
    rows = config.plainly(by_rows, found, lower)
    linear = config.plainly(Factoring, rows)
    r = config.plainly(np.subtract, squared(rows), a)
    for _ in range(config.orders()):
        rows = rows - np.reshape(solved(linear, np.ravel(squared(rows) - a - r)), np.shape(rows))
    return by_columns(rows, lower, np.asarray(ab))


@program(la.cho_solve_banded)
def cho_solve_banded_program(
    config: Any, cb_and_lower: Any, b: Any, overwrite_b: Any = False, check_finite: Any = True
) -> Any:
    cb, lower = cb_and_lower
    config.plainly(la.cho_solve_banded, (cb, lower), b, False, check_finite)  # it raises what is to be raised
    cb, b = np.asarray(cb), np.asarray(b)
    if cb.dtype.kind == "c":
        raise NotImplementedDerivative("complex matrices are not implemented: solve with solveh_banded")
    u = len(cb) - 1
    rows = by_rows(cb, lower)
    left, right = by_columns(rows, True, np.zeros(cb.shape)), by_columns(rows, False, np.zeros(cb.shape))
    return la.solve_banded((0, u), right, la.solve_banded((u, 0), left, b))
