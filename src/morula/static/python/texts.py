"""Texts that are known: their letters, and their methods, which give what they give each time."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial
from typing import Any

from morula.static.python.ir import Unsupported
from morula.static.python.scopes import Static
from morula.static.python.things import ABSENT, Rigid, Turns

__all__ = ["Texts", "is_text", "literally"]

LONGEST = 64  # letters or words that a loop goes through
METHODS = frozenset([
    "capitalize", "count", "endswith", "find", "index", "isalpha", "isdigit", "lower", "lstrip", "replace", "rsplit",
    "rstrip", "split", "splitlines", "startswith", "strip", "title", "upper",
])  # fmt: skip
CONVERSIONS: dict[int, Callable[[Any], Any]] = {-1: lambda x: x, 97: ascii, 114: repr, 115: str}


class Texts:
    """The part of a `front.Builder` that reads texts."""

    line: int
    literal: Callable[[Any], str]
    list_of: Callable[[tuple], Any]
    _key_of: Callable[[Any], Any]
    key: Callable[[ast.expr], Any]
    value: Callable[[ast.expr], Any]
    integer: Callable[[ast.expr], int | None]
    known_slice: Callable[[ast.Slice], slice]

    def letters(self, value: Static) -> Turns | None:
        """What a loop over a text goes through."""
        if not is_text(value) or len(value.value) > LONGEST:
            return None
        return Turns([partial(Static, c) for c in value.value])

    def part_of_text(self, text: Static, node: ast.expr) -> Static:
        """``text[i]``, or a slice of it."""
        if isinstance(node, ast.Slice):
            return Static(text.value[self.known_slice(node)])
        i = self.key(node)
        if type(i) is not int or not -len(text.value) <= i < len(text.value):
            raise Rigid("a letter of a text that is not the same each time", self.line)
        return Static(text.value[i])

    def _value_JoinedStr(self, node: ast.JoinedStr) -> Static:
        """A text with known values in it."""
        found: list[str] = []
        for part in node.values:
            if isinstance(part, ast.Constant):
                found.append(str(part.value))
                continue
            assert isinstance(part, ast.FormattedValue)
            number = self.integer(part.value)
            value = self._key_of(self.value(part.value)) if number is None else number
            spec = self._value_JoinedStr(part.format_spec).value if isinstance(part.format_spec, ast.JoinedStr) else ""
            if type(value) not in (str, int):
                raise Rigid("a text that is not the same each time", self.line)
            try:
                found.append(format(CONVERSIONS[part.conversion](value), spec))
            except ValueError:
                raise Unsupported("a text that does not fit its format", self.line) from None
        return Static("".join(found))

    def method_of_text(self, text: Static, name: str, args: list, named: dict[str, Any]) -> Any:
        """A method of a text, of arguments that are known."""
        given = [self._key_of(v) for v in args]
        if name not in METHODS or named or ABSENT in given:
            raise Unsupported(f"the method {name!r} of a text", self.line)
        try:
            found = getattr(text.value, name)(*given)
        except Exception as error:
            raise Unsupported(f"a method of a text that ends in {type(error).__name__}", self.line) from None
        if type(found) is list:
            if len(found) > LONGEST:
                raise Unsupported("a text of many words", self.line)
            return self.list_of(tuple(map(Static, found)))
        return Static(found) if type(found) is str else self.literal(found)


def is_text(value: Any) -> bool:
    return isinstance(value, Static) and type(value.value) is str


def literally(text: str) -> str:
    """A text as it stands in a format."""
    return text.replace("{", "{{").replace("}", "}}")
