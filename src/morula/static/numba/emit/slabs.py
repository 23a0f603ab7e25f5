"""Arrays that are made anew in each iteration of a loop, and are as long in all of them: one row of a slab for each.

for t in range(n):                     x_slab = np.empty((n, m))
    y = x @ a                          room = np.empty(m)
    x = np.empty(m)         ->         for t in range(n):
    ...                                    x = x_slab[t]

The slab is made before the loops, and stands in place of a list of arrays. What a loop carries from one iteration to
the next is the row before; what nobody needs after its iteration has one room for all of them. The shadows of such
arrays are needed by neighbouring iterations only: they have few rows, which take turns.
"""

from collections.abc import Iterator
from typing import Any

from numba.core import types

from morula.static import ir
from morula.static.front.operands import dtype_text
from morula.static.ir import Carry, Const, Loop, Op, Value
from morula.static.numba.emit.text import Texts, operand_text
from morula.static.passes.dims import PRODUCTS, Dims
from morula.static.passes.record import KEEP, SHADOW, Record
from morula.static.passes.rows import FARTHEST

FIRST = {"zeros": "0", "ones": "1"}
HELPERS = {(1, 2): "vector_matrix", (2, 1): "matrix_vector", (2, 2): "matrix_matrix"}


class Slabs:
    """Which arrays have rows, and which have rooms.

    Attributes:
        rows: values, and pairs (SHADOW, value), that are rows of slabs, with the lengths of a row.
        carried: variables of loops that hold such rows; their shadows alike.
        rings: for shadows that take turns, how many rows there are.
        rooms: for loops the values, and pairs (SHADOW, value), that have one room for all iterations.
    """

    def __init__(self, record: Record, texts: Texts, is_regular: Any):
        self.record, self.texts, self.is_regular = record, texts, is_regular
        self.dims = Dims()
        self.rows: dict[Any, list[str]] = {}
        self.carried: dict[Any, list[tuple[Any, Value]]] = {}
        self.room_of: dict[Any, Loop] = {}
        self.sizes: dict[Value, list[Any]] = {}
        kept = [key for key, how in record.plan.items() if how is KEEP and ir.is_array(value_of(key))]
        for key in kept:
            self.give_row(key)
        for s in record.statements:
            if isinstance(s, Loop):
                for c in s.carries:
                    self.follow(c, s)
        self.rings = self.find_rings()
        self.listed = {record.memory.of(value_of(key)) for key in kept if key not in self.rows}
        self.listed |= {record.memory.of(s.args[0]) for s in record.statements
                        if isinstance(s, Op) and s.kind == "resized"}  # fmt: skip
        self.give_rooms()

    # -- rows -----------------------------------------------------------------------------------------------------

    def give_row(self, key: Any) -> bool:
        """Let a value, or a shadow, be a row of a slab if it may; whether it is one."""
        if key in self.rows:
            return True
        v = value_of(key)
        sizes = self.lengths(v)
        block = self.record.block_of(v)
        loops = self.record.taped_loops(block)
        if sizes is None or not loops or block is not loops[-1].body or any(x.parallel for x in block.loops()):
            return False
        if not self.is_regular(loops[-1]) or any(self.is_inside(x, loops[0]) for x in sizes):
            return False
        if not isinstance(key, tuple) and v.definition.kind == "array" and self.record.memory.is_written(v):
            return False  # it is copied into its row, and must not change afterwards
        self.rows[key] = [self.length(x) for x in sizes]
        return True

    def follow(self, c: Carry, loop: Loop) -> None:
        """What a loop carries, if these are rows of the iterations before."""
        plan = self.record.plan
        wanted = [key for key in (c.phi, (SHADOW, c.phi)) if plan.get(key) is KEEP and ir.is_array(c.phi)]
        if not wanted:
            return
        before: list[tuple[Any, Value]] = []
        carries = {x.phi: x for x in loop.carries}
        current = c
        while True:
            init = current.init
            if not isinstance(init, Value) or init.type != c.phi.type or len(before) == FARTHEST:
                return
            if self.record.taped_loops(self.record.block_of(init)):
                return
            before.append((current, init))
            if current.next not in carries:
                break
            current = carries[current.next]
        made: Any = current.next
        if not isinstance(made, Value) or not isinstance(made.definition, Op) or made.type != c.phi.type:
            return
        if self.record.where[id(made.definition)] is not loop.body:
            return
        for key in wanted:
            if self.give_row((SHADOW, made) if isinstance(key, tuple) else made):
                if isinstance(key, tuple) and plan.get((SHADOW, made)) is not KEEP:
                    self.record.plan[SHADOW, made] = KEEP
                self.carried[key] = [(init, made) for _, init in before]

    def carried_text(self, key: Any, iteration: str, row: Any) -> str:
        """What a variable, or its shadow, is in an iteration."""
        bar = "_bar" if isinstance(key, tuple) else ""
        chain = self.carried[key]
        made: Any = chain[0][1]
        text = row((SHADOW, made) if bar else made, len(chain))
        for k in range(len(chain) - 1, -1, -1):
            text = f"{chain[k][0].name}{bar} if {iteration} == {k} else {text}"
            if k:
                text = f"({text})"
        return text

    def find_rings(self) -> dict[Any, int]:
        """Shadows that only the iteration which made the array, and those that carry it, have in their hands."""
        farthest: dict[Value, int] = {}
        for key, chain in self.carried.items():
            if isinstance(key, tuple):
                farthest[chain[0][1]] = max(farthest.get(chain[0][1], 0), len(chain))
        return {
            (SHADOW, made): distance + 1
            for made, distance in farthest.items()
            if len(self.record.taped_loops(self.record.block_of(made))) == 1 and self.is_only_carried(made)
        }

    def is_only_carried(self, made: Value) -> bool:
        """Whether no variable holds an array longer than the loop that makes it carries it along."""
        of, loop = self.record.memory.of, self.record.block_of(made).owner
        for s in self.record.statements:
            if isinstance(s, Loop):
                held = [c.phi for c in s.carries if ir.is_array(c.phi) and of(c.phi) is of(made)]
                chains = [self.carried.get((SHADOW, phi)) for phi in held]
                if held and (s is not loop or any(chain is None or chain[0][1] is not made for chain in chains)):
                    return False
            elif isinstance(s, ir.Branch) and any(ir.is_array(j.out) and of(j.out) is of(made) for j in s.joins):
                return False
        return True

    # -- rooms ----------------------------------------------------------------------------------------------------

    def give_rooms(self) -> None:
        """Find the arrays that nobody needs after the iteration that makes them."""
        record = self.record
        for s in record.statements:
            if not (isinstance(s, Op) and s.kind in ("new", "array") and len(s.outs) == 1 and ir.is_array(s.out)):
                continue
            if s.kind == "new" and s.attr[0] not in ("empty", *FIRST):
                continue
            v = s.out
            klass = record.memory.of(v)
            if klass in record.rebound or klass in self.listed or klass in record.memory.results:
                continue
            loop = self.widest(v)
            if loop is None:
                continue
            if v not in self.rows and (s.kind == "new" or product_of(v) is not None):
                self.room_of[v] = loop
            if record.plan.get((SHADOW, v)) is not None and (s.kind == "new" or self.is_known_backwards(v)):
                self.room_of[SHADOW, v] = loop

    def widest(self, v: Value) -> Loop | None:
        """The outermost loop before which there may be a room for an array: all lengths are known there."""
        sizes = self.lengths(v)
        found = None
        if sizes is not None:
            for loop in self.record.block_of(v).loops():
                if loop.parallel or any(self.is_inside(x, loop) for x in sizes):
                    break
                found = loop
        return found

    def is_known_backwards(self, v: Value) -> bool:
        """Whether the lengths of what a function returns are those of arrays that the way back has anyway."""
        outer = [x[0] if isinstance(x, tuple) else x for x in self.lengths(v) or ()]
        return all(isinstance(x, Const) or not self.record.taped_loops(self.record.block_of(x)) for x in outer)

    def rooms_before(self, loop: Loop, is_shadow: bool) -> Iterator[Any]:
        """What has its room before a loop."""
        return (key for key, own in self.room_of.items() if own is loop and isinstance(key, tuple) is is_shadow)

    # -- lengths --------------------------------------------------------------------------------------------------

    def lengths(self, v: Value) -> list[Any] | None:
        """The lengths of an array that an operation makes: operands, or pairs of an array and an axis."""
        if v not in self.sizes:
            self.sizes[v] = self._lengths(v) or []
        return self.sizes[v] or None

    def _lengths(self, v: Value) -> list[Any] | None:
        d = v.definition
        if not isinstance(d, Op) or v.type.layout != "C" or not isinstance(v.type.dtype, types.Float | types.Complex):
            return None
        if d.kind == "new":
            return list(d.args)
        if d.kind != "array" or len(d.outs) > 1:
            return None
        keys = self.dims.of(v)
        if any(key[0] not in ("const", "value", "shape") for key in keys):
            return None
        return [Const(key[1]) if key[0] == "const" else key[1] if key[0] == "value" else key[1:] for key in keys]

    def sizes_of(self, key: Any) -> list[Value]:
        """The values that the lengths of a row depend on."""
        found = [x[0] if isinstance(x, tuple) else x for x in self.lengths(value_of(key)) or ()]
        return [x for x in found if isinstance(x, Value)]

    def is_inside(self, x: Any, loop: Loop) -> bool:
        v = x[0] if isinstance(x, tuple) else x
        return isinstance(v, Value) and ir.is_within(self.record.block_of(v), loop.body)

    def length(self, x: Any) -> str:
        if isinstance(x, tuple):
            return f"{x[0].name}.shape[{x[1]}]"
        return operand_text(x) if self.texts.bounds.is_natural(x) else f"max({operand_text(x)}, 0)"

    def checks(self, v: Value) -> list[str]:
        """Lines that raise, where NumPy does, for lengths below 0."""
        found = []
        for x in v.definition.args if v.definition.kind == "new" else ():
            if not self.texts.bounds.is_natural(x):
                found += [f"if {operand_text(x)} < 0:", '    raise ValueError("negative dimensions not allowed")']
        return found

    def made(self, key: Any, before: list[str] = ()) -> str:  # type: ignore[assignment]
        """The text that makes a slab with rows, or a room."""
        v = value_of(key)
        sizes = self.rows[key] if key in self.rows else [self.length(x) for x in self.lengths(v) or ()]
        how = "zeros" if isinstance(key, tuple) else v.definition.attr[0] if v.definition.kind == "new" else "empty"
        if key in self.room_of:
            how = "empty"
        shape = [*before, *sizes]
        dtype = "" if v.type.dtype == types.float64 else f", dtype={dtype_text(v.type.dtype)}"
        return f"np.{how}({shape[0] if len(shape) == 1 else '(' + ', '.join(shape) + ')'}{dtype})"

    def begun(self, key: Any) -> str | None:
        """What fills a room at the start of its use, if anything does."""
        if isinstance(key, tuple):
            return "0"
        return FIRST.get(key.definition.attr[0])


def product_of(v: Value) -> str | None:
    """The helper that writes a product of vectors and matrices into memory that is there."""
    d = v.definition
    if not (isinstance(d, Op) and d.kind == "array" and getattr(d.attr, "primal", None) in PRODUCTS):
        return None
    operands = [x for x in d.args if isinstance(x, Value) and ir.is_array(x)]
    if len(d.args) != 2 or len(operands) != 2 or any(x.type.dtype != types.float64 for x in (*operands, v)):
        return None
    return HELPERS.get(tuple([x.type.ndim for x in operands]))


def value_of(key: Any) -> Value:
    """The value of a key of the plan."""
    found: Value = key[1] if isinstance(key, tuple) else key
    return found


__all__ = ["Slabs", "product_of", "value_of"]
