"""Lists: their methods move the shadows of the items, which are a list too."""

from collections.abc import Iterator
from typing import Any

from morula.eager.containers import sequences
from morula.eager.containers.registry import CONTAINERS, Container
from morula.eager.containers.sequences import MOVES, moved_items, operator_method, plain_method, removed, repeated
from morula.eager.context.kinds import has_method
from morula.eager.context.part import Part
from morula.eager.context.protocol import Context
from morula.eager.memory.array_shadows import Buffer

Pair = tuple[Any, Any]


class Lists(Part):
    """What a reverse context knows of lists."""

    __slots__ = ()

    # -- shadows ------------------------------------------------------------------------------------------

    def new_list(self, xs: list, shadows: list) -> None:
        """Give a new list the shadows of its items; arrays that own their memory are found without it."""
        table = self.buffers.table
        for x, d in zip(xs, shadows, strict=True):
            if d is not None and (type(d) is not Buffer or table.get(id(x)) is not d):
                self.records.make(xs).slots = list(shadows)
                return

    def set_list_shadows(self, xs: list, shadows: list) -> None:
        record = self.records.of(xs)
        if record is not None:
            record.slots = list(shadows)
        elif any(s is not None for s in shadows):
            self.records.make(xs).slots = list(shadows)

    def list_pairs(self, xs: list, _: Any, backwards: bool = False) -> Iterator[Pair]:
        """The items of a list of a user's class, which may change while it is iterated."""
        return self._pairs_backwards(xs, list.__len__(xs) - 1) if backwards else self._pairs(xs)

    def _pairs(self, xs: list) -> Iterator[Pair]:
        table = self.records.table
        key = id(xs)
        i = 0
        while i < list.__len__(xs):
            record = table.get(key)
            yield list.__getitem__(xs, i), None if record is None else record.slots[i]
            i += 1

    def _pairs_backwards(self, xs: list, i: int) -> Iterator[Pair]:
        while 0 <= i < list.__len__(xs):
            yield self.list_getitem(xs, i)
            i -= 1

    # -- subscripts ---------------------------------------------------------------------------------------

    def list_getitem(self, xs: list, key: Any) -> Pair:
        y = list.__getitem__(xs, key)
        record = self.records.list_of(xs)
        if record is None:
            return y, None
        found = record.slots[key]
        if isinstance(key, slice):
            self.new_list(y, found)
            return y, None
        return y, found

    def list_setitem(self, xs: list, key: Any, v: Any, v_d: Any) -> None:
        if isinstance(key, slice):
            pairs = list(self.iter(v, v_d))
            shadows = list(self.records.slots_of(xs))
            list.__setitem__(xs, key, [p[0] for p in pairs])
            shadows[key] = [p[1] for p in pairs]
            self.set_list_shadows(xs, shadows)
            return
        record = self.records.list_of(xs)
        list.__setitem__(xs, key, v)
        if record is not None:
            record.slots[key] = v_d
        elif v_d is not None:
            self.records.make(xs).slots[key] = v_d

    def list_delitem(self, xs: list, key: Any) -> None:
        record = self.records.list_of(xs)
        list.__delitem__(xs, key)
        if record is not None:
            del record.slots[key]

    # -- methods ------------------------------------------------------------------------------------------

    def list_append(self, xs: list, v: Any, v_d: Any) -> None:
        record = self.records.list_of(xs)
        list.append(xs, v)
        if record is not None:
            record.slots.append(v_d)
        elif v_d is not None:
            self.records.make(xs).slots[-1] = v_d

    def list_extend(self, xs: list, more: Any, more_d: Any) -> None:
        pairs = self.iter(more, more_d)
        if type(more) in (list, tuple) or more is xs:
            pairs = list(pairs)  # as they are now; what others yield may look at what has been appended so far
        for v, v_d in pairs:
            self.list_append(xs, v, v_d)

    def list_sort(self, xs: list, kw: dict) -> None:
        """In place; for whoever looks at the list meanwhile it is empty, as in C."""
        items, shadows = list.__getitem__(xs, slice(None)), list(self.records.slots_of(xs))
        order = list(range(len(items)))
        list.clear(xs)
        self.set_list_shadows(xs, [])
        try:
            self.sort_order(order, items, shadows, **kw)
            if list.__len__(xs):
                raise ValueError("list modified during sort")
        finally:  # an error leaves behind what order there is by then
            list.__setitem__(xs, slice(None), [items[i] for i in order])
            self.set_list_shadows(xs, [shadows[i] for i in order])

    def sort_order(self, order: list[int], items: list, shadows: list, key: Any = None, reverse: Any = False) -> None:
        """Bring `order`, the places of items, into the order that ``items.sort(key=key, reverse=reverse)`` makes."""
        keys, keys_d = items, shadows
        if key is not None:
            pairs = [self.call1(key, v, d) for v, d in zip(items, shadows, strict=True)]
            keys, keys_d = [p[0] for p in pairs], [p[1] for p in pairs]
        if any(has_method(kind, "__lt__") for kind in {type(k) for k in keys}):
            keys = [Comparable(self, k, d) for k, d in zip(keys, keys_d, strict=True)]
        order.sort(key=keys.__getitem__, reverse=reverse)

    def list_method(self, xs: list, xs_d: None, name: str, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        """``xs.name(*args)``, for a method written in C."""
        if name == "append" and len(args) == 1 and not kw:
            self.list_append(xs, args[0], ds[0])
        elif name == "sort" and not args and kw.keys() <= {"key", "reverse"}:
            self.list_sort(xs, kw)
        elif kw:
            return plain_method(self, xs, name, args, ds, kw, kw_d)
        elif name in MOVES:
            return moved_items(self, list, xs, name, args, ds)
        elif name == "remove":
            return removed(self, list, xs, args)
        elif name == "copy" and not args:
            return self.list_getitem(xs, slice(None))
        elif name in ("extend", "__iadd__", "__init__") and len(args) == 1:
            if name == "__init__":
                moved_items(self, list, xs, "clear", (), ())
            self.list_extend(xs, args[0], ds[0])
            return (xs if name == "__iadd__" else None), None
        elif name == "__init__":
            return moved_items(self, list, xs, "clear", args, ds)
        elif name == "__getitem__":
            return self.list_getitem(xs, *args)
        elif name == "__setitem__":
            key, v = args
            self.list_setitem(xs, key, v, ds[1])
        elif name == "__delitem__":
            self.list_delitem(xs, *args)
        else:
            return operator_method(self, list, xs, None, name, args, ds)
        return None, None


class Comparable:
    """An item to sort whose class says in Python which of two is less."""

    __slots__ = ("ctx", "shadow", "value")

    def __init__(self, ctx: Context, value: Any, shadow: Any):
        self.ctx = ctx
        self.value = value
        self.shadow = shadow

    def __lt__(self, other: "Comparable") -> Any:
        return self.ctx.lt(self.value, self.shadow, other.value, other.shadow)


def _in_place(ctx: Context, name: str, xs: list, y: Any, y_d: Any) -> Pair | None:
    if name == "add":
        ctx.list_extend(xs, y, y_d)
        return xs, None
    return repeated(ctx, list, xs, y) if name == "mul" else None


CONTAINERS[list] = Container(
    parts=list,
    method=Lists.list_method,
    pairs=Lists.list_pairs,
    shadow=sequences.shadow,
    taken_apart=lambda ctx, xs, _: (sequences.NEW, (type(xs),), (None,), sequences.items(ctx, xs), None),
    places=enumerate,
    slots=lambda xs, shadows: [shadows.get(i) for i in range(list.__len__(xs))],
    collected=lambda found: list(found.values()),
    fill=lambda xs, items: list.__setitem__(xs, slice(None), items),
    in_place=_in_place,
    is_sequence=True,
)
