"""The engine's own meaning of builtins that move values: ``getattr``, ``super``, ``partial``, ``abs`` ..."""

import functools
import operator
from types import MappingProxyType, MethodType
from typing import Any

import numpy as np

from morula.runtime.kinds import has_method, is_exact_number
from morula.runtime.registry import structural

Pair = tuple[Any, Any]
ndarray = np.ndarray


def plainly(*fs: Any) -> None:
    """Declare callables that compute nothing differentiable and hold on to nothing: called as they are."""
    for f in fs:
        structural(f)(lambda ctx, args, ds, kw, kw_d, f=f: (f(*args, **kw), None))


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
    functools.lru_cache, functools.cache, functools._lru_cache_wrapper, functools.total_ordering,
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
