"""Tangents through the entries of a tape that move values without computing: they go where cotangents come from."""

from typing import Any

import numpy as np

from morula.eager.context.entries import Hooked
from morula.eager.context.number_entries import Gather, Selected, Stacked, Summed
from morula.eager.context.protocol import Context
from morula.eager.forward.levels import same_view
from morula.eager.memory.writes import Write
from morula.errors import NotDifferentiable

Pair = tuple[Any, Any]


def move(ctx: Context, k: int, entry: Any, inputs: list | None) -> None:
    """The tangents of derivation `k` over `entry`, while only the outer ones are followed.

    `inputs`: of a number, what its entry said it comes from.
    """
    ops = ctx.ops(k)
    kind = type(entry)
    if kind is list:
        _move_number(ctx, k, ops, entry, inputs)
    elif kind is tuple:
        assert len(entry) == 6, "an operation that was not followed"
        _, x_d, key, _, v_d, _ = entry
        _write(ctx, k, ops, x_d, key, v_d)
    elif kind is Gather:
        found = ctx.dot(k, entry.x_d)
        if found is not None:
            y_dot, y_dot_d = ops.getitem(*found, entry.key, None)
            ctx.set_dot(k, None, entry.y_d, y_dot, y_dot_d, True)
    elif isinstance(entry, Write):
        _write(ctx, k, ops, entry.x_d, entry.key, entry.v_d)
    elif kind is Selected:
        found = _dot(ctx, k, entry.shadows[entry.chosen])
        if found is not None:
            ctx.set_dot(k, 0.0, entry.y_d, *found)
    elif kind is Summed:
        total: Pair | None = None
        for shadow in entry.shadows:
            found = ctx.dot(k, shadow)
            if found is not None:
                total = found if total is None else ops.add(*total, *found)
        if total is not None:
            ctx.set_dot(k, 0.0, entry.y_d, *total)
    elif kind is Stacked:
        parts = {i: found for i, s in entry.shadows if (found := ctx.dot(k, s)) is not None}
        if parts:
            (n,) = entry.y_d.shape
            dots = [parts[i][0] if i in parts else 0.0 for i in range(n)]
            ops.new_list(dots, [parts[i][1] if i in parts else None for i in range(n)])
            y_dot, y_dot_d = ops.call(np.array, (dots,), (None,))
            ctx.set_dot(k, None, entry.y_d, y_dot, y_dot_d, True)
    elif kind is Hooked:
        if ctx.levels[k].of_pullback:
            raise NotDifferentiable(
                "a hook changes a gradient that is differentiated again, and what the hook does has no derivative"
            )
        found = ctx.dot(k, entry.x_d)
        if found is not None:
            ctx.set_dot(k, entry.x, entry.y_d, *found)
    elif entry.y_d is not None:
        raise NotDifferentiable(f"{kind.__name__.strip('_').lower()} cannot be followed in forward mode")


def _dot(ctx: Context, k: int, x_d: Any) -> Pair | None:
    return None if x_d is None else ctx.dot(k, x_d)


def _move_number(ctx: Context, k: int, ops: Any, entry: list, inputs: Any) -> None:
    if len(inputs) == 3:  # y = x[key]
        found = ctx.dot(k, inputs[0])
        if found is not None:
            ctx.levels[k].set_number(entry, *ops.getitem(*found, inputs[1], None))
        return
    total: Pair | None = None
    for x_d, p in zip(inputs[::2], inputs[1::2], strict=True):  # constants, of selections and parts of complex numbers
        assert p in (1.0, 0.0, 1j), "an operation that was not followed"
        found = ctx.dot(k, x_d)
        if found is None or p == 0.0:
            continue
        if isinstance(found[0], complex | np.complexfloating):
            found = ops.call(np.imag if p == 1j else np.real, found[:1], found[1:])
        total = found if total is None else ops.add(*total, *found)
    if total is not None:
        ctx.levels[k].set_number(entry, *total)


def _write(ctx: Context, k: int, ops: Any, x_d: Any, key: Any, v_d: Any) -> None:
    """``x[key] = v``: the tangent of the cells is that of `v`, or zero."""
    if x_d is None:
        return
    level = ctx.levels[k]
    mirror = level.mirror(x_d.buffer)
    found = _written(ctx, k, v_d)
    if found is None:
        if mirror is None:
            return
        found = (0.0, None)
    elif mirror is None:
        mirror = level.new_mirror(x_d.buffer)
    v_dot, v_dot_d = found
    if np.iscomplexobj(v_dot) and x_d.dtype.kind != "c":
        v_dot, v_dot_d = ops.call(np.real, (v_dot,), (v_dot_d,))
    ops.setitem(same_view(x_d, mirror), None, key, v_dot, v_dot_d)


def _written(ctx: Context, k: int, v_d: Any) -> Pair | None:
    if type(v_d) is tuple:
        raise NotDifferentiable("a structure of active values is written into an array in forward mode")
    return _dot(ctx, k, v_d)
