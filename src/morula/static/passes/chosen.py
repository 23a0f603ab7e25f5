"""What a loop chooses among its iterations is computed once more for the one that is chosen.

for k in range(n):                     for k in range(n):
    v = f(k)                               v = f(k)
    if v < best:                           if v < best:
        best = v           ->                  best, place, is_found = v, k, True
                                       best = f(place) if is_found else best before the loop

The way back then goes through one iteration in place of all of them, and nothing is kept in the loop.
"""

from typing import Any

from numba.core import types

from morula.static import ir
from morula.static.ir import Block, Branch, Carry, Const, Function, Join, Loop, Op, Operand, Undefined, Value
from morula.static.passes.activity import SCALAR
from morula.static.passes.builder import INT, Builder
from morula.static.passes.memory import Memory

COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!="})
PURE = SCALAR | {"load", "view", "shape", "item", "constant"}
MOST = 64  # statements of an iteration that are written a second time

# Of the larger and the smaller of two, where the carried one stands first or second: how the carried one compares with
# the other, and where that holds, whether the other is chosen. What is undefined and ties go as in the operation.
CHOSEN = {("max2", 0): ("<=", True), ("max2", 1): (">=", False), ("min2", 0): (">", True), ("min2", 1): ("<", False)}


def choices_repeated(f: Function) -> None:
    """Take the numbers that loops choose from the iterations that they are chosen in."""
    _Choices(f).run()


class _Choices(Builder):
    def __init__(self, f: Function):
        super().__init__()
        self.f, self.memory = f, Memory(f)
        self.uses: dict[Value, list[Any]] = {}
        for s in ir.walk(f.body):
            for x in ir.operands(s):
                if isinstance(x, Value):
                    self.uses.setdefault(x, []).append(s)

    def run(self) -> None:
        self.block(self.f.body)

    def block(self, block: Block) -> None:
        found: list[Any] = []
        for s in block.statements:
            if isinstance(s, Branch):
                self.block(s.then)
                self.block(s.orelse)
            elif isinstance(s, Loop):
                self.block(s.body)
            found.append(s)
            if isinstance(s, Loop) and s.index is not None and not s.parallel:
                for c in list(s.carries):
                    self.repeat(c, s, block, found)
        block.statements = found

    def repeat(self, c: Carry, loop: Loop, block: Block, found: list) -> None:
        """Repeat what one variable of a loop is chosen from, if it is chosen."""
        if not isinstance(c.phi.type, types.Float) or isinstance(c.init, Undefined) or not isinstance(c.next, Value):
            return
        d = c.next.definition
        if d is c.phi or d is None or d not in loop.body.statements:
            return
        value, side = self.chosen_in(d, c)
        if value is None or not self.is_only_compared(c.phi, loop, d):
            return
        needed = self.needed(value, loop)
        if needed is None:
            return
        place, is_found = self.remembered(d, side, c, loop)
        branch = Branch(is_found, Block(), Block(), [], d.line)
        for part in (branch.then, branch.orelse):
            part.owner, part.parent = branch, block
        again: dict[Value, Operand] = {loop.index: place}  # type: ignore[dict-item]
        self.copy(loop.body, needed, branch.then, again)
        self.names += 1
        out = Value(f"{c.phi.base or c.phi.name}__{self.names}", c.phi.type, branch, block, c.phi.base)
        branch.joins.append(Join(out, again.get(value, value), c.init))
        self.read_after(c.phi, out, loop)
        found.append(branch)

    # -- which ------------------------------------------------------------------------------------------------------

    def chosen_in(self, d: Any, c: Carry) -> tuple[Any, Any]:
        """What is chosen instead of the variable, and where: the side of a branch, or the place in an operation."""
        if isinstance(d, Branch):
            join = next(j for j in d.joins if j.out is c.next)
            sides = [s for s in (join.then, join.orelse) if s is not c.phi]
            if len(sides) == 1 and isinstance(sides[0], Value) and sides[0].type == c.phi.type:
                return sides[0], "then" if join.orelse is c.phi else "orelse"
        elif isinstance(d, Op) and d.kind == "binary" and d.attr in ("max2", "min2") and c.phi in d.args:
            other = d.args[1 - d.args.index(c.phi)]
            if isinstance(other, Value) and other is not c.phi and other.type == d.out.type == c.phi.type:
                return other, d.args.index(c.phi)
        return None, None

    def is_only_compared(self, phi: Value, loop: Loop, d: Any) -> bool:
        """Whether the body does nothing with the variable but to compare it."""
        for s in self.uses.get(phi, ()):
            if s is loop or s is d or not self.is_in(s, loop.body):
                continue
            if not (isinstance(s, Op) and s.kind == "binary" and s.attr in COMPARISONS):
                return False
        return not (isinstance(d, Branch) and sum(phi in (j.then, j.orelse) for j in d.joins) > 1)

    def is_in(self, s: Any, body: Block) -> bool:
        return any(s is t for t in ir.walk(body))

    def needed(self, value: Value, loop: Loop) -> set[int] | None:
        """The statements of the body that compute a value; None where they cannot run again after the loop."""
        written = self.memory.written_in(loop.body)
        found: set[int] = set()
        carried = {c.phi for c in loop.carries}
        work: list[Any] = [value]
        while work:
            x = work.pop()
            if x in carried:
                return None
            if not isinstance(x, Value) or x is loop.index or not ir.is_within(x.block, loop.body):
                continue
            s = self.around(x.definition, loop)
            if id(s) in found:
                continue
            inner = list(ir.walk(s.body)) if isinstance(s, Loop) else []
            if isinstance(s, Branch) or not all(self.may_repeat(t, written) for t in inner or [s]):
                return None
            if isinstance(s, Loop) and (
                s.exit is not None or s.start is None or s.parallel or any(ir.is_array(c.phi) for c in s.carries)
            ):
                return None
            own: set[Any] = {s.index, *(c.phi for c in s.carries)} if isinstance(s, Loop) else set()
            work += [y for t in [s, *inner] for y in ir.operands(t) if y not in own]
            found |= {id(s), *map(id, inner)}
        return found if len(found) <= MOST else None

    def may_repeat(self, s: Any, written: set[Value]) -> bool:
        """Whether a statement is an operation that gives after the loop what it gave in it."""
        return (
            isinstance(s, Op)
            and s.kind in PURE
            and not any(ir.is_array(x) and self.memory.of(x) in written for x in s.args)
        )

    def around(self, d: Any, loop: Loop) -> Any:
        """A statement, or the outermost loop of the body that it stands in."""
        for s in ir.walk(loop.body):
            if isinstance(s, Loop) and self.is_in(d, s.body):
                return s
        return d

    # -- rewriting --------------------------------------------------------------------------------------------------

    def remembered(self, d: Any, side: Any, c: Carry, loop: Loop) -> tuple[Value, Value]:
        """Variables of the loop for the iteration that was chosen last, and whether any was."""
        assert loop.index is not None
        if isinstance(d, Branch):
            branch = d
        else:
            symbol, is_chosen = CHOSEN[d.attr, side]
            body = loop.body.statements
            at = next(k for k, s in enumerate(body) if s is d)
            other = d.args[1 - side]
            made: list[Any] = []
            test = self.emit(loop.body, made, "binary", [c.phi, other], types.boolean, symbol, "is_chosen", d.line)
            branch = Branch(test, Block(), Block(), [], d.line)
            for part in (branch.then, branch.orelse):
                part.owner, part.parent = branch, loop.body
            body[at + 1 : at + 1] = [*made, branch]
            side = "then" if is_chosen else "orelse"
        found = []
        for new, init, base in ((loop.index, Const(0), "place"), (Const(True), Const(False), "is_found")):
            t = INT if base == "place" else types.boolean
            self.names += 1
            phi = Value(f"{base}__{self.names}", t, loop, loop.body, base)
            out = Value(f"{base}_next__{self.names}", t, branch, loop.body, base)
            branch.joins.append(Join(out, new, phi) if side == "then" else Join(out, phi, new))
            loop.carries.append(Carry(phi, init, out))
            found.append(phi)
        return found[0], found[1]

    def copy(self, source: Block, needed: set[int], target: Block, again: dict[Value, Operand]) -> None:
        """Write the needed statements of a block, and those in its branches, once more."""

        def of(x: Any) -> Any:
            return again.get(x, x) if isinstance(x, Value) else x

        def new(v: Value, definition: Any, block: Block) -> Value:
            self.names += 1
            made = Value(f"{v.base or v.name}__{self.names}", v.type, definition, block, v.base)
            again[v] = made
            return made

        for s in source.statements:
            if isinstance(s, Branch):
                self.copy(s.then, needed, target, again)
                self.copy(s.orelse, needed, target, again)
            elif id(s) not in needed:
                continue
            elif isinstance(s, Op):
                made = Op(s.kind, [], [of(x) for x in s.args], s.attr, s.line)
                made.outs = [new(v, made, target) for v in s.outs]
                target.statements.append(made)
            else:
                body = Block()
                loop = Loop(None, of(s.start), of(s.stop), of(s.step), [], body, line=s.line, is_counted=s.is_counted)
                body.owner, body.parent = loop, target
                loop.index = new(s.index, loop, body)  # type: ignore[arg-type]
                inits = [of(c.init) for c in s.carries]
                phis = [new(c.phi, loop, body) for c in s.carries]
                self.copy(s.body, needed, body, again)
                loop.carries = [
                    Carry(phi, init, of(c.next)) for c, phi, init in zip(s.carries, phis, inits, strict=True)
                ]
                target.statements.append(loop)

    def read_after(self, phi: Value, out: Value, loop: Loop) -> None:
        """Let what follows the loop read the repeated value."""

        def of(x: Any) -> Any:
            return out if x is phi else x

        inside = {id(s) for s in ir.walk(loop.body)} | {id(loop)}
        for s in ir.walk(self.f.body):
            if id(s) not in inside:
                ir.map_operands(s, of)
        self.f.result = ir.map_result(self.f.result, of)
