"""Adjoints of whole-array functions read whole arrays: where such an array is written later, they get a copy."""

from typing import Any

from numba.core import types

from morula.static import ir
from morula.static.ir import Block, Branch, Function, Loop, Op, Value
from morula.static.passes.memory import Memory


def protect(f: Function) -> None:
    """Copy what rules read and the program overwrites."""
    memory = Memory(f)
    order = {id(s): k for k, s in enumerate(ir.walk(f.body))}
    _block(f.body, memory, order, [])


def _block(block: Block, memory: Memory, order: dict[int, int], loops: list[Loop]) -> None:
    found: list[Any] = []
    for s in block.statements:
        if isinstance(s, Loop):
            _block(s.body, memory, order, [*loops, s])
        elif isinstance(s, Branch):
            _block(s.then, memory, order, loops)
            _block(s.orelse, memory, order, loops)
        elif s.kind == "array":
            for place, name in enumerate(s.attr.parameters):
                x = s.args[place]
                if name in s.attr.reads and ir.is_array(x) and _changes(x, s, memory, order, loops):
                    s.args[place] = _copy(x, block, found, s.line)
            found.append(s)
            if "y" in s.attr.reads:
                found += _copies_of_results(s, block, memory)
            continue
        found.append(s)
    block.statements = found


def _changes(x: Any, s: Op, memory: Memory, order: dict[int, int], loops: list[Loop]) -> bool:
    """Whether the memory of `x` is written after `s` ran."""
    for w in memory.writers.get(memory.of(x), ()):
        if order[id(w)] > order[id(s)]:
            return True
        if any(w is t for loop in loops for t in ir.walk(loop.body)):
            return True
    return False


def _copy(x: Any, block: Block, found: list, line: int) -> Value:
    layout = "F" if x.type.layout == "F" else "C"
    op = Op("copy", [], [x], None, line)
    made = Value(
        f"{x.name}_copy", types.Array(x.type.dtype, x.type.ndim, layout), op, block, f"{x.base or x.name}_copy"
    )
    op.outs.append(made)
    found.append(op)
    return made


def _copies_of_results(s: Op, block: Block, memory: Memory) -> list[Op]:
    """A result that is written later: the program goes on with a copy, and the rule keeps what it returned."""
    made: list[Op] = []
    for k, out in enumerate(s.outs):
        if ir.is_array(out) and memory.is_written(out):
            own = Value(f"{out.name}_own", out.type, s, block, f"{out.base or out.name}_own")
            s.outs[k] = own
            op = Op("copy", [out], [own], None, s.line)
            out.definition = op
            made.append(op)
    return made
