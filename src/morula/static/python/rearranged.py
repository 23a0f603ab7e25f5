"""``itertools.pairwise``, ``combinations``, ``product`` and ``chain`` of what is known item by item."""

from __future__ import annotations

import enum
import itertools
from collections.abc import Callable
from functools import partial
from typing import Any

from morula.static.python.ir import Program, Unsupported
from morula.static.python.scopes import Static
from morula.static.python.things import Turns, every_one, is_member, same

__all__ = ["LONGEST", "Rearranged"]

LONGEST = 64  # turns of a loop that are written out
GROUPING = (itertools.combinations, itertools.product)  # which read all that they are given when they are called


class Rearranged:
    """The part of a `front.Builder` that knows these."""

    held: Callable[[Any], Any]
    turns_of: Callable[[Any], Turns | None]
    _key_of: Callable[[Any], Any]
    program: Program
    guard: Callable[[str], None]
    given: Callable[[dict[str, Any], Any], str]

    def rearranged(self, f: Any, args: list) -> Turns | None:
        """What a call of one of these gives; None for anything else."""
        if f not in (itertools.pairwise, itertools.chain, *GROUPING) or not args:
            return None
        size = self._key_of(args[1]) if f is itertools.combinations and len(args) == 2 else None
        if f is not itertools.product and f is not itertools.chain and len(args) != 1 + (type(size) is int):
            return None
        given = [self.turns_of(a) for a in (args if size is None else args[:1])]
        turns = [t for t in given if t is not None]
        if len(turns) < len(given):
            return None
        things = tuple([thing for t in turns for thing in t.things])
        if f is itertools.chain:
            return Turns([v for t in turns for v in t.values], things)
        if f is itertools.pairwise:
            return Turns(_in_pairs(turns[0].values, self.held), things)
        values = [[partial(same, self.held(v())) for v in t.values] for t in turns]
        groups = itertools.product(*values) if size is None else itertools.combinations(values[0], size)
        found = list(itertools.islice(groups, LONGEST + 1))
        return Turns([partial(every_one, group) for group in found]) if len(found) <= LONGEST else None

    def members(self, kind: Static) -> Turns | None:
        """What a loop over an enumeration goes through; None for another class."""
        if type(kind.value) is not enum.EnumMeta or not kind.where:
            return None
        found: list[Any] = list(kind.value)
        if not all(map(is_member, found)):
            raise Unsupported("a loop over members that are compared by what they hold")
        self.guard(f"[*{kind.where}] == {self.given(self.program.space, found)}")
        return Turns([partial(same, Static(v)) for v in found])


def _in_pairs(values: list[Callable[[], Any]], held: Callable[[Any], Any]) -> list[Callable[[], Any]]:
    """What gives each value with the next one, which is read once, when the turn of the pair comes."""
    before: list[Any] = []

    def pair(k: int) -> tuple:
        if not k:
            before[:] = [held(values[0]())]
        first, before[0] = before[0], held(values[k + 1]())
        return first, before[0]

    return [partial(pair, k) for k in range(len(values) - 1)]
