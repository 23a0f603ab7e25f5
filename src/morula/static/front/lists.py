"""Lowering of lists of numbers: an array that grows by doubling, and how much of it is in use.

    xs.append(v)         if n + 1 > len(items): items = (a longer copy)       (see `room`)
                         items[n] = v
                         n = n + 1

A variable holds a reference to its list; the array and the length are variables of their own, so that loops and
branches carry them like any other. A variable that may be one list or another has no such form.
"""

import ast
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba.core import types

from morula.static.front.operands import Items, dtype_text, type_of
from morula.static.ir import Block, Branch, Carry, Const, Loop, Undefined, Value
from morula.static.passes.bounds import Bounds
from morula.static.passes.small_arrays import MOST_ELEMENTS
from morula.static.unsupported import Unsupported

INT = types.intp
MUTATORS = frozenset({"append", "pop", "extend", "insert", "remove", "clear", "reverse", "sort"})
FIRST_SIZE = 8


def is_mutated(name: str, tree: ast.AST) -> bool:
    """Whether a method is called on a variable that may change a list."""
    return any(
        isinstance(n, ast.Attribute) and n.attr in MUTATORS and isinstance(n.value, ast.Name) and n.value.id == name
        for n in ast.walk(tree)
    )


@dataclass(eq=False, frozen=True)
class ListRef:
    """One list: the names of the variables that hold its array and its length; no array is that of a list of tuples."""

    array: str
    count: str
    dtype: types.Type

    @property
    def hidden(self) -> tuple[str, ...]:
        """The variables of its own."""
        return self.array, self.count


class Lists:
    """The part of lowering that knows lists."""

    env: dict[str, Any]

    def new_list(self: Any, base: str, dtype: types.Type, size: Any) -> ListRef:
        """A list of `size` numbers that are still to be written."""
        made = ListRef(self.fresh(f"{base}_items"), self.fresh(f"{base}_count"), dtype)
        room = Const(max(size.value, FIRST_SIZE)) if isinstance(size, Const) else size
        self.env[made.array] = self.new_array(made.array, dtype, room)
        self.env[made.count] = size
        return made

    def new_array(self: Any, base: str, dtype: types.Type, size: Any) -> Value:
        array = types.Array(dtype, 1, "C")
        found: Value = self.emit("new", [size], base, array, attr=("empty", dtype_text(dtype)))
        return found

    def of_List(self: Any, e: ast.List, base: str, t: Any) -> Any:
        items = [self.operand(item) for item in e.elts]
        dtype = getattr(t, "dtype", None)
        if not isinstance(dtype, types.Number | types.Boolean):
            if not items or is_mutated(base, self.form.tree):
                if isinstance(dtype, types.BaseTuple):
                    return self.new_rows(base, dtype, items)
                if isinstance(dtype, types.Array):
                    return self.new_arrays(base, dtype, items)
            if not items:
                raise Unsupported("a list of something other than numbers that is filled later")
            return Items(tuple(items))
        made = self.new_list(base, dtype, Const(len(items)))
        for k, x in enumerate(items):
            self.effect("store", [self.env[made.array], x, Const(k)], None)
        return made

    def typed_list(self: Any, args: list, base: str, t: Any) -> ListRef:
        """`List()`, `List.empty_list(...)` and `List(numbers)` of `numba.typed`."""
        dtype = getattr(t, "dtype", None)
        if not isinstance(t, types.ListType):
            raise Unsupported("a dict" if isinstance(t, types.DictType) else "a container of numba.typed")
        if isinstance(dtype, types.BaseTuple | types.Array) and not args:
            is_of_tuples = isinstance(dtype, types.BaseTuple)
            rows: ListRef = self.new_rows(base, dtype, []) if is_of_tuples else self.new_arrays(base, dtype, [])
            return rows
        if not isinstance(dtype, types.Number | types.Boolean):
            raise Unsupported("a list of something other than numbers that is filled later")
        first: Any = args[0] if args else None
        if isinstance(first, ListRef):
            first = self.part_in_use(first)
        if isinstance(first, Value) and isinstance(first.type, types.Array) and first.type.ndim == 1:
            made: ListRef = self.list_of(first, base)
            return made
        made = self.new_list(base, dtype, Const(0))
        for x in getattr(first, "items", ()):
            self.list_method(made, "append", [x], base)
        return made

    def part_in_use(self: Any, x: ListRef) -> Value:
        """The array of what is in a list."""
        if not x.array:
            raise Unsupported("a list of tuples or arrays as a whole")
        template = [("slice", [None, self.env[x.count], None])]
        found: Value = self.view(self.env[x.array], template, f"{x.array}_used", types.Array(x.dtype, 1, "C"))
        return found

    def list_of(self: Any, array: Value, base: str) -> ListRef:
        """A list with the numbers of an array."""
        n = self.shape(array, 0)
        made: ListRef = self.new_list(base, array.type.dtype, n)
        self.copy_numbers(array, self.env[made.array], n)
        return made

    def copy_numbers(self: Any, source: Value, target: Value, n: Any) -> None:
        body = Block()
        loop = Loop(None, Const(0), n, Const(1), [], body, line=self.line)
        body.owner, body.parent = loop, self.block
        outer, self.block = self.block, body
        loop.index = self.value("k", INT, loop)
        self.effect("store", [target, self.load(source, [loop.index], "item"), loop.index], None)
        self.block = outer
        outer.statements.append(loop)

    def membership(self: Any, symbol: str, x: Any, held: Any) -> Any:
        """`x in held` and `x not in held`, of a list or a vector of numbers."""
        if symbol not in ("in", "not in") or not isinstance(x, Value | Const) or _is_array(x):
            raise Unsupported(f"`{symbol}` on a container")
        if isinstance(held, ListRef) and held.array:
            found = self.holds(self.env[held.array], self.env[held.count], x)
        elif _is_array(held) and held.type.ndim == 1:
            found = self.holds(held, self.shape(held, 0), x)
        else:
            kinds = {types.DictType: "a dict", types.Set: "a set"}
            raise Unsupported(kinds.get(type(type_of(held)), f"`{symbol}` on a container"))
        return found if symbol == "in" else self.elementwise("unary", "not ", [found], "absent", types.boolean)

    def holds(self: Any, array: Value, n: Any, v: Any) -> Value:
        """Whether one of the first `n` numbers of an array is `v`."""
        body = Block()
        loop = Loop(None, Const(0), n, Const(1), [], body, line=self.line)
        body.owner, body.parent = loop, self.block
        outer, self.block = self.block, body
        found: Value = self.value("found", types.boolean, loop)
        loop.index = self.value("k", INT, loop)
        item = self.load(array, [loop.index], "item")
        same = self.elementwise("binary", "==", [item, v], "same", types.boolean)
        loop.carries.append(Carry(found, Const(False), self.elementwise("binary", "|", [found, same], "found", None)))
        self.block = outer
        outer.statements.append(loop)
        return found

    # -- reading and writing ----------------------------------------------------------------------------------------

    def place(self: Any, x: ListRef, index: Any, message: str) -> Any:
        """An index into a list as one into its array; it raises what a list raises."""
        if not isinstance(index, Value | Const):
            raise Unsupported("an index of that kind into a list")
        n = self.env[x.count]
        if isinstance(index, Const) and isinstance(n, Const) and -n.value <= index.value < n.value:
            return Const(index.value % n.value)
        if not Bounds().is_natural(index):
            below = self.elementwise("binary", "<", [index, Const(0)], "below", types.boolean)
            wrapped = self.binary("+", index, n, "wrapped", INT)
            index = self.elementwise("call", np.where, [below, wrapped, index], "place", INT)
            low = self.elementwise("binary", "<", [index, Const(0)], "below", types.boolean)
            self.raise_if(low, "IndexError", message)
        high = self.elementwise("binary", ">=", [index, n], "above", types.boolean)
        self.raise_if(high, "IndexError", message)
        return index

    def raise_if(self: Any, test: Any, error: str, message: str) -> None:
        branch = Branch(test, Block(), Block(), [], self.line)
        outer = self.block
        for block in (branch.then, branch.orelse):
            block.owner, block.parent = branch, outer
        self.block = branch.then
        self.effect("raise", [Const(message)], error)
        self.block = outer
        outer.statements.append(branch)

    def list_item(self: Any, x: ListRef, index: ast.expr, base: str) -> Any:
        """`xs[k]` and `xs[a:b]`."""
        if isinstance(index, ast.Slice):
            parts = [None if p is None else self.operand(p) for p in (index.lower, index.upper, index.step)]
            parts = [None if isinstance(p, Const) and p.value is None else p for p in parts]
            part = self.view(self.part_in_use(x), [("slice", parts)], base, types.Array(x.dtype, 1, "A"))
            return self.list_of(part, base)
        k = self.place(x, self.operand(index), "getitem out of range")
        return self.item_of(x, k)

    def item_of(self: Any, x: ListRef, k: Any, base: str = "item") -> Any:
        """The item at a place that there is."""
        if isinstance(getattr(x, "dtype", None), types.Array):
            return self.array_at(x, k, base)
        if not x.array:
            return self.row(x, k)
        return self.load(self.env[x.array], [k], base)

    def write_item(self: Any, x: ListRef, index: ast.expr, symbol: str | None, value: Any) -> None:
        """`xs[k] = value` and `xs[k] op= value`."""
        if isinstance(x.dtype, types.Array):
            raise Unsupported("an array in a list, which is written into or replaced")
        if not x.array and symbol is None and isinstance(value, Items):
            self.put_row(x, self.place(x, self.operand(index), "setitem out of range"), value)
            return
        if isinstance(index, ast.Slice) or not isinstance(value, Value | Const):
            raise Unsupported("a write into a slice of a list")
        array = self.env[x.array]
        k = self.place(x, self.operand(index), "setitem out of range")
        if symbol is not None:
            value = self.binary(symbol, self.load(array, [k], "old"), value, "new", None)
        self.effect("store", [array, value, k], None)

    def list_method(self: Any, x: ListRef, name: str, args: list, base: str) -> Any:
        if name == "pop" and len(args) < 2:
            return self.popped(x, args, base)
        if name == "clear" and not args:
            self.env[x.count] = Const(0)
            return Const(None)
        if not x.array:
            return self.rows_method(x, name, args)
        if name in ("sort", "reverse") and not args:
            self.reorder(x, name)
            return Const(None)
        n = self.env[x.count]
        if name == "append" and len(args) == 1 and isinstance(args[0], Value | Const):
            array = self.room(x, n)
            self.effect("store", [array, args[0], n], None)
            self.env[x.count] = self.binary("+", n, Const(1), x.count, INT)
            return Const(None)
        if name == "copy" and not args:
            return self.list_of(self.part_in_use(x), base)
        raise Unsupported(f"the method .{name} of a list")

    # -- functions of lists -----------------------------------------------------------------------------------------

    def call_on_list(self: Any, f: Any, x: ListRef, base: str, t: types.Type | None) -> Any:
        """`len`, `bool`, `sum`, `max`, `min`, `list` and `np.array` of a list; None for other functions."""
        if f is len:
            return self.env[x.count]
        if f is bool:
            return self.elementwise("binary", ">", [self.env[x.count], Const(0)], base, types.boolean)
        if f in (np.array, np.asarray):
            return self.array_of_list(x, base, x.dtype)
        if f is list:
            return self.list_of(self.part_in_use(x), base)
        if f is sorted:
            return self.sorted_list(x, base)
        if f is sum:
            return self.emit("sum", [self.part_in_use(x)], base, t or x.dtype)
        if f in (max, min):
            return self.call(np.max if f is max else np.min, [self.part_in_use(x)], {}, base, t)
        raise Unsupported(f"a call to {getattr(f, '__name__', f)} with a list")

    def array_of_list(self: Any, x: ListRef, base: str, dtype: types.Type) -> Value:
        """`np.array` of a list, of numbers of some type."""
        if not x.array:
            raise Unsupported("np.array of a list of tuples or arrays")
        n = self.env[x.count]
        if isinstance(n, Const) and n.value <= MOST_ELEMENTS:
            made: Value = self.new_array(base, dtype, n)
            for k in range(n.value):
                self.effect("store", [made, self.load(self.env[x.array], [Const(k)], "item"), Const(k)], None)
            return made
        if dtype == x.dtype:
            made = self.emit("copy", [self.part_in_use(x)], base, types.Array(dtype, 1, "C"))
            return made
        made = self.new_array(base, dtype, n)
        self.copy_numbers(self.env[x.array], made, n)
        return made

    def repeated_list(self: Any, x: ListRef, n: Any, base: str) -> ListRef:
        """`[v] * n`."""
        if not x.array or not isinstance(self.env[x.count], Const) or self.env[x.count].value != 1:
            raise Unsupported("a list of several numbers that is repeated")
        v = self.load(self.env[x.array], [Const(0)], "item")
        made: ListRef = self.new_list(base, x.dtype, self.binary("max2", n, Const(0), "n", INT))
        self.effect("fill", [self.env[made.array], v], None)
        return made

    def array_of(self: Any, x: Any, base: str, t: types.Type | None) -> Value:
        """`np.array` of numbers, or of rows of numbers, that are written out."""
        if not isinstance(t, types.Array):
            raise Unsupported("np.array of a type that is not known")
        rows = [self.written_out(row) for row in x.items] if t.ndim == 2 else [self.written_out(x)]
        if t.ndim > 2 or any(len(row) != len(rows[0]) for row in rows):
            raise Unsupported("np.array of that structure")
        sizes = [Const(len(rows)), Const(len(rows[0]))] if t.ndim == 2 else [Const(len(rows[0]))]
        array = types.Array(t.dtype, t.ndim, "C")
        made: Value = self.emit("new", sizes, base, array, attr=("empty", dtype_text(t.dtype)))
        for i, row in enumerate(rows):
            for k, v in enumerate(row):
                self.effect("store", [made, v, *([Const(i)] if t.ndim == 2 else []), Const(k)], None)
        return made

    def written_out(self: Any, x: Any) -> list[Any]:
        """The numbers of a tuple, or of a list of known length."""
        if isinstance(x, ListRef) and x.array and isinstance(self.env[x.count], Const):
            return [self.load(self.env[x.array], [Const(k)], "item") for k in range(self.env[x.count].value)]
        if isinstance(x, Items) and all(isinstance(v, Value | Const) and not _is_array(v) for v in x.items):
            return list(x.items)
        raise Unsupported("np.array of that structure")

    # -- control ----------------------------------------------------------------------------------------------------

    def mutated_in(self: Any, s: ast.stmt) -> list[str]:
        """The hidden variables of the lists that a loop may change."""
        changes = any(isinstance(n, ast.Attribute) and n.attr in MUTATORS for n in ast.walk(s))
        if not changes:
            return []
        refs = dict.fromkeys(r for x in self.env.values() for r in _refs(x))
        return list(dict.fromkeys(name for r in refs for name in r.hidden))

    def refuse_growth(self: Any, x: ListRef, s: ast.stmt) -> None:
        """Raise where a loop over a list changes its length."""
        for node in ast.walk(s):
            if isinstance(node, ast.Attribute) and node.attr in MUTATORS and isinstance(node.value, ast.Name):
                if self.env.get(node.value.id, x) is x:
                    raise Unsupported("a loop over a list that it changes")

    def refuse_rebinding(self: Any, before: dict, after: dict) -> None:
        """Raise where a variable holds another list after an iteration than before the loop."""
        for name, x in before.items():
            if isinstance(x, ListRef) and after.get(name) is not x:
                raise Unsupported("a variable that is one list or another")


def _refs(x: Any) -> list[ListRef]:
    if isinstance(x, ListRef):
        return [x]
    items = getattr(x, "items", None)
    return [r for item in items for r in _refs(item)] if isinstance(items, tuple) else []


def has_list(x: Any) -> bool:
    """Whether a list is in an operand."""
    return bool(_refs(x))


def _is_array(v: Any) -> bool:
    return isinstance(v, Value) and isinstance(v.type, types.Array)


__all__ = ["ListRef", "Lists", "Undefined", "has_list"]
