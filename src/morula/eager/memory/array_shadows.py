"""Shadows of arrays: a cotangent belongs to the owner of the memory, and a view's cotangent is the same view of it.

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

from morula.eager.memory.layout import add_overlapping, may_overlap
from morula.eager.memory.wholes import ObjectsShadow, RecordsShadow

ndarray = np.ndarray
add = np.add
FLOAT = np.dtype(float)
# The callback of each weak reference to an array. CPython before 3.13 crashes where an array dies with several that
# have none, one of which is just being freed and has kept the array alive.
NO_ACTION = id
LAID_OUT = 2  # of a cotangent that `Buffer.view` made: dtype, shape and strides are the owner's


class Buffer(weakref.ref):
    """The cotangent of one owner of memory.

    It refers to its owner weakly: a temporary whose values no pullback needs dies as it would plainly.

    Attributes:
        bar: the cotangent so far, or None.
        owned: whether `bar` is ours to write into; `LAID_OUT` where it is also known to lie as the owner does. A
            cotangent that a rule hands over is adopted as it is, and copied only when a second contribution or a
            partial write comes.
        shape, dtype, strides: layout of `bar`.
        place: where our memory lies in the owner's, once somebody had to know (see `Place`).
        mirrors: the tangents of the owner, by forward derivation (see `levels`); unset where there are none.
        last_write: where on the tape large parts were last written, and which (see `writes.is_unread`); perhaps unset.
    """

    __slots__ = ("bar", "dtype", "last_write", "mirrors", "owned", "place", "shape", "strides")

    bar: ndarray | None
    owned: bool | int
    place: "Place | None"
    last_write: tuple | None
    mirrors: "dict[Any, Buffer]"
    shape: tuple[int, ...]
    dtype: np.dtype
    strides: tuple[int, ...]
    overlaps = False

    @property
    def buffer(self) -> "Buffer":
        """The root of the shadow: itself."""
        return self

    def whole(self) -> Any:
        """The shadow of memory that has no cotangent as a whole."""
        return RecordsShadow(self)

    def add(self, x_bar: ndarray, fresh: bool = False) -> None:
        """Accumulate a cotangent of the whole, of our shape; `fresh`: nobody else holds it."""
        bar = self.bar
        if bar is None:
            self.bar = x_bar if type(x_bar) is ndarray else np.asarray(x_bar)
            self.owned = fresh
        elif self.owned:
            add(bar, x_bar, bar)
        else:
            self.bar = np.asarray(bar + x_bar)  # of arrays without dimensions the sum is a number
            self.owned = True

    def view(self) -> ndarray:
        """The cotangent as an array that may be written into, laid out like the owner."""
        bar = self.bar
        if bar is not None and self.owned and type(bar) is ndarray and bar.strides == self.strides:
            return bar
        made = np.zeros(self.shape, self.dtype) if bar is None else np.empty(self.shape, self.dtype)
        if made.strides != self.strides:  # Fortran order, gaps: our own memory, seen with the owner's strides
            size, first = made.size, 0
            if self.place is not None and self.place.span is not None:
                size, first = self.place.span // self.dtype.itemsize, self.place.first
            made = ndarray(self.shape, self.dtype, np.zeros(size, self.dtype), first, self.strides)
        if bar is not None:
            made[...] = bar
        self.bar = made
        self.owned = LAID_OUT
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
        if bar.base is not None:
            return bar.base
        if bar.flags.c_contiguous:
            return bar
        if bar.flags.f_contiguous:
            return bar.T
        memory = np.empty(bar.size, bar.dtype)
        laid_out = ndarray(bar.shape, bar.dtype, memory, 0, bar.strides)
        laid_out[...] = bar
        self.bar = laid_out
        return memory


class Place:
    """Where the memory of a `Buffer` lies, for the few that need to know.

    Attributes:
        address: of the first byte that the buffer mirrors; None until somebody asks.
        span: bytes from there to the end, where an argument is itself a view of something larger; else None.
        first: bytes from `address` to the first element.
        scale: bytes of a cotangent per byte of the primal (1 but for integer arguments).
        other: the buffer of another argument that is a view of the same owner, or None.
        aside: whether the buffer collects the cotangent of one use of memory only (see `Buffers.aside`).
        asides: the buffers that do so for this one.
        stopped: copies of this memory that `stop_gradient` made.
    """

    __slots__ = ("address", "aside", "asides", "first", "other", "scale", "span", "stopped")

    def __init__(self) -> None:
        self.address: int | None = None
        self.span: int | None = None
        self.first = 0
        self.scale = 1
        self.other: Buffer | None = None
        self.aside = False
        self.asides: tuple[Buffer, ...] = ()
        self.stopped: tuple[weakref.ref, ...] = ()


def place_of(buffer: Buffer) -> Place:
    if buffer.place is None:
        buffer.place = Place()
    return buffer.place


def is_stopped(buffer: Buffer) -> bool:
    """Whether what `stop_gradient` made of this memory is still in use."""
    return buffer.place is not None and any(r() is not None for r in buffer.place.stopped)


class Keyed:
    """The shadow of ``x[key]`` for a basic key, where ``x`` has the shadow `parent`."""

    __slots__ = ("buffer", "dtype", "key", "overlaps", "parent", "shape", "within")

    buffer: Buffer
    overlaps: bool
    dtype: np.dtype

    def __init__(self, parent: "Shadow", key: Any, y: ndarray):
        self.parent = parent
        self.key = key
        self.buffer = parent if type(parent) is Buffer else parent.buffer
        self.overlaps = parent.overlaps
        self.shape = y.shape
        self.dtype = parent.dtype
        self.within = parent.shape

    def view(self) -> ndarray:
        parent = self.parent
        # how a cotangent that may be written into is laid out does not matter to a key
        whole = parent.bar if type(parent) is Buffer and parent.owned else None
        if type(whole) is not ndarray:
            whole = parent.view()
        if parent.shape is not self.within:  # the owner has been given another shape since, perhaps
            whole = parent.view().reshape(self.within)
        return whole[self.key]

    def add(self, x_bar: ndarray, fresh: bool = False) -> None:
        if self.overlaps:
            add_overlapping(self.view(), self.buffer, x_bar)
        else:
            mine = self.view()
            add(mine, x_bar, mine)

    def add_at(self, key: Any, bar: Any) -> None:
        self.view()[key] += bar


class Strided:
    """The shadow of a view that lies `offset` bytes into its owner's cotangent."""

    __slots__ = ("buffer", "dtype", "offset", "overlaps", "shape", "strides")

    def __init__(self, buffer: Buffer, offset: int, y: ndarray):
        scale = 1 if buffer.place is None else buffer.place.scale
        self.buffer = buffer
        self.offset = offset * scale
        self.shape = y.shape
        self.strides = tuple(s * scale for s in y.strides) if scale != 1 else y.strides
        self.dtype = y.dtype if y.dtype.kind in "fc" else buffer.dtype
        flags = y.flags
        dense = flags.c_contiguous or flags.f_contiguous
        self.overlaps = not dense and may_overlap(y.shape, y.strides, y.itemsize)

    def view(self) -> ndarray:
        memory = self.buffer.memory()
        if 0 in self.shape:  # its strides may lead out of memory that is empty
            return np.empty(self.shape, self.dtype)
        return ndarray(self.shape, self.dtype, memory, self.offset, self.strides)

    add = Keyed.add
    add_at = Keyed.add_at


Shadow = Any  # one of those three, or a RecordsShadow
ARRAY_SHADOWS = (Buffer, Keyed, Strided)


class ObjectsBuffer(Buffer):
    """What stands for an array of objects that holds active ones: `cells` has value and shadow by address."""

    __slots__ = ("cells",)

    cells: dict[int, tuple[Any, Any]]

    def whole(self) -> Any:
        return ObjectsShadow(self)


def finished_array(leaf: Any) -> Any:
    """The gradient of an array argument: memory of its own."""
    buffer = leaf.buffer
    if buffer.bar is None:
        return None
    if leaf is not buffer:
        mine = leaf.view()
        found = mine.copy()
        mine[...] = 0  # what other views share is theirs no more
        return found
    if buffer.owned and buffer.bar.flags.owndata and buffer.bar.dtype == buffer.dtype:
        return buffer.take()
    bar = np.array(buffer.bar, buffer.dtype)
    buffer.take()
    return bar
