"""Where writes into local memory are undone on the way back, so that loads find there again what they found."""

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from morula.static.ir import Block, Const, Op, Value
from morula.static.numba.elementary import is_cheap
from morula.static.passes.activity import SCALAR

if TYPE_CHECKING:
    from morula.static.passes.record import Record


def worth_undoing(record: "Record", kept_keys: list[Any]) -> set[Value]:
    """Classes of local memory where keeping what writes overwrite costs less than keeping what loads found.

    Args:
        record: of the function, where nothing is undone yet.
        kept_keys: what it keeps then.
    """
    kept: dict[Value, float] = defaultdict(float)
    for key in kept_keys:
        if isinstance(key, Value) and isinstance(key.definition, Op):
            for load in _loads_below(key.definition, record):
                kept[record.memory.of(load.args[0])] += _weight(record.where[id(load)])
    found = set()
    for klass, cost in kept.items():
        if klass in record.memory.parameters or klass in record.memory.results or klass in record.rebound:
            continue
        writers = record.memory.writers.get(klass, [])
        if not writers or any(w.kind != "store" for w in writers):
            continue
        writing = sum(_weight(record.where[id(w)]) for w in writers if record.taped_loops(record.where[id(w)]))
        if writing < cost:
            found.add(klass)
    return found


def weight_of(record: "Record", kept_keys: list[Any]) -> float:
    """How much is kept: values in the iterations of the loops around them, and what undone writes overwrite."""
    writes = [s for s in record.statements if isinstance(s, Op) and s.kind == "store" and record.is_undone(s)]
    blocks = [record.block_of(key[1] if isinstance(key, tuple) else key) for key in kept_keys]
    return sum(
        _weight(block) for block in (*blocks, *(record.where[id(s)] for s in writes)) if record.taped_loops(block)
    )


def old_of_store(record: "Record", v: Value) -> Op | None:
    """In the place of a load what the store after it overwrites, which is kept anyway: the same number."""
    load = v.definition
    if not (isinstance(load, Op) and load.kind == "load" and load.attr is None):
        return None
    klass, array = record.memory.of(load.args[0]), load.args[0]
    at = record.order[id(load)]
    store = min(
        (w for w in record.memory.writers.get(klass, ()) if record.order[id(w)] > at),
        key=lambda w: record.order[id(w)],
        default=None,
    )
    if store is None or record.where[id(store)] is not record.where[id(load)] or not record.is_undone(store):
        return None
    is_there = store.args[0] is array and len(store.args) - 1 == len(load.args)
    if not is_there or not all(map(_is_same, load.args[1:], store.args[2:])):
        return None
    return Op("old", [v], [], store, store.line)


def _is_same(x: Any, y: Any) -> bool:
    return x is y or (isinstance(x, Const) and isinstance(y, Const) and x.value == y.value)


def _loads_below(d: Op, record: "Record") -> list[Op]:
    """The unstable loads because of which a value is kept."""
    if d.kind == "load":
        return [] if record.is_stable(d) else [d]
    if d.kind in SCALAR and is_cheap(d):
        return [y for x in d.args if isinstance(x, Value) and isinstance(x.definition, Op)
                for y in _loads_below(x.definition, record)]  # fmt: skip
    return []


def _weight(block: Block) -> float:
    """How often a block runs, guessed."""
    found = 1.0
    for loop in block.loops():
        is_counted = all(isinstance(x, Const) for x in (loop.start, loop.stop, loop.step)) and loop.start is not None
        if is_counted and loop.exit is None:
            trips = len(range(loop.start.value, loop.stop.value, loop.step.value or 1))  # type: ignore[union-attr]
            found *= min(max(trips, 1), 30)
        else:
            found *= 30
    return found
