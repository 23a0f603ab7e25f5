"""Integer arguments that count as numbers: `total / n`, with a derivative with respect to `n`.

    def f(x, n):                         def f(x, n):
        s = 0.0                              n_real = float(n)
        for i in range(n):                   m_real = n_real - 1
            s += x[i]                        ...
        m = n - 1                            m = n - 1
        return s / m                         return s / m_real

Where an integer meets real numbers, a real one that is computed alike stands in its place; loops, indices, shapes and
comparisons keep the integer. A derivative that would have to go through anything else is refused.
"""

from typing import Any

from numba.core import types

from morula.static import ir
from morula.static.ir import Block, Branch, Const, Function, Loop, Op, Value, walk
from morula.static.naming import unused
from morula.static.numba.elementary import describe_op
from morula.static.passes.activity import SCALAR
from morula.static.unsupported import Unsupported

ALIKE = frozenset({"+", "-", "*", "max2", "min2"})  # operations whose values real numbers have, too
PLACES = frozenset({"load", "view", "shape", "new", "fit", "resized", "raise", "print", "check", "effect"})


def numbers_of_integers(f: Function, active: tuple[bool, ...]) -> None:
    """Give each integer argument that is differentiated by a real number, which is its leaf.

    Raises:
        Unsupported: its derivative takes a way that has no such form.
    """
    places = list(f.leaves.values())
    integers = [v for v in f.parameters if isinstance(v.type, types.Integer) and active[f.leaves[v][0]]]
    integers = [v for v in integers if places.count(f.leaves[v]) == 1]  # which have none yet
    if integers:
        _Reals(f).replace(integers)


def is_alike(s: Op) -> bool:
    """Whether an operation has the same value of real numbers; remainders of large ones have another."""
    exponent = s.args[-1]
    is_power = s.attr == "**" and isinstance(exponent, Const) and exponent.value >= 0
    return s.attr in ALIKE or is_power


class _Reals:
    def __init__(self, f: Function):
        self.f = f
        self.names = unused(f)
        self.of: dict[Any, Any] = {}  # the real number of an integer
        self.lost: set[Any] = set()  # integers that depend on one in another way

    def replace(self, integers: list[Value]) -> None:
        tops: list[Any] = []
        for v in integers:
            op = Op("item", [], [v])
            op.outs.append(self.number(v, op, self.f.body))
            tops.append(op)
        self.lost = self.carried(set(integers))
        self.block(self.f.body)
        self.f.body.statements[:0] = tops
        for x in ir.result_leaves(self.f.result):
            self.refuse(x)
        self.drop_unread()
        leaves: dict[Value, Any] = {}
        for v, place in self.f.leaves.items():
            leaves[v] = place
            if v in integers and self.of[v].definition in self.f.body.statements:
                leaves[self.of[v]] = place
        self.f.leaves = leaves

    def drop_unread(self) -> None:
        """Real numbers that nobody reads go: an integer that only counts has no derivative."""
        kept = set(self.of.values())
        while unread := kept - {x for s in walk(self.f.body) for x in ir.operands(s)}:
            for v in unread:
                v.block.statements.remove(v.definition)
            kept -= unread

    def number(self, v: Value, definition: Op, block: Block) -> Value:
        base = f"{v.base or v.name}_real"
        self.of[v] = made = Value(self.names(base), types.float64, definition, block, base)
        return made

    def carried(self, known: set[Value]) -> set[Value]:
        """The integers that loops carry and branches hand out, and that depend on known ones."""
        found: set[Value] = set()
        before = -1
        while len(known) > before:
            before = len(known)
            for s in walk(self.f.body):
                if isinstance(s, Op):
                    if s.kind in SCALAR and self.smooth(s, known):
                        known |= {o for o in s.outs if isinstance(o.type, types.Integer)}
                    continue
                pairs = (
                    [(x, y) for c in s.carries for x in (c.init, c.next) for y in (c.phi, c.out)]
                    if isinstance(s, Loop)
                    else [(x, j.out) for j in s.joins for x in (j.then, j.orelse)]
                )
                if isinstance(s, Loop) and s.is_counted and s.index is not None and s.start is not None:
                    pairs.append((s.start, s.index))
                reached = {y for x, y in pairs if x in known and isinstance(y.type, types.Integer)}
                found |= reached
                known |= reached
        return found

    @staticmethod
    def smooth(s: Op, known: Any) -> list[Any]:
        """The operands that an operation on numbers has a derivative by, of known ones."""
        partials = describe_op(s.kind, s.attr).partials
        if s.kind == "cast" and isinstance(s.args[0], Value) and isinstance(s.args[0].type, types.Integer):
            partials = ("1",)
        return [x for x, p in zip(s.args, partials, strict=False) if p not in (None, "0") and x in known]

    def block(self, block: Block) -> None:
        made: list[Any] = []
        for s in block.statements:
            made.append(s)
            if isinstance(s, Loop):
                self.block(s.body)
            elif isinstance(s, Branch):
                self.block(s.then)
                self.block(s.orelse)
            elif any(x in self.of or x in self.lost for x in s.args):
                self.operation(s, block, made)
        block.statements = made

    def operation(self, s: Op, block: Block, made: list[Any]) -> None:
        x: Any
        target: Any
        if s.kind in PLACES:
            return
        if s.kind in SCALAR:
            smooth = self.smooth(s, {*self.of, *self.lost})
            if ir.is_active_type(s.out.type):
                for x in smooth:
                    if x in self.lost:
                        self.refuse(x)
                s.args = [self.of[x] if x in smooth else x for x in s.args]
            elif smooth and isinstance(s.out.type, types.Integer):
                if any(x in self.lost for x in smooth) or not (s.kind == "cast" or is_alike(s)):
                    self.lost.add(s.out)
                elif s.kind == "cast":
                    self.of[s.out] = self.of[smooth[0]]
                else:
                    op = Op(s.kind, [], [self.of.get(x, x) for x in s.args], s.attr, s.line)
                    op.outs.append(self.number(s.out, op, block))
                    made.append(op)
        elif s.kind in ("store", "fill", "scatter"):
            k = 2 if s.kind == "scatter" else 1
            x, target = s.args[k], s.args[0]
            if x in self.lost or (x in self.of and not ir.is_active_type(target.type)):
                self.refuse(x)
            s.args[k] = self.of.get(x, x)
        elif s.kind == "array" and getattr(s.attr, "callee", None) is None:
            for name, x in zip(s.attr.parameters, s.args, strict=True):
                if name in s.attr.differentiable:
                    self.refuse(x)
        else:
            for x in s.args:
                self.refuse(x)

    def refuse(self, x: Any) -> None:
        """Raise where an integer that is differentiated by goes where no real number can."""
        if x in self.of or x in self.lost:
            raise Unsupported(
                f"the integer {x.base or x.name!r} as a number, on which a derivative with respect to an integer "
                "argument depends (pass a float, or leave the argument out with grad(..., argnums))"
            )
