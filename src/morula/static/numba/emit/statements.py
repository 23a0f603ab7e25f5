"""The statements of a program, as it has them."""

from typing import Any

from morula.static import ir
from morula.static.front.operands import dtype_text
from morula.static.ir import Block, Branch, Loop, Op, Undefined, Value
from morula.static.numba.emit.text import Lines, Texts, operand_text, zero
from morula.static.passes.fuse import is_sum
from morula.static.unsupported import Unsupported

Assignments = list[tuple[str, str]]  # names, and what they become


class Statements:
    """Emits statements. The forward half and the tangent function add what they need beside each."""

    def __init__(self, texts: Texts, out: Lines):
        self.texts, self.out = texts, out

    def block(self, statements: list[Any]) -> None:
        for s in statements:
            self.statement(s)

    def statement(self, s: Any) -> None:
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
            pass  # it is in the namespace
        elif s.kind == "store":
            self.store(s)
        elif s.kind == "raise":
            args = ", ".join(operand_text(x) for x in s.args)
            out.add("raise" if s.attr is None else f"raise {s.attr}({args})" if s.args else f"raise {s.attr}")
        elif s.kind == "check":
            out.add(f"if {operand_text(s.args[0])} == 0:")
            out.add('    raise ZeroDivisionError("division by zero")')
        elif s.kind == "print":
            out.add(f"print({', '.join(operand_text(x) for x in s.args)})")
        elif len(s.outs) > 1:
            out.add(f"{', '.join(o.name for o in s.outs)} = {self.texts.operation(s)}")
        else:
            out.add(f"{s.out.name} = {self.texts.operation(s)}")
        for v in s.outs:
            self.made(v)

    def store(self, s: Op) -> None:
        array: Any = s.args[0]
        self.out.add(f"{self.texts.element(array.name, s.args[2:])} {s.attr or ''}= {operand_text(s.args[1])}")

    def made(self, v: Value) -> None:
        """What follows where a value has been computed."""

    # -- control --------------------------------------------------------------------------------------------------

    def header(self, loop: Loop, is_serial: bool = False) -> str:
        if loop.start is None:
            return "while True:"
        name = "prange" if not is_serial and self.may_run_parallel(loop) else "range"
        assert loop.index is not None
        bounds = [operand_text(loop.start), operand_text(loop.stop), operand_text(loop.step)]
        if bounds[2] == "1":
            bounds.pop()
            if bounds[0] == "0":
                bounds.pop(0)
        return f"for {loop.index.name} in {name}({', '.join(bounds)}):"

    def may_run_parallel(self, loop: Loop) -> bool:
        """Whether a `prange` stays one: nothing goes from one iteration to another."""
        if not loop.parallel or loop.exit is not None or loop.trips is not None:
            return False
        if not all(self.is_reduction(c, loop) for c in loop.carries):
            return False
        # Numba runs loops that may be left by an error in one thread
        return not any(isinstance(s, Op) and s.kind in ("raise", "check") for s in ir.walk(loop.body))

    def is_reduction(self, c: ir.Carry, loop: Loop) -> bool:
        """Whether something that a loop carries is a sum of one term in each iteration, as Numba knows them."""
        d = c.next.definition if isinstance(c.next, Value) else None
        is_own = isinstance(d, Op) and d in loop.body.statements and c.phi in d.args
        return is_own and not ir.is_array(c.phi) and is_sum(c.phi, loop.body, c.next)

    def loop(self, loop: Loop) -> None:
        out = self.out
        self.assign([(c.phi, c.init) for c in loop.carries])
        self.enter(loop)
        out.add(self.header(loop))
        out.depth += 1
        size = len(out.lines)
        self.begin(loop)
        self.block(loop.body.statements)
        self.assign([(c.phi, c.next) for c in loop.carries])
        if loop.exit is not None:
            out.add(f"if {operand_text(loop.exit)}:")
            out.add("    break")
        if len(out.lines) == size:
            out.add("pass")
        out.depth -= 1
        for c in loop.carries:
            self.made(c.out)
        if loop.trips is not None:
            self.made(loop.trips)

    def enter(self, loop: Loop) -> None:
        """What stands before a loop."""

    def begin(self, loop: Loop) -> None:
        """What stands at the start of an iteration."""

    def branch(self, s: Branch) -> None:
        out = self.out
        out.add(f"if {operand_text(s.test)}:")
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
            self.made(j.out)

    # -- variables ------------------------------------------------------------------------------------------------

    def assign(self, pairs: list[tuple[Value, Any]]) -> None:
        """Assign several variables at once."""
        todo = [(name, text) for pair in pairs for name, text in self.assignments(*pair) if name != text]
        names = {name for name, _ in todo}
        if any(text in names for _, text in todo):
            self.out.add(f"{', '.join(name for name, _ in todo)} = {', '.join(text for _, text in todo)}")
        else:
            for name, text in todo:
                self.out.add(f"{name} = {text}")

    def assignments(self, target: Value, source: Any) -> Assignments:
        """What gives a variable a value, and what goes with it."""
        if isinstance(source, Undefined):
            return [(target.name, undefined(target))]
        return [(target.name, self.cast(source, target))]

    def cast(self, source: Any, target: Value) -> str:
        """A literal of the type of the variable that it initialises."""
        from numba.core import types

        if isinstance(source, ir.Const) and isinstance(source.value, int) and isinstance(target.type, types.Float):
            return repr(float(source.value))
        return operand_text(source)


def undefined(target: Value) -> str:
    """Something for a variable that a right program does not read before it assigns it."""
    if not ir.is_array(target):
        return zero(target.type)
    if target.type.layout != "C":
        raise Unsupported("an array variable that may be undefined")
    return f"np.empty({(0,) * target.type.ndim}, dtype={dtype_text(target.type.dtype)})"


def ends_by_raising(block: Block) -> bool:
    last = block.statements[-1] if block.statements else None
    return isinstance(last, Op) and last.kind == "raise"
