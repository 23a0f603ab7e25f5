"""Ufuncs that ``np.frompyfunc`` has made of Python functions: these run once for every element, transformed."""

import gc
from collections.abc import Callable
from typing import Any

import numpy as np

from morula.eager.calls.registry import no_rule, structural
from morula.eager.context.protocol import Context
from morula.eager.numpy.vectorized import by_visits, objects_in_order

ndarray = np.ndarray
Pair = tuple[Any, Any]


@structural(np.frompyfunc)
def _construct(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    """The ufunc only keeps the function; what that can write is watched as long as nothing active reaches it."""
    if ctx.any_active(args, ds, kw, kw_d):
        return np.frompyfunc(*ctx.callees(args, ds), **kw), None
    return ctx.opaque(np.frompyfunc, args, kw), None


def function_of(f: np.ufunc) -> Callable | None:
    """The function that `np.frompyfunc` was given, or None where NumPy's own code runs."""
    if f.ntypes != 1 or set(f.types[0]) - set("->") != {"O"}:
        return None
    return next(filter(callable, gc.get_referents(f)), None)


def call_elements(ctx: Context, f: np.ufunc, function: Callable, args: tuple, ds: tuple, kw: dict) -> Pair:
    """``f(*args)``."""
    if kw or len(args) != f.nin:
        raise no_rule(f)
    arrays = [ctx.call(np.asarray, (a,), (d,)) for a, d in zip(args, ds, strict=True)]
    order, results = by_visits(ctx, arrays, lambda values, shadows: ctx.call(function, tuple(values), tuple(shadows)))
    if f.nout == 1:
        return _given(ctx, order, results)
    found = [_given(ctx, order, [ctx.getitem(*r, k, None) for r in results]) for k in range(f.nout)]
    return tuple([y for y, _ in found]), ctx.packed(tuple([d for _, d in found]))


def _given(ctx: Context, order: ndarray, results: list[Pair]) -> Pair:
    """Of numbers alone the result is what the function has returned."""
    return results[0] if order.shape == () else objects_in_order(ctx, order, results)


def folded_elements(ctx: Context, f: np.ufunc, function: Callable, name: str, args: tuple, ds: tuple, kw: dict) -> Pair:
    """``f.reduce(x)``, ``f.accumulate(x)`` along one axis, and ``f.outer(x, y)``."""
    if name == "outer" and len(args) == 2 and not kw:
        (x, x_d), (y, y_d) = (ctx.call(np.asarray, (a,), (d,)) for a, d in zip(args, ds, strict=True))
        x, x_d = ctx.call(np.reshape, (x, x.shape + (1,) * y.ndim), (x_d, None))
        return call_elements(ctx, f, function, (x, y), (x_d, y_d), {})
    x, x_d = ctx.call(np.asarray, args[:1], ds[:1])
    axis = args[1] if len(args) > 1 else kw.get("axis", 0)
    is_plain_call = len(args) <= 2 and kw.keys() <= {"axis", "dtype"} and np.dtype(kw.get("dtype", object)) == object
    if name not in ("reduce", "accumulate") or not is_plain_call or type(axis) is not int or not x.size or not x.ndim:
        raise no_rule(getattr(f, name))
    pairs = ctx.array_pairs(x, x_d)
    rows = np.moveaxis(np.arange(x.size).reshape(x.shape), axis, 0)
    last = [pairs[i] for i in rows[0].flat]
    found = [*last]
    for row in rows[1:]:
        steps = zip(last, (pairs[i] for i in row.flat), strict=True)
        last = [ctx.call(function, (a, b), (a_d, b_d)) for (a, a_d), (b, b_d) in steps]
        found += last
    if name == "reduce":
        return _given(ctx, np.arange(len(last)).reshape(rows.shape[1:]), last)
    order = np.moveaxis(np.arange(x.size).reshape(rows.shape), 0, axis)
    return objects_in_order(ctx, order, found)
