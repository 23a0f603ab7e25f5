"""Iterators that a program holds: ``it = iter(items)``, ``next(it)``, and the loop through the rest."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from morula.static.python.ir import Again, Block, Branch, Fail, Set, Unsupported
from morula.static.python.scopes import Display, ListOf, Scope, Small, is_vector_array
from morula.static.python.things import ABSENT, Cursor, Generated, Rigid, Turns

__all__ = ["Cursors"]


class Cursors:
    """The part of a `front.Builder` that knows iterators which are held.

    Attributes:
        listed_cursors: where iterators are made that are asked in loops or branches.
    """

    listed_cursors: set[Any]
    line: int
    out: Block
    scopes: list[Scope]
    fresh: Callable[[str], str]
    emit: Callable[[Any], None]
    compute: Callable[..., str]
    length: Callable[[Any], str]
    part: Callable[..., Any]
    held: Callable[[Any], Any]
    share: Callable[..., None]
    listed: Callable[[Any], ListOf]
    same_list: Callable[[ListOf], ListOf]
    turns_of: Callable[[Any], Turns | None]
    turns_of_array: Callable[[Any], Turns]
    generator_in: Callable[[Any], Generated | None]

    def begun(self, value: Any) -> Any:
        """``iter(value)``; `ABSENT` where it is not known what that goes through."""
        if (generator := self.generator_in(value)) is not None:
            return generator
        key = (self.scopes[-1].function.__code__, self.line)
        is_of_numbers = isinstance(value, Display) and bool(value) and all(isinstance(v, str) for v in value)
        if is_of_numbers and key in self.listed_cursors:
            value = self.listed(value)
        if isinstance(value, ListOf) and value.kind is list and value.is_vector and not value.is_queue:
            place = self.fresh("c")
            self.emit(Set(place, "0"))
            return Cursor(None, self.out, place, self.same_list(value))
        if isinstance(value, Small | Display):  # written into meanwhile, it is read as it is then
            self.share(value.origins)
        read = self.turns_of_array if is_vector_array(value) else self.turns_of
        turns = None if isinstance(value, Turns | Cursor) else read(value)
        return ABSENT if turns is None else Cursor(turns, self.out, key=key if is_of_numbers else None)

    def next_of(self, cursor: Cursor, default: list) -> Any:
        """``next(cursor, default)``."""
        if cursor.place:
            if default:
                raise Unsupported("next of an iterator that may have come to its end", self.line)
            self.emit(Branch(self.compute(">=", cursor.place, self.length(cursor.items)), [Fail()]))
            found = self.part(cursor.items, cursor.place)
            self.emit(Set(cursor.place, self.compute("add", cursor.place, "1")))
            return found
        turns = self._left(cursor)
        if not turns.values:
            if not default:
                raise Unsupported("next of an iterator that has come to its end", self.line)
            return default[0]
        cursor.turns = Turns(turns.values[1:], turns.things, turns.lengths)
        return self.held(turns.values[0]())

    def rest_of(self, cursor: Cursor) -> Turns:
        """What a loop goes through, after which nobody may ask the iterator for more."""
        turns = self._left(cursor)
        cursor.home = []
        return turns

    def _left(self, cursor: Cursor) -> Turns:
        if cursor.home is not self.out or cursor.turns is None:
            if cursor.key is not None and cursor.key not in self.listed_cursors:
                self.listed_cursors.add(cursor.key)
                raise Again
            raise Rigid("an iterator that is asked in a branch or a loop", self.line)
        cursor.turns.check()
        return cursor.turns
