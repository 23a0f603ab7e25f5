"""Dicts: items that they lack, defaults, and methods that take a key."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from types import FunctionType
from typing import Any

from morula.static.python.ir import Again, Block, Unsupported
from morula.static.python.known import Known
from morula.static.python.scopes import Array, Display, Small, Static
from morula.static.python.texts import Texts
from morula.static.python.things import ABSENT, Rigid, Thing

__all__ = ["BY_KEY", "WITH_DEFAULTS", "Mappings"]

WITH_DEFAULTS = (defaultdict, Counter)
FACTORIES = (float, int, list, dict)
BY_KEY = {"get": (1, 2), "setdefault": (2,), "pop": (1, 2)}  # methods of dicts, with arguments


class Mappings(Known, Texts):
    """The part of a `front.Builder` that knows dicts.

    Attributes:
        made_before: keys that branches and loops ask dicts with defaults for, by the place where the dict was made: it
            is made with them, and may not be asked which keys it has.
    """

    out: Block
    made_before: list[tuple[Any, Any]]
    sequence: Callable[[Any], tuple | None]
    slots_of: Callable[[Any], dict[Any, Any]]

    def _made_item(self, thing: Thing, key: Any) -> Any:
        """An item that a dict lacks, which makes one then."""
        factory = thing.factory
        if factory.value is Counter:
            return "0"  # which is not kept
        if thing.home is not self.out and thing.made_at is not None and (thing.made_at, key) not in self.made_before:
            self.made_before.append((thing.made_at, key))
            raise Again
        made: dict[Any, Callable[[], Any]] = {
            float: lambda: "0.0",
            int: lambda: "0",
            list: lambda: self.list_of(()),
            dict: lambda: self.new_thing(dict, {}),
        }
        is_own = type(factory.value) is FunctionType
        value = self.call(factory, [], {}) if is_own else made[factory.value]()
        self.set_slot(thing, key, value)
        return self.slot(thing, key)

    def new_with_default(self, f: Any, args: list, named: dict[str, Any]) -> Thing:
        """``defaultdict(factory, items)`` or ``Counter()``."""
        is_counter = f is Counter
        factory = Static(Counter) if is_counter else args[0] if args else Static(None)
        if is_counter and (args or named):
            raise Unsupported("a counter of something", self.line)
        kinds = (*FACTORIES, Counter)
        is_known = isinstance(factory, Static) and (factory.value in kinds or type(factory.value) is FunctionType)
        if not is_known or len(args) > 2:
            raise Unsupported("such a defaultdict", self.line)
        found = self.new_thing(dict, (self.slots_of(args[1]) if args[1:] else {}) | named)
        found.factory = factory
        if factory.value in (list, float, int):
            place = self.scopes[-1].function.__code__, self.line
            found.made_at = place if not found.slots else None
            for key in [key for where, key in self.made_before if where == found.made_at]:
                self._made_item(found, key)
                found.is_open = True
        return found

    def union(self, left: Thing, right: Thing, augmented: bool) -> Thing:
        """``left | right`` of dicts; if `augmented`, ``left |= right``."""
        if left.factory is not None or right.factory is not None:
            raise Unsupported("a union of dicts with defaults", self.line)
        if not augmented:
            return self.new_thing(dict, self.slots_of(left) | self.slots_of(right))
        self.updated(left, right)
        return left

    def updated(self, thing: Thing, more: Any) -> None:
        """``thing.update(more)``."""
        for key, value in self.slots_of(more).items():
            self.set_slot(thing, key, value)

    def _by_known_key(self, thing: Thing, name: str, args: list) -> Any:
        """``thing.get(key)`` and its kin."""
        key = self._key_of(args[0], of_dict=True)
        if key is ABSENT:
            raise Rigid("an item that is not the same each time", self.line)
        has = key in self.keys(thing)
        if name == "pop":
            return self._taken_out(thing, key, args[1:])
        if name == "setdefault" and not has:
            self.set_slot(thing, key, args[1])
            return self.slot(thing, key)
        return self.slot(thing, key) if has else [*args, Static(None)][1]

    def _taken_out(self, thing: Thing, key: Any, default: list) -> Any:
        """``thing.pop(key, default)``."""
        if key not in self.keys(thing):
            if not default:
                raise Unsupported(f"the key {key!r}, which a dict lacks", self.line)
            return default[0]
        if thing.home is None:
            raise Unsupported("an item removed from a dict from outside", self.line)
        found = self.held(self.slot(thing, key))
        self._check_home(thing, key)
        if thing.copied_as is not None:
            self.copy_not(thing.copied_as)
        thing.is_stored = True
        self.check_place(thing, key)
        del thing.slots[key]
        return found

    def from_keys(self, keys: Any, value: Any = None) -> Thing:
        """``dict.fromkeys(keys, value)``."""
        found = [self._key_of(k, of_dict=True) for k in self.sequence(keys) or (ABSENT,)]
        if ABSENT in found:
            raise Unsupported("a dict of unknown keys", self.line)
        if isinstance(value, Display | Array | Small) and len(set(found)) > 1:
            raise Unsupported("a list or an array that a dict has by several keys", self.line)
        return self.new_thing(dict, dict.fromkeys(found, Static(None) if value is None else self.held(value)))
