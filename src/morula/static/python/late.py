"""Attributes that an object gets in a loop or in a branch only, such as what a layer of a network keeps of its input,
and items of dicts with known keys that do.

The object has them from the beginning, as those that may hold nothing (see `optionals`). Until something is assigned,
reading one is a failure, so that the eager tier runs the program, which says what is missing.
"""

from __future__ import annotations

from types import MemberDescriptorType
from typing import Any

from morula.static.python.ir import Again, Branch, Fail
from morula.static.python.optionals import Optionals, is_none, is_plain, value_layout
from morula.static.python.scopes import Maybe, Static
from morula.static.python.things import ABSENT, Rigid, Thing

__all__ = ["Late", "sort_of"]


class Origin:
    """The dicts or lists that one line makes, in the place of a class."""

    def __init__(self, line: str):
        self.__qualname__ = f"dict{line}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Origin) and self.__qualname__ == other.__qualname__

    def __hash__(self) -> int:
        return hash(self.__qualname__)


def sort_of(thing: Thing) -> Any:
    """The class of an object; of a dict or a list, the line that makes it."""
    return Origin(thing.line) if thing.kind in (dict, list) else thing.kind


Own = tuple[Any, Any, int]


class Late(Optionals):
    """The part of a `front.Builder` that knows such attributes and items.

    Attributes:
        late: them, by the class or the `Origin`, the name or key, and which of the objects or dicts it is.
        made_of: how many of these have been made.
        names_before_late: which names arrays shared before there was such an attribute.
    """

    late: set[Own]
    made_of: dict[Any, int]
    names_before_late: Any
    trying: int
    bonds: list[Any]
    shared: set[Any]
    held_elsewhere: set[Any]

    def begin_late(self, thing: Thing) -> None:
        """Give a new object or dict what it gets later."""
        sort = sort_of(thing)
        thing.ordinal = self.made_of.setdefault(sort, 0)
        self.made_of[sort] += 1
        for own in sorted(self.late & self.optional.keys(), key=str):
            if own[0] == sort and own[2] == thing.ordinal:
                thing.is_open = thing.kind is dict
                self._set_late(thing, own, Static(None))

    def _late_key(self, thing: Thing, key: Any) -> Own:
        return sort_of(thing), key, thing.ordinal

    def is_late(self, thing: Thing, key: Any) -> bool:
        return thing.home is not None and self._late_key(thing, key) in self.late & self.optional.keys()

    def set_late(self, thing: Thing, key: Any, value: Any) -> bool:
        """Assign to such an attribute or item; whether it is one."""
        own = self._late_key(thing, key)
        if not self.is_late(thing, key):
            self._expect_late(thing, own, value)
            return False
        if is_none(value) or isinstance(value, Maybe):
            self.never_late(own)
        self._set_late(thing, own, value)
        return True

    def _set_late(self, thing: Thing, own: Own, value: Any) -> None:
        place = (thing.number, own[1])
        self.set_optional(place, own, value)
        thing.slots[own[1]] = self.maybe_at(place, own)

    def _expect_late(self, thing: Thing, own: Own, value: Any) -> None:
        """Tell the loops around it, if what is assigned to an object or a dict may be such a part of it."""
        is_there = own[1] in thing.slots or thing.factory is not None
        if thing.home in (None, self.out) or is_there or own in self.never_optional:
            return
        raw = ABSENT if thing.kind is dict else self.find(thing.kind, own[1])[0]
        value = self._plain(value)
        if (raw is ABSENT or type(raw) is MemberDescriptorType) and is_plain(value):
            reason = Rigid(f"{own[1]!r}, which an object or a dict gets in a loop or a branch", self.line)
            reason.late = own, value_layout(value)
            raise reason

    def read_late(self, thing: Thing, found: Maybe) -> Any:
        """What such an attribute or item holds; under ``try`` it raises what the program does where it is not there."""
        if self.trying:
            branch = Branch(self.compute("unset", found.atoms[0]))
            branch.body.append(Fail(self.given(self.program.space, KeyError if thing.kind is dict else AttributeError)))
            self.emit(branch)
        return self.present(found)

    def has_late(self, thing: Thing, key: Any) -> str:
        """The atom that says whether a dict has such an item yet."""
        return self.compute("not", self.compute("unset", self.now(thing.slots[key]).atoms[0]))

    def allow_late(self, own: Own, layout: Any) -> None:
        self.names_before_late = self.names_before_late or (
            set(self.shared),
            set(self.held_elsewhere),
            list(self.bonds),
        )
        self.late.add(own)
        self.optional[own] = layout

    def never_late(self, own: Own) -> None:
        """Build the program anew without such an attribute, with which more is done than to assign and read it."""
        self.late.discard(own)
        self.optional.pop(own, None)
        self.never_optional.add(own)
        if self.names_before_late:
            shared, held_elsewhere, bonds = self.names_before_late
            self.shared, self.held_elsewhere, self.bonds = set(shared), set(held_elsewhere), list(bonds)
        raise Again

    def not_late(self, thing: Thing, key: Any) -> None:
        """Take note that more is done with an attribute than to assign and read it."""
        if self.is_late(thing, key):
            self.never_late(self._late_key(thing, key))
