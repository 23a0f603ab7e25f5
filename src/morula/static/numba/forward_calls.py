"""A compiled function in forward mode: value and tangent by its kernels, while a single derivation is followed."""

from typing import Any

import numpy as np

from morula.eager.context.protocol import Context
from morula.eager.memory.layout import owner_of
from morula.eager.replay.lost import mark
from morula.errors import describe
from morula.static.numba.entries import structured
from morula.static.numba.sharing import any_shared, as_views, is_special
from morula.static.tiers.kernel_table import arrays_in, at, is_of_compiler, kernels_for, unforeseen
from morula.static.unsupported import Unsupported

ndarray = np.ndarray
Pair = tuple[Any, Any]
SHARED = "arrays that share memory, and writes into one of them"


def is_single(ctx: Context) -> bool:
    """Whether one forward derivation is followed, without a tape, and none is around it."""
    return ctx.depth == 1 and not ctx.taped and not ctx.around


def forward_call(ctx: Context, f: Any, args: tuple, ds: tuple) -> Pair | None:
    """The call by its kernels, with all arguments by position; None where the Python function is to be followed.

    Raises:
        Unsupported: there are no kernels for it.
    """
    active = tuple([d is not None and ctx.dots(0, a, d) is not None for a, d in zip(args, ds, strict=True)])
    kernels = kernels_for(f, args, active) if any(active) else None
    if kernels is None:
        return None
    arrays = arrays_in(args)
    written = arrays_in([args[i] for i in sorted(kernels.written)])
    if written:
        if len(arrays) > 1 and any_shared(written, arrays):
            raise Unsupported(SHARED, function=f.py_func.__qualname__)
        if is_special(ctx, written):
            return None
    leaves = [(leaf, at(args, (leaf.argument, *leaf.path)), _shadow(ctx, args, ds, leaf)) for leaf in kernels.leaves]
    dots = tuple([_dot(ctx, leaf, x, x_d, kernels.written) for leaf, x, x_d in leaves])
    before = [x.copy() for x in written]
    try:
        y, y_dots = kernels.tangent(args, dots)
    except Exception as error:
        if is_of_compiler(error):
            for x, old in zip(written, before, strict=True):
                x[...] = old
            raise unforeseen(f, error) from None
        mark(ctx, describe(f), error)
        raise
    for (leaf, x, _), dot in zip(leaves, dots, strict=True):
        if leaf.is_array and leaf.argument in kernels.written:
            shadow = ctx.buffers.find(x)
            if shadow is None:
                ctx.buffers.new(owner_of(x))
                shadow = ctx.buffers.find(x)
            ctx.set_dot(0, x, shadow, dot, None)
    return _result(ctx, f, kernels, arrays, y, y_dots)


def _shadow(ctx: Context, args: tuple, ds: tuple, leaf: Any) -> Any:
    d = ds[leaf.argument]
    for i in leaf.path:
        d = None if d is None else d[i]
    return ctx.buffers.find(at(args, (leaf.argument, *leaf.path))) if d is None and leaf.is_array else d


def _dot(ctx: Context, leaf: Any, x: Any, x_d: Any, written: frozenset[int]) -> Any:
    """The tangent of a part of the arguments, as a kernel takes it."""
    found = None if x_d is None else ctx.dot(0, x_d)
    if not leaf.is_array:
        dot = 0.0 if found is None else found[0]
        return complex(dot) if isinstance(x, complex | np.complexfloating) else float(np.real(dot))
    if found is None:
        return np.zeros_like(x)
    return found[0].astype(x.dtype, copy=leaf.argument in written)


def _result(ctx: Context, f: Any, kernels: Any, arrays: list[ndarray], y: Any, y_dots: tuple) -> Pair:
    """The value and its shadow, which has the tangent."""
    views = as_views(y, arrays)
    if views is None and y is not None:
        raise Unsupported("results that overlap in part", function=f.py_func.__qualname__)
    shadows = []
    for leaf, dot in zip(kernels.value_leaves, y_dots, strict=True):
        v = at((views,), (0, *leaf.path))
        shadow: Any = None if v is None else [0]
        if leaf.is_array:
            shadow = ctx.buffers.find(v)
            if shadow is None and not any(owner_of(v) is owner_of(x) for x in arrays):
                shadow = ctx.buffers.new(v)
                ctx.set_dot(0, v, shadow, np.array(dot), None)
        elif shadow is not None:
            ctx.set_dot(0, v, shadow, _plain(dot, v), None)
        shadows.append(shadow)
    return views, structured(ctx, views, kernels.value_leaves, shadows)


def _plain(dot: Any, v: Any) -> Any:
    return complex(dot) if isinstance(v, complex | np.complexfloating) else float(dot)
