"""``copy.copy`` and ``copy.deepcopy``: of numbers, arrays, containers and objects."""

from __future__ import annotations

import copy
import copyreg
from collections.abc import Callable
from types import ModuleType
from typing import Any

from morula.static.python.forms import Term
from morula.static.python.ir import Unsupported
from morula.static.python.scopes import Array, Coded, Display, ListOf, Small, Static, Text
from morula.static.python.things import Thing

__all__ = ["COPYING", "CopyCalls"]

COPYING = (copy.copy, copy.deepcopy)
IN_OTHER_WAYS = (
    "__copy__", "__deepcopy__", "__reduce__", "__reduce_ex__", "__getstate__", "__setstate__", "__getnewargs__",
    "__getnewargs_ex__", "__new__",
)  # fmt: skip


class CopyCalls:
    """The part of a `front.Builder` that copies what the program has."""

    line: int
    made: Callable[..., Any]
    as_array: Callable[[Any], Array]
    copied: Callable[..., Any]
    held: Callable[[Any], Any]
    likewise: Callable[..., Any]
    new_thing: Callable[[type, dict[Any, Any]], Thing]
    keys: Callable[[Thing], list[Any]]
    slot: Callable[[Thing, Any], Any]
    set_slot: Callable[[Thing, Any, Any], None]
    length_of: Callable[[Thing], int]
    find: Callable[..., tuple[Any, str]]
    new_object: Callable[[type], Thing]
    not_late: Callable[[Thing, Any], None]

    def copy_call(self, f: Any, value: Any) -> Any:
        """``copy.copy(value)`` or ``copy.deepcopy(value)``."""
        return self._duplicated(value, f is copy.deepcopy, {})

    def _duplicated(self, value: Any, is_deep: bool, made: dict[Any, Any]) -> Any:
        """A copy; things that have been `made` of others before are met again."""
        is_constant = isinstance(value, Static) and not isinstance(value.value, ModuleType)
        if isinstance(value, str | Text | Coded) or is_constant:
            return value
        is_array = isinstance(value, Small | Array) or (isinstance(value, ListOf) and value.kind is not list)
        if is_deep and (is_array or isinstance(value, ListOf | Display)):
            self._met_once("arrays" if is_array else "lists", made)
        if is_array:
            return self.made(copy.copy, "{a0}.__copy__()", [self.as_array(value)], lambda shape: (Term("{z}"),))
        if isinstance(value, ListOf):
            return self.copied(value)
        if isinstance(value, Display):
            return Display(self.held(tuple([self._part_duplicated(v, is_deep, made) for v in value])))
        if isinstance(value, tuple):
            return self.likewise(value, [self._duplicated(v, True, made) for v in value]) if is_deep else value
        if isinstance(value, Thing):
            return made.get(value.number) or self._duplicate_of(value, is_deep, made)
        raise Unsupported("a copy of such a thing", self.line)

    def _met_once(self, sort: str, made: dict[Any, Any]) -> None:
        """See to it that a deep copy has one array or list at most: two may be one, of which there is one copy."""
        if sort in made:
            raise Unsupported(f"a deep copy of what has several {sort}", self.line)
        made[sort] = True

    def _part_duplicated(self, value: Any, is_deep: bool, made: dict[Any, Any]) -> Any:
        return self._duplicated(value, True, made) if is_deep else self.held(value)

    def _duplicate_of(self, thing: Thing, is_deep: bool, made: dict[Any, Any]) -> Thing:
        if is_deep and thing.is_shared:
            self._met_once("lists", made)
        if thing.kind in (list, dict):
            if thing.factory is not None:
                raise Unsupported("a copy of a dict with defaults", self.line)
            found = self.new_thing(thing.kind, {})
            keys = self.keys(thing) if thing.kind is dict else range(self.length_of(thing))
        else:
            own_ways = any(self.find(thing.kind, name)[1] for name in IN_OTHER_WAYS)
            if own_ways or thing.home is None or thing.kind in copyreg.dispatch_table:
                raise Unsupported(f"a copy of a {thing.kind.__qualname__}", self.line)
            found = self.new_object(thing.kind)
            keys = list(thing.slots)
        made[thing.number] = found
        for key in keys:
            self.not_late(thing, key)
            self.set_slot(found, key, self._part_duplicated(self.slot(thing, key), is_deep, made))
        found.is_stored = False
        return found
