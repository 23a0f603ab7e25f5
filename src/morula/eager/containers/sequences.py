"""What lists and deques have in common: a method moves the shadows of the items as it moves the items.

Methods are called unbound, on the class that C wrote: whatever a subclass overrides has been called before.
"""

import copyreg
from typing import Any

from morula.eager.context.kinds import c_method
from morula.eager.context.protocol import Context

Pair = tuple[Any, Any]
NEW: Any = copyreg.__newobj__  # type: ignore[attr-defined]

# Methods that move items without looking at them, and where among their arguments the new item is.
MOVES = {"append": 0, "appendleft": 0, "insert": 1, "pop": None, "popleft": None, "clear": None, "reverse": None,
         "rotate": None}  # fmt: skip


def moved_items(ctx: Context, base: type, xs: Any, name: str, args: tuple, ds: tuple) -> Pair:
    """A method that moves items without looking at them: the same is done to the shadows."""
    at = MOVES[name]
    record = ctx.records.list_of(xs)
    if record is None and at is not None and at < len(ds) and ds[at] is not None:
        record = ctx.records.make(xs)
    y = getattr(base, name)(xs, *args)
    if record is None:
        return y, None
    return y, getattr(record.slots, name)(*(args if at is None else (*args[:at], ds[at])))


def removed(ctx: Context, base: Any, xs: Any, args: tuple) -> Pair:
    """``xs.remove(v)``: of the item that Python finds."""
    record = ctx.records.list_of(xs)
    try:
        i = 0 if record is None else base.index(xs, *args)
    except ValueError:
        record = None  # `remove` has its own words for that
    if record is None:
        base.remove(xs, *args)
    else:
        base.__delitem__(xs, i)
        del record.slots[i]
    return None, None


def repeated(ctx: Context, base: Any, xs: Any, n: Any) -> Pair:
    """``xs *= n``, as the list or deque that `xs` is or inherits from."""
    shadows = ctx.records.slots_of(xs) * n
    base.__imul__(xs, n)
    if any(s is not None for s in shadows) or ctx.records.of(xs) is not None:
        ctx.records.make(xs).slots = shadows
    return xs, None


def operator_method(ctx: Context, base: Any, xs: Any, xs_d: Any, name: str, args: tuple, ds: tuple) -> Pair:
    """Operators by their names, and what only looks."""
    if name in ("__iter__", "__reversed__") and not args:
        pairs = ctx.container_pairs(base, xs, xs_d, name == "__reversed__")
        return ctx.generator(pairs, base.__name__ + "_iterator"), None
    operation = {"__add__": "add", "__mul__": "mul", "__rmul__": "mul"}.get(name)
    if operation is not None and len(args) == 1:
        found = ctx.sequence_operator(operation, xs, xs_d, args[0], ds[0])
        return found if found is not None else (getattr(base, name)(xs, *args), None)
    if name == "__imul__":
        return repeated(ctx, base, xs, args[0])
    return plain_method(ctx, xs, name, args, ds, {}, {})


def plain_method(ctx: Context, o: Any, name: str, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    """A method of a container that computes nothing differentiable; or ``o.__class__(...)``, which is none."""
    plain = c_method(type(o), name)
    if plain is None:
        return ctx.call(getattr(o, name), args, ds, kw, kw_d)
    try:
        return plain(o, *args, **kw), None
    except KeyError as error:
        if args:
            ctx.missed(error, args[0], ds[0])
        raise


def shadow(ctx: Context, xs: Any) -> Any:
    """The shadows of the items, as rules need them; None where there are none."""
    return ctx.tuple_shadow(xs, ctx.records.slots_of(xs))


def items(ctx: Context, xs: Any) -> Any:
    """An iterator over the items, for copies."""
    return ctx.call1(iter, xs, None)[0]
