"""Array expressions become loops over elements; expressions of one shape share a loop, and need no temporaries."""

from dataclasses import dataclass, field
from typing import Any

from numba.core import types

from morula.static import ir
from morula.static.front.operands import dtype_text, type_of
from morula.static.front.operations import OPERATORS, scalar_type
from morula.static.ir import Block, Branch, Carry, Const, Function, Loop, Op, Operand, Value
from morula.static.passes.activity import SCALAR
from morula.static.passes.builder import INT, Builder
from morula.static.passes.dims import ONE, Dims, Key
from morula.static.passes.expand import expand
from morula.static.passes.memory import Memory
from morula.static.unsupported import Unsupported

MEMBERS = frozenset({"map", "sum", "fill"})
MOVABLE = SCALAR | {"shape", "view", "item", "check", "new"}


def scalarized(f: Function) -> None:
    """Replace every array expression of a function by loops."""
    _Scalarizer(f).run()


@dataclass
class _Group:
    """Array expressions of one shape, one after the other."""

    keys: list[Key]
    members: list[Op] = field(default_factory=list)
    outs: set[Value] = field(default_factory=set)
    read: set[Value] = field(default_factory=set)
    written: set[Value] = field(default_factory=set)


class _Scalarizer(Builder):
    def __init__(self, f: Function):
        super().__init__()
        self.f = f
        self.dims = Dims()
        self.new: dict[Value, Operand] = {}

    def run(self) -> None:
        expand(self.f.body, Memory(self.f), self)
        self.memory = Memory(self.f)
        self.uses: dict[Value, list[Any]] = {}
        for s in ir.walk(self.f.body):
            for x in ir.operands(s):
                if isinstance(x, Value):
                    self.uses.setdefault(x, []).append(s)
        self.results = {x for x in ir.result_leaves(self.f.result) if isinstance(x, Value)}
        self.block(self.f.body)
        ir.replace_operands(self.f, self.new)

    # -- grouping -----------------------------------------------------------------------------------------------

    def block(self, block: Block) -> None:
        found: list[Any] = []
        group: _Group | None = None
        for s in block.statements:
            if isinstance(s, Op) and s.kind == "shape":
                s.args = [self.now(s.args[0])]
                length = self.known_length(s, block, found)
                if length is not None:
                    self.new[s.out] = length
                    continue
            if isinstance(s, Op) and s.kind in MEMBERS:
                keys = self.shape(s, block, found, group)
                if group is None or group.keys != keys or not self.fits(group, s):
                    self.close(group, block, found)
                    keys = self.shape(s, block, found, None)
                    group = _Group(keys)
                self.join(group, s)
                continue
            if group is not None and not self.may_pass(s, group):
                self.close(group, block, found)
                group = None
            if isinstance(s, Loop):
                self.block(s.body)
            elif isinstance(s, Branch):
                self.block(s.then)
                self.block(s.orelse)
            found.append(s)
        self.close(group, block, found)
        block.statements = found

    def now(self, x: Any) -> Any:
        while isinstance(x, Value) and x in self.new:
            x = self.new[x]
        return x

    def known_length(self, s: Op, block: Block, found: list) -> Operand | None:
        array: Any = s.args[0]
        key = self.dims.of(array)[s.attr]
        if key[0] == "const" or (isinstance(array.definition, Op) and array.definition.kind == "map"):
            return self.length(key, block, found, s.line)
        return None

    def length(self, key: Key, block: Block, found: list, line: int) -> Operand:
        """An operand that holds the length with this key."""
        if key[0] == "const":
            return Const(key[1])
        if key[0] == "value":
            return key[1]
        array, axis = (key[1], key[2]) if key[0] == "shape" else self.dims.seen_in(key, block)
        return self.emit(block, found, "shape", [array], INT, axis, "n", line)

    def shape(self, s: Op, block: Block, found: list, group: _Group | None) -> list[Key]:
        """The shape of the loop of an expression; lengths that are not known to agree are compared at run time."""
        if s.kind == "sum":
            return self.dims.of(s.args[0])  # type: ignore[arg-type]
        if s.kind == "fill":
            return self.dims.of(s.args[0])  # type: ignore[arg-type]
        if s.out in self.dims.keys_by_value:
            return self.dims.keys_by_value[s.out]
        keys: list[Key] = []
        for candidates in self.dims.result(s.args):
            fixed = [key for key in candidates if key[0] == "const" and key != ONE]
            if len(fixed) == 1:
                for other in candidates - {fixed[0]}:
                    self.require_fit(self.length(other, block, found, s.line), fixed[0][1], block, found, s.line)
                keys.append(fixed[0])
                continue
            chosen = sorted(candidates, key=repr)
            key = chosen[0]
            for other in chosen[1:]:
                a, b = self.length(key, block, found, s.line), self.length(other, block, found, s.line)
                both = self.emit(block, found, "binary", [a, b], INT, "bdim", "n", s.line)
                key = ("value", both)
            keys.append(key)
        self.dims.keys_by_value[s.out] = keys
        return keys

    def require_fit(self, n: Operand, wanted: int, block: Block, found: list, line: int) -> None:
        """Raise where an axis of length `n` does not broadcast to one of a length that is known."""
        inner = block
        for length in (wanted, 1):
            test = self.emit(inner, found, "binary", [n, Const(length)], types.boolean, "!=", "differ", line)
            branch = Branch(test, Block(), Block(), [], line)
            for side in (branch.then, branch.orelse):
                side.owner, side.parent = branch, inner
            found.append(branch)
            inner, found = branch.then, branch.then.statements
        found.append(Op("raise", [], [Const("operands could not be broadcast together")], "ValueError", line))

    def fits(self, group: _Group, s: Op) -> bool:
        """Whether an expression may join a group: it reads no memory that the group writes elsewhere."""
        for x in s.args[1:] if s.kind == "fill" else s.args:
            if not ir.is_array(x):
                if x in group.outs:
                    return False
                continue
            if x in group.outs:
                if len(self.dims.of(x)) != len(group.keys):
                    return False
                continue
            if self.memory.of(x) in group.written:
                return False
        if s.kind == "fill":
            target = s.args[0]
            if self.memory.of(target) in group.written or target in group.outs:
                return False
            return all(self.memory.are_apart(target, x) for x in group.read)
        return True

    def join(self, group: _Group, s: Op) -> None:
        group.members.append(s)
        group.outs |= set(s.outs)
        for x in s.args[1:] if s.kind == "fill" else s.args:
            if isinstance(x, Value) and ir.is_array(x) and x not in group.outs:
                group.read.add(x)
        if s.kind == "fill":
            group.written.add(self.memory.of(s.args[0]))

    def may_pass(self, s: Any, group: _Group) -> bool:
        """Whether a statement may run before the group that it follows."""
        if not isinstance(s, Op) or (s.kind not in MOVABLE and s.kind != "load"):
            return False
        if any(x in group.outs for x in s.args):
            return False
        return s.kind != "load" or self.memory.of(s.args[0]) not in group.written

    # -- loops ----------------------------------------------------------------------------------------------------

    def close(self, group: _Group | None, block: Block, found: list) -> None:
        if group is None:
            return
        line = group.members[0].line
        lengths = [self.length(key, block, found, line) for key in group.keys]
        inside = {id(s) for s in group.members}
        kept = []
        for s in group.members:
            if s.kind == "map" and (
                s.out in self.results
                or any(id(u) not in inside and not self.is_shape(u) for u in self.uses.get(s.out, []))
            ):
                kept.append(s)
        # An array that is kept and read in the loop as well is computed once: the loop reads the number.
        for s in kept:
            made = Op("new", [s.out], list(lengths), ("empty", dtype_text(s.out.type.dtype)), s.line)
            s.out.definition = made
            found.append(made)
        operands = self.operands(group, block, found, lengths)
        loops: list[Loop] = []
        where = block
        target = found
        for n in lengths:
            loop = self.loop_over(n, where, line)
            loops.append(loop)
            target.append(loop)
            where, target = loop.body, loop.body.statements
        sums = [s for s in group.members if s.kind == "sum"]
        phis = self.carried(sums, loops)
        numbers: dict[Value, Any] = {}
        for s in group.members:
            self.member(s, where, target, [loop.index for loop in loops], numbers, operands, kept)
        self.finish(sums, loops, phis, numbers, where, target)

    def is_shape(self, u: Any) -> bool:
        return isinstance(u, Op) and u.kind == "shape"

    def operands(self, group: _Group, block: Block, found: list, lengths: list) -> dict[Value, Value]:
        """The outside arrays that a group reads, brought to its shape."""
        fitted: dict[Value, Value] = {}
        for s in group.members:
            for x in s.args[1:] if s.kind == "fill" else s.args:
                if not ir.is_array(x) or x in group.outs or x in fitted:
                    continue
                assert isinstance(x, Value)
                keys = self.dims.of(x)
                if len(keys) > len(group.keys):
                    raise Unsupported("a write of an array of more axes")
                wanted = group.keys[len(group.keys) - len(keys) :]
                sizes = lengths[len(group.keys) - len(keys) :]
                if all(k in (w, ONE) for k, w in zip(keys, wanted, strict=True)):
                    fitted[x] = x
                    continue
                if len(keys) > 3:
                    raise Unsupported("broadcasting of arrays of more than three axes")
                full = [Const(1) if k == ONE and w != ONE else n for k, w, n in zip(keys, wanted, sizes, strict=True)]
                v = self.emit(block, found, "fit", [x, *full], x.type, None, x.base or "fit", s.line)
                self.memory.join(v, x)
                self.dims.keys_by_value[v] = [k if k == ONE else w for k, w in zip(keys, wanted, strict=True)]
                fitted[x] = v
        return fitted

    def carried(self, sums: list[Op], loops: list[Loop]) -> list[list[Value]]:
        found = []
        for loop in loops:
            row = []
            for s in sums:
                self.names += 1
                row.append(Value(f"{s.out.base}__{self.names}", s.out.type, loop, loop.body, s.out.base))
            found.append(row)
        return found

    def finish(self, sums: list[Op], loops: list[Loop], phis: list, numbers: dict, where: Block, target: list) -> None:
        """The sums of a group, carried through all of its loops."""
        if not sums:
            return
        if not loops:
            for s in sums:
                self.new[s.out] = numbers[s.args[0]]
            return
        nexts: list[Any] = []
        for s, phi in zip(sums, phis[-1], strict=True):
            term = numbers[s.args[0]]
            nexts.append(self.emit(where, target, "binary", [phi, term], s.out.type, "+", s.out.base, s.line))
        for depth in range(len(loops) - 1, -1, -1):
            loop = loops[depth]
            for k, s in enumerate(sums):
                init = Const(zero_of(s.out.type)) if depth == 0 else phis[depth - 1][k]
                loop.carries.append(Carry(phis[depth][k], init, nexts[k]))
            nexts = list(phis[depth])
        for k, s in enumerate(sums):
            self.new[s.out] = phis[0][k]

    def member(
        self, s: Op, where: Block, target: list, index: list, numbers: dict, operands: dict, kept: list[Op]
    ) -> None:
        def number(x: Any) -> Any:
            if not ir.is_array(x):
                return x
            if x not in numbers:
                v = operands[x]
                keys = self.dims.of(v)
                places = index[len(index) - len(keys) :]
                places = [Const(0) if k == ONE else i for k, i in zip(keys, places, strict=True)]
                base = f"{x.base or 'x'}_k"
                numbers[x] = self.emit(where, target, "load", [v, *places], v.type.dtype, None, base, s.line)
            return numbers[x]

        if s.kind == "sum":
            number(s.args[0])
            return
        if s.kind == "fill":
            self.write(s, number(s.args[1]), where, target, index)
            return
        kind, attr = s.attr
        args = [number(x) for x in s.args]
        dtype = s.out.type.dtype
        made = self.emit(where, target, kind, args, dtype, attr, f"{s.out.base or 't'}_k", s.line)
        numbers[s.out] = made
        if s in kept:
            target.append(Op("store", [], [s.out, made, *index], None, s.line))

    def write(self, s: Op, value: Any, where: Block, target: list, index: list) -> None:
        array: Any = s.args[0]
        if s.attr in (None, "+", "-"):
            target.append(Op("store", [], [array, value, *index], s.attr, s.line))
            return
        old = self.emit(where, target, "load", [array, *index], array.type.dtype, None, "old", s.line)
        t = scalar_type(OPERATORS[s.attr], [array.type.dtype, type_of(value)])
        new = self.emit(where, target, "binary", [old, value], t, s.attr, "new", s.line)
        target.append(Op("store", [], [array, new, *index], None, s.line))


def zero_of(t: types.Type) -> Any:
    return 0j if isinstance(t, types.Complex) else 0.0 if isinstance(t, types.Float) else 0
