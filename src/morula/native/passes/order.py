"""Whether the iterations of a backward loop may run in any order."""

from typing import Any

from morula.native import ir
from morula.native.ir import Loop, Op, Value, walk
from morula.native.passes.fuse import is_sum
from morula.native.passes.memory import WRITERS


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
    read: set[Value] = set()
    written: dict[Value, list[Op]] = {}
    for s in walk(loop.body):
        if isinstance(s, Loop):
            return False
        if not isinstance(s, Op):
            continue
        if s.kind in WRITERS:
            written.setdefault(record.memory.of(s.args[0]), []).append(s)
        elif s.kind == "load" and ir.is_array(s.args[0]):
            read.add(record.memory.of(s.args[0]))
        elif s.kind == "array":
            return False
    for klass, stores in written.items():
        if klass in record.undone:
            return False
        if klass in read and any(s.attr is None for s in stores):
            return False
        if klass in read:
            return False
        if len(stores) > 1 or not _is_own(stores[0], loop):
            return False
    return not any(
        isinstance(s, Op) and any(ir.is_array(o) and record.plan.get(("shadow", o)) is not None for o in s.outs)
        and s.kind != "view" for s in walk(loop.body)
    )  # fmt: skip


def _is_own(s: Op, loop: Loop) -> bool:
    """Whether each iteration stores into an element of its own (or only adds)."""
    return s.attr is not None or any(x is loop.index for x in s.args[2:])
