"""Arrays that each iteration makes anew, and that nobody writes into later: the rows of a slab.

for t in range(n):
    v = np.empty(m)
    for i in range(1, m - 1):
        v[i] = u[i] + a * (u[i - 1] + u[i + 1]) ** 2
    u = v

Where the iterations have a slab with a row for each, what a load found in the row stands there on the way back. So it
does for `u`, which is the row of the iteration before: nothing is kept for each element.
"""

from typing import TYPE_CHECKING, Any

from numba.core import types

from morula.static import ir
from morula.static.ir import Loop, Op, Value

if TYPE_CHECKING:
    from morula.static.passes.record import Record

FARTHEST = 3  # iterations between the one that made an array and the one that reads it as a variable


def is_row(record: "Record", load: Op) -> bool:
    """Whether what is loaded stands in an array of this iteration that nobody writes any more: a row of a slab."""
    made: Any = record.memory.root(load.args[0])
    klass, block = record.memory.of(made), record.block_of(made)
    loops = record.taped_loops(block)
    if klass in record.rebound or klass in record.memory.parameters or klass in record.memory.results:
        return False
    if not may_be_row(record, made) or not is_read_often(record, load, made, len(loops)):
        return False
    for w in record.memory.writers.get(klass, ()):
        if record.order[id(w)] > record.order[id(load)] or not ir.is_within(record.where[id(w)], block):
            return False
        inner = record.taped_loops(record.where[id(load)])[len(loops) :]
        if any(loop in inner for loop in record.taped_loops(record.where[id(w)])):
            return False
    return True


def is_row_before(record: "Record", load: Op) -> bool:
    """Whether what is loaded stands in the row of an earlier iteration, which a variable of the loop holds."""
    phi: Any = record.memory.root(load.args[0])
    made = made_before(record, phi)
    return made is not None and is_read_often(record, load, made, len(record.taped_loops(record.block_of(made))))


def is_read_often(record: "Record", load: Op, made: Value, depth: int) -> bool:
    """Whether what loads find would be about as much to keep as the array that they read."""
    return len(record.taped_loops(record.where[id(load)])) - depth >= made.type.ndim


def may_be_row(record: "Record", v: Value) -> bool:
    """Whether an array that an iteration makes has a place for each iteration before the loops begin."""
    d, block = v.definition, record.block_of(v)
    loops = record.taped_loops(block)
    if not (isinstance(d, Op) and d.kind == "new") or not loops or block is not loops[-1].body:
        return False
    bounds = [x for loop in loops for x in (loop.start, loop.stop, loop.step)]
    if any(loop.start is None or loop.exit is not None for loop in loops) or any(x.parallel for x in block.loops()):
        return False
    return not any(isinstance(x, Value) and record.is_inside(x, loops[0]) for x in (*bounds, *d.args))


def made_before(record: "Record", phi: Value) -> Value | None:
    """The array of an earlier iteration that a variable of a loop holds, if it stays as it was made; else None."""
    if phi not in record.earlier:
        record.earlier[phi] = _made_before(record, phi)
    return record.earlier[phi]


def _made_before(record: "Record", phi: Value) -> Value | None:
    loop = phi.definition
    if not isinstance(loop, Loop) or loop not in record.taped_loops(loop.body):
        return None
    carries = {c.phi: c for c in loop.carries}
    if phi not in carries:
        return None
    inits: list[Any] = []
    current = carries[phi]
    while True:
        init = current.init
        if not isinstance(init, Value) or init.type != phi.type or len(inits) == FARTHEST:
            return None
        if record.taped_loops(record.block_of(init)):
            return None
        inits.append(init)
        if current.next not in carries:
            break
        current = carries[current.next]  # (one that only stays what it was ends at FARTHEST)
    made: Any = current.next
    if not isinstance(made, Value) or made.type != phi.type or made.type.layout != "C":
        return None
    if not isinstance(made.type.dtype, types.Float | types.Complex) or not may_be_row(record, made):
        return None
    if record.block_of(made) is not loop.body or not _is_left_alone(record, made, loop):
        return None
    return made


def _is_left_alone(record: "Record", made: Value, loop: Loop) -> bool:
    """Whether arrays that iterations make are written only by them, and those before the loop only before it."""
    klass, first = record.memory.of(made), record.order[id(loop)]
    around = record.taped_loops(record.where[id(loop)])
    for s in record.statements:
        if isinstance(s, Op) and s.kind == "resized" and record.memory.of(s.args[0]) is klass:
            return False
    for w in record.memory.writers.get(klass, ()):
        if ir.is_within(record.where[id(w)], loop.body):
            if record.memory.root(w.args[0]) is not made:
                return False
        elif record.order[id(w)] > first or any(x in around for x in record.taped_loops(record.where[id(w)])):
            return False
    return True
