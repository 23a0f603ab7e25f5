"""Whether the iterations of a backward loop may run in any order."""

from typing import Any

from morula.static import ir
from morula.static.ir import Loop, Op, walk
from morula.static.passes.bounds import Bounds
from morula.static.passes.fuse import is_sum
from morula.static.passes.memory import WRITERS


def is_free_order(loop: Loop, record: Any) -> bool:
    """Whether an innermost loop's backward pass may run upwards: its iterations only add.

    Then a compiler vectorises it. Loops that hold others go backwards, whatever they are: it costs nothing.
    """
    if loop.exit is not None or loop.start is None:
        return False
    for c in loop.carries:
        if ir.is_array(c.phi):
            return False
        if record.activity.is_active(c.phi) and not is_sum(c.phi, loop.body, c.next):
            return False
        if record.plan.get(c.phi) is not None and record.taped_loops(loop.body) == []:
            return False
    loads: list[Op] = []
    stores: list[Op] = []
    for s in walk(loop.body):
        if isinstance(s, Loop):
            return False
        if not isinstance(s, Op):
            continue
        if s.kind in WRITERS:
            stores.append(s)
        elif s.kind == "load":
            loads.append(s)
        elif s.kind == "array":
            return False
    memory, bounds = record.memory, Bounds()
    for place, s in enumerate(stores):
        if not _is_own(s, loop, bounds) and (s.attr is None or record.is_undone(s)):
            return False  # (what only adds may do so in any order, but not what puts back old elements)
        others = [x.args[0] for x in loads] + [x.args[0] for x in stores[:place]]
        if not all(memory.are_apart(s.args[0], x) for x in others):
            return False
    # Arrays that are made in the loop are kept in lists, which are read from their ends.
    return not any(
        isinstance(s, Op) and s.kind != "view" and any(ir.is_array(o) for o in s.outs) for s in walk(loop.body)
    )


def _is_own(s: Op, loop: Loop, bounds: Bounds) -> bool:
    """Whether each iteration stores into an element of its own."""
    return bounds.is_natural(loop.index) and any(x is loop.index for x in s.args[2:])
