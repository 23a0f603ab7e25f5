"""Arrays of a few numbers in expressions: each of their numbers is an atom of its own.

Sums are taken in NumPy's order, which for less than eight numbers is that of the numbers.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from morula.static.python.ir import Again, Block, Branch, Compute, Fail, Set, Store, Unsupported, is_name
from morula.static.python.outside import Outside
from morula.static.python.scopes import Array, ListOf, Small
from morula.static.python.slopes import has_own_rule

__all__ = ["Arrays"]

MOST = 7  # numbers of a small array
# Operations that are the same for numbers and for arrays, to the bit.
OPERATIONS = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "truediv": np.true_divide}
READING = frozenset(["index", "row"])


class Arrays(Outside):
    """The part of a `front.Builder` that computes with small arrays."""

    count: int
    emit: Callable[[Any], None]
    number: Callable[[ast.expr], str]
    only_number: Callable[[Any], str]
    value: Callable[[ast.expr], Any]
    held: Callable[[Any], Any]
    known: dict[tuple[str, tuple[str, ...]], str]  # what was read, in this block
    known_in: Block
    is_small: bool  # whether arrays of few numbers are numbers, and no array is as NumPy has it
    has_arrays: bool  # whether there are any
    computed: dict[str, Compute]  # by their temporaries
    new_of: Callable[[Any], Any]
    as_array: Callable[[Any], Any]
    by_length: bool  # whether a text for small arrays is one for their lengths

    def fresh(self, stem: str) -> str:
        self.count += 1
        return f"{stem}{self.count}"

    def compute(self, op: str, *args: str, f: Any = None) -> str:
        if op in READING or (op in ("add", "sub") and args[1].isdigit()):
            if self.known_in is not self.out:
                self.known, self.known_in = {}, self.out
            if (op, args) not in self.known:
                self.known[op, args] = self._computed(op, args, f)
            return self.known[op, args]
        return self._computed(op, args, f)

    def _computed(self, op: str, args: tuple[str, ...], f: Any) -> str:
        target = self.fresh("t")
        self.computed[target] = s = Compute(target, op, args, f)
        self.emit(s)
        return target

    def forget(self, s: Any) -> None:
        """What a statement makes of the elements that are known since they were read before."""
        if isinstance(s, Set):
            self.known = {key: t for key, t in self.known.items() if s.var not in key[1]}
            same = {(op, (s.var, *args[1:])): t for (op, args), t in self.known.items() if args[0] == s.value}
            self.known |= same
        elif isinstance(s, Store):
            self.known = {key: t for key, t in self.known.items() if key[0] != "index"}
        elif not isinstance(s, Compute):
            self.known = {}

    def new_array(self, node: ast.expr) -> Any:
        """``np.array([a, b, c])``."""
        values = [self.value(v) for v in node.elts] if isinstance(node, ast.List | ast.Tuple) else self.value(node)
        if not self.is_small and not self.program.weighted:
            return self.new_of(values)
        self.has_arrays = True
        if isinstance(values, ListOf) and values.kind is np.ndarray:
            return self.copied(values)
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
        return self.together([self.compute("element", v) for v in values])

    def operand(self, value: Any) -> Any:
        """A number or an array, in the form in which it is computed with."""
        value = self.one_form(value)
        if isinstance(value, str | Small | Array):
            return value
        raise Unsupported("something else than a number where one is computed with", self.line)

    def one_form(self, value: Any) -> Any:
        """The same, an array from outside either as its numbers or as NumPy has it."""
        if isinstance(value, ListOf):
            return self.as_small(value) if self.is_small or value.kind is list else self.as_array(value)
        return value

    def as_small(self, array: ListOf) -> Small:
        """The numbers of an array as they are now; one from outside has the length that it has now."""
        if array.kind is list:
            raise Unsupported("arithmetic of lists", self.line)
        n = array.shape[0]
        if not array.is_vector or n is None or not 0 < n <= MOST:
            if n is None and not self.by_length:
                self.by_length = True
                raise Again
            raise Unsupported("arithmetic of arrays of many numbers", self.line)
        if not array.is_float:
            raise Unsupported("arithmetic of arrays of integers", self.line)
        if not array.fixed:
            self.program.lengths[array.measured] = n
        return Small(tuple([self.compute("index", array.var, str(i)) for i in range(n)]))

    def copied(self, array: ListOf) -> ListOf | Small:
        n = array.shape[0]
        if array.is_vector and n is not None and 0 < n <= MOST and array.is_float and array.kind is np.ndarray:
            return self.as_small(array)
        return replace(array, var=self.compute("copied", array.var, f=array.kind))

    def items(self, array: ListOf, n: int) -> tuple[Any, ...]:
        """All numbers of an array that must be of that length, or its rows."""
        if not array.fixed or array.shape[0] != n:
            length = self.compute("length", array.var)
            self.emit(Branch(self.compute("!=", length, str(n)), [Fail()]))
        return tuple([self.part(array, str(i)) for i in range(n)])

    def elementwise(self, op: str, left: str | Small, right: str | Small) -> Small:
        if op == "pow" and isinstance(left, Small) and right in ("2", "2.0"):
            return self.together([self.compute("mul", v, v) for v in left.parts])  # as NumPy does
        if op not in OPERATIONS or has_own_rule(OPERATIONS[op]):
            raise Unsupported(f"the operation {op!r} of arrays", self.line)
        n = len(left.parts if isinstance(left, Small) else right.parts)  # type: ignore[union-attr]
        lefts, rights = (x.parts if isinstance(x, Small) else (x,) * n for x in (left, right))
        if len(lefts) != len(rights):
            raise Unsupported("arrays of several lengths in one operation", self.line)
        return self.together([self.compute(op, a, b) for a, b in zip(lefts, rights, strict=True)])

    def together(self, parts: list[str]) -> Small:
        """A new array of these numbers: where one of them is asked for, the derivatives of all are no absent ones."""
        self.program.groups.append(tuple(parts))
        return Small(tuple(parts))

    def each(self, change: Callable[[str], str], values: Any) -> Any:
        """A tuple or an array of what `change` makes of each atom."""
        if isinstance(values, str):
            return change(values)
        if isinstance(values, Array):
            atom = change(values.atom)
            self.program.shapes[atom] = values.shape
            return Array(atom, values.shape, values.dtype)
        found = tuple([self.each(change, v) for v in (values.parts if isinstance(values, Small) else values)])
        return Small(found) if isinstance(values, Small) else found

    def length(self, array: ListOf | Small) -> str:
        if isinstance(array, Small):
            return str(len(array.parts))
        n = array.shape[0]
        if array.fixed and n is not None:
            return str(n)
        if self.by_length and array.is_vector and n is not None and 0 < n <= MOST:
            self.program.lengths[array.measured] = n
            return str(n)
        return self.compute("length", array.var)

    def attribute(self, array: ListOf | Small, name: str) -> Any:
        """The shape, or the size of a vector."""
        if isinstance(array, ListOf) and array.kind is list:
            raise Unsupported(f"the attribute {name!r} of a list", self.line)
        if isinstance(array, Small) or array.is_vector:
            return (self.length(array),) if name == "shape" else self.length(array)
        if name == "size":
            raise Unsupported("the size of an array of rows", self.line)
        return self.length(array), self.compute("width", array.var)

    def part(self, array: ListOf, *index: str) -> Any:
        """A number of an array, or a row of it."""
        if len(index) > len(array.shape):
            raise Unsupported("too many indices", self.line)
        if len(index) < len(array.shape):
            row = self.compute("row", array.var, *index)
            return replace(array, var=row, shape=array.shape[1:], measured=array.measured and f"{array.measured}[0]")
        return self.compute("index", array.var, *index)

    def item(self, array: ListOf, node: ast.expr) -> Any:
        """What an index gives."""
        return self.part(array, *self.index(node))

    def index(self, node: ast.expr) -> tuple[str, ...]:
        if isinstance(node, ast.Tuple):
            return tuple([self.number(i) for i in node.elts])
        value = self.value(node)
        return tuple(map(self.only_number, value)) if type(value) is tuple else (self.only_number(value),)

    def method(self, array: ListOf | Small, name: str) -> Any:
        """A method that is called without arguments."""
        if name == "copy":
            return self.copied(array) if isinstance(array, ListOf) else Small(self.held(array.parts))
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
