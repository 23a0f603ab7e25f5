"""How long the lists are that arrays are made of, and whether their numbers are integers: the text looks again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import field
from typing import Any

import numpy as np

from morula.static.python.ir import (
    Again,
    Append,
    Branch,
    Compute,
    Fail,
    Program,
    Set,
    Store,
    Unsupported,
    is_name,
    walk,
)
from morula.static.python.plain_classes import dataclass
from morula.static.python.ruled_values import form_of
from morula.static.python.scopes import Array, ListOf, Named
from morula.static.python.types import INT

__all__ = ["Lengths", "Made"]

DEEP = 20  # operations that are looked at to find out of what type a number is
ITEMS = ("display", "new")  # what makes lists of numbers
Turns = tuple[str, ...] | None
Around = tuple[tuple[object, Turns], ...]


@dataclass()
class Made:
    """A list that the program made.

    Attributes:
        around: the loops around the place, each with the ends of its range, None where it may be left or skipped.
        first: the atom of its length at first.
        grown: what was around each place where something is appended to it.
        is_shrunk: whether items are taken out of it.
    """

    around: Around
    first: str
    grown: list[Around] = field(default_factory=list)
    is_shrunk: bool = False


class Lengths:
    """The part of a `front.Builder` that counts what lists have."""

    around: Around
    made_lists: dict[str, Made]
    lengths_of_inputs: dict[str, int]
    measuring: set[str]
    program: Program
    by_length: bool
    length: Callable[[Any], str]
    line: int
    computed: dict[str, Compute]
    compute: Callable[..., str]
    emit: Callable[[Any], None]
    number_of: Callable[[str], Any]
    guard: Callable[[str], None]
    observed_integer: Callable[[str], int | None]
    given: Callable[[dict[str, Any], Any], str]
    is_wanted: Callable[[Any], bool]
    made: Callable[..., Any]
    types_now: Callable[..., frozenset[str]]

    @contextmanager
    def within(self, turns: Turns) -> Iterator[None]:
        """What is built stands in a loop, or in a branch."""
        outer, self.around = self.around, (*self.around, (object(), turns))
        yield
        self.around = outer

    def array_of_list(self, value: ListOf, are_floats: bool = False) -> Array:
        """``np.array`` of a list of floats, or of integers; ``np.array(value, float)`` if they `are_floats`."""
        if not are_floats and self.has_integers(value.var) and (found := self.integers_of(value)) is not None:
            return found
        n, m = self.length_of_list(value.var), None if value.is_vector else value.width
        n = n or self.observed_integer(self.compute("length", value.var))
        if not value.is_vector and not m:
            m = self.observed_integer(self.compute("width", value.var))
        if not n or not (value.is_vector or m):
            raise Unsupported("an array of a list whose length is not known", self.line)
        self.emit(Branch(self.compute("!=", self.compute("length", value.var), str(n)), [Fail()]))
        if m:  # rows of several lengths are none of an array
            self.emit(Branch(self.compute("!=", self.compute("width", value.var), str(m)), [Fail()]))
        atom = self.compute("packed", value.var, f=float if are_floats else None)
        self.program.shapes[atom] = shape = (n, m) if m else (n,)
        return Array(atom, shape, np.dtype(np.float64))

    def integers_of(self, value: Any) -> Array | None:
        """The array of the integers in a list or a tuple, as many as there are now; None for anything else."""
        numbers: list[Any] = [None]
        if isinstance(value, ListOf):
            shape = self._shape_of_list(value)
            atoms, text = [value.var], "{a0}"
        elif isinstance(value, tuple) and not isinstance(value, Named) and all(isinstance(v, str) for v in value):
            shape, numbers = (len(value),), [self.number_of(v) for v in value]
            atoms = [v for v, number in zip(value, numbers, strict=True) if number is None]
            places = iter(range(len(atoms)))
            text = f"[{', '.join([f'{{a{next(places)}}}' if v is None else repr(v) for v in numbers])}]"
        else:
            return None
        is_wanted = any(map(self.is_wanted, value if isinstance(value, tuple) else atoms))
        if not shape or 0 in shape or is_wanted or any(type(v) not in (int, type(None)) for v in numbers):
            return None
        like: Any = np.zeros(shape, int) if atoms else np.array(numbers)
        space = self.program.space
        text = f"alike({self.given(space, np.array)}({text}), {self.given(space, form_of(like))})"
        return self.made(lambda *_: like, text, atoms, lambda shape: (None,) * len(atoms), is_constant=True)

    def known_length(self, array: Any) -> int | None:
        """How long an array or a list is, if that is known; the program is built anew with what arrays have now."""
        length = self.length(array)
        if not length.isdigit() and not self.by_length:
            self.by_length = True
            raise Again
        return int(length) if length.isdigit() else None

    def _shape_of_list(self, value: ListOf) -> tuple[int, ...]:
        """What the array of a list would have for its shape; an empty one where it is not known."""
        n = value.shape[0] if value.fixed and value.shape[0] else self.length_of_list(value.var)
        n = n or (value.width if value.is_vector else None)
        n = n or self.observed_integer(self.compute("length", value.var))
        m = 1 if value.is_vector else value.width or self.observed_integer(self.compute("width", value.var))
        if value.kind is not list or n is None or m is None:
            return ()
        return (n,) if value.is_vector else (n, m)

    def are_integers(self, atoms: tuple[str, ...]) -> bool:
        """Whether numbers are integers, as far as the program has been read."""
        return all(self.types_now(a, DEEP, True) == INT for a in atoms)

    def has_integers(self, var: str) -> bool:
        """Whether the numbers of a list are integers, as far as the program has been read."""
        atoms, given = self.items_now(var)
        return bool(atoms or given) and all(types == INT for types in given) and self.are_integers(tuple(atoms))

    def items_now(self, var: str) -> tuple[set[str], list[frozenset[str]]]:
        """What is put into a list, as far as the program has been read, and the types of what it is given with."""
        lists, atoms = {var}, set[str]()
        statements = list(walk(self.program.body))
        while True:
            known = len(lists) + len(atoms)
            for name in tuple(lists):
                s = self.computed.get(name)
                if s is not None and s.op in ITEMS:
                    atoms |= set(s.args if s.op == "display" else s.args[:1])
                elif s is not None:
                    lists |= set(s.args[: 2 if s.op == "joined" else 1])
            lists |= {s.value for s in statements if isinstance(s, Set) and s.var in lists}
            atoms |= {s.value for s in statements if isinstance(s, Append | Store) and s.array in lists}
            if len(lists) + len(atoms) == known:
                return atoms, [i.types for i in self.program.inputs if i.name in lists]

    def length_of_list(self, var: str) -> int | None:
        """The length that a list should have here; None where that is not known."""
        if var in self.lengths_of_inputs:
            return self.lengths_of_inputs[var]
        if var in self.made_lists:
            if var in self.measuring:  # what it was made of has the same name, as in ``x = x + x``
                return None
            self.measuring.add(var)
            try:
                return self._grown(self.made_lists[var])
            finally:
                self.measuring.discard(var)
        s = self.computed.get(var)
        if s is not None and s.op == "joined":
            one, other = map(self.length_of_list, s.args)
            return None if one is None or other is None else one + other
        if s is not None and s.op == "listed":
            return self.program.shapes[s.args[0]][0]
        if s is None or s.op not in ("copy", "copied", "sliced", "reversed", "new", "display"):
            return None
        if s.op == "display":
            return len(s.args)
        if s.op == "new":
            return self._number(s.args[1])
        n = self.length_of_list(s.args[0])
        if n is None or s.op != "sliced":
            return n
        ends = [self._number(a) for a in s.args[1:]]
        return None if None in ends else len(range(n)[slice(*ends)])

    def _number(self, atom: str) -> int | None:
        s = self.computed.get(atom) if is_name(atom) else None
        if s is not None and s.op == "length" and (n := self.length_of_list(s.args[0])) is not None:
            return n
        if s is not None and s.op == "call" and s.f is min:
            ends = [self._number(a) for a in s.args]
            return None if None in ends else min(n for n in ends if n is not None)
        if s is not None and s.op in ("add", "sub"):
            one, other = (self._number(a) for a in s.args)
            return None if one is None or other is None else one + (other if s.op == "add" else -other)
        found = self.number_of(atom)
        return found if type(found) is int else None

    def _grown(self, made: Made) -> int | None:
        if made.is_shrunk:
            return None
        n = self._number(made.first)
        for around in made.grown:
            inner = around[len(made.around) :]
            if n is None or around[: len(made.around)] != made.around:
                return None
            if inner and inner[0] in self.around:  # it is still growing
                return None
            times = 1
            for _, turns in inner:
                found = self._turns(turns)
                if found is None:
                    return None
                times *= found
            n += times
        return n

    def _turns(self, turns: Turns) -> int | None:
        ends = [n for n in map(self._number, turns or ()) if n is not None]
        return None if not turns or len(ends) < len(turns) or ends[2:] == [0] else len(range(*ends))
