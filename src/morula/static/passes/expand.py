"""Copies, gathers and scatters become fresh memory and writes; a write that would read what it wrote, a copy first."""

from typing import Any

from numba.core import types

from morula.static import ir
from morula.static.front.operands import dtype_text
from morula.static.ir import Block, Branch, Loop, Op, Value
from morula.static.passes.builder import INT, Builder
from morula.static.passes.memory import Memory


def expand(block: Block, memory: Memory, builder: Builder) -> None:
    """Rewrite a block and the blocks below it.

    Args:
        block: of the function.
        memory: of the function, as it was before.
        builder: makes what is new.
    """
    found: list[Any] = []
    for s in block.statements:
        if isinstance(s, Loop):
            expand(s.body, memory, builder)
        elif isinstance(s, Branch):
            expand(s.then, memory, builder)
            expand(s.orelse, memory, builder)
        elif s.kind == "copy":
            source: Any = s.args[0]
            sizes: list[Any] = [
                builder.emit(block, found, "shape", [source], INT, k, "n", s.line) for k in range(source.type.ndim)
            ]
            made = Op("new", [s.out], sizes, ("empty", dtype_text(source.type.dtype)), s.line)
            s.out.definition = made
            found += [made, Op("fill", [], [s.out, source], None, s.line)]
            continue
        elif s.kind in ("gather", "scatter"):
            _indexed(s, block, found, builder)
            continue
        elif s.kind == "fill" and s.attr is None and _overlaps(s, memory):
            # `x[1:] = x[:-1]` reads all of the right side first; `x[1:] += x[:-1]` does not, in Numba
            _hold(s, block, found, builder)
        found.append(s)
    block.statements = found


def _overlaps(s: Op, memory: Memory) -> bool:
    """Whether a write reads, through a view, memory that it writes elsewhere."""
    value: Any = s.args[1]
    made = value.definition if ir.is_array(value) else None
    is_view = ir.is_array(value) and not (isinstance(made, Op) and made.kind == "map")
    return is_view and value is not s.args[0] and not memory.are_apart(s.args[0], value)


def _hold(s: Op, block: Block, found: list, builder: Builder) -> None:
    """Copy what a write reads."""
    value: Any = s.args[1]
    sizes: list[Any] = [
        builder.emit(block, found, "shape", [value], INT, k, "n", s.line) for k in range(value.type.ndim)
    ]
    t = types.Array(value.type.dtype, value.type.ndim, "C")
    made = builder.emit(block, found, "new", sizes, t, ("empty", dtype_text(t.dtype)), "held", s.line)
    found.append(Op("fill", [], [made, value], None, s.line))
    s.args[1] = made


def _indexed(s: Op, block: Block, found: list, builder: Builder) -> None:
    """`y = x[indices]` and `x[indices] = y`, element by element."""
    array, indices = s.args[0], s.args[1]
    assert isinstance(array, Value) and isinstance(indices, Value)
    n = builder.emit(block, found, "shape", [indices], INT, 0, "n", s.line)
    if s.kind == "gather":
        rest = [builder.emit(block, found, "shape", [array], INT, k, "n", s.line) for k in range(1, array.type.ndim)]
        made = Op("new", [s.out], [n, *rest], ("empty", dtype_text(array.type.dtype)), s.line)
        s.out.definition = made
        found.append(made)
    loop = builder.loop_over(n, block, s.line)
    assert loop.index is not None
    body = loop.body.statements
    k = builder.emit(loop.body, body, "load", [indices, loop.index], indices.type.dtype, None, "k", s.line)
    if s.kind == "gather" and array.type.ndim == 1:
        v = builder.emit(loop.body, body, "load", [array, k], array.type.dtype, None, "element", s.line)
        body.append(Op("store", [], [s.out, v, loop.index], None, s.line))
    elif s.kind == "gather":
        row_type = types.Array(array.type.dtype, array.type.ndim - 1, "C" if array.type.layout == "C" else "A")
        attr = ("index", (("index", 1),))
        row = builder.emit(loop.body, body, "view", [array, k], row_type, attr, "row", s.line)
        target = types.Array(array.type.dtype, array.type.ndim - 1, "C")
        part = builder.emit(loop.body, body, "view", [s.out, loop.index], target, attr, "part", s.line)
        body.append(Op("fill", [], [part, row], None, s.line))
    else:
        v2: Any = s.args[2]
        if ir.is_array(v2):
            fit = builder.emit(block, found, "fit", [v2, n], v2.type, None, "values", s.line)
            v2 = builder.emit(loop.body, body, "load", [fit, loop.index], v2.type.dtype, None, "element", s.line)
        body.append(Op("store", [], [array, v2, k], None, s.line))
    found.append(loop)
