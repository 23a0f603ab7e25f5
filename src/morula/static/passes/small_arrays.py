"""Small arrays become numbers: loops over a few elements are unrolled, and memory that nobody else sees goes.

    k = np.empty(2)                     k_0 = a
    k[0] = a                            k_1 = b
    k[1] = b                   ->       s = 0.0 + k_0
    s = 0.0                             s = s + k_1
    for i in range(2): s += k[i]

An array is replaced where its shape is known, all that is done with it is to write and read elements at known places,
and all writes stand beside its creation. A variable that holds one such array after another becomes as many variables
as they have elements.
"""

from itertools import product
from math import prod
from typing import Any

from numba.core import types

from morula.static import ir
from morula.static.ir import Block, Branch, Carry, Const, Function, Join, Loop, Op, Operand, Undefined, Value
from morula.static.passes.builder import Builder
from morula.static.passes.dims import Dims
from morula.static.passes.memory import Memory

MOST_TRIPS = 8
FEW_TRIPS = 4
MOST_ELEMENTS = 16
MOST_OPERATIONS = 64  # of an unrolled loop
NEST = 3  # loops of a product of matrices, and the most statements of an outer one
FIRST = {"zeros": 0.0, "ones": 1.0}  # what the elements of a new array hold


def numbers_for_small_arrays(f: Function) -> None:
    """Unroll loops over the elements of small arrays, and replace the arrays."""
    builder = Builder()
    unroll(f, builder)
    if any(_is_small(s) for s in ir.walk(f.body)):
        _Elements(f, builder).run()


def _is_small(s: Any) -> bool:
    """Whether a statement makes an array of a few elements."""
    if not (isinstance(s, Op) and s.kind == "new"):
        return False
    sizes = [x.value for x in s.args if isinstance(x, Const)]
    return len(sizes) == len(s.args) and all(n >= 0 for n in sizes) and prod(sizes) <= MOST_ELEMENTS


# -- loops --------------------------------------------------------------------------------------------------------


def unroll(f: Function, builder: Builder) -> None:
    """Write out the short loops that go over small arrays, innermost first."""
    new: dict[Value, Operand] = {}
    _unrolled(f.body, _loops_of_products(f.body), builder, new)
    ir.replace_operands(f, new)


def _unrolled(block: Block, kept: set[Loop], builder: Builder, new: dict[Value, Operand]) -> None:
    found: list[Any] = []
    for s in block.statements:
        if isinstance(s, Loop):
            _unrolled(s.body, kept, builder, new)
            if s not in kept and _is_short(s):
                _write_out(s, block, found, builder, new)
                continue
        elif isinstance(s, Branch):
            _unrolled(s.then, kept, builder, new)
            _unrolled(s.orelse, kept, builder, new)
        found.append(s)
    block.statements = found


def _loops_of_products(block: Block) -> set[Loop]:
    """The loops of products of matrices that are too large to be written out; in part, they would be long texts."""
    found: set[Loop] = set()
    for s in ir.walk(block):
        nest: list[Loop] = []
        while isinstance(s, Loop) and len(nest) < NEST and 0 < len(_turns(s) or ()) <= MOST_TRIPS:
            nest.append(s)
            inner = [x for x in s.body.statements if not isinstance(x, Op)]
            if len(inner) != 1 or len(s.body.statements) > NEST:
                break
            (s,) = inner
        if len(nest) == NEST:
            turns = prod(len(_turns(loop) or ()) for loop in nest)
            if turns * len(nest[-1].body.statements) > MOST_OPERATIONS:
                found |= set(nest)
    return found


def _is_short(loop: Loop) -> bool:
    turns = _turns(loop)
    body = loop.body.statements
    if turns is None or len(turns) > MOST_TRIPS or len(turns) * len(body) > MOST_OPERATIONS:
        return False
    if not all(isinstance(s, Op) for s in body):
        return False
    if loop.body.parent is not None and len(turns) <= FEW_TRIPS and loop.body.loops()[1:]:
        return True  # compilers write it out as well, but only after they have found out about its memory
    touched = (s.args[0] for s in body if isinstance(s, Op) and s.kind in ("load", "store") and loop.index in s.args)
    return any(isinstance(x, Value) and (_is_small(x.definition) or _holds_small(x)) for x in touched)


def _holds_small(x: Value) -> bool:
    """Whether a variable holds one array of a few elements after another."""
    if not isinstance(x.definition, Loop | Branch):
        return False
    sizes = [key[1] for key in Dims().fixed.of(x) if key[0] == "const"]
    return len(sizes) == x.type.ndim and prod(sizes) <= MOST_ELEMENTS


def _turns(loop: Loop) -> range | None:
    """The values of the counter, if they are known."""
    if loop.exit is not None or loop.parallel or loop.trips is not None:
        return None
    if not (isinstance(loop.start, Const) and isinstance(loop.stop, Const) and isinstance(loop.step, Const)):
        return None
    return range(loop.start.value, loop.stop.value, loop.step.value) if loop.step.value else None


def _write_out(loop: Loop, block: Block, found: list, builder: Builder, new: dict[Value, Operand]) -> None:
    carried: dict[Value, Any] = {c.phi: c.init for c in loop.carries}
    for turn in _turns(loop) or ():
        held: dict[Value, Any] = dict(carried)
        if loop.index is not None:
            held[loop.index] = Const(turn)

        def of(x: Any, held: dict = held) -> Any:
            while isinstance(x, Value) and x in new:  # of a loop inside that is written out
                x = new[x]
            return held.get(x, x) if isinstance(x, Value) else x

        for s in loop.body.statements:
            assert isinstance(s, Op)
            made = Op(s.kind, [], [of(x) for x in s.args], s.attr, s.line)
            for v in s.outs:
                builder.names += 1
                base = v.base or v.name
                held[v] = Value(f"{base}__{builder.names}", v.type, made, block, v.base)
                made.outs.append(held[v])
            found.append(made)
        carried = {c.phi: of(c.next) for c in loop.carries}
    new.update(carried)
    new.update({c.out: new[c.phi] for c in loop.carries if isinstance(c.out, Value)})


# -- memory -------------------------------------------------------------------------------------------------------

Place = tuple[int, ...]
Numbers = dict[Place, Any]  # the elements of an array


class _Elements:
    """Arrays whose elements become variables.

    Attributes:
        sizes: of each array that may be replaced: its shape.
    """

    def __init__(self, f: Function, builder: Builder):
        self.f, self.builder = f, builder
        self.memory, self.dims = Memory(f), Dims()
        self.where = {id(s): block for block in _blocks(f.body) for s in block.statements}
        self.uses: dict[Value, list[Any]] = {}
        for s in ir.walk(f.body):
            for x in ir.operands(s):
                if isinstance(x, Value) and ir.is_array(x):
                    self.uses.setdefault(x, []).append(s)
        self.results = {x for x in ir.result_leaves(f.result) if isinstance(x, Value)}
        self.sizes: dict[Value, tuple[int, ...]] = {}
        self.new: dict[Value, Operand] = {}
        self.held: dict[Value, Numbers] = {}

    def run(self) -> None:
        self.choose()
        if self.sizes:
            self.block(self.f.body)
            ir.replace_operands(self.f, self.new)

    # -- which ------------------------------------------------------------------------------------------------------

    def choose(self) -> None:
        """All arrays that may be replaced: those that look so at first, less those that are not, until all are."""
        for s in ir.walk(self.f.body):
            if isinstance(s, Op) and _is_small(s):
                self.sizes[s.out] = tuple([x.value for x in s.args if isinstance(x, Const)])
        variables = [
            (x, given)
            for s in ir.walk(self.f.body)
            if isinstance(s, Loop | Branch)
            for x, given in (
                [(c.phi, (c.init, c.next)) for c in s.carries]
                if isinstance(s, Loop)
                else [(j.out, (j.then, j.orelse)) for j in s.joins]
            )
            if ir.is_array(x)
        ]
        for _ in variables:  # a variable is as long as what it is given, which may be another variable
            for x, given in variables:
                found = {self.size_of(v) for v in given if v is not x and not isinstance(v, Undefined)} - {None}
                if x not in self.sizes and len(found) == 1:
                    self.sizes[x] = found.pop()  # type: ignore[assignment]
        given_to = dict(variables)
        while True:
            wrong = [x for x in self.sizes if not self.is_good(x, given_to.get(x))]
            if not wrong:
                break
            for x in wrong:
                del self.sizes[x]

    def size_of(self, v: Any) -> tuple[int, ...] | None:
        if v in self.sizes:
            return self.sizes[v]
        keys = self.dims.of(v)
        sizes = tuple(key[1] for key in keys if key[0] == "const")
        return sizes if len(sizes) == len(keys) and prod(sizes) <= MOST_ELEMENTS else None

    def is_good(self, x: Value, given: tuple | None) -> bool:
        if x in self.results or not all(self.is_plain(s, x) for s in self.uses.get(x, ())):
            return False
        if given is None:
            return self.is_written_first(x.definition, self.where[id(x.definition)])
        return all(isinstance(v, Undefined) or self.may_be_given(v, x) for v in given)

    def may_be_given(self, v: Any, x: Value) -> bool:
        """Whether a variable may hold this array: one that is replaced, or one from elsewhere that nobody writes."""
        if v.type.dtype != x.type.dtype or self.size_of(v) != self.sizes[x]:
            return False
        writers = self.memory.writers.get(self.memory.of(v), ())
        return v in self.sizes or all(w.kind == "store" and w.args[0] in self.sizes for w in writers)

    def is_plain(self, s: Any, x: Value) -> bool:
        """Whether a statement does nothing with an array but what can be followed."""
        if isinstance(s, Loop):
            return all(c.phi in self.sizes for c in s.carries if x in (c.init, c.next))
        if isinstance(s, Branch):
            return all(j.out in self.sizes for j in s.joins if x in (j.then, j.orelse))
        if s.kind not in ("load", "store", "shape") or s.args[0] is not x or any(a is x for a in s.args[1:]):
            return False
        if s.kind == "shape":
            return True
        if _place(s, self.sizes[x]) is None:
            return False
        made = x.definition
        is_beside = isinstance(made, Op) and self.where[id(s)] is self.where[id(made)]
        return s.kind == "load" or (is_beside and _may_hold(s, x.type.dtype))

    def is_written_first(self, made: Op, block: Block) -> bool:
        """Whether each element holds something when it is read, and all are written before others hold the array."""
        x, how = made.out, made.attr[0]
        if how not in ("empty", *FIRST) or (how in FIRST and x.type.dtype != types.float64):
            return False
        every = set(product(*map(range, self.sizes[x])))
        written = set() if how == "empty" else set(every)
        is_held = False
        for top in block.statements:
            for s in ir.walk(Block([top])):
                if isinstance(s, Op):
                    if s.kind not in ("load", "store") or s.args[0] is not x:
                        continue
                    place = _place(s, self.sizes[x])
                    if s.kind == "store" and is_held:
                        return False
                    if (s.kind == "load" or s.attr is not None) and place not in written:
                        return False
                    if s.kind == "store" and place is not None:
                        written.add(place)
                elif any(y is x for y in ir.operands(s)):
                    is_held = True
                    if written != every:
                        return False
        owner = block.owner
        is_next = owner is not None and any(y is x for y in ir.operands(owner))
        return not is_next or written == every

    # -- replacing --------------------------------------------------------------------------------------------------

    def block(self, block: Block) -> None:
        found: list[Any] = []
        for s in block.statements:
            if isinstance(s, Loop):
                self.loop(s, block, found)
            elif isinstance(s, Branch):
                self.branch(s)
            elif s.kind == "new" and s.out in self.sizes:
                first = FIRST.get(s.attr[0])
                every = product(*map(range, self.sizes[s.out]))
                self.held[s.out] = {} if first is None else {place: Const(first) for place in every}
                continue
            elif s.args and s.args[0] in self.sizes and s.kind in ("load", "store", "shape"):
                self.access(s, s.args[0], block, found)
                continue
            found.append(s)
        block.statements = found

    def access(self, s: Op, x: Any, block: Block, found: list) -> None:
        if s.kind == "shape":
            self.new[s.out] = Const(self.sizes[x][s.attr])
            return
        place = _place(s, self.sizes[x])
        assert place is not None
        if s.kind == "load":
            self.new[s.out] = self.held[x][place]
        else:
            self.held[x][place] = self.stored(s, self.held[x].get(place), block, found, x)

    def stored(self, s: Op, old: Any, block: Block, found: list, array: Value) -> Any:
        """The operand that an element is after a write."""
        value, dtype, base = s.args[1], array.type.dtype, array.base or "item"
        if isinstance(value, Const):
            value = Const(float(value.value))
        elif isinstance(value, Value) and value.type != dtype:
            value = self.builder.emit(block, found, "cast", [value], dtype, "float", base, s.line)
        if s.attr is not None:
            value = self.builder.emit(block, found, "binary", [old, value], dtype, s.attr, base, s.line)
        return value

    def numbers_of(self, v: Any, x: Value, block: Block, found: list, line: int) -> Numbers:
        """The elements of what a variable holds."""
        if v in self.held:
            return self.held[v]
        places = list(product(*map(range, self.sizes[x])))
        if isinstance(v, Undefined):
            return dict.fromkeys(places, v)
        return {
            p: self.builder.emit(block, found, "load", [v, *map(Const, p)], x.type.dtype, None, v.base or "item", line)
            for p in places
        }

    def variables(self, x: Value, definition: Any, block: Block) -> Numbers:
        """New variables for the elements of one that holds arrays."""
        found: Numbers = {}
        for place in product(*map(range, self.sizes[x])):
            self.builder.names += 1
            name = f"{x.base or x.name}__{self.builder.names}"
            found[place] = Value(name, x.type.dtype, definition, block, x.base)
        self.held[x] = found
        return found

    def loop(self, loop: Loop, block: Block, found: list) -> None:
        split = [c for c in loop.carries if c.phi in self.sizes]
        first = [self.numbers_of(c.init, c.phi, block, found, loop.line) for c in split]
        phis = [self.variables(c.phi, loop, loop.body) for c in split]
        self.block(loop.body)
        for c, init, phi in zip(split, first, phis, strict=True):
            last = self.numbers_of(c.next, c.phi, loop.body, loop.body.statements, loop.line)
            loop.carries += [Carry(phi[place], init[place], last[place]) for place in phi]
        loop.carries = [c for c in loop.carries if c.phi not in self.sizes]

    def branch(self, branch: Branch) -> None:
        split = [j for j in branch.joins if j.out in self.sizes]
        sides = []
        for block, way in ((branch.then, "then"), (branch.orelse, "orelse")):
            self.block(block)
            given = [(getattr(j, way), j.out) for j in split]
            sides.append([self.numbers_of(v, out, block, block.statements, branch.line) for v, out in given])
        outer = self.where[id(branch)]
        for j, then, orelse in zip(split, *sides, strict=True):
            outs = self.variables(j.out, branch, outer)
            branch.joins += [Join(outs[place], then[place], orelse[place]) for place in outs]
        branch.joins = [j for j in branch.joins if j.out not in self.sizes]


def _may_hold(s: Op, dtype: types.Type) -> bool:
    """Whether what a store writes is the number that is read again."""
    value = s.args[1]
    if s.attr not in (None, "+", "-"):
        return False
    if isinstance(value, Const):
        return dtype == types.float64 and isinstance(value.value, int | float)
    if not isinstance(value, Value):
        return False
    return value.type == dtype or (isinstance(value.type, types.Integer) and dtype == types.float64 and s.attr is None)


def _place(s: Op, sizes: tuple[int, ...]) -> Place | None:
    """The indices of an element, from 0; None where they are not known to be inside."""
    index = s.args[2:] if s.kind == "store" else s.args[1:]
    if len(index) != len(sizes):
        return None
    found: list[int] = []
    for i, n in zip(index, sizes, strict=True):
        if not isinstance(i, Const) or not -n <= i.value < n:
            return None
        found.append(i.value % n)
    return tuple(found)


def _blocks(block: Block) -> list[Block]:
    found = [block]
    for s in block.statements:
        for inner in [s.body] if isinstance(s, Loop) else [s.then, s.orelse] if isinstance(s, Branch) else []:
            found += _blocks(inner)
    return found
