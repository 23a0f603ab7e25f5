"""Arrays of a few numbers in expressions: each of their numbers is an atom of its own.

Sums are taken in NumPy's order, which for less than eight numbers is that of the numbers.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from morula.static.python.ir import Branch, Compute, Fail, Unsupported, is_name
from morula.static.python.outside import Outside
from morula.static.python.scopes import ListOf, Small
from morula.static.python.slopes import has_own_rule

__all__ = ["Arrays"]

MOST = 7  # numbers of a small array
# Operations that are the same for numbers and for arrays, to the bit.
OPERATIONS = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "truediv": np.true_divide}


class Arrays(Outside):
    """The part of a `front.Builder` that computes with small arrays."""

    count: int
    emit: Callable[[Any], None]
    number: Callable[[ast.expr], str]
    value: Callable[[ast.expr], Any]
    held: Callable[[Any], Any]

    def fresh(self, stem: str) -> str:
        self.count += 1
        return f"{stem}{self.count}"

    def compute(self, op: str, *args: str, f: Any = None) -> str:
        target = self.fresh("t")
        self.emit(Compute(target, op, args, f))
        return target

    def new_array(self, node: ast.expr) -> Small:
        """``np.array([a, b, c])``."""
        values = [self.value(v) for v in node.elts] if isinstance(node, ast.List | ast.Tuple) else self.value(node)
        if isinstance(values, Small):
            return self.each(lambda v: self.compute("copy", v), values)
        if not isinstance(values, list | tuple) or not all(isinstance(v, str) for v in values):
            raise Unsupported("an array of something else than numbers", self.line)
        if self.program.weighted:  # what the numbers become of is not asked for
            return Small(self.held(tuple(values)))
        if not 0 < len(values) <= MOST:
            raise Unsupported("a new array of many numbers", self.line)
        if any(is_name(v) or not _is_integer(v) for v in values):  # then all of them must be floats
            values = [f"{v}.0" if _is_integer(v) and v.isdigit() and len(v) < 15 else v for v in values]
        return Small(tuple([self.compute("element", v) for v in values]))

    def operand(self, node: ast.expr) -> str | Small:
        """A number or a small array."""
        value = self.value(node)
        if isinstance(value, ListOf):
            return self.as_small(value)
        if isinstance(value, str | Small):
            return value
        raise Unsupported("something else than a number where one is computed with", self.line)

    def as_small(self, array: ListOf) -> Small:
        """An array from outside, as one of the length that it has now."""
        if not array.is_vector or not 0 < array.shape[0] <= MOST:
            raise Unsupported("arithmetic of arrays of many numbers", self.line)
        if any(i.name == array.var and "np.float64" not in i.types for i in self.program.inputs):
            raise Unsupported("arithmetic of arrays of integers", self.line)
        self.program.lengths[array.var] = n = array.shape[0]
        return Small(tuple([self.compute("index", array.var, str(i)) for i in range(n)]))

    def items(self, array: ListOf, n: int) -> tuple[str, ...]:
        """All numbers of an array that must be of that length."""
        if not array.is_vector:
            raise Unsupported("unpacking of rows", self.line)
        length = self.compute("length", array.var)
        self.emit(Branch(self.compute("!=", length, str(n)), [Fail()]))
        return tuple([self.compute("index", array.var, str(i)) for i in range(n)])

    def elementwise(self, op: str, left: str | Small, right: str | Small) -> Small:
        if op == "pow" and isinstance(left, Small) and right in ("2", "2.0"):
            return Small(tuple([self.compute("mul", v, v) for v in left.parts]))  # as NumPy does
        if op not in OPERATIONS or has_own_rule(OPERATIONS[op]):
            raise Unsupported(f"the operation {op!r} of arrays", self.line)
        n = len(left.parts if isinstance(left, Small) else right.parts)  # type: ignore[union-attr]
        lefts, rights = (x.parts if isinstance(x, Small) else (x,) * n for x in (left, right))
        if len(lefts) != len(rights):
            raise Unsupported("arrays of several lengths in one operation", self.line)
        return Small(tuple([self.compute(op, a, b) for a, b in zip(lefts, rights, strict=True)]))

    def each(self, change: Callable[[str], str], values: Any) -> Any:
        """A tuple or a small array of what `change` makes of each atom."""
        found = tuple([change(v) for v in (values.parts if isinstance(values, Small) else values)])
        return Small(found) if isinstance(values, Small) else found

    def length(self, array: ListOf | Small) -> str:
        if isinstance(array, ListOf) and array.index:
            return self.compute("width", array.var)
        return str(len(array.parts)) if isinstance(array, Small) else self.compute("length", array.var)

    def attribute(self, array: ListOf | Small, name: str) -> Any:
        """The shape, or the size of a vector."""
        if isinstance(array, Small) or array.is_vector or array.index:
            return (self.length(array),) if name == "shape" else self.length(array)
        if name == "size":
            raise Unsupported("the size of an array of rows", self.line)
        return self.compute("length", array.var), self.compute("width", array.var)

    def item(self, array: ListOf, node: ast.expr) -> Any:
        """A number of an array, or a row of it, which is to be indexed further."""
        given = node.elts if isinstance(node, ast.Tuple) else [node]
        index = (*array.index, *[self.number(i) for i in given])
        if len(index) > len(array.shape):
            raise Unsupported("too many indices", self.line)
        if len(index) < len(array.shape):
            self.compute("index", array.var, *index)  # which raises where there is no such row
            return ListOf(array.var, array.shape, index)
        return self.compute("index", array.var, *index)

    def method(self, array: ListOf | Small, name: str) -> Any:
        """A method that is called without arguments."""
        if name == "copy":
            return array
        if name in ("sum", "mean"):
            return self.total(array, name == "mean")
        raise Unsupported(f"the method {name!r} of an array", self.line)

    def total(self, array: ListOf | Small, is_mean: bool) -> str:
        """The sum or the mean; NumPy begins with a zero."""
        if has_own_rule(np.mean if is_mean else np.sum):
            raise Unsupported("a sum of an array, for which there is a rule of the user's", self.line)
        array = self.as_small(array) if isinstance(array, ListOf) else array
        found = "0.0"
        for v in array.parts:
            found = self.compute("add", found, v)
        return self.compute("truediv", found, str(len(array.parts))) if is_mean else found


def _is_integer(atom: str) -> bool:
    return not is_name(atom) and atom.strip("()").lstrip("-").isdigit()
