"""The forward half: the program itself, and what it keeps for the way back."""

from typing import Any

from morula.native import ir
from morula.native.emit.tapes import Tapes
from morula.native.emit.text import Lines, Texts, said, zero
from morula.native.front.calls import dtype_text
from morula.native.ir import Block, Branch, Loop, Op, Undefined, Value
from morula.native.passes.record import KEEP, SHADOW, Record
from morula.native.unsupported import Unsupported


class Forward:
    """Emits statements as the program has them."""

    def __init__(self, record: Record, tapes: Tapes, texts: Texts, out: Lines):
        self.record, self.tapes, self.texts, self.out = record, tapes, texts, out
        self.with_tape = True

    def block(self, statements: list[Any]) -> None:
        for s in statements:
            self.statement(s)

    def statement(self, s: Any) -> None:
        if self.with_tape:
            self.tapes.make(s, self.out)
        if isinstance(s, Op):
            self.op(s)
        elif isinstance(s, Loop):
            self.loop(s)
        else:
            self.branch(s)

    # -- operations -----------------------------------------------------------------------------------------------

    def op(self, s: Op) -> None:
        out = self.out
        if s.kind == "constant":
            pass  # it is in the namespace; its shadow is a bin, where variables may stand for it or for another array
        elif s.kind == "store":
            self.store(s)
        elif s.kind == "raise":
            args = ", ".join(said(x) for x in s.args)
            out.add("raise" if s.attr is None else f"raise {s.attr}({args})" if s.args else f"raise {s.attr}")
        elif s.kind == "check":
            out.add(f"if {said(s.args[0])} == 0:")
            out.add('    raise ZeroDivisionError("division by zero")')
        elif s.kind == "print":
            out.add(f"print({', '.join(said(x) for x in s.args)})")
        elif len(s.outs) > 1:
            out.add(f"{', '.join(o.name for o in s.outs)} = {self.texts.operation(s)}")
        else:
            out.add(f"{s.out.name} = {self.texts.operation(s)}")
        for v in s.outs:
            self.kept(v)

    def store(self, s: Op) -> None:
        array: Any = s.args[0]
        place = self.texts.element(array.name, s.args[2:])
        if self.with_tape and self.record.is_undone(s):
            old = self.old(s)
            if old is None:
                self.tapes.write(("old", s), place, self.out)
            else:
                self.out.add(f"{old} = {place}")
        self.out.add(f"{place} {s.attr or ''}= {said(s.args[1])}")

    def old(self, s: Op) -> str | None:
        """The variable that holds what a store overwrote; None where that is on a tape."""
        if ("old", s) in self.tapes.names:
            return None
        return self.tapes.fresh_old(s)

    def kept(self, v: Value) -> None:
        """Keep what the backward pass needs, and make the shadow of an array that goes from variable to variable."""
        if not self.with_tape:
            return
        plan = self.record.plan
        if plan.get(v) is KEEP:
            self.tapes.write(v, v.name, self.out)
        if self.is_paired(v) and v not in self.record.f.leaves:  # the shadows of arguments are given
            self.out.add(f"{v.name}_bar = {self.shadow(v)}")
        if plan.get((SHADOW, v)) is KEEP:
            if not self.is_paired(v):
                self.out.add(f"{v.name}_bar = {self.shadow(v)}")
            self.tapes.write((SHADOW, v), f"{v.name}_bar", self.out)

    def is_paired(self, v: Any) -> bool:
        """Whether the shadow of an array is made in the forward pass, beside the array."""
        return ir.is_array(v) and self.record.activity.is_active(v) and self.record.memory.of(v) in self.record.rebound

    def shadow(self, v: Value) -> str:
        """The shadow of what an operation returns."""
        d = v.definition
        if isinstance(d, Op) and d.kind == "view":
            return self.texts.view(f"{d.args[0].name}_bar", d)  # type: ignore[union-attr]
        if isinstance(d, Op) and d.kind == "fit":
            sizes = ", ".join(said(x) for x in d.args[1:])
            return f"fit_shadow{len(d.args) - 1}({d.args[0].name}_bar, {sizes})"  # type: ignore[union-attr]
        return self.texts.zeros(v)

    # -- control --------------------------------------------------------------------------------------------------

    def header(self, loop: Loop) -> str:
        if loop.start is None:
            return "while True:"
        name = "prange" if self.may_run_parallel(loop) else "range"
        assert loop.index is not None
        bounds = [said(loop.start), said(loop.stop), said(loop.step)]
        if bounds[2] == "1":
            bounds.pop()
            if bounds[0] == "0":
                bounds.pop(0)
        return f"for {loop.index.name} in {name}({', '.join(bounds)}):"

    def may_run_parallel(self, loop: Loop) -> bool:
        """Whether a `prange` stays one: nothing goes from one iteration to another, and tapes are indexed by number."""
        if not loop.parallel or loop.carries or loop.exit is not None or loop.trips is not None:
            return False
        if any(isinstance(s, Op) and s.kind in ("raise", "check") for s in ir.walk(loop.body)):
            return False  # Numba runs loops that may be left by an error in one thread
        inner = [loop, *(s for s in ir.walk(loop.body) if isinstance(s, Loop))]
        return not self.with_tape or all(self.tapes.is_numbered_ahead(x) for x in inner)

    def loop(self, loop: Loop) -> None:
        out = self.out
        self.assign([(c.phi, c.init) for c in loop.carries])
        if loop.trips is not None:
            out.add(f"{loop.trips.name} = 0")
        if self.with_tape:
            self.tapes.enter(loop, out)
        out.add(self.header(loop))
        out.depth += 1
        size = len(out.lines)
        self.begin(loop)
        self.block(loop.body.statements)
        self.assign([(c.phi, c.next) for c in loop.carries])
        if loop.exit is not None:
            out.add(f"if {said(loop.exit)}:")
            out.add("    break")
        if len(out.lines) == size:
            out.add("pass")
        out.depth -= 1
        for c in loop.carries:
            self.kept_after(c)
        if loop.trips is not None:
            self.kept(loop.trips)

    def begin(self, loop: Loop) -> None:
        """What stands at the start of an iteration."""
        if loop.trips is not None:
            self.out.add(f"{loop.trips.name} += 1")
        if not self.with_tape:
            return
        self.tapes.begin(loop, self.out, forward=True)
        for c in loop.carries:
            if self.record.plan.get(c.phi) is KEEP:
                self.tapes.write(c.phi, c.phi.name, self.out)
            if self.record.plan.get((SHADOW, c.phi)) is KEEP:
                self.tapes.write((SHADOW, c.phi), f"{c.phi.name}_bar", self.out)

    def kept_after(self, c: ir.Carry) -> None:
        """After a loop its carried value is a value of the block around it."""
        if not self.with_tape:
            return
        if self.record.plan.get(c.out) is KEEP:
            self.tapes.write(c.out, c.out.name, self.out)
        if self.record.plan.get((SHADOW, c.out)) is KEEP:
            self.tapes.write((SHADOW, c.out), f"{c.out.name}_bar", self.out)

    def assign(self, pairs: list[tuple[Value, Any]]) -> None:
        """Assign several variables at once."""
        todo = []
        for target, source in pairs:
            if isinstance(source, Undefined):
                self.undefined(target)
                continue
            text = self.cast(source, target)
            if text != target.name:
                todo.append((target.name, text))
            if self.with_tape and self.is_paired(target) and source.name != target.name:
                todo.append((f"{target.name}_bar", f"{source.name}_bar"))
        names = {t for t, _ in todo}
        if any(text in names for _, text in todo):
            self.out.add(f"{', '.join(t for t, _ in todo)} = {', '.join(x for _, x in todo)}")
        else:
            for name, text in todo:
                self.out.add(f"{name} = {text}")

    def undefined(self, target: Value) -> None:
        """Something for a variable that a right program does not read before it assigns it."""
        if not ir.is_array(target):
            self.out.add(f"{target.name} = {zero(target.type)}")
            return
        if target.type.layout != "C":
            raise Unsupported("an array variable that may be undefined")
        empty = f"np.empty({(0,) * target.type.ndim}, dtype={dtype_text(target.type.dtype)})"
        self.out.add(f"{target.name} = {empty}")
        if self.with_tape and self.is_paired(target):
            self.out.add(f"{target.name}_bar = {empty}")

    def cast(self, source: Any, target: Value) -> str:
        """A literal of the type of the variable that it initialises."""
        from numba.core import types

        if isinstance(source, ir.Const) and isinstance(source.value, int) and isinstance(target.type, types.Float):
            return repr(float(source.value))
        return said(source)

    def branch(self, s: Branch) -> None:
        out = self.out
        out.add(f"if {said(s.test)}:")
        for block, pairs in (
            (s.then, [(j.out, j.then) for j in s.joins]),
            (s.orelse, [(j.out, j.orelse) for j in s.joins]),
        ):
            if block is s.orelse:
                if not block.statements and not pairs:
                    continue
                out.add("else:")
            out.depth += 1
            size = len(out.lines)
            self.block(block.statements)
            if not ends_by_raising(block):
                self.assign(pairs)
            if len(out.lines) == size:
                out.add("pass")
            out.depth -= 1
        for j in s.joins:
            self.kept_join(j.out)

    def kept_join(self, v: Value) -> None:
        if not self.with_tape:
            return
        if self.record.plan.get(v) is KEEP:
            self.tapes.write(v, v.name, self.out)
        if self.record.plan.get((SHADOW, v)) is KEEP:
            self.tapes.write((SHADOW, v), f"{v.name}_bar", self.out)


def ends_by_raising(block: Block) -> bool:
    last = block.statements[-1] if block.statements else None
    return isinstance(last, Op) and last.kind == "raise"
