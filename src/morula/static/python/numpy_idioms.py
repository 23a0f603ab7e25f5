"""Calls of NumPy's that stand for a few lines of a program: such as write into what they are given, or call back."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from morula.static.python.array_idioms import ArrayIdioms
from morula.static.python.comprehensions import Given
from morula.static.python.forms import Term
from morula.static.python.ir import Program, Unsupported, is_integer
from morula.static.python.ndarrays import function_name
from morula.static.python.scopes import Array, Display, ListOf, Scope, Small, Static
from morula.static.python.slopes import has_own_rule
from morula.static.python.things import ABSENT
from morula.static.python.ufunc_methods import UfuncMethods
from morula.transform.syntax import walk

__all__ = ["NumpyIdioms", "taken_for_writes"]

EXACT = (np.cumsum, np.cumprod, np.dot, np.matmul, np.clip)  # functions whose value has the shape of what it goes to
DEEP = 20  # operations that are looked at to find out of what type a number is
OF_NUMPY = frozenset(["np.float64"])
MOST_REPEATED = 64  # items of a list of one array


class NumpyIdioms(UfuncMethods, ArrayIdioms):
    """The part of a `front.Builder` that reads such calls."""

    line: int
    program: Program
    scopes: list[Scope]
    value: Callable[[ast.expr], Any]
    held: Callable[[Any], Any]
    store: Callable[[ast.Subscript, Any], None]
    several: Callable[[Scope, str, Any], None]
    place_named: Callable[[ast.expr], ast.expr]
    set_in_place: Callable[..., None]
    set_slot: Callable[..., None]
    _alone: Callable[[Scope, str, Any], None]
    _put_into: Callable[..., Any]
    _slot_of: Callable[[ast.expr, Any], Any]
    sequence: Callable[[Any], tuple | None]
    arguments: Callable[..., tuple[list, dict[str, Any]]]
    integer: Callable[[ast.expr], int | None]
    as_array: Callable[[Any], Array]
    is_array: Callable[[Any], bool]
    made: Callable[..., Any]
    items_now: Callable[[str], tuple[set[str], list[frozenset[str]]]]
    types_now: Callable[..., frozenset[str]]
    new_array: Callable[..., Any]
    numpy_call: Callable[..., Any]
    transposed: Callable[..., Any]
    _own: Callable[[str], str]
    _placed: Callable[[list[Any], ast.AST], list[Any]]
    is_call_of_named: Callable[[ast.Call, Any], bool]
    only_number: Callable[[Any], str]

    def numpy_idiom(self, f: Any, node: ast.Call) -> Any:
        """What a call comes to; `ABSENT` for any other."""
        if (found := self.of_ufunc_method(f, node)) is not ABSENT:
            return found
        if (found := self.array_idiom(f, node)) is not ABSENT:
            return found
        keywords = {k.arg: k.value for k in node.keywords}
        if isinstance(f, np.ufunc) and len(node.args) == f.nin + 1 and f.nout == 1 and not keywords:
            return self._written_to(f, ast.Call(node.func, node.args[:-1], []), node.args[-1], node)
        if "out" in keywords and (isinstance(f, np.ufunc) or f in EXACT):
            rest = [k for k in node.keywords if k.arg != "out"]
            return self._written_to(f, ast.Call(node.func, node.args, rest), keywords["out"], node)
        if f is np.copyto and len(node.args) == 2 and not keywords and not has_own_rule(f):
            self._write(node.args[0], self.value(node.args[1]), False)
            return Static(None)
        if f is np.select and 2 <= len(node.args) <= 3 and keywords.keys() <= {"default"} and not has_own_rule(f):
            return self._selected(node)
        if f is np.fromiter and node.args and isinstance(node.args[0], ast.GeneratorExp) and not has_own_rule(f):
            return self._from_items(node, node.args[0])
        if f is np.apply_along_axis and len(node.args) >= 3 and not keywords and not has_own_rule(f):
            return self._along_axis(node)
        repeated = node.args[0] if f is np.array and len(node.args) == 1 and not keywords else None
        if isinstance(repeated, ast.BinOp) and isinstance(repeated.op, ast.Mult):
            return self._several_times(repeated)
        return ABSENT

    # -- what is written into an array that is given --------------------------------------------------------

    def _written_to(self, f: Any, call: ast.Call, out: ast.expr, node: ast.Call) -> Any:
        """``f(..., out=out)``, whose value is `out`."""
        if isinstance(out, ast.Constant) and out.value is None:
            return ABSENT
        self._write(out, self.value(ast.copy_location(call, node)), f in EXACT)
        return self.value(ast.copy_location(out, node))

    def _write(self, place: ast.expr, value: Any, is_exact: bool) -> None:
        """``place[...] = value``, which NumPy's functions do where shape and type fit."""
        is_known = isinstance(place, ast.Name | ast.Attribute | ast.Subscript)
        if not is_known or any(isinstance(n, ast.Call) for n in walk(place)):  # which would be called twice
            raise Unsupported("writing into what an expression gives", self.line)
        place = self.place_named(place)
        owner = self.value(place)
        value = self.as_array(value) if isinstance(value, ListOf) and value.kind is not list else value
        shape = self._shape_of(owner)
        given = () if isinstance(value, str) else self._shape_of(value)
        is_float = isinstance(value, str | Small) or getattr(value, "dtype", None) == np.float64
        fits = shape is not None and given is not None and is_float and len(given) <= len(shape)
        if not fits or (is_exact and given != shape):
            raise Unsupported("writing a value of another shape or type into what a function is given", self.line)
        if isinstance(place, ast.Subscript):
            self.store(ast.copy_location(ast.Subscript(place.value, place.slice, ast.Store()), place), value)
            return
        if not isinstance(owner, Array):
            raise Unsupported("slices of an array of few numbers that is written into", self.line)
        found = lambda: self._put_into(owner, ast.copy_location(ast.Slice(), place), value, is_over=True)
        if isinstance(place, ast.Name):
            self._alone(self.scopes[-1], place.id, owner)
            self.several(self.scopes[-1], place.id, found())
        elif (slot := self._slot_of(place, owner)) is not None:
            self.set_in_place(*slot, found())
        else:
            raise Unsupported("writing into what an expression gives", self.line)

    def _shape_of(self, value: Any) -> tuple[int | None, ...] | None:
        if isinstance(value, Small):
            return (len(value.parts),)
        return value.shape if isinstance(value, Array | ListOf) and getattr(value, "kind", None) is not list else None

    # -- what is put together of several arrays -------------------------------------------------------------

    def _selected(self, node: ast.Call) -> Any:
        """``np.select(conditions, choices, default)``: what the first condition that holds goes with."""
        args, named = self.arguments(node)
        conditions, choices = (self.sequence(a) for a in args[:2])
        default = args[2] if args[2:] else named.get("default", "0")
        if not conditions or not choices or len(conditions) != len(choices):
            raise Unsupported("a call to select with these arguments", self.line)
        values = [self.as_array(v) if self.is_array(v) else v for v in (*choices, default)]
        arrays = [v for v in values if isinstance(v, Array)]
        are_fine = all(isinstance(v, str | Array) for v in values) and all(v.dtype == np.float64 for v in arrays)
        tests = [self.as_array(c) for c in conditions if self.is_array(c)]
        if not arrays or not are_fine or len(tests) < len(conditions) or any(c.dtype != bool for c in tests):
            raise Unsupported("a call to select with these arguments", self.line)
        last = values[-1]
        found = f"{last}.0" if isinstance(last, str) and is_integer(last) and last.isdigit() else last
        for test, value in zip(tests[::-1], values[-2::-1], strict=True):
            found = self.numpy_call(np.where, [test, value, found], {})
        if isinstance(found, Array) and len(found.shape) > 1:  # in the order in which it lies in memory there
            found = self.made(np.copy, '{a0}.copy("C")', [found], lambda shape: (Term("{z}", of_number="number"),))
        return found

    def _from_items(self, node: ast.Call, items: ast.GeneratorExp) -> Any:
        """``np.fromiter((... for ...), float)``, which is ``np.array([... for ...], float)``."""
        options = {k.arg: k.value for k in node.keywords}
        kind = node.args[1] if node.args[1:] else options.pop("dtype", None)
        dtype = None if kind is None else self.value(kind)
        if options or len(node.args) > 2 or not isinstance(dtype, Static) or dtype.value not in (float, np.float64):
            raise Unsupported("a call to fromiter with these arguments", self.line)
        given = ast.ListComp(items.elt, items.generators)
        call = ast.Call(Given(Static(np.array)), [given, Given(Static(float))], [])
        return self.value(self._placed([ast.copy_location(call, node)], node)[0])

    def _several_times(self, node: ast.BinOp) -> Any:
        """``np.array([item] * n)`` of an array, of which nobody sees the list."""
        one, n = (node.left, node.right) if isinstance(node.left, ast.List) else (node.right, node.left)
        count = self.integer(n) if isinstance(one, ast.List) and len(one.elts) == 1 else None
        if not isinstance(one, ast.List) or count is None or not 0 < count <= MOST_REPEATED:
            return ABSENT
        item = self.value(one.elts[0])
        if not isinstance(item, Array | Small | tuple):
            return self.new_array(self._repeated(node, item, isinstance(node.left, ast.List)))
        return self.new_array(Display([item] * count))

    def _repeated(self, node: ast.BinOp, item: Any, is_left: bool) -> Any:
        """``[item] * n``, of which the item has been read."""
        listed = ast.copy_location(ast.List([ast.copy_location(Given(item), node)], ast.Load()), node)
        sides = (listed, node.right) if is_left else (node.left, listed)
        return self.value(ast.copy_location(ast.BinOp(sides[0], node.op, sides[1]), node))

    def _along_axis(self, node: ast.Call) -> Any:
        """``np.apply_along_axis(f, axis, matrix, *args)``: what the function gives of the rows or the columns."""
        f, matrix, *more = [self.held(self.value(n)) for n in (node.args[0], *node.args[2:])]
        axis, x = self.integer(node.args[1]), self.as_array(matrix)
        if axis not in (0, 1, -1) or len(x.shape) != 2:
            raise Unsupported("a function along an axis of something other than a matrix", self.line)
        rows = self.transposed(x, (), "{a0}.T") if axis == 0 else x
        name = self._own("row")
        call = ast.Call(Given(f), [ast.Name(name, ast.Load()), *map(Given, more)], [])
        each = ast.ListComp(call, [ast.comprehension(ast.Name(name, ast.Store()), Given(rows), [], 0)])
        items = self.value(self._placed([ast.copy_location(each, node)], node)[0])
        self._check_first(items)
        found = self.new_array(items)
        if not isinstance(found, Array | Small) or getattr(found, "dtype", np.float64) != np.float64:
            raise Unsupported(f"a call to {function_name(np.apply_along_axis)} that gives no floats", self.line)
        is_matrix = isinstance(found, Array) and len(found.shape) == 2
        if isinstance(found, Array) and len(found.shape) > 2:
            raise Unsupported("a function along an axis that gives matrices", self.line)
        return self.transposed(found, (), "{a0}.T") if is_matrix and axis == 0 else found

    def _check_first(self, items: Any) -> None:
        """See to it that the first item, which decides of what type all are there, is as the others."""
        if isinstance(items, ListOf):
            atoms, given = self.items_now(items.var)
        else:
            atoms, given = {v for v in self.sequence(items) or () if isinstance(v, str)}, []
        if given or any(self.types_now(a, DEEP, True) != OF_NUMPY for a in atoms if a not in self.program.shapes):
            raise Unsupported("a function along an axis that gives numbers of several types", self.line)
        self.program.relied_on += [(a, OF_NUMPY) for a in atoms if a not in self.program.shapes]

    # -- loops ----------------------------------------------------------------------------------------------

    def with_places(self, s: ast.For) -> list[ast.stmt] | None:
        """``for place, x in np.ndenumerate(array): body``, as a loop over the elements, and ``np.ndindex`` likewise.

        None for something else.
        """
        if not isinstance(s.iter, ast.Call):
            return None
        name = getattr(s.iter.func, "attr", getattr(s.iter.func, "id", ""))
        if name == "ndindex" and s.iter.args and self.is_call_of_named(s.iter, np.ndindex):
            args = self.arguments(s.iter)[0]
            lengths = args[0] if len(args) == 1 and isinstance(args[0], tuple) else args
            count, parts, size = self._places_by_count(
                [
                    ast.Constant(int(v)) if v.isdigit() else Given(v)
                    for v in map(self.only_number, self.held(tuple(lengths)))
                ]
            )
            turns = ast.Call(Given(Static(range)), [size], [])
            first = ast.Assign([s.target], ast.Tuple(parts, ast.Load()))
            return self._placed([ast.For(ast.Name(count, ast.Store()), turns, [first, *s.body], [])], s)
        if not isinstance(s.target, ast.Tuple) or len(s.target.elts) != 2:
            return None
        if name != "ndenumerate" or len(s.iter.args) != 1 or not self.is_call_of_named(s.iter, np.ndenumerate):
            return None
        x = self.as_array(self.value(s.iter.args[0]))
        count, parts, _ = self._places_by_count(list(map(ast.Constant, x.shape)))
        flat = self.numpy_call(np.ravel, [x], {})
        items = ast.Call(Given(Static(enumerate)), [Given(flat)], [])
        first = ast.Assign([s.target.elts[0]], ast.Tuple(parts, ast.Load()))
        target = ast.Tuple([ast.Name(count, ast.Store()), s.target.elts[1]], ast.Store())
        return self._placed([ast.For(target, items, [first, *s.body], [])], s)

    def _places_by_count(self, lengths: list[ast.expr]) -> tuple[str, list[ast.expr], ast.expr]:
        """A variable that counts the elements of an array, the index of each along the axes, and how many there are."""
        count = self._own("count")
        parts: list[ast.expr] = []
        size: Any = None
        for k, n in reversed(list(enumerate(lengths))):
            place: ast.expr = ast.Name(count, ast.Load())
            place = ast.BinOp(place, ast.FloorDiv(), size) if size is not None else place
            parts.insert(0, ast.BinOp(place, ast.Mod(), n) if k else place)
            size = n if size is None else ast.BinOp(size, ast.Mult(), n)
        return count, parts, size


def taken_for_writes(node: ast.AST) -> list[ast.expr]:
    """What a call may write into, as far as that can be told without reading it."""
    if not isinstance(node, ast.Call):
        return []
    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
    given = [k.value for k in node.keywords if k.arg == "out"]
    if name in ("copyto", "shuffle"):
        given += node.args[:1]
    f = vars(np).get(name)
    if isinstance(f, np.ufunc) and len(node.args) == f.nin + 1:
        given.append(node.args[-1])
    return [v.value if isinstance(v, ast.Subscript) else v for v in given]
