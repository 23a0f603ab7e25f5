"""Tapes: where kept values stand, indexed by the iteration that they belong to.

In a nest of loops whose trip counts are known before it begins, the iterations are numbered through and each kept
value has an array of that length; arrays that are as long in all iterations are the rows of one (`slabs.py`). Other
loops (triangular ones, `while`, those that may break) number their iterations as they come: `i_top` counts them, and
the tapes grow by doubling: before the loop where the most that it can run is in sight, else when they are full
(`i_room`). They are memory with an owner (`tape_growth.py`) where they stay in one function, else arrays. Arrays are
kept in lists.
"""

from types import FunctionType
from typing import Any

from numba.core import types

from morula.static import ir
from morula.static.front.operands import dtype_text
from morula.static.ir import Const, Loop, Value
from morula.static.numba.emit.slabs import Slabs
from morula.static.numba.emit.text import Lines, Texts, operand_text
from morula.static.passes.record import KEEP, SHADOW, Record

FIRST = 64  # entries of a tape that grows
MODEST = 65536  # entries for which room is made before a loop that may end early


class Tapes:
    """The tapes of one function.

    Args:
        record: what is kept.
        texts: of operations.
        fresh: makes names that are not in use.
        is_owned: whether tapes that grow may be memory that only this function knows.
    """

    def __init__(self, record: Record, texts: Texts, fresh: Any, is_owned: bool = False):
        self.record, self.texts, self.fresh, self.is_owned = record, texts, fresh, is_owned
        self.list_type = "[]"  # a typed list where it leaves the compiled code
        self.names: dict[Any, str] = {}
        self.olds: dict[ir.Op, str] = {}
        self.tops: dict[Any, str] = {}
        self.rooms: dict[Loop, str] = {}
        self.owners: dict[Any, str] = {}
        self.counters: dict[Loop, str] = {}  # of loops that only `exit` ends, on the way back
        self.hosts: dict[Loop, list[Any]] = {}  # loop -> keys that are kept once in each of its iterations
        self.at: dict[Loop, str] = {}
        self.number: dict[Loop, str] = {}
        self.trip_texts: dict[Loop, str] = {}
        self.first: dict[Any, list[Any]] = {}  # statement -> keys whose tapes are made before it
        self.reused: set[Any] = set()  # keys whose tapes are made before a fused loop, and used in each iteration of it
        self.slabs = Slabs(record, texts, self.is_regular)
        kept = [key for key, how in record.plan.items() if how is KEEP and key not in self.slabs.carried]
        for key in dict.fromkeys([*kept, *self.slabs.rows]):
            self.keep(key)
        for s in record.statements:
            if isinstance(s, ir.Op) and s.kind == "store" and record.is_undone(s):
                if record.taped_loops(record.where[id(s)]):
                    self.keep(("old", s))
        self.begun = self.begin_owned() if is_owned else []

    # -- what is kept ---------------------------------------------------------------------------------------------

    def fresh_rule(self, adjoint: Any, name: str, namespace: dict[str, Any]) -> str:
        """The name under which generated code calls the adjoint of an array function."""
        for own_name, held in namespace.items():
            if held is adjoint or getattr(held, "py_func", None) is adjoint:
                return own_name
        from numba import njit

        name = self.fresh(name)
        namespace[name] = adjoint if not isinstance(adjoint, FunctionType) else njit(error_model="numpy")(adjoint)
        return name

    def fresh_old(self, s: ir.Op) -> str:
        """The local variable for what a store outside all taped loops overwrites."""
        if s not in self.olds:
            self.olds[s] = self.fresh(f"{operand_text(s.args[0])}_old")
        return self.olds[s]

    def block_of(self, key: Any) -> ir.Block:
        if isinstance(key, tuple) and key[0] == "old":
            return self.record.where[id(key[1])]
        return self.record.block_of(key[1] if isinstance(key, tuple) else key)

    def type_of(self, key: Any) -> types.Type:
        if isinstance(key, tuple) and key[0] == "old":
            return key[1].args[0].type.dtype
        return (key[1] if isinstance(key, tuple) else key).type

    def keep(self, key: Any) -> None:
        loops = self.record.taped_loops(self.block_of(key))
        if isinstance(key, tuple):
            base = f"{operand_text(key[1].args[0])}_old" if key[0] == "old" else f"{key[1].name}_bar"
        else:
            base = key.name
        self.names[key] = self.fresh(f"{base}_tape")
        self.hosts.setdefault(loops[-1], []).append(key)
        sizes = self.slabs.sizes_of(key) if key in self.slabs.rows else []
        first = self.outermost(loops, sizes)
        self.first.setdefault(id(first), []).append(key)
        if first is not loops[0]:
            self.reused.add(key)
        if self.is_listed(key):
            self.tops[key] = self.fresh(f"{base}_top")

    def is_listed(self, key: Any) -> bool:
        """Whether what is kept is an array in a list."""
        return isinstance(self.type_of(key), types.Array) and key not in self.slabs.rows

    def outermost(self, loops: list[Loop], sizes: list[Value]) -> Loop:
        """The loop before which the tape of a nest is made: a fused loop around it if its size is known there.

        `sizes`: what else the size depends on besides the bounds of the nest.
        """
        found = loops[0]
        block = self.record.where[id(found)]
        while isinstance(block.owner, Loop | ir.Branch):
            owner = block.owner
            needed = [*sizes, *(x for loop in loops for x in self.bounds_of(loop))]
            if isinstance(owner, Loop) and not any(self.is_inside(x, owner) for x in needed):
                found = owner
            block = self.record.where[id(owner)]
        return found

    def bounds_of(self, loop: Loop) -> list[Any]:
        return [x for x in (loop.start, loop.stop, loop.step) if isinstance(x, Value)]

    def is_inside(self, x: Value, loop: Loop) -> bool:
        return ir.is_within(self.record.block_of(x), loop.body)

    def begin_owned(self) -> list[str]:
        """The lines that make the tapes which grow, at the top: each is empty again after a fused iteration."""
        lines = []
        for loop, keys in self.hosts.items():
            numbers = [key for key in keys if not self.is_listed(key)]
            if not numbers or self.is_regular(loop):
                continue
            self.tops[loop], self.rooms[loop] = self.fresh(f"{_base(loop)}_top"), self.fresh(f"{_base(loop)}_room")
            lines += [f"    {self.tops[loop]} = 0", f"    {self.rooms[loop]} = {FIRST}"]
            for key in numbers:
                owner = self.owners[key] = self.fresh(f"{self.names[key]}_held")
                dtype = dtype_text(self.type_of(key))
                lines.append(f"    {owner} = room_for({FIRST}, {dtype})")
                lines.append(f"    {self.names[key]} = start_of({owner}, {dtype})")
        return lines

    # -- numbering ------------------------------------------------------------------------------------------------

    def is_regular(self, loop: Loop) -> bool:
        """Whether the trip counts of the nest down to `loop` are known before the nest begins."""
        chain = self.record.taped_loops(loop.body)
        return all(
            x.start is not None and x.exit is None and all(not self.is_inside(v, chain[0]) for v in self.bounds_of(x))
            for x in chain
        )

    def trips(self, loop: Loop) -> str:
        """How often a loop over a range runs."""
        if loop in self.trip_texts:
            return self.trip_texts[loop]
        if loop.start is None:
            return f"({operand_text(loop.trips)} - 1)"  # without the iteration that finds the end
        bounds = self.texts.bounds
        if all(isinstance(x, Const) for x in (loop.start, loop.stop, loop.step)):
            return str(len(range(loop.start.value, loop.stop.value, loop.step.value)))  # type: ignore[union-attr]
        if isinstance(loop.step, Const) and loop.step.value == 1:
            if isinstance(loop.start, Const) and loop.start.value == 0:
                return operand_text(loop.stop) if bounds.is_natural(loop.stop) else f"max({operand_text(loop.stop)}, 0)"
            return f"max({operand_text(loop.stop)} - {operand_text(loop.start)}, 0)"
        return f"len(range({operand_text(loop.start)}, {operand_text(loop.stop)}, {operand_text(loop.step)}))"

    def iteration(self, loop: Loop) -> str:
        """The number of the current iteration, from 0."""
        if loop.start is None:
            return self.counters[loop]
        assert loop.index is not None
        start, step = loop.start, loop.step
        text = (
            loop.index.name
            if isinstance(start, Const) and start.value == 0
            else f"({loop.index.name} - {operand_text(start)})"
        )
        return text if isinstance(step, Const) and step.value == 1 else f"({text} // {operand_text(step)})"

    def is_numbered_ahead(self, loop: Loop) -> bool:
        """Whether what is kept in each iteration of a loop, if anything, has a place of its own from the beginning."""
        kept = self.hosts.get(loop, ())
        return not kept or (self.is_regular(loop) and not any(self.is_listed(key) for key in kept))

    def make(self, s: Any, out: Lines) -> None:
        """The tapes that are made before a statement."""
        for key in self.first.get(id(s), ()):
            loop = self.record.taped_loops(self.block_of(key))[-1]
            t = self.type_of(key)
            if self.is_listed(key) or key in self.owners:
                continue
            size = str(FIRST)
            if self.is_regular(loop):
                chain = self.record.taped_loops(loop.body)
                size = str(self.slabs.rings.get(key) or " * ".join(self.trips(x) for x in chain))
            else:
                top = self.tops.get(loop)
                if top is None:
                    assert loop.index is not None or loop.trips is not None
                    top = self.tops[loop] = self.fresh(f"{_base(loop)}_top")
                    out.add(f"{top} = 0")
                    if not self.has_room_ahead(loop):
                        self.rooms[loop] = self.fresh(f"{_base(loop)}_room")
                        out.add(f"{self.rooms[loop]} = {FIRST}")
            if key in self.slabs.rows:
                out.add(f"{self.names[key]} = {self.slabs.made(key, [size])}")
                continue
            dtype = "" if t == types.float64 else f", dtype={dtype_text(t)}"
            out.add(f"{self.names[key]} = np.empty({size}{dtype})")

    def has_room_ahead(self, loop: Loop) -> bool:
        """Whether room for all iterations that there can be is made before a loop."""
        if loop.start is None:
            return False
        return loop.exit is None or all(_is_modest(x) for x in (loop.start, loop.stop, loop.step))

    def enter(self, loop: Loop, out: Lines) -> None:
        """Before a loop, in the forward pass."""
        if loop not in self.hosts or loop not in self.tops or not self.has_room_ahead(loop):
            return
        top = self.tops[loop]
        if loop.exit is not None:
            self.grow(loop, f"{top} + {self.trips(loop)}", out)
            return
        self.number[loop] = self.number.get(loop) or self.fresh(f"{loop.index.name}_base")  # type: ignore[union-attr]
        out.add(f"{self.number[loop]} = {top}")
        out.add(f"{top} += {self.trips(loop)}")
        self.grow(loop, top, out)

    def grow(self, loop: Loop, size: str, out: Lines) -> list[str]:
        """Room for so many entries. The tapes of a loop have one length: one comparison for all of them."""
        keys = [key for key in self.hosts[loop] if not self.is_listed(key)]
        names = [self.names[key] for key in keys]
        if keys[0] not in self.owners:
            for name in names:
                out.add(f"{name} = grown({name}, {size})")
            return names
        room = self.rooms[loop]
        out.add(f"if {size} > {room}:")
        out.depth += 1
        out.add(f"{room} = max({size}, 2 * {room})")
        for key, name in zip(keys, names, strict=True):
            out.add(f"{name} = widened({self.owners[key]}, {room}, {dtype_text(self.type_of(key))})")
        out.depth -= 1
        return names

    def grow_when_full(self, loop: Loop, out: Lines) -> None:
        top, room = self.tops[loop], self.rooms[loop]
        if any(key in self.owners for key in self.hosts[loop]):
            self.grow(loop, top, out)
            return
        out.add(f"if {top} > {room}:")
        out.depth += 1
        names = self.grow(loop, top, out)
        out.add(f"{room} = {names[0]}.shape[0]")
        out.depth -= 1

    def begin(self, loop: Loop, out: Lines, forward: bool) -> None:
        """At the start of an iteration: its number, where something is kept under it."""
        self.cast_index(loop, out)
        if loop not in self.hosts:
            return
        if all(self.is_listed(key) for key in self.hosts[loop]):
            return
        if loop in self.tops:
            if loop.start is not None and loop.exit is None:
                self.at[loop] = self.fresh_at(loop)
                out.add(f"{self.at[loop]} = np.uintp({self.number[loop]} + {self.iteration(loop)})")
                return
            if forward:
                self.at[loop] = self.fresh_at(loop)
                out.add(f"{self.at[loop]} = np.uintp({self.tops[loop]})")
                out.add(f"{self.tops[loop]} += 1")
                if not self.has_room_ahead(loop):
                    self.grow_when_full(loop, out)
            else:
                out.add(f"{self.tops[loop]} -= 1")
                out.add(f"{self.at[loop]} = np.uintp({self.tops[loop]})")
            return
        chain = self.record.taped_loops(loop.body)
        number = self.iteration(chain[0])
        for x in chain[1:]:
            number = f"({number}) * {self.trips(x)} + {self.iteration(x)}"
        if len(chain) == 1 and number.isidentifier():
            self.at[loop] = self.texts.cast.get(loop.index, f"np.uintp({number})")  # type: ignore[arg-type]
            return
        self.at[loop] = self.fresh_at(loop)
        out.add(f"{self.at[loop]} = np.uintp({number})")

    def cast_index(self, loop: Loop, out: Lines) -> None:
        """The loop's counter as an unsigned number, where it is an index: then it needs no wrap-around."""
        i = loop.index
        if i is None or not self.texts.bounds.is_natural(i):
            return
        if i not in self.texts.cast:
            uses = [s for s in ir.walk(loop.body) if isinstance(s, ir.Op) and s.kind in ("load", "store", "view")]
            if not any(i in s.args[1:] for s in uses):
                return
            self.texts.cast[i] = self.fresh(f"{i.name}_u")
        out.add(f"{self.texts.cast[i]} = np.uintp({i.name})")

    def fresh_at(self, loop: Loop) -> str:
        found = self.at.get(loop)
        return found or self.fresh(f"{loop.index.name if loop.index is not None else 'loop'}_at")

    def leave(self, loop: Loop, out: Lines) -> None:
        """Before a loop, in the backward pass: back to where its numbers began."""
        if loop in self.hosts and loop in self.tops and loop.start is not None and loop.exit is None:
            out.add(f"{self.tops[loop]} -= {self.trips(loop)}")
            out.add(f"{self.number[loop]} = {self.tops[loop]}")

    # -- writing and reading --------------------------------------------------------------------------------------

    def write(self, key: Any, text: str, out: Lines) -> None:
        if self.is_listed(key):
            out.add(f"{self.names[key]}.append({text})")
        else:
            out.add(f"{self.entry(key)} = {text}")

    def entry(self, key: Any) -> str:
        loop = self.record.taped_loops(self.block_of(key))[-1]
        return f"{self.names[key]}[{self.turn(key, self.at[loop])}]"

    def turn(self, key: Any, number: str) -> str:
        """The row of an iteration, which is another one's again after as many as there are."""
        ring = self.slabs.rings.get(key)
        return number if ring is None else f"({number}) % np.uintp({ring})"

    def read(self, key: Any, target: str, out: Lines) -> None:
        if key in self.slabs.carried:
            loop = self.record.taped_loops(self.block_of(key))[-1]
            out.add(f"{target} = {self.slabs.carried_text(key, self.iteration(loop), self.row_before)}")
        elif self.is_listed(key):
            top = self.tops[key]
            out.add(f"{top} -= 1")
            out.add(f"{target} = {self.names[key]}[{top}]")
        else:
            out.add(f"{target} = {self.entry(key)}")

    def row_before(self, key: Any, distance: int) -> str:
        """The row of an earlier iteration."""
        loop = self.record.taped_loops(self.block_of(key))[-1]
        return f"{self.names[key]}[{self.turn(key, f'{self.at[loop]} - np.uintp({distance})')}]"

    def renewed(self, loop: Loop) -> list[str]:
        """At the start of an iteration, backwards: shadows that begin in rows whose turn it is again."""
        lines = []
        for key, chain in self.slabs.carried.items():
            ring = self.slabs.rings.get((SHADOW, chain[0][1])) if isinstance(key, tuple) else None
            if ring == len(chain) + 1 and key[1].definition is loop:
                lines += [f"if {self.iteration(loop)} >= {len(chain)}:", f"    {key[1].name}_bar.fill(0)"]
        return lines

    def lists(self) -> list[str]:
        """The lines that begin the lists: at the top, since the loops that fill them may never run."""
        return [f"    {self.names[key]} = {self.list_type}" for key in self.tops if key in self.names]

    def end(self, out: Lines) -> None:
        """Before the function returns: until here all that it kept is there."""
        for owner in self.owners.values():
            out.add(f"hold({owner})")

    def list_tops(self, fused: Loop | None = None) -> list[tuple[str, str]]:
        """The tops of the lists of arrays, and the lists: those inside a fused loop, or those in none."""
        return [
            (top, self.names[key])
            for key, top in self.tops.items()
            if key in self.names and self.fused_around(key) is fused
        ]

    def fused_around(self, key: Any) -> Loop | None:
        """The fused loop that something is kept in."""
        return next((loop for loop in self.block_of(key).loops() if loop in self.record.fused), None)


def _base(loop: Loop) -> str:
    """What the numbers of a loop's iterations are called after."""
    return loop.index.name if loop.index is not None else "loop"


def _is_modest(x: Any) -> bool:
    """Whether an integer is small, or at most as large as some array is long."""
    if isinstance(x, Const):
        return abs(x.value) <= MODEST
    d = x.definition
    if not isinstance(d, ir.Op):
        return False
    if d.kind == "shape":
        return True
    return d.kind == "binary" and d.attr in ("+", "-", "//", "min2", "max2") and all(map(_is_modest, d.args))
