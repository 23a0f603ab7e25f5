"""Functions that travel: what one holds that is active is given to it as arguments, where its call begins.

A closure, a default argument or a callable object may hold active values. Another process gets a copy of the function,
and nobody would ask it for derivatives with respect to what lies in that copy.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import CellType, FunctionType
from typing import Any

import chainrules
from morula.eager.calls.registry import structural
from morula.eager.context.kinds import is_empty
from morula.eager.context.protocol import Context

__all__ = ["opened"]

Pair = tuple[Any, Any]
CALL = "__call__"


class Hollow:
    """A function whose active variables and defaults are elsewhere.

    Attributes:
        f: the function, with nothing in the cells of these variables.
        cells: for each of them, by name, the number of its value, or the hollow function that it is.
        defaults: for each default that is active the number of its value.
    """

    def __init__(self, f: FunctionType, cells: dict[str, Any], defaults: dict[str, int]):
        self.f, self.cells, self.defaults = f, cells, defaults


chainrules.opaque(Hollow)


def opened(f: Any) -> tuple[Any, tuple]:
    """``(g, held)`` with ``g(*held, *args)`` as ``f(*args)``, where `held` has what is active in `f`."""
    return f, ()


@structural(opened)
def _opened(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    (f,) = args
    values: list[Any] = []
    shadows: list[Any] = []
    if type(f) is FunctionType:
        hollow = hollowed(ctx, f, values, shadows, {})
        if not values:
            return (f, ()), None
        return (functools.partial(refilled, hollow, len(values)), tuple(values)), (None, ctx.packed(tuple(shadows)))
    call = getattr(type(f), CALL, None)
    if type(call) is FunctionType and not isinstance(f, type) and ctx.reaches_active(f, set()):
        return (call, (f,)), (None, ctx.packed((ds[0],)))
    return (f, ()), None


def hollowed(ctx: Context, f: FunctionType, values: list, shadows: list, met: dict[int, Hollow]) -> Any:
    """The function without what is active in it, which is added to the lists; itself where nothing is."""
    if id(f) in met:
        return met[id(f)]
    hollow = met[id(f)] = Hollow(f, {}, {})
    cells: dict[str, CellType] = {}
    for name, cell in zip(f.__code__.co_freevars, f.__closure__ or (), strict=True):
        cells[name] = cell
        if is_empty(cell):
            continue
        value = cell.cell_contents
        if type(value) is FunctionType:
            inner = hollowed(ctx, value, values, shadows, met)
            if inner is not value:
                hollow.cells[name], cells[name] = inner, CellType()
            continue
        pair = ctx.twins.cells.get(id(cell))
        shadow = None if pair is None or is_empty(pair[1]) else pair[1].cell_contents
        if ctx.shadow_of(value, shadow) is not None or ctx.reaches_active(value, set()):
            hollow.cells[name], cells[name] = len(values), CellType()
            values.append(value)
            shadows.append(shadow)
    given = dict(f.__kwdefaults__ or {})
    names = f.__code__.co_varnames[: f.__code__.co_argcount]
    given.update(zip(names[len(names) - len(f.__defaults__ or ()) :], f.__defaults__ or (), strict=True))
    of_defaults = ctx.twins.default_shadows(f)
    for name, value in given.items():
        shadow = of_defaults.get(name)
        if ctx.shadow_of(value, shadow) is not None or ctx.reaches_active(value, set()):
            hollow.defaults[name] = len(values)
            values.append(value)
            shadows.append(shadow)
    if not hollow.cells and not hollow.defaults:
        return f
    hollow.f = with_parts(f, cells, dict.fromkeys(hollow.defaults))
    return hollow


def with_parts(f: FunctionType, cells: dict[str, CellType], defaults: dict[str, Any]) -> FunctionType:
    """A copy of a function with these cells, and with these in the place of some defaults."""
    made = FunctionType(
        f.__code__, f.__globals__, f.__name__, None, tuple([cells[name] for name in f.__code__.co_freevars])
    )
    made.__dict__.update(f.__dict__)
    made.__module__, made.__qualname__ = f.__module__, f.__qualname__
    names = f.__code__.co_varnames[: f.__code__.co_argcount]
    named = names[len(names) - len(f.__defaults__ or ()) :]
    pairs = zip(named, f.__defaults__ or (), strict=True)
    made.__defaults__ = tuple([defaults.get(name, v) for name, v in pairs]) or None
    made.__kwdefaults__ = {name: defaults.get(name, v) for name, v in (f.__kwdefaults__ or {}).items()} or None
    return made


def refilled(hollow: Hollow, count: int, *args: Any, **kwargs: Any) -> Any:
    """A call of a hollow function; what it holds comes first."""
    return whole(hollow, args[:count])(*args[count:], **kwargs)


def whole(hollow: Hollow, values: tuple) -> Callable:
    """The function with these values in their places."""
    return filled(hollow, values, (None,) * len(values), {}, None)


@structural(whole)
def _whole(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    hollow, values = args
    return filled(hollow, values, ds[1] or (None,) * len(values), {}, ctx.twins), None


def filled(hollow: Hollow, values: tuple, shadows: tuple, met: dict[int, FunctionType], twins: Any) -> FunctionType:
    """The function; `twins` learn what the shadows of its variables and defaults are."""
    if id(hollow) in met:
        return met[id(hollow)]
    f = hollow.f
    cells = dict(zip(f.__code__.co_freevars, f.__closure__ or (), strict=True))
    cells.update({name: CellType() for name in hollow.cells})
    made = met[id(hollow)] = with_parts(f, cells, {name: values[i] for name, i in hollow.defaults.items()})
    for name, place in hollow.cells.items():
        inside = isinstance(place, Hollow)
        cells[name].cell_contents = filled(place, values, shadows, met, twins) if inside else values[place]
        if twins is not None:
            twins.cells[id(cells[name])] = cells[name], CellType(None if inside else shadows[place])
            twins.paired.add(id(cells[name]))
    if twins is not None and hollow.defaults:
        twins.defaults[id(made)] = made, {name: shadows[i] for name, i in hollow.defaults.items()}
    return made
