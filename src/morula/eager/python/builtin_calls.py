"""The engine's own meaning of builtins that move values: ``getattr``, ``super``, ``partial``, ``abs`` ..."""

import inspect
import operator
from types import FunctionType, MappingProxyType, MethodType
from typing import Any

import numpy as np

from morula.eager.calls.registry import STRUCTURAL, structural
from morula.eager.context.kinds import ATOMS, has_method, is_exact_number, is_number_type
from morula.eager.context.protocol import Context
from morula.errors import NotDifferentiable

Pair = tuple[Any, Any]
ndarray = np.ndarray


def plainly(*fs: Any) -> None:
    """Declare callables that compute nothing differentiable and hold on to nothing: called as they are."""
    for f in fs:
        structural(f)(lambda ctx, args, ds, kw, kw_d, f=f: (f(*ctx.callees(args, ds), **kw), None))


@structural(getattr)
def _getattr(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    if len(args) == 3:
        try:
            return ctx.getattr(args[0], ds[0], args[1])
        except AttributeError:
            return args[2], ds[2]
    return ctx.getattr(args[0], ds[0], *args[1:])


@structural(inspect.getattr_static)
def _getattr_static(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    """Runs nothing of the user's: what it finds is a member of a class, an attribute of the object, or the default."""
    y = inspect.getattr_static(*args, **kw)
    if len(args) == 3 and y is args[2]:
        return y, ds[2]
    if y is kw.get("default", args):
        return y, kw_d.get("default")
    if len(args) > 1 and getattr(args[0], "__dict__", {}).get(args[1], args) is y:
        return ctx.getattr(args[0], ds[0], args[1])
    return y, None


@structural(hasattr)
def _hasattr(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    if args and (type(args[0]) in ATOMS or type(args[0]) is np.ndarray):
        return hasattr(*args), None
    try:
        ctx.getattr(args[0], ds[0], *args[1:])
    except AttributeError:
        return False, None
    return True, None


@structural(vars)
def _vars(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    if not args or not hasattr(args[0], "__dict__"):
        return vars(*args), None  # the latter raises
    return ctx.getattr(args[0], ds[0], "__dict__")


@structural(setattr)
def _setattr(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    o, name, v = args
    ctx.setattr(o, ds[0], name, v, ds[2])
    return None, None


@structural(object.__setattr__, type.__setattr__)
def _object_setattr(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    ctx.object_setattr(args[0], args[1], args[2], ds[2])
    return None, None


@structural(object.__init__)
def _object_init(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    object.__init__(*args, **kw)
    return None, None


@structural(object.__delattr__, type.__delattr__)
def _object_delattr(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    ctx.object_delattr(*args)
    return None, None


@structural(object.__getattribute__, int.__getattribute__, float.__getattribute__, complex.__getattribute__)
def _object_getattribute(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    return ctx.object_getattribute(args[0], ds[0], args[1])


@structural(delattr)
def _delattr(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    ctx.delattr(args[0], ds[0], args[1])
    return None, None


@structural(super)
def _super(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    return super(*args), ds[1] if len(ds) > 1 else None  # the shadow of the object, where that is a tuple or a number


plainly(
    BaseException.add_note, BaseException.with_traceback, BaseExceptionGroup.split, BaseExceptionGroup.subgroup,
    BaseExceptionGroup.derive, property, property.getter, property.setter, property.deleter,
    classmethod, staticmethod, MethodType, MappingProxyType, object,
)  # fmt: skip


def _number_builtin(f: Any, dunder: str) -> None:
    """``abs(x)`` and kin: the method of a user's class, or the rule for numbers."""

    def handler(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        if f is complex and not args and kw:
            complex(**kw)  # raises, where Python does
            names = ("real", "imag") if "imag" in kw else ("real",)
            return ctx.call(f, tuple([kw.get(k, 0) for k in names]), tuple([kw_d.get(k) for k in names]))
        if not args:
            return f(**kw), None
        if f is float and type(args[0]).__name__ == "Fraction" and is_exact_number(type(args[0])):
            return float(args[0]), ds[0]
        if f is abs and is_exact_number(type(args[0])):
            return ctx.neg(args[0], ds[0]) if args[0] < 0 else (args[0], ds[0])
        if has_method(type(args[0]), dunder):
            if kw:
                return ctx.call(getattr(type(args[0]), dunder), args, ds, kw, kw_d)
            y, y_d = ctx.special(type(args[0]), dunder, args, ds)
            return (y, y_d) if type(y) is f or not isinstance(f, type) else (_returned(f, dunder, args[0], y), y_d)
        found = ctx._try_rules(f, args, ds, kw, kw_d)
        if found is not None:
            return found
        if ctx.any_active(args, ds, kw, kw_d):
            from morula.eager.calls.registry import no_rule

            raise no_rule(f)
        return f(*args, **kw), None

    structural(f)(handler)


def _returned(f: type, dunder: str, o: Any, y: Any) -> Any:
    """What ``f(o)`` makes of a value of ``o.__float__()`` that is no float: a float, or an error."""
    return f(type(type(o).__name__, (), {dunder: lambda self: y})())


def _overloaded_divmod(plain: Any) -> Any:
    """``divmod`` where a class of the user defines it, for its left or its right argument."""

    def handler(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        if len(args) == 2 and any(is_exact_number(type(x)) for x in args) and all(map(is_number_type, map(type, args))):
            x, x_d, y, y_d = args[0], ds[0], args[1], ds[1]
            (q, q_d), (r, r_d) = (ctx.call(f, (x, y), (x_d, y_d)) for f in (operator.floordiv, operator.mod))
            return (q, r), (q_d, r_d)
        if len(args) == 2 and (has_method(type(args[0]), "__divmod__") or has_method(type(args[1]), "__rdivmod__")):
            return ctx.overloaded("divmod", args[0], ds[0], args[1], ds[1])
        return plain(ctx, args, ds, kw, kw_d)

    return handler


_number_builtin(abs, "__abs__")
_number_builtin(round, "__round__")
_number_builtin(divmod, "__divmod__")
structural(divmod)(_overloaded_divmod(STRUCTURAL[divmod]))
_number_builtin(float, "__float__")
_number_builtin(complex, "__complex__")
structural(operator.abs)(lambda ctx, args, ds, kw, kw_d: ctx.call(abs, args, ds, kw, kw_d))


@structural(slice)
def _slice(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    y = slice(*args, **kw)
    for a, d in zip(args, ds, strict=True):
        if d is not None and not isinstance(a, int | np.integer):
            raise NotDifferentiable("a slice cannot hold active values: its attributes are constants")
    return y, None


@structural(MethodType)
def _method(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    y = MethodType(*args, **kw)
    return (y, None) if ds[1] is None else ctx.bound(y, ds[1])


@structural(FunctionType.__get__)
def _function_get(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    y = FunctionType.__get__(*args, **kw)
    return (y, None) if len(ds) < 2 or ds[1] is None else ctx.bound(y, ds[1])


@structural(pow)
def _pow(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    names = ("base", "exp", "mod")
    given = dict(zip(names, args, strict=False)) | kw
    if len(args) > 3 or len(given) < len(args) + len(kw) or not {"base", "exp"} <= given.keys() <= set(names):
        return pow(*args, **kw), None  # raises
    if given.get("mod") is not None:  # arithmetic of integers
        return pow(*args, **kw), None
    shadows = dict(zip(names, ds, strict=False)) | kw_d
    return ctx.pow(given["base"], shadows.get("base"), given["exp"], shadows.get("exp"))


plainly(
    input, open, len, hash, id, callable, bool,
    range, chr, ord, bin, hex, oct, dir, operator.not_, operator.truth, operator.is_,
    operator.is_not, operator.index, operator.length_hint, operator.countOf, operator.indexOf,
)  # fmt: skip


@structural(int)
def _int(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    return (ctx.whole_number(*args, *ds) if len(args) == 1 and not kw else int(*args, **kw)), None
