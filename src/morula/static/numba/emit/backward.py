"""The backward half: statements in reverse order, each adding cotangents to what it read."""

import re
from typing import Any

from numba.core import types

from morula.static import ir
from morula.static.ir import Branch, Const, Loop, Op, Value, walk
from morula.static.numba.emit.forward import Forward
from morula.static.numba.emit.operations import emit_operation
from morula.static.numba.emit.parallel import emit_parts
from morula.static.numba.emit.skipping import only_source, places
from morula.static.numba.emit.splitting import in_any_order, split_by_target
from morula.static.numba.emit.tapes import Tapes
from morula.static.numba.emit.text import Lines, Texts, is_scalar, operand_text
from morula.static.passes.order import is_free_order
from morula.static.passes.parallel import Shares, shares
from morula.static.passes.record import FREE, KEEP, RECOMPUTE, SHADOW, Record, closed_form


class Backward:
    """Emits the backward pass of statements.

    `defined` holds the numbers whose cotangent has a variable by now: the first contribution assigns, others add.
    """

    def __init__(
        self, record: Record, tapes: Tapes, texts: Texts, forward: Forward, guarded: set[Any], out: Lines,
        is_parallel: bool,
    ):  # fmt: skip
        self.record, self.tapes, self.texts, self.forward, self.out = record, tapes, texts, forward, out
        self.guarded = guarded
        self.activity = record.activity
        self.defined: set[Value] = set()
        self.dropped: set[Value] = set()
        self.additions: list[tuple[int, Any, tuple]] = []  # lines that add to shadows: number, array, index
        self.hidden_zero: str | None = None
        self.is_parallel = is_parallel

    # -- cotangents -----------------------------------------------------------------------------------------------

    def bar(self, v: Value) -> str:
        return f"{v.name}_bar"

    def add(self, x: Any, text: str, line: int = 0) -> None:
        """Add to the cotangent of a number."""
        if not isinstance(x, Value) or not self.activity.is_active(x) or x in self.dropped:
            return
        if x in self.defined:
            if text.startswith("-") and re.fullmatch(r"-[\w.\[\], ()]+", text):
                self.out.add(f"{self.bar(x)} -= {text[1:]}", self.line_remark(line))
            else:
                self.out.add(f"{self.bar(x)} += {text}", self.line_remark(line))
        else:
            self.out.add(f"{self.bar(x)} = {text}", self.line_remark(line))
            self.defined.add(x)

    def line_remark(self, line: int) -> str:
        name, user = self.record.f.user_lines.get(line, ("", 0))
        if not user:
            return ""
        return f"line {user}" if name == self.record.f.name else f"{name}, line {user}"

    def open(self, s: Any) -> None:
        """Cotangents that are added to inside a loop or branch begin before it."""
        for x in self.outer_reads(s):
            if x not in self.defined and x not in self.dropped:
                self.out.add(f"{self.bar(x)} = 0.0")
                self.defined.add(x)

    def outer_reads(self, s: Any) -> list[Value]:
        """The active numbers from outside a statement that the statements inside it read."""
        inside: set[Value] = set()
        read: dict[Any, None] = {}
        blocks = [s.body] if isinstance(s, Loop) else [s.then, s.orelse]
        if isinstance(s, Loop):
            inside |= {c.phi for c in s.carries}
            for c in s.carries:
                read[c.next] = None
        else:
            for j in s.joins:
                read[j.then] = read[j.orelse] = None
        for block in blocks:
            for t in walk(block):
                if isinstance(t, Op):
                    inside |= set(t.outs)
                elif isinstance(t, Loop):
                    inside |= {c.phi for c in t.carries} | {c.out for c in t.carries}
                else:
                    inside |= {j.out for j in t.joins}
                if self.record.is_backward(t):
                    read.update(dict.fromkeys(ir.operands(t)))
        return [x for x in read if is_scalar(x) and x not in inside and self.activity.is_active(x)]

    # -- blocks ---------------------------------------------------------------------------------------------------

    def block(self, statements: list[Any]) -> None:
        for s in reversed(statements):
            if self.record.is_backward(s):
                if isinstance(s, Op):
                    emit_operation(self, s)
                elif isinstance(s, Loop):
                    self.loop(s)
                else:
                    self.branch(s)

    def prologue(self, statements: list[Any], kept_first: list[Any] = ()) -> None:  # type: ignore[assignment]
        """Have at hand what the backward pass of a block reads."""
        plan = self.record.plan
        for key in kept_first:
            if plan.get(key) is KEEP:
                self.tapes.read(key, self.key_text(key), self.out)
        for s in statements:
            if isinstance(s, Op):
                values = s.outs
            elif isinstance(s, Loop):
                values = ([s.trips] if s.trips is not None else []) + [c.out for c in s.carries]
            else:
                values = [j.out for j in s.joins]
            for v in values:
                self.restore(v, s)

    def key_text(self, key: Any) -> str:
        return f"{key[1].name}_bar" if isinstance(key, tuple) else key.name

    def restore(self, v: Value, s: Any) -> None:
        plan = self.record.plan
        how = plan.get(v)
        if how is KEEP:
            self.tapes.read(v, v.name, self.out)
        elif how is RECOMPUTE:
            self.recompute(v, s)
        if not ir.is_array(v) or not self.activity.is_active(v):
            return
        how = plan.get((SHADOW, v))
        if how is KEEP:
            self.tapes.read((SHADOW, v), f"{v.name}_bar", self.out)
        elif how is not None and isinstance(s, Op) and not (how is FREE and self.forward.is_paired(v)):
            if (SHADOW, v) in self.tapes.slabs.room_of:
                self.out.add(f"{v.name}_bar.fill(0)")
            elif s.kind != "item" and s.kind != "constant":
                self.out.add(f"{v.name}_bar = {self.forward.shadow(v)}")
        # (The shadows of arrays that a loop exchanged still hold what they held after it.)

    def recompute(self, v: Value, s: Any) -> None:
        ended = self.record.exit_tests.get(v)
        if ended is not None:
            self.out.add(f"{v.name} = {self.tapes.iteration(ended)} < {operand_text(ended.trips)} - 1")
        elif isinstance(s, Op):
            found = self.record.found_again.get(v, s)
            if found.kind == "old":
                self.tapes.read((found.kind, found.attr), v.name, self.out)
            else:
                self.out.add(f"{v.name} = {self.texts.operation(found)}")
        elif isinstance(s, Branch):
            join = next(j for j in s.joins if j.out is v)
            self.out.add(
                f"{v.name} = {operand_text(join.then)} if {operand_text(s.test)} else {operand_text(join.orelse)}"
            )
        else:
            carry = next(c for c in s.carries if c.out is v)
            form = closed_form(s, carry)
            assert form is not None
            self.out.add(
                f"{v.name} = {operand_text(carry.init)} {form[0]} {self.tapes.trips(s)} * {operand_text(form[1])}"
            )

    # -- control --------------------------------------------------------------------------------------------------

    def header(self, loop: Loop, is_free: bool) -> list[str]:
        """The lines that begin a loop which runs backwards (or forwards, where the order is free)."""
        if loop.start is None:
            assert loop.trips is not None
            k = self.tapes.counters[loop] = self.tapes.fresh("k")
            return [f"for {k} in range({loop.trips.name} - 1, -1, -1):"]
        assert loop.index is not None
        i = loop.index.name
        if loop.exit is not None:
            assert loop.trips is not None
            k = self.tapes.fresh("k")
            start = operand_text(loop.start)
            step = f"{k}" if operand_text(loop.step) == "1" else f"{k} * {operand_text(loop.step)}"
            lines = [f"for {k} in range({loop.trips.name} - 1, -1, -1):"]
            return [*lines, f"    {i} = {step if start == '0' else f'{start} + {step}'}"]
        if is_free:
            return [self.forward.header(loop, is_serial=True)]
        if isinstance(loop.step, Const) and loop.step.value == 1:
            low = loop.start.value - 1 if isinstance(loop.start, Const) else f"{operand_text(loop.start)} - 1"
            high = loop.stop.value - 1 if isinstance(loop.stop, Const) else f"{operand_text(loop.stop)} - 1"
            if not any(isinstance(t, Loop) for t in loop.body.statements):
                return [f"for {i} in range({high}, {low}, -1):"]
            down = self.tapes.fresh(f"{i}_down")
            return [f"for {down} in range({high}, {low}, -1):", f"    {i} = {down} ^ {self.zero()}"]
        k = self.tapes.fresh("k")
        lines = [f"for {k} in range({self.tapes.trips(loop)} - 1, -1, -1):"]
        return [*lines, f"    {i} = {operand_text(loop.start)} + {k} * {operand_text(loop.step)}"]

    def zero(self) -> str:
        """A zero that LLVM does not know for one.

        A counter that runs down is an affine recurrence with a negative step; rows that are indexed by it make LLVM
        take the scalar version of a vectorised inner loop at run time. With this zero it is no recurrence.
        """
        if self.hidden_zero is None:
            self.hidden_zero = self.tapes.fresh("hidden_zero")  # it stands at the top of the function
        return self.hidden_zero

    def loop(self, loop: Loop) -> None:
        out = self.out
        carries = [c for c in loop.carries if is_scalar(c.phi) and self.activity.is_active(c.phi)]
        for c in carries:
            if c.out not in self.defined:
                out.add(f"{self.bar(c.phi)} = 0.0")
        self.open(loop)
        self.rooms(loop)
        self.tapes.leave(loop, out)
        is_free = is_free_order(loop, self.record)
        plan = self.parallel_plan(loop)
        header = self.header(loop, is_free) if plan is None else []
        before = set(self.defined)
        first = len(out.lines)
        self.additions = []
        out.depth += 1
        self.tapes.begin(loop, out, forward=False)
        self.body(loop, carries, may_skip=not is_free and plan is None and self.tapes.is_owned)
        if len(out.lines) == first:
            out.add("pass")
        out.depth -= 1
        made, out.lines[first:] = out.lines[first:], []
        if plan is not None:
            emit_parts(self, loop, made, plan, [c.phi for c in carries])
        else:
            bodies = [made]
            if is_free and not carries:
                bodies = split_by_target(made, [(n - first, a, i) for n, a, i in self.additions], self.record.memory)
            numbers = self.reordered(loop) if is_free else set()
            for body in bodies:
                for k, line in enumerate(header):
                    out.lines.append("    " * (out.depth + (k > 0)) + line.strip())
                out.lines += in_any_order(body, numbers)
        self.additions = []
        self.defined = before
        for c in carries:
            self.defined.discard(c.out)
            self.add(c.init, self.bar(c.phi), loop.line)

    def reordered(self, loop: Loop) -> set[str]:
        """The cotangents that the iterations of a loop add to in any order, so that it vectorises."""
        if not self.tapes.is_owned:  # the generator reads the text again
            return set()
        return {self.bar(x) for x in self.outer_reads(loop) if x.type == types.float64}

    def rooms(self, loop: Loop) -> None:
        """Before a loop: rooms for the shadows of what each iteration makes anew."""
        for key in self.tapes.slabs.rooms_before(loop, is_shadow=True):
            self.out.add(f"{self.bar(key[1])} = {self.tapes.slabs.made(key)}")

    def parallel_plan(self, loop: Loop) -> Shares | None:
        """How a loop runs backwards in parallel, if it does."""
        if not self.is_parallel or not self.forward.has_numbered_tapes(loop):
            return None
        plan = shares(loop, self.record)
        if plan is not None:
            plan.numbers = [x for x in self.outer_reads(loop) if x not in self.dropped]
        return plan

    def body(self, loop: Loop, carries: list[ir.Carry], may_skip: bool) -> None:
        """One iteration, backwards; of some, only where there is something to add (`skipping`)."""
        self.rotate(loop)
        kept_first: list[Any] = [c.phi for c in loop.carries]
        kept_first += [(SHADOW, c.phi) for c in loop.carries if ir.is_array(c.phi)]
        self.prologue([], kept_first)
        for line in self.tapes.renewed(loop):
            self.out.add(line)
        for c in loop.carries:
            if self.record.plan.get(c.phi) is RECOMPUTE:
                form = closed_form(loop, c)
                assert form is not None
                steps = self.tapes.iteration(loop)
                self.out.add(f"{c.phi.name} = {operand_text(c.init)} {form[0]} {steps} * {operand_text(form[1])}")
        source = only_source(loop, self.record) if may_skip else None
        if source is not None and source.args[1] not in self.dropped:
            self.where_not_zero(source, loop)
            return
        self.prologue(loop.body.statements)
        phis = {c.phi for c in carries}
        seeds = {c: self.bar(c.phi) for c in carries}
        for c in carries:
            if c.next in phis:
                seeds[c] = self.tapes.fresh(f"{self.bar(c.phi)}_next")
                self.out.add(f"{seeds[c]} = {self.bar(c.phi)}")
        if any(c.next in phis for c in carries):
            for c in carries:
                if c.next not in phis:
                    seeds[c] = self.tapes.fresh(f"{self.bar(c.phi)}_next")
                    self.out.add(f"{seeds[c]} = {self.bar(c.phi)}")
        for c in carries:
            self.add(c.next, seeds[c], loop.line)
        self.block(loop.body.statements)
        for c in carries:
            if c.phi not in self.defined:
                self.out.add(f"{self.bar(c.phi)} = 0.0")

    def where_not_zero(self, source: Op, loop: Loop) -> None:
        """An iteration whose cotangents all come from one store."""
        value: Any = source.args[1]
        first = places(source, loop)
        self.prologue(first)
        emit_operation(self, source)
        self.out.add(f"if {self.bar(value)} != 0.0:")
        self.out.depth += 1
        self.prologue([s for s in loop.body.statements if s not in first])
        self.block([s for s in loop.body.statements if s is not source])
        self.out.depth -= 1

    def rotate(self, loop: Loop) -> None:
        """Exchange array variables back."""
        back = self.record.rotation(loop)
        if back is None:
            return
        pairs = []
        for c in loop.carries:
            if ir.is_array(c.phi):
                if self.forward.is_paired(c.phi) and (SHADOW, c.phi) in self.record.plan:
                    pairs.append((self.bar(c.phi), self.bar(back[c.phi])))
        if pairs:
            self.out.add(f"{', '.join(a for a, _ in pairs)} = {', '.join(b for _, b in pairs)}")

    def branch(self, s: Branch) -> None:
        out = self.out
        joins = [j for j in s.joins if is_scalar(j.out) and j.out in self.defined]
        before = set(self.defined)
        written: list[list[str]] = []
        begun: list[set[Value]] = []
        for block, pairs in (
            (s.then, [(j.out, j.then) for j in joins]),
            (s.orelse, [(j.out, j.orelse) for j in joins]),
        ):
            lines, out.lines = out.lines, []
            out.depth += 1
            self.defined = set(before)
            self.prologue(block.statements)
            for target, source in pairs:
                self.add(source, self.bar(target), s.line)
            self.block(block.statements)
            out.depth -= 1
            made, out.lines = out.lines, lines
            written.append(made)
            begun.append(self.defined - before)
        outside = [x for x in self.outer_reads(s) if x in begun[0] | begun[1]]
        for made, own in zip(written, begun, strict=True):
            # a cotangent that begins in one branch is zero in the other
            made += ["    " * (out.depth + 1) + f"{self.bar(x)} = 0.0" for x in outside if x not in own]
        self.defined = before | set(outside)
        then, orelse = written
        if then:
            out.add(f"if {operand_text(s.test)}:")
            out.lines += then
            if orelse:
                out.add("else:")
                out.lines += orelse
        elif orelse:
            out.add(f"if not {operand_text(s.test)}:")
            out.lines += orelse
