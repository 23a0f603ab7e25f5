"""``np.add.at``: what is added to an array at places of which some may come twice."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from morula.static.python.ir import Again, Unsupported
from morula.static.python.scopes import Scope, Static

__all__ = ["ADDED_AT", "Scatters"]

ADDED_AT: dict[Any, Any] = {np.add: np.add.at, np.subtract: np.subtract.at}


class Scatters:
    """The part of a `front.Builder` that reads it."""

    line: int
    scopes: list[Scope]
    by_slices: set[Any]
    value: Callable[[ast.expr], Any]
    several: Callable[[Scope, str, Any], None]
    _alone: Callable[[Scope, str, Any], None]
    _is_put: Callable[[ast.Subscript, Any], bool]
    _put_into: Callable[..., Any]

    def added_at(self, f: Any, array: ast.expr, index: ast.expr, value: ast.expr) -> Static:
        """``np.add.at(array, index, value)``: at places of which some may come twice."""
        target = ast.copy_location(ast.Subscript(array, index, ast.Store()), array)
        owner = self.value(array)
        if not isinstance(array, ast.Name):
            raise Unsupported(f"{f.__qualname__} of something other than a variable", self.line)
        if not self._is_put(target, owner):
            key = (self.scopes[-1].function.__code__, array.id)
            if key in self.by_slices:
                raise Unsupported("writing at places of another kind", self.line)
            self.by_slices.add(key)
            raise Again
        self._alone(self.scopes[-1], array.id, owner)
        found = self._put_into(owner, index, self.value(value), "+" if f == np.add.at else "-", True)
        self.several(self.scopes[-1], array.id, found)
        return Static(None)
