"""Attributes that an object gets in a loop or in a branch only, such as what a layer of a network keeps of its input.

The object has them from the beginning, as those that may hold nothing (see `optionals`). Until something is assigned,
reading one is a failure, so that the eager tier runs the program, which says what is missing.
"""

from __future__ import annotations

from types import MemberDescriptorType
from typing import Any

from morula.static.python.ir import Again
from morula.static.python.optionals import Optionals, is_none, is_plain, value_layout
from morula.static.python.scopes import Static
from morula.static.python.things import ABSENT, Rigid, Thing

__all__ = ["Late"]


class Late(Optionals):
    """The part of a `front.Builder` that knows such attributes.

    Attributes:
        late: them, by the class, the name, and which of the objects of the class it is.
        made_of: how many objects of a class have been made.
        names_before_late: which names arrays shared before there was such an attribute.
    """

    late: set[tuple[type, Any, int]]
    made_of: dict[type, int]
    names_before_late: Any
    bonds: list[Any]
    shared: set[Any]
    held_elsewhere: set[Any]

    def begin_late(self, thing: Thing) -> None:
        """Give a new object the attributes that it gets later."""
        thing.ordinal = self.made_of.setdefault(thing.kind, 0)
        self.made_of[thing.kind] += 1
        for own in sorted(self.late & self.optional.keys(), key=str):
            if own[0] is thing.kind and own[2] == thing.ordinal:
                self._set_late(thing, own, Static(None))

    def is_late(self, thing: Thing, key: Any) -> bool:
        return thing.home is not None and (thing.kind, key, thing.ordinal) in self.late & self.optional.keys()

    def set_late(self, thing: Thing, key: Any, value: Any) -> bool:
        """Assign to such an attribute; whether it is one."""
        own = (thing.kind, key, thing.ordinal)
        if not self.is_late(thing, key):
            self._expect_late(thing, own, value)
            return False
        if is_none(value):
            self.never_late(own)
        self._set_late(thing, own, value)
        return True

    def _set_late(self, thing: Thing, own: tuple[type, Any, int], value: Any) -> None:
        place = (thing.number, own[1])
        self.set_optional(place, own, value)
        thing.slots[own[1]] = self.maybe_at(place, own)

    def _expect_late(self, thing: Thing, own: tuple[type, Any, int], value: Any) -> None:
        """Tell the loops around it, if what is assigned to an object may be such an attribute of it."""
        if thing.home in (None, self.out) or own[1] in thing.slots or own in self.never_optional:
            return
        value, raw = self._plain(value), self.find(thing.kind, own[1])[0]
        if (raw is ABSENT or type(raw) is MemberDescriptorType) and is_plain(value):
            reason = Rigid(f"{own[1]!r}, which an object gets in a loop or a branch", self.line)
            reason.late = own, value_layout(value)
            raise reason

    def allow_late(self, own: tuple[type, Any, int], layout: Any) -> None:
        self.names_before_late = self.names_before_late or (
            set(self.shared),
            set(self.held_elsewhere),
            list(self.bonds),
        )
        self.late.add(own)
        self.optional[own] = layout

    def never_late(self, own: tuple[type, Any, int]) -> None:
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
            self.never_late((thing.kind, key, thing.ordinal))
