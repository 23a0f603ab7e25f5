"""The engine's own meaning of builtins that move values: ``list``, ``zip``, ``sum``, ``next``, ``getattr`` ..."""

import functools
import operator
from types import MappingProxyType, MethodType
from typing import Any

import numpy as np

from morula.errors import NotDifferentiable
from morula.runtime.iteration import DICT_VIEWS
from morula.runtime.kinds import REAL, has_method, is_exact_number
from morula.runtime.number_entries import Selected, Summed
from morula.runtime.registry import structural

Pair = tuple[Any, Any]
ndarray = np.ndarray


def _no_keywords(f: Any, kw: dict, *allowed: str) -> None:
    for name in kw:
        if name not in allowed:
            raise TypeError(f"{f.__name__}() got an unexpected keyword argument {name!r}")


def plainly(*fs: Any) -> None:
    """Declare callables that compute nothing differentiable and hold on to nothing: called as they are."""
    for f in fs:
        structural(f)(lambda ctx, args, ds, kw, kw_d, f=f: (f(*args, **kw), None))


@structural(list)
def _list(ctx: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    if not args or kw:
        return list(*args, **kw), None
    pairs = list(ctx.iter(args[0], ds[0]))
    return ctx.listed([v for v, _ in pairs], [d for _, d in pairs])


@structural(tuple)
def _tuple(ctx: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    if not args or kw:
        return tuple(*args, **kw), None
    if type(args[0]) is tuple:
        return args[0], ds[0]
    pairs = list(ctx.iter(args[0], ds[0]))
    return tuple([v for v, _ in pairs]), ctx.packed(tuple([d for _, d in pairs]))


@structural(set)
def _set(ctx: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    return set(*args, **kw) if kw else ctx.made_set(set, args, ds)


@structural(frozenset)
def _frozenset(ctx: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    return frozenset(*args, **kw) if kw else ctx.made_set(frozenset, args, ds)


@structural(dict)
def _dict(ctx: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    d: dict = {}
    ctx.dict_method(d, "__init__", args, ds, kw, kw_d)
    return d, None


@structural(zip)
def _zip(ctx: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    def pairs() -> Any:
        for items in zip(*iterables, strict=kw.get("strict", False)):
            shadows = tuple([d for _, d in items])
            yield tuple([v for v, _ in items]), ctx.packed(shadows)

    iterables = [ctx.iter(x, d) for x, d in zip(args, ds, strict=True)]
    return ctx.generator(pairs(), "zip"), None


@structural(enumerate)
def _enumerate(ctx: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    start = args[1] if len(args) > 1 else kw.get("start", 0)
    iterable = args[0] if args else kw["iterable"]
    pairs = ctx.iter(iterable, ds[0] if ds else kw_d.get("iterable"))

    def numbered() -> Any:
        for i, (v, d) in enumerate(pairs, start):
            yield (i, v), None if d is None else (None, d)

    return ctx.generator(numbered(), "enumerate"), None


@structural(reversed)
def _reversed(ctx: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    (xs,), (xs_d,) = args, ds
    if has_method(type(xs), "__reversed__"):
        return ctx.call1(type(xs).__reversed__, xs, xs_d)
    if isinstance(xs, list | tuple | ndarray | range):

        def backwards() -> Any:
            for i in range(len(xs) - 1, -1, -1):
                yield ctx.getitem(xs, xs_d, i, None)

        return ctx.generator(backwards(), "reversed"), None
    if isinstance(xs, dict):
        return reversed(xs), None
    if has_method(type(xs), "__getitem__") and has_method(type(xs), "__len__"):
        n = ctx.call1(type(xs).__len__, xs, xs_d)[0]
        return ctx.generator((ctx.getitem(xs, xs_d, i, None) for i in range(n - 1, -1, -1)), "reversed"), None
    if ctx.any_active(args, ds, kw, kw_d):
        raise NotDifferentiable(f"reversed() of a {type(xs).__qualname__} that holds active values")
    return reversed(xs), None


@structural(iter)
def _iter(ctx: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    if len(args) == 2:
        f, sentinel = args

        def calls() -> Any:
            while True:
                v, d = ctx.call(f, (), ())
                if v == sentinel:
                    return
                yield v, d

        return ctx.generator(calls(), "callable_iterator"), None
    (xs,), (xs_d,) = args, ds
    kind = type(xs)
    if has_method(kind, "__iter__"):
        return ctx.call1(kind.__iter__, xs, xs_d)
    if ctx.pairs_of(xs) is not None or (not isinstance(xs, (list, tuple, dict, ndarray, *DICT_VIEWS)) and xs_d is None):
        return iter(xs), None
    return ctx.generator((pair for pair in ctx.iter(xs, xs_d)), "iterator"), None


@structural(next)
def _next(ctx: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    default = (args[1], ds[1]) if len(args) > 1 else ()
    return ctx.next_pair(args[0], default)


@structural(sum)
def _sum(ctx: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    _no_keywords(sum, kw, "start")
    total, total_d = (args[1], ds[1]) if len(args) > 1 else (kw.get("start", 0), kw_d.get("start"))
    pairs = list(ctx.iter(args[0], ds[0]))
    if type(total) in REAL and all(type(v) is float or type(v) is int for v, _ in pairs):
        y = sum([v for v, _ in pairs], total)  # in Python's own way of adding floats
        shadows = [d for d in (total_d, *(d for _, d in pairs)) if d is not None]
        if not shadows:
            return y, None
        node: list = [0]
        ctx.append(Summed(node, shadows))
        return y, node
    for v, d in pairs:
        total, total_d = ctx.add(total, total_d, v, d)
    return total, total_d


def _extreme(f: Any, better: Any) -> Any:
    """``max`` and ``min``: of two equal arguments ``max`` takes the second's gradient and ``min`` the first's.

    Of more, and of an iterable, the first one wins, which is the one Python returns.
    """

    def handler(ctx: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        _no_keywords(f, kw, "key", "default")
        key = kw.get("key")
        if len(args) == 1:
            items = list(ctx.iter(args[0], ds[0]))
            if not items:
                if "default" in kw:
                    return kw["default"], kw_d.get("default")
                return f(()), None  # raises
        else:
            items = list(zip(args, ds, strict=True))
        keys = [v for v, _ in items] if key is None else [ctx.call1(key, v, d)[0] for v, d in items]
        best = 0
        compare = ctx.gt if better == "gt" else ctx.lt
        for i in range(1, len(items)):
            if compare(keys[i], None, keys[best], None):
                best = i
        y, y_d = items[best]
        if not all(type(v) in REAL for v, _ in items):
            return y, y_d
        chosen = best
        if better == "gt" and len(args) == 2 and key is None and keys[0] == keys[1]:
            chosen = 1
        node: list = [0]
        for i, (_, d) in enumerate(items):
            if d is not None:
                node += (d, 1.0 if i == chosen else 0.0)
        if len(node) == 1:
            return y, None
        if len(node) > 5:  # longer than a scalar entry may be
            node = [0]
            ctx.append(Selected(node, [d for _, d in items], chosen))
        else:
            ctx.append(node)
        return y, node

    return handler


structural(max)(_extreme(max, "gt"))
structural(min)(_extreme(min, "lt"))


@structural(sorted)
def _sorted(ctx: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    _no_keywords(sorted, kw, "key", "reverse")
    pairs = list(ctx.iter(args[0], ds[0]))
    key = kw.get("key")
    keys = [v for v, _ in pairs] if key is None else [ctx.call1(key, v, d)[0] for v, d in pairs]
    order = sorted(range(len(pairs)), key=keys.__getitem__, reverse=kw.get("reverse", False))
    return ctx.listed([pairs[i][0] for i in order], [pairs[i][1] for i in order])


@structural(any)
def _any(ctx: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    return any(v for v, _ in ctx.iter(*args, *ds)), None


@structural(all)
def _all(ctx: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    return all(v for v, _ in ctx.iter(*args, *ds)), None


@structural(getattr)
def _getattr(ctx: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    if len(args) == 3:
        try:
            return ctx.getattr(args[0], ds[0], args[1])
        except AttributeError:
            return args[2], ds[2]
    return ctx.getattr(args[0], ds[0], *args[1:])


@structural(hasattr)
def _hasattr(ctx: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    try:
        ctx.getattr(args[0], ds[0], *args[1:])
    except AttributeError:
        return False, None
    return True, None


@structural(vars)
def _vars(ctx: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    return ctx.getattr(args[0], ds[0], "__dict__") if args else (vars(), None)


@structural(setattr)
def _setattr(ctx: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    o, name, v = args
    ctx.setattr(o, ds[0], name, v, ds[2])
    return None, None


@structural(object.__setattr__)
def _object_setattr(ctx: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    ctx.object_setattr(*args, ds[2])
    return None, None


@structural(object.__delattr__)
def _object_delattr(ctx: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    ctx.object_delattr(*args)
    return None, None


@structural(object.__getattribute__)
def _object_getattribute(ctx: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    return ctx.object_getattribute(*args)


@structural(delattr)
def _delattr(ctx: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    ctx.delattr(args[0], ds[0], args[1])
    return None, None


@structural(super)
def _super(ctx: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    return super(*args), ds[1] if len(ds) > 1 else None  # the shadow of the object, where that is a tuple or a number


plainly(
    property, property.getter, property.setter, property.deleter,
    classmethod, staticmethod, MethodType, MappingProxyType, object, functools.wraps,
    functools.lru_cache, functools.cache, functools.total_ordering,
)  # fmt: skip


@structural(functools.partial)
def _partial(ctx: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    made: Any = functools.partial(args[0], *args[1:], **kw)
    shadows = {("args", i): d for i, d in enumerate(ds[1:]) if d is not None}
    shadows |= {("keywords", k): d for k, d in kw_d.items() if d is not None}
    inner = ctx.records.of(args[0]) if isinstance(args[0], functools.partial) else None
    if inner is not None:
        n = len(args[0].args)
        moved = {(k, i + n) if k == "args" else (k, i): d for (k, i), d in shadows.items()}
        shadows = {**inner.slots, **moved}
    if shadows:
        ctx.records.make(made).slots = shadows
    return made, None


def _number_builtin(f: Any, dunder: str) -> None:
    """``abs(x)`` and kin: the method of a user's class, or the rule for numbers."""

    def handler(ctx: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        if not args:
            return f(**kw), None
        if f is float and is_exact_number(type(args[0])):
            return float(args[0]), ds[0]
        if has_method(type(args[0]), dunder):
            return ctx.call(getattr(type(args[0]), dunder), args, ds, kw, kw_d)
        found = ctx._try_rules(f, args, ds, kw, kw_d)
        if found is not None:
            return found
        if ctx.any_active(args, ds, kw, kw_d):
            if ds[0] is not None and type(args[0]).__name__ in ("Fraction", "Decimal") and f is abs:
                return ctx.neg(args[0], ds[0]) if args[0] < 0 else (args[0], ds[0])
            from morula.errors import no_rule

            raise no_rule(f)
        return f(*args, **kw), None

    structural(f)(handler)


_number_builtin(abs, "__abs__")
_number_builtin(round, "__round__")
_number_builtin(divmod, "__divmod__")
_number_builtin(float, "__float__")
_number_builtin(complex, "__complex__")
structural(operator.abs)(lambda ctx, args, ds, kw, kw_d: ctx.call(abs, args, ds, kw, kw_d))
structural(pow)(
    lambda ctx, args, ds, kw, kw_d: (
        ctx.pow(args[0], ds[0], args[1], ds[1]) if len(args) == 2 and not kw else (pow(*args, **kw), None)
    )
)


plainly(
    print, input, open, len, repr, str, format, hash, id, callable, isinstance, issubclass, int, bool,
    range, slice, chr, ord, bin, hex, oct, ascii, dir, operator.not_, operator.truth, operator.is_,
    operator.is_not, operator.index, operator.length_hint, operator.countOf, operator.indexOf,
)  # fmt: skip
