"""Common subexpressions are computed once, and what was just stored is not loaded again."""

from collections.abc import Iterator
from typing import Any

from morula.static import ir
from morula.static.ir import Block, Branch, Const, Function, Loop, Op, Operand, Value
from morula.static.passes.builder import Builder
from morula.static.passes.dims import Dims
from morula.static.passes.memory import WRITERS, Memory

MOST_CELLS = 64  # elements of an array at constant places that are known at one time
PURE = frozenset({"unary", "binary", "call", "cast", "shape", "item", "view"})


def share(f: Function) -> None:
    """Share equal operations of a scope, and loads between which nothing is written."""
    _Sharing(f).run()


class _Sharing:
    def __init__(self, f: Function):
        self.f = f
        self.memory = Memory(f)
        self.version: dict[Value, int] = {}
        self.clock = 0
        self.new: dict[Value, Operand] = {}
        self.dims = Dims()
        self.builder = Builder()

    def run(self) -> None:
        self.block(self.f.body, {})
        ir.replace_operands(self.f, self.new)

    def now(self, x: Any) -> Any:
        while isinstance(x, Value) and x in self.new:
            x = self.new[x]
        return (type(x.value), x.value) if isinstance(x, Const) else x

    def written(self, classes: set[Value]) -> None:
        for c in classes:
            self.clock += 1
            self.version[c] = self.clock

    def block(self, block: Block, outer: dict) -> None:
        available = dict(outer)
        kept = []
        for s in self.with_known_lengths(block):
            if isinstance(s, Loop):
                classes = self.memory.written_in(s.body)
                self.written(classes)
                self.block(s.body, available)
                self.written(classes)
            elif isinstance(s, Branch):
                classes = self.memory.written_in(s.then) | self.memory.written_in(s.orelse)
                before = dict(self.version)
                self.block(s.then, available)
                self.version = before
                self.block(s.orelse, available)
                self.written(classes)
            elif s.kind in WRITERS:
                left = self.cells_left(s, available)
                self.written({self.memory.of(s.args[0])})
                self.remember_store(s, available)
                for array, index, value in left:
                    self.remember_cell(array, index, value, available)
            elif s.kind in PURE or s.kind == "load":
                found = self.shape_of_new(s)
                key = self.key(s)
                if found is None:
                    found = available.get(key)
                if found is not None:
                    self.new[s.out] = found
                    continue
                available[key] = s.out
                if s.kind == "load":
                    self.remember_cell(s.args[0], s.args[1:], s.out, available)
            kept.append(s)
        block.statements = kept

    def key(self, s: Op) -> tuple:
        version = self.version.get(self.memory.of(s.args[0]), 0) if s.kind == "load" else 0
        return (s.kind, s.attr, version, str(s.out.type), *[self.now(x) for x in s.args])

    def remember_store(self, s: Op, available: dict) -> None:
        """A load of what was just stored is the stored value, where the array keeps it as it is."""
        array, value, *index = s.args
        if s.kind == "store" and s.attr is None and isinstance(value, Value) and value.type == array.type.dtype:  # type: ignore[union-attr]
            self.remember_cell(array, index, value, available)

    def remember_cell(self, array: Any, index: list[Operand], value: Value, available: dict) -> None:
        """An element of an array is known until that may be written."""
        klass = self.memory.of(array)
        version = self.version.get(klass, 0)
        available["load", None, version, str(value.type), self.now(array), *[self.now(x) for x in index]] = value
        if all(map(_is_natural, index)):
            cells = ("cells", klass, version)
            available[cells] = (*available.get(cells, ())[-MOST_CELLS:], (array, index, value))

    def cells_left(self, s: Op, available: dict) -> list[tuple[Any, list[Operand], Value]]:
        """What is known of an array still after a store, which writes another element of just this array."""
        array, index = s.args[0], s.args[2:]
        if s.kind != "store" or not all(map(_is_natural, index)):
            return []
        klass = self.memory.of(array)
        cells = available.get(("cells", klass, self.version.get(klass, 0)), ())
        return [
            (x, places, value)
            for x, places, value in cells
            if self.now(x) is self.now(array) and any(i.value != k.value for i, k in zip(places, index, strict=True))  # type: ignore[union-attr]
        ]

    def with_known_lengths(self, block: Block) -> Iterator[Any]:
        """The statements of a block, where lengths of parts of variables are those of what the variables held first."""
        for s in block.statements:
            if isinstance(s, Op) and s.kind == "shape" and _is_part_of_variable(s.args[0]):
                key = self.dims.of(s.args[0])[s.attr]  # type: ignore[arg-type]
                if key[0] == "cut" and key[1][0] == "shape":
                    (_, array, axis), cut = key[1:]
                    whole: list[Any] = []
                    n = self.builder.emit(block, whole, "shape", [array], s.out.type, axis, "n", s.line)
                    less = self.builder.emit(block, whole, "binary", [n, Const(cut)], s.out.type, "-", "n", s.line)
                    s.kind, s.attr, s.args = "binary", "max2", [less, Const(0)]
                    yield from whole
            yield s

    def shape_of_new(self, s: Op) -> Operand | None:
        """The shape of a fresh array is known, and that of a variable may be the one of its first value."""
        if s.kind != "shape":
            return None
        array: Any = s.args[0]
        while isinstance(array.definition, Op) and array.definition.kind == "copy":
            array = array.definition.args[0]
        made = array.definition
        if isinstance(made, Op) and made.kind == "new":
            return made.args[s.attr]
        if isinstance(made, Loop | Branch):
            key = self.dims.of(array)[s.attr]
            if key[0] == "const":
                return Const(key[1])
            if key[0] == "shape":
                array, s.attr = key[1:]
        s.args[0] = array
        return None


def _is_natural(x: Any) -> bool:
    """Whether an index is a number that does not count from the end."""
    return isinstance(x, Const) and isinstance(x.value, int) and x.value >= 0


def _is_part_of_variable(x: Any) -> bool:
    """Whether an array is a view of what a loop carries, or a branch hands out."""
    d = x.definition
    if not (isinstance(d, Op) and d.kind == "view"):
        return False
    while isinstance(d, Op) and d.kind == "view":
        d = d.args[0].definition  # type: ignore[union-attr]
    return isinstance(d, Loop | Branch)
