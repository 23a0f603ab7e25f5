"""Lowering of lists of tuples of numbers: a list for each place of the tuples, all with one length.

What `lists` does for a number is done for each of the numbers of a tuple, nested ones, too.
"""

from dataclasses import dataclass
from typing import Any

from numba.core import types

from morula.static.front.lists import ListRef
from morula.static.front.operands import Items
from morula.static.ir import Block, Const, Loop, Value
from morula.static.unsupported import Unsupported

INT = types.intp


@dataclass(eq=False, frozen=True)
class RowsRef(ListRef):
    """One list of tuples, whose type is `dtype`: `columns` holds a list of numbers for each place, nested ones, too."""

    columns: tuple[ListRef, ...] = ()

    @property
    def hidden(self) -> tuple[str, ...]:
        return (*[column.array for column in self.columns], self.count)


def places_of(t: Any) -> list[types.Type] | None:
    """The types at the places of a tuple type, nested ones, too; None where some are no numbers."""
    if isinstance(t, types.Number | types.Boolean):
        return [t]
    if not isinstance(t, types.BaseTuple) or not t.types:
        return None
    found = [places_of(part) for part in t.types]
    return None if any(part is None for part in found) else [p for part in found for p in part or ()]


def flat(x: Any) -> list[Any]:
    """The numbers of a tuple."""
    if isinstance(x, Items):
        return [v for item in x.items for v in flat(item)]
    if not isinstance(x, Value | Const) or (isinstance(x, Value) and isinstance(x.type, types.Array)):
        raise Unsupported("a list of something other than numbers that is filled later")
    return [x]


def tuple_of(numbers: list[Any], t: Any) -> Any:
    """A tuple of a type, whose numbers are taken from the front of a list."""
    if not isinstance(t, types.BaseTuple):
        return numbers.pop(0)
    return Items(tuple([tuple_of(numbers, part) for part in t.types]), tuple(getattr(t, "fields", ())), t)


class Rows:
    """The part of lowering that knows lists of tuples."""

    def new_rows(self: Any, base: str, t: types.BaseTuple, items: list) -> RowsRef:
        """A list of tuples of a type, with these in it."""
        types_of = places_of(t)
        if types_of is None:
            raise Unsupported("a list of something other than numbers that is filled later")
        columns = [self.new_list(f"{base}_{k}", part, Const(len(items))) for k, part in enumerate(types_of)]
        count = columns[0].count
        made = RowsRef("", count, t, tuple([ListRef(c.array, count, c.dtype) for c in columns]))
        for k, item in enumerate(items):
            self.put_row(made, Const(k), item)
        return made

    def put_row(self: Any, x: RowsRef, k: Any, item: Any) -> None:
        numbers = flat(item)
        if len(numbers) != len(x.columns):
            raise Unsupported("tuples of several lengths in a list")
        for column, v in zip(x.columns, numbers, strict=True):
            self.effect("store", [self.env[column.array], v, k], None)

    def row(self: Any, x: RowsRef, k: Any) -> Items:
        """The tuple at a place, of which it is known that there is one."""
        found: Items = tuple_of([self.load(self.env[column.array], [k], "item") for column in x.columns], x.dtype)
        return found

    def rows_method(self: Any, x: RowsRef, name: str, args: list) -> Any:
        n = self.env[x.count]
        if name == "append" and len(args) == 1:
            if isinstance(x.dtype, types.Array):
                self.append_array(x, args[0])
                return Const(None)
            for column in x.columns:
                self.room(column, n)
            self.put_row(x, n, args[0])
            self.env[x.count] = self.binary("+", n, Const(1), x.count, INT)
            return Const(None)
        raise Unsupported(f"the method .{name} of a list")

    def popped(self: Any, x: ListRef, args: list, base: str) -> Any:
        """`xs.pop()` and `xs.pop(k)`, of a list of numbers or tuples."""
        if isinstance(x.dtype, types.Array):
            raise Unsupported("the method .pop of a list of arrays")
        n = self.env[x.count]
        empty = self.elementwise("binary", "<", [n, Const(1)], "empty", types.boolean)
        self.raise_if(empty, "IndexError", "pop from empty list")
        last = self.binary("-", n, Const(1), x.count, INT)
        k = self.place(x, args[0], "pop index out of range") if args else last
        columns = x.columns if isinstance(x, RowsRef) else (x,)
        numbers = [self.load(self.env[column.array], [k], base) for column in columns]
        if args:
            self.close_gap(columns, k, last)
        self.env[x.count] = last
        return tuple_of(numbers, x.dtype)

    def close_gap(self: Any, columns: tuple[ListRef, ...], k: Any, last: Any) -> None:
        """What follows a place moves towards the front by one."""
        body = Block()
        loop = Loop(None, k, last, Const(1), [], body, line=self.line)
        body.owner, body.parent = loop, self.block
        outer, self.block = self.block, body
        loop.index = self.value("k", INT, loop)
        after = self.binary("+", loop.index, Const(1), "after", INT)
        for column in columns:
            array = self.env[column.array]
            self.effect("store", [array, self.load(array, [after], "item"), loop.index], None)
        self.block = outer
        outer.statements.append(loop)
