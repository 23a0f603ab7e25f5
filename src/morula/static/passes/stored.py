"""Numbers that stand where they were stored: the backward pass loads them from there, and nothing more is kept.

for i in range(1, n):
    for j in range(m):
        t[i, j] = t[i, j] / c[i]     # the derivative by `c[i]` reads the quotient
"""

from typing import TYPE_CHECKING, Any

from morula.static import ir
from morula.static.ir import Loop, Op, Value

if TYPE_CHECKING:
    from morula.static.passes.record import Record


def stored_values(statements: list[Any]) -> dict[Value, list[Op]]:
    """For numbers the stores of them as they are, into arrays and at places that are there before the numbers."""
    defined: dict[Any, int] = {}
    for k, s in enumerate(statements):
        after = [c.out for c in s.carries] if isinstance(s, Loop) else []
        defined.update(dict.fromkeys([*ir.values_of(s), *after], k))
    found: dict[Value, list[Op]] = {}
    for s in statements:
        if not (isinstance(s, Op) and s.kind == "store" and s.attr is None):
            continue
        array: Any = s.args[0]
        v, *index = s.args[1:]
        if not (isinstance(v, Value) and isinstance(v.definition, Op) and v.type == array.type.dtype):
            continue
        if all(defined.get(x, -1) < defined[v] for x in (array, *index)):
            found.setdefault(v, []).append(s)
    return found


def load_of_stored(record: "Record", v: Value) -> Op | None:
    """A load, which no statement is, that finds a number again when the backward pass of its block begins."""
    for store in record.stored.get(v, ()):
        block = record.where[id(store)]
        if block is not record.block_of(v) or record.memory.of(store.args[0]) in record.undone:
            continue  # (what is undone for the loads that there are may be gone for others)
        load = Op("load", [v], [store.args[0], *store.args[2:]], None, store.line)
        record.where[id(load)], record.order[id(load)] = block, record.order[id(store)] + 0.5
        if all(map(record.is_available, load.args)) and record.is_stable(load):
            return load
        del record.where[id(load)], record.order[id(load)]
    return None
