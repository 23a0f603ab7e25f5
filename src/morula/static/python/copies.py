"""Copies of objects: where a variable or an attribute may be one of several objects, it has numbers of its own.

That is sound as long as nothing is written into such an object any more, by whatever name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NoReturn

import numpy as np

from morula.static.python.calls import atoms_of, layout_of
from morula.static.python.ir import Again, Program, Set, Unsupported
from morula.static.python.scopes import Array, ListOf, Names, Scope
from morula.static.python.sharing import slot_name
from morula.static.python.things import Rigid, Thing, fields_of, has_arrays, is_number_like

__all__ = ["Copies", "slot_of"]


def slot_of(thing: Thing, key: Any) -> tuple[type, Any]:
    """What stands for an attribute of all objects of a class; for all items of lists, and of dicts."""
    return thing.kind, None if thing.kind in (list, dict) else key


class Copies:
    """The part of a `front.Builder` that copies objects.

    Attributes:
        copies: variables and attributes that hold copies of objects, since these are several.
        never_copied: those that cannot.
        spent: temporaries that nobody needs.
    """

    copies: set[Any]
    never_copied: set[Any]
    spent: set[str]
    program: Program
    fresh: Callable[[str], str]
    emit: Callable[[Any], None]
    copy: Callable[[str], str]
    share: Callable[[Names], None]
    as_array: Callable[[Any], Array]
    around: Any
    count: int
    line: int
    sub: Any
    held: Callable[[Any], Any]
    keys: Callable[[Thing], list[Any]]
    slot: Callable[[Thing, Any], Any]
    taken: Callable[[Any, Any], Any]
    variables: Callable[[Any, str], Any]
    assign_parts: Callable[[Any, Any], None]
    _check_home: Callable[..., None]

    def kept_of(self, scope: Scope, name: str, thing: Any) -> Any:
        """What a variable holds that something is assigned to."""
        key = (scope.function.__code__, name)
        if not isinstance(thing, Thing) or key not in self.copies:
            return thing
        scope.holders[name] = holder = self._copied(key, repr(name), thing, scope.holders.get(name))
        return holder

    def kept_in_slot(self, thing: Thing, key: Any, value: Any) -> bool:
        """Assign an object to an attribute or an item that holds copies; whether it is one."""
        own = slot_of(thing, key)
        if not isinstance(value, Thing) or own not in self.copies or thing.home is None:
            return False
        holder = thing.holders.get(key)
        if holder is None:
            self._check_home(thing, key)
        thing.holders[key] = thing.slots[key] = self._copied(own, repr(key), value, holder)
        return True

    def _copied(self, own: Any, name: str, thing: Thing, holder: Thing | None) -> Thing:
        """A thing with the numbers of another one: the `holder`, if there is one yet."""
        # A loop may come back to a write that stands before the copy, and write into the same object again.
        is_written = thing.is_stored and (thing.home is None or thing.around != self.around)
        arrays = [v for v in thing.slots.values() if has_arrays(v)]
        if is_written or thing.is_open or thing.kind is list or not all(isinstance(v, Array) for v in arrays):
            self.copy_not(own)
        thing.copied_as = own
        slots = {k: self.held(self._as_kept(v)) for k, v in self._every_slot(thing).items()}
        if holder is None:
            self.count += 1
            holder = Thing(thing.kind, self.count, [], self.sub, copied_as=own, around=self.around)
            for k, v in slots.items():
                inner = isinstance(v, Thing) and v.copied_as is not None
                made = self._copied(own, name, v, None) if inner else v
                if isinstance(v, Array):
                    made = self._array_like(holder, k, v)
                holder.slots[k] = self.variables(v, f"o{self.count}_") if _is_of_numbers(v) else made
                holder.holders |= {k: made} if inner else {}
        is_other = list(holder.slots) != list(slots) if thing.kind is dict else holder.slots.keys() != slots.keys()
        if holder.kind is not thing.kind or is_other:
            raise Unsupported(f"{name}, which is something else elsewhere", self.line)
        for k, v in slots.items():
            mine = holder.slots[k]
            if k in holder.holders and isinstance(v, Thing):
                self._copied(own, name, v, mine)
                continue
            if isinstance(mine, Array) and isinstance(v, Array) and (mine.shape, mine.dtype) == (v.shape, v.dtype):
                self.share(v.origins | mine.origins)  # nothing may be written into it any more
                self.emit(Set(mine.atom, v.atom))
                continue
            if isinstance(mine, Array) or isinstance(v, Array) or layout_of(mine) != layout_of(v):
                reason = Rigid(f"{name}, which is something else elsewhere", self.line)
                reason.name = slot_of(thing, k) if isinstance(v, Thing) else None
                raise reason
            if is_number_like(v):
                self.assign_parts(mine, v)
        return holder

    def _as_kept(self, value: Any) -> Any:
        is_array = isinstance(value, ListOf) and value.kind is np.ndarray
        return self.as_array(value) if is_array else value

    def _array_like(self, holder: Thing, key: Any, array: Array) -> Array:
        """A variable for arrays of a shape."""
        var = self.fresh(f"o{holder.number}_")
        self.program.shapes[var] = array.shape
        return Array(var, array.shape, array.dtype, slot_name(holder, key))

    def copy_of(self, holder: Thing) -> Thing:
        """What a variable or an attribute that holds copies holds now."""
        self.count += 1
        copied = Thing(holder.kind, self.count, [], self.sub, copied_as=holder.copied_as, around=self.around)
        for k, v in holder.slots.items():
            if k in holder.holders:
                copied.slots[k] = self.copy_of(v)
            elif isinstance(v, Array):
                copied.slots[k] = replace(v, atom=self.copy(v.atom))
                self.spent.add(copied.slots[k].atom)
            elif is_number_like(v):
                copied.slots[k] = self.taken(v, frozenset([(None, f"a slot {holder.kind.__qualname__}.{k}")]))
                self.spent.update(atoms_of(copied.slots[k]))
            else:
                copied.slots[k] = v
        return copied

    def copy_not(self, key: Any) -> NoReturn:
        """Build the program without copies there, since what they are of changes."""
        self.never_copied.add(key)
        self.copies.discard(key)
        raise Again

    def _every_slot(self, thing: Thing) -> dict[Any, Any]:
        if thing.home is not None:
            return {k: self.slot(thing, k) for k in thing.slots}
        if thing.kind is dict:
            return {k: self.slot(thing, k) for k in self.keys(thing)}
        return {k: self.slot(thing, k) for k in fields_of(thing.value)}


def _is_of_numbers(value: Any) -> bool:
    return is_number_like(value) and not isinstance(value, Array)
