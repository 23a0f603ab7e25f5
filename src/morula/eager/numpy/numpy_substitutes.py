"""Plain Python bodies for those of NumPy's functions that call back or that compose others: they are transformed.

Each has the meaning, the order of calls and the errors of the original.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy._core import fromnumeric

import chainrules
from morula.eager.calls.registry import no_rule, structural
from morula.eager.context.protocol import Context
from morula.eager.numpy.array_likes import wraps
from morula.errors import NotDifferentiable

Pair = tuple[Any, Any]
WRAPIT: Any = vars(fromnumeric)["_wrapit"]


def is_own(x: Any) -> bool:
    """Whether what a function makes of an argument may be of a class of the user's."""
    return wraps(x) or (isinstance(x, np.ndarray) and type(x) is not np.ndarray)


def substitute(original: Any, always: bool = True) -> Callable:
    """Declare a body for plain arrays; `always`: it runs, since it calls back, also where nothing is active."""

    def declare(body: Any) -> Any:
        def handler(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
            if chainrules.is_non_differentiable(original):
                return ctx.constant_call(original, args, ds, kw, kw_d)
            found = ctx._try_rules(original, args, ds, kw, kw_d)  # of the user
            if found is not None:
                return found
            ours = original is WRAPIT or not any(map(is_own, (*args, *kw.values())))
            if ours and (always or ctx.any_active(args, ds, kw, kw_d)):
                return ctx.call_function(body, args, ds, kw, kw_d)
            if ctx.any_active(args, ds, kw, kw_d):
                raise no_rule(original)
            return ctx.opaque(original, args, kw), None

        structural(original)(handler)
        return body

    return declare


@substitute(WRAPIT)
def wrapit(obj, method, *args, **kwds):
    """A method of the array that is made of `obj`, which has none that takes these arguments."""
    y = getattr(np.asarray(obj), method)(*args, **kwds)
    return obj.__array_wrap__(np.asarray(y), None, False) if hasattr(type(obj), "__array_wrap__") else y


@substitute(np.apply_along_axis)
def apply_along_axis(func1d, axis, arr, *args, **kwargs):
    arr = np.asarray(arr)
    nd = arr.ndim
    axis = range(nd)[axis] if -nd <= axis < nd else np.lib.array_utils.normalize_axis_index(axis, nd)
    rows = np.moveaxis(arr, axis, -1)
    indices = list(np.ndindex(rows.shape[:-1]))
    if not indices:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    buffer = None
    for index in indices:
        y = np.asarray(func1d(rows[(*index, ...)], *args, **kwargs))
        if buffer is None:
            buffer = np.zeros(rows.shape[:-1] + y.shape, y.dtype)
        buffer[index] = y
    assert buffer is not None
    n = buffer.ndim
    moved = buffer.ndim - (nd - 1)
    return np.transpose(buffer, [*range(axis), *range(n - moved, n), *range(axis, n - moved)])


@substitute(np.apply_over_axes)
def apply_over_axes(func, a, axes):
    val = np.asarray(a)
    n = val.ndim
    if np.array(axes).ndim == 0:
        axes = (axes,)
    for axis in axes:
        if axis < 0:
            axis = n + axis
        res = func(val, axis)
        if res.ndim == val.ndim:
            val = res
        else:
            res = np.expand_dims(res, axis)
            if res.ndim == val.ndim:
                val = res
            else:
                raise ValueError("function is not returning an array of the correct shape")
    return val


@substitute(np.piecewise)
def piecewise(x, condlist, funclist, *args, **kw):
    x = np.asarray(x)
    n2 = len(funclist)
    if np.isscalar(condlist) or (not isinstance(condlist[0], (list, np.ndarray)) and x.ndim != 0):
        condlist = [condlist]
    condlist = np.asarray(condlist, dtype=bool)
    n = len(condlist)
    if n == n2 - 1:
        condlist = np.concatenate([condlist, ~np.any(condlist, axis=0, keepdims=True)], axis=0)
        n += 1
    elif n != n2:
        raise ValueError(f"with {n} condition(s), either {n} or {n + 1} functions are expected")
    y = np.zeros_like(x)
    for cond, func in zip(condlist, funclist, strict=False):
        if callable(func):
            vals = x[cond]
            if vals.size > 0:
                y[cond] = func(vals, *args, **kw)
        else:
            y[cond] = func
    return y


@substitute(np.fromfunction)
def fromfunction(function, shape, *, dtype=float, like=None, **kwargs):
    if like is not None and type(like) is not np.ndarray:
        raise TypeError("np.fromfunction with the argument `like` is not supported")
    return function(*np.indices(shape, dtype=dtype), **kwargs)


@substitute(np.fromiter)
def fromiter(iter, dtype, count=-1, *, like=None):
    items: list[Any] = []
    if count:
        for x in iter:
            items.append(x)
            if len(items) == count:
                break
    if len(items) < count:
        raise ValueError(f"iterator too short: Expected {count} but iterator had only {len(items)} items.")
    return np.array(items, dtype)


@substitute(np.ndenumerate)
def ndenumerate(arr):
    arr = np.asarray(arr)
    for index in np.ndindex(arr.shape):
        yield index, arr[index]


@substitute(np._core.umath.clip, always=False)  # type: ignore[attr-defined]
def clip(a, low, high, **kw):
    """The ufunc behind ``np.clip``."""
    return np.clip(a, low, high, **kw)


def _is_number(x: Any) -> bool:
    return type(x) in np.ScalarType


@substitute(type(np.r_).__getitem__, always=False)
def concatenated(self, key):
    """``np.r_[...]`` and ``np.c_[...]``."""
    if isinstance(key, str):
        raise NotDifferentiable("np.r_ and np.c_ of a string make a matrix: use np.block")
    if not isinstance(key, tuple):
        key = (key,)
    trans1d, ndmin, axis = self.trans1d, self.ndmin, self.axis
    objs, weak = [], []
    for k, item in enumerate(key):
        scalar = False
        newobj: Any
        if isinstance(item, slice):
            step: Any = item.step
            start: Any = item.start
            stop: Any = item.stop
            if start is None:
                start = 0
            if step is None:
                step = 1
            if isinstance(step, (complex, np.complexfloating)):
                count: Any = abs(step)
                newobj = np.linspace(start, stop, num=int(count))
            else:
                newobj = np.arange(start, stop, step)
            if ndmin > 1:
                newobj = np.array(newobj, copy=None, ndmin=ndmin)
                if trans1d != -1:
                    newobj = np.swapaxes(newobj, -1, trans1d)
        elif isinstance(item, str):
            if k != 0:
                raise ValueError("special directives must be the first entry.")
            if item in ("r", "c"):
                raise NotDifferentiable("np.r_ makes a matrix here: use plain arrays")
            if "," in item:
                numbers = [int(n) for n in item.split(",")]
                axis, ndmin = numbers[:2]
                if len(numbers) == 3:
                    trans1d = numbers[2]
                continue
            try:
                axis = int(item)
                continue
            except (ValueError, TypeError) as e:
                raise ValueError("unknown special directive") from e
        elif _is_number(item):
            scalar = True
            newobj = item
        else:
            item_ndim = np.ndim(item)
            newobj = np.array(item, copy=None, ndmin=ndmin)
            if trans1d != -1 and item_ndim < ndmin:
                k2 = ndmin - item_ndim
                k1 = trans1d
                if k1 < 0:
                    k1 += k2 + 1
                axes = list(range(ndmin))
                newobj = np.transpose(newobj, axes[:k1] + axes[k2:] + axes[k1:k2])
        objs.append(newobj)
        weak.append(newobj if scalar else newobj.dtype)
    if weak:
        dtype = np.result_type(*weak)
        objs = [np.array(o, dtype=dtype, copy=None, ndmin=ndmin) for o in objs]
    return np.concatenate(tuple(objs), axis=axis)
