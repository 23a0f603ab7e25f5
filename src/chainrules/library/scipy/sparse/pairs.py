"""Programs for SciPy's compiled functions on two sparse matrices, see `kernels`: sums, products, scaling."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import _sparsetools as kernels  # type: ignore[import-untyped]

from ....declarations import non_differentiable
from .kernels import add_up, block_coordinates, found_in, kernel, keys_of
from .products import coordinates

BINARY = {
    "plus": np.add, "minus": np.subtract, "elmul": np.multiply, "eldiv": np.divide, "maximum": np.maximum,
    "minimum": np.minimum,
}  # fmt: skip


def paired(both: Any, block: int, sizes: tuple[int, ...], a: Any, b: Any, out: Any) -> Any:
    """The pattern of the result, how many entries it has, and where those of each matrix go."""
    out = [np.array(v) for v in out]
    ones = [np.ones(len(pattern[1]) * block) for pattern in (a, b)]
    both(*sizes, *a, ones[0], *b, ones[1], *out, np.zeros(len(out[1]) * block))
    keys = keys_of(*coordinates("csr", *out), sizes[1])
    inside = np.arange(block)
    places = []
    for pattern in (a, b):
        at = found_in(keys, keys_of(*coordinates("csr", *pattern), sizes[1]))[:, None]
        places.append(np.ravel(np.where(at < 0, -1, at * block + inside)))
    return out, len(keys) * block, places


non_differentiable(paired)


def binary(name: str, form: str) -> None:
    operation = BINARY[name]
    rows = "bsr" if form == "bsr" else "csr"
    both = getattr(kernels, f"{rows}_{'elmul' if name == 'elmul' else 'plus'}_{rows}")
    n_sizes = 4 if form == "bsr" else 2

    @kernel(f"{form}_{name}_{form}")
    def combine(config: Any, *args: Any) -> None:
        sizes = args[1::-1] if form == "csc" else args[:n_sizes]  # of what is stored by rows
        a_indptr, a_indices, a, b_indptr, b_indices, b, out_indptr, out_indices, out = args[n_sizes:]
        block = sizes[2] * sizes[3] if n_sizes == 4 else 1
        pattern, size, (at_a, at_b) = paired(
            both, block, sizes, (a_indptr, a_indices), (b_indptr, b_indices), (out_indptr, out_indices)
        )
        x, y = np.zeros(size, a.dtype), np.zeros(size, b.dtype)
        add_up(x, a, at_a)
        add_up(y, b, at_b)
        out_indptr[...] = pattern[0]
        out_indices[...] = pattern[1]
        out[:size] = operation(x, y)


for _form in ("csr", "csc", "bsr"):
    for _name in BINARY:
        binary(_name, _form)


@kernel("csr_matmat")
def csr_matmat(
    config: Any, m: Any, n: Any, a_indptr: Any, a_indices: Any, a: Any, b_indptr: Any, b_indices: Any, b: Any,
    out_indptr: Any, out_indices: Any, out: Any,
) -> None:  # fmt: skip
    pattern, size, of_a, of_b, places = multiplied(
        m, n, a_indptr, a_indices, b_indptr, b_indices, out_indptr, out_indices
    )
    total = np.zeros(size, out.dtype)
    add_up(total, a[of_a] * b[of_b], places)
    out_indptr[...] = pattern[0]
    out_indices[...] = pattern[1]
    out[:size] = total


@kernel("csc_matmat")
def csc_matmat(
    config: Any, m: Any, n: Any, a_indptr: Any, a_indices: Any, a: Any, b_indptr: Any, b_indices: Any, b: Any,
    *out: Any,
) -> None:  # fmt: skip
    """By columns: the transposes, in the other order."""
    csr_matmat(config, n, m, b_indptr, b_indices, b, a_indptr, a_indices, a, *out)


def multiplied(m: int, n: int, *patterns: Any) -> Any:
    """The pattern of a product, and the pairs of entries whose products add up to each of its entries."""
    a_indptr, a_indices, b_indptr, b_indices, *out = patterns
    out = [np.array(v) for v in out]
    ones = np.ones(len(a_indices)), np.ones(len(b_indices))
    kernels.csr_matmat(m, n, a_indptr, a_indices, ones[0], b_indptr, b_indices, ones[1], *out, np.zeros(len(out[1])))
    rows, inner = coordinates("csr", a_indptr, a_indices)
    many = np.diff(b_indptr)[inner]  # each entry of A meets a row of B
    of_a = np.repeat(np.arange(len(inner)), many)
    first = np.cumsum(many) - many
    of_b = np.arange(len(of_a)) - first[of_a] + b_indptr[inner[of_a]]
    keys = keys_of(*coordinates("csr", *out), n)
    return out, len(keys), of_a, of_b, found_in(keys, keys_of(rows[of_a], b_indices[of_b], n))


@kernel("bsr_matmat")
def bsr_matmat(
    config: Any, nnz: Any, m: Any, n: Any, r: Any, c: Any, inner: Any, a_indptr: Any, a_indices: Any, a: Any,
    b_indptr: Any, b_indices: Any, b: Any, out_indptr: Any, out_indices: Any, out: Any,
) -> None:  # fmt: skip
    pattern, size, of_a, of_b, places = multiplied(
        m, n, a_indptr, a_indices, b_indptr, b_indices, out_indptr, out_indices
    )
    blocks = np.reshape(a, (-1, r, inner))[of_a] @ np.reshape(b, (-1, inner, c))[of_b]
    total = np.zeros(size * r * c, out.dtype)
    add_up(total, blocks, np.ravel(places[:, None] * (r * c) + np.arange(r * c)))
    out_indptr[...] = pattern[0]
    out_indices[...] = pattern[1]
    out[: size * r * c] = total


@kernel("dia_matmat")
def dia_matmat(
    config: Any, m: Any, inner: Any, a_many: Any, a_length: Any, a_offsets: Any, a: Any, n: Any, b_many: Any,
    b_length: Any, b_offsets: Any, b: Any,
) -> Any:  # fmt: skip
    offsets, size, of_a, of_b, places = diagonals_multiplied(
        m, inner, a_many, a_length, a_offsets, n, b_many, b_length, b_offsets
    )
    total = np.zeros(size, np.result_type(a, b))
    add_up(total, np.ravel(a)[of_a] * np.ravel(b)[of_b], places)
    return offsets, total


def diagonals_multiplied(
    m: int, inner: int, a_many: int, a_length: int, a_offsets: Any, n: int, b_many: int, b_length: int, b_offsets: Any
) -> Any:
    """As `multiplied`: ``A[i, j] B[j, k]`` is an entry of the diagonal ``k - i``."""
    ones = np.ones((a_many, a_length)), np.ones((b_many, b_length))
    offsets, out = kernels.dia_matmat(
        m, inner, a_many, a_length, a_offsets, ones[0], n, b_many, b_length, b_offsets, ones[1]
    )
    length = np.size(out) // max(len(offsets), 1)
    shape = (a_many, b_many, a_length)
    p, q, j = (np.ravel(v) for v in np.indices(shape))
    i, k = j - a_offsets[p], j + b_offsets[q]
    there = (i >= 0) & (i < m) & (j < inner) & (k >= 0) & (k < min(n, b_length, length))
    p, q, j, k = p[there], q[there], j[there], k[there]
    diagonal = found_in(np.asarray(offsets, np.int64), np.asarray(a_offsets[p] + b_offsets[q], np.int64))
    return offsets, np.size(out), p * a_length + j, q * b_length + k, diagonal * length + k


non_differentiable(multiplied, diagonals_multiplied)


def scaling(name: str, axis: int) -> None:
    @kernel(f"csr_scale_{name}")
    def csr_scale(config: Any, m: Any, n: Any, indptr: Any, indices: Any, data: Any, x: Any) -> None:
        at = coordinates("csr", indptr, indices)[axis]
        data[: len(at)] *= x[at]

    @kernel(f"bsr_scale_{name}")
    def bsr_scale(
        config: Any, m: Any, n: Any, r: Any, c: Any, indptr: Any, indices: Any, data: Any, x: Any
    ) -> None:  # fmt: skip
        at = block_coordinates(r, c, indptr, indices)[axis]
        data[: len(at)] *= x[at]


scaling("rows", 0)
scaling("columns", 1)
