"""What a write into an array leaves on the tape, and memory on the way back: as it was then, and again as it is now."""

from collections.abc import Collection
from typing import Any

import numpy as np

from chainrules import unbroadcast
from morula.errors import NotDifferentiable
from morula.runtime.entries import deliver, to_dtype, to_number
from morula.runtime.fingerprints import changed_behind, fingerprint
from morula.runtime.keys import is_basic
from morula.runtime.memory import cells_of, owner_of
from morula.runtime.tape import LARGE, Entry, empty

ndarray = np.ndarray
NOT_SAVED = object()


class Write(Entry):
    """x[key] = v.

    Walking back, the old contents return to memory, the cotangent of the written cells goes to `v`, and those
    cells' cotangent becomes zero: what was there before did not matter any more.

    Attributes:
        old: what was there before.
        saves: whether `undo` is to save what it takes back, for `redo` (see `Rewind`).
        new: what `undo` has saved, or NOT_SAVED.
        wrote: where others can reach the memory, the fingerprint of what was written, and how they can.
        v: of an active value, what its cotangent must fit: a number's type, an array's shape and dtype, or a tuple.
    """

    __slots__ = ("key", "new", "old", "saves", "unique", "v", "v_d", "wrote", "x", "x_d")

    def __init__(self, x: ndarray, x_d: Any, key: Any, old: Any, v: Any, v_d: Any, unique: bool):
        self.x = x
        self.x_d = x_d
        self.key = key
        self.old = old
        self.saves = False
        self.new: Any = NOT_SAVED
        self.v = v
        self.v_d = v_d
        self.unique = unique
        self.wrote: tuple[int, str] | None = None

    def undo(self) -> None:
        if self.saves:
            self.new = own(self.x[self.key])
        self.x[self.key] = self.old

    def redo(self) -> None:
        if self.new is not NOT_SAVED:
            self.x[self.key] = self.new
            self.new = NOT_SAVED

    def is_large(self) -> bool:
        return type(self.old) is ndarray and self.old.size > LARGE

    def pull(self, strict: bool) -> None:
        if self.wrote is not None and fingerprint(self.x[self.key]) != self.wrote[0]:
            raise changed_behind(self.x, self.wrote[1])
        self.undo()
        if self.x_d is None:
            return
        root = self.x_d.buffer
        if root.place is not None and any(a.bar is not None for a in root.place.asides):
            raise NotDifferentiable(
                "an array that went through a hook, or a rule that returns its argument, was written and then read "
                "through what that returned"
            )
        if root.bar is None:
            return
        x_bar = self.x_d.view()
        if self.v_d is not None:
            bar = x_bar[self.key]
            if not self.unique or self.x_d.overlaps:
                bar = np.where(self._last_writers(x_bar), bar, 0)
            elif type(bar) is ndarray:
                bar = bar.copy()
            self._deliver(bar)
        x_bar[self.key] = 0

    def _deliver(self, bar: Any) -> None:
        v, v_d = self.v, self.v_d
        if type(v_d) is list:
            v_d[0] += to_number(bar, v)
        elif type(v_d) is tuple:
            deliver(self.v, v_d, bar)
        else:
            shape, dtype = v
            bar = np.asarray(bar)
            if bar.shape != shape:
                bar = unbroadcast(bar, shape)
            v_d.add(to_dtype(bar, dtype))

    def _last_writers(self, x_bar: ndarray) -> ndarray:
        """For every element that was written, whether it is the one whose value stayed."""
        picked = x_bar[self.key]
        order = np.arange(1, picked.size + 1).reshape(picked.shape)
        if self.x_d.overlaps:
            _, cells = cells_of(x_bar, self.x_d.buffer)
            cells = cells[self.key]
            last = np.zeros(int(cells.max(initial=0)) + 1, int)
            np.maximum.at(last, cells, order)
            return last[cells] == order
        last = np.zeros(x_bar.shape, int)
        np.maximum.at(last, self.key, order)
        return last[self.key] == order


def own(part: Any) -> Any:
    """What indexing gave, in memory of its own."""
    return part.copy() if type(part) is ndarray or type(part) is np.void else part


class Rewind:
    """Memory on the way back: writes are undone one by one, and at the end `redo` brings back what they had written.

    Of an owner that was written all over, the contents at the end are copied once; of any other, each write
    saves what it takes back. So what is saved of an owner is never larger than the owner. (Where an array is
    the key of a write there is a copy too: the key may have been written since.)
    """

    def __init__(self, writes: list[Write]):
        sizes: dict[int, int] = {}
        owners: dict[int, ndarray] = {}
        self.buffers: dict[int, Any] = {}
        whole: set[int] = set()
        keys = []
        for write in writes:
            owner = owner_of(write.x)
            key = id(owner)
            keys.append(key)
            owners[key] = owner
            sizes[key] = sizes.get(key, 0) + getattr(write.old, "nbytes", 0)
            if write.x_d is not None:
                self.buffers[id(write.x_d.buffer)] = write.x_d.buffer
            if sizes[key] >= owner.nbytes or not is_basic(write.key):
                whole.add(key)
        self.copies = [(owners[key], owners[key].copy()) for key in whole]
        self.saving = []
        for key, write in zip(keys, writes, strict=True):
            write.saves = key not in whole
            if write.saves:
                self.saving.append(write)

    def redo(self, but: Collection[int] = ()) -> None:
        """Memory as it was when this was made, but that of some owners, given by identity."""
        for write in self.saving:
            if id(owner_of(write.x)) not in but:
                write.redo()
        for owner, contents in self.copies:
            if id(owner) not in but:
                owner[...] = contents

    def forget(self) -> None:
        """Drop what cotangents the written memory has still."""
        for buffer in self.buffers.values():
            empty(buffer)
