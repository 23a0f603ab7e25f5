"""Where arrays lie in memory."""

from pickle import PickleBuffer
from typing import Any

import numpy as np

ndarray = np.ndarray


def owner_of(x: Any) -> ndarray:
    """The array at the root of a chain of views, also through a memoryview or NumPy's own stand-ins."""
    while True:
        base = x.base
        if base is None:
            return x
        if type(base) is PickleBuffer:  # of an argument (see `own_view`)
            return x
        if not isinstance(base, ndarray):
            base = base.obj if isinstance(base, memoryview) else getattr(base, "base", None)
            if not isinstance(base, ndarray):
                return x
        x = base


def may_share_memory(x: ndarray, y: ndarray, owner: ndarray) -> bool:
    """Whether `y` may overlap `x`, which lies in the memory of an owner."""
    other = owner_of(y)
    if other is not owner and other.base is None and owner.base is None:  # each has memory of its own
        return False
    return np.may_share_memory(x, y)


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


class Held:
    """The base of an array over the memory of another one: keeps that one, and ends the chain of bases."""

    __slots__ = ("__array_interface__", "x")

    def __init__(self, x: ndarray, interface: dict[str, Any]):
        self.x = x
        self.__array_interface__ = interface


def own_view(x: ndarray) -> ndarray:
    """Another array over the memory of `x`, which owns it as far as `owner_of` can see.

    >>> x = np.arange(6.0)[::2]
    >>> y = own_view(x)
    >>> y[0] = 7.0
    >>> x[0], owner_of(y) is y
    (np.float64(7.0), True)
    """
    if x.flags.c_contiguous:  # several times as fast
        return ndarray(x.shape, x.dtype, PickleBuffer(x), 0, x.strides)  # type: ignore[arg-type]
    return np.asarray(Held(x, x.__array_interface__))


def held_by(owner: ndarray) -> ndarray | None:
    """The caller's array, of what `own_view` made of it."""
    base = owner.base
    if type(base) is Held:
        return base.x
    found = memoryview(base).obj if type(base) is PickleBuffer else None
    return found if isinstance(found, ndarray) else None


def unlocked(x: ndarray) -> ndarray:
    """The same for memory that may be written, though `x` is locked."""
    interface = x.__array_interface__
    return np.asarray(Held(x, {**interface, "data": (interface["data"][0], False)}))


def caller_memory(owner: ndarray) -> ndarray:
    """The owner of the memory of an argument as the caller has it; of any other array itself."""
    if owner.base is None:
        return owner
    held = held_by(owner)
    return owner if held is None else owner_of(held)


def overwrite(x: ndarray, key: Any, contents: Any) -> None:
    """``x[key] = contents``, also where the array was made read-only since it was written last."""
    if x.flags.writeable:
        x[key] = contents
        return
    owner = owner_of(x)
    if owner.base is not None and held_by(owner) is not None:  # whose lock NumPy does not let us open
        unlocked(x)[key] = contents
        return
    locked = [a for a in ((owner, x) if owner is not x else (x,)) if not a.flags.writeable]
    for a in locked:
        a.flags.writeable = True
    try:
        x[key] = contents
    finally:
        for a in reversed(locked):
            a.flags.writeable = False


def add_overlapping(view: ndarray, buffer: Any, x_bar: ndarray) -> None:
    """``view += x_bar`` where elements of `view` may be the same cell: every one of them counts."""
    flat, cells = cells_of(view, buffer)
    np.add.at(flat, cells.ravel(), np.ascontiguousarray(x_bar).ravel())


def cells_of(view: ndarray, buffer: Any) -> tuple[ndarray, ndarray]:
    """The flat cotangent memory, and for every element of `view` the number of its cell in it."""
    memory = buffer.memory()
    flat = memory.reshape(-1).view(view.dtype)
    offset = address_of(view) - address_of(flat)
    numbers = np.arange(flat.size)
    ratio = numbers.itemsize / view.itemsize
    strides = tuple(int(s * ratio) for s in view.strides)
    return flat, ndarray(view.shape, numbers.dtype, numbers, int(offset * ratio), strides)
