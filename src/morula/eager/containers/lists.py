"""Lists and deques: their methods move the shadows of the items as they move the items."""

from collections import deque
from collections.abc import Iterator
from typing import Any

from morula.eager.calls.registry import CONTAINER_METHODS
from morula.eager.containers.records import Record
from morula.eager.context.kinds import c_method, has_method
from morula.eager.context.part import Part
from morula.eager.context.protocol import Context

Pair = tuple[Any, Any]
# Methods that move items without looking at them, and where among their arguments the new item is.
MOVES = {"append": 0, "appendleft": 0, "insert": 1, "pop": None, "popleft": None, "clear": None, "reverse": None,
         "rotate": None}  # fmt: skip


class Lists(Part):
    """What a reverse context knows of sequences that change.

    Methods are called unbound, on the class that C wrote: whatever a subclass overrides has been called before.
    """

    __slots__ = ()

    # -- shadows ------------------------------------------------------------------------------------------

    def list_shadows(self, xs: Any) -> Any:
        """The shadows of a list or a deque, in one of its kind."""
        record = self.records.list_of(xs)
        if record is not None:
            return record.slots
        return deque([None] * deque.__len__(xs), xs.maxlen) if isinstance(xs, deque) else [None] * list.__len__(xs)

    def set_list_shadows(self, xs: list, shadows: list) -> None:
        record = self.records.of(xs)
        if record is not None:
            record.slots = list(shadows)
        elif any(s is not None for s in shadows):
            self.records.table[id(xs)] = Record(xs, list(shadows), False)

    def list_pairs(self, xs: list) -> Iterator[Pair]:
        """The items of a list of a user's class, which may change while it is iterated."""
        table = self.records.table
        key = id(xs)
        i = 0
        while i < list.__len__(xs):
            record = table.get(key)
            yield list.__getitem__(xs, i), None if record is None else record.slots[i]
            i += 1

    def list_pairs_backwards(self, xs: list, i: int) -> Iterator[Pair]:
        """The items from the one at `i` back to the first."""
        while 0 <= i < list.__len__(xs):
            yield self.list_getitem(xs, i)
            i -= 1

    def deque_pairs(self, q: deque, backwards: bool = False) -> Iterator[Pair]:
        """The items of a deque; it may get active ones, but Python says so itself if it changes its length."""
        items = deque.__reversed__(q) if backwards else deque.__iter__(q)

        def pairs() -> Iterator[Pair]:
            for i, v in enumerate(items):
                record = self.records.of(q)
                yield v, None if record is None else record.slots[-1 - i if backwards else i]

        return pairs()

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
            shadows = list(self.list_shadows(xs))
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

    def deque_setitem(self, q: deque, i: Any, v: Any, v_d: Any) -> None:
        record = self.records.list_of(q)
        deque.__setitem__(q, i, v)
        if record is not None or v_d is not None:
            self.records.make(q).slots[i] = v_d

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

    def deque_extend(self, q: deque, more: Any, more_d: Any, name: str = "append") -> None:
        pairs = self.iter(more, more_d)
        for v, v_d in list(pairs) if more is q else pairs:
            self.moved_items(deque, q, name, (v,), (v_d,))

    def moved_items(self, base: type, xs: Any, name: str, args: tuple, ds: tuple) -> Pair:
        """A method that moves items without looking at them: the same is done to the shadows."""
        at = MOVES[name]
        record = self.records.list_of(xs)
        if record is None and at is not None and at < len(ds) and ds[at] is not None:
            record = self.records.make(xs)
        y = getattr(base, name)(xs, *args)
        if record is None:
            return y, None
        return y, getattr(record.slots, name)(*(args if at is None else (*args[:at], ds[at])))

    def removed(self, base: Any, xs: Any, args: tuple) -> None:
        """``xs.remove(v)``: of the item that Python finds."""
        record = self.records.list_of(xs)
        try:
            i = 0 if record is None else base.index(xs, *args)
        except ValueError:
            record = None  # `remove` has its own words for that
        if record is None:
            base.remove(xs, *args)
        else:
            base.__delitem__(xs, i)
            del record.slots[i]

    def list_sort(self, xs: list, kw: dict) -> None:
        """In place; for whoever looks at the list meanwhile it is empty, as in C."""
        items, shadows = list.__getitem__(xs, slice(None)), list(self.list_shadows(xs))
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

    def list_method(self, xs: list, name: str, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        """``xs.name(*args)``, for a method written in C."""
        if name == "append" and len(args) == 1 and not kw:
            self.list_append(xs, args[0], ds[0])
        elif name == "sort" and not args and kw.keys() <= {"key", "reverse"}:
            self.list_sort(xs, kw)
        elif kw:
            return self.plain_method(xs, name, args, ds, kw, kw_d)
        elif name in MOVES:
            return self.moved_items(list, xs, name, args, ds)
        elif name == "remove":
            self.removed(list, xs, args)
        elif name == "copy" and not args:
            return self.list_getitem(xs, slice(None))
        elif name in ("extend", "__iadd__", "__init__") and len(args) == 1:
            if name == "__init__":
                self.moved_items(list, xs, "clear", (), ())
            self.list_extend(xs, args[0], ds[0])
            return (xs if name == "__iadd__" else None), None
        elif name == "__init__":
            return self.moved_items(list, xs, "clear", args, ds)
        elif name == "__getitem__":
            return self.list_getitem(xs, *args)
        elif name == "__setitem__":
            key, v = args
            self.list_setitem(xs, key, v, ds[1])
        elif name == "__delitem__":
            self.list_delitem(xs, *args)
        else:
            return self.sequence_dunder(list, xs, name, args, ds)
        return None, None

    def deque_method(self, q: deque, name: str, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        """``q.name(*args)``, for a method written in C."""
        if name == "__init__":
            given = {**dict(zip(("iterable", "maxlen"), args, strict=False)), **kw}
            more_d = ds[0] if ds else kw_d.get("iterable")
            deque.__init__(q, **{**given, "iterable": ()})
            self.records.table.pop(id(q), None)
            if "iterable" in given:
                self.deque_extend(q, given["iterable"], more_d)
        elif kw:
            return self.plain_method(q, name, args, ds, kw, kw_d)
        elif name in MOVES:
            return self.moved_items(deque, q, name, args, ds)
        elif name == "remove":
            self.removed(deque, q, args)
        elif name in ("extend", "extendleft", "__iadd__") and len(args) == 1:
            self.deque_extend(q, args[0], ds[0], "appendleft" if name == "extendleft" else "append")
            return (q if name == "__iadd__" else None), None
        elif name in ("copy", "__copy__") and not args:
            if type(q) is not deque:
                same = (q,) if q.maxlen is None else (q, q.maxlen)
                return self.call(type(q), same, (None,) * len(same))
            return self.recorded(q.copy(), self.records.list_of(q))
        elif name == "__getitem__":
            y = q[args[0]] if type(q) is deque and len(args) == 1 else deque.__getitem__(q, *args)
            record = self.records.list_of(q)
            return y, None if record is None else record.slots[args[0]]
        elif name == "__setitem__":
            i, v = args
            self.deque_setitem(q, i, v, ds[1])
        elif name == "__delitem__":
            record = self.records.list_of(q)
            deque.__delitem__(q, *args)
            if record is not None:
                del record.slots[args[0]]
        else:
            return self.sequence_dunder(deque, q, name, args, ds)
        return None, None

    def recorded(self, y: Any, like: Record | None) -> Pair:
        """A new container with the shadows of another record."""
        if like is not None:
            self.records.make(y).slots = like.slots.copy()
        return y, None

    def sequence_dunder(self, base: Any, xs: Any, name: str, args: tuple, ds: tuple, xs_d: Any = None) -> Pair:
        """Operators by their names, and what only looks."""
        if name in ("__iter__", "__reversed__") and not args:
            pairs = self.container_pairs(base, xs, xs_d, name == "__reversed__")
            return self.generator(pairs, base.__name__ + "_iterator"), None
        operation = {"__add__": "add", "__mul__": "mul", "__rmul__": "mul"}.get(name)
        if operation is not None and len(args) == 1:
            found = self.sequence_operator(operation, xs, xs_d, args[0], ds[0])
            return found if found is not None else (getattr(base, name)(xs, *args), None)
        if name == "__imul__":
            self.repeat(base, xs, args[0])
            return xs, None
        return self.plain_method(xs, name, args, ds, {}, {})

    def repeat(self, base: Any, xs: Any, n: Any) -> None:
        """``xs *= n``, as the list or deque that `xs` is or inherits from."""
        shadows = self.list_shadows(xs) * n
        base.__imul__(xs, n)
        if any(s is not None for s in shadows) or self.records.of(xs) is not None:
            self.records.make(xs).slots = shadows

    def plain_method(self, o: Any, name: str, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        """A method of a container that computes nothing differentiable; or ``o.__class__(...)``, which is none."""
        plain = c_method(type(o), name)
        if plain is None:
            return self.call(getattr(o, name), args, ds, kw, kw_d)
        try:
            return plain(o, *args, **kw), None
        except KeyError as error:
            if args:
                self.missed(error, args[0], ds[0])
            raise


class Comparable:
    """An item to sort whose class says in Python which of two is less."""

    __slots__ = ("ctx", "shadow", "value")

    def __init__(self, ctx: Context, value: Any, shadow: Any):
        self.ctx = ctx
        self.value = value
        self.shadow = shadow

    def __lt__(self, other: "Comparable") -> Any:
        return self.ctx.lt(self.value, self.shadow, other.value, other.shadow)


CONTAINER_METHODS[list] = Lists.list_method
CONTAINER_METHODS[deque] = Lists.deque_method
