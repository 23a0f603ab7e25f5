"""Where arrays lie in memory: owners, addresses, cells; flat views of that memory, and other memory laid out alike."""

from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from morula.errors import NotDifferentiable

ndarray = np.ndarray


def owner_of(x: Any) -> ndarray:
    """The array at the root of a chain of views, also through a memoryview or NumPy's own stand-ins."""
    while True:
        base = x.base
        if base is None:
            return x
        if not isinstance(base, ndarray):
            base = base.obj if isinstance(base, memoryview) else getattr(base, "base", None)
            if not isinstance(base, ndarray):
                return x
        x = base


def address_of(x: ndarray) -> int:
    return x.__array_interface__["data"][0]


def extent(y: ndarray) -> tuple[int, int]:
    """The addresses of the first byte of `y` and of the first byte after it."""
    low = high = address_of(y)
    for stride, n in zip(y.strides, y.shape, strict=True):
        if n == 0:
            return low, low
        if stride < 0:
            low += stride * (n - 1)
        else:
            high += stride * (n - 1)
    return low, high + y.itemsize


def may_overlap(shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int) -> bool:
    """Whether two elements of a view may be the same memory (never says no wrongly)."""
    reach = itemsize
    for stride, n in sorted((abs(s), n) for s, n in zip(strides, shape, strict=True) if n > 1):
        if stride < reach:
            return True
        reach += stride * (n - 1)
    return False


def reinterprets(view: np.dtype, memory: np.dtype) -> bool:
    """Whether a view's numbers are the real or imaginary parts of the memory's, or pairs of them."""
    one, two = sorted((view, memory), key=lambda t: t.itemsize)
    return one.kind == "f" and two.kind == "c" and two.itemsize == 2 * one.itemsize


def leaf_dtypes(dtype: np.dtype) -> set[np.dtype]:
    """The dtypes of the numbers that records consist of."""
    if dtype.subdtype is not None:
        return leaf_dtypes(dtype.subdtype[0])
    if dtype.names is None:
        return {dtype}
    return set().union(*(leaf_dtypes(dtype[name]) for name in dtype.names))


def flat_memory(x: ndarray) -> ndarray:
    """All memory that `x` spans, gaps included, as one flat view of it.

    Raises:
        NotDifferentiable: the elements do not lie on multiples of their size.
    """
    if x.flags.c_contiguous:
        return x.reshape(-1)
    if x.flags.f_contiguous:
        return x.T.reshape(-1)
    if x.size == 0:
        return np.empty(0, x.dtype)
    if any(s % x.itemsize for s in x.strides):
        raise NotDifferentiable("the elements of an array do not lie on multiples of their size: use a copy of it")
    low, high = extent(x)
    first = x[tuple([slice(None, None, -1) if s < 0 else slice(None) for s in x.strides])]
    return as_strided(first, ((high - low) // x.itemsize,), (x.itemsize,))


def laid_out(x: ndarray, memory: ndarray) -> ndarray:
    """A view of flat `memory` whose elements lie in it as those of `x` lie in ``flat_memory(x)``."""
    if x.flags.c_contiguous:
        return memory.reshape(x.shape)
    if x.size == 0:
        return np.empty(x.shape, memory.dtype)
    steps = [s // x.itemsize for s in x.strides]
    start = sum(-s * (n - 1) for s, n in zip(steps, x.shape, strict=True) if s < 0)
    return as_strided(memory[start:], x.shape, [s * memory.itemsize for s in steps])


def numbered(x: ndarray) -> tuple[ndarray, ndarray]:
    """For every element of `x` the number of its cell in ``flat_memory(x)``, and the memory of these numbers."""
    memory = np.arange(flat_memory(x).size)
    return laid_out(x, memory), memory


def copied(x: ndarray) -> ndarray:
    """A copy of `x` in memory of its own that is laid out alike."""
    return x.copy() if x.flags.c_contiguous else laid_out(x, flat_memory(x).copy())


def empty_alike(x: ndarray) -> ndarray:
    """An uninitialised array that is laid out like `x`."""
    return np.empty_like(x) if x.flags.c_contiguous else laid_out(x, np.empty(flat_memory(x).size, x.dtype))


def same_bytes(a: Any, b: Any) -> bool:
    return a.tobytes() == b.tobytes()
