"""What the rules for eigenvalues and singular values share: triangles, and which blocks of a cotangent are lost.

All matrices in between are in C order, so that Numba compiles each operation once.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload, register_jitable


def seeds_of(x_bar: Any, x: Any) -> Any:
    """A seed of vectors, zeros for ``None``."""
    return np.zeros(x.shape, x.dtype) if x_bar is None else np.ascontiguousarray(x_bar)


@overload(seeds_of, strict=False)
def _seeds_of(x_bar: Any, x: Any) -> Any:
    if isinstance(x_bar, types.NoneType):
        return lambda x_bar, x: np.zeros(x.shape, x.dtype)
    return lambda x_bar, x: np.ascontiguousarray(x_bar)


def seed_of(x: Any, i: Any) -> Any:
    """``x[i]``, 0 for ``None``."""
    return 0.0 if x is None else x[i]


@overload(seed_of, strict=False)
def _seed_of(x: Any, i: Any) -> Any:
    if isinstance(x, types.NoneType):
        return lambda x, i: 0.0
    return lambda x, i: x[i]


@register_jitable
def largest(x: Any) -> float:
    """The largest size in an array, to compare with; NaN where there is one."""
    largest_size = 0.0
    for at in np.ndindex(x.shape):
        size = abs(x[at])
        if size > largest_size or size != size:
            largest_size = size
    return largest_size


@register_jitable
def felt_from(x: Any, level: Any) -> float:
    """What is more than what rounding makes of a zero, beside numbers of the size ``level``."""
    return np.sqrt(np.finfo(x.dtype).eps) * level


@register_jitable
def closed_below(w: Any) -> float:
    """Differences of eigenvalues up to this are zero up to rounding."""
    return 8 * np.finfo(w.dtype).eps * len(w) * largest(w)


@register_jitable
def add_triangle(a_bar: Any, whole: Any) -> None:
    """Add the cotangent of a Hermitian matrix of which the lower triangle is read, from that of all of it."""
    for i in range(len(whole)):
        for j in range(i):
            a_bar[i, j] += whole[i, j] + np.conj(whole[j, i])
        a_bar[i, i] += whole[i, i].real


@register_jitable
def from_triangle(a: Any) -> Any:
    """The Hermitian matrix of which the lower triangle is read."""
    whole = np.empty(a.shape, a.dtype)
    for i in range(len(a)):
        for j in range(i):
            whole[i, j] = a[i, j]
            whole[j, i] = np.conj(a[i, j])
        whole[i, i] = a[i, i].real
    return whole


@register_jitable
def is_lost(m: Any, i: int, j: int, bound: float, level: float, w_bar: Any) -> bool:
    """Whether the cotangent of a block with these two vectors in it is lost: it has seeds of values and vectors."""
    if w_bar is None:
        return False
    felt = max(max(abs(m[i, j]), abs(m[j, i])), max(abs(m[i, i]), abs(m[j, j]))) > bound
    return felt or ((w_bar[i] != 0 or w_bar[j] != 0) and level > 0)


@register_jitable
def turned_over(x: Any) -> Any:
    """The conjugate transpose, in C order."""
    found = np.empty((x.shape[1], x.shape[0]), x.dtype)
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            found[j, i] = np.conj(x[i, j])
    return found


@register_jitable
def columns_of(x: Any) -> Any:
    """A matrix in C order, of one column for a vector."""
    if x.ndim == 1:
        return np.ascontiguousarray(x).reshape((len(x), 1))
    return np.ascontiguousarray(x)
