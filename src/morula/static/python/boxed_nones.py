"""Variables and results that hold such a container, or an object, at times, and None at other times.

The text has None there, too, as the program does: whatever is asked of None then raises, and the eager tier runs the
program.
"""

from __future__ import annotations

import ast
from typing import Any

from morula.static.python.boxed_loops import has_box
from morula.static.python.boxed_outside import BoxedOutside
from morula.static.python.boxed_values import Unread
from morula.static.python.calls import Boxed
from morula.static.python.comprehensions import Given
from morula.static.python.ir import Again, Fail
from morula.static.python.optionals import is_none, is_plain, value_layout
from morula.static.python.scopes import Box, Maybe, Scope, Static

__all__ = ["BoxedNones"]


class BoxedNones(BoxedOutside):
    """The part of a `boxed.Boxer` that knows them.

    Attributes:
        box_places: by the code and the name of a variable that holds such things, or of "return", a place of these.
        vague: variables that hold None, and nobody knows yet what else; `vague_atoms`, what they hold.
    """

    box_places: dict[Any, Any]
    vague: set[Any]
    vague_atoms: set[str]
    vague_places: set[Any]

    def none_at(self, place: Any) -> Box:
        """None where a container of a place may stand."""
        self.expect_nothing(place)
        return Box(self.box_step("None", in_place=False), self.place_of(place))

    def as_box(self, key: Any, value: Any) -> Any:
        """A value that is assigned to a variable: None is one of the things that it holds, if it holds such things."""
        return self.none_at(self.box_places[key]) if is_none(value) and key in self.box_places else value

    def holds_boxes(self, key: Any, place: Any, anew: bool) -> None:
        """Take note that a variable holds such things; the program is built `anew` if it was thought to hold others."""
        is_known = key in self.box_places
        self.box_places.setdefault(key, place)
        if key[1] == "return" and not is_known:
            self.layouts.clear()  # which were guessed
            anew = anew or bool(self.defining)
        if self.optional.pop(key, None) is not None or (anew and not is_known):
            self.never_optional.add(key)
            for found in self.kept.values():  # what was put in is another thing now
                found.layouts.clear()
                found.leaves.clear()
            raise Again

    def assign(self, target: ast.expr, value: Any) -> None:
        if isinstance(target, ast.Name):
            scope = self.scopes[-1]
            key = (scope.function.__code__, target.id)
            self._begin_anew(scope, target.id, isinstance(value, Box))
            if isinstance(value, Box) and target.id not in scope.nonlocals:
                before = scope.things.get(target.id)
                self.holds_boxes(key, value.place, isinstance(before, Static))
            else:
                value = self.as_box(key, value)
        super().assign(target, value)

    def _begin_anew(self, scope: Scope, name: str, is_box: bool) -> None:
        """Let a variable be another one from here on, if it becomes something else for good."""
        is_other = name in scope.numbers if is_box else isinstance(scope.bound.get(name), Box)
        is_other = is_other and name not in scope.function.__code__.co_cellvars
        if not is_other or len(scope.sure) > 1 or scope.loops or name in scope.unbound:
            return
        if (scope.function.__code__, name) in self.box_places and not is_box:
            return
        scope.numbers.discard(name)
        scope.bound.pop(name, None)
        scope.names[name] = self.fresh(f"v{scope.number}_{name}_")

    def expect_none(self, key: Any, value: Any = "") -> None:
        if value == "" and key not in self.optional and key not in self.never_optional:
            self.vague.add(key)
        super().expect_none(key, value)

    def now(self, found: Maybe) -> Maybe:
        value = super().now(found)
        if any(found is self.maybes.get(place) for place in self.vague_places):
            self.vague_atoms.update(value.atoms)
        return value

    def present(self, found: Any) -> Any:
        if not self.is_vague(found):
            return super().present(found)
        self.emit(Fail())  # nobody has assigned anything to it so far
        return Unread("0.0")

    def set_optional(self, place: Any, key: Any, value: Any) -> None:
        given = value.value if isinstance(value, Maybe) else value
        if key in self.vague and is_none(value):
            self.vague_places.add(place)
        elif key in self.vague:
            self.vague.discard(key)
            if self.vague_atoms and not isinstance(given, Box):  # which were thought to be None
                if is_plain(given):
                    self.optional[key] = value_layout(given)
                raise Again
        if isinstance(given, Box):
            self.holds_boxes(key, given.place, True)
        if type(given) is tuple and not is_none(value):
            self._unite_layouts(self.optional[key], value_layout(given))
        super().set_optional(place, key, value)

    def _unite_layouts(self, one: Any, other: Any) -> None:
        """Take note that the containers in two values may be the same ones."""
        if isinstance(one, Boxed) and isinstance(other, Boxed):
            self.join(one.place, other.place)
        elif isinstance(one, tuple) and isinstance(other, tuple):
            for a, b in zip(one, other, strict=False):
                self._unite_layouts(a, b)

    def _begin(self, *args: Any) -> None:
        super()._begin(*args)
        self.vague_atoms, self.vague_places = set(), set()
        self.optional = {key: self._as_now(layout) for key, layout in self.optional.items()}

    def _as_now(self, layout: Any) -> Any:
        """A layout with the places that stand for others now."""
        if isinstance(layout, Boxed):
            return Boxed(self.place_of(layout.place))
        return tuple(map(self._as_now, layout)) if isinstance(layout, tuple) else layout

    def _rebindable(self, scope: Scope, name: str, value: Any) -> None:
        key = (scope.function.__code__, name)
        if isinstance(value, Box):
            self.holds_boxes(key, value.place, False)
        super()._rebindable(scope, name, self.as_box(key, value))

    def _invoked(self, scope: Scope, node: Any, given: dict[str, Any], again: Any) -> Any:
        for name, value in given.items():
            key = (scope.function.__code__, name)
            if isinstance(value, Box):
                self.holds_boxes(key, value.place, False)
                if self.place_of(self.box_places[key]) != self.place_of(value.place):
                    self.join(self.box_places[key], value.place)
            given[name] = self.as_box(key, Static(None) if self.is_vague(value) else value)
        return super()._invoked(scope, node, given, again)

    def guess(self, scope: Scope, node: Any) -> Any:
        place = self.box_places.get((scope.function.__code__, "return"))
        return super().guess(scope, node) if place is None else Boxed(self.place_of(place))

    def returned(self, scope: Scope, value: Any) -> bool:
        key = (scope.function.__code__, "return")
        if scope.number and isinstance(value, Box):
            self.holds_boxes(key, value.place, is_none(scope.result))
            if isinstance(scope.result, Box) and scope.result.place != value.place:
                self.join(scope.result.place, value.place)
        return super().returned(scope, value)

    def _return(self, s: ast.Return) -> str:
        key = (self.scopes[-1].function.__code__, "return")
        if self.scopes[-1].number and key in self.box_places and (s.value is None or _is_none(s.value)):
            nothing = Given(self.none_at(self.box_places[key]))
            s = ast.copy_location(ast.Return(ast.copy_location(nothing, s)), s)
        return super()._return(s)

    def body(self, scope: Scope, node: Any) -> None:
        if (scope.function.__code__, "return") in self.box_places and isinstance(node, ast.FunctionDef):
            last = ast.copy_location(ast.Return(ast.copy_location(ast.Constant(None), node.body[-1])), node.body[-1])
            node = ast.copy_location(ast.FunctionDef(node.name, node.args, [*node.body, last], []), node)
        super().body(scope, node)

    def with_none(self, sides: list[Any], blocks: Any) -> list[Any]:
        """The sides of a branch, with None for what it is where such things stand on the other one."""
        if all(type(v) is tuple and has_box(v) for v in sides):
            self._unite_layouts(*map(value_layout, sides))
        places = [v.place for v in sides if isinstance(v, Box)]
        if len(places) != 1 or not any(map(is_none, sides)):
            return sides
        out, found = self.out, []
        for side, self.out in zip(sides, blocks, strict=True):
            found.append(self.none_at(places[0]) if is_none(side) else side)
        self.out = out
        return found


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
