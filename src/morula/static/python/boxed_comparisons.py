"""Comparisons and operators of containers that the text has as the program does, and of what may be in them."""

from __future__ import annotations

import ast
from typing import Any

from morula.static.python.boxed_operators import BoxedOperators
from morula.static.python.boxed_values import BOOLEAN
from morula.static.python.boxes import View, made_by
from morula.static.python.comprehensions import Given
from morula.static.python.ir import Unsupported
from morula.static.python.scopes import Box, Text
from morula.static.python.texts import is_any_text
from morula.static.python.things import is_record
from morula.transform.syntax import walk

__all__ = ["BoxedComparisons"]

EQUAL = {ast.Eq: "==", ast.NotEq: "!="}
OF_SETS = {ast.BitOr: "|", ast.BitAnd: "&", ast.Sub: "-", ast.BitXor: "^"}


class BoxedComparisons(BoxedOperators):
    """The part of a `boxed.Boxer` that reads them."""

    def known_comparison(self, node: ast.Compare) -> str:
        op, right = type(node.ops[0]), node.comparators[0]
        if op in (ast.In, ast.NotIn):
            left = self.held(self.value(node.left))
            value, right = self.peeked(right)
            if isinstance(value, Box | View):
                found = self.contains(value, left)
                return found if op is ast.In else self.compute("not", found)
            node = ast.copy_location(ast.Compare(ast.copy_location(Given(left), node), node.ops, [right]), node)
        elif op in EQUAL and (self._may_be_key(node.left) or self._may_be_key(right)):
            values = [self.held(self.value(n)) for n in (node.left, right)]
            if found := self._equal(EQUAL[op], values):
                return found
            left, right = (ast.copy_location(Given(v), node) for v in values)
            node = ast.copy_location(ast.Compare(left, node.ops, [right]), node)
        return super().known_comparison(node)

    def _may_be_key(self, node: ast.expr) -> bool:
        """Whether an expression may be a tuple, or a text that is not the same each time."""
        found = self._at_hand(node) if isinstance(node, ast.Name) else None
        return isinstance(node, ast.Tuple) or isinstance(found, Text | tuple) or self.may_be_box(node)

    def _equal(self, op: str, values: list[Any]) -> str:
        """Whether tuples of numbers, or texts, are equal; an empty text for anything else."""
        if not any(isinstance(v, Text) or type(v) is tuple for v in values) or not all(map(_is_key, values)):
            return ""
        atoms: list[str] = []

        def spelled(v: Any) -> str:
            if type(v) is tuple:
                return f"({''.join([f'{spelled(x)}, ' for x in v])})"
            if isinstance(v, str):
                self.fail_if_nan(v)
            atoms.append(self._atom(v))
            return f"{{a{len(atoms) - 1}}}"

        text = f"{spelled(values[0])} {op} {spelled(values[1])}"
        return self.box_step(text, *atoms, types=BOOLEAN, in_place=False)

    def _value_BinOp(self, node: ast.BinOp) -> Any:
        if type(node.op) in OF_SETS:
            left, given = self.peeked(node.left)
            node = ast.copy_location(ast.BinOp(given, node.op, node.right), node)
            if isinstance(left, Box) and not is_record(left):
                right = self.value(node.right)
                if not isinstance(right, Box) or {self.contents(b).kind for b in (left, right)} != {set}:
                    raise Unsupported("an operator of such containers", self.line)
                self.join(left.place, right.place)
                return Box(self.box_step(f"{{a0}} {OF_SETS[type(node.op)]} {{a1}}", left.atom, right.atom), left.place)
        if isinstance(node.op, ast.Add) and any(map(self.may_be_box, (node.left, node.right))):
            left, one = self.peeked(node.left)
            if left is None and made_by(one) != "list":  # which is to be read before the other one
                one = ast.copy_location(Given(self.held(self.value(one))), one)
            right, other = self.peeked(node.right)
            if made_by(one) == "list" and any(isinstance(n, ast.Call) for n in walk(node.right)):
                raise Unsupported("a list beside a call that may give another one", self.line)
            if any(isinstance(v, Box) and not is_record(v) and self.contents(v).kind is list for v in (left, right)):
                return self._joined_boxes(left, right, one, other)
            node = ast.copy_location(ast.BinOp(one, node.op, other), node)
        return super()._value_BinOp(node)

    def _joined_boxes(self, left: Any, right: Any, one: ast.expr, other: ast.expr) -> Box:
        """The sum of two lists, of which one may be a display."""
        place = (left if isinstance(left, Box) else right).place
        left, right = (
            v or (self.box_of(n, place) if made_by(n) == "list" else None) for v, n in ((left, one), (right, other))
        )
        if not all(isinstance(v, Box) and self.contents(v).kind is list for v in (left, right)):
            raise Unsupported("an operator of such containers", self.line)
        self.join(left.place, right.place)
        return Box(self.box_step("{a0} + {a1}", left.atom, right.atom), self.place_of(place))


def _is_key(value: Any) -> bool:
    """Whether a value is made of numbers and texts."""
    return all(map(_is_key, value)) if type(value) is tuple else isinstance(value, str) or is_any_text(value)
