"""What becomes of variables that stand for places when something else comes there.

A variable that is not read any more is forgotten. Another one gets the array that was in the place; where arrays are
exchanged, it stands for the place to which its array has gone. Neither is possible where the program may pass over
that, or come to it again with what the variable has become: then the program is built without such a variable.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

from morula.static.python.ir import Block
from morula.static.python.liveness import read_after_call, read_later
from morula.static.python.plain_classes import dataclass
from morula.static.python.scopes import Names, Scope, key_of
from morula.static.python.sharing import has_own, slot_name
from morula.static.python.things import Thing
from morula.transform.syntax import walk

__all__ = ["Item", "Vacating"]


@dataclass(frozen=True, eq=False)
class Item:
    """An item of a list or a dict, or an attribute of an object, for which a variable stands.

    Attributes:
        home: the block in which it came to stand for it.
    """

    thing: Thing
    key: Any
    home: Block


class Vacating:
    """The part of a `front.Builder` that knows this.

    Attributes:
        standing_now: the variables that have come to stand for something, with their scopes.
        is_in_place: whether an item that is assigned is the array that it was, with other contents.
    """

    standing_now: list[tuple[Scope, str]]
    is_in_place: bool
    scopes: list[Scope]
    definitions: dict[Any, Any]
    shared: set[Any]
    out: Block
    slot: Callable[[Thing, Any], Any]
    set_slot: Callable[[Thing, Any, Any], None]
    bind: Callable[[Scope, str, Any], None]
    stand: Callable[[Scope, str, Item], None]
    never_stand: Callable[[Any], None]
    is_held: Callable[[Names], bool]
    of_several: Callable[[Any], Any]

    def check_place(self, thing: Thing, key: Any) -> None:
        """Let go of a place what stands for it, since something else comes there."""
        if self.is_in_place:
            return
        slot = slot_name(thing, key)
        others: Names = frozenset()
        for scope, name, item in self._standing_for(thing, key):
            if self._is_left(scope, name, item):
                is_alone = slot.isdisjoint(self.shared) and not self.is_held(slot)
                array = replace(self.slot(thing, key), origins=others if is_alone else others | slot)
                del scope.things[name]
                self.bind(scope, name, array)
                others |= key_of(scope, name)

    def names_move(self, places: Sequence[tuple[Item, Item]]) -> list[Callable[[], None]]:
        """What lets variables stand for the places to which arrays are going from others."""
        found: list[Callable[[], None]] = []
        for to, of in places:
            for scope, name, item in self._standing_for(of.thing, of.key):
                if self._is_left(scope, name, item):
                    found.append(partial(self.stand, scope, name, Item(to.thing, to.key, self.out)))
        return found

    def _standing_for(self, thing: Thing, key: Any) -> Iterator[tuple[Scope, str, Item]]:
        for scope, name in dict.fromkeys(self.standing_now):
            item = scope.things.get(name)
            if not isinstance(item, Item) or item is scope.holders.get(name):
                continue
            if item.thing is thing and item.key == key:
                yield scope, name, item

    def _is_left(self, scope: Scope, name: str, item: Item) -> bool:
        """Whether a variable is read later whose place gets another array; if not, it is forgotten."""
        if not self._is_read_later(scope, name):
            scope.things[name] = self.of_several(item)
            return False
        if item.home is not self.out:  # it may not be come to, or come to again
            self.never_stand((scope.function.__code__, name))
        return True

    def _is_read_later(self, scope: Scope, name: str) -> bool:
        """Whether a variable may be read once what happens now has happened."""
        code, s = scope.function.__code__, scope.current
        if not has_own(code, name) or not any(scope is other for other in self.scopes):
            return not has_own(code, name)
        node = self.definitions.get(code)
        after = read_after_call(node).get(id(s))
        if scope is not self.scopes[-1] and after is not None and scope.calling is getattr(s, "value", self):
            return name in after.returned | after.raised
        later = read_later(node).get(id(s))
        if later is None:
            return True
        is_last = scope is self.scopes[-1] and isinstance(s, ast.Assign) and len(s.targets) == 1
        is_last = is_last and isinstance(s.targets[0], ast.Attribute | ast.Subscript | ast.Name)
        return name in later or (not is_last and any(isinstance(n, ast.Name) and n.id == name for n in walk(s)))

    @contextmanager
    def in_place(self) -> Iterator[None]:
        before, self.is_in_place = self.is_in_place, True
        try:
            yield
        finally:
            self.is_in_place = before

    def set_in_place(self, thing: Thing, key: Any, value: Any) -> None:
        """Give an item the array that it has, with other contents."""
        with self.in_place():
            self.set_slot(thing, key, value)
