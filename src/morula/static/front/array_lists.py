"""Lowering of lists of arrays: the numbers of all of them one after the other, and for each where it begins and ends.

    xs.append(v)         numbers[used : used + len(v)] = v;  starts[n] = used;  lengths[n] = len(v);  n = n + 1
    xs[k]                numbers[starts[k] : starts[k] + lengths[k]]

An item is thus a copy of the array that was appended. Nothing tells the two apart as long as neither is written into
afterwards, which `refuse_writes` looks at.
"""

from dataclasses import dataclass
from typing import Any

from numba.core import types

from morula.static import ir
from morula.static.front.callees import CallRule
from morula.static.front.lists import ListRef
from morula.static.ir import Const, Function, Op, Value
from morula.static.passes.memory import Memory
from morula.static.unsupported import Unsupported

INT = types.intp


@dataclass(eq=False, frozen=True)
class ArraysRef(ListRef):
    """One list of arrays, whose type is `dtype`: `columns` are the starts and, by axis, the lengths."""

    columns: tuple[ListRef, ...]
    numbers: ListRef

    @property
    def hidden(self) -> tuple[str, ...]:
        return (*[column.array for column in self.columns], self.count, *self.numbers.hidden)


class ArrayLists:
    """The part of lowering that knows lists of arrays."""

    appended: list[tuple[Value, Op]]  # the arrays, each with what copies it

    def new_arrays(self: Any, base: str, t: types.Array, items: list) -> ArraysRef:
        if t.layout != "C" or not 0 < t.ndim < 3 or not isinstance(t.dtype, types.Number | types.Boolean):
            raise Unsupported("a list of arrays that are not one or two-dimensional, of numbers in C order,")
        numbers = self.new_list(f"{base}_numbers", t.dtype, Const(0))
        names = [f"{base}_starts", *(f"{base}_lengths" for _ in range(t.ndim))]
        columns = [self.new_list(name, INT, Const(0)) for name in names]
        count = columns[0].count
        made = ArraysRef("", count, t, tuple([ListRef(c.array, count, INT) for c in columns]), numbers)
        for item in items:
            self.append_array(made, item)
        return made

    def append_array(self: Any, x: ArraysRef, v: Any) -> None:
        if not ir.is_array(v) or v.type.ndim != x.dtype.ndim or v.type.dtype != x.dtype.dtype:
            raise Unsupported("an array of another kind than the others of a list")
        if v.type.ndim > 1:
            v = v if v.type.layout == "C" else self.emit("copy", [v], "item", x.dtype)
        sizes = [self.shape(v, axis) for axis in range(v.type.ndim)]
        n, used = self.env[x.count], self.env[x.numbers.count]
        after = self.binary("+", used, self.total_size(sizes), x.numbers.count, INT)
        numbers = self.long_enough(x.numbers, used, after, self.binary("*", after, Const(2), "size", INT))
        flat = types.Array(x.dtype.dtype, 1, "C")
        target = self.view(numbers, [("slice", [used, after, None])], "place", flat)
        source = v if v.type.ndim == 1 else self.emit("view", [v], "flat", flat, attr=("ravel", None))
        self.effect("fill", [target, source], None)
        self.appended.append((v, self.block.statements[-1]))
        for column, number in zip(x.columns, [used, *sizes], strict=True):
            self.effect("store", [self.room(column, n), number, n], None)
        self.env[x.numbers.count] = after
        self.env[x.count] = self.binary("+", n, Const(1), x.count, INT)

    def total_size(self: Any, sizes: list) -> Any:
        return sizes[0] if len(sizes) == 1 else self.binary("*", *sizes, "size", INT)

    def array_at(self: Any, x: ArraysRef, k: Any, base: str) -> Value:
        """The array at a place, of which it is known that there is one."""
        start, *sizes = [self.load(self.env[column.array], [k], "place") for column in x.columns]
        end = self.binary("+", start, self.total_size(sizes), "end", INT)
        flat = types.Array(x.dtype.dtype, 1, "C")
        found: Value = self.view(self.env[x.numbers.array], [("slice", [start, end, None])], base, flat)
        return found if len(sizes) == 1 else self.emit("view", [found, *sizes], base, x.dtype, attr=("reshape", None))


def refuse_writes(f: Function, appended: list[tuple[Value, Op]]) -> None:
    """Raise where an array that was appended to a list, or an item, may be written into afterwards."""
    memory = Memory(f)
    places = {id(s): k for k, s in enumerate(ir.walk(f.body))}
    copies = {id(copy) for _, copy in appended}
    lists = {memory.of(copy.args[0]) for _, copy in appended}
    sources = {memory.of(v) for v, _ in appended}
    for numbers in lists:  # what grows is written itself, items are views
        if not all(id(w) in copies or _is_new(w.args[0]) for w in memory.writers[numbers]):
            raise Unsupported("an array in a list, which is written into")
    for v, copy in appended:
        target: Any = copy.args[0]
        root, loops = memory.root(v), target.block.loops()
        is_of_this_turn = isinstance(root.definition, Op) and root.block.loops() == loops
        first = places[id(loops[-1] if loops else copy)]  # before which nothing has been appended
        for w in memory.writers[memory.of(v)] if memory.of(v) not in lists else ():
            is_own = is_of_this_turn and memory.root(w.args[0]) is root
            if places[id(w)] > (places[id(copy)] if is_own else first):
                raise Unsupported("an array that is written into once it is in a list")
    for s in ir.walk(f.body):
        if isinstance(s, Op) and isinstance(s.attr, CallRule):
            if {memory.of(x) for x in s.args if ir.is_array(x)} & (lists | sources):
                raise Unsupported(f"a call to {s.attr.primal.__name__} with an array that is in a list")
    returned = [memory.of(v) for v in ir.result_leaves(f.result) if ir.is_array(v)]
    if lists & {*returned} and (sources & memory.parameters or sum(x in lists | sources for x in returned) > 1):
        raise Unsupported("an array of a list that is returned, and may be an argument or another result,")


def _is_new(x: Any) -> bool:
    return isinstance(x, Value) and isinstance(x.definition, Op) and x.definition.kind == "new"
