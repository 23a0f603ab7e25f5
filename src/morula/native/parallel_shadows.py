"""Whether the shadows of arrays may be written by several threads, each at indices of its own.

Iteration ``i`` of a parallel loop that reads ``x[i]`` adds to ``x_bar[i]``. Two iterations meet there only if two
elements of ``x_bar`` are one place in memory, or if another shadow covers it at another index: shadows are views of
whatever the caller has.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.lib.array_utils import byte_bounds

__all__ = ["are_apart", "overlaps_itself"]


def are_apart(shadows: Sequence[np.ndarray]) -> bool:
    """Whether writing to these arrays at indices of one's own never meets what another index does.

    Args:
        shadows: the arrays that a parallel loop adds to, each by its own index along the same axis.

    Returns:
        ``False`` wherever it is not sure. Arrays that are one view, of the same shape and strides, are apart: the same
        index is in the same iteration.

    >>> a = np.zeros(5)
    >>> are_apart([a, np.zeros(5)]), are_apart([a, a]), are_apart([a[1:], a[:-1]]), are_apart([np.broadcast_to(0.0, 5)])
    (True, True, False, False)
    """
    found: list[tuple[int, int, Any]] = []
    for x in shadows:
        if x.size == 0:
            continue
        if overlaps_itself(x):
            return False
        low, high = byte_bounds(x)
        view = (x.ctypes.data, x.shape, x.strides, x.dtype)
        if any(low < other_high and other_low < high and view != other for other_low, other_high, other in found):
            return False
        found.append((low, high, view))
    return True


def overlaps_itself(x: np.ndarray) -> bool:
    """Whether two elements may be the same place in memory; ``True`` wherever it is not sure.

    >>> x = np.zeros((3, 4))
    >>> overlaps_itself(x[::2, ::-1].T), overlaps_itself(np.broadcast_to(x, (2, 3, 4)))
    (False, True)
    """
    if x.flags.c_contiguous or x.flags.f_contiguous:
        return False
    reach = x.itemsize  # of what the axes with smaller strides cover
    for stride, n in sorted((abs(s), n) for s, n in zip(x.strides, x.shape, strict=True) if n > 1):
        if stride < reach:
            return True
        reach += stride * (n - 1)
    return False
