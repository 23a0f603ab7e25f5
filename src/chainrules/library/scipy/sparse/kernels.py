"""Programs for SciPy's compiled functions on sparse matrices, which write into arrays that they are given.

All that SciPy does with sparse matrices is Python above these few functions, and is followed: constructors, sums,
products, conversions, indexing. Every format and method, of this version of SciPy or another, is answered for at once.
A program for each public method would repeat what SciPy says of formats, shapes and copies, and would have to follow
its changes; only what users call in a loop has one beside (see `calls`).

The pattern is constant, the entries vary. A function that moves entries runs once on their numbers, which then say
where each one went. Entries that happen to be 0 are entries: where SciPy drops them, as the result of a sum or by
`eliminate_zeros`, they stay, since their derivative is not 0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.sparse import _sparsetools as kernels  # type: ignore[import-untyped]

from ....declarations import non_differentiable
from ....programs import program
from ...numpy.shared import scatter
from .products import coordinates, product


def kernel(*names: str) -> Callable[[Any], Any]:
    """Declare a program for those of the functions that this version of SciPy has."""
    return program(*[getattr(kernels, name) for name in names if hasattr(kernels, name)])


# -- moving entries -------------------------------------------------------------------------------------------


def run_on_numbers(f: Any, source: int, integers: tuple[int, ...], target: int, args: tuple[Any, ...]) -> Any:
    """What ``f`` returns, the arrays of integers that it writes, and which entry each element of the target is."""
    copies = list(args)
    for i in integers:
        copies[i] = np.array(args[i])
    if target >= 0:
        copies[target] = np.zeros(args[target].size, np.int64)
    copies[source] = np.arange(1, args[source].size + 1)
    returned = f(*copies)
    return returned, [copies[i] for i in integers], copies[target] - 1 if target >= 0 else None


def taken(data: Any, places: Any) -> Any:
    """The entries at these places; zeros where there is none."""
    data = np.ravel(data)
    if not any_absent(places):
        return data[places]
    if not len(data):
        return np.zeros(np.shape(places), data.dtype)
    return np.where(places < 0, 0.0, data[places])


def any_absent(places: Any) -> bool:
    return bool(np.any(places < 0))


non_differentiable(run_on_numbers, any_absent)

# of each function the position of the entries, of the integers and of the entries that it writes
MOVES = {
    "csr_tocsc": (4, (5, 6), 7),
    "csc_tocsr": (4, (5, 6), 7),
    "coo_tocsr": (5, (6, 7), 8),
    "csr_row_index": (4, (5,), 6),
    "csr_row_slice": (5, (6,), 7),
    "csr_column_index2": (4, (5,), 6),
    "csr_sort_indices": (3, (2,), 3),
    "csr_hstack": (5, (6, 7), 8),
    "dia_tocsr": (5, (8, 9), 7),
    "bsr_tocsr": (6, (7, 8), 9),
    "bsr_transpose": (6, (7, 8), 9),
    "bsr_sort_indices": (6, (5,), 6),
}


def moving(name: str, source: int, integers: tuple[int, ...], target: int) -> None:
    f = getattr(kernels, name, None)
    if f is None:
        return
    in_place = source == target

    @program(f)
    def move(config: Any, *args: Any) -> Any:
        returned, written, places = run_on_numbers(f, source, integers, -1 if in_place else target, args)
        if in_place:
            places = sorted_places(f, source, args)
        for i, values in zip(integers, written, strict=True):
            args[i][...] = values
        args[target][...] = taken(args[source], places)
        return returned


def sorted_places(f: Any, source: int, args: tuple[Any, ...]) -> Any:
    """Which entry comes where, when a function sorts them where they are."""
    copies = [np.array(a) if isinstance(a, np.ndarray) else a for a in args]
    copies[source] = np.arange(copies[source].size)
    f(*copies)
    return copies[source]


non_differentiable(sorted_places)
for _name, _positions in MOVES.items():
    moving(_name, *_positions)


@kernel("get_csr_submatrix")
def submatrix(config: Any, m: Any, n: Any, indptr: Any, indices: Any, data: Any, *limits: Any) -> Any:
    found, _, _ = run_on_numbers(kernels.get_csr_submatrix, 4, (), -1, (m, n, indptr, indices, data, *limits))
    return found[0], found[1], taken(data, found[2] - 1)


@kernel("csr_eliminate_zeros")
def eliminate_zeros(config: Any, m: Any, n: Any, indptr: Any, indices: Any, data: Any) -> None:
    """An entry that is 0 now varies with what it was computed of."""


# -- adding entries up ----------------------------------------------------------------------------------------


def add_up(target: Any, data: Any, places: Any) -> None:
    """Add every entry to its place in the target, if it has one."""
    data = np.ravel(data)[: places.size]
    if any_absent(places):
        there = present(places)
        data, places = data[there], places[there]
    target += np.reshape(scatter(places, data, target.size), np.shape(target))


def present(places: Any) -> Any:
    return np.nonzero(places >= 0)[0]


def block_coordinates(r: int, c: int, indptr: Any, indices: Any) -> tuple[Any, Any]:
    """Row and column of every entry of a matrix of blocks."""
    i, j = coordinates("csr", indptr, indices)
    shape = (len(i), r, c)
    rows = i[:, None, None] * r + np.arange(r)[:, None]
    columns = j[:, None, None] * c + np.arange(c)
    return np.ravel(np.broadcast_to(rows, shape)), np.ravel(np.broadcast_to(columns, shape))


def keys_of(i: Any, j: Any, n: int) -> Any:
    """One number for every place in a matrix."""
    return i.astype(np.int64) * n + j


def found_in(keys: Any, wanted: Any) -> Any:
    """Where each of the keys that are wanted stands among others, all different; -1 where it does not."""
    if not len(keys):
        return np.full(len(wanted), -1)
    order = np.argsort(keys, kind="stable")
    at = order[np.minimum(np.searchsorted(keys, wanted, sorter=order), len(keys) - 1)]
    return np.where(keys[at] == wanted, at, -1)


def dense_places(i: Any, j: Any, shape: tuple[int, int], fortran: bool) -> Any:
    return keys_of(j, i, shape[0]) if fortran else keys_of(i, j, shape[1])


def diagonal_places(i: Any, j: Any, k: int) -> Any:
    return np.where(j - i == k, i - max(0, -k), -1)


non_differentiable(present, block_coordinates, keys_of, found_in, dense_places, diagonal_places, coordinates)


@kernel("csr_todense")
def csr_todense(config: Any, m: Any, n: Any, indptr: Any, indices: Any, data: Any, out: Any) -> None:
    add_up(out, data, dense_places(*coordinates("csr", indptr, indices), (m, n), False))


@kernel("coo_todense")
def coo_todense(
    config: Any, m: Any, n: Any, nnz: Any, row: Any, col: Any, data: Any, out: Any, fortran: Any
) -> None:  # fmt: skip
    add_up(out, data, dense_places(row, col, (m, n), bool(fortran)))


@kernel("coo_todense_nd")
def coo_todense_nd(
    config: Any, strides: Any, nnz: Any, ndim: Any, coords: Any, data: Any, out: Any, fortran: Any
) -> None:  # fmt: skip
    add_up(out, data, np.dot(np.ravel(strides), np.reshape(coords, (ndim, nnz))))


@kernel("csr_diagonal")
def csr_diagonal(config: Any, k: Any, m: Any, n: Any, indptr: Any, indices: Any, data: Any, out: Any) -> None:
    out[...] = 0.0
    add_up(out, data, diagonal_places(*coordinates("csr", indptr, indices), k))


@kernel("csc_diagonal")
def csc_diagonal(config: Any, k: Any, m: Any, n: Any, indptr: Any, indices: Any, data: Any, out: Any) -> None:
    out[...] = 0.0
    add_up(out, data, diagonal_places(*coordinates("csc", indptr, indices), k))


@kernel("bsr_diagonal")
def bsr_diagonal(
    config: Any, k: Any, m: Any, n: Any, r: Any, c: Any, indptr: Any, indices: Any, data: Any, out: Any
) -> None:  # fmt: skip
    add_up(out, data, diagonal_places(*block_coordinates(r, c, indptr, indices), k))


@kernel("csr_sample_values")
def csr_sample_values(
    config: Any, m: Any, n: Any, indptr: Any, indices: Any, data: Any, samples: Any, i: Any, j: Any, out: Any
) -> None:  # fmt: skip
    keys, of_entry, places = sampled_places(m, n, indptr, indices, i, j)
    summed = np.zeros(len(keys), data.dtype)
    add_up(summed, data, of_entry)
    out[...] = taken(summed, places)


def sampled_places(m: int, n: int, indptr: Any, indices: Any, i: Any, j: Any) -> Any:
    """The places of entries, which of these each entry has, and which each sample asks for."""
    keys, of_entry = np.unique(keys_of(*coordinates("csr", indptr, indices), n), return_inverse=True)
    return keys, of_entry, found_in(keys, keys_of(np.where(i < 0, i + m, i), np.where(j < 0, j + n, j), n))


@kernel("csr_sum_duplicates")
def csr_sum_duplicates(config: Any, m: Any, n: Any, indptr: Any, indices: Any, data: Any) -> None:
    new_indptr, new_indices, group, size = merged(m, n, indptr, indices)
    summed = np.zeros(size, data.dtype)
    add_up(summed, data, group)
    indptr[...] = new_indptr
    indices[...] = new_indices
    data[:size] = summed


def merged(m: int, n: int, indptr: Any, indices: Any) -> Any:
    """The pattern without repetitions, and which of its entries each one goes to."""
    i, j = coordinates("csr", indptr, indices)
    first = np.ones(len(i), bool)
    first[1:] = (i[1:] != i[:-1]) | (j[1:] != j[:-1])
    new_indptr, new_indices = np.array(indptr), np.array(indices)
    kernels.csr_sum_duplicates(m, n, new_indptr, new_indices, np.ones(len(indices)))
    return new_indptr, new_indices, np.cumsum(first) - 1, int(np.count_nonzero(first))


@kernel("csr_tobsr")
def csr_tobsr(
    config: Any, m: Any, n: Any, r: Any, c: Any, indptr: Any, indices: Any, data: Any, out_indptr: Any,
    out_indices: Any, out: Any,
) -> None:  # fmt: skip
    blocks_indptr, blocks_indices, places = in_blocks(m, n, r, c, indptr, indices, out_indptr, out_indices)
    out_indptr[...] = blocks_indptr
    out_indices[...] = blocks_indices
    add_up(out, data, places)


def in_blocks(m: int, n: int, r: int, c: int, indptr: Any, indices: Any, out_indptr: Any, out_indices: Any) -> Any:
    out_indptr, out_indices = np.array(out_indptr), np.array(out_indices)
    blocks = np.zeros(len(out_indices) * r * c)
    kernels.csr_tobsr(m, n, r, c, indptr, indices, np.ones(len(indices)), out_indptr, out_indices, blocks)
    i, j = coordinates("csr", indptr, indices)
    width = n // c
    block = found_in(keys_of(*coordinates("csr", out_indptr, out_indices), width), keys_of(i // r, j // c, width))
    return out_indptr, out_indices, (block * r + i % r) * c + j % c


non_differentiable(sampled_places, merged, in_blocks)

# -- products with dense arrays -------------------------------------------------------------------------------


def compressed_product(form: str) -> None:
    @kernel(f"{form}_matvec")
    def matvec(config: Any, m: Any, n: Any, indptr: Any, indices: Any, data: Any, x: Any, out: Any) -> None:
        out += product(data, x, form, (m, n), indptr, indices)

    @kernel(f"{form}_matvecs")
    def matvecs(
        config: Any, m: Any, n: Any, many: Any, indptr: Any, indices: Any, data: Any, x: Any, out: Any
    ) -> None:  # fmt: skip
        out += np.ravel(product(data, np.reshape(x, (n, many)), form, (m, n), indptr, indices))


compressed_product("csr")
compressed_product("csc")


@kernel("coo_matvec")
def coo_matvec(config: Any, nnz: Any, row: Any, col: Any, data: Any, x: Any, out: Any) -> None:
    out += product(data, x, "coo", (len(out), len(x)), row, col)


@kernel("coo_matmat_dense")
def coo_matmat_dense(config: Any, nnz: Any, many: Any, row: Any, col: Any, data: Any, x: Any, out: Any) -> None:
    shape = (out.size // many, len(x) // many)
    out += np.reshape(product(data, np.reshape(x, (-1, many)), "coo", shape, row, col), np.shape(out))


@kernel("bsr_matvec", "bsr_matvecs")
def bsr_product(config: Any, m: Any, n: Any, *args: Any) -> None:
    *many, r, c, indptr, indices, data, x, out = args
    row, col = block_coordinates(r, c, indptr, indices)
    x = np.reshape(x, (n * c, *many))
    out += np.ravel(product(np.ravel(data)[: row.size], x, "coo", (m * r, n * c), row, col))


@kernel("dia_matvec")
def dia_matvec(
    config: Any, m: Any, n: Any, diagonals: Any, length: Any, offsets: Any, data: Any, x: Any, out: Any
) -> None:  # fmt: skip
    row, col, at = of_diagonals(m, n, length, offsets)
    out += np.reshape(product(np.ravel(data)[at], x, "coo", (m, n), row, col), np.shape(out))


@kernel("dia_matvecs")
def dia_matvecs(
    config: Any, m: Any, n: Any, diagonals: Any, length: Any, offsets: Any, data: Any, many: Any, x: Any, out: Any
) -> None:  # fmt: skip
    row, col, at = of_diagonals(m, n, length, offsets)
    found = product(np.ravel(data)[at], np.reshape(x, (n, many)), "coo", (m, n), row, col)
    out += np.reshape(found, np.shape(out))


def of_diagonals(m: int, n: int, length: int, offsets: Any) -> Any:
    """Row, column and place of every entry that lies in the matrix: ``data[d, j]`` is ``A[j - offsets[d], j]``."""
    col = np.broadcast_to(np.arange(length), (len(offsets), length))
    row = col - np.asarray(offsets)[:, None]
    (at,) = np.nonzero(np.ravel((row >= 0) & (row < m) & (col < n)))
    return np.ravel(row)[at], np.ravel(col)[at], at


non_differentiable(of_diagonals)
