"""Arrays in containers that the text has as the program does: lists that grow, dicts with computed keys, queues.

An array of floats is written down in a list of the text, as a number with a derivative is (see `boxes`), and the
container has its index; an array of integers or truth values stands in the container itself. Nothing may be written
into either of them any more: whoever reads one shares it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from morula.static.python.boxed_loops import BoxedLoops
from morula.static.python.boxes import OfArray, View
from morula.static.python.comprehensions import Given
from morula.static.python.forms import ARRAY, Form, Term
from morula.static.python.ir import Again, Branch, Fail, Unsupported
from morula.static.python.rows import IN_A_LIST, WIDEST
from morula.static.python.scopes import Array, Box, Display, ListOf, Named, Scope, Small, key_of
from morula.static.python.things import is_of_class

__all__ = ["STACKING", "BoxedArrays"]

STACKING = (np.array, np.asarray, np.stack, np.vstack)


class BoxedArrays(BoxedLoops):
    """The part of a `boxed.Boxer` that has arrays in containers.

    Attributes:
        boxed_here: comprehensions that make such containers, by their place in the source.
        made_here: the lists of the text that other comprehensions have made, with that place.
    """

    boxed_here: set[Any]
    made_here: dict[str, Any]
    _here: Callable[[ast.AST], Any]

    def push(self, array: ListOf, value: Any, key: Any, start: bool = False) -> None:
        if _is_no_row(value):
            self._box_instead(key)
        super().push(array, value, key, start)

    def bind(self, scope: Scope, name: str, value: Any) -> None:
        key = key_of(scope, name)
        if key <= self.by_reference and isinstance(value, Display) and any(map(_is_no_row, value)):
            self._box_instead(key)
        super().bind(scope, name, value)

    def changing_method(self, owner: Any, node: ast.Call) -> Any:
        if isinstance(owner, Display) and owner.origins and any(map(_is_no_row, owner)):
            self._box_instead(owner.origins)
        return super().changing_method(owner, node)

    def found_in(self, owner: Any, name: str, node: ast.Call) -> Any:
        if isinstance(owner, Display) and owner.origins and any(map(_is_no_row, owner)):
            self._box_instead(owner.origins)
        return super().found_in(owner, name, node)

    def _box_instead(self, key: Any) -> None:
        """Build the program anew, with such a container in the place of a list of rows."""
        if isinstance(key, tuple) and isinstance(key[0], type) and isinstance(key[1], str):
            key = frozenset([f".{key[1]}"])  # of an attribute
        if isinstance(key, tuple) and key[0] == "comprehension" and key[1:] not in self.boxed_here:
            self.boxed_here.add(key[1:])
            raise Again
        if isinstance(key, frozenset) and not key <= self.boxed:
            self.boxed |= key
            raise Again

    def _value_ListComp(self, node: ast.ListComp) -> Any:
        found = self.listed_items(node)
        if isinstance(found, ListOf):
            self.made_here[found.var] = self._here(node)
        return found

    def listed_items(self, node: ast.ListComp | ast.GeneratorExp) -> Any:
        here = self._here(node)
        if here in self.boxed_here:
            return self.box_of(ast.copy_location(ast.ListComp(node.elt, node.generators), node), here)
        return super().listed_items(node)

    def box_where_made(self, value: ListOf) -> None:
        """Build the program anew, with such a container in the place of the list that a comprehension makes."""
        var = value.var
        while var not in self.made_here and getattr(self.computed.get(var), "op", "") in ("copy", "bound"):
            (var,) = self.computed[var].args
        here = self.made_here.get(var)
        if here is not None:
            self.boxed_here.add(here)
            raise Again

    def with_arrays(self, value: Any) -> Any:
        """A value with arrays as NumPy has them, which the container has from now on as well."""
        if type(value) is tuple or isinstance(value, Named):
            return self.likewise(value, map(self.with_arrays, value))
        if isinstance(value, ListOf) and value.kind is list:
            self.box_where_made(value)
            raise Unsupported("a container of lists", self.line)
        if not isinstance(value, Array | Small | ListOf):
            return value
        found = self.as_array(value)
        self.share(found.origins | IN_A_LIST)
        self.seen(found)
        return found

    def shared_array(self, atom: str, layout: OfArray) -> Array:
        """An array that a container has."""
        self.program.shapes[atom] = layout.shape
        return Array(atom, layout.shape, layout.dtype, IN_A_LIST)

    def _of_items(self, f: Any, first: Box | View, node: ast.Call) -> Any:
        box = first if isinstance(first, Box) else first.box
        layout = self.contents(box).layouts.get("item")
        is_sum = f is sum and len(node.args) == 1 and (isinstance(first, Box) or first.what == "values")
        if is_sum and isinstance(layout, OfArray) and layout.is_active:
            self.emit(Branch(self.size_of(box), [], [Fail()]))  # the sum of nothing is no array
            zeros = self.numpy_call(np.zeros, [tuple(map(str, layout.shape))], {})
            given: list[ast.expr] = [ast.copy_location(Given(v), node) for v in (first, zeros)]
            node = ast.copy_location(ast.Call(node.func, given, node.keywords), node)
        return super()._of_items(f, first, node)

    def stacked(self, f: Any, box: Box) -> Array:
        """``np.array(box)`` of a list of arrays."""
        self.allowed(f)
        contents = self.contents(box)
        if contents.kind is not list or not self.is_read(box, "item"):
            raise Unsupported(f"a call to {f.__name__} with such a container", self.line)
        layout = contents.layouts["item"]
        n = self.observed_integer(self.size_of(box))
        if not isinstance(layout, OfArray) or layout.dtype != np.float64 or not n:
            raise Unsupported(f"a call to {f.__name__} with such a container", self.line)
        first, *rest = layout.shape
        shape = (n * first, *rest) if f is np.vstack and rest else (n, first, *rest)
        places = self.box_step("[*{a0}]", box.atom)
        arena = self.arena(contents.leaf(("item",)))
        term = Term("plus_at_each({s}, {a1}, {z})")
        form = Form(f"stacked({{a0}}, {{a1}}, {shape})", ARRAY, (term, None), is_constant=True)
        found = self.compute("numpy", arena, places, f=form)
        self.program.shapes[found] = shape
        return Array(found, shape, layout.dtype)


def _is_no_row(value: Any) -> bool:
    """Whether a value is an object, or an array that cannot be a row of a list of numbers."""
    if is_of_class(value) or isinstance(value, Box):
        return True
    if type(value) is tuple:
        return any(is_of_class(v) or isinstance(v, Box) for v in value)
    return isinstance(value, Array) and (len(value.shape) != 1 or value.shape[0] > WIDEST or value.dtype != np.float64)
