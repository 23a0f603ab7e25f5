"""What a write into an array leaves on the tape, and memory on the way back: as it was then, and again as it is now.

The write of one number into an array that owns its memory, ``x[key] = v``, is a tuple of six (see `tape`); any
other is a `Write`.
"""

from collections.abc import Collection
from itertools import islice
from typing import Any

import numpy as np

from chainrules import unbroadcast
from morula.eager.context.entries import deliver
from morula.eager.context.tape import LARGE, Entry, empty, to_dtype, to_number
from morula.eager.memory.array_shadows import Buffer
from morula.eager.memory.fingerprints import changed_behind, fingerprint
from morula.eager.memory.keys import is_basic
from morula.eager.memory.layout import address_of, cells_of, overwrite, owner_of
from morula.eager.memory.reach import private_owners
from morula.errors import NotDifferentiable

ndarray = np.ndarray
_sum = np.add.reduce


class Write(Entry):
    """x[key] = v.

    Walking back, the old contents return to memory, the cotangent of the written cells goes to `v`, and those
    cells' cotangent becomes zero: what was there before did not matter any more.

    Attributes:
        old: what was there before; None where nothing has read it (see `is_unread`).
        wrote: where others can reach the memory, the fingerprint of what was written, and how they can.
        v: of an active value, what its cotangent must fit: a number's type, an array's shape and dtype, or a tuple.
    """

    __slots__ = ("key", "old", "unique", "v", "v_d", "wrote", "x", "x_d")
    reads = ("key",)
    arrays = ("key", "x")
    undoes = True
    reads_result = False  # what the written cells hold just afterwards

    def __init__(self, x: ndarray, x_d: Any, key: Any, old: Any, v: Any, v_d: Any, unique: bool):
        self.x = x
        self.x_d = x_d
        self.key = key
        self.old = old
        self.v = v
        self.v_d = v_d
        self.unique = unique
        self.wrote: tuple[int, str] | None = None

    def is_large(self) -> bool:
        x = self.x
        return (x if x.base is None else owner_of(x)).size > LARGE

    def reads_memory(self, owner: ndarray) -> bool:
        return not is_basic(self.key) or type(self.v_d) is tuple

    def undo(self) -> Any:
        """Bring the old contents back; the root of the cotangent where there is one, else None."""
        if self.wrote is not None and fingerprint(self.x[self.key]) != self.wrote[0]:
            raise changed_behind(self.x, self.wrote[1])
        if self.old is not None:
            try:
                self.x[self.key] = self.old
            except ValueError:  # read-only by now
                overwrite(self.x, self.key, self.old)
        if self.x_d is None:
            return None
        root = self.x_d.buffer
        if root.place is not None:
            refuse_asides(root)
        return root if root.bar is not None else None

    def pull(self, strict: bool) -> None:
        root = self.undo()
        if root is None:
            return
        if root is self.x_d and self.key is Ellipsis:  # all of it: the cotangent is handed over as it is
            fresh, bar = bool(root.owned), root.take()
            if self.v_d is not None:
                self._deliver(bar, fresh)
            return
        x_bar = self.x_d.view()
        if self.v_d is not None:
            bar = x_bar[self.key]
            if not self.unique or self.x_d.overlaps:
                bar = np.where(self._last_writers(x_bar), bar, 0)
            elif type(bar) is ndarray:
                bar = bar.copy()
            self._deliver(bar, True)
        x_bar[self.key] = 0

    def _deliver(self, bar: Any, fresh: bool) -> None:
        v, v_d = self.v, self.v_d
        if type(v_d) is list:
            v_d[0] += to_number(bar, v)
        elif type(v_d) is tuple:
            deliver(self.v, v_d, bar)
        else:
            shape, dtype = v
            if type(bar) is ndarray and bar.shape == shape and bar.dtype == dtype:
                v_d.add(bar, fresh)
                return
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


class PartWrite(Write):
    """The same for a part of an array of doubles that owns its memory, selected by a basic key, and doubles `v`."""

    __slots__ = ()

    def is_large(self) -> bool:
        return self.x.size > LARGE

    def pull(self, strict: bool) -> None:
        x, x_d, key = self.x, self.x_d, self.key
        try:
            x[key] = self.old
        except ValueError:  # read-only by now
            overwrite(x, key, self.old)
        if x_d is None:
            return
        if x_d.place is not None:
            refuse_asides(x_d)
        if x_d.bar is None:
            return
        whole = x_d.bar if x_d.owned else None
        part = (whole if type(whole) is ndarray else x_d.view())[key]
        v_d = self.v_d
        if v_d is not None:
            if type(v_d) is list:
                v_d[0] += float(_sum(part, None))
            elif part.shape != self.v[0]:
                self._deliver(part.copy(), True)
            elif type(v_d) is Buffer and v_d.bar is None:
                v_d.add(part.copy(), True)
            else:  # it is added to what is there, and not kept
                v_d.add(part)
        part.fill(0.0)


def refuse_asides(root: Buffer) -> None:
    """Raise where memory that was written has a cotangent apart."""
    if root.place is not None and any(a.bar is not None for a in root.place.asides):
        raise NotDifferentiable(
            "an array that went through a hook, or through a rule that returns its argument, was written and "
            "then read through the result"
        )


def own(part: Any) -> Any:
    """What indexing gave, in memory of its own."""
    return part.copy() if type(part) is ndarray or type(part) is np.void else part


class Rewind:
    """Memory on the way back: writes are undone one by one, and at the end `redo` brings back what they had written.

    What the written memory holds now is copied: of an owner that was written all over, the whole of it; of any other
    the written parts. So what is copied of an owner is never larger than the owner. (Where an array is the key of a
    write it is the whole too, since the key may have been written itself.)

    Args:
        writes: of the forward run.
        once: leave large owners alone; no sweep touches them before `prepare_to_free`.
    """

    def __init__(self, writes: list[Any], once: bool = False):
        self.buffers: dict[int, Buffer] = {}
        self.large: list[ndarray] = []
        self.copies: dict[int, list[tuple[ndarray, Any, Any]]] = {}
        self._of_large: dict[int, tuple[int, list]] = {}
        reshaping = {kind for kind in set(map(type, writes)) if hasattr(kind, "after")}
        self.reshaped = [write for write in writes if type(write) in reshaping] if reshaping else []
        self._laid_out = {id(owner_of(write.x)) for write in self.reshaped}  # where keys are of other layouts
        owners: dict[int, list] = {}  # identity -> [owner, bytes written, writes, bytes]
        whole = whole_d = None  # what the last write wrote into, where that is copied as a whole, and its shadow
        for write in writes:
            is_element = type(write) is tuple
            if is_element:
                owner, x_d = write[0], write[1]
            elif write.old is None:  # an earlier one has written the same cells
                continue
            else:
                x, x_d = write.x, write.x_d
                if x is whole and x_d is whole_d:
                    continue
                owner = x if x.base is None else owner_of(x)
            found = owners.get(id(owner))
            if found is None:
                found = owners[id(owner)] = [owner, 0, [], owner.nbytes]
            if found[1] < found[3]:  # else it is copied as a whole
                if is_element:
                    found[1] += 8
                else:
                    found[1] += getattr(write.old, "nbytes", 0) if is_basic(write.key) else found[3]
                found[2].append(write)
            elif not is_element:
                whole, whole_d = x, x_d
            if x_d is not None:
                root = x_d.buffer
                self.buffers[id(root)] = root
        for key, (owner, written, of_owner, _) in owners.items():
            if once and owner.size > LARGE:
                self.large.append(owner)
                self._of_large[key] = (written, of_owner)
            else:
                self._copy(owner, written, of_owner)

    def _copy(self, owner: ndarray, written: int, of_owner: list) -> None:
        if written >= owner.nbytes or id(owner) in self._laid_out:
            self.copies[id(owner)] = [(owner, Ellipsis, owner.copy())]
        else:
            self.copies[id(owner)] = [(x, at, own(x[at])) for x, at in map(target_of, of_owner)]

    def prepare_to_free(self, tape: list[Any], but: Collection[int]) -> None:
        """Copy large owners too, but those given by identity, and those that nobody will see again."""
        unseen = private_owners(self.large, tape) if self.large else ()
        for owner in self.large:
            if id(owner) not in but and id(owner) not in unseen:
                self._copy(owner, *self._of_large[id(owner)])
        self.large.clear()
        self._of_large.clear()

    def redo(self, but: Collection[int] = ()) -> None:
        """Memory as it was when it was copied, but that of some owners, given by identity."""
        for write in self.reshaped:
            if id(owner_of(write.x)) not in but:
                write.redo()
        for key, copies in self.copies.items():
            if key not in but:
                for x, at, contents in copies:
                    overwrite(x, at, contents)

    def forget(self) -> None:
        """Drop what cotangents the written memory has still."""
        for buffer in self.buffers.values():
            empty(buffer)


def is_write(entry: Any) -> bool:
    kind = type(entry)
    return len(entry) == 6 if kind is tuple else kind is not list and entry.undoes


def target_of(write: Any) -> tuple[ndarray, Any]:
    """The array that is written, and where."""
    return (write[0], write[2]) if type(write) is tuple else (write.x, write.key)


def undo(write: Any) -> None:
    x, key = target_of(write)
    old = write[3] if type(write) is tuple else write.old
    if old is not None:
        overwrite(x, key, old)


LOOKED_AT = 64  # entries of the tape, at the most, to find out whether a write may be without the old contents


def is_unread(x: ndarray, buffer: Buffer, owner: ndarray, tape: list[Any]) -> bool:
    """Whether nothing that is on the tape reads what the cells of `x` hold since the last write of just these cells.

    What they held before that one comes back with it; so the write that comes now need not keep what they hold.
    """
    last, place = getattr(buffer, "last_write", None), buffer.place
    if place is not None and (place.aside or place.asides or place.other is not None or place.stopped):
        return False
    if last is None or last[1:] != cells_written(x) or not 0 <= len(tape) - last[0] <= LOOKED_AT:
        return False
    for entry in islice(tape, last[0], None):
        kind = type(entry)
        if kind is tuple:
            if len(entry) != 6 and any(type(part) is ndarray and owner_of(part) is owner for part in entry):
                return False
        elif kind is not list and entry.reads_memory(owner):
            return False
    return True


def overwrites_unread(part: ndarray, x_d: Any, key: Any, v: Any, tape: list[Any]) -> bool:
    """Whether `v` goes, as it is, into the cells ``part = x[key]``, which are many, and `is_unread` holds for these."""
    if type(v) is not ndarray or not is_basic(key):
        return False
    if part.dtype.kind != "f" or v.dtype != part.dtype or v.shape != part.shape or not part.flags.writeable:
        return False
    owner = owner_of(part)
    return not x_d.overlaps and owner_of(v) is not owner and is_unread(part, x_d.buffer, owner, tape)


def cells_written(x: ndarray) -> tuple:
    return address_of(x), x.shape, x.strides


def wrote_whole(x: ndarray, buffer: Buffer, tape: list[Any], entry: Write) -> None:
    """Remember that the last entry of the tape has written all cells of `x`."""
    if x.size > LARGE and entry.wrote is None and not entry.reads_result:
        buffer.last_write = (len(tape), *cells_written(x))
    else:
        buffer.last_write = None
