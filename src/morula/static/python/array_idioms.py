"""Calls of NumPy's that are made of others: ``np.fromfunction``, ``np.vectorize``, ``np.block``, ``np.dstack``."""

from __future__ import annotations

import ast
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from morula.static.python.comprehensions import Given
from morula.static.python.ir import Program, Unsupported
from morula.static.python.scopes import OF_SINGLE, Array, ListOf, Single, Small, Static
from morula.static.python.slopes import has_own_rule
from morula.static.python.things import ABSENT, Bound, Partial

__all__ = ["ArrayIdioms", "is_bare"]


ATTRIBUTES = (np.shape, np.size, np.ndim)


class ArrayIdioms:
    """The part of a `front.Builder` that reads such calls."""

    line: int
    program: Program
    value: Callable[[ast.expr], Any]
    held: Callable[[Any], Any]
    as_array: Callable[[Any], Array]
    sequence: Callable[[Any], tuple | None]
    given: Callable[[dict[str, Any], Any], str]
    guard: Callable[[str], None]
    of_outside: Callable[[str, Any, str], Any]
    attribute_from: Callable[[Any, str], Any]
    check_computing: Callable[[Static], None]
    _called_as: Callable[..., Any]

    def array_idiom(self, f: Any, node: ast.Call) -> Any:
        """What a call comes to; `ABSENT` for any other."""
        if any(isinstance(a, ast.Starred) for a in node.args):
            return ABSENT
        if f is np.vectorize and len(node.args) == 1 and not node.keywords:
            return self.by_elements(self.value(node.args[0]))
        if f in ATTRIBUTES and len(node.args) == 1 and not node.keywords and not has_own_rule(f):
            owner = self.value(node.args[0])
            if isinstance(owner, str):
                return OF_SINGLE[f.__name__]
            if not isinstance(owner, Array | ListOf | Small | Single):
                raise Unsupported(f"the {f.__name__} of something other than an array", self.line)
            return self.attribute_from(owner, f.__name__)
        if f not in (np.fromfunction, np.block, np.dstack) or has_own_rule(f):
            return ABSENT
        if f is np.fromfunction and len(node.args) == 2 and {k.arg for k in node.keywords} <= {"dtype"}:
            return self._of_places(node)
        items = self.sequence(self.value(node.args[0])) if len(node.args) == 1 and not node.keywords else None
        if not items:
            raise Unsupported(f"a call to {f.__name__} with these arguments", self.line)
        if f is np.dstack:
            return self._joined_along(2, items, lambda shape: (*([1] * (len(shape) < 2)), *shape, 1), 3, node)
        if all(isinstance(x, Array | ListOf | Small) for x in items):  # a single row
            rank = len(self.as_array(items[0]).shape)
            return self._joined_along(rank - 1, items, lambda shape: shape, rank, node)
        rows = [self.sequence(row) or () for row in items]
        joined = [self._joined_along(1, row, lambda shape: (1, *shape), 2, node) for row in rows]
        return self._joined_along(0, joined, lambda shape: shape, 2, node)

    def _joined_along(self, axis: int, items: Any, deepened: Callable[[Any], tuple], rank: int, node: ast.Call) -> Any:
        """Arrays one behind the other, which all get so many axes."""
        if not items or not all(isinstance(x, Array | ListOf | Small) for x in items):
            raise Unsupported("blocks of something other than rows of arrays", self.line)
        arrays = []
        for x in map(self.as_array, items):
            shape: Any = x.shape if len(x.shape) == rank else deepened(x.shape)
            if len(shape) != rank:
                raise Unsupported("blocks of so many axes", self.line)
            arrays.append(x if shape == x.shape else self._called_as(np.reshape, node, [Given(x), ast.Constant(shape)]))
        return self._called_as(np.concatenate, node, [Given(tuple(arrays))], ast.Constant(axis))

    def _of_places(self, node: ast.Call) -> Any:
        """``np.fromfunction(f, shape, dtype=float)``, which calls `f` with the indices of all elements."""
        f, shape = (self.held(self.value(a)) for a in node.args)
        dtype = self.value(node.keywords[0].value) if node.keywords else Static(float)
        if not isinstance(shape, tuple) or not isinstance(f, Static | Bound | Partial):
            raise Unsupported("a call to fromfunction with these arguments", self.line)
        places = self._called_as(np.indices, node, [Given(shape), Given(dtype)])
        given: list[ast.expr] = [ast.Subscript(Given(places), ast.Constant(i), ast.Load()) for i in range(len(shape))]
        return self._called_as(f, node, given)

    def by_elements(self, f: Any) -> Partial:
        """``np.vectorize(f)``, of a function that does nothing but compute: it is called once more than need be."""
        if not isinstance(f, Static) or type(f.value) is not FunctionType:
            raise Unsupported("np.vectorize of something other than a function", self.line)
        self.check_computing(f)
        return Partial(Static(of_elements, self.given(self.program.space, of_elements)), [f], {})

    def vectorize_outside(self, read: str, value: np.vectorize, name: str) -> Partial:
        """The same, made outside."""
        self.guard(f"{self.given(self.program.space, is_bare)}({read})")
        return self.by_elements(self.of_outside(f"{read}.pyfunc", value.pyfunc, name))


def of_elements(f, x, *more):  # type: ignore[no-untyped-def]
    items = []
    for v in x.ravel().tolist():
        y = f(v, *more)
        if not isinstance(y, float):  # the first of them decides what all become
            raise TypeError
        items.append(y)
    return np.array(items).reshape(x.shape)


def is_bare(f: Any) -> bool:
    """Whether something is what `np.vectorize` makes of a function alone.

    >>> is_bare(np.vectorize(abs)), is_bare(np.vectorize(abs, otypes=[int])), is_bare(abs)
    (True, False, False)
    """
    return type(f) is np.vectorize and (f.otypes, f.signature, f.excluded, f.cache) == (None, None, set(), False)
