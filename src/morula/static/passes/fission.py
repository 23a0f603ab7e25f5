"""Recurrences, and what is only computed from them: one loop each, so that the second one becomes vectors.

for t in range(n):                     for t in range(n):
    v = a + b * v                          v = a + b * v
    total += log(v)           ->           v_row[t] = v
                                       for t in range(n):
                                           total += log(v_row[t])

The second loop has every operation that the recurrence does not wait for. It runs in the same order, so its sums
round as before. What goes from one loop to the other would be kept for the way back anyway, or is computed once more.
A loop is split only where a function that has a version for vectors moves: to its derivative the rest is as cheap.
"""

from collections.abc import Callable
from typing import Any

from numba.core import types

from morula.static import ir
from morula.static.front.operands import dtype_text
from morula.static.ir import Block, Branch, Carry, Const, Function, Loop, Op, Operand, Value, walk
from morula.static.numba.elementary import is_cheap
from morula.static.passes.activity import SCALAR, Activity
from morula.static.passes.bounds import Bounds, offset
from morula.static.passes.fuse import BARRIERS, is_sum
from morula.static.passes.memory import WRITERS, Memory

LATEST = 8  # start of a loop: as many elements of a row may stay unused
ROWS = 2  # that a function which moves is worth
SHORT_CALLS, SHORT_CALL, LONG_CALL = frozenset({"exp", "log", "exp2", "log2"}), 20, 40  # cycles, as measured
SUM, DIVISION = 4, 14
STOPPING = frozenset({"check", "raise"})


def fission(
    f: Function, memory: Memory, activity: Activity, names: Callable[[str], str], is_vectorised: Callable[[Op], bool]
) -> bool:
    """Split the loops that have a recurrence, where that is worth its while; whether there were any.

    Args:
        f: the function; its loops have named outs.
        memory, activity: as found for it, which they are no longer afterwards.
        names: makes names that are not in use.
        is_vectorised: whether a call has a version for vectors.
    """
    found = [_Split(s, memory, activity) for s in walk(f.body) if isinstance(s, Loop) and _is_plain(s)]
    chosen = [split for split in found if split.is_worth(is_vectorised)]
    for split in chosen:
        split.make(names)
    return bool(chosen)


def _is_plain(loop: Loop) -> bool:
    """Whether a loop is an innermost one over a range from about zero, which runs to its end."""
    start, step = loop.start, loop.step
    is_upward = isinstance(start, Const) and 0 <= start.value <= LATEST and isinstance(step, Const) and step.value == 1
    if not is_upward or loop.exit is not None or loop.trips is not None or loop.parallel:
        return False
    around = loop.body.loops()
    if any(x.parallel or x.start is None or x.exit is not None for x in around):
        return False
    inner = list(walk(loop.body))
    return not any(isinstance(s, Loop) or (isinstance(s, Op) and s.kind in BARRIERS - STOPPING) for s in inner)


class _Split:
    """What stays in a loop, and what moves.

    Attributes:
        moved: the operations that move.
        carries: the sums that move.
        rows: numbers that the first loop computes and the second one reads.
        stored: the same, where the program stores them itself: the stores.
        again: those that the second loop computes once more.
    """

    def __init__(self, loop: Loop, memory: Memory, activity: Activity):
        self.loop, self.memory, self.activity = loop, memory, activity
        self.inside = {v for s in walk(loop.body) for v in ir.values_of(s)} | {c.phi for c in loop.carries}
        self.written = memory.written_in(loop.body)
        self.carries = [c for c in loop.carries if self.is_movable_sum(c)]
        self.moved: set[Op] = set()
        while not self.find_moved():
            pass
        read: list[Any] = [x for s in loop.body.statements if s in self.moved for x in ir.operands(s)]
        read = [x for x in read if self.is_needed(x)]
        far = self.sources(read, set())
        near = self.sources(read, {x for x in read if self.sources([x], set())[0]})
        self.rows, self.stored, self.again = min(near, far, key=lambda found: len(found[0]))

    def is_movable_sum(self, c: Carry) -> bool:
        is_number = isinstance(c.phi.type, types.Float | types.Complex)
        return is_number and not isinstance(c.init, ir.Undefined) and is_sum(c.phi, self.loop.body, c.next)

    def find_moved(self) -> bool:
        """The operations that nothing waits for but sums and stores that move; False where a sum proves not to move."""
        body = self.loop.body
        waiting: dict[Any, list[Any]] = {}
        for s in walk(body):
            for x in ir.operands(s):
                waiting.setdefault(x, []).append(s)
        for c in self.loop.carries:
            waiting.setdefault(c.next, []).append(c)
        self.moved = set()
        for s in reversed(body.statements):
            if not isinstance(s, Op):
                continue
            if s.kind == "store":
                if self.may_store(s):
                    self.moved.add(s)
            elif s.kind in SCALAR or (s.kind == "load" and not self.is_written(s)):
                of = waiting.get(s.out, ())
                if all(x in (self.carries if isinstance(x, Carry) else self.moved) for x in of):
                    self.moved.add(s)
        stays = [c for c in self.carries if not all(x in self.moved for x in waiting.get(c.phi, ()))]
        stays += [c for c in self.carries if c not in stays and getattr(c.next, "definition", None) not in self.moved]
        self.carries = [c for c in self.carries if c not in stays]
        return not stays

    def is_written(self, load: Op) -> bool:
        return self.memory.of(load.args[0]) in self.written

    def may_store(self, s: Op) -> bool:
        """Whether a store has its array for itself in the loop, and nobody sees whether it came before an error."""
        klass = self.memory.of(s.args[0])
        for t in walk(self.loop.body):
            if isinstance(t, Op) and t.kind in STOPPING and klass in self.memory.parameters:
                return False
        return s.args[0] not in self.inside and self.uses(klass) == [s]

    def uses(self, klass: Value, kinds: frozenset[str] | None = None) -> list[Op]:
        """The operations of the loop on arrays of a class."""
        return [
            s
            for s in walk(self.loop.body)
            if isinstance(s, Op) and (kinds is None or s.kind in kinds)
            if any(ir.is_array(x) and self.memory.of(x) is klass for x in s.args)
        ]

    def is_needed(self, x: Any) -> bool:
        """Whether an operand is a number that the first loop computes."""
        is_own = x in self.inside and x is not self.loop.index
        return is_own and x.definition not in self.moved and all(x is not c.phi for c in self.carries)

    def sources(self, read: list[Any], last: set[Any]) -> tuple[list[Value], dict[Value, Op], set[Value]]:
        """Where the second loop has the numbers from that it reads: rows, what the program stores, and what it repeats.

        What is repeated begins at numbers that are dear or come from an iteration before, or at the numbers `last`.
        """
        rows: list[Value] = []
        stored: dict[Value, Op] = {}
        again: set[Value] = set()
        work = list(read)
        while work:
            x = work.pop(0)
            if not self.is_needed(x) or x in again or x in stored or x in rows:
                continue
            store = self.store_of(x)
            if store is not None:
                stored[x] = store
                work += store.args[2:]
            elif x in last or not self.may_repeat(x):
                rows.append(x)
            else:
                again.add(x)
                work += x.definition.args
        return rows, stored, again

    def may_repeat(self, x: Value) -> bool:
        d = x.definition
        if not isinstance(d, Op) or d not in self.loop.body.statements:
            return False
        return is_cheap(d) if d.kind in SCALAR else d.kind == "load" and not self.is_written(d)

    def store_of(self, x: Value) -> Op | None:
        """What puts a number into an array where it still stands after the loop."""
        for s in self.loop.body.statements:
            if not (isinstance(s, Op) and s.kind == "store" and s.attr is None and s.args[1] is x) or s in self.moved:
                continue
            array: Any = s.args[0]
            is_as_it_is = array not in self.inside and x.type == array.type.dtype
            bounds = Bounds()  # an index below zero counts from the end, where a later iteration may store
            is_one_each = any(offset(i)[0] is self.loop.index and bounds.is_natural(i) for i in s.args[2:])
            if is_as_it_is and is_one_each and self.uses(self.memory.of(array), WRITERS) == [s]:
                return s
        return None

    # -- whether --------------------------------------------------------------------------------------------------

    def is_worth(self, is_vectorised: Callable[[Op], bool]) -> bool:
        """Whether what moves takes longer than the recurrence, which a processor would compute at the same time."""
        dear = [s for s in self.moved if s.kind == "call" and not is_cheap(s) and is_vectorised(s)]
        if not any(self.activity.is_active(s.out) for s in dear) or not self.has_recurrence():
            return False
        is_number = all(isinstance(x.type, types.Number) for x in self.rows)
        cycles = sum(SHORT_CALL if getattr(s.attr, "__name__", "") in SHORT_CALLS else LONG_CALL for s in dear)
        return is_number and len(self.rows) <= ROWS * len(dear) and cycles > self.latency()

    def has_recurrence(self) -> bool:
        """Whether what stays has a state that has a derivative, so that the loop keeps something anyway."""
        carried = {self.memory.of(c.phi) if ir.is_array(c.phi) else c.phi for c in self.loop.carries}
        carried -= {c.phi for c in self.carries}
        return any(self.activity.is_active(x) for x in carried | self.read_again())

    def read_again(self) -> set[Value]:
        """The classes of memory in which what stays may read what another iteration has written."""
        stays = [s for s in walk(self.loop.body) if isinstance(s, Op) and s not in self.moved]
        loads = [s for s in stays if s.kind == "load"]
        stores = [s for s in stays if s.kind in WRITERS]
        return {self.memory.of(s.args[0]) for s in stores if any(self.may_meet(s, load) for load in loads)}

    def may_meet(self, store: Op, load: Op) -> bool:
        """Whether a load may find what a store has written in another iteration."""
        if self.memory.are_apart(store.args[0], load.args[0]):
            return False
        is_same = store.args[0] is load.args[0] and store.args[2:] == load.args[1:]
        return not (store.kind == "store" and is_same and self.loop.index in load.args)

    def latency(self) -> int:
        """The cycles from the state before an iteration to that after it, on the longest way."""
        known: dict[Any, int | None] = {c.phi: 0 for c in self.loop.carries if c not in self.carries}
        state = self.read_again()

        def cycles_to(x: Any) -> int | None:
            if x not in known:
                d = x.definition if x in self.inside else None
                known[x] = None
                if isinstance(d, Branch):
                    known[x] = max((n for j in d.joins if j.out is x for y in (j.then, j.orelse)
                                    if (n := cycles_to(y)) is not None), default=None)  # fmt: skip
                elif isinstance(d, Op) and d.kind == "load" and self.memory.of(d.args[0]) in state:
                    known[x] = 0
                elif isinstance(d, Op):
                    before = [n for y in d.args if (n := cycles_to(y)) is not None]
                    known[x] = max(before) + _cycles(d) if before else None
            return known[x]

        ends: list[Any] = [c.next for c in self.loop.carries if c not in self.carries]
        ends += [s.args[1] for klass in state for s in self.uses(klass, WRITERS)]
        return max((n for x in ends if (n := cycles_to(x)) is not None), default=0)

    # -- making ---------------------------------------------------------------------------------------------------

    def make(self, names: Callable[[str], str]) -> None:
        """Two loops in the place of one."""
        loop, body = self.loop, self.loop.body
        outside: Block = body.parent  # type: ignore[assignment]
        second = Loop(None, loop.start, loop.stop, loop.step, self.carries, Block(), line=loop.line)
        second.body.owner, second.body.parent = second, outside
        index: Any = loop.index
        second.index = Value(names(index.name), index.type, second, second.body, index.base)
        made: list[Op] = []
        size: Operand = loop.stop  # type: ignore[assignment]
        if self.rows and not Bounds().is_natural(size):
            size = _operation("binary", [size, Const(0)], types.intp, "max2", names("n"), outside, loop.line, made)
        row_of: dict[Value, Value] = {}
        for x in self.rows:
            t, kind = types.Array(x.type, 1, "C"), ("empty", dtype_text(x.type))
            row_of[x] = _operation("new", [size], t, kind, names(f"{x.name}_row"), outside, loop.line, made)
            body.statements.insert(_after(x, body), Op("store", [], [row_of[x], x, index], None, loop.line))
        new: dict[Any, Operand] = {index: second.index}

        def operand(x: Any) -> Any:
            """What stands in the second loop for something of the first one."""
            if x in new or not (x in row_of or x in self.stored or x in self.again):
                return new.get(x, x)
            store, d = self.stored.get(x), x.definition
            if x in self.again:
                kind, args, attr = d.kind, d.args, d.attr
            else:
                kind, attr = "load", None
                args = [row_of[x], index] if store is None else [store.args[0], *store.args[2:]]
            given, into = [operand(y) for y in args], second.body.statements
            new[x] = _operation(kind, given, x.type, attr, names(x.name), second.body, loop.line, into)
            return new[x]

        for s in body.statements:
            if s in self.moved:
                s.args = [operand(x) for x in s.args]
                second.body.statements.append(s)
                for v in s.outs:
                    v.block = second.body
        body.statements = [s for s in body.statements if s not in self.moved]
        loop.carries = [c for c in loop.carries if c not in self.carries]
        for c in self.carries:
            c.phi.definition = c.out.definition = second
            c.phi.block = second.body
        place = outside.statements.index(loop)
        outside.statements[place : place + 1] = [*made, loop, second]


def _cycles(d: Op) -> int:
    """About how many cycles a processor waits for a result."""
    if d.kind not in SCALAR or d.kind == "cast":
        return 0
    if d.kind == "call" and not is_cheap(d):
        return LONG_CALL
    return DIVISION if d.attr in ("/", "//", "%") or "sqrt" in getattr(d.attr, "__name__", "") else SUM


def _operation(
    kind: str, args: list, t: types.Type, attr: Any, name: str, block: Block, line: int, into: list
) -> Value:
    op = Op(kind, [], args, attr, line)
    v = Value(name, t, op, block, name)
    op.outs.append(v)
    into.append(op)
    return v


def _after(x: Value, body: Block) -> int:
    """The place after the statement of a block that defines a number; its beginning for what a loop carries."""
    return next((k + 1 for k, s in enumerate(body.statements) if s is x.definition), 0)
