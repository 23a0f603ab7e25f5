"""Texts: known ones, with their letters and methods, and those that are not the same each time.

The latter are made where the program makes them, and are the very texts that it has. They may be put together,
collected in a list, and printed.
"""

from __future__ import annotations

import ast
import json
import os
import re
import string
from collections.abc import Callable
from functools import partial
from typing import Any

from morula.static.python.forms import Form
from morula.static.python.ir import Again, Program, Unsupported, is_integer
from morula.static.python.scopes import Array, Coded, Display, Lines, ListOf, Small, Static, Text
from morula.static.python.slopes import has_own_rule
from morula.static.python.things import ABSENT, Rigid, Thing, Turns, is_known_list

__all__ = ["Texts", "is_any_text", "is_text", "literally"]

LONGEST = 64  # letters or words that a loop goes through
METHODS = frozenset([
    "capitalize", "casefold", "center", "count", "endswith", "expandtabs", "find", "index", "isalnum", "isalpha",
    "isascii", "isdecimal", "isdigit", "isidentifier", "islower", "isnumeric", "isspace", "istitle", "isupper", "ljust",
    "lower", "lstrip", "partition", "removeprefix", "removesuffix", "replace", "rfind", "rindex", "rjust", "rpartition",
    "rsplit", "rstrip", "split", "splitlines", "startswith", "strip", "swapcase", "title", "upper", "zfill",
])  # fmt: skip
CONVERSIONS: dict[int, Callable[[Any], Any]] = {-1: lambda x: x, 97: ascii, 114: repr, 115: str}
OF_TEXTS = (ord, json.loads, re.sub, re.split, re.findall, os.path.join, os.path.basename, os.path.dirname)
BY_REPR = re.compile(r"%[^%a-zA-Z]*[ra]")
NAMED = re.compile(r"%[^%]*\(")
PYTHONS = frozenset(["float", "int", "bool"])  # numbers of which `repr` gives what it gives of those of the program


class Texts:
    """The part of a `front.Builder` that reads texts.

    Attributes:
        of_texts: variables, attributes and comprehensions of lists of texts.
    """

    line: int
    out: list[Any]
    program: Program
    sub: Any
    defining: int
    table: list[Any]
    of_texts: set[Any]
    of_rows: dict[Any, Any]
    literal: Callable[[Any], str]
    number_in_text: Callable[[str], str]
    raised: Callable[[type[Exception]], str]
    trying: int
    compute: Callable[..., str]
    given: Callable[[dict[str, Any], Any], str]
    list_of: Callable[[tuple], Any]
    new_thing: Callable[[type, dict[Any, Any]], Thing]
    sequence: Callable[[Any], tuple | None]
    as_array: Callable[[Any], Array]
    _key_of: Callable[[Any], Any]
    _key_of_list: Callable[[ast.expr], Any]
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

    # -- made of values -------------------------------------------------------------------------------------

    def _value_JoinedStr(self, node: ast.JoinedStr) -> Static | Text:
        """A text with values in it."""
        atoms: list[str] = []
        found: list[str] = []
        for part in node.values:
            if isinstance(part, ast.Constant):
                found.append(literally(str(part.value)))
                continue
            assert isinstance(part, ast.FormattedValue)
            number = self.integer(part.value)
            value = self.value(part.value) if number is None else self.literal(number)
            spec = (
                self._value_JoinedStr(part.format_spec) if isinstance(part.format_spec, ast.JoinedStr) else Static("")
            )
            if isinstance(spec, Text) or "{" in spec.value:
                raise Rigid("a format that is computed", self.line)
            found.append(self.put_in_text(value, atoms, part.conversion, spec.value))
        return self.filled("".join(found), atoms)

    def put_in_text(self, value: Any, atoms: list[str], conversion: int = -1, spec: str = "") -> str:
        """What stands for a value in the format of a text; `atoms` gets what is not known."""
        known = self._known_in_text(value)
        if known is not ABSENT:
            try:
                return literally(format(CONVERSIONS[conversion](known), spec))
            except (TypeError, ValueError):
                raise Unsupported("a text that does not fit its format", self.line) from None
        atoms.append(self.atom_in_text(value, conversion in (97, 114)))
        return f"{{{'' if conversion == -1 else '!' + chr(conversion)}{':' if spec else ''}{spec}}}"

    def _known_in_text(self, value: Any) -> Any:
        if isinstance(value, Static) and (value.value is None or type(value.value) is str):
            return value.value
        is_list = is_known_list(value) or (isinstance(value, Display) and not value.origins)
        if is_known_list(value) and any(self._known_in_text(v) is ABSENT for v in value.slots.values()):
            return ABSENT
        if is_list or type(value) is tuple:
            parts = [self._known_in_text(part) for part in self.sequence(value) or ()]
            return ABSENT if ABSENT in parts else parts if is_list else tuple(parts)
        return int(value.strip("()")) if is_integer(value) else ABSENT

    def atom_in_text(self, value: Any, is_by_repr: bool = False) -> str:
        """The atom that has a number, an array or a text as the program has it, as far as its text shows."""
        if isinstance(value, Text | Lines):
            return value.atom
        if isinstance(value, Coded):
            return self.text_of_code(value).atom
        if isinstance(value, Array | Small) or (isinstance(value, ListOf) and value.kind is not list):
            return self.as_array(value).atom
        if not isinstance(value, str):
            raise Rigid("a text that is not the same each time", self.line)
        if is_by_repr:
            self.program.relied_on.append((value, PYTHONS))
        return value

    def text_of_code(self, value: Coded, part: str = "") -> Text:
        """One of several constants, or an attribute of it: a text, or what may be put into one."""
        table = self.given(self.program.space, self.table)
        return Text(self.compute("numpy", value.atom, f=_form(f"{table}[{{a0}}]{part}", 1)))

    def filled(self, template: str, atoms: list[str]) -> Static | Text:
        """A text by its format."""
        if not atoms:
            return Static(template.format())
        return self._text_by(self.given(self.program.space, template.format), atoms)

    def _text_by(self, where: str, atoms: list[str], names: tuple[str, ...] = ()) -> Text:
        """What a method gives for these arguments, the last of which have `names`."""
        given = [f"{{a{i}}}" for i in range(len(atoms))]
        for i, name in enumerate(names, len(atoms) - len(names)):
            given[i] = f"{name}={given[i]}"
        return self._text_from(f"{where}({', '.join(given)})", atoms)

    def _text_from(self, expression: str, atoms: list[str]) -> Text:
        """What an expression gives, in which ``{a0}``, ``{a1}``, ... stand for the atoms."""
        if self.sub is not None or self.defining:
            raise Unsupported("a text that is not the same each time", self.line)
        return Text(self.compute("numpy", *atoms, f=_form(expression, len(atoms))))

    def texts_operator(self, op: ast.operator, left: Any, right: Any) -> Any:
        """``"..." % values``, and sums of texts; `ABSENT` where it is something else."""
        if isinstance(op, ast.Mod) and is_text(left):
            return self._by_percent(left.value, right if type(right) is tuple else (right,))
        if isinstance(op, ast.Add) and is_any_text(left) and is_any_text(right):
            return self.together_in_text("", (left, right))
        if isinstance(op, ast.Mult) and is_text(left) and is_integer(right):
            return Static(left.value * int(right.strip("()")))
        return ABSENT

    def _by_percent(self, text: str, values: tuple) -> Static | Text:
        if NAMED.search(text):
            raise Unsupported("a format with names", self.line)
        known = [self._known_in_text(v) for v in values]
        if ABSENT not in known:
            try:
                return Static(text % tuple(known))
            except (TypeError, ValueError):
                raise Unsupported("a text that does not fit its format", self.line) from None
        by_repr = BY_REPR.search(text) is not None
        atoms = [self.atom_in_text(v, by_repr) for v, k in zip(values, known, strict=True) if k is ABSENT]
        places = iter(range(len(atoms)))
        given = [f"{{a{next(places)}}}" if k is ABSENT else literally(repr(k)) for k in known]
        where = self.given(self.program.space, text)
        return self._text_from(f"{where} % ({', '.join(given)},)", atoms)

    def together_in_text(self, between: str, parts: tuple) -> Static | Text:
        """Texts joined by another one."""
        if not all(map(is_any_text, parts)):
            raise Rigid("a text that is not the same each time", self.line)
        atoms: list[str] = []
        return self.filled(literally(between).join([self.put_in_text(v, atoms) for v in parts]), atoms)

    def text_by(self, args: list) -> Static | Text:
        """``str(x)``, or ``format(x, spec)``."""
        spec = args[1] if len(args) > 1 else Static("")
        if not is_text(spec) or "{" in spec.value:
            raise Rigid("a format that is computed", self.line)
        atoms: list[str] = []
        return self.filled(self.put_in_text(args[0], atoms, -1, spec.value), atoms)

    # -- methods --------------------------------------------------------------------------------------------

    def method_of_text(self, text: Any, name: str, args: list, named: dict[str, Any]) -> Any:
        """A method of a text."""
        if name == "format" and is_text(text):
            return self._by_format(text.value, args, named)
        if name == "join" and is_text(text) and len(args) == 1 and not named:
            if isinstance(args[0], Lines):
                return self._text_by(self.given(self.program.space, text.value.join), [args[0].atom])
            return self.together_in_text(text.value, self.sequence(args[0]) or (ABSENT,))
        if isinstance(text, Text) or any(isinstance(v, Text) for v in args):
            raise Rigid("a text that is not the same each time", self.line)
        given = [self._key_of(v) for v in args]
        if name not in METHODS or named or ABSENT in given:
            raise Unsupported(f"the method {name!r} of a text", self.line)
        try:
            found = getattr(text.value, name)(*given)
        except Exception as error:
            if self.trying and isinstance(error, ValueError):
                return self.raised(ValueError)
            raise Unsupported(f"a method of a text that ends in {type(error).__name__}", self.line) from None
        if type(found) is list:
            if len(found) > LONGEST:
                raise Unsupported("a text of many words", self.line)
            return self.list_of(tuple(map(Static, found)))
        if type(found) is tuple:
            return tuple(map(Static, found))
        return Static(found) if type(found) is str else self.literal(found)

    def call_of_texts(self, f: Any, args: list, named: dict[str, Any]) -> Any:
        """What a function that takes texts gives, or makes them; `ABSENT` where it is none."""
        if f is len and len(args) == 1 and isinstance(args[0], Text | Lines):
            return self.about_text(len, args[0])
        if f is len and len(args) == 1 and is_text(args[0]):
            return str(len(args[0].value))
        if not named and (f, len(args)) in ((str, 1), (format, 1), (format, 2)) and not has_own_rule(f):
            return self.text_by(args)
        if f in (float, int) and len(args) == 1 and not named and is_any_text(args[0]) and not has_own_rule(f):
            return self.number_of_text(f, args[0])
        if f is chr and not named and len(args) == 1 and is_integer(args[0]) and not has_own_rule(f):
            return Static(chr(int(args[0])))
        if f is chr and not named:
            raise Rigid("a text that is not the same each time", self.line)
        is_known = bool(args) and not named and all(map(is_text, args))
        if not is_known or not any(f is each for each in OF_TEXTS) or has_own_rule(f):
            return ABSENT
        self.program.spells |= f is json.loads
        try:
            return self._made_anew(f(*[v.value for v in args]))
        except (TypeError, ValueError, re.error):
            raise Unsupported(f"a call to {f.__name__} of such texts", self.line) from None

    def number_of_text(self, f: Any, text: Text | Static) -> str:
        """``float(text)`` or ``int(text)``."""
        if isinstance(text, Text):
            raise Rigid("a text that is not the same each time", self.line)
        try:
            found = f(text.value)
        except ValueError:
            return self.raised(ValueError)
        if f is int:
            return self.literal(found)
        self.program.spells = True
        return self.number_in_text(text.value)

    def _made_anew(self, value: Any) -> Any:
        """A new list or dict of constants, or a constant."""
        if type(value) is dict:
            return self.new_thing(dict, {k: self._made_anew(v) for k, v in value.items()})
        if type(value) is list:
            return self.list_of(tuple(map(self._made_anew, value)))
        return Static(value) if value is None or type(value) is str else self.literal(value)

    def _by_format(self, text: str, args: list, named: dict[str, Any]) -> Static | Text:
        """``text.format(...)``, of a format that takes its values as they are."""
        try:
            parts = [part for part in string.Formatter().parse(text) if part[1] is not None]
        except ValueError:
            raise Unsupported("a text that does not fit its format", self.line) from None
        by_repr = any(conversion in ("r", "a") for *_, conversion in parts)
        if any(not re.fullmatch(r"\w*", field or "") or "{" in (spec or "") for _, field, spec, _ in parts):
            raise Unsupported("a format that takes values apart", self.line)
        values = [*args, *named.values()]
        known = [self._known_in_text(v) for v in values]
        if ABSENT not in known:
            try:
                found = text.format(*known[: len(args)], **dict(zip(named, known[len(args) :], strict=True)))
            except (IndexError, KeyError, TypeError, ValueError):
                raise Unsupported("a text that does not fit its format", self.line) from None
            return Static(found)
        atoms = [
            self.given(self.program.space, k) if type(k) is str else self.literal(k) if type(k) is int else
            self.atom_in_text(v, by_repr) for v, k in zip(values, known, strict=True)
        ]  # fmt: skip
        return self._text_by(self.given(self.program.space, text.format), atoms, tuple(named))

    # -- lists of texts -------------------------------------------------------------------------------------

    def expect_texts(self, key: Any) -> None:
        """Build the program anew with a list of texts in this variable or attribute."""
        if key is None or key in self.of_rows or key in self.of_texts:
            raise Unsupported("a list of texts and other things", self.line)
        self.of_texts.add(key)
        raise Again

    def lines_of(self, key: Any, value: Any) -> Any:
        """What a variable or an attribute holds to which a value is assigned: of a list of texts the form of such."""
        if key not in self.of_texts or not (isinstance(value, Display) or is_known_list(value)):
            return value
        parts = self.sequence(value)
        if parts is None or not all(map(is_any_text, parts)) or self.sub is not None or self.defining:
            raise Unsupported("a list of texts and other things", self.line)
        found = Lines(self.compute("numpy", f=_form("[]", 0)))
        for part in parts:
            self.add_line(found, part)
        return found

    def add_line(self, lines: Lines, value: Any) -> Static:
        """``lines.append(value)``."""
        if not is_any_text(value):
            raise Unsupported("a list of texts and other things", self.line)
        atom = value.atom if isinstance(value, Text) else self.given(self.program.space, value.value)
        self.compute("numpy", lines.atom, atom, f=_form("{a0}.append({a1})", 2))
        return Static(None)

    def line_of(self, lines: Lines, node: ast.expr) -> Text | Lines:
        """``lines[i]``, or a slice of it."""
        if isinstance(node, ast.Slice):
            part = self.given(self.program.space, self.known_slice(node))
            return Lines(self.compute("numpy", lines.atom, part, f=_form("{a0}[{a1}]", 2)))
        i = self.value(node)
        if not isinstance(i, str):
            raise Unsupported("an item of a list of texts", self.line)
        return Text(self.compute("numpy", lines.atom, i, f=_form("{a0}[{a1}]", 2)))

    def check_lines(self, owner: Any, name: str, node: ast.expr, args: list) -> None:
        """Take note of a list that gets a text, where that may be on some paths alone."""
        if name == "append" and is_known_list(owner) and owner.home is not self.out and any(map(is_any_text, args)):
            self.expect_texts(self._key_of_list(node))

    def about_text(self, f: Any, value: Text | Lines) -> str:
        """The length of a text or a list of texts, or whether it is empty."""
        types = frozenset(["int" if f is len else "bool"])
        return self.compute("numpy", value.atom, f=_form(f"{f.__name__}({{a0}})", 1, types))


def _form(text: str, n: int, types: frozenset[str] = frozenset()) -> Form:
    return Form(text, types, (None,) * n, is_drawn=True)


def is_text(value: Any) -> bool:
    return isinstance(value, Static) and type(value.value) is str


def is_any_text(value: Any) -> bool:
    return isinstance(value, Text) or is_text(value)


def literally(text: str) -> str:
    """A text as it stands in a format."""
    return text.replace("{", "{{").replace("}", "}}")
