"""Arrays of a few numbers in expressions: each of their numbers is an atom of its own.

Sums are taken in NumPy's order, which for less than eight numbers is that of the numbers.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from morula.static.python.comprehensions import Given
from morula.static.python.global_names import GlobalNames
from morula.static.python.ir import (
    Again,
    Block,
    Branch,
    Compute,
    Fail,
    Set,
    Store,
    Unsupported,
    is_integer,
    is_name,
    is_written_out,
)
from morula.static.python.scopes import Array, Box, ListOf, Single, Small, Span, Static
from morula.static.python.slopes import has_own_rule
from morula.static.python.things import Thing, is_known_list

__all__ = ["Arrays", "indices"]

MOST = 7  # numbers of a small array
# Operations that are the same for numbers and for arrays, to the bit.
OPERATIONS = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "truediv": np.true_divide}
READING = frozenset(["index", "row"])


class Arrays(GlobalNames):
    """The part of a `front.Builder` that computes with small arrays."""

    count: int
    is_small: bool  # whether arrays of few numbers are to be numbers
    computed: dict[str, Compute]  # by their temporaries
    emit: Callable[[Any], None]
    number: Callable[[ast.expr], str]
    only_number: Callable[[Any], str]
    value: Callable[[ast.expr], Any]
    held: Callable[[Any], Any]
    packed: Callable[..., Any]
    made: Callable[..., Any]
    array_copied: Callable[[Any, str], Any]
    array_of_list: Callable[..., Any]
    rows: Callable[[tuple], Any]
    are_integers: Callable[[tuple[str, ...]], bool]
    integers_of: Callable[[Any], Any]
    as_array: Callable[[Any], Any]
    read_part: Callable[[Any, ast.expr], Any]
    is_index_array: Callable[[ast.expr], bool]
    likewise: Callable[..., Any]
    sequence: Callable[[Any], tuple | None]
    reads: dict[tuple[str, tuple[str, ...]], str]  # what was read, in this block
    reads_in: Block
    values_of_input: dict[str, Any]
    by_length: bool  # whether a text for small arrays is one for their lengths

    def fresh(self, stem: str) -> str:
        self.count += 1
        return f"{stem}{self.count}"

    def compute(self, op: str, *args: str, f: Any = None) -> str:
        if op in READING or (op in ("add", "sub") and args[1].isdigit()):
            if self.reads_in is not self.out:
                self.reads, self.reads_in = {}, self.out
            if (op, args) not in self.reads:
                self.reads[op, args] = self._computed(op, args, f)
            return self.reads[op, args]
        return self._computed(op, args, f)

    def _computed(self, op: str, args: tuple[str, ...], f: Any) -> str:
        target = self.fresh("t")
        self.computed[target] = s = Compute(target, op, args, f)
        self.emit(s)
        return target

    def forget(self, s: Any) -> None:
        """What a statement makes of the elements that are known since they were read before."""
        if isinstance(s, Set):
            if type(example := self.values_of_input.get(s.value)) is np.int64:  # of what is gone through
                self.values_of_input[s.var] = example
            else:
                self.values_of_input.pop(s.var, None)
            self.reads = {key: t for key, t in self.reads.items() if s.var not in key[1]}
            same = {(op, (s.var, *args[1:])): t for (op, args), t in self.reads.items() if args[0] == s.value}
            self.reads |= same
        elif isinstance(s, Store):
            self.reads = {key: t for key, t in self.reads.items() if key[0] != "index"}
        elif not isinstance(s, Compute):
            self.reads = {}

    def new_array(self, values: Any, are_floats: bool = False) -> Any:
        """``np.array([a, b, c])``, or ``np.array([a, b, c], float)`` if they `are_floats`."""
        values = self.unlisted(values)
        if isinstance(values, tuple):
            values = tuple([self.operand(v) if isinstance(v, Single) else v for v in values])
        if isinstance(values, Small):
            return Small(tuple([self.compute("copy", v) for v in values.parts]))
        if isinstance(values, ListOf) and values.kind is list:
            return self.array_of_list(values, are_floats)
        if isinstance(values, ListOf | Array):
            if are_floats and (values.dtype != np.float64 if isinstance(values, Array) else not values.is_float):
                raise Unsupported("an array of integers that becomes one of floats", self.line)
            return self.copied(values)
        if values == ():  # which others are joined to
            text = f"{self.given(self.program.space, np.zeros)}(0)"
            return self.made(lambda: np.zeros(0), text, [], lambda _: ())
        if not isinstance(values, tuple):
            raise Unsupported("an array of something other than numbers", self.line)
        if are_floats:
            values = self._as_floats(values)
        if not all(isinstance(v, str) for v in values):
            return self.rows(values)
        if any(map(is_name, values)) and self.are_integers(values) and (found := self.integers_of(values)) is not None:
            return found
        if self.program.weighted:  # what the numbers become of is not asked for
            return Small(self.held(tuple(values)))
        if len(values) > MOST or not self.is_small:
            return self.packed(values, (len(values),))
        self.program.is_small = True
        if any(not is_integer(v) for v in values):  # then all of them must be floats
            values = tuple([f"{v}.0" if is_integer(v) and v.isdigit() and len(v) < 15 else v for v in values])
        return self.together([self.compute("element", v, f=values) for v in values])

    def array_call(self, f: Any, args: list, named: dict[str, Any]) -> Any:
        """``np.array(x)`` or ``np.asarray(x)``, of floats if the type is said; None where it is something else."""
        given = dict(zip(("object", "dtype"), args, strict=False)) | named
        is_copy = given.pop("copy", "True") if f is np.array else "True"
        dtype = given.get("dtype")
        are_floats = isinstance(dtype, Static) and dtype.value in (float, np.float64)
        if is_copy != "True" or len(args) > 2 or not given.keys() <= {"object", "dtype"} or "object" not in given:
            return None
        if dtype is not None and not are_floats:
            return None
        x = given["object"]
        if f is np.asarray and isinstance(x, Array | ListOf | Small) and getattr(x, "kind", None) is not list:
            is_float = x.dtype == np.float64 if isinstance(x, Array) else getattr(x, "is_float", True)
            return x if dtype is None or is_float else None
        if isinstance(x, Single):
            return x if f is np.asarray else Single(self.compute("element", x.atom))
        if isinstance(x, str) and (is_name(x) or (is_written_out(x) and not is_integer(x))):
            return Single(self.compute("float", x) if are_floats else x)
        if not isinstance(x, tuple | Small | Array | ListOf | Thing):
            return None
        return self.new_array(x, are_floats)

    def unlisted(self, value: Any) -> Any:
        """A value with tuples in the place of lists that are things."""
        if is_known_list(value):
            value = self.sequence(value)
        return tuple(map(self.unlisted, value)) if isinstance(value, tuple) else value

    def _as_floats(self, values: tuple) -> tuple:
        """The numbers as floats."""
        found: list[Any] = []
        for v in values:
            if isinstance(v, tuple):
                found.append(self._as_floats(v))
            elif isinstance(v, str):
                is_short = is_integer(v) and v.isdigit() and len(v) < 15
                found.append(f"{v}.0" if is_short else self.compute("float", v))
            else:
                found.append(v)
        return tuple(found)

    def operand(self, value: Any) -> str | Small | Array:
        """A number or an array."""
        if isinstance(value, ListOf):
            return self.one_form(value)
        if isinstance(value, str | Small | Array):
            return value
        if isinstance(value, Single):
            return self.compute("element", value.atom)
        raise Unsupported("something other than a number where one is computed with", self.line)

    def may_be_small(self, value: Any) -> bool:
        """Whether a value is an array that is to be numbers."""
        if isinstance(value, Small):
            return True
        if not isinstance(value, ListOf) or not value.is_short or value.kind is list or not value.is_float:
            return False
        self.program.is_small = True
        return self.is_small

    def one_form(self, value: Any) -> Any:
        """An array from outside in the form in which it is computed with."""
        if not isinstance(value, ListOf):
            return value
        if value.shape[0] is None and not self.by_length:
            self.by_length = True
            raise Again
        return self.as_small(value) if self.may_be_small(value) else self.as_array(value)

    def as_small(self, array: ListOf) -> Small:
        """The numbers of an array as they are now; one from outside has the length that it has now."""
        if array.kind is list:
            raise Unsupported("arithmetic of lists", self.line)
        n = array.shape[0]
        if not array.is_short or n is None:
            raise Unsupported("arithmetic of arrays of many numbers", self.line)
        if not array.is_float:
            raise Unsupported("arithmetic of arrays of integers", self.line)
        if not array.fixed:
            self.program.lengths[array.measured] = n
        return Small(tuple([self.compute("index", array.var, str(i)) for i in range(n)]))

    def copied(self, array: ListOf | Array, text: str = "") -> ListOf | Small | Array:
        """A new array of the same numbers; `text` says how, where it is not by `numpy.array`."""
        if isinstance(array, Array):
            return self.array_copied(array, text)
        if self.may_be_small(array):
            return self.as_small(array)
        if array.kind is list and not array.is_vector:
            raise Unsupported("a copy of a list of lists", self.line)
        if array.measured and array.kind is not list:
            return self.array_copied(array, text)
        found = replace(array, var=self.compute("copied", array.var, f=array.kind))
        return replace(found, shape=(None,), fixed=True, measured="") if array.measured else found

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

    def crossed(self, f: Any, left: Any, right: Any) -> Small:
        """The cross product of two arrays of three numbers, in the order in which NumPy computes it."""
        if not isinstance(left, Small) or not isinstance(right, Small) or has_own_rule(f):
            raise Unsupported("a cross product of such arrays", self.line)
        if len(left.parts) != 3 or len(right.parts) != 3:
            raise Unsupported("a cross product of arrays of other than three numbers", self.line)
        product = lambda i, j: self.compute("mul", left.parts[i], right.parts[j])
        pairs = [(product(i, j), product(j, i)) for i, j in ((1, 2), (2, 0), (0, 1))]
        return self.together([self.compute("sub", one, other) for one, other in pairs])

    def together(self, parts: list[str]) -> Small:
        """A new array of these numbers: where one of them is asked for, the derivatives of all are no absent ones."""
        self.program.groups.append(tuple(parts))
        return Small(tuple(parts))

    def each(self, change: Callable[[str], str], values: Any) -> Any:
        """A tuple or an array of what `change` makes of each atom."""
        if isinstance(values, str):
            return change(values)
        if isinstance(values, ListOf):
            raise Unsupported("a list inside another one", self.line)
        if isinstance(values, Array):
            atom = change(values.atom)
            self.program.shapes[atom] = values.shape
            return replace(values, atom=atom)
        if isinstance(values, Box | Single):
            return replace(values, atom=change(values.atom))
        if isinstance(values, Span):
            return Span(*[None if e is None else change(e) for e in (values.start, values.stop, values.step)])
        return self.likewise(values, [self.each(change, v) for v in _parts(values)])

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

    def is_number(self, node: ast.expr) -> bool:
        """Whether an index cannot be None, an ellipsis or an array."""
        if isinstance(node, ast.Attribute):
            return node.attr != "newaxis"
        return not isinstance(node, ast.Constant) or type(node.value) in (int, bool)

    def part(self, array: ListOf, *index: str) -> Any:
        """A number of an array, or a row of it."""
        if len(index) > len(array.shape):
            raise Unsupported("too many indices", self.line)
        if len(index) < len(array.shape):
            if len(array.shape) > 2:
                raise Unsupported("rows of arrays of more than two axes", self.line)
            row = self.compute("row", array.var, *index)
            measured = array.measured and f"{array.measured}[0]"
            found = replace(
                array, var=row, shape=array.shape[1:], measured=measured, index=tuple(map(self.held, index))
            )
            if array.rows is np.ndarray:
                return replace(found, kind=np.ndarray, rows=None, width=None)
            return found if array.rows is not list else replace(found, rows=None, width=None)
        return self.compute("index", array.var, *index)

    def item(self, array: ListOf, node: ast.expr) -> Any:
        """What an index gives."""
        given = indices(node)
        if array.kind is list and isinstance(node, ast.Slice):
            if array.is_queue:
                raise Unsupported("a slice of a queue", self.line)
            return self._sliced(array, node)
        if array.kind in (list, tuple) and (len(given) > 1 or not self.is_number(node)):
            raise Unsupported("an index of a list that is no integer", self.line)
        if any(map(self.is_index_array, given)):
            return self.read_part(self.as_array(array), node)
        if len(array.shape) > 2 or any(isinstance(i, ast.Slice) or not self.is_number(i) for i in given):
            return self.read_part(self.as_array(array), node)
        values = [self.value(i) for i in given]
        if any(not isinstance(v, str) for v in values):
            read: list[ast.expr] = [ast.copy_location(Given(v), i) for v, i in zip(values, given, strict=True)]
            return self.read_part(self.as_array(array), ast.Tuple(read) if isinstance(node, ast.Tuple) else read[0])
        return self.part(array, *values)

    def _sliced(self, array: ListOf, node: ast.Slice) -> ListOf:
        """A new list of some items."""
        step = "1" if node.step is None else self.number(node.step)
        if step == "(-1)" and node.lower is None and node.upper is None:
            return self.backwards(array)
        low = "0" if node.lower is None else self.number(node.lower)
        high = self.length(array) if node.upper is None else self.number(node.upper)
        if not step.isdigit() or step == "0":
            raise Unsupported("a slice of a list that is not taken forwards", self.line)
        op, kind = ("sliced", list) if array.is_vector else ("part", None)
        var = self.compute(op, array.var, low, high, *[step] * (step != "1"), f=kind)
        return replace(array, var=var, shape=(None,) * len(array.shape), fixed=True, measured="", index=())

    def whole(self, array: ListOf) -> ListOf:
        """A new list of all items."""
        var = self.compute("sliced", array.var, "0", self.length(array), f=list)
        return replace(array, var=var, shape=(None,), fixed=True, measured="")

    def backwards(self, array: ListOf) -> ListOf:
        """A new list of the items from the last to the first one."""
        if not array.is_vector:
            raise Unsupported("a list of lists that is turned round", self.line)
        var = self.compute("reversed", array.var, f=list)
        return replace(array, var=var, shape=(None,), fixed=True, measured="", index=())

    def method(self, array: ListOf | Small, name: str) -> Any:
        """A method that is called without arguments."""
        if name == "copy":
            return self.copied(array, "{a0}.copy()") if isinstance(array, ListOf) else Small(self.held(array.parts))
        if name in ("sum", "mean"):
            return self.total(array, name == "mean")
        raise Unsupported(f"the method {name!r} of an array", self.line)

    def total(self, array: ListOf | Small, is_mean: bool) -> str:
        """The sum or the mean; NumPy begins with a zero."""
        if has_own_rule(np.mean if is_mean else np.sum):
            raise Unsupported("a sum of an array, which has a user-defined rule", self.line)
        array = self.as_small(array) if isinstance(array, ListOf) else array
        found = "0.0"
        for v in array.parts:
            found = self.compute("add", found, v)
        return self.compute("truediv", found, str(len(array.parts))) if is_mean else found


def indices(node: ast.expr) -> list[ast.expr]:
    """The parts of an index in brackets."""
    if isinstance(node, ast.Constant) and type(node.value) is tuple:  # as it is in byte code
        return [ast.copy_location(ast.Constant(v), node) for v in node.value]
    return node.elts if isinstance(node, ast.Tuple) else [node]


def _parts(value: Any) -> tuple:
    return value.parts if isinstance(value, Small) else value
