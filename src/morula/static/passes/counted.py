"""While loops that count are loops over ranges: how often they run is known before they begin.

while i < n:                for k in range(i, n):
    total += x[i]               total += x[k]
    i += 1                      i = k + 1
"""

from typing import Any

from morula.static import ir
from morula.static.ir import Block, Branch, Const, Function, Loop, Op, Operand, Undefined, Value, walk
from morula.static.passes.activity import SCALAR
from morula.static.passes.builder import INT, Builder
from morula.static.passes.decided import move

MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
PURE = SCALAR | {"load", "shape", "item", "constant"}


def while_branch(loop: Loop) -> Branch | None:
    """The branch that ends a `while` loop where its test is false; nothing else happens there."""
    if loop.start is not None:
        return None
    d = loop.exit.definition if isinstance(loop.exit, Value) else None
    if not isinstance(d, Branch) or not loop.body.statements or loop.body.statements[-1] is not d:
        return None
    join = next(j for j in d.joins if j.out is loop.exit)
    if d.orelse.statements or not (_is_literal(join.then, False) and _is_literal(join.orelse, True)):
        return None
    return d


def count_while_loops(f: Function) -> bool:
    """Turn `while` loops that count into loops over ranges; whether there were any."""
    counting = _Counting(f)
    counting.block(f.body)
    return counting.found


class _Counting(Builder):
    def __init__(self, f: Function):
        super().__init__()
        self.f, self.found = f, False

    def block(self, block: Block) -> None:
        done: list[Any] = []
        for s in block.statements:
            for inner in (s.body,) if isinstance(s, Loop) else (s.then, s.orelse) if isinstance(s, Branch) else ():
                self.block(inner)
            if isinstance(s, Loop) and s.start is None:
                self.count(s, block, done)
            done.append(s)
        block.statements = done

    def count(self, loop: Loop, block: Block, before: list[Any]) -> None:
        """Give a loop its range, if it counts up or down to a limit that stays."""
        branch = while_branch(loop)
        if branch is None:
            return
        head = loop.body.statements[:-1]
        test = branch.test.definition if isinstance(branch.test, Value) else None
        if test not in head or not all(isinstance(s, Op) and s.kind in PURE for s in head):
            return
        limits = self.limits(test, loop, branch)
        if limits is None or not self.ends_alike(loop, branch):
            return
        counter, step, stop, more = limits
        for op in self.needed(stop, head):
            head.remove(op)
            op.out.block = block
            before.append(op)
        if more and isinstance(stop, Const):
            stop = Const(stop.value + more)
        elif more:
            stop = self.emit(block, before, "binary", [stop, Const(more)], INT, "+", "stop", loop.line)
        loop.index = self.index(counter.phi, loop)
        loop.start, loop.stop, loop.step, loop.exit, loop.trips = counter.init, stop, Const(step), None, None
        loop.is_counted = True
        inner = {j.out: j.then for j in branch.joins}
        move(branch.then, loop.body)
        loop.body.statements = [*head, *branch.then.statements]
        inside = {counter.phi: loop.index}

        def of(x: Any) -> Any:
            x = inner.get(x, x) if isinstance(x, Value) else x
            return inside.get(x, x) if isinstance(x, Value) else x

        for s in walk(loop.body):
            ir.map_operands(s, of)
        for c in loop.carries:
            c.next = of(c.next)
        self.found = True

    def index(self, phi: Value, loop: Loop) -> Value:
        self.names += 1
        return Value(f"{phi.base or phi.name}__while{self.names}", INT, loop, loop.body, phi.base)

    def limits(self, test: Any, loop: Loop, branch: Branch) -> tuple[ir.Carry, int, Operand, int] | None:
        """What counts, by how much, the limit, and what to add to it for the end of a range."""
        if not (test.kind == "binary" and test.attr in MIRRORED):
            return None
        for (x, stop), sign in ((test.args, test.attr), (test.args[::-1], MIRRORED[test.attr])):
            counter = next((c for c in loop.carries if c.phi is x), None)
            if counter is None or counter.phi.type != INT or isinstance(counter.init, Undefined):
                continue
            step = _step(counter, branch)
            if not step or (step > 0) != (sign[0] == "<") or not self.is_invariant(stop, loop):
                continue
            return counter, step, stop, (sign[1:] == "=") * (1 if step > 0 else -1)
        return None

    def is_invariant(self, x: Any, loop: Loop) -> bool:
        """Whether an integer is the same in all iterations, and can be had before the loop."""
        if isinstance(x, Const):
            return type(x.value) is int
        if not isinstance(x, Value) or x.type != INT:
            return False
        if not ir.is_within(x.block, loop.body):
            return True
        d = x.definition
        if not (isinstance(d, Op) and d in loop.body.statements):
            return False
        if d.kind == "shape":
            return not ir.is_within(d.args[0].block, loop.body)  # type: ignore[union-attr]
        return d.kind == "binary" and d.attr in ("+", "-") and all(self.is_invariant(y, loop) for y in d.args)

    def needed(self, x: Any, head: list[Any]) -> list[Op]:
        """The statements of an iteration that compute an invariant."""
        d = x.definition if isinstance(x, Value) else None
        if not isinstance(d, Op) or d not in head:
            return []
        found: list[Op] = []
        for y in d.args:
            found += [s for s in self.needed(y, head) if s not in found]
        return [*found, d]

    def ends_alike(self, loop: Loop, branch: Branch) -> bool:
        """Whether the iteration that finds the end leaves all variables as they are."""
        joins = {j.out: j for j in branch.joins}
        for c in loop.carries:
            join = joins.get(c.next)  # type: ignore[arg-type]
            unchanged = c.next is c.phi or (join is not None and join.orelse is c.phi)
            if not unchanged and self.is_read_after(c.phi, loop):
                return False
        return True

    def is_read_after(self, phi: Value, loop: Loop) -> bool:
        inside = {id(s) for s in walk(loop.body)} | {id(loop)}
        if any(x is phi for x in ir.result_leaves(self.f.result)):
            return True
        return any(x is phi for s in walk(self.f.body) if id(s) not in inside for x in ir.operands(s))


def _step(counter: ir.Carry, branch: Branch) -> int:
    """What each iteration adds to a counter; 0 where that is not known."""
    join = next((j for j in branch.joins if j.out is counter.next), None)
    d = join.then.definition if join is not None and isinstance(join.then, Value) else None
    if join is None or join.orelse is not counter.phi or not (isinstance(d, Op) and d.kind == "binary"):
        return 0
    if d.attr not in ("+", "-") or d.out.type != INT:
        return 0
    a, b = d.args if d.args[0] is counter.phi or d.attr == "-" else d.args[::-1]
    if a is not counter.phi or not (isinstance(b, Const) and type(b.value) is int):
        return 0
    return b.value if d.attr == "+" else -b.value


def _is_literal(x: Any, value: bool) -> bool:
    return isinstance(x, Const) and x.value is value
