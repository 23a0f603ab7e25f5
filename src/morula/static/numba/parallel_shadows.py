"""What the backward pass of a parallel loop calls: the number of its parts, and shadows that threads may write.

Iteration ``i`` of a parallel loop that reads ``x[i]`` adds to ``x_bar[i]``. Two iterations meet there only if two
elements of ``x_bar`` are one place in memory, or if another shadow covers it at another index: shadows are views of
whatever the caller has, so generated code asks `are_apart` first. What iterations read at any index gets a partial
shadow in each part of the loop, and these are summed.
"""

from typing import Any

import numba
import numpy as np
from llvmlite import ir as llvm
from numba.core import cgutils, types
from numba.extending import intrinsic

from morula.static.numba.compiling import helper

__all__ = ["add_parts", "are_apart", "extent", "part_of", "parts_for", "parts_like", "threads"]


@intrinsic
def threads(typing_context: Any) -> Any:
    """How many threads the caller of compiled code may use; `numba.get_num_threads` cannot be cached on disk."""
    numba.get_num_threads()  # from here on the process knows the symbol

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        t = llvm.FunctionType(cgutils.intp_t, [])
        return builder.call(cgutils.get_or_insert_function(builder.module, t, "get_num_threads"), [])

    return types.intp(), generate


@helper()
def parts_for(n: int, n_threads: int, work: int, shared: int) -> int:
    """In how many parts to run a loop.

    Args:
        n: its iterations.
        n_threads: how many may run at a time.
        work: of one iteration, in operations.
        shared: elements that each part has a shadow of its own for; these are filled with zeros, and summed.
    """
    parts = min(n, n_threads)
    return parts if parts > 0 and 4 * parts * shared <= n * work else 1


@helper()
def part_of(start: int, stop: int, part: int, parts: int) -> tuple[Any, Any]:
    """The bounds of one part of a range."""
    n, k = max(stop - start, 0), np.intp(part)  # (Numba counts parallel loops by unsigned numbers)
    return start + n * k // parts, start + n * (k + 1) // parts


@helper()
def parts_like(x: np.ndarray, parts: int) -> np.ndarray:
    """Partial shadows of a shadow, all zero."""
    return np.zeros((parts, *x.shape), x.dtype)


@helper()
def add_parts(x_bar: np.ndarray, parts: np.ndarray) -> None:
    """Add partial shadows to a shadow, in order."""
    for k in range(len(parts)):
        x_bar += parts[k]


@helper()
def extent(x: np.ndarray, axis: int) -> tuple[Any, ...]:
    """Where an array lies: what `are_apart` asks of it.

    Args:
        x: the array.
        axis: along which each iteration has an index of its own.

    Returns:
        The addresses of its first byte and of the one after its last; the same of what index 0 covers; the step from
        index to index; and whether all elements are apart.
    """
    start = np.intp(x.ctypes.data)
    low, high, first, last = start, start, start, start
    is_apart, done, reach = 1, 0, x.itemsize
    for k in range(x.ndim):
        span = x.strides[k] * (x.shape[k] - 1)
        low, high = low + min(span, 0), high + max(span, 0)
        if k != axis:
            first, last = first + min(span, 0), last + max(span, 0)
    for _ in range(x.ndim):  # by rising strides: each must step over what those before it cover
        nearest = -1
        for k in range(x.ndim):
            if not (done >> k) & 1 and (nearest < 0 or abs(x.strides[k]) < abs(x.strides[nearest])):
                nearest = k
        done |= 1 << nearest
        if x.shape[nearest] > 1:
            if abs(x.strides[nearest]) < reach:
                is_apart = 0
            reach += abs(x.strides[nearest]) * (x.shape[nearest] - 1)
    if x.size == 0:
        return start, start, start, start, 0, 1
    return low, high + x.itemsize, first, last + x.itemsize, x.strides[axis], is_apart


@helper()
def are_apart(extents: tuple) -> bool:
    """Whether what one index covers, of all of these arrays, never meets what another index does.

    ``False`` wherever it is not sure.

    >>> def lie_apart(*arrays):
    ...     return are_apart(tuple(extent(x, 0) for x in arrays))
    >>> a = np.zeros(5)
    >>> lie_apart(a, np.zeros(5)), lie_apart(a, a), lie_apart(a[1:], a[:-1]), lie_apart(np.broadcast_to(0.0, 5))
    (True, True, False, False)
    """
    for k in range(len(extents)):
        low, high, first, last, step, is_apart = extents[k]
        if is_apart == 0:
            return False
        for j in range(k):
            other = extents[j]
            if low < other[1] and other[0] < high:
                if step != other[4] or max(last, other[3]) - min(first, other[2]) > abs(step):
                    return False
    return True
