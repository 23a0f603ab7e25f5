"""What users call in loops, without what SciPy does to find the kernel; and what decides by values what is an entry.

A program whose short way does not fit has SciPy's own function followed.
"""

from __future__ import annotations

from types import FunctionType
from typing import Any

import numpy as np
from scipy import sparse  # type: ignore[import-untyped]

from ....declarations import non_differentiable
from ....programs import program, shortcut
from ....structured import varying_in
from ..naming import itself
from .kernels import kernels, of_diagonals
from .products import TRANSPOSED, product, turned

FORMATS = ("csr", "csc", "coo", "dia", "bsr")
CLASSES = [getattr(sparse, f"{name}_{kind}") for name in FORMATS for kind in ("array", "matrix")]
varying_in(("data",), *CLASSES)


def methods(name: str, formats: tuple[str, ...] = FORMATS) -> list[Any]:
    """The functions that the classes have as a method, each once."""
    found = [getattr(c, name, None) for c in CLASSES if c.__name__[:3] in formats]
    return list(dict.fromkeys([f for f in found if type(f) is FunctionType]))


def pattern_for(a: Any, x: Any) -> Any:
    """The pattern of a matrix by rows or columns that is multiplied with a plain array of floats; else ``None``."""
    if type(x) is not np.ndarray or x.dtype.kind not in "fc" or not 0 < x.ndim < 3:
        return None
    form, shape = a.format, a.shape
    if form not in ("csr", "csc") or len(shape) != 2 or shape[1] != len(x):
        return None
    return form, shape, a.indptr, a.indices


def turned_pattern_for(a: Any, x: Any) -> Any:
    """The same for a vector before the transpose."""
    if type(x) is not np.ndarray or x.dtype.kind not in "fc" or x.ndim != 1:
        return None
    form, shape = a.format, a.shape
    if form not in ("csr", "csc") or len(shape) != 2 or shape[0] != len(x):
        return None
    return TRANSPOSED[form], shape[::-1], *turned(form, a.indptr, a.indices)


non_differentiable(pattern_for, turned_pattern_for)


def multiplying(f: Any) -> None:
    """The program of ``A @ x``."""
    whole = itself(f)

    @program(f)
    def matmul(config: Any, a: Any, x: Any) -> Any:
        pattern = pattern_for(a, x)
        return whole(a, x) if pattern is None else product(a.data, x, *pattern)

    @shortcut(f)
    def matmul_shortcut(a: Any, x: Any) -> Any:
        pattern = pattern_for(a, x)
        return None if pattern is None else (product, (a.data, x, *pattern))


def multiplying_from_the_right(f: Any) -> None:
    """The program of ``x @ A``, which is the transpose's product."""
    whole = itself(f)

    @program(f)
    def rmatmul(config: Any, a: Any, x: Any) -> Any:
        pattern = turned_pattern_for(a, x)
        return whole(a, x) if pattern is None else product(a.data, x, *pattern)

    @shortcut(f)
    def rmatmul_shortcut(a: Any, x: Any) -> Any:
        pattern = turned_pattern_for(a, x)
        return None if pattern is None else (product, (a.data, x, *pattern))


for _f in dict.fromkeys([*methods("__matmul__"), *methods("dot")]):
    multiplying(_f)
for _f in methods("__rmatmul__"):
    multiplying_from_the_right(_f)


def making(f: Any) -> None:
    """The program of a constructor by coordinates: an array that varies has an entry everywhere."""
    whole = itself(f)

    @program(f)
    def init(config: Any, self: Any, arg1: Any, shape: Any = None, *args: Any, **options: Any) -> None:
        if not isinstance(arg1, tuple) and not sparse.issparse(arg1):
            dense = np.asarray(arg1)
            if isinstance(self, sparse.coo_matrix):
                dense = np.atleast_2d(dense)
            if dense.dtype.kind in "fc" and dense.ndim and (shape is None or tuple(shape) == dense.shape):
                arg1, shape = (np.ravel(dense), everywhere(dense.shape)), dense.shape
        whole(self, arg1, shape, *args, **options)


def everywhere(shape: tuple[int, ...]) -> tuple[Any, ...]:
    """The coordinates of all places."""
    return tuple([np.ravel(i) for i in np.indices(shape)])


non_differentiable(everywhere)
for _f in methods("__init__", ("coo",)):
    making(_f)


def summing(name: str, f: Any) -> None:
    """The program of a sum or mean of a matrix, an `numpy.matrix` where it has two axes."""
    whole = itself(f)

    @program(f)
    def summed(config: Any, self: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
        if not isinstance(self, sparse.spmatrix) or out is not None:
            return whole(self, axis, dtype, out)
        found = getattr(getattr(sparse, f"{self.format}_array")(self), name)(axis=axis, dtype=dtype)
        return found if np.ndim(found) == 0 else np.reshape(found, rows_of(axis)).view(np.matrix)


def rows_of(axis: Any) -> tuple[int, int]:
    return (1, -1) if axis in (0, -2, (0,), (-2,)) else (-1, 1)


non_differentiable(rows_of)
for _name in ("sum", "mean"):
    for _f in methods(_name):
        summing(_name, _f)


def put(config: Any, self: Any, row: Any, col: Any, x: Any) -> None:
    """Items of a dictionary of keys, which leaves out what is 0 now."""
    for i, j, v in zip(np.ravel(row), np.ravel(col), np.ravel(x), strict=True):
        self._dict[int(i), int(j)] = v


for _name in ("_set_intXint", "_set_arrayXarray"):
    if hasattr(sparse.dok_array, _name):
        program(getattr(sparse.dok_array, _name))(put)


def dia_tocoo(config: Any, self: Any, copy: bool = False) -> Any:
    m, n = self.shape
    row, col, at = of_diagonals(m, n, self.data.shape[1], self.offsets)
    made = sparse.coo_matrix if isinstance(self, sparse.spmatrix) else sparse.coo_array
    return made((np.ravel(self.data)[at], (row, col)), shape=self.shape)


def dia_tocsc(config: Any, self: Any, copy: bool = False) -> Any:
    return dia_tocoo(config, self).tocsc()


if not hasattr(kernels, "dia_tocsr"):  # of versions that look at the entries, and leave out what is 0 now
    program(*methods("tocoo", ("dia",)))(dia_tocoo)
    program(*methods("tocsc", ("dia",)))(dia_tocsc)


@program(*methods("eliminate_zeros", ("coo", "bsr")))
def eliminate_zeros(config: Any, self: Any) -> None:
    """An entry that is 0 now varies with what it was computed of."""
