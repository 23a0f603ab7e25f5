"""Arrays as arguments: each is an owner of its own over the caller's memory.

A shadow is found by the owner of memory (see `memory`). An array that the function also reaches elsewhere, as a
captured or global variable, in a container, as an attribute or a default, is a constant there; as the argument it is
the variable of differentiation. So the function is given another array over the same memory, whose chain of bases ends
with itself. Nothing is copied, and what the function writes is seen by the caller.

Two owners of one memory are harmless as long as neither is written. An `Original` stands in the table of buffers for
the caller's owner; it finds out that the memory is written through one of the two and used through the other.
"""

import weakref
from operator import is_not
from typing import Any

import numpy as np

from morula.eager.memory.keys import is_basic
from morula.eager.memory.layout import held_by, own_view, owner_of
from morula.errors import AliasedArgumentsError

ndarray = np.ndarray


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
        place: what tells the fast paths that something is special here.
    """

    __slots__ = ("looked_at", "views", "writes")
    buffer = None

    views: list[ndarray]
    writes: list[Any]
    looked_at: int

    @property
    def place(self) -> "Original":
        return self

    def met(self, x: ndarray) -> None:
        """The memory is used as a constant: refused where an argument in it was written.

        Raises:
            AliasedArgumentsError: it was.
        """
        writes = self.writes
        for i in range(self.looked_at, len(writes)):
            write = writes[i]
            owner = owner_of(write[0] if type(write) is tuple else write.x)
            if any(owner is view and np.may_share_memory(view, x) for view in self.views):
                raise AliasedArgumentsError(
                    "an array argument was written, and its memory is then read by another route than the "
                    "argument (a captured or global variable, an item, an attribute ...), where it is a constant. "
                    "Pass a copy of it as the argument."
                )
        self.looked_at = len(writes)

    def about_to_write(self, x: ndarray, key: Any) -> None:
        """``x[key] = v`` writes into the memory otherwise than through the argument.

        Raises:
            AliasedArgumentsError: an argument lies in it.
        """
        written = x[key]
        if not isinstance(written, ndarray) and is_basic(key):
            written = x[(*key, ...) if isinstance(key, tuple) else (key, ...)]
        x = written if isinstance(written, ndarray) and written.base is not None else x
        if any(np.may_share_memory(view, x) for view in self.views):
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
            known = self.copies.get(id(x))
            if known is not None:
                return known[1]
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
        known = self.views.get(id(y))
        if known is not None:
            return known[1]
        return next((x for x, copy in self.copies.values() if copy is y), y)

    def _given(self, v: Any, back: dict[int, Any]) -> Any:
        if type(v) is ndarray:
            known = self.views.get(id(v))
            return v if known is None else known[1]
        if type(v) is list or type(v) is dict:
            return back.get(id(v), v)
        return v


def original(owner: ndarray, buffers: Any, writes: list[Any]) -> Original:
    found = buffers.table.get(id(owner))
    if type(found) is not Original:
        found = buffers.table[id(owner)] = Original(owner)
        found.views = []
        found.writes = writes
        found.looked_at = 0
    return found


def overlapping(buffers: Any) -> set[int]:
    """The arguments, by identity, whose memory is shared with another one."""
    found: set[int] = set()
    for known in buffers.table.values():
        views = known.views
        for i, x in enumerate(views if len(views) > 1 else ()):
            found.update(k for y in views[:i] if share_memory(x, y) for k in (id(x), id(y)))
    return found


def share_memory(x: ndarray, other: ndarray) -> bool:
    return x is other or bool(np.may_share_memory(x, other) and np.shares_memory(x, other))
