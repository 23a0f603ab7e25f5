"""Which parallel loops may run backwards in parallel, and how their iterations stay out of each other's way.

The iterations of a `prange` do not depend on each other, so their backward passes may run in any order; but where
two of them have read one element, both add to one element of its shadow. An array whose accesses are all by the
loop's own index is apart (but for how its shadow lies in memory, which only the run can say). Of other arrays, and of
numbers, each part of the loop has a partial shadow, if the iterations only read.
"""

from dataclasses import dataclass, field
from typing import Any

from morula.static import ir
from morula.static.ir import Branch, Const, Loop, Op, Value, walk
from morula.static.passes.bounds import Bounds
from morula.static.passes.fuse import is_sum
from morula.static.passes.memory import ALIASING, WRITERS

CALL_WORK, LOOP_WORK = 50, 16  # operations in a call of an array function; iterations of a loop, where nobody knows


@dataclass
class Shares:
    """How the iterations of a parallel loop share shadows.

    Attributes:
        own: arrays from outside that are accessed by the loop's index alone, and the axis it stands at.
        shared: arrays from outside whose elements several iterations may add to.
        numbers: active numbers from outside.
        work: of one iteration, in operations.
    """

    own: dict[Value, int] = field(default_factory=dict)
    shared: list[Value] = field(default_factory=list)
    numbers: list[Value] = field(default_factory=list)
    work: int = 0


@dataclass
class _Uses:
    """What a loop does with one class of memory from outside."""

    axes: set[tuple[Value, int | None]] = field(default_factory=set)  # of accesses to the shadow
    read: set[tuple[Value, int | None]] = field(default_factory=set)  # of accesses to the array itself
    is_read: bool = False  # its shadow: what was stored asks for its cotangent, and leaves a zero
    is_restored: bool = False  # the array itself


def shares(loop: Loop, record: Any) -> Shares | None:
    """How a loop can run backwards in parallel; None where it can not."""
    if not loop.parallel or loop.exit is not None or not isinstance(loop.step, Const) or loop.step.value != 1:
        return None
    if any(outer.parallel for outer in record.where[id(loop)].loops()) or not Bounds().is_natural(loop.index):
        return None
    if not all(_is_plain(c, loop, record) for c in loop.carries):
        return None
    uses = _uses(loop, record)
    return None if uses is None else _shared_out(uses, loop, record)


def _is_plain(c: ir.Carry, loop: Loop, record: Any) -> bool:
    """Whether a loop carries a sum that its backward pass does not ask for."""
    return not ir.is_array(c.phi) and record.plan.get(c.phi) is None and is_sum(c.phi, loop.body, c.next)


def _uses(loop: Loop, record: Any) -> dict[Value, _Uses] | None:
    """What the statements of a loop do with the memory from outside it."""
    found: dict[Value, _Uses] = {}
    for s in walk(loop.body):
        if isinstance(s, Loop) and any(ir.is_array(c.phi) for c in s.carries):
            return None
        if isinstance(s, Branch) and any(ir.is_array(j.out) for j in s.joins):
            return None
        if not isinstance(s, Op) or s.kind in ("shape", "view", "resized"):
            continue
        for x in s.args:
            if not ir.is_array(x):
                continue
            base, axis = _place(x, s, loop, record)
            if base is None:
                continue
            klass = record.memory.of(base)
            if klass in record.rebound or getattr(s.attr, "callee", None) is not None:
                return None
            uses = found.setdefault(klass, _Uses())
            uses.read.add((base, axis))
            if record.activity.is_active(x):
                uses.axes.add((base, axis))
            if s.kind in WRITERS and x is s.args[0]:
                uses.is_read |= record.activity.is_active(x)
                uses.is_restored |= record.is_undone(s)
    return found


def _place(x: Any, s: Op, loop: Loop, record: Any) -> tuple[Value | None, int | None]:
    """The array from outside that an operand looks at, and the axis at which the loop's index stands there.

    None instead of the array for what an iteration has made itself.
    """
    first: Op = s
    while ir.is_within(record.block_of(x), loop.body):
        if not isinstance(x.definition, Op) or x.definition.kind not in ALIASING:
            return None, None
        first = x.definition
        x = first.args[0]
    return x, _own_axis(first, loop)


def _own_axis(s: Op, loop: Loop) -> int | None:
    """The axis of its array at which an access has the index of the loop."""
    if s.kind in ("load", "store"):
        index = s.args[1:] if s.kind == "load" else s.args[2:]
        return next((axis for axis, x in enumerate(index) if x is loop.index), None)
    if s.kind != "view" or s.attr[0] != "index":
        return None
    axis = 0
    for kind, place in s.attr[1]:
        if kind == "index" and s.args[place] is loop.index:
            return axis
        axis += kind != "newaxis"
    return None


def _shared_out(uses: dict[Value, _Uses], loop: Loop, record: Any) -> Shares | None:
    found = Shares(work=_work(loop.body))
    for u in uses.values():
        is_own = len(u.axes) == 1 and next(iter(u.axes))[1] is not None
        if u.is_restored and (len(u.read) != 1 or next(iter(u.read))[1] is None):
            return None
        if u.is_read and not is_own:
            return None
        if is_own:
            found.own.update(u.axes)  # type: ignore[arg-type]
        else:
            found.shared += dict.fromkeys(base for base, _ in u.axes)
    return found


def _work(block: ir.Block) -> int:
    """About how many operations a block takes."""
    found = 1
    for s in block.statements:
        if isinstance(s, Loop):
            found += LOOP_WORK * _work(s.body)
        elif isinstance(s, Branch):
            found += _work(s.then) + _work(s.orelse)
        else:
            found += CALL_WORK if s.kind == "array" else 1
    return found
