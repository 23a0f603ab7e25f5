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

from morula.errors import NotDifferentiable
from morula.runtime.layout import address_of, extent, leaf_dtypes, may_overlap, owner_of, reinterprets

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
        place: where our memory lies in the owner's, once somebody had to know (see `Place`).
        mirrors: the tangents of the owner, by forward derivation (see `levels`); unset where there are none.
    """

    __slots__ = ("bar", "dtype", "mirrors", "owned", "place", "shape", "strides")

    bar: ndarray | None
    owned: bool
    place: "Place | None"
    mirrors: "dict[Any, Buffer]"
    shape: tuple[int, ...]
    dtype: np.dtype
    strides: tuple[int, ...]
    overlaps = False

    @property
    def buffer(self) -> "Buffer":
        """The root of the shadow: itself."""
        return self

    def add(self, x_bar: ndarray, fresh: bool = False) -> None:
        """Accumulate a cotangent of the whole, of our shape; `fresh`: nobody else holds it."""
        bar = self.bar
        if bar is None:
            self.bar = x_bar if type(x_bar) is ndarray else np.asarray(x_bar)
            self.owned = fresh
        elif self.owned:
            np.add(bar, x_bar, bar)
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

    __slots__ = ("buffer", "dtype", "key", "overlaps", "parent", "shape")

    buffer: Buffer
    overlaps: bool
    dtype: np.dtype

    def __init__(self, parent: "Shadow", key: Any, y: ndarray):
        self.parent = parent
        self.key = key
        self.buffer = parent.buffer
        self.overlaps = parent.overlaps
        self.shape = y.shape
        self.dtype = parent.dtype

    def view(self) -> ndarray:
        return self.parent.view()[self.key]

    def add(self, x_bar: ndarray, fresh: bool = False) -> None:
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
        scale = 1 if buffer.place is None else buffer.place.scale
        self.buffer = buffer
        self.offset = offset * scale
        self.shape = y.shape
        self.strides = tuple(s * scale for s in y.strides) if scale != 1 else y.strides
        self.dtype = y.dtype if y.dtype.kind in "fc" else buffer.dtype
        self.overlaps = may_overlap(y.shape, y.strides, y.itemsize)

    def view(self) -> ndarray:
        memory = self.buffer.memory()
        if 0 in self.shape:  # its strides may lead out of memory that is empty
            return np.empty(self.shape, self.dtype)
        return ndarray(self.shape, self.dtype, memory, self.offset, self.strides)

    add = Keyed.add
    add_at = Keyed.add_at


Shadow = Any  # one of those three, or a RecordsShadow
ARRAY_SHADOWS = (Buffer, Keyed, Strided)


class RecordsShadow:
    """The shadow of an array of records, some of which has a derivative. What is not done field by field is refused."""

    __slots__ = ("buffer",)
    overlaps = False

    def __init__(self, buffer: Buffer):
        self.buffer = buffer

    def __getattr__(self, name: str) -> Any:
        raise NotDifferentiable(
            "an array of records that holds active values is used as a whole; use its fields, one at a time"
        )


class Buffers:
    """All owners with a shadow in one run, by identity.

    An entry may outlive its owner, and the identity be given to another array: `find` asks the weak reference.
    """

    def __init__(self) -> None:
        self.table: dict[int, Buffer] = {}

    def new(self, y: ndarray) -> Buffer:
        """The shadow of a fresh array (or of one that is met for the first time)."""
        dtype = y.dtype
        if y.base is not None or dtype.kind not in "fc":
            return self._placed(y)
        buffer = Buffer(y)
        buffer.bar = None
        buffer.owned = False
        buffer.place = None
        buffer.shape = y.shape
        buffer.dtype = dtype
        buffer.strides = y.strides
        self.table[id(y)] = buffer
        return buffer

    def _placed(self, y: ndarray) -> Buffer:
        """The shadow of an integer array, or of a view without an owner that has a shadow."""
        owner = owner_of(y)
        buffer = Buffer(owner)
        key = id(owner)
        buffer.bar = None
        buffer.owned = False
        buffer.place = place = Place()
        buffer.shape = y.shape
        buffer.dtype = y.dtype
        buffer.strides = y.strides
        if y.dtype.kind not in "fcV":
            buffer.dtype = FLOAT
            place.scale = FLOAT.itemsize // y.dtype.itemsize
            buffer.strides = tuple(n * place.scale for n in y.strides)
        if owner is not y:
            low, high = extent(y)
            place.address = low
            place.first = (address_of(y) - low) * place.scale
            place.span = (high - low) * place.scale
            before = self.table.get(key)
            place.other = before if before is not None and before() is owner else None
        self.table[key] = buffer
        return buffer

    def aside(self, x: ndarray, x_d: "Shadow") -> Buffer:
        """A buffer for the cotangent of one *use* of `x`: the memory is that of `x_d`, the cotangent is apart."""
        key = id(owner_of(x))
        before = self.table.get(key)
        buffer = self.new(x)
        if before is None:
            del self.table[key]
        else:
            self.table[key] = before
        place = place_of(buffer)
        place.aside = True
        place.other = None
        root = place_of(x_d.buffer if before is None or before() is not owner_of(x) else before)
        root.asides = (*root.asides, buffer)
        return buffer

    def find(self, x: ndarray) -> Shadow | None:
        """The shadow of `x` by its owner, or None."""
        table = self.table
        if not table:
            return None
        owner = x if x.base is None else owner_of(x)
        buffer = table.get(id(owner))
        if buffer is None or buffer() is not owner:
            return None
        place = buffer.place
        if owner is x and (place is None or place.span is None):
            return buffer if x.dtype.kind != "V" else RecordsShadow(buffer)
        candidate: Buffer | None = buffer
        while candidate is not None:
            if candidate.place is not None and candidate.place.span is not None and _same_place(candidate, x):
                return candidate
            found = self.view(candidate, x, owner)
            if found is not None:
                return found
            candidate = candidate.place.other if candidate.place is not None else None
        return None

    def view(self, buffer: Buffer, y: ndarray, owner: ndarray) -> Shadow | None:
        """The shadow of `y`, some view of the owner that `buffer` mirrors; None where it lies outside."""
        place = buffer.place
        if y.dtype != owner.dtype and not reinterprets(y.dtype, owner.dtype):
            leaves = leaf_dtypes(owner.dtype) if owner.dtype.names is not None else ()
            if not any(y.dtype == t or y.dtype.names is not None or reinterprets(y.dtype, t) for t in leaves):
                raise NotDifferentiable(f"active memory of {owner.dtype} is looked at as {y.dtype}")
        if y.dtype.kind not in "fc" and owner.dtype.names is not None:
            return RecordsShadow(buffer) if y.dtype.names is not None else None
        if place is None or place.address is None:
            if (
                y.nbytes == owner.nbytes
                and min(y.strides, default=0) >= 0
                and owner.strides == buffer.strides
                and (y.flags.c_contiguous or y.flags.f_contiguous)
            ):
                return Strided(buffer, 0, y)
            place = place_of(buffer)
            place.address = address_of(owner)
        elif outside(buffer, y):
            return None
        assert place.address is not None
        return Strided(buffer, address_of(y) - place.address, y)


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


def outside(buffer: Buffer, y: ndarray) -> bool:
    """Whether `y` begins outside the part of its owner that `buffer` mirrors (an argument that is itself a view)."""
    place = buffer.place
    if place is None or place.span is None or place.address is None:
        return False
    low, _ = extent(y)
    return not (place.address <= low < place.address + max(place.span // place.scale, 1))


def _same_place(buffer: Buffer, x: ndarray) -> bool:
    return x.shape == buffer.shape and x.strides == buffer.strides and extent(x)[0] == place_of(buffer).address


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
