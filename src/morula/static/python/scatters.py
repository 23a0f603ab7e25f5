"""``np.add.at``, which adds to an array at places of which some may come twice, and ``np.fill_diagonal``."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from morula.static.python.comprehensions import Given
from morula.static.python.ir import Again, Program, Unsupported
from morula.static.python.scopes import Array, Scope, Static
from morula.static.python.slopes import has_own_rule

__all__ = ["ADDED_AT", "Scatters"]

ADDED_AT: dict[Any, Any] = {np.add: np.add.at, np.subtract: np.subtract.at}


class Scatters:
    """The part of a `front.Builder` that reads them."""

    line: int
    program: Program
    store: Callable[[ast.Subscript, Any], None]
    given: Callable[[dict[str, Any], Any], str]
    made: Callable[..., Any]
    scopes: list[Scope]
    by_slices: set[Any]
    value: Callable[[ast.expr], Any]
    several: Callable[[Scope, str, Any], None]
    place_named: Callable[[ast.expr], ast.expr]
    _alone: Callable[[Scope, str, Any], None]
    _is_put: Callable[[ast.Subscript, Any], bool]
    _put_into: Callable[..., Any]

    def filled_diagonal(self, array: ast.expr, value: ast.expr) -> Static:
        """``np.fill_diagonal(array, value)``, of a square matrix."""
        target = ast.copy_location(ast.Subscript(array, ast.Tuple([]), ast.Store()), array)
        owner = self._owner_put_into(target)
        filling = self.value(value)
        shape = owner.shape if isinstance(owner, Array) else ()
        if len(shape) != 2 or shape[0] != shape[1] or has_own_rule(np.fill_diagonal):
            raise Unsupported("the diagonal of something other than a square matrix", self.line)
        if not isinstance(filling, str) and getattr(filling, "shape", ()) != shape[:1]:
            raise Unsupported("a diagonal that is filled with something other than a number or as many", self.line)
        n = shape[0]
        text = f"{self.given(self.program.space, np.arange)}({n})"
        places = Given(self.made(lambda: np.arange(n), text, [], lambda _: ()))
        target.slice = ast.Tuple([places, places])
        self.store(target, filling)
        return Static(None)

    def _owner_put_into(self, target: ast.Subscript) -> Any:
        """The array of a variable, as one that is written into as a whole."""
        owner = self.value(target.value)
        if not isinstance(target.value, ast.Name) or self.place_named(target.value) is not target.value:
            raise Unsupported("such a write into something other than a variable", self.line)
        if not self._is_put(target, owner):
            key = (self.scopes[-1].function.__code__, target.value.id)
            if key in self.by_slices:
                raise Unsupported("writing at places of another kind", self.line)
            self.by_slices.add(key)
            raise Again
        return owner

    def added_at(self, f: Any, array: ast.expr, index: ast.expr, value: ast.expr) -> Static:
        """``np.add.at(array, index, value)``: at places of which some may come twice."""
        target = ast.copy_location(ast.Subscript(array, index, ast.Store()), array)
        owner = self._owner_put_into(target)
        assert isinstance(array, ast.Name)
        self._alone(self.scopes[-1], array.id, owner)
        found = self._put_into(owner, index, self.value(value), "+" if f == np.add.at else "-", True)
        self.several(self.scopes[-1], array.id, found)
        return Static(None)
