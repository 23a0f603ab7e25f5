"""Texts that are not the same each time: loops over their letters, their methods, and comparisons.

What is done with such a text depends on no derivative, so the text of the adjoint does with it what the program does. A
loop goes through a list of the letters; ``text.split()`` is a list of texts.
"""

from __future__ import annotations

import ast
from typing import Any

from morula.static.python.boxed_texts import BoxedTexts
from morula.static.python.boxed_values import BOOLEAN, depending
from morula.static.python.boxes import TEXT
from morula.static.python.comprehensions import Given
from morula.static.python.ir import Compute, Unsupported, is_integer
from morula.static.python.memory import Memory
from morula.static.python.scopes import Box, Coded, Lines, Static, Text
from morula.static.python.slopes import has_own_rule
from morula.static.python.texts import LONGEST, is_any_text, is_text
from morula.static.python.things import Thing
from morula.static.python.types import INT

__all__ = ["BoxedLetters"]

OF_TEXT = frozenset([
    "capitalize", "casefold", "center", "expandtabs", "ljust", "lower", "lstrip", "removeprefix", "removesuffix",
    "replace", "rjust", "rstrip", "strip", "swapcase", "title", "upper", "zfill",
])  # fmt: skip
OF_BOOL = frozenset([
    "endswith", "isalnum", "isalpha", "isascii", "isdecimal", "isdigit", "isidentifier", "islower", "isnumeric",
    "isspace", "istitle", "isupper", "startswith",
])  # fmt: skip
OF_INT = frozenset(["count", "find", "index", "rfind", "rindex"])
OF_WORDS = frozenset(["rsplit", "split", "splitlines"])
METHODS = OF_TEXT | OF_BOOL | OF_INT | OF_WORDS
ORDERS: dict[Any, str] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.In: "in",
    ast.NotIn: "not in",
}  # fmt: skip
OF_ONE = (len, ord, str)  # functions of one text
OF_LETTERS = (set, sorted, list, tuple, enumerate, reversed, zip)  # whose arguments are gone through


class BoxedLetters(BoxedTexts):
    """The part of a `boxed.Boxer` that reads them.

    Attributes:
        texts_made: texts with values in them.
        is_number_read: whether a number is read from a text.
    """

    texts_made: set[str]
    is_number_read: bool
    all_lists: bool

    def _begin(self, *args: Any) -> None:
        super()._begin(*args)
        self.texts_made, self.is_number_read = set(), False

    # -- letters --------------------------------------------------------------------------------------------

    def text_of(self, node: ast.expr) -> Any:
        """What an expression comes to that may be a text, as its form shows; None where nothing has been read."""
        if isinstance(node, ast.Name | Given):
            found = self._text_at(node)
            if self._is_one_of_texts(node):
                return self.keyed(self.value(node))
            return found if is_any_text(found) else None
        is_method = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        is_method = is_method and node.func.attr in (*METHODS, "join") and self._may_be_text(node.func.value)  # type: ignore[attr-defined]
        is_known = isinstance(node, ast.Subscript | ast.JoinedStr | ast.BinOp | ast.Constant) and self._may_be_text(
            node
        )
        return self.value(node) if is_method or is_known else None

    def _may_be_text(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Constant):
            return type(node.value) is str
        if isinstance(node, ast.Subscript):
            return self._may_be_text(node.value)
        if isinstance(node, ast.BinOp):
            return isinstance(node.op, ast.Add | ast.Mult) and self._may_be_text(node.left)
        if isinstance(node, ast.Call):
            is_method = isinstance(node.func, ast.Attribute) and node.func.attr in (*OF_TEXT, "join")
            return is_method and self._may_be_text(node.func.value)  # type: ignore[attr-defined]
        return isinstance(node, ast.JoinedStr) or is_any_text(self._text_at(node)) or self._is_one_of_texts(node)

    def _is_one_of_texts(self, node: ast.expr) -> bool:
        """Whether a variable holds one of several constants, all of which are texts."""
        scope = self.scopes[-1]
        is_coded = isinstance(node, ast.Name) and (scope.function.__code__, node.id) in self.coded
        is_now = isinstance(self._text_at(node), Coded) or (is_coded and node.id in scope.numbers)  # type: ignore[attr-defined]
        return is_now and self._are_texts()

    def _are_texts(self) -> bool:
        return all(isinstance(v, str) for v in self.table)

    def with_letters(self, node: ast.expr) -> ast.expr:
        """What is gone through, with lists of their letters in the place of texts."""
        if isinstance(node, ast.Call) and node.args and any(self._is_call(node, f) for f in OF_LETTERS):
            args = [self.with_letters(a) for a in node.args]
            if all(a is b for a, b in zip(args, node.args, strict=True)):
                return node
            return ast.copy_location(ast.Call(node.func, args, node.keywords), node)
        value = self.text_of(node)
        if value is None:
            return node
        if isinstance(value, Text) or (is_text(value) and (self.all_lists or len(value.value) > LONGEST)):
            value = self.texts_from("list({a0})", self._atom(value))
        return ast.copy_location(Given(value), node)

    def peeked(self, node: ast.expr) -> tuple[Any, ast.expr]:
        lines = self._text_at(node) if isinstance(node, ast.Name) else None
        value, given = (lines, node) if isinstance(lines, Lines) else super().peeked(node)
        if not isinstance(value, Lines):
            return value, given
        found = self.texts_from("{a0}", value.atom)  # the very list
        return found, ast.copy_location(Given(found), node)

    def texts_from(self, text: str, *atoms: str) -> Box:
        """A list of texts that an expression makes."""
        box = self.new_box(list, (self.scopes[-1].function.__code__, "texts"), text, *atoms)
        self.expect(box, "item", Text(box.atom))
        return box

    def _over_sequences(self, s: ast.For) -> str:
        given = self.with_letters(s.iter)
        if given is not s.iter:
            s = ast.copy_location(ast.For(s.target, given, s.body, s.orelse), s)
        return super()._over_sequences(s)

    def _call_as_written(self, f: Any, node: ast.Call) -> Any:
        if any(f is each for each in OF_LETTERS) and node.args and not has_own_rule(f):
            node = self.with_letters(node)  # type: ignore[assignment]
        return super()._call_as_written(f, node)

    # -- methods --------------------------------------------------------------------------------------------

    def _call_of_method(self, owner: Any, name: str, node: ast.Call) -> Any:
        if name == "join" and is_any_text(owner) and len(node.args) == 1 and not node.keywords:
            if isinstance(node.args[0], ast.GeneratorExp | ast.ListComp) and self.all_lists:
                given = node.args[0]
                listed = ast.copy_location(ast.ListComp(given.elt, given.generators), given)
                return self.text_joined(owner, self.box_of(listed, self._here(given)))
            found, read = self.peeked(node.args[0])
            if isinstance(found, Box):
                return self.text_joined(owner, found)
            node = ast.copy_location(ast.Call(node.func, [read], []), node)
        return super()._call_of_method(owner, name, node)

    def text_joined(self, between: Any, box: Box | None) -> Text:
        """``between.join(box)``."""
        assert box is not None
        layouts = self.contents(box).layouts
        if self.is_read(box, "item") and layouts["item"] != TEXT:
            raise Unsupported("a text of something other than texts", self.line)
        return Text(self.box_step("{a0}.join({a1})", self._atom(between), box.atom))

    def method_of_text(self, text: Any, name: str, args: list, named: dict[str, Any]) -> Any:
        if name not in METHODS or named or not self._is_for_letters(text, name, args):
            return super().method_of_text(text, name, args, named)
        atoms = [self._atom(text)]
        call = f"{{a0}}.{name}({', '.join([self._spelled(v, atoms) for v in args])})"
        if name in OF_WORDS:
            return self.texts_from(call, *atoms)
        if name in OF_TEXT:
            return Text(self.box_step(call, *atoms, in_place=False))
        return self.box_step(call, *atoms, types=INT if name in OF_INT else BOOLEAN, in_place=False)

    def _is_for_letters(self, text: Any, name: str, args: list) -> bool:
        if any(isinstance(v, Text) or (isinstance(v, str) and v[0].isalpha()) for v in (text, *args)):
            return True
        return name in OF_WORDS and not args and is_text(text) and len(getattr(text.value, name)()) > LONGEST

    def _spelled(self, value: Any, atoms: list[str]) -> str:
        if type(value) is tuple:
            return f"({''.join([f'{self._spelled(v, atoms)}, ' for v in value])})"
        if (
            not isinstance(value, str)
            and not is_any_text(value)
            and not (isinstance(value, Static) and value.value is None)
        ):
            raise Unsupported("such an argument of a method of a text", self.line)
        atoms.append(self._atom(value))
        return f"{{a{len(atoms) - 1}}}"

    def _callee(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Attribute) and node.attr in METHODS and self._is_one_of_texts(node.value):
            return self.keyed(self.value(node.value)), node.attr
        return super()._callee(node)

    def call_of_texts(self, f: Any, args: list, named: dict[str, Any]) -> Any:
        if any(f is each for each in OF_ONE) and len(args) == 1 and isinstance(args[0], Coded) and self._are_texts():
            args = [self.keyed(args[0])]
        if len(args) == 1 and not named and not has_own_rule(f):
            only = args[0]
            if f is ord and is_any_text(only):
                return self.box_step("ord({a0})", self._atom(only), types=INT, in_place=False)
            if f in (chr, bin, hex, oct) and isinstance(only, str):
                return Text(self.box_step(f"{f.__name__}({{a0}})", only, in_place=False))
        return super().call_of_texts(f, args, named)

    def number_of_text(self, f: Any, text: Text | Static) -> str:
        if isinstance(text, Static):
            return super().number_of_text(f, text)
        self.is_number_read = True
        return self.box_step(f"{f.__name__}({{a0}})", text.atom, types=frozenset([f.__name__]), in_place=False)

    def _text_from(self, expression: str, atoms: list[str]) -> Text:
        is_inside = self.sub is not None or self.defining
        found = Text(self.box_step(expression, *atoms)) if is_inside else super()._text_from(expression, atoms)
        self.texts_made.add(found.atom)
        return found

    def check_views(self) -> None:
        super().check_views()
        if self.is_number_read and self.texts_made:
            active = depending(self.program, Memory(self.program))
            steps = [s for s in self.program.statements() if isinstance(s, Compute) and s.target in self.texts_made]
            if any(not active.isdisjoint(s.args) for s in steps):
                raise Unsupported("a number that is read from a text, beside a text of one with a derivative")

    # -- operators ------------------------------------------------------------------------------------------

    def part_of_text(self, text: Static, node: ast.expr) -> Any:
        if isinstance(node, ast.Slice) and not self._is_known_slice(node):
            return self._slice_of_text(text, node)
        return super().part_of_text(text, node)

    def _is_known_slice(self, node: ast.Slice) -> bool:
        return all(e is None or self.integer(e) is not None for e in (node.lower, node.upper, node.step))

    def _slice_of_text(self, text: Any, node: ast.Slice) -> Text:
        ends, atoms = self.slice_of(node)
        return Text(self.box_step(f"{{a0}}[{':'.join(ends)}]", self._atom(text), *atoms, in_place=False))

    def _value_Subscript(self, node: ast.Subscript) -> Any:
        words = self._at_hand(node.value) if isinstance(node.value, ast.Name) else None
        if isinstance(words, Thing) and words.kind is list and words.home is not None and words.slots:
            if all(map(is_text, words.slots.values())) and not isinstance(node.slice, ast.Slice):
                return self._word_at(words, node)
        if isinstance(node.slice, ast.Slice) and self._may_be_text(node.value):
            owner = self.value(node.value)
            if isinstance(owner, Text | Coded):
                return self._slice_of_text(self.keyed(owner), node.slice)
            node = ast.copy_location(ast.Subscript(Given(owner), node.slice, node.ctx), node)
        return super()._value_Subscript(node)

    def _word_at(self, words: Thing, node: ast.Subscript) -> Any:
        """One of several known texts."""
        if self.integer(node.slice) is not None:
            return super()._value_Subscript(node)
        known = self.given(self.program.space, [words.slots[i].value for i in range(len(words.slots))])
        return Text(self.box_step(f"{known}[{{a0}}]", self.held(self.number(node.slice)), in_place=False))

    def known_comparison(self, node: ast.Compare) -> str:
        op, sides = type(node.ops[0]), (node.left, node.comparators[0])
        if op in ORDERS and all(map(self._may_be_text, sides)):
            values = [self.held(self.value(n)) for n in sides]
            is_new = any(isinstance(v, Text) for v in values) or all(isinstance(v, Coded) for v in values)
            if self._are_texts() and is_new:
                values = [self.keyed(v) if isinstance(v, Coded) else v for v in values]
            if all(map(is_any_text, values)) and any(isinstance(v, Text) for v in values):
                text = f"{{a0}} {ORDERS[op]} {{a1}}"
                return self.box_step(text, *map(self._atom, values), types=BOOLEAN, in_place=False)
            left, right = (ast.copy_location(Given(v), node) for v in values)
            node = ast.copy_location(ast.Compare(left, node.ops, [right]), node)
        return super().known_comparison(node)

    def texts_operator(self, op: ast.operator, left: Any, right: Any) -> Any:
        if isinstance(op, ast.Add):
            left, right = (self.keyed(v) if isinstance(v, Coded) and is_any_text(other) else v
                           for v, other in ((left, right), (right, left)))  # fmt: skip
        is_known = is_text(left) and is_integer(right)
        if isinstance(op, ast.Mult) and is_any_text(left) and isinstance(right, str) and not is_known:
            return Text(self.box_step("{a0} * {a1}", self._atom(left), right, in_place=False))
        return super().texts_operator(op, left, right)
