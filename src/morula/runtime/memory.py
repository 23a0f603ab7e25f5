"""Cotangents of arrays: they belong to the owner of the memory, and a view's cotangent is the same view of it.

Three kinds of shadow stand beside an `ndarray`:

* `Buffer`: the whole of an owner;
* `Keyed`: what a basic index made of an array that has a shadow; replayed on the cotangent;
* `Strided`: any other view, found by where it lies in its owner's memory.

All of them have ``buffer`` (the root), ``view()`` (a writable cotangent array, made on demand), ``add(x_bar)``
and ``add_at(key, bar)``.
"""

import weakref
from typing import Any

import numpy as np

ndarray = np.ndarray
FLOAT = np.dtype(float)


class Buffer(weakref.ref):
    """The cotangent of one owner of memory.

    It refers to its owner weakly: a temporary whose values no pullback needs dies as it would plainly.

    Attributes:
        bar: the cotangent so far, or None.
        owned: whether `bar` is ours to write into. A cotangent that a rule hands over is adopted as it is, and
            copied only when a second contribution or a partial write comes.
        shape, dtype, strides: layout of `bar`.
        scale: bytes of a cotangent per byte of the primal (1 but for integer arguments).
        address: where the part of the owner that `bar` mirrors begins; None until somebody asks.
        span: bytes from there to its end, where an argument is itself a view of something larger; else None.
        first: bytes from `address` to the first element.
        other: the buffer of another argument that is a view of the same owner, or None.
        asides: buffers that collect the cotangent of one use of the same memory (see `Buffers.aside`).
        aside: whether this is one of those.
    """

    __slots__ = (
        "address",
        "aside",
        "asides",
        "bar",
        "buffer",
        "dtype",
        "first",
        "key",
        "other",
        "owned",
        "scale",
        "shape",
        "span",
        "strides",
    )

    bar: ndarray | None
    owned: bool
    overlaps = False

    def add(self, x_bar: ndarray) -> None:
        """Accumulate a cotangent of the whole, of our shape and dtype."""
        bar = self.bar
        if bar is None:
            self.bar = x_bar
            self.owned = False
        elif self.owned:
            np.add(bar, x_bar, bar)
        else:
            self.bar = bar + x_bar
            self.owned = True

    def view(self) -> ndarray:
        """The cotangent as an array that may be written into, laid out like the owner."""
        bar = self.bar
        if bar is not None and self.owned and type(bar) is ndarray and bar.strides == self.strides:
            return bar
        made = np.zeros(self.shape, self.dtype) if bar is None else np.empty(self.shape, self.dtype)
        if made.strides != self.strides:  # Fortran order, gaps: our own memory, seen with the owner's strides
            size = made.size if self.span is None else self.span // self.dtype.itemsize
            made = ndarray(self.shape, self.dtype, np.zeros(size, self.dtype), self.first, self.strides)
        if bar is not None:
            made[...] = bar
        self.bar = made
        self.owned = True
        return made

    def add_at(self, key: Any, bar: Any) -> None:
        """Accumulate into one element (or a region that a basic index selects)."""
        mine = self.bar
        if mine is None or not self.owned:
            mine = self.view()
        mine[key] += bar

    def take(self) -> ndarray | None:
        """The cotangent, which is handed over."""
        bar = self.bar
        self.bar = None
        self.owned = False
        if bar is not None and type(bar) is not ndarray:
            return np.asarray(bar)
        return bar

    def memory(self) -> ndarray:
        """The contiguous array that lies under `view`."""
        bar = self.view()
        return bar if bar.base is None else bar.base


class Keyed:
    """The shadow of ``x[key]`` for a basic key, where ``x`` has the shadow `parent`."""

    __slots__ = ("buffer", "dtype", "key", "overlaps", "parent", "shape")

    def __init__(self, parent: "Shadow", key: Any, y: ndarray):
        self.parent = parent
        self.key = key
        self.buffer = parent.buffer
        self.overlaps = parent.overlaps
        self.shape = y.shape
        self.dtype = parent.dtype

    def view(self) -> ndarray:
        return self.parent.view()[self.key]

    def add(self, x_bar: ndarray) -> None:
        if self.overlaps:
            add_overlapping(self.view(), self.buffer, x_bar)
        else:
            mine = self.view()
            np.add(mine, x_bar, mine)

    def add_at(self, key: Any, bar: Any) -> None:
        self.view()[key] += bar


class Strided:
    """The shadow of a view that lies `offset` bytes into its owner's cotangent."""

    __slots__ = ("buffer", "dtype", "offset", "overlaps", "shape", "strides")

    def __init__(self, buffer: Buffer, offset: int, y: ndarray):
        self.buffer = buffer
        self.offset = offset * buffer.scale
        self.shape = y.shape
        self.strides = tuple(s * buffer.scale for s in y.strides) if buffer.scale != 1 else y.strides
        self.dtype = y.dtype if y.dtype.kind in "fc" else buffer.dtype
        self.overlaps = may_overlap(y.shape, y.strides, y.itemsize)

    def view(self) -> ndarray:
        return ndarray(self.shape, self.dtype, self.buffer.memory(), self.offset, self.strides)

    add = Keyed.add
    add_at = Keyed.add_at


Shadow = Buffer | Keyed | Strided
ARRAY_SHADOWS = (Buffer, Keyed, Strided)


class Buffers:
    """All owners with a shadow in one run, by identity; an owner's entry goes when the owner dies."""

    def __init__(self) -> None:
        table: dict[int, Buffer] = {}
        self.table = table

        def forget(buffer: Any) -> None:
            if table.get(buffer.key) is buffer:
                del table[buffer.key]

        self.forget = forget

    def new(self, y: ndarray) -> Buffer:
        """The shadow of a fresh array (or of one that is met for the first time)."""
        owner = y if y.base is None else owner_of(y)
        buffer = Buffer(owner, self.forget)
        buffer.key = key = id(owner)
        buffer.buffer = buffer
        buffer.bar = None
        buffer.owned = False
        buffer.shape = y.shape
        buffer.dtype = dtype = y.dtype
        buffer.scale = 1
        buffer.aside = False
        buffer.asides = None
        buffer.other = None
        buffer.address = None
        buffer.span = None
        buffer.first = 0
        buffer.strides = y.strides
        if dtype.kind not in "fc":
            buffer.dtype = FLOAT
            buffer.scale = FLOAT.itemsize // dtype.itemsize
            buffer.strides = tuple(n * buffer.scale for n in y.strides)
        if owner is not y:
            low, high = extent(y)
            buffer.address = low
            buffer.first = (address_of(y) - low) * buffer.scale
            buffer.span = (high - low) * buffer.scale
        if buffer.span is not None:
            buffer.other = self.table.get(key)
        self.table[key] = buffer
        return buffer

    def aside(self, x: ndarray, x_d: "Shadow") -> Buffer:
        """A buffer for the cotangent of one *use* of `x`: the memory is that of `x_d`, the cotangent is apart."""
        root = x_d.buffer
        key = id(owner_of(x))
        before = self.table.get(key)
        buffer = self.new(x)
        if before is None:
            del self.table[key]
        else:
            self.table[key] = before
        buffer.aside = True
        buffer.other = None
        root.asides = [*(root.asides or ()), buffer]
        return buffer

    def find(self, x: ndarray) -> Shadow | None:
        """The shadow of `x` by its owner, or None."""
        table = self.table
        if not table:
            return None
        owner = x if x.base is None else owner_of(x)
        buffer = table.get(id(owner))
        if buffer is None:
            return None
        if owner is x and buffer.span is None:
            return buffer
        while buffer is not None:
            if buffer.span is not None and _same_place(buffer, x):
                return buffer
            found = self.view(buffer, x, owner)
            if found is not None:
                return found
            buffer = buffer.other
        return None

    def view(self, buffer: Buffer, y: ndarray, owner: ndarray) -> Shadow | None:
        """The shadow of `y`, some view of the owner that `buffer` mirrors."""
        if buffer.address is None:
            if y.nbytes == owner.nbytes and min(y.strides, default=0) >= 0 and owner.strides == buffer.strides and (
                y.flags.c_contiguous or y.flags.f_contiguous
            ):
                return Strided(buffer, 0, y)
            buffer.address = address_of(owner)
        elif outside(buffer, y):
            return None
        return Strided(buffer, address_of(y) - buffer.address, y)


def outside(buffer: Buffer, y: ndarray) -> bool:
    """Whether `y` begins outside the part of its owner that `buffer` mirrors (an argument that is itself a view)."""
    assert buffer.address is not None
    if buffer.span is None:
        return False
    low, _ = extent(y)
    return not (buffer.address <= low < buffer.address + buffer.span // buffer.scale)


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


def _same_place(buffer: Buffer, x: ndarray) -> bool:
    return x.shape == buffer.shape and x.strides == buffer.strides and address_of(x) == buffer.address


def owner_of(x: Any) -> ndarray:
    """The array at the root of a chain of views."""
    while True:
        base = x.base
        if base is None or not isinstance(base, ndarray):
            return x
        x = base


def address_of(x: ndarray) -> int:
    return x.__array_interface__["data"][0]


def may_overlap(shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int) -> bool:
    """Whether two elements of a view may be the same memory (never says no wrongly)."""
    reach = itemsize
    for stride, n in sorted((abs(s), n) for s, n in zip(strides, shape, strict=True) if n > 1):
        if stride < reach:
            return True
        reach += stride * (n - 1)
    return False


def add_overlapping(view: ndarray, buffer: Buffer, x_bar: ndarray) -> None:
    """``view += x_bar`` where elements of `view` may be the same cell: every one of them counts."""
    flat, cells = cells_of(view, buffer)
    np.add.at(flat, cells.ravel(), np.ascontiguousarray(x_bar).ravel())


def cells_of(view: ndarray, buffer: Buffer) -> tuple[ndarray, ndarray]:
    """The flat cotangent memory, and for every element of `view` the number of its cell in it."""
    memory = buffer.memory()
    flat = memory.reshape(-1).view(view.dtype)
    offset = address_of(view) - address_of(flat)
    numbers = np.arange(flat.size)
    ratio = numbers.itemsize / view.itemsize
    strides = tuple(int(s * ratio) for s in view.strides)
    return flat, ndarray(view.shape, numbers.dtype, numbers, int(offset * ratio), strides)
