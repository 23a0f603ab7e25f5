"""Iterations of a backward loop that have nothing to add, since their only cotangent is zero.

Where a table is filled by maxima and minima of entries before (alignments, shortest paths, time warping), only the
entries on the best path have a cotangent. The backward pass then looks at that of the entry first. A product of zero is
zero by convention, whatever the other factor.
"""

from typing import Any

from morula.static import ir
from morula.static.ir import Loop, Op, Value
from morula.static.numba.emit.text import is_scalar
from morula.static.passes.memory import WRITERS
from morula.static.passes.record import Record

CHOICES = frozenset({"max2", "min2"})


def only_source(loop: Loop, record: Record) -> Op | None:
    """The store from which alone cotangents come into an iteration that chooses among numbers; None of other loops."""
    found: Op | None = None
    chooses = False
    if any(not ir.is_array(c.phi) and record.activity.is_active(c.phi) for c in loop.carries):
        return None
    for s in loop.body.statements:
        if not isinstance(s, Op) or not all(map(is_scalar, s.outs)):
            return None
        if s.kind in WRITERS:
            if found is not None or s.kind != "store" or s.attr is not None or record.is_undone(s):
                return None
            found = s
        elif record.is_backward(s):
            chooses |= s.kind == "binary" and s.attr in CHOICES
            if found is not None:
                return None
    if found is None or not chooses or not record.is_backward(found):
        return None
    value: Any = found.args[1]
    if not (isinstance(value, Value) and value.block is loop.body and record.activity.is_active(value)):
        return None
    return found if all(_is_known(x, loop) for s in places(found, loop) for x in s.args) else None


def places(store: Op, loop: Loop) -> list[Op]:
    """The operations of an iteration that give the index of a store."""
    return [s for s in loop.body.statements if isinstance(s, Op) and any(v in store.args[2:] for v in s.outs)]


def _is_known(x: Any, loop: Loop) -> bool:
    """Whether an iteration knows a number before it computes any."""
    return not isinstance(x, Value) or x is loop.index or not ir.is_within(x.block, loop.body)
