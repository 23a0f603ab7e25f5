"""Matrices by rows or columns, made of values and their places: the pattern as SciPy makes it, the values moved to it.

Where something else is given, or where entries would be left out, SciPy's own constructor is followed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse  # type: ignore[import-untyped]

from ....declarations import non_differentiable
from ....programs import program
from ..naming import itself
from ..objects import set_state, state_of

init = sparse.csr_array.__init__
CLASSES = (sparse.csr_array, sparse.csr_matrix, sparse.csc_array, sparse.csc_matrix)
whole = itself(init)


def places_of(cls: Any, data: Any, row: Any, col: Any, shape: Any) -> Any:
    """The attributes of the matrix, and where its entries come from: one place each, or the entry of each value."""
    made = cls((np.ones(len(data)), (row, col)), shape)
    m, n = made.shape
    key = np.asarray(row, np.int64) * n + col if made.format == "csr" else np.asarray(col, np.int64) * m + row
    order = np.argsort(key, kind="stable")
    if len(made.data) == len(data):
        return state_of(made), order, None
    entry = np.empty(len(data), np.int64)
    entry[order] = np.cumsum(np.diff(key[order], prepend=-1) != 0) - 1
    return state_of(made), None, entry


def is_short(cls: Any, arg1: Any, shape: Any) -> bool:
    """Whether a matrix is made of real numbers and as many coordinates."""
    if cls not in CLASSES or type(arg1) is not tuple or len(arg1) != 2 or not isinstance(arg1[1], tuple | list):
        return False
    data, places = arg1
    if type(data) is not np.ndarray or data.dtype != float or data.ndim != 1 or len(places) != 2:
        return False
    if shape is not None and (type(shape) is not tuple or len(shape) != 2):
        return False
    return all(np.shape(p) == data.shape and np.asarray(p).dtype.kind in "iu" for p in places)


non_differentiable(is_short)


@program(init)
def compressed_init(
    config: Any, self: Any, arg1: Any, shape: Any = None, dtype: Any = None, copy: Any = False, **options: Any
) -> None:
    if dtype is not None or options or not is_short(type(self), arg1, shape):
        whole(self, arg1, shape, dtype, copy, **options)
        return
    data, (row, col) = arg1
    state, order, entry = config.plainly(places_of, type(self), data, row, col, shape)
    set_state(self, state)
    if order is not None:
        self.data = data[order]
    else:
        self.data = np.bincount(entry, data, len(state["data"]))
