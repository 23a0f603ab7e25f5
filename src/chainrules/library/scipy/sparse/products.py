"""The product of a sparse matrix and a dense array, and its adjoint by the entries: closed under differentiation.

With ``y = A x``, ``x_bar = A^H y_bar``, and ``data_bar[k] = y_bar[row[k]] . conj(x[col[k]])``: the product of the two
dense arrays, sampled where A has entries. The adjoints of that are products with sparse matrices again. So nothing here
ever makes a dense matrix, and derivatives of any order cost as much as the product.

A matrix is given by its entries and by its pattern, which is constant: ``form, shape, major, minor``, for ``"csr"`` and
``"csc"`` the pointers and indices of SciPy, for ``"coo"`` the rows and columns.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import _sparsetools as kernels  # type: ignore[import-untyped]

from ....declarations import non_differentiable
from ....patterns import pattern
from ....rules import rrule
from ....tangents import Thunk
from ...numpy.forward_linalg import multilinear
from ...numpy.shared import conj

TRANSPOSED = {"csr": "csc", "csc": "csr", "coo": "coo"}


def product(data: Any, x: Any, form: str, shape: tuple[int, int], major: Any, minor: Any) -> Any:
    """``A @ x`` for a vector, or a matrix of dense columns.

    >>> product(np.array([1.0, 2.0]), np.array([3.0, 4.0]), "coo", (1, 2), np.array([0, 0]), np.array([0, 1]))
    array([11.])
    """
    m, n = shape
    if form != "coo" and len(major) != (m if form == "csr" else n) + 1:
        raise ValueError(f"{len(major)} pointers do not make a matrix {shape}")
    if np.shape(data) != minor.shape or not 0 < x.ndim < 3 or len(x) != n:
        raise ValueError(f"entries {np.shape(data)} of a matrix {shape} do not go with an array of shape {x.shape}")
    y = np.zeros((m, *x.shape[1:]), np.result_type(data, x))
    if form == "coo" and x.ndim == 1:
        kernels.coo_matvec(len(data), major, minor, data, x, y)
        return y
    if form == "coo":
        form, major, minor, data = compressed(m, n, major, minor, data)
    if x.ndim == 1:
        (kernels.csr_matvec if form == "csr" else kernels.csc_matvec)(m, n, major, minor, data, x, y)
    else:
        product = kernels.csr_matvecs if form == "csr" else kernels.csc_matvecs
        product(m, n, x.shape[1], major, minor, data, x.ravel(), y.ravel())
    return y


def compressed(m: int, n: int, row: Any, col: Any, data: Any) -> Any:
    """A matrix given by its coordinates, by rows."""
    indptr, indices, out = np.empty(m + 1, row.dtype), np.empty(len(row), row.dtype), np.empty_like(data)
    kernels.coo_tocsr(m, n, len(row), row, col.astype(row.dtype, copy=False), data, indptr, indices, out)
    return "csr", indptr, indices, out


def coordinates(form: str, major: Any, minor: Any) -> tuple[Any, Any]:
    """Row and column of every entry."""
    if form == "coo":
        return major, minor
    i, j = np.repeat(np.arange(len(major) - 1), np.diff(major)), minor[: major[-1]]
    return (i, j) if form == "csr" else (j, i)


def sampled(u: Any, v: Any, form: str, shape: tuple[int, int], major: Any, minor: Any) -> Any:
    """The entries of ``u v^T`` where the matrix has its own.

    >>> sampled(np.array([2.0]), np.array([3.0, 4.0]), "coo", (1, 2), np.array([0]), np.array([1]))
    array([8.])
    """
    if not 0 < u.ndim < 3 or u.shape[1:] != v.shape[1:] or (len(u), len(v)) != shape:
        raise ValueError(f"arrays of shapes {u.shape} and {v.shape} do not make a matrix {shape}")
    i, j = coordinates(form, major, minor)
    found = u[i] * v[j] if u.ndim == 1 else np.einsum("kl,kl->k", u[i], v[j])
    if len(found) < len(minor):  # SciPy allows room behind the last entry
        found = np.concatenate((found, np.zeros(len(minor) - len(found), found.dtype)))
    return found


non_differentiable(compressed, coordinates)


@rrule(product)
def product_rule(data: Any, x: Any, form: str, shape: tuple[int, int], major: Any, minor: Any) -> Any:
    """As above."""

    def product_pullback(y_bar: Any) -> Any:
        return (
            Thunk(lambda: sampled(y_bar, conj(x), form, shape, major, minor)),
            Thunk(lambda: product(conj(data), y_bar, TRANSPOSED[form], shape[::-1], *turned(form, major, minor))),
            *(None,) * 4,
        )

    return product(data, x, form, shape, major, minor), product_pullback


@rrule(sampled)
def sampled_rule(u: Any, v: Any, form: str, shape: tuple[int, int], major: Any, minor: Any) -> Any:
    """As above."""

    def sampled_pullback(y_bar: Any) -> Any:
        return (
            Thunk(lambda: product(y_bar, conj(v), form, shape, major, minor)),
            Thunk(lambda: product(y_bar, conj(u), TRANSPOSED[form], shape[::-1], *turned(form, major, minor))),
            *(None,) * 4,
        )

    return sampled(u, v, form, shape, major, minor), sampled_pullback


def turned(form: str, major: Any, minor: Any) -> tuple[Any, Any]:
    """The arrays of the transpose: those of the compressed forms are the same, with the other name."""
    return (minor, major) if form == "coo" else (major, minor)


non_differentiable(turned)
multilinear(product, 2)
multilinear(sampled, 2)


@pattern(product)
def product_pattern(joining: Any, y: Any, args: Any, marks: Any, kwargs: Any) -> Any:
    """Where the matrix has entries."""
    _, x, form, _, major, minor = args
    i, j = coordinates(form, major, minor)
    columns = 1 if x.ndim == 1 else x.shape[1]
    places = (i[:, None] * np.int64(columns) + np.arange(columns)).ravel()
    parts = []
    if marks[0] is not None:
        parts.append(np.repeat(marks[0][: len(i)], columns))
    if marks[1] is not None:
        parts.append(np.reshape(marks[1], (len(x), columns))[j].ravel())
    terms = joining.join(places.shape, parts, "product")
    return joining.scattered(np.shape(y), [(places, terms)], "linear")
