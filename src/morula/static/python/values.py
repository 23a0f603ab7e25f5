"""What a function returns, put together of numbers and arrays: where it is no single number that is differentiated."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from morula.static.python.ir import Input, Program, Unsupported
from morula.static.python.memory import Memory
from morula.static.python.plain_classes import dataclass
from morula.static.python.scopes import Array, Display, ListOf, Named, Names, Small
from morula.static.python.types import Types

__all__ = ["Value", "layout_of_value", "text_of_value", "typed", "with_whole"]

REAL = frozenset(["float", "np.float64"])
WHOLE = frozenset(["int", "bool"])


@dataclass(frozen=True)
class Value:
    """A number, an array, or a tuple or list of such.

    Attributes:
        kind: "number", "whole" (one that has no derivative), "array", "small" (an array by its numbers), "listed" (one
            that is a list in the text), "numbers" (a list of numbers), "tuple" or "list".
        atoms: of a leaf.
        parts: of a tuple or a list.
        is_copy: whether somebody else may have the array, or the list.
        shape: of an array, where it is known.
        of: the variable of the list that an array is a view of.
        ties: of a whole value, for each leaf the positions of what its cotangent reaches for sure, among all that is
            wanted, and of what it may reach.
    """

    kind: str
    atoms: tuple[str, ...] = ()
    parts: tuple[Value, ...] = ()
    is_copy: bool = False
    shape: tuple[int, ...] | None = None
    of: str = ""
    ties: tuple[tuple[frozenset[int], frozenset[int]], ...] = ()

    def is_shared(self) -> bool:
        """Whether somebody else may have an array or a list of it."""
        return self.is_copy or any(part.is_shared() for part in self.parts)

    @property
    def list(self) -> str:
        """The variable of the text that has a list of which this is a leaf."""
        return self.atoms[0] if self.kind in ("listed", "numbers") else self.of

    def leaves(self) -> Iterator[Value]:
        if self.kind in ("tuple", "list"):
            for part in self.parts:
                yield from part.leaves()
        else:
            yield self


def layout_of_value(value: Any, is_shared: Callable[[Names], bool]) -> Value:
    """How a value is put together; `is_shared` tells whether somebody else may have the array of some variables.

    Raises:
        Unsupported: it is of another kind, or two parts of it may be one array.
    """
    seen: list[Any] = []
    found = _layout(value, seen, is_shared)
    for i, one in enumerate(seen):
        if any(one & other for other in seen[:i]):
            raise Unsupported("a value that has one array twice")
    if not any(True for _ in found.leaves()):
        raise Unsupported("a value without numbers")
    return found


def _layout(value: Any, seen: list[Any], is_shared: Callable[[Names], bool]) -> Value:
    if isinstance(value, str):
        return Value("number", (value,))
    if isinstance(value, ListOf):
        if value.measured or (value.kind is not list and not value.is_float):
            raise Unsupported("a value that is an array of integers")
        if value.is_queue:
            raise Unsupported("a value that is a queue")
        if value.rows is not None:
            raise Unsupported("a value that is a list of rows")
        seen.append(frozenset([value.var]))
        return Value("numbers" if value.kind is list else "listed", (value.var,))
    if isinstance(value, Small | Array | Display):
        if any(code is None and (name[0] == "g" or name.startswith("a slot")) for code, name in value.origins):
            raise Unsupported("a value that others have, too")
        seen.append(value.origins)
        is_copy = is_shared(value.origins)
    if isinstance(value, Small):
        return Value("small", value.parts, is_copy=is_copy, shape=(len(value.parts),))
    if isinstance(value, Array):
        if value.dtype != np.float64:
            raise Unsupported("a value that is an array of something other than floats")
        return Value("array", (value.atom,), is_copy=is_copy, shape=value.shape, of=value.of)
    if isinstance(value, Named):
        raise Unsupported("a value that is a named tuple")
    if isinstance(value, tuple):
        parts = tuple([_layout(v, seen, is_shared) for v in value])
        return (
            Value("list", parts=parts, is_copy=is_copy) if isinstance(value, Display) else Value("tuple", parts=parts)
        )
    raise Unsupported("a value that is no number, array, tuple or list")


def with_whole(value: Value, types: Types, active: set[str]) -> Value:
    """A value that pulls back, with those of its numbers marked that are whole and not `active`.

    Raises:
        Unsupported: it has no others.
    """
    if value.parts:
        found = replace(value, parts=tuple([with_whole(part, types, active) for part in value.parts]))
        if all(leaf.kind == "whole" for leaf in found.leaves()):
            raise Unsupported("a value that is no real number")
        return found
    if value.kind != "number" or value.atoms[0] in active:
        return value
    kinds = types[value.atoms[0]]
    return replace(value, kind="whole") if kinds and not kinds - WHOLE else value


def text_of_value(value: Value, types: Types, memory: Memory, wrapped: Any, copied: bool = False) -> str:
    """The text of a value.

    `wrapped` gives the text of a number, with the type that the program would give it; arrays are `copied` where the
    text goes on to use them.
    """
    if value.kind in ("tuple", "list"):
        texts = ", ".join(text_of_value(v, types, memory, wrapped, copied) for v in value.parts)
        return f"[{texts}]" if value.kind == "list" else f"({texts}{',' * bool(value.parts)})"
    if value.kind == "number":
        (atom,) = value.atoms
        if not types[atom] or types[atom] - REAL:
            raise Unsupported("a value that is no real number")
        return str(wrapped(atom))
    if value.kind == "whole":
        return value.atoms[0]
    if value.kind == "array":
        (atom,) = value.atoms
        return f'{atom}.copy("K")' if copied else f"{atom}.copy()" if value.is_copy else atom
    if value.kind == "small":
        if any(types[atom] - REAL for atom in value.atoms):
            raise Unsupported("a value that is no array of floats")
        return f"array([{', '.join(value.atoms)}])"
    (var,) = value.atoms
    if value.kind == "listed":
        return f"array({var})"
    if types[var] == {"float"}:
        return f"{var}[:]" if copied else var
    if types[var] == {"np.float64"}:
        return f"[float64(v) for v in {var}]"
    raise Unsupported("a list of numbers of several types")


def typed(name: str, given: Input, program: Program) -> str:
    """The text of the gradient with respect to a number, of the type that the number has."""
    return f"float64({name})" if given.kind is np.float64 else f"float({name})" if program.makes_float else name
