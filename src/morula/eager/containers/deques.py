"""Deques: their methods move the shadows of the items, which are a deque too."""

from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any

from morula.eager.containers import sequences
from morula.eager.containers.registry import CONTAINERS, Container
from morula.eager.containers.sequences import MOVES, moved_items, operator_method, plain_method, removed, repeated
from morula.eager.context.protocol import Context

Pair = tuple[Any, Any]


def _pairs(ctx: Context, q: deque, _: Any, backwards: bool = False) -> Iterator[Pair]:
    """The items of a deque; it may get active ones, but Python says so itself if it changes its length."""
    items = deque.__reversed__(q) if backwards else deque.__iter__(q)

    def pairs() -> Iterator[Pair]:
        for i, v in enumerate(items):
            record = ctx.records.of(q)
            yield v, None if record is None else record.slots[-1 - i if backwards else i]

    return pairs()


def _extend(ctx: Context, q: deque, more: Any, more_d: Any, name: str = "append") -> None:
    pairs = ctx.iter(more, more_d)
    for v, v_d in list(pairs) if more is q else pairs:
        moved_items(ctx, deque, q, name, (v,), (v_d,))


def _in_place(ctx: Context, name: str, q: deque, y: Any, y_d: Any) -> Pair | None:
    if name == "add":
        _extend(ctx, q, y, y_d)
        return q, None
    return repeated(ctx, deque, q, y) if name == "mul" else None


def _method(ctx: Context, q: deque, _: Any, name: str, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    """``q.name(*args)``, for a method written in C."""
    if name == "__init__":
        given = {**dict(zip(("iterable", "maxlen"), args, strict=False)), **kw}
        more_d = ds[0] if ds else kw_d.get("iterable")
        deque.__init__(q, **{**given, "iterable": ()})
        ctx.records.table.pop(id(q), None)
        if "iterable" in given:
            _extend(ctx, q, given["iterable"], more_d)
    elif kw:
        return plain_method(ctx, q, name, args, ds, kw, kw_d)
    elif name in MOVES:
        return moved_items(ctx, deque, q, name, args, ds)
    elif name == "remove":
        return removed(ctx, deque, q, args)
    elif name in ("extend", "extendleft", "__iadd__") and len(args) == 1:
        _extend(ctx, q, args[0], ds[0], "appendleft" if name == "extendleft" else "append")
        return (q if name == "__iadd__" else None), None
    elif name in ("copy", "__copy__") and not args:
        return _copied(ctx, q)
    elif name == "__getitem__":
        y = q[args[0]] if type(q) is deque and len(args) == 1 else deque.__getitem__(q, *args)
        record = ctx.records.list_of(q)
        return y, None if record is None else record.slots[args[0]]
    elif name == "__setitem__":
        i, v = args
        record = ctx.records.list_of(q)
        deque.__setitem__(q, i, v)
        if record is not None or ds[1] is not None:
            ctx.records.make(q).slots[i] = ds[1]
    elif name == "__delitem__":
        record = ctx.records.list_of(q)
        deque.__delitem__(q, *args)
        if record is not None:
            del record.slots[args[0]]
    else:
        return operator_method(ctx, deque, q, None, name, args, ds)
    return None, None


def _copied(ctx: Context, q: deque) -> Pair:
    if type(q) is not deque:
        same = (q,) if q.maxlen is None else (q, q.maxlen)
        return ctx.call(type(q), same, (None,) * len(same))
    record, y = ctx.records.list_of(q), q.copy()
    if record is not None:
        ctx.records.make(y).slots = record.slots.copy()
    return y, None


def _taken_apart(ctx: Context, q: deque, _: Any) -> tuple:
    args = () if q.maxlen is None else ((), q.maxlen)
    return type(q), args, (), sequences.items(ctx, q), None


def _slots(q: deque, shadows: Mapping) -> deque:
    return deque([shadows.get(i) for i in range(deque.__len__(q))], q.maxlen)


def _fill(q: deque, items: Any) -> None:
    deque.clear(q)
    deque.extend(q, items)


CONTAINERS[deque] = Container(
    parts=list,
    method=_method,
    pairs=_pairs,
    shadow=sequences.shadow,
    taken_apart=_taken_apart,
    places=enumerate,
    slots=_slots,
    collected=lambda found: list(found.values()),
    fill=_fill,
    in_place=_in_place,
    is_sequence=True,
    is_given_to_rules=False,
)
