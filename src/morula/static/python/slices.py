"""Slices that are kept: in variables, tuples, lists and attributes, made by ``slice(...)`` or by ``np.s_[...]``.

An index that has such a slice in it is read as if it were written there.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from morula.static.python.arrays import indices
from morula.static.python.comprehensions import Given
from morula.static.python.ir import Unsupported
from morula.static.python.scopes import Scope, Span, Static
from morula.static.python.things import Thing

__all__ = ["Slices", "has_span"]


class Slices:
    """The part of a `front.Builder` that reads them."""

    line: int
    scopes: list[Scope]
    value: Callable[[ast.expr], Any]
    is_outside: Callable[[str], bool]
    number_of: Callable[[str], Any]

    def span(self, ends: Sequence[Any]) -> Span:
        """``slice(*ends)``, which has a start only where it has several ends."""
        start, stop, step = (Static(None), *ends, Static(None))[:3] if len(ends) == 1 else (*ends, Static(None))[:3]
        return Span(*map(self._end_of_span, (start, stop, step)))

    def _end_of_span(self, value: Any) -> str | None:
        if isinstance(value, Static) and value.value is None:
            return None
        if not isinstance(value, str):
            raise Unsupported("a slice whose ends are no integers", self.line)
        return value

    def spans_of(self, by: Any, node: ast.expr) -> Any:
        """``np.s_[node]``, or the same `by` ``np.index_exp``, which always gives a tuple."""
        items = tuple([self._span_or_part(each) for each in indices(node)])
        return items if by is np.index_exp or isinstance(node, ast.Tuple) or len(items) > 1 else items[0]

    def _span_or_part(self, node: ast.expr) -> Any:
        if not isinstance(node, ast.Slice):
            return self.value(node)
        ends = (node.lower, node.upper, node.step)
        return Span(*[None if e is None else self._end_of_span(self.value(e)) for e in ends])

    def index(self, node: ast.expr) -> ast.expr:
        """An index with the slices written out that it has from elsewhere."""
        found = [self._spans_written_out(n) for n in indices(node)]
        if not any(found):
            return node
        parts = [p for n, items in zip(indices(node), found, strict=True) for p in (items or [n])]
        is_tuple = isinstance(node, ast.Tuple) or len(parts) != 1 or isinstance(parts[0], _OfTuple)
        parts = [getattr(p, "part", p) for p in parts]
        whole = ast.Tuple(parts, ast.Load()) if is_tuple else parts[0]
        return ast.copy_location(whole, node)

    def _spans_written_out(self, node: ast.expr) -> list[Any]:
        """What stands in place of a part of an index; nothing where it may stay as it is."""
        if not self._may_have_span(node):
            return []
        value = self.value(node)
        if isinstance(value, Span):
            return [_spelled(value, node)]
        if has_span(value):
            return [_OfTuple(_spelled(v, node)) for v in value]
        is_once = isinstance(value, str) or isinstance(node, ast.Call)  # and must not be read again
        return [ast.copy_location(Given(value), node)] if is_once else []

    def _may_have_span(self, node: ast.expr) -> bool:
        """Whether a part of an index may be a slice, which is found out without reading it."""
        if isinstance(node, ast.Name):
            return has_span(self._known_name(node))
        if isinstance(node, ast.Attribute):
            return isinstance(node.value, ast.Name) and isinstance(self._known_name(node.value), Thing)
        if isinstance(node, ast.Call):
            return isinstance(node.func, ast.Name) and node.func.id in ("slice", "tuple")
        if not isinstance(node, ast.Subscript):
            return False
        if isinstance(node.value, ast.Attribute):
            return node.value.attr in ("s_", "index_exp")
        found = self._known_name(node.value) if isinstance(node.value, ast.Name) else None
        return has_span(found) or (isinstance(found, Thing) and found.kind in (list, dict))

    def _known_name(self, node: ast.Name) -> Any:
        """What is known that a variable holds, in the function or in one around it; None for a number or an array."""
        scope: Scope | None = self.scopes[-1]
        if not self.is_outside(node.id):
            return scope.things.get(node.id, scope.bound.get(node.id)) if scope is not None else None
        while scope is not None and scope.outer is not None and node.id in scope.function.__code__.co_freevars:
            scope = scope.outer
            if node.id in scope.things or node.id in scope.bound:
                return scope.things.get(node.id, scope.bound.get(node.id))
        if scope is not self.scopes[-1] or scope is None:
            return None
        function = scope.function
        given: Any = function.__globals__.get(node.id)
        if node.id in function.__code__.co_freevars:
            cell = (function.__closure__ or ())[function.__code__.co_freevars.index(node.id)]
            given = cell.cell_contents if cell != type(cell)() else None
        parts: list[Any] = [*given.values()] if type(given) is dict else [given]
        parts += given if type(given) in (list, tuple) else ()
        return self.value(node) if any(map(_has_slice, parts)) else None


class _OfTuple:
    """A part of an index that comes from a tuple, which stays one."""

    def __init__(self, part: ast.expr):
        self.part = part


def _spelled(value: Any, node: ast.expr) -> ast.expr:
    if not isinstance(value, Span):
        return ast.copy_location(Given(value), node)
    ends = [None if e is None else ast.copy_location(Given(e), node) for e in (value.start, value.stop, value.step)]
    return ast.copy_location(ast.Slice(*ends), node)


def has_span(value: Any) -> bool:
    """Whether a value is a slice, or a tuple of integers or with slices, None or an ellipsis."""
    if type(value) is not tuple:
        return isinstance(value, Span)
    constants = [v.value for v in value if isinstance(v, Static)]
    are_numbers = bool(value) and all(isinstance(v, str) for v in value)
    return are_numbers or any(isinstance(v, Span) for v in value) or any(v is None or v is Ellipsis for v in constants)


def _has_slice(value: Any) -> bool:
    """Whether something from outside is a slice or a tuple with slices."""
    return type(value) is slice or (type(value) is tuple and any(type(v) is slice for v in value))
