"""Products of vectors and matrices into memory that is there: what is small is done here, the rest by BLAS.

A call of BLAS takes as long as some thousand multiplications.
"""

from typing import Any

from morula.static.numba.compiling import helper

__all__ = ["vector_matrix", "matrix_vector", "matrix_matrix", "set_column"]  # noqa: RUF022  (in the order of the file)

SMALL = 1024  # products of numbers


@helper()
def vector_matrix(a: Any, b: Any, y: Any) -> None:
    """``y[:] = a @ b``."""
    n, m = b.shape
    if a.shape[0] != n or y.shape[0] != m:
        raise ValueError("incompatible array sizes for a product of a vector and a matrix")
    if n * m > SMALL:
        product = a @ b
        for j in range(m):  # assigning to a slice takes Numba seconds to compile
            y[j] = product[j]
    else:
        for j in range(m):
            y[j] = 0.0
        for i in range(n):
            weight = a[i]
            for j in range(m):
                y[j] += weight * b[i, j]


@helper()
def matrix_vector(a: Any, b: Any, y: Any) -> None:
    """``y[:] = a @ b``."""
    n, m = a.shape
    if b.shape[0] != m or y.shape[0] != n:
        raise ValueError("incompatible array sizes for a product of a matrix and a vector")
    if n * m > SMALL:
        product = a @ b
        for i in range(n):
            y[i] = product[i]
    else:
        for i in range(n):
            total = 0.0
            for j in range(m):
                total += a[i, j] * b[j]
            y[i] = total


@helper()
def matrix_matrix(a: Any, b: Any, y: Any) -> None:
    """``y[:, :] = a @ b``."""
    n, m = a.shape
    if b.shape[0] != m or y.shape[0] != n or y.shape[1] != b.shape[1]:
        raise ValueError("incompatible array sizes for a product of matrices")
    if n * m * b.shape[1] > SMALL:
        product = a @ b
        for i in range(n):
            for k in range(b.shape[1]):
                y[i, k] = product[i, k]
    else:
        for i in range(n):
            for k in range(b.shape[1]):
                y[i, k] = 0.0
            for j in range(m):
                weight = a[i, j]
                for k in range(b.shape[1]):
                    y[i, k] += weight * b[j, k]


@helper()
def set_column(a: Any, k: int, column: Any) -> None:
    """``a[:, k] = column``."""
    for i in range(a.shape[0]):
        a[i, k] = column[i]
