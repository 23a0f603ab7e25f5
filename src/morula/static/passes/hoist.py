"""Invariants leave their loops: index arithmetic, and loads from memory that the loop does not write.

A hoisted load may be one that never ran (the loop is empty, a branch is not taken), so it is guarded: it looks at
the bounds first, and its cotangent is written only where it is not zero.
"""

from typing import Any

from numba.core import types

from morula.static import ir
from morula.static.ir import Block, Branch, Function, Loop, Op, Statement, Value
from morula.static.passes.dims import Dims
from morula.static.passes.memory import Memory

FREE = frozenset({"+", "-", "*", "max2", "min2", "wrap_up", "wrap_down"})


def hoist(f: Function) -> None:
    """Move invariants before their loops, innermost loops first."""
    _block(f.body, Memory(f))


def _block(block: Block, memory: Memory) -> None:
    kept: list[Statement] = []
    for s in block.statements:
        if isinstance(s, Branch):
            _block(s.then, memory)
            _block(s.orelse, memory)
        elif isinstance(s, Loop):
            _block(s.body, memory)
            moved: list[Op] = []
            _leave(s.body, s, memory.written_in(s.body), memory, moved)
            for op in moved:
                op.out.block = block
            kept += moved
        kept.append(s)
    block.statements = kept


def _leave(body: Block, loop: Loop, written: set[Value], memory: Memory, moved: list[Op]) -> None:
    kept: list[Statement] = []
    for s in body.statements:
        if isinstance(s, Branch):
            _leave(s.then, loop, written, memory, moved)
            _leave(s.orelse, loop, written, memory, moved)
        elif isinstance(s, Op) and _may_leave(s, loop, written, memory):
            moved.append(s)
            s.out.block = None
            continue
        kept.append(s)
    body.statements = kept


def _may_leave(s: Op, loop: Loop, written: set[Value], memory: Memory) -> bool:
    if not all(_is_outside(x, loop) for x in s.args):
        return False
    if s.kind == "load":
        if memory.of(s.args[0]) in written:
            return False
        if not _is_inside(s):
            s.attr = "guarded"
        return True
    if s.kind in ("shape", "item"):
        return True
    if s.kind == "view":
        return s.attr[0] in ("index", "T")
    if s.kind in ("unary", "binary") and isinstance(s.out.type, types.Number | types.Boolean):
        return s.kind == "unary" or s.attr in FREE
    return False


def _is_inside(s: Op) -> bool:
    """Whether the elements that a load reads are there for certain."""
    array: Any = s.args[0]
    dims = Dims().fixed
    return all(dims.is_inside(i, key) for i, key in zip(s.args[1:], dims.of(array), strict=True))


def _is_outside(x: object, loop: Loop) -> bool:
    return not (isinstance(x, Value) and ir.is_within(x.block, loop.body))
