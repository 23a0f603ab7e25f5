"""Calls by brackets: ``np.r_[...]`` and ``np.c_[...]`` join arrays and numbers, ``np.mgrid[...]`` makes grids."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from morula.static.python.arrays import indices
from morula.static.python.ir import Unsupported, is_integer
from morula.static.python.scopes import Array, ListOf, Small, Static

__all__ = ["CONCATENATORS", "Concatenators"]

CONCATENATORS: dict[str, Any] = {
    "r_": np.r_, "c_": np.c_, "s_": np.s_, "index_exp": np.index_exp, "mgrid": np.mgrid, "ogrid": np.ogrid,
}  # fmt: skip


class Concatenators:
    """The part of a `front.Builder` that reads them."""

    line: int
    value: Callable[[ast.expr], Any]
    constant: Callable[[Any], Any]
    as_array: Callable[[Any], Array]
    read: Callable[..., Any]
    array_of_list: Callable[[ListOf], Array]
    made: Callable[..., Any]
    guard: Callable[[str], None]
    given: Callable[[dict[str, Any], Any], str]
    _joined: Callable[..., Any]
    _created: Callable[..., Any]
    spans_of: Callable[[Any, ast.expr], Any]

    def concatenator(self, owner: Static, name: str) -> Static | None:
        """What ``np.r_`` stands for; None for another attribute."""
        if owner.value is not np or name not in CONCATENATORS:
            return None
        found = CONCATENATORS[name]
        self.guard(f"{owner.where}.__dict__[{name!r}] is {self.given(self.program.space, found)}")
        return Static(found)

    def concatenated(self, by: Any, node: ast.expr) -> Any:
        """``np.r_[node]``."""
        if by is np.s_ or by is np.index_exp:
            return self.spans_of(by, node)
        if by is np.mgrid or by is np.ogrid:
            return self._grid(by, node)
        items = [self._item_of(each) for each in indices(node)]
        is_float = any(isinstance(x, Array) or not is_integer(x) for x in items)
        ranks = {len(x.shape) if isinstance(x, Array) else 1 for x in items}
        found = None
        if by is np.r_ and ranks == {1} and is_float:
            found = self._joined(np.hstack, [tuple(items)], {})
        elif by is np.c_ and all(isinstance(x, Array) for x in items) and ranks <= {1, 2}:
            if ranks == {1}:
                found = self._joined(np.column_stack, [tuple(items)], {})
            else:
                columns = [x if len(x.shape) == 2 else self.read(x, [slice(None), None], True) for x in items]
                found = self._joined(np.hstack, [tuple(columns)], {})
        if found is None:
            raise Unsupported("an item of this kind in np.r_ or np.c_", self.line)
        return found

    def _grid(self, by: Any, node: ast.expr) -> Any:
        """``np.mgrid[0:n, 0:m]`` or ``np.ogrid[0:n, 0:m]``, of known ends."""
        given = indices(node)
        if not all(isinstance(each, ast.Slice) for each in given):
            raise Unsupported("such a grid", self.line)
        key: Any = tuple([slice(*map(self._end_of, (s.lower, s.upper, s.step))) for s in given])  # type: ignore[attr-defined]
        key = key if isinstance(node, ast.Tuple) else key[0]
        text = f"{self.given(self.program.space, by)}[{key!r}]"
        if isinstance(found := by[key], np.ndarray):
            return self.made(lambda: by[key], text, [], lambda shape: ())
        return tuple(
            [self.made(lambda i=i: by[key][i], f"{text}[{i}]", [], lambda shape: ()) for i in range(len(found))]
        )

    def _end_of(self, node: ast.expr | None) -> Any:
        if node is None or (isinstance(node, ast.Constant) and type(node.value) is complex):
            return None if node is None else node.value
        return self.constant(self.value(node))

    def _item_of(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Slice):
            return self._range_of(node)
        value = self.value(node)
        if isinstance(value, ListOf) and value.kind is list:
            return self.array_of_list(value)
        if isinstance(value, str | tuple):
            is_flat = isinstance(value, str) or (value and all(isinstance(x, str) for x in value))
            if not is_flat:
                raise Unsupported("an item of this kind in np.r_ or np.c_", self.line)
            return value if isinstance(value, str) else self._joined(np.hstack, [value], {})
        if not isinstance(value, Array | Small | ListOf):
            raise Unsupported("an item of this kind in np.r_ or np.c_", self.line)
        return self.as_array(value)

    def _range_of(self, node: ast.Slice) -> Any:
        """``0:1:5j``, which is `numpy.linspace`."""
        step = node.step
        if not isinstance(step, ast.Constant) or type(step.value) is not complex or step.value.real:
            raise Unsupported("a range of np.r_ by steps", self.line)
        ends = [self.value(node.lower) if node.lower else "0", self.value(node.upper) if node.upper else ""]
        found = self._created(np.linspace, ends, {"num": str(int(abs(step.value)))}) if ends[1] else None
        if found is None:
            raise Unsupported("a range of this kind in np.r_", self.line)
        return found

    program: Any
