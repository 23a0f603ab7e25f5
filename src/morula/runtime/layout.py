"""Where arrays lie in memory."""

from typing import Any

import numpy as np

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
    if 0 in shape:
        return False
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


def overwrite(x: ndarray, key: Any, contents: Any) -> None:
    """``x[key] = contents``, also where the array was made read-only since it was written last."""
    if x.flags.writeable:
        x[key] = contents
        return
    owner = owner_of(x)
    locked = [a for a in ((owner, x) if owner is not x else (x,)) if not a.flags.writeable]
    for a in locked:
        a.flags.writeable = True
    try:
        x[key] = contents
    finally:
        for a in reversed(locked):
            a.flags.writeable = False
