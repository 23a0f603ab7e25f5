"""What the backward pass needs, and where it has it from.

A value that the backward pass reads is *free* (a local variable that still holds it), *recomputed* (cheap, from
values that are at hand), or *kept* on a tape that is indexed by the iteration. A load is recomputed only where the
memory is again what it was: it is never written later, or (for local memory) writes are undone on the way back.
"""

from typing import Any

from numba.core import types

from morula.static import ir
from morula.static.ir import Block, Branch, Const, Function, Loop, Op, Operand, Undefined, Value, walk
from morula.static.numba.elementary import is_cheap
from morula.static.passes.activity import SCALAR, Activity
from morula.static.passes.bounds import offset
from morula.static.passes.counted import while_branch
from morula.static.passes.later import is_overwritten_later
from morula.static.passes.memory import WRITERS, Memory
from morula.static.passes.needs import SHADOW, backward_reads
from morula.static.passes.rows import is_row, is_row_before, made_before
from morula.static.passes.stored import load_of_stored, stored_values
from morula.static.passes.undo import old_of_store, weight_of, worth_undoing

FREE, RECOMPUTE, KEEP = "free", "recompute", "keep"

FRESH = frozenset({"new", "array", "constant_call"})  # operations that return memory of their own


class Record:
    """The plan of what is kept.

    Args:
        f: the function; its loops have named outs.
        memory, activity: as found for it.
        fused: loops whose backward pass follows their forward pass within each iteration.
        may_undo: whether writes into local memory may be undone (not where `back` runs more than once).
    """

    def __init__(self, f: Function, memory: Memory, activity: Activity, fused: set[Loop], may_undo: bool):
        self.f, self.memory, self.activity, self.fused = f, memory, activity, fused
        self.statements = list(walk(f.body))
        self.order: dict[int, float] = {id(s): k for k, s in enumerate(self.statements)}
        self.where: dict[int, Block] = {}
        self._places(f.body)
        self.stored = stored_values(self.statements)
        self.exit_tests: dict[Any, Loop] = {
            branch.test: loop
            for loop in self.statements
            if isinstance(loop, Loop) and (branch := while_branch(loop)) is not None
        }
        self.undone: set[Value] = set()
        self.rebound = self._rebound()
        self.earlier: dict[Value, Value | None] = {}  # variables of loops -> the arrays of iterations before
        self.plan: dict[Any, str] = {}
        self._decide()
        if may_undo:
            kept = [key for key, how in self.plan.items() if how is KEEP]
            chosen = worth_undoing(self, kept)
            if chosen:
                before = weight_of(self, kept)
                self.undone = chosen
                self._decide()
                if weight_of(self, [key for key, how in self.plan.items() if how is KEEP]) >= before:
                    self.undone = set()
                    self._decide()

    # -- places -----------------------------------------------------------------------------------------------

    def _places(self, block: Block) -> None:
        for s in block.statements:
            self.where[id(s)] = block
            if isinstance(s, Loop):
                self._places(s.body)
            elif isinstance(s, Branch):
                self._places(s.then)
                self._places(s.orelse)

    def taped_loops(self, block: Block | None) -> list[Loop]:
        """The loops around a block over whose iterations something must be kept, outermost first."""
        found: list[Loop] = []
        for loop in block.loops() if block is not None else []:
            if loop in self.fused:
                break
            found.append(loop)
        return found[::-1]

    def block_of(self, v: Value) -> Block:
        """The block in whose scope a value is."""
        d = v.definition
        if d is None:
            return self.f.body
        if isinstance(d, Loop) and (v is d.index or any(c.phi is v for c in d.carries)):
            return d.body
        return self.where[id(d)]

    def _rebound(self) -> set[Value]:
        """Classes of arrays that variables are rebound to by loops or branches."""
        found = set()
        for s in self.statements:
            if isinstance(s, Loop):
                found |= {self.memory.of(c.phi) for c in s.carries if ir.is_array(c.phi)}
            elif isinstance(s, Branch):
                found |= {self.memory.of(j.out) for j in s.joins if ir.is_array(j.out)}
        return found

    # -- what the backward pass of a statement does -------------------------------------------------------------

    def is_backward(self, s: Any) -> bool:
        """Whether a statement has a backward pass."""
        if isinstance(s, Op):
            if s.kind in WRITERS:
                return self.activity.is_active(s.args[0]) or self.is_undone(s)
            return s.kind != "item" and s.kind != "view" and any(self.activity.is_active(o) for o in s.outs)
        if isinstance(s, Loop):
            carried = any(self.activity.is_active(c.phi) and not ir.is_array(c.phi) for c in s.carries)
            return carried or any(self.is_backward(x) for x in s.body.statements)
        joined = any(self.activity.is_active(j.out) and not ir.is_array(j.out) for j in s.joins)
        return joined or any(self.is_backward(x) for x in [*s.then.statements, *s.orelse.statements])

    def is_undone(self, s: Op) -> bool:
        """Whether the backward pass puts back what a store overwrote: someone before it may look at it again."""
        klass = self.memory.of(s.args[0])
        if klass not in self.undone:
            return False
        loops = self.taped_loops(self.where[id(s)])
        for r in self.memory.readers.get(klass, ()):
            if self.order[id(r)] < self.order[id(s)] or any(x in loops for x in self.taped_loops(self.where[id(r)])):
                return True
        return False

    # -- decisions ----------------------------------------------------------------------------------------------

    def _decide(self) -> None:
        self.plan = {}
        self.available: dict[Any, bool] = {}
        self.found_again: dict[Value, Op] = {}  # loads, which no statements are, of what was stored
        wanted: list[Any] = []
        for s in self.statements:
            if self.is_backward(s):
                is_undone = isinstance(s, Op) and s.kind == "store" and self.is_undone(s)
                wanted += backward_reads(s, self.activity, is_undone)
        for leaf in ir.result_leaves(self.f.result):
            if isinstance(leaf, Value):
                wanted.append(leaf)
                if ir.is_array(leaf) and self.activity.is_active(leaf):
                    wanted.append((SHADOW, leaf))  # a seed is added to it, also where it is a view and nothing else
        for key in sorted((k for k in wanted if not isinstance(k, Const | Undefined)), key=self._rank):
            self._need(key)

    def _rank(self, key: Any) -> float:
        v = key[1] if isinstance(key, tuple) else key
        return self.order.get(id(v.definition), -1)

    def _need(self, key: Any) -> None:
        if isinstance(key, Const | Undefined) or key in self.plan:
            return
        v = key[1] if isinstance(key, tuple) else key
        d = v.definition
        if isinstance(d, Op) and d.kind == "constant":
            self.plan[key] = FREE
            return
        if not self.taped_loops(self.block_of(v)):
            self.plan[key] = FREE
            if isinstance(key, tuple) and isinstance(d, Op) and d.kind in ("view", "fit"):
                self._need((SHADOW, d.args[0]))
        elif isinstance(d, Loop) and key is d.index:
            self.plan[key] = RECOMPUTE
            for x in (d.start, d.step):
                self._need(x)
        elif isinstance(key, tuple):
            self._need_shadow(v)
        elif ir.is_array(v) and isinstance(d, Loop) and (made := made_before(self, v)) is not None:
            self.plan[key] = self.plan[made] = KEEP  # (as rows of one slab)
        elif self.is_available(v):
            self.plan[key] = RECOMPUTE
            for x in self._sources(v):
                self._need(x)
        else:
            for leaf in self._outer_leaves(v):
                self._need(leaf)
            if self.is_available(v):
                self._need(key)
                return
            self.plan[key] = KEEP
            self.available[v] = True

    def _outer_leaves(self, v: Value) -> list[Value]:
        """What must be kept so that `v` can be recomputed, if that is kept less often than `v`, or is one value."""
        depth = len(self.taped_loops(self.block_of(v)))
        leaves: list[Value] = []
        seen: set[Value] = set()

        def collect(x: Any) -> bool:
            if not isinstance(x, Value) or x in seen or self.is_available(x):
                return True
            seen.add(x)
            d = x.definition
            outside = len(self.taped_loops(self.block_of(x))) < depth
            if x is not v and (outside or (isinstance(d, Op) and d.kind == "load")):
                leaves.append(x)
                return True
            if isinstance(d, Loop):
                carry = next((c for c in d.carries if x in (c.phi, c.out)), None)
                if carry is None or ir.is_array(x) or closed_form(d, carry) is None:
                    return False
            elif not isinstance(d, Op) or not self._may_recompute(d):
                return False
            return all(collect(y) for y in self._sources(x))

        if not collect(v):
            return []
        deep = [x for x in leaves if len(self.taped_loops(self.block_of(x))) == depth]
        if len(deep) > 1:
            return []
        for x in [*leaves, *seen]:
            self.available.pop(x, None)
        return leaves

    def _need_shadow(self, v: Value) -> None:
        """The shadow of an array that is made, or rebound, inside a loop."""
        key = (SHADOW, v)
        d = v.definition
        if isinstance(d, Op) and d.kind in ("view", "fit"):
            self.plan[key] = RECOMPUTE
            self._need((SHADOW, d.args[0]))
            for x in d.args[1:]:
                self._need(x)
        elif isinstance(d, Loop) and self.rotation(d) is not None and any(c.phi is v for c in d.carries):
            self.plan[key] = RECOMPUTE
            for c in d.carries:
                if ir.is_array(c.phi):
                    self.plan[(SHADOW, c.phi)] = RECOMPUTE
            for c in d.carries:
                if ir.is_array(c.phi):
                    self._need((SHADOW, c.out))
        elif isinstance(d, Op) and d.kind in FRESH and self.memory.of(v) not in self.rebound:
            self.plan[key] = RECOMPUTE  # a fresh shadow, made where the backward pass needs it
            for x in d.args if d.kind == "new" else [v]:
                self._need(x)
        else:
            self.plan[key] = KEEP

    def rotation(self, loop: Loop) -> dict[Value, Value] | None:
        """For a loop that only exchanges its array variables: next -> phi, the exchange backwards."""
        arrays = [c for c in loop.carries if ir.is_array(c.phi)]
        phis = {c.phi for c in arrays}
        if not arrays or {c.next for c in arrays} != phis or loop.exit is not None:
            return None
        return {c.phi: next(d.phi for d in arrays if d.next is c.phi) for c in arrays}

    def _sources(self, v: Value) -> list[Operand]:
        """What recomputing a value reads."""
        if v in self.exit_tests:
            return [found for found in (self.exit_tests[v].trips,) if found is not None]
        d = self.found_again.get(v, v.definition)
        if isinstance(d, Op):
            return list(d.args)
        if isinstance(d, Loop):
            carry = next(c for c in d.carries if v in (c.phi, c.out))
            step = closed_form(d, carry)
            assert step is not None
            if d.start is None:
                return [carry.init, step[1], *([] if d.trips is None else [d.trips])]
            assert d.step is not None and d.stop is not None
            return [carry.init, step[1], d.start, d.step, *([d.stop] if v is carry.out else [])]
        assert isinstance(d, Branch)
        join = next(j for j in d.joins if j.out is v)
        return [d.test, join.then, join.orelse]

    def is_available(self, v: Any) -> bool:
        """Whether a value can be had in the backward pass without keeping anything more."""
        if not isinstance(v, Value):
            return True
        if v not in self.available:
            self.available[v] = False
            self.available[v] = self._find_available(v)
        return self.available[v]

    def _find_available(self, v: Value) -> bool:
        if self.plan.get(v) is not None or not self.taped_loops(self.block_of(v)):
            return True
        d = v.definition
        if v in self.exit_tests or (isinstance(d, Op) and d.kind == "constant"):
            return True
        if isinstance(d, Loop):
            if v is d.index:
                return all(self.is_available(x) for x in (d.start, d.step))
            carry = next((c for c in d.carries if v in (c.phi, c.out)), None)
            if ir.is_array(v):
                return made_before(self, v) is not None
            if carry is None or closed_form(d, carry) is None:
                return False
            return all(self.is_available(x) for x in self._sources(v))
        if isinstance(d, Branch):
            join = next(j for j in d.joins if j.out is v)
            inside = (d.then, d.orelse)
            if ir.is_array(v) or any(
                isinstance(x, Value) and self.block_of(x) in inside for x in (join.then, join.orelse)
            ):
                return False
            return all(self.is_available(x) for x in self._sources(v))
        if d is None:
            return True
        return (self._may_recompute(d) and all(self.is_available(x) for x in d.args)) or self._find_again(v)

    def _find_again(self, v: Value) -> bool:
        """Whether a number stands where the block that computes it stores it, or is what a store overwrites."""
        load = load_of_stored(self, v) or old_of_store(self, v)
        if load is not None:
            self.found_again[v] = load
        return load is not None

    def _may_recompute(self, d: Op) -> bool:
        if d.kind in SCALAR:
            return is_cheap(d)
        if d.kind == "load":
            return self.is_stable(d)
        return d.kind in ("shape", "view", "item", "fit")

    def is_stable(self, load: Op) -> bool:
        """Whether the memory that was loaded is there again when the backward pass of its block begins."""
        block = self.where[id(load)]
        klass = self.memory.of(load.args[0])
        if is_row(self, load) or is_row_before(self, load):
            return True
        for w in self.memory.writers.get(klass, ()):
            inside = self.where[id(w)]
            common = [loop for loop in self.taped_loops(block) if loop in self.taped_loops(inside)]
            after = self.order[id(w)] > self.order[id(load)]
            is_undone = klass in self.undone
            if not (after and ir.is_within(inside, block) if is_undone else after or common):
                continue
            around = [loop for loop in block.loops() if loop in inside.loops()]
            later = [] if is_undone else common  # (what later iterations overwrite is put back before)
            if not self.is_same(load, w, common):
                return False
            if is_overwritten_later(load, w, later, after, self.block_of, around):
                return False
        return True

    def is_same(self, load: Op, w: Op, loops: list[Loop]) -> bool:
        """Whether a store writes elements of the very array that a load reads, in all iterations of loops."""
        array = load.args[0]
        if w.kind != "store" or w.args[0] is not array or self.memory.of(array) in self.rebound:
            return False
        return not (loops and self.is_inside(array, loops[0]))

    def is_inside(self, x: Any, loop: Loop) -> bool:
        return ir.is_within(self.block_of(x), loop.body)


def closed_form(loop: Loop, carry: ir.Carry) -> tuple[str, Operand] | None:
    """The operator and the step of an integer that each iteration changes by the same amount.

    The last iteration of a `while` loop, which finds its test false, changes nothing.
    """
    if not isinstance(carry.phi.type, types.Integer):
        return None
    following: Any = carry.next
    if loop.start is None:
        branch = while_branch(loop)
        join = next((j for j in branch.joins if j.out is following), None) if branch is not None else None
        if join is None or join.orelse is not carry.phi:
            return None
        following = join.then
    elif loop.exit is not None:
        return None
    base, distance = offset(following)
    if base is carry.phi and distance:
        return ("+" if distance > 0 else "-"), Const(abs(distance))
    d = following.definition if isinstance(following, Value) else None
    if not (isinstance(d, Op) and d.kind == "binary" and d.attr in "+-" and d.args[0] is carry.phi):
        return None
    step = d.args[1]
    if isinstance(step, Value) and ir.is_within(step.block, loop.body):
        return None
    return d.attr, step
