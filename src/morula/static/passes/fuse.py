"""Loops whose backward pass may follow their forward pass within each iteration, so that nothing is kept.

That is possible where the cotangents of what a loop computes are known before it runs: at the end of a function,
for loops that only add into sums on which the value depends linearly, and whose iterations share no other state
(scratch arrays that each iteration fills before it reads them are no state). In a loop that is fused the same holds
for the loops of its body: the cotangents of what it adds are known before an iteration runs.
"""

from dataclasses import dataclass, field
from typing import Any

from morula.static import ir
from morula.static.ir import Block, Branch, Const, Function, Loop, Op, Value, walk
from morula.static.numba.elementary import describe_op
from morula.static.passes.activity import SCALAR, Activity
from morula.static.passes.memory import WRITERS, Memory
from morula.static.passes.needs import PLACE

BARRIERS = frozenset({"raise", "print", "draw"})


@dataclass
class Fusion:
    """How the statements of a function are ordered: before the fused loops, these, and what is linear in them.

    Attributes:
        bodies: of each fused loop: how the statements of its body are ordered.
    """

    before: list[Any] = field(default_factory=list)
    loops: list[Loop] = field(default_factory=list)
    after: list[Any] = field(default_factory=list)
    bodies: "dict[Loop, Fusion]" = field(default_factory=dict)

    def all_loops(self) -> set[Loop]:
        """These loops, and the fused ones inside them."""
        return set(self.loops).union(*[body.all_loops() for body in self.bodies.values()])


def fusion(f: Function, memory: Memory, activity: Activity) -> Fusion:
    """The fused loops of a function; none where nothing can be fused."""
    return _of_block(f.body, memory, activity)


def _of_block(block: Block, memory: Memory, activity: Activity) -> Fusion:
    banned: set[Loop] = set()
    while True:
        found, faulty = _attempt(block, memory, activity, banned)
        if not faulty:
            found.bodies = {loop: _of_block(loop.body, memory, activity) for loop in found.loops}
            return found
        banned |= faulty


def _attempt(block: Block, memory: Memory, activity: Activity, banned: set[Loop]) -> tuple[Fusion, set[Loop]]:
    """An order of the statements with all loops fused that are not banned; or the loops that prevent one."""
    found = Fusion()
    sources: dict[Value, set[Loop]] = {}  # what depends on the outs of fused loops, and on which
    statements = block.statements
    for place, s in enumerate(statements):
        depends = _depends(s, sources)
        if isinstance(s, Loop) and s not in banned and not depends:
            if _may_fuse(s, memory, activity, statements[place + 1 :]):
                found.loops.append(s)
                for v in [c.out for c in s.carries] + ([s.trips] if s.trips else []):
                    sources[v] = {s}
                continue
        if depends:
            if not (isinstance(s, Op) and s.kind in SCALAR) or not _is_linear(s, set(sources), activity):
                return found, depends
            found.after.append(s)
            sources.update(dict.fromkeys(s.outs, depends))
        else:
            if found.loops and (_has_barrier(s) or not _commutes(s, found.loops, memory)):
                return found, set(found.loops)
            found.before.append(s)
    if any(_has_barrier(s) for s in found.loops) and any(_has_barrier(s) for s in found.before):
        return found, set(found.loops)
    return found, set()


def _depends(s: Any, sources: dict[Value, set[Loop]]) -> set[Loop]:
    """The fused loops that a statement, or what is in it, depends on."""
    if not sources:
        return set()
    inner = (
        [s] if isinstance(s, Op) else [s, *walk(s.body)] if isinstance(s, Loop) else [s, *walk(s.then), *walk(s.orelse)]
    )
    return {loop for t in inner for x in ir.operands(t) if isinstance(x, Value) for loop in sources.get(x, ())}


def _has_barrier(s: Any) -> bool:
    inner = (
        [s] if isinstance(s, Op) else list(walk(s.body)) if isinstance(s, Loop) else [*walk(s.then), *walk(s.orelse)]
    )
    return any(isinstance(t, Op) and t.kind in BARRIERS for t in inner)


def _commutes(s: Any, loops: list[Loop], memory: Memory) -> bool:
    """Whether a statement after the loops may run before them: it touches no memory that they write, nor they its."""
    inner = (
        [s] if isinstance(s, Op) else list(walk(s.body)) if isinstance(s, Loop) else [*walk(s.then), *walk(s.orelse)]
    )
    touched: set[Value] = set()
    written: set[Value] = set()
    for t in inner:
        if isinstance(t, Op):
            touched |= {memory.of(x) for x in t.args if ir.is_array(x)}
            if t.kind in WRITERS:
                written.add(memory.of(t.args[0]))
    for loop in loops:
        if touched & memory.written_in(loop.body):
            return False
        if written & {memory.of(x) for t in walk(loop.body) if isinstance(t, Op) for x in t.args if ir.is_array(x)}:
            return False
    return True


def _is_linear(s: Op, tainted: set[Value], activity: Activity) -> bool:
    """Whether the backward pass of an operation reads nothing that depends on a fused loop."""
    for x, partial in zip(s.args, describe_op(s.kind, s.attr).partials, strict=False):
        if not activity.is_active(x) or partial is None:
            continue
        if partial.startswith(("select", "sign", "conj")):
            return False
        for place in PLACE.findall(partial):
            if place == "y" or s.args[int(place)] in tainted:
                return False
    return True


def _may_fuse(loop: Loop, memory: Memory, activity: Activity, rest: list[Any]) -> bool:
    if not any(activity.is_active(c.out) for c in loop.carries):
        return False
    if loop.parallel:
        return False
    for c in loop.carries:
        if ir.is_array(c.phi):
            return False
        if activity.is_active(c.phi) and not is_sum(c.phi, loop.body, c.next):
            return False
        if activity.is_active(c.phi) and isinstance(c.init, ir.Undefined):
            return False
    return all(_is_scratch(klass, loop, memory, rest) for klass in memory.written_in(loop.body))


def is_sum(phi: Value, body: Block, next: Any) -> bool:
    """Whether `next` is `phi` plus terms, and neither `phi` nor a sum on the way is used for anything else."""
    chain: set[int] = set()
    sums: set[Value] = {phi}
    if not _adds(phi, next, chain, sums):
        return False
    for s in walk(body):
        if id(s) not in chain and any(isinstance(x, Value) and x in sums for x in ir.operands(s)):
            return False
    return True


def _adds(phi: Value, x: Any, chain: set[int], sums: set[Value]) -> bool:
    """Whether `x` is `phi` plus terms; the statements on the way are noted, each a use of the sum so far."""
    if x is phi:
        return True
    d = x.definition if isinstance(x, Value) else None
    if d is None:
        return False
    sums.add(x)
    if isinstance(d, Op) and d.kind == "binary" and d.attr in ("+", "-"):
        chain.add(id(d))
        a, b = d.args
        if a is not phi and b is phi:
            return d.attr == "+"
        return _adds(phi, a, chain, sums) and b is not phi
    if isinstance(d, Loop):
        chain.add(id(d))
        c = next((c for c in d.carries if c.out is x), None)
        return c is not None and is_sum(c.phi, d.body, c.next) and _adds(phi, c.init, chain, sums)
    if isinstance(d, Branch):
        chain.add(id(d))
        j = next((j for j in d.joins if j.out is x), None)
        return j is not None and _adds(phi, j.then, chain, sums) and _adds(phi, j.orelse, chain, sums)
    return False


def _is_scratch(klass: Value, loop: Loop, memory: Memory, rest: list[Any]) -> bool:
    """Whether memory that the loop writes holds nothing from one iteration to the next, nor after the loop."""
    if klass in memory.parameters or klass in memory.results:
        return False
    for s in rest:
        inner = (
            [s]
            if isinstance(s, Op)
            else list(walk(s.body))
            if isinstance(s, Loop)
            else [*walk(s.then), *walk(s.orelse)]
        )
        for t in inner:
            if (
                isinstance(t, Op)
                and t.kind != "shape"
                and any(ir.is_array(x) and memory.of(x) is klass for x in t.args)
            ):
                return False
    return _is_filled_first(loop.body, klass, memory, False)[0]


def _is_filled_first(block: Block, klass: Value, memory: Memory, filled: bool) -> tuple[bool, bool]:
    """Whether every load of the class comes after it was filled whole; and whether it is filled at the end."""
    for s in block.statements:
        if isinstance(s, Op):
            touches = any(ir.is_array(x) and memory.of(x) is klass for x in s.args)
            if s.kind == "new" and memory.of(s.out) is klass:
                filled = True
            elif s.kind in WRITERS and memory.of(s.args[0]) is klass:
                if s.attr is not None and not filled:
                    return False, False
                if any(ir.is_array(x) and memory.of(x) is klass for x in s.args[1:]) and not filled:
                    return False, False
            elif touches and s.kind not in ("view", "shape") and not filled:
                return False, False
        elif isinstance(s, Loop):
            fills = _fills(s, klass, memory)
            ok, _ = _is_filled_first(s.body, klass, memory, filled)
            if not ok:
                return False, False
            filled = filled or fills
        else:
            ends = []
            for part in (s.then, s.orelse):
                ok, end = _is_filled_first(part, klass, memory, filled)
                if not ok:
                    return False, False
                ends.append(end)
            filled = filled or all(ends)
    return True, filled


def _fills(loop: Loop, klass: Value, memory: Memory) -> bool:
    """Whether a loop nest stores into every element of an array of the class."""
    indices: list[Loop] = []
    body: Block = loop.body
    current: Any = loop
    while True:
        if current.exit is not None or not (isinstance(current.start, Const) and current.start.value == 0):
            return False
        if not (isinstance(current.step, Const) and current.step.value == 1):
            return False
        indices.append(current)
        for s in body.statements:
            if isinstance(s, Op) and s.kind == "store" and memory.of(s.args[0]) is klass and _covers(s, indices):
                return True
        inner = [s for s in body.statements if isinstance(s, Loop)]
        if len(inner) != 1:
            return False
        current, body = inner[0], inner[0].body


def _covers(s: Op, loops: list[Loop]) -> bool:
    array: Any = s.args[0]
    made = array.definition
    if s.attr is not None or not (isinstance(made, Op) and made.kind == "new") or len(s.args) - 2 != len(made.args):
        return False
    for x, size in zip(s.args[2:], made.args, strict=True):
        loop = next((y for y in loops if y.index is x), None)
        if loop is None:
            return False
        same = loop.stop is size or (
            isinstance(loop.stop, Const) and isinstance(size, Const) and loop.stop.value == size.value
        )
        if not same:
            return False
    return True
