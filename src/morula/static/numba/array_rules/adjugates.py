"""The adjugate of a matrix, which is finite for singular ones."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import register_jitable


@register_jitable
def adjugate(a: Any) -> Any:
    """``det(A) A^-1``, by elimination with complete pivoting: ``adj(A) = adj(P^-1 Q^-1) Q adj(U) L^-1 P``.

    The pivots that vanish are the last ones then, and the adjugate of a triangular matrix takes products of the other
    pivots only.
    """
    n = len(a)
    u = a.copy()
    rows, columns = np.empty(n, np.intp), np.empty(n, np.intp)
    for k in range(n):
        rows[k] = columns[k] = k
    sign = 1
    for k in range(n):
        at, to, largest = k, k, -1.0
        for i in range(k, n):
            for j in range(k, n):
                if abs(u[i, j]) > largest:
                    at, to, largest = i, j, abs(u[i, j])
        if at != k:
            sign = -sign
            rows[at], rows[k] = rows[k], rows[at]
            for j in range(n):
                u[at, j], u[k, j] = u[k, j], u[at, j]
        if to != k:
            sign = -sign
            columns[to], columns[k] = columns[k], columns[to]
            for i in range(n):
                u[i, to], u[i, k] = u[i, k], u[i, to]
        if u[k, k] != 0:
            for i in range(k + 1, n):
                u[i, k] /= u[k, k]
                for j in range(k + 1, n):
                    u[i, j] -= u[i, k] * u[k, j]

    result, x = np.empty(u.shape, u.dtype), np.empty(n, u.dtype)
    for j in range(n):
        # Column j of adj(U), by back substitution for the product of the pivots; a zero pivot meets zeros only.
        for k in range(n):
            x[k] = 0
        x[j] = sign
        for k in range(n):
            if k != j:
                x[j] *= u[k, k]
        for i in range(j - 1, -1, -1):
            for k in range(i + 1, j + 1):
                x[i] -= u[i, k] * x[k]
            if x[i] != 0:
                x[i] /= u[i, i]
        for i in range(n):
            result[columns[i], rows[j]] = x[i]
    return unmixed(result, u, rows)


@register_jitable
def unmixed(result: Any, u: Any, rows: Any) -> Any:
    """``X L^-1``, with the unit lower triangle that the elimination left, in columns that lie as ``rows`` says."""
    n = len(u)
    for j in range(n - 2, -1, -1):
        for k in range(j + 1, n):
            for i in range(n):
                result[i, rows[j]] -= result[i, rows[k]] * u[k, j]
    return result
