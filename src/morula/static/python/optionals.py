"""Variables, attributes and results that hold numbers at times, and None at other times.

Where there is nothing the variables of the numbers hold `UNBOUND`, as those do that are not assigned yet. Whatever
computes with None then fails, so that the eager tier runs the program; it may be asked for, assigned and returned.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import replace
from types import CodeType
from typing import Any

import numpy as np

from morula.static.python.calls import NUMBER, Shaped, atoms_of, layout_of, leaves, value_of
from morula.static.python.comprehensions import Given
from morula.static.python.ir import Again, Block, Set, Unsupported, is_name
from morula.static.python.scopes import Array, Box, ListOf, Maybe, Names, Scope, Small, Static
from morula.static.python.selected import Selected
from morula.static.python.things import Rigid

__all__ = ["Optionals", "is_none", "is_plain", "value_layout"]


class Optionals(Selected):
    """The part of a `front.Builder` that knows what may be None.

    Attributes:
        optional: how the values are put together that such a variable, attribute or result holds, by the code and the
            name, or the class and the name; `never_optional`, those that hold other things as well.
        maybes: the variables that it is in this attempt, by the scope or the object and the name.
    """

    value: Callable[[ast.expr], Any]
    value_or_none: Callable[[ast.expr], Any]
    optional: dict[Any, Any]
    never_optional: set[Any]
    maybes: dict[Any, Maybe]
    in_one_form: Callable[[Any], Any]

    def expect_none(self, key: Any, value: Any = "") -> None:
        """Build the program anew with a variable that may hold nothing instead of such a value, if that can be."""
        value = value.value if isinstance(value, Maybe) else value
        value = self._plain(value)
        if key not in self.never_optional and key not in self.optional and is_plain(value):
            self.optional[key] = value_layout(value)
            raise Again

    def is_optional(self, key: Any, value: Any) -> bool:
        """Whether a variable may hold nothing; from now on it does if the value may be nothing."""
        if isinstance(value, Maybe):
            self.expect_none(key, value)
            if key not in self.optional:
                raise Unsupported("what may be None, where something else stands, too", self.line)
        return key in self.optional

    def never_none(self, key: Any) -> None:
        """Build the program anew, if it was thought that a variable may hold nothing."""
        if self.optional.pop(key, None) is not None:
            self.never_optional.add(key)
            raise Again

    def maybe_at(self, place: Any, key: Any) -> Maybe:
        """The variables of what may be nothing."""
        if place not in self.maybes:
            atoms = tuple([self.fresh("m") for _ in leaves(self.optional[key])])
            names = frozenset([key if type(key[0]) is CodeType else (None, f"a slot {key[0].__qualname__}.{key[1]}")])
            self.maybes[place] = Maybe(self._value_of(self.optional[key], atoms, names), atoms, names)
        return self.maybes[place]

    def _value_of(self, layout: Any, atoms: Sequence[str], names: Names) -> Any:
        """The value of a layout with these atoms; arrays in it have such names."""
        for atom, leaf in zip(atoms, leaves(layout), strict=True):
            if isinstance(leaf, Shaped):
                self.program.shapes[atom] = leaf.shape
        return _named(value_of(layout, iter(atoms)), names)

    def _plain(self, value: Any) -> Any:
        """A value with arrays in the form in which they are computed with."""
        if type(value) is tuple:
            return tuple(map(self._plain, value))
        return (
            self.in_one_form(value)
            if isinstance(value, ListOf) and value.measured and value.kind is not list
            else value
        )

    def set_optional(self, place: Any, key: Any, value: Any) -> None:
        """Assign to a variable that may hold nothing."""
        found = self.maybe_at(place, key)
        if is_none(value):
            for var in found.atoms:
                self.emit(Set(var, "UNBOUND"))
            return
        given = self._plain(value.value if isinstance(value, Maybe) else value)
        if not is_plain(given):
            self.never_none(key)
        if value_layout(given) != self.optional[key]:
            if self.optional[key] != NUMBER:
                self.never_none(key)
            self.optional[key] = value_layout(given)
            raise Again
        if names_given := _names_of(given):
            names = names_given | found.names
            if names & self.by_reference:
                self.never_none(key)
            self.share(names)
        atoms = value.atoms if isinstance(value, Maybe) else self.held(tuple(atoms_of(given)))
        for var, atom in zip(found.atoms, atoms, strict=True):
            self.emit(Set(var, atom))

    def now(self, found: Maybe) -> Maybe:
        """What such variables hold where the statement stands."""
        atoms = tuple([self.compute("copy", var) if is_name(var) else var for var in found.atoms])
        return Maybe(self._value_of(value_layout(found.value), atoms, found.names), atoms, found.names)

    def present(self, found: Any) -> Any:
        """The value of what may be nothing: where it is, the eager tier runs the program."""
        if not isinstance(found, Maybe):
            return found
        atoms = [self.compute("bound", found.atoms[0]), *found.atoms[1:]]
        return self._value_of(value_layout(found.value), atoms, found.names)

    def one_of(self, sides: list[Any], blocks: tuple[Block, Block]) -> Any:
        """Either of two values, by the side of a branch that is taken."""
        if (coded := self.one_of_codes(sides, blocks)) is not None:
            return coded
        out = self.out
        for i, self.out in enumerate(blocks):
            sides[i] = self._plain(sides[i])
        self.out = out
        given = [v.value if isinstance(v, Maybe) else v for v in sides if not is_none(v)]
        if not given or not all(map(is_plain, given)) or len(set(map(value_layout, given))) > 1:
            raise Rigid("a choice of something other than numbers and arrays of one shape", self.line)
        layout = value_layout(given[0])
        names = frozenset().union(*map(_names_of, given))
        if names & self.by_reference:
            raise Unsupported("a choice of arrays that are written into", self.line)
        self.share(names)
        found = tuple([self.fresh("b") for _ in leaves(layout)])
        for side, self.out in zip(sides, blocks, strict=True):
            atoms = ["UNBOUND"] * len(found) if is_none(side) else getattr(side, "atoms", None) or atoms_of(side)
            for var, atom in zip(found, atoms, strict=True):
                self.emit(Set(var, atom))
        self.out = out
        value = self._value_of(layout, found, names)
        is_sure = not any(is_none(side) or isinstance(side, Maybe) for side in sides)
        return value if is_sure else Maybe(value, found, names)

    def is_nothing(self, node: ast.Compare) -> str:
        """The atom of ``x is None`` or ``x is not None`` for what may be nothing; an empty text for other things."""
        op = node.ops[0]
        if not isinstance(op, ast.Is | ast.IsNot) or not is_none_text(node.comparators[0]):
            return ""
        if not isinstance(node.left, ast.Name | ast.Attribute | ast.Call | ast.NamedExpr | Given):
            return ""
        found = self.value_or_none(node.left)
        if isinstance(found, Maybe):
            unset = self.compute("unset", found.atoms[0])
            return unset if isinstance(op, ast.Is) else self.compute("not", unset)
        if is_none(found):
            return str(isinstance(op, ast.Is))
        return str(isinstance(op, ast.IsNot)) if is_plain(found) else ""

    def returned(self, scope: Scope, value: Any) -> bool:
        """Take a value for the result of a function that may return nothing; whether that is so."""
        key = (scope.function.__code__, "return")
        if scope.number and scope.result is not None and is_none(value) != is_none(scope.result):
            self.expect_none(key, scope.result if is_none(value) else value)
        if not scope.number or not self.is_optional(key, value):
            return False
        self.set_optional((scope.number, "return"), key, value)
        scope.result = self.maybe_at((scope.number, "return"), key)
        return True


def is_none(value: Any) -> bool:
    return isinstance(value, Static) and value.value is None


def is_none_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def is_plain(value: Any) -> bool:
    """Whether a value is a number, an array of floats that nobody has another view of, or a tuple of such.

    In a tuple containers that the text has may be, too (see `boxes`).
    """
    if type(value) is tuple:
        return bool(value) and all(is_plain(v) or isinstance(v, Box) for v in value)
    return isinstance(value, str | Small) or (isinstance(value, Array) and value.dtype == np.float64 and not value.of)


def value_layout(value: Any) -> Any:
    """How numbers and arrays are put together in a value."""
    if type(value) is tuple:
        return tuple(map(value_layout, value))
    return Shaped(value.shape, value.dtype) if isinstance(value, Array) else layout_of(value)


def _named(value: Any, names: Names) -> Any:
    """A value whose arrays have such names, too."""
    if type(value) is tuple:
        return tuple([_named(v, names) for v in value])
    return replace(value, origins=value.origins | names) if isinstance(value, Small | Array) else value


def _names_of(value: Any) -> Names:
    """The names of the arrays in a value."""
    parts = value if type(value) is tuple else ()
    return frozenset(getattr(value, "origins", ())).union(*map(_names_of, parts))
