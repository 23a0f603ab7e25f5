"""Builtins that consume iterables, as lazily as they do: ``list``, ``zip``, ``sum``, ``max``, ``sorted`` ..."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from morula.eager.calls.registry import structural
from morula.eager.containers.container_types import container_of
from morula.eager.containers.dict_keys import DICT_KEYS
from morula.eager.containers.dicts import dict_of_view
from morula.eager.containers.iteration import DICT_VIEWS
from morula.eager.context.kinds import REAL, has_method
from morula.eager.context.number_entries import Selected, Summed
from morula.eager.context.protocol import Context
from morula.eager.memory.foreign_memory import is_foreign_class
from morula.errors import NotDifferentiable

Pair = tuple[Any, Any]
ndarray = np.ndarray


# -- containers of the items ------------------------------------------------------------------------------


@structural(list)
def _list(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    if len(args) != 1 or kw:
        return list(*args, **kw), None
    pairs = list(ctx.iter(args[0], ds[0]))
    return ctx.listed([v for v, _ in pairs], [d for _, d in pairs])


@structural(tuple)
def _tuple(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    if len(args) != 1 or kw:
        return tuple(*args, **kw), None
    if type(args[0]) is tuple:
        return args[0], ds[0]
    pairs = list(ctx.iter(args[0], ds[0]))
    return tuple([v for v, _ in pairs]), ctx.packed(tuple([d for _, d in pairs]))


@structural(set)
def _set(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    return (set(*args, **kw), None) if kw else ctx.made_set(set, args, ds)


@structural(frozenset)
def _frozenset(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    return (frozenset(*args, **kw), None) if kw else ctx.made_set(frozenset, args, ds)


@structural(dict)
def _dict(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    d: dict = {}
    ctx.dict_method(d, None, "__init__", args, ds, kw, kw_d)
    return d, None


# -- iterators over the items -----------------------------------------------------------------------------


@structural(zip)
def _zip(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    def pairs() -> Any:
        for items in zip(*iterables, **kw):  # noqa: B905
            shadows = tuple([d for _, d in items])
            yield tuple([v for v, _ in items]), ctx.packed(shadows)

    zip((), **kw)  # raises, where a keyword is wrong
    iterables = [ctx.iter(x, d) for x, d in zip(args, ds, strict=True)]
    return ctx.generator(pairs(), "zip"), None


@structural(enumerate)
def _enumerate(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    given = dict(zip(("iterable", "start"), args, strict=False)) | kw
    if "iterable" not in given or len(given) != len(args) + len(kw) or not given.keys() <= {"iterable", "start"}:
        return enumerate(*args, **kw), None  # raises
    enumerate((), given.get("start", 0))  # likewise
    pairs = ctx.iter(given["iterable"], ds[0] if ds else kw_d.get("iterable"))

    def numbered() -> Any:
        for i, (v, d) in enumerate(pairs, given.get("start", 0)):
            yield (i, v), None if d is None else (None, d)

    return ctx.generator(numbered(), "enumerate"), None


@structural(reversed)
def _reversed(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    if len(args) != 1 or kw:
        return reversed(*args, **kw), None  # raises
    (xs,), (xs_d,) = args, ds
    kind = type(xs)
    if has_method(kind, "__reversed__"):
        return ctx.call1(kind.__reversed__, xs, xs_d)
    if isinstance(xs, DICT_VIEWS):
        return ctx.generator(ctx.dict_view_pairs(xs, backwards=True), "reversed"), None
    if isinstance(xs, DICT_KEYS) and ctx.records.keys:
        return ctx.generator(ctx.key_pairs(dict_of_view(xs), True), "reversed"), None
    container = container_of(kind)
    if container is not None and hasattr(kind, "__reversed__"):
        return ctx.generator(ctx.container_pairs(container, xs, xs_d, True), "reversed"), None
    if isinstance(xs, tuple | ndarray) or (has_method(kind, "__getitem__") and hasattr(kind, "__len__")):
        n = ctx.call1(kind.__len__, xs, xs_d)[0] if has_method(kind, "__len__") else len(xs)
        return ctx.generator((ctx.getitem(xs, xs_d, i, None) for i in range(n - 1, -1, -1)), "reversed"), None
    if (hasattr(kind, "__reversed__") and ctx.any_active(args, ds, kw, kw_d)) or ctx.reaches_through_c(xs):
        raise NotDifferentiable(f"reversed() of a {kind.__qualname__} that holds active values")
    return reversed(xs), None


@structural(iter)
def _iter(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    if not 1 <= len(args) <= 2 or kw or (len(args) == 2 and not callable(args[0])):
        return iter(*args, **kw), None  # raises
    if len(args) == 2:
        f, sentinel = args

        def calls() -> Any:
            while True:
                try:
                    v, d = ctx.call(f, (), ())
                except StopIteration:
                    return
                if sentinel is v or ctx.eq(sentinel, ds[1], v, d):
                    return
                yield v, d

        return ctx.generator(calls(), "callable_iterator"), None
    (xs,), (xs_d,) = args, ds
    kind = type(xs)
    if has_method(kind, "__iter__"):
        made, made_d = ctx.call1(kind.__iter__, xs, xs_d)
        if not hasattr(type(made), "__next__"):
            raise TypeError(f"iter() returned non-iterator of type {type(made).__name__!r}")
        return made, made_d
    by_index = not hasattr(kind, "__iter__") and has_method(kind, "__getitem__")
    changing = container_of(kind) not in (None, dict) or isinstance(xs, (ndarray, *DICT_VIEWS))
    changing = changing or is_foreign_class(kind)
    changing = changing or (isinstance(xs, dict | DICT_KEYS) and bool(ctx.records.keys))
    if ctx.pairs_of(xs) is not None or not (xs_d is not None or changing or by_index):
        return iter(xs), None
    return ctx.generator(ctx.iter(xs, xs_d), "iterator"), None


structural(ndarray.__iter__)(_iter)


@structural(next)
def _next(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    if not 1 <= len(args) <= 2 or kw:
        return next(*args, **kw), None  # raises
    default = (args[1], ds[1]) if len(args) > 1 else ()
    return ctx.next_pair(args[0], ds[0], default)


@structural(np.ndenumerate)
def _ndenumerate(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    if len(args) != 1 or kw:
        return ctx.construct(np.ndenumerate, args, ds, kw, kw_d)
    x, x_d = ctx.call(np.asarray, args, ds)

    def pairs() -> Any:
        for index in np.ndindex(x.shape):
            v, d = ctx.getitem(x, x_d, index, None)
            yield (index, v), None if d is None else (None, d)

    return ctx.generator(pairs(), "ndenumerate"), None


# -- one value of the items -------------------------------------------------------------------------------


PYTHON = frozenset({float, int, bool})


@structural(sum)
def _sum(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    if not 1 <= len(args) <= 2 or not kw.keys() <= {"start"} or (len(args) == 2 and kw):
        return sum(*args, **kw), None  # raises
    if len(args) == 1 and not kw and type(args[0]) is list and PYTHON.issuperset(map(type, args[0])):
        record = ctx.records.list_of(args[0])
        shadows = [] if record is None else [d for d in record.slots if d is not None]
        return sum(args[0]), _summed(ctx, shadows)
    total, total_d = (args[1], ds[1]) if len(args) > 1 else (kw.get("start", 0), kw_d.get("start"))
    pairs = iter(ctx.iter(args[0], ds[0]))
    rest: tuple = ()
    if type(total) in REAL:
        numbers: list = []
        shadows = [] if total_d is None else [total_d]
        for v, d in pairs:
            if type(v) not in PYTHON:
                rest = ((v, d),)
                break
            numbers.append(v)
            if d is not None:
                shadows.append(d)
        total = sum(numbers, total)  # in Python's own way of adding floats
        if numbers:
            total_d = _summed(ctx, shadows)
        if not rest:
            return total, total_d
    elif isinstance(total, str | bytes | bytearray):
        return sum((), total), None  # raises
    for some in (rest, pairs):
        for v, d in some:
            total, total_d = ctx.add(total, total_d, v, d)
    return total, total_d


def _summed(ctx: Context, shadows: list) -> Any:
    """The shadow of the sum of numbers with these."""
    if not shadows:
        return None
    y_d: list = [0]
    if len(shadows) <= 2:  # as long as a scalar entry may be
        for d in shadows:
            y_d += (d, 1.0)
        ctx.append(y_d)
    else:
        ctx.append(Summed(y_d, shadows))
    return y_d


def _extreme(f: Any, comparison: str) -> Any:
    """``max`` and ``min``: of two equal arguments ``max`` takes the second's gradient and ``min`` the first's.

    Of more, and of an iterable, the first one wins, which is the one Python returns.
    """

    def handler(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        if not args or not kw.keys() <= {"key", "default"} or ("default" in kw and len(args) > 1):
            return f(*args, **kw), None  # raises
        if len(args) > 1 and not kw and REAL.issuperset(map(type, args)):
            y = f(args)  # the very object that Python picks
            best = next(i for i, v in enumerate(args) if v is y)
            return _selected(ctx, args, ds, best, f is max and len(args) == 2)
        key = kw.get("key")
        compare = getattr(ctx, comparison)
        items: list = []
        shadows: list = []
        best, best_key, best_key_d = 0, None, None
        for v, d in ctx.iter(args[0], ds[0]) if len(args) == 1 else zip(args, ds, strict=True):
            k, k_d = (v, d) if key is None else ctx.call1(key, v, d)
            if not items or compare(k, k_d, best_key, best_key_d):
                best, best_key, best_key_d = len(items), k, k_d
            items.append(v)
            shadows.append(d)
        if not items:
            return (kw["default"], kw_d.get("default")) if "default" in kw else (f(()), None)  # raises
        return _selected(ctx, items, shadows, best, f is max and len(args) == 2 and key is None)

    return handler


def _selected(ctx: Context, items: Sequence, shadows: Sequence, best: int, tied: bool) -> Pair:
    """One of several items; `tied`: of two equal numbers the second has the gradient."""
    y = items[best]
    if not REAL.issuperset(map(type, items)):
        return y, shadows[best]
    chosen = 1 if tied and items[0] == items[1] else best
    node: list = [0]
    for i, d in enumerate(shadows):
        if d is not None:
            node += (d, 1.0 if i == chosen else 0.0)
    if len(node) == 1:
        return y, None
    if len(node) > 5:  # longer than a scalar entry may be
        node = [0]
        ctx.append(Selected(node, list(shadows), chosen))
    else:
        ctx.append(node)
    return y, node


structural(max)(_extreme(max, "gt"))
structural(min)(_extreme(min, "lt"))


@structural(sorted)
def _sorted(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    if len(args) != 1 or not kw.keys() <= {"key", "reverse"}:
        return sorted(*args, **kw), None  # raises
    pairs = list(ctx.iter(args[0], ds[0]))
    items, shadows = [v for v, _ in pairs], [d for _, d in pairs]
    order = list(range(len(items)))
    ctx.sort_order(order, items, shadows, **kw)
    return ctx.listed([items[i] for i in order], [shadows[i] for i in order])


@structural(any)
def _any(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    return any(v for v, _ in ctx.iter(*args, *ds)), None


@structural(all)
def _all(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    return all(v for v, _ in ctx.iter(*args, *ds)), None
