"""Integers that a text has to know and that depend on what has run: such as how long a list has become.

They are found by running the program up to there, which has no effect that others see. The text looks again: where it
finds another number it gives way to the eager tier.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from copy import copy
from dataclasses import replace
from typing import Any

from morula.static.python.forms import Form
from morula.static.python.ir import Block, Branch, Fail, Loop, Program
from morula.static.python.scopes import Scope
from morula.static.python.tidy import settle

__all__ = ["OBSERVE", "Observations"]

INT = frozenset(["int"])
OBSERVE = "observe"  # the name of what ends such a run


class Observations:
    """The part of a `front.Builder` that asks for them.

    Attributes:
        probe: runs a program that ends in an observation; None where it comes to another end.
        observed: what was found, by the place in the source, and how often that was asked about before.
        asked: how often each place was asked about in this attempt.
    """

    probe: Callable[[Program], Any]
    observed: dict[Any, int]
    asked: Counter[Any]
    program: Program
    line: int
    defining: int
    out: Block
    scopes: list[Scope]
    prologue: dict[str, str]
    compute: Callable[..., str]
    emit: Callable[[Any], None]
    is_wanted: Callable[[Any], bool]
    types_now: Callable[..., frozenset[str]]

    def observed_integer(self, atom: str) -> int | None:
        """The integer that an atom is here, with a guard; None where nobody can tell."""
        if self.defining or self.is_wanted(atom) or self.types_now(atom, 20) != INT:
            return None
        place = self.scopes[-1].function.__code__, self.line
        key = *place, self.asked[place]
        self.asked[place] += 1
        if key not in self.observed:
            found = self._found(atom)
            if found is None:
                return None
            self.observed[key] = found
        n = self.observed[key]
        self.program.is_observed = True
        self.emit(Branch(self.compute("!=", atom, str(n)), [Fail()]))
        return n

    def _found(self, atom: str) -> Any:
        """The same of a run of the program as far as it has been read."""
        return self.found("{a0}", (atom,))

    def found(self, text: str, atoms: tuple[str, ...]) -> Any:
        """What a run of the program as far as it has been read finds; None where it does not come here."""
        if self.program.subs or self.defining:
            return None
        form = Form(f"{OBSERVE}({text})", INT, (None,) * len(atoms), is_constant=True)
        end = self.compute("numpy", *atoms, f=form)
        self.emit(Branch(end, [Fail()], [Fail()]))
        program = replace(
            self.program, body=_copied(self.program.body), inputs=list(map(copy, self.program.inputs)), verb="probe",
            result="0.0", written=set(self.program.written), space=dict(self.program.space),
        )  # fmt: skip
        del self.out[-2:]
        settle(program, self.prologue)
        return self.probe(program)


def _copied(block: Block) -> Block:
    """The same statements, with which others may do what they like."""
    found: Block = []
    for s in block:
        s = copy(s)
        if isinstance(s, Branch | Loop):
            s.body = _copied(s.body)
        if isinstance(s, Branch):
            s.orelse = _copied(s.orelse)
        found.append(s)
    return found
