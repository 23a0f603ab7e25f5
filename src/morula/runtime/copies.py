"""``copy.copy`` and ``copy.deepcopy``: what is copied keeps its shadows."""

import copy
from typing import Any

import numpy as np

from morula.errors import NotDifferentiable
from morula.runtime.kinds import ATOMS, has_method
from morula.runtime.records import attribute_names
from morula.runtime.registry import structural

Pair = tuple[Any, Any]
ndarray = np.ndarray


@structural(copy.copy)
def _copy(ctx: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    (x,), (x_d,) = args, ds
    if type(x) in ATOMS or isinstance(x, tuple):
        return x, x_d
    if isinstance(x, ndarray):
        return ctx.call(np.copy, (x,), (x_d,))
    if has_method(type(x), "__copy__"):
        return ctx.call1(type(x).__copy__, x, x_d)
    y = copy.copy(x)
    _share_shadows(ctx, x, y)
    return y, None


def _share_shadows(ctx: Any, x: Any, y: Any) -> None:
    record = ctx.records.of(x)
    if record is None:
        return
    if record.lifted and not isinstance(record.slots, list):
        for name in [] if isinstance(x, dict) else attribute_names(x):
            ctx.records.part(record, name, getattr(x, name))
    ctx.records.make(y).slots = list(record.slots) if isinstance(record.slots, list) else dict(record.slots)


@structural(copy.deepcopy)
def _deepcopy(ctx: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    if len(args) > 1 or kw:
        raise NotDifferentiable("copy.deepcopy with a memo is not supported")
    memo: dict[int, Any] = {}
    kept: list[Any] = []

    def walk(x: Any, x_d: Any) -> Pair:
        if type(x) in ATOMS:
            return x, x_d
        if id(x) in memo:
            return memo[id(x)]
        kept.append(x)
        if isinstance(x, tuple):
            pairs = [walk(v, d) for v, d in zip(x, x_d or (None,) * len(x), strict=True)]
            values = tuple(v for v, _ in pairs)
            made = type(x)(*values) if hasattr(x, "_fields") else values
            memo[id(x)] = (made, ctx.packed(tuple(d for _, d in pairs)))
        elif isinstance(x, ndarray):
            memo[id(x)] = ctx.call(np.copy, (x,), (x_d,))
        elif type(x) is list:
            new: list = []
            memo[id(x)] = (new, None)
            for v, d in ctx.iter(x, None):
                v, d = walk(v, d)
                ctx.list_method(new, "append", (v,), (d,), {}, {})
        elif type(x) is dict:
            new_dict: dict = {}
            memo[id(x)] = (new_dict, None)
            for k in x:
                v, d = walk(*ctx.getitem(x, None, k, None))
                ctx.setitem(new_dict, None, k, v, d)
        elif has_method(type(x), "__deepcopy__"):
            memo[id(x)] = ctx.call(type(x).__deepcopy__, (x, {}), (x_d, None))
        elif hasattr(x, "__dict__") and type(x).__reduce_ex__ is object.__reduce_ex__ and ctx.reaches_active(x, set()):
            made = object.__new__(type(x))
            memo[id(x)] = (made, None)
            for name in list(vars(x)):
                v, d = walk(*ctx.getattr(x, x_d, name))
                ctx.object_setattr(made, name, v, d)
        elif ctx.reaches_active(x, set()):
            raise NotDifferentiable(f"copy.deepcopy of a {type(x).__qualname__} that holds active values")
        else:
            memo[id(x)] = (copy.deepcopy(x), None)
        return memo[id(x)]

    return walk(args[0], ds[0])
