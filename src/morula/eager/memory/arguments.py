"""Arrays as arguments: each is an owner of its own over the caller's memory.

A shadow is found by the owner of memory (see `memory`). An array that the function also reaches elsewhere, as a
captured or global variable, in a container, as an attribute or a default, is a constant there; as the argument it is
the variable of differentiation. So the function is given another array over the same memory, whose chain of bases ends
with itself. Nothing is copied, and what the function writes is seen by the caller.

Two owners of one memory are harmless as long as neither is written. An `Original` stands in the table of buffers for
the caller's owner; it finds out that the memory is written through one of the two and used through the other.
"""

import weakref
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from operator import is_not
from typing import Any

import numpy as np

from chainrules import non_differentiable
from morula.eager.memory.array_shadows import NO_ACTION
from morula.eager.memory.keys import is_basic
from morula.eager.memory.layout import held_by, own_view, owner_of
from morula.errors import AliasedArgumentsError

ndarray = np.ndarray
FEW = 64  # elements that are compared each time
READ_BY_ANOTHER_ROUTE = (
    "an array argument was written, and its memory is then read by another route than the argument (a captured or "
    "global variable, an item, an attribute ...), where it is a constant. Pass a copy of it as the argument."
)


def is_argument(x: ndarray) -> bool:
    """Whether `x` is what `own_view` made, and without gaps."""
    return is_dense(x) and held_by(x) is not None


def is_dense(x: ndarray) -> bool:
    return x.flags.c_contiguous or x.flags.f_contiguous


class Original(weakref.ref):
    """The caller's owner of the memory of arguments, in the table of buffers.

    Attributes:
        views: the arguments that lie in it, as the function sees them.
        writes: the log of writes.
        looked_at: how many of them are known not to be of these arguments.
        copied: of forward mode, where the function works on copies: the caller's arrays, each with its copy.
        met_times: how often the memory of these was used as a constant; `is_sure`, whether no copy was written then.
        place: what tells the fast paths that something is special here.
    """

    __slots__ = ("copied", "is_sure", "looked_at", "met_times", "views", "writes")
    buffer = None

    views: list[ndarray]
    writes: list[Any]
    looked_at: int
    copied: list[tuple[ndarray, ndarray]]
    met_times: int
    is_sure: bool

    @property
    def place(self) -> "Original":
        return self

    def met(self, x: ndarray) -> None:
        """The memory is used as a constant: refused where an argument in it was written.

        Raises:
            AliasedArgumentsError: it was.
        """
        if self.copied:
            self.met_times += 1
            self.is_sure = x.size <= FEW or not self.met_times & (self.met_times - 1)
            if self.is_sure:
                self.check_copies(x)
        writes = self.writes
        for i in range(self.looked_at, len(writes)):
            write = writes[i]
            owner = owner_of(write[0] if type(write) is tuple else write.x)
            if any(owner is view and np.may_share_memory(view, x) for view in self.views):
                raise AliasedArgumentsError(READ_BY_ANOTHER_ROUTE)
        self.looked_at = len(writes)

    def check_copies(self, x: ndarray | None = None) -> None:
        """Refuse memory that was used as a constant, and of which a copy was written: the part of it that `x` is.

        Raises:
            AliasedArgumentsError: it was.
        """
        for array, copy in self.copied:
            if differs(array, copy) and (x is None or np.may_share_memory(array, x)):
                raise AliasedArgumentsError(READ_BY_ANOTHER_ROUTE)

    def about_to_write(self, x: ndarray, key: Any) -> None:
        """``x[key] = v`` writes into the memory otherwise than through the argument.

        Raises:
            AliasedArgumentsError: an argument lies in it.
        """
        written = x[key]
        if not isinstance(written, ndarray) and is_basic(key):
            written = x[(*key, ...) if isinstance(key, tuple) else (key, ...)]
        x = written if isinstance(written, ndarray) and written.base is not None else x
        if any(np.may_share_memory(view, x) for view in (*self.views, *[array for array, _ in self.copied])):
            raise AliasedArgumentsError(
                "the memory of an array argument is written by another route than the argument (a captured or "
                "global variable, an item, an attribute ...), where it is a constant. Pass a copy as the argument."
            )

    def take(self) -> None:
        """No cotangent comes here."""


class Arguments:
    """The arguments of a call as the function sees them.

    Arrays are owners of their own; lists and dicts that hold any, or numbers, are copies, so that what the function
    reaches elsewhere is not what it is given. Objects, containers of other classes, arrays of another class than
    `numpy.ndarray` and those that are no numbers stay as they are.

    Attributes:
        copies: ``id(container) -> (container, its copy)``.
        views: ``id(view) -> the caller's array``.
    """

    __slots__ = ("buffers", "copies", "views", "writes")

    def __init__(self, buffers: Any, writes: list[Any]):
        self.buffers = buffers
        self.writes = writes
        self.copies: dict[int, tuple[Any, Any]] = {}
        self.views: dict[int, tuple[ndarray, ndarray]] = {}

    def apart(self, x: Any) -> Any:
        """`x` as the function sees it."""
        kind = type(x)
        if kind is ndarray:
            return self._view(x) if x.dtype.kind in "fciu" else x
        if kind is tuple or (isinstance(x, tuple) and hasattr(x, "_fields")):
            parts = [self.apart(v) for v in x]
            if all(a is b for a, b in zip(x, parts, strict=True)):
                return x
            return tuple(parts) if kind is tuple else kind._make(parts)
        if kind is list or kind is dict:
            pair = self.copies.get(id(x))
            if pair is not None:
                return pair[1]
            copy: Any = [] if kind is list else {}
            self.copies[id(x)] = (x, copy)
            if kind is list:
                copy += [self.apart(v) for v in x]
            else:
                copy.update({k: self.apart(v) for k, v in x.items()})
            return copy
        return x

    def _view(self, x: ndarray) -> ndarray:
        view, owner = own_view(x), owner_of(x)
        self.views[id(view)] = (view, x)
        if owner.base is None:
            self.buffers.given.add(id(view))
        original(owner, self.buffers, self.writes).views.append(view)
        return view

    def hand_back(self) -> None:
        """Do to the caller's arguments what the function did to its own: locks of arrays, items of lists and dicts."""
        for view, x in self.views.values():
            if not view.flags.writeable:
                x.flags.writeable = False
        back = {id(copy): x for x, copy in self.copies.values()}
        for x, copy in self.copies.values():
            items = [self._given(v, back) for v in (copy if type(x) is list else copy.values())]
            if type(x) is list:
                if len(x) != len(items) or any(map(is_not, x, items)):
                    x[:] = items
            elif list(x) != list(copy) or any(map(is_not, x.values(), items)):
                keys = list(copy)
                x.clear()
                x.update(zip(keys, items, strict=True))

    def handed_back(self, y: Any) -> Any:
        """A value with the caller's own arrays, lists and dicts in the place of those that the function was given."""
        if type(y) is tuple:
            return tuple([self.handed_back(v) for v in y])
        pair = self.views.get(id(y))
        if pair is not None:
            return pair[1]
        return next((x for x, copy in self.copies.values() if copy is y), y)

    def _given(self, v: Any, back: dict[int, Any]) -> Any:
        if type(v) is ndarray:
            pair = self.views.get(id(v))
            return v if pair is None else pair[1]
        if type(v) is list or type(v) is dict:
            return back.get(id(v), v)
        return v


def original(owner: ndarray, buffers: Any, writes: list[Any]) -> Original:
    found = buffers.table.get(id(owner))
    if type(found) is not Original:
        found = buffers.table[id(owner)] = Original(owner, NO_ACTION)
        found.views, found.copied, found.met_times, found.is_sure = [], [], 0, True
        found.writes = writes
        found.looked_at = 0
    return found


_originals: dict[int, tuple[weakref.ref, weakref.ref]] = {}  # by the identity of their copies, with these
_MANY = 64  # of which some will be gone


def copy_of(x: ndarray) -> ndarray:
    """A copy of an array that a function is given in its place; `original_of` it is the array."""
    y = np.array(x)
    stands_for(y, x)
    return y


def stands_for(y: ndarray, x: ndarray) -> None:
    """Say that a function is given `y` in the place of `x`, as long as somebody has both."""
    if len(_originals) > _MANY:
        for key, (copy, original) in list(_originals.items()):
            if copy() is None or original() is None:
                _originals.pop(key, None)
    _originals[id(y)] = weakref.ref(y), weakref.ref(original_of(x))


non_differentiable(stands_for)


def original_of(x: ndarray) -> ndarray:
    """The caller's array, of a copy or of an argument as a function sees it; of any other array itself."""
    found = _originals.get(id(x))
    if found is not None and found[0]() is x and (view := found[1]()) is not None:
        return view
    held = held_by(x) if x.base is not None else None
    return x if held is None else original_of(held)


def copies_in(args: Iterable[Any]) -> list[tuple[ndarray, ndarray]]:
    """The copies of the caller's arrays among arguments, each behind its original."""
    if not _originals:
        return []
    pairs = [(original_of(x), x) for x in args if isinstance(x, ndarray)]
    return [(x, y) for x, y in pairs if not np.may_share_memory(x, y)]


@contextmanager
def copied(buffers: Any, writes: list[Any], pairs: Iterable[tuple[ndarray, ndarray]]) -> Iterator[None]:
    """While a function works on copies of arrays: find out that it uses the arrays themselves, too.

    Memory that is known already, as that of an outer derivation, is looked after there.

    Raises:
        AliasedArgumentsError: it uses one of which it has written the copy, or writes into one.
    """
    met: list[Original] = []
    for array, copy in pairs:
        owner = owner_of(array)
        if type(buffers.table.get(id(owner))) in (type(None), Original):
            met.append(original(owner, buffers, writes))
            met[-1].copied.append((array, copy))
    try:
        yield
        for given in met:
            if not given.is_sure:
                given.check_copies()
    finally:
        for given in met:
            given.copied.clear()


def differs(x: ndarray, y: ndarray) -> bool:
    """Whether two arrays of one shape hold different numbers."""
    return not np.array_equal(x, y, equal_nan=x.dtype.kind in "fc")


def overlapping(buffers: Any) -> set[int]:
    """The arguments, by identity, whose memory is shared with another one."""
    found: set[int] = set()
    for given in buffers.table.values():
        views = given.views
        for i, x in enumerate(views if len(views) > 1 else ()):
            found.update(k for y in views[:i] if share_memory(x, y) for k in (id(x), id(y)))
    return found


def share_memory(x: ndarray, other: ndarray) -> bool:
    return x is other or bool(np.may_share_memory(x, other) and np.shares_memory(x, other))
