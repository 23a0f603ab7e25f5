"""Texts that are keys and items of containers: variables that hold one or another, and letters at computed places."""

from __future__ import annotations

import ast
from typing import Any

from morula.static.python.boxed_caches import BoxedCaches
from morula.static.python.boxed_values import BOOLEAN
from morula.static.python.comprehensions import Given
from morula.static.python.ir import Again, Branch, Fail, Unsupported
from morula.static.python.scopes import Coded, Scope, Static, Text
from morula.static.python.texts import is_text

__all__ = ["BoxedTexts"]


class BoxedTexts(BoxedCaches):
    """The part of a `boxed.Boxer` that reads them.

    Attributes:
        texts_seen: variables that a text was assigned to which is not known, by code and name; `text_variables`, those
            that hold one text or another.
    """

    texts_seen: set[Any]
    text_variables: set[Any]

    def keyed(self, value: Any) -> Any:
        if type(value) is tuple:
            return tuple(map(self.keyed, value))
        if not isinstance(value, Coded):
            return super().keyed(value)
        table = self.given(self.program.space, self.table)  # which is complete when the text runs
        found = self.box_step(f"{table}[{{a0}}]", value.atom, in_place=False)
        is_text = self.box_step("type({a0}) is str", found, types=BOOLEAN, in_place=False)
        self.emit(Branch(is_text, [], [Fail()]))
        return Text(found)

    def part_of_text(self, text: Static, node: ast.expr) -> Any:
        if isinstance(node, ast.Slice) or type(self.key(node)) is int:
            return super().part_of_text(text, node)
        at = self.held(self.number(node))
        given = self.given(self.program.space, text.value)
        return Text(self.box_step(f"{given}[{{a0}}]", at, in_place=False))

    def _value_Subscript(self, node: ast.Subscript) -> Any:
        is_letter = not isinstance(node.slice, ast.Slice) and isinstance(self._text_at(node.value), Text)
        if not is_letter:
            return super()._value_Subscript(node)
        owner = self.value(node.value)
        at = self.held(self.number(node.slice))
        return Text(self.box_step("{a0}[{a1}]", owner.atom, at, in_place=False))

    def _text_at(self, node: ast.expr) -> Any:
        return node.value if isinstance(node, Given) else self._at_hand(node)

    def assign(self, target: ast.expr, value: Any) -> None:
        scope = self.scopes[-1]
        if isinstance(target, ast.Name) and target.id not in scope.nonlocals:
            key = (scope.function.__code__, target.id)
            if isinstance(value, Text):
                self.texts_seen.add(key)
            if key in self.text_variables:
                self._assign_text(scope, target.id, value)
                return
        super().assign(target, value)

    def expect_codes(self, key: Any) -> None:
        if key in self.texts_seen - self.text_variables:
            self.text_variables.add(key)
            raise Again
        super().expect_codes(key)

    def _assign_text(self, scope: Scope, name: str, value: Any) -> None:
        """Assign to a variable that holds one text or another."""
        value = self.keyed(value)
        if is_text(value):
            value = Text(self.box_step(self.given(self.program.space, value.value)))
        before = scope.bound.get(name)
        if not isinstance(value, Text) or not isinstance(before, Text | None) or name in scope.numbers:
            raise Unsupported(f"{name!r}, which is something else elsewhere", self.line)
        self.names_it(scope, name, Text(scope.variable(name)), value.atom)

    def _value_Name(self, node: ast.Name) -> Any:
        scope = self.scopes[-1]
        found = scope.bound.get(node.id)
        if not isinstance(found, Text) or node.id in scope.things or node.id not in scope.tuples:
            return super()._value_Name(node)
        return Text(self.compute("bound" if node.id in scope.unbound else "copy", found.atom))
