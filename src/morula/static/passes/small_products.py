"""Products of vectors and matrices of known lengths.

Those of a few numbers are written out, element by element: their operands need be no arrays then. Those for which a
call of BLAS takes longer than the multiplications become loops, which go through the passes as the program's do.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba.core import types

from morula.static.ir import Block, Branch, Carry, Const, Function, Loop, Op, Operand, Value, is_array, replace_operands
from morula.static.numba.small_matrices import SMALL
from morula.static.passes.builder import Builder
from morula.static.passes.dims import PRODUCTS, Dims

MOST_PRODUCTS = 27  # of numbers: of two matrices of 3 x 3
LONGEST = 8  # vectors that may be numbers

Make = Callable[[str, Any, list], Any]


def written_out_products(f: Function) -> None:
    """Replace products of arrays whose lengths are known and small."""
    _Products(f).block(f.body)


class _Products(Builder):
    def __init__(self, f: Function):
        super().__init__()
        self.f = f
        self.dims = Dims().fixed

    def block(self, block: Block) -> None:
        found: list[Any] = []
        for s in block.statements:
            if isinstance(s, Loop):
                self.block(s.body)
            elif isinstance(s, Branch):
                self.block(s.then)
                self.block(s.orelse)
            elif s.kind == "array" and self.write_out(s, block, found):
                continue
            found.append(s)
        block.statements = found

    def write_out(self, s: Op, block: Block, found: list) -> bool:
        f = getattr(s.attr, "primal", None)
        if f not in PRODUCTS and f is not np.cross:
            return False
        a, b = s.args[:2]
        sizes = [self.sizes(x) for x in (a, b)]
        if None in sizes or any(not isinstance(x, Const) or x.value is not None for x in s.args[2:]):
            return False

        def make(kind: str, attr: Any, args: list) -> Any:
            return self.emit(block, found, kind, args, types.float64, attr, "t", s.line)

        def element(x: Any, *index: int) -> Any:
            return make("load", None, [x, *map(Const, index)])

        m, n = sizes
        assert m is not None and n is not None
        if f is np.cross:
            if m != (3,) or n != (3,):
                return False
            first, second = ([element(x, k) for k in range(3)] for x in (a, b))
            rows = [_cross(make, first, second, k) for k in range(3)]
            self.array(s, (3,), rows, block, found)
            return True
        products = np.prod(m) * (n[1] if len(n) > 1 else 1)
        if m[-1] != n[0] or products == 0 or products > SMALL:
            return False
        if products > MOST_PRODUCTS or n[0] > LONGEST:
            self.loops(s, m, n, block, found)
            return True
        rows_of_a = range(m[0]) if len(m) > 1 else [None]
        columns_of_b = range(n[1]) if len(n) > 1 else [None]
        items = []
        for i in rows_of_a:
            for j in columns_of_b:
                terms = []
                for k in range(n[0]):
                    left = element(a, *([k] if i is None else [i, k]))
                    right = element(b, *([k] if j is None else [k, j]))
                    terms.append(make("binary", "*", [left, right]))
                total = terms[0]
                for term in terms[1:]:
                    total = make("binary", "+", [total, term])
                items.append(total)
        shape = (*m[:-1], *n[1:])
        if shape:
            self.array(s, shape, items, block, found)
        else:
            replace_operands(self.f, {s.out: items[0]})
        return True

    def loops(self, s: Op, m: tuple[int, ...], n: tuple[int, ...], block: Block, found: list) -> None:
        """The loops of a product; a matrix on the right is gone through row by row."""
        a, b = s.args[:2]
        shape = (*m[:-1], *n[1:])
        if len(m) > 1 and isinstance(b, Value) and not isinstance(b.definition, Op) and b not in self.f.leaves:
            b = self.copied(b, n, block, found, s.line)
        where, into = block, found

        def loop(size: int) -> Any:
            nonlocal where, into
            made = self.loop_over(Const(size), where, s.line)
            into.append(made)
            where, into = made.body, made.body.statements
            return made

        def make(kind: str, attr: Any, args: list, base: str = "t") -> Any:
            return self.emit(where, into, kind, args, types.float64, attr, base, s.line)

        if shape:
            how = "zeros" if len(n) > 1 else "empty"
            made = Op("new", [s.out], [Const(x) for x in shape], (how, "np.float64"), s.line)
            s.out.definition = made
            found.append(made)
        row = [loop(m[0]).index] if len(m) > 1 else []
        outer_into = into
        inner = loop(n[0])
        left = make("load", None, [a, *row, inner.index], "left")
        if len(n) > 1:
            column = loop(n[1]).index
            term = make("binary", "*", [left, make("load", None, [b, inner.index, column], "right")])
            into.append(Op("store", [], [s.out, term, *row, column], "+", s.line))
            return
        term = make("binary", "*", [left, make("load", None, [b, inner.index], "right")])
        self.names += 1
        total = Value(f"total__{self.names}", types.float64, inner, inner.body, "total")
        inner.carries.append(Carry(total, Const(0.0), make("binary", "+", [total, term], "total")))
        if shape:
            outer_into.append(Op("store", [], [s.out, total, *row], None, s.line))
        else:
            replace_operands(self.f, {s.out: total})

    def copied(self, x: Value, sizes: tuple[int, ...], block: Block, found: list, line: int) -> Value:
        """A copy of what a variable holds: an array that is kept whole, where its elements are read many times."""
        lengths: list[Operand] = [Const(n) for n in sizes]
        made = self.emit(block, found, "new", lengths, x.type.copy(layout="C"), ("empty", "np.float64"), "held", line)
        where, into = block, found
        index: list[Any] = []
        for n in lengths:
            loop = self.loop_over(n, where, line)
            into.append(loop)
            index.append(loop.index)
            where, into = loop.body, loop.body.statements
        value = self.emit(where, into, "load", [x, *index], types.float64, None, "held", line)
        into.append(Op("store", [], [made, value, *index], None, line))
        return made

    def sizes(self, x: Operand) -> tuple[int, ...] | None:
        """The shape of a real vector or matrix; None if it is not known."""
        if not (isinstance(x, Value) and is_array(x)) or x.type.dtype != types.float64 or x.type.ndim > 2:
            return None
        keys = self.dims.of(x)
        return tuple(key[1] for key in keys) if all(key[0] == "const" for key in keys) else None

    def array(self, s: Op, shape: tuple[int, ...], items: list, block: Block, found: list) -> None:
        """The array of a result, in place of what made it."""
        made = Op("new", [s.out], [Const(n) for n in shape], ("empty", "np.float64"), s.line)
        s.out.definition = made
        found.append(made)
        for place, item in zip(np.ndindex(*shape), items, strict=True):
            found.append(Op("store", [], [s.out, item, *map(Const, place)], None, s.line))


def _cross(make: Make, a: list, b: list, k: int) -> Any:
    """One element of a vector product."""
    i, j = (k + 1) % 3, (k + 2) % 3
    return make("binary", "-", [make("binary", "*", [a[i], b[j]]), make("binary", "*", [a[j], b[i]])])
