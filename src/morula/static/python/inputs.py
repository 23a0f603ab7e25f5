"""What a program is given: numbers, arrays and lists, and the objects, dicts, lists and tuples in which they are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from morula.static.python.plain_classes import dataclass

__all__ = ["Input", "Structure", "leaves_of"]


@dataclass()
class Input:
    """What the program reads from outside: an argument, a captured or global variable.

    Attributes:
        name: the variable that has it.
        read: the text that reads it, in terms of the names of `Program.space`; the name itself for an argument.
        kind: the exact type that it must have.
        types: those of its numbers (see `types`).
        ndim: the axes of an array, of which a list is made, or a list of lists.
        dtype: of an array; the type of the rows of a list.
        array: the variable that has the array itself; empty where only the list is read.
        is_listed: whether the list is read.
        is_copied: whether the text has a list of its own, since the program writes into it.
        in_argument: whether it is an argument, or a part of one.
    """

    name: str
    read: str
    kind: type
    types: frozenset[str]
    ndim: int = 0
    dtype: Any = None
    array: str = ""
    is_listed: bool = True
    is_copied: bool = False
    in_argument: bool = False

    @property
    def is_list(self) -> bool:
        return self.ndim > 0

    @property
    def is_array(self) -> bool:
        return self.ndim > 0 and self.kind not in (list, tuple)


@dataclass()
class Structure:
    """An object, a dict, a list or a tuple that the program is given.

    Attributes:
        kind: "tuple", "list", "dict" or "object".
        where: the text that stands for it.
        parts: by attribute, key or index, as far as the program reads them.
    """

    kind: str
    where: str
    parts: dict[Any, Input | Structure | None]

    def leaves(self) -> Iterator[Input]:
        """The numbers and arrays in it."""
        for part in self.parts.values():
            if isinstance(part, Structure):
                yield from part.leaves()
            elif part is not None:
                yield part

    def reached(self) -> Iterator[str]:
        """The texts of all objects, dicts and lists in it."""
        yield self.where
        for part in self.parts.values():
            if isinstance(part, Structure):
                yield from part.reached()


def leaves_of(part: Any, path: tuple) -> Iterator[tuple[tuple, Input]]:
    """The numbers and arrays in something at a place, with their own places."""
    if isinstance(part, Structure):
        for key, inner in part.parts.items():
            yield from leaves_of(inner, (*path, (part.kind != "object", key)))
    elif part is not None:
        yield path, part
