"""Callables as functions: what they hold is then captured, and derivatives with respect to it are found."""

from collections.abc import Callable
from functools import partial
from types import CellType, FunctionType, MethodType
from typing import Any

from morula.eager.context.kinds import is_empty, refuse_gaps
from morula.eager.context.protocol import Context
from morula.verbs.gradients import _OfArguments


def function_of_verb(f: Any, verb: _OfArguments, hidden: int = 0) -> Callable:
    """What `grad` or `value_and_grad` made, but of `f`, which has `hidden` arguments more in front."""
    kind: Any = type(verb)
    has_aux, given = verb.has_aux, verb.argnums
    chosen = [i + hidden if i >= 0 else i for i in ((given,) if isinstance(given, int) else given)]
    argnums = chosen[0] if isinstance(given, int) else tuple(chosen)
    return lambda *args, **kwargs: kind(f, argnums, has_aux)(*args, **kwargs)


def function_of_method(f: Any, owner: Any) -> Callable:
    """A method bound to `owner`, as a plain function."""
    return lambda *args, **kwargs: f(owner, *args, **kwargs)


def function_of_partial(f: Any, front: tuple, keywords: dict) -> Callable:
    """A `functools.partial`, as a plain function."""
    return lambda *args, **kwargs: f(*front, *args, **{**keywords, **kwargs})


def function_of_defaults(f: Any, names: tuple[str, ...], defaults: dict) -> Callable:
    """`f`, whose parameters are `names` first, with active defaults."""

    def call(*args: Any, **kwargs: Any) -> Any:
        given = names[: len(args)]
        return f(*args, **{**{k: v for k, v in defaults.items() if k not in given}, **kwargs})

    return call


def with_functions(ctx: Context, f: FunctionType, replaced: dict[int, Any] | None = None) -> FunctionType:
    """`f` with functions in the place of other callables that it captures, where these hold what is active.

    This is done at any depth. All other variables are shared with `f`. Active defaults are captured too.
    """
    replaced = {} if replaced is None else replaced
    if id(f) in replaced:
        return replaced[id(f)]
    replaced[id(f)] = f
    cells = []
    for cell in f.__closure__ or ():
        value = None if is_empty(cell) else cell.cell_contents
        made = as_function(ctx, value, replaced) if callable(value) else value
        cells.append(cell if made is value else CellType(made))
    shadows = ctx.twins.default_shadows(f)
    code = f.__code__
    names = code.co_varnames[: code.co_argcount]
    defaults = dict(zip(names[len(names) - len(f.__defaults__ or ()) :], f.__defaults__ or (), strict=True))
    by_name = any(d is not None for d in shadows.values()) and not set(defaults) & set(names[: code.co_posonlyargcount])
    if not by_name and all(a is b for a, b in zip(cells, f.__closure__ or (), strict=True)):
        return f
    made = FunctionType(code, f.__globals__, f.__name__, None if by_name else f.__defaults__, tuple(cells))
    made.__kwdefaults__, made.__qualname__ = None if by_name else f.__kwdefaults__, f.__qualname__
    made.__dict__.update(f.__dict__)
    if by_name:
        defaults |= f.__kwdefaults__ or {}
        ctx.new_dict(defaults, {name: shadows.get(name) for name in defaults})
        made = ctx.call(function_of_defaults, (made, names, defaults), (None, None, None))[0]
    replaced[id(f)] = made
    return made


def as_function(ctx: Context, f: Any, replaced: dict[int, Any]) -> Any:
    """A function that does what `f` does, where that holds what is active; otherwise `f`."""
    if isinstance(f, FunctionType):
        return with_functions(ctx, f, replaced)
    if not isinstance(f, MethodType | partial | _OfArguments) or not ctx.reaches_active(f, set()):
        return f
    args: tuple
    if isinstance(f, MethodType):
        owner, owner_d = f.__self__, ctx.shadow_in_object(f, "__self__")
        return ctx.call(function_of_method, (as_function(ctx, f.__func__, replaced), owner), (None, owner_d))[0]
    if isinstance(f, _OfArguments):
        return ctx.call(function_of_verb, (as_function(ctx, f.f, replaced), f), (None, None))[0]
    refuse_gaps(f)
    front_d = ctx.packed(tuple([ctx.shadow_in_object(f, ("args", i)) for i in range(len(f.args))]))
    keywords = dict(f.keywords)
    ctx.new_dict(keywords, {k: ctx.shadow_in_object(f, ("keywords", k)) for k in keywords})
    args = (as_function(ctx, f.func, replaced), f.args, keywords)
    return ctx.call(function_of_partial, args, (None, front_d, None))[0]
