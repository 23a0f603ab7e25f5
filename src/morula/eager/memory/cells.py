"""Where the elements of an array lie: their cells, numbered, and other memory that is laid out alike."""

from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from morula.eager.memory.layout import extent, may_overlap
from morula.errors import NotDifferentiable

ndarray = np.ndarray


class Cells:
    """The cells of an array, numbered from 0: elements that share memory have one number.

    Attributes:
        target: what is indexed to reach them: a flat view of the memory, or the array itself.
    """

    __slots__ = ("_shared", "_x", "target")

    def __init__(self, x: ndarray):
        self._x = x
        self.target = x
        self._shared = False
        if x.flags.c_contiguous:
            self.target = x.reshape(-1)
        elif may_overlap(x.shape, x.strides, x.itemsize):
            self.target = _span(x)
            self._shared = True

    def copy(self) -> ndarray:
        """What the cells hold, by number."""
        return self.target.flatten()

    def laid_out(self, memory: ndarray) -> ndarray:
        """A view of `memory`, which holds something for each cell, whose elements are those of the array."""
        return _laid_out(self._x, memory) if self._shared else memory.reshape(self._x.shape)

    def key(self, numbers: ndarray) -> Any:
        """The index of cells in `target`."""
        return numbers if self.target is not self._x else np.unravel_index(numbers, self.target.shape)


def copied(x: ndarray) -> ndarray:
    """A copy of `x` in memory of its own, with the same strides."""
    y = empty_alike(x)
    y[...] = x
    return y


def empty_alike(x: ndarray) -> ndarray:
    """An uninitialised array with the strides of `x`."""
    if x.flags.c_contiguous or x.size == 0:
        return np.empty(x.shape, x.dtype)
    low, high = extent(x)
    if any(s % x.itemsize for s in x.strides):
        return np.empty_like(x)
    return _laid_out(x, np.empty((high - low) // x.itemsize, x.dtype))


def _span(x: ndarray) -> ndarray:
    """All memory from the first element of `x` to its last, as one flat view."""
    if any(s % x.itemsize for s in x.strides):
        raise NotDifferentiable("the elements of an array do not lie at multiples of their size: use a copy of it")
    low, high = extent(x)
    first = x[tuple([slice(None, None, -1) if s < 0 else slice(None) for s in x.strides])]
    return as_strided(first, ((high - low) // x.itemsize,), (x.itemsize,))


def _laid_out(x: ndarray, memory: ndarray) -> ndarray:
    """A view of flat `memory` whose elements lie in it as those of `x` lie in ``_span(x)``."""
    steps = [s // x.itemsize for s in x.strides]
    start = sum(-s * (n - 1) for s, n in zip(steps, x.shape, strict=True) if s < 0)
    return as_strided(memory[start:], x.shape, [s * memory.itemsize for s in steps])


def same_bytes(a: Any, b: Any) -> bool:
    return a.tobytes() == b.tobytes()
