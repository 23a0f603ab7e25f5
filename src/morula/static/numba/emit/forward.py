"""The forward half: the program itself, and what it keeps for the way back."""

from typing import Any

from morula.static import ir
from morula.static.ir import Loop, Op, Undefined, Value
from morula.static.numba.emit.ordered_sums import changes_of_sign, with_hidden_sign
from morula.static.numba.emit.slabs import product_of
from morula.static.numba.emit.statements import Assignments, Statements, undefined
from morula.static.numba.emit.tapes import Tapes
from morula.static.numba.emit.text import Lines, Texts, operand_text
from morula.static.passes.record import KEEP, SHADOW, Record


class Forward(Statements):
    """Emits statements with their tapes, and with the shadows that go from variable to variable."""

    def __init__(self, record: Record, tapes: Tapes, texts: Texts, out: Lines):
        super().__init__(texts, out)
        self.record, self.tapes, self.slabs = record, tapes, tapes.slabs
        self.signs: set[Op] = set()  # what changes signs without LLVM's knowing it
        self.minus = ""

    def hide_signs(self) -> list[str]:
        """Let LLVM add up what the program subtracts; the lines at the top that this needs."""
        self.signs = changes_of_sign(self.record.statements)
        if not self.signs:
            return []
        self.minus = self.tapes.fresh("minus")
        return [f"    {self.minus} = float(opaque(-1))"]

    def statement(self, s: Any) -> None:
        self.tapes.make(s, self.out)
        super().statement(s)

    def op(self, s: Op) -> None:
        is_row = len(s.outs) == 1 and s.out in self.slabs.rows
        product = product_of(s.out) if is_row or (s.outs and s.out in self.slabs.room_of) else None
        if s in self.signs:
            self.out.add(f"{s.out.name} = {with_hidden_sign(s, self.minus, self.texts)}")
            self.made(s.out)
            return
        if product is None and (s.kind != "new" or not (is_row or s.out in self.slabs.room_of)):
            super().op(s)
            return
        for line in self.slabs.checks(s.out):
            self.out.add(line)
        if is_row:
            self.out.add(f"{s.out.name} = {self.tapes.entry(s.out)}")
        if product is not None:
            self.out.add(f"{product}({', '.join(operand_text(x) for x in (*s.args, s.out))})")
        elif (not is_row or s.out in self.tapes.reused) and (first := self.slabs.begun(s.out)) is not None:
            self.out.add(f"{s.out.name}.fill({first})")
        self.made(s.out)

    def store(self, s: Op) -> None:
        if self.record.is_undone(s):
            array: Any = s.args[0]
            place = self.texts.element(array.name, s.args[2:])
            old = self.old(s)
            if old is None:
                self.tapes.write(("old", s), place, self.out)
            else:
                self.out.add(f"{old} = {place}")
        super().store(s)

    def old(self, s: Op) -> str | None:
        """The variable that holds what a store overwrote; None where that is on a tape."""
        if ("old", s) in self.tapes.names:
            return None
        return self.tapes.fresh_old(s)

    def made(self, v: Value) -> None:
        """Keep what the backward pass needs, and make the shadow of an array that goes from variable to variable."""
        is_computed = isinstance(v.definition, Op)  # what loops and branches hand out has its shadow
        if is_computed and self.is_paired(v) and v not in self.record.f.leaves:  # so have arguments
            self.out.add(f"{v.name}_bar = {self.shadow(v)}")
            if (SHADOW, v) in self.slabs.rows and (SHADOW, v) in self.tapes.reused:
                self.out.add(f"{v.name}_bar.fill(0)")
        self.keep(v)

    def keep(self, v: Value) -> None:
        plan, slabs = self.record.plan, self.slabs
        if v in slabs.rows:
            if v.definition.kind != "new" and product_of(v) is None:
                self.tapes.write(v, v.name, self.out)
        elif plan.get(v) is KEEP and v not in slabs.carried:
            self.tapes.write(v, v.name, self.out)
        shadow = (SHADOW, v)
        if plan.get(shadow) is KEEP and shadow not in slabs.rows and shadow not in slabs.carried:
            if isinstance(v.definition, Op) and not self.is_paired(v):
                self.out.add(f"{v.name}_bar = {self.shadow(v)}")
            self.tapes.write((SHADOW, v), f"{v.name}_bar", self.out)

    def is_paired(self, v: Any) -> bool:
        """Whether the shadow of an array is made in the forward pass, beside the array."""
        return ir.is_array(v) and self.record.activity.is_active(v) and self.record.memory.of(v) in self.record.rebound

    def shadow(self, v: Value) -> str:
        """The shadow of what an operation returns."""
        d = v.definition
        if (SHADOW, v) in self.slabs.rows:
            return self.tapes.entry((SHADOW, v))
        if isinstance(d, Op) and d.kind == "view":
            return self.texts.view(f"{d.args[0].name}_bar", d)  # type: ignore[union-attr]
        if isinstance(d, Op) and d.kind == "fit":
            sizes = ", ".join(operand_text(x) for x in d.args[1:])
            return f"fit_shadow{len(d.args) - 1}({d.args[0].name}_bar, {sizes})"  # type: ignore[union-attr]
        return self.texts.zeros(v)

    def may_run_parallel(self, loop: Loop) -> bool:
        """As without tapes, where these are indexed by number."""
        return super().may_run_parallel(loop) and self.has_numbered_tapes(loop)

    def is_reduction(self, c: ir.Carry, loop: Loop) -> bool:
        """As without tapes, where no partial sum is kept."""
        return self.record.plan.get(c.phi) is None and super().is_reduction(c, loop)

    def has_numbered_tapes(self, loop: Loop) -> bool:
        """Whether all that is kept in a loop has a place that the numbers of its iterations say."""
        inner = [loop, *(s for s in ir.walk(loop.body) if isinstance(s, Loop))]
        return all(self.tapes.is_numbered_ahead(x) for x in inner)

    def enter(self, loop: Loop) -> None:
        if loop.trips is not None:
            self.out.add(f"{loop.trips.name} = 0")
        self.tapes.enter(loop, self.out)
        for v in self.slabs.rooms_before(loop, is_shadow=False):
            self.out.add(f"{v.name} = {self.slabs.made(v)}")

    def begin(self, loop: Loop) -> None:
        if loop.trips is not None:
            self.out.add(f"{loop.trips.name} += 1")
        self.tapes.begin(loop, self.out, forward=True)
        for c in loop.carries:
            self.keep(c.phi)

    def assignments(self, target: Value, source: Any) -> Assignments:
        found = super().assignments(target, source)
        if self.is_paired(target):
            text = undefined(target) if isinstance(source, Undefined) else f"{source.name}_bar"
            found.append((f"{target.name}_bar", text))
        return found
