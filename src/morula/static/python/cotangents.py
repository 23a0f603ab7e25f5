"""The lines that add to the cotangents of a stretch of statements, each in the cheapest way that is sound."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Protocol

from morula.static.python.flow import Flow
from morula.static.python.ir import Program
from morula.static.python.tidy import Line, is_fresh

__all__ = ["Cotangents", "bar"]


class Analysis(Protocol):
    """What is known of the program."""

    program: Program
    flow: Flow
    arrays: set[str]

    def zero(self, atom: str) -> str: ...


class Cotangents:
    """The cotangents of one stretch, while one goes back through it.

    Attributes:
        analysis: what is known of the program.
        own: the temporaries of the stretch.
        lines: what adds to cotangents.
        has: temporaries that have one.
        unset: variables whose cotangent here is that of another value than at the end, and which have none yet.
        numbers: arrays whose cotangent is still to be broadcast.
        fresh: arrays whose cotangent nobody else has.
    """

    def __init__(self, analysis: Analysis, own: Collection[str], written: Iterable[str]):
        self.analysis, self.own = analysis, own
        self.lines: list[Line] = []
        self.has = set(own) & analysis.flow.escaping
        self.unset = set(written)
        self.numbers: set[str] = set()
        self.fresh: set[str] = set()

    def add(self, atom: str, text: str, index: str = "", is_number: bool = False) -> None:
        """Add what a text comes to.

        Args:
            atom: to whose cotangent; nothing happens where it has none.
            text: what is added.
            index: the text of the place, where it is added to a part of an array.
            is_number: whether it is a number that belongs to each element of an array.
        """
        if atom not in self.analysis.flow.active:
            return
        if is_number and (atom in self.analysis.flow.escaping or atom not in self.own):
            text, is_number = f"{self.analysis.zero(atom)} + ({text})", False
        is_array = atom in self.analysis.program.shapes
        if (atom in self.own and atom not in self.has) or atom in self.unset:
            self._begin(atom, text, index, is_number)
        elif not is_array or atom in self.analysis.arrays or (atom in self.fresh and not is_number):
            self._accumulate(bar(atom) + (f"[{index}]" if index else ""), text)
        else:  # others may have the same array for a cotangent
            self._replace(atom, text, index, is_number)

    def _begin(self, atom: str, text: str, index: str, is_number: bool) -> None:
        whole = f"at({self.analysis.zero(atom)}, {_key(index)}, {text})" if index else text
        self.lines.append((bar(atom), "=", whole))
        self.has.add(atom)
        self.unset.discard(atom)
        if is_number:
            self.numbers.add(atom)
        elif atom in self.analysis.program.shapes and (index or is_fresh(text)):
            self.fresh.add(atom)

    def _accumulate(self, place: str, text: str) -> None:
        is_less = text.startswith("-")
        self.lines.append((place, "-=" if is_less else "+=", text[is_less:]))

    def _replace(self, atom: str, text: str, index: str, is_number: bool) -> None:
        if index:
            self.whole(atom)
            text = f"plus_at({bar(atom)}, {_key(index)}, {text})"
        else:
            text = f"{bar(atom)} - {text[1:]}" if text.startswith("-") else f"{bar(atom)} + {text}"
        self.lines.append((bar(atom), "=", text))
        if not is_number:
            self.numbers.discard(atom)
            self.fresh.add(atom)

    def whole(self, atom: str) -> None:
        """Broadcast the cotangent of an array, if it is one number for all elements."""
        if atom in self.numbers:
            self.numbers.discard(atom)
            self.lines.append((bar(atom), "=", f"{self.analysis.zero(atom)} + {bar(atom)}"))


def bar(atom: str) -> str:
    """The name of an atom's cotangent: no program has a variable of such a name."""
    return f"d_{atom}"


def _key(index: str) -> str:
    """An index as an argument of a call."""
    return f"key[{index}]"
