"""Clipping, choosing and interpolating. What was not chosen gets a hard zero."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload, register_jitable

from morula.static.numba.array_rules.ordering import flat, shaped
from morula.static.numba.array_rules.picking import add_cells
from morula.static.numba.array_rules.registry import array_rule
from morula.static.numba.array_rules.shared import dot_of, like, strong_div, strong_mul


def size_along(x: Any) -> Any:
    """The shape of an array; that of a number is ``()``."""
    return np.shape(x)


@overload(size_along, strict=False)
def _size_along(x: Any) -> Any:
    if isinstance(x, types.Array):
        return lambda x: x.shape
    return lambda x: ()


def cell(x: Any, at: Any) -> Any:
    """The flat position in ``x`` of what broadcasts to the place ``at``."""
    shape = np.shape(x)
    return (
        int(np.ravel_multi_index([0 if n == 1 else i for i, n in zip(at[-len(shape) :], shape, strict=True)], shape))
        if shape
        else 0
    )


@overload(cell, strict=False)
def _cell(x: Any, at: Any) -> Any:
    if not isinstance(x, types.Array):
        return lambda x, at: 0
    skipped = len(at) - x.ndim

    def cell_of_array(x: Any, at: Any) -> int:
        k = 0
        for axis in range(x.ndim):
            n = x.shape[axis]
            k = k * n + (at[axis + skipped] if n > 1 else 0)
        return k

    return cell_of_array


def value(x: Any, at: Any) -> Any:
    """The element of ``x`` that broadcasts to the place ``at``; a number itself."""
    return x.flat[cell(x, at)] if isinstance(x, np.ndarray) else x


@overload(value, strict=False)
def _value(x: Any, at: Any) -> Any:
    if isinstance(x, types.Array):
        return lambda x, at: x.flat[cell(x, at)]
    return lambda x, at: x


@register_jitable
def part(v: Any, low: Any, high: Any, at: Any) -> int:
    """Where the clipped value comes from: 0 for the value itself, 1 for the lower bound, 2 for the upper one, -1 for
    nowhere, which a NaN is.
    """
    found = 0 if v == v else -1
    top = v
    if low is not None:
        bound = value(low, at)
        if v < bound:
            found = 1
            top = bound
    if high is not None:
        if top > value(high, at):
            found = 2
    return found


def clip_tangent(y: Any, a: Any, a_min: Any, a_max: Any, out: Any, a_dot: Any, a_min_dot: Any, a_max_dot: Any) -> Any:
    """That of the value or of the bound that cut."""
    y_dot = np.zeros(y.shape, y.dtype)
    for at in np.ndindex(y.shape):
        k = part(value(a, at), a_min, a_max, at)
        if a_dot is not None:
            if k == 0:
                y_dot[at] = value(a_dot, at)
        if a_min_dot is not None:
            if k == 1:
                y_dot[at] = value(a_min_dot, at)
        if a_max_dot is not None:
            if k == 2:
                y_dot[at] = value(a_max_dot, at)
    return y_dot


@array_rule(
    np.clip, tangent=clip_tangent, reads="a a_min a_max", numbers="a_min a_max", a_min=None, a_max=None, out=None
)
def clip_adjoint(
    y: Any, y_bar: Any, a: Any, a_min: Any, a_max: Any, out: Any, a_bar: Any, a_min_bar: Any, a_max_bar: Any
) -> Any:
    """On a bound the seed stays with ``a``; outside it goes to the bound that cut, the upper one where both do."""
    lows, highs = cells_for(a_min_bar, a_min, y_bar), cells_for(a_max_bar, a_max, y_bar)
    for at in np.ndindex(y_bar.shape):
        k = part(value(a, at), a_min, a_max, at)
        if k == 0:
            if a_bar is not None:
                a_bar.flat[cell(a, at)] += y_bar[at]
        elif k == 1:
            if a_min_bar is not None:
                lows[cell(a_min, at)] += y_bar[at]
        elif k == 2:
            if a_max_bar is not None:
                highs[cell(a_max, at)] += y_bar[at]
    return add_cells(a_min_bar, a_min, lows), add_cells(a_max_bar, a_max, highs)


def cells_for(x_bar: Any, x: Any, y_bar: Any) -> Any:
    """Zeros for the flat cotangent of an array or a number; none where it is not wanted."""
    return np.zeros(0 if x_bar is None else np.size(x), y_bar.dtype)


@overload(cells_for, strict=False)
def _cells_for(x_bar: Any, x: Any, y_bar: Any) -> Any:
    if isinstance(x_bar, types.NoneType):
        return lambda x_bar, x, y_bar: np.zeros(0, y_bar.dtype)
    if isinstance(x, types.Array):
        return lambda x_bar, x, y_bar: np.zeros(x.size, y_bar.dtype)
    return lambda x_bar, x, y_bar: np.zeros(1, y_bar.dtype)


@register_jitable
def chosen(condlist: Any, at: Any) -> int:
    """The number of the first condition that holds."""
    found = -1
    for k in range(len(condlist)):
        if found < 0 and condlist[k][at]:
            found = k
    return found


def select_tangent(y: Any, condlist: Any, choicelist: Any, default: Any, choicelist_dot: Any, default_dot: Any) -> Any:
    """That of the choice whose condition is the first that holds, else of the default."""
    y_dot = np.zeros(y.shape, y.dtype)
    for at in np.ndindex(y.shape):
        k = chosen(condlist, at)
        if k >= 0:
            if choicelist_dot is not None:
                y_dot[at] = dot_of(choicelist, choicelist_dot)[k][at]
        else:
            if default_dot is not None:
                y_dot[at] = default_dot
    return y_dot


@array_rule(np.select, tangent=select_tangent, numbers="default", default=0)
def select_adjoint(
    y: Any, y_bar: Any, condlist: Any, choicelist: Any, default: Any, choicelist_bar: Any, default_bar: Any
) -> Any:
    """Where a condition is the first that holds, the seed to its choice; else to the default."""
    rest = y_bar.dtype.type(0)
    for at in np.ndindex(y_bar.shape):
        k = chosen(condlist, at)
        if k < 0:
            rest += y_bar[at]
        else:
            if choicelist_bar is not None:
                choicelist_bar[k][at] += y_bar[at]
    return (rest,)


@register_jitable
def segment(at: Any, xp: Any) -> Any:
    """The segment of the grid in which a point lies, the first or last one where it lies outside: the numbers of its
    ends, how far along the point is, the width, and whether it lies inside.
    """
    n = len(xp)
    i = max(0, min(np.searchsorted(xp, at, side="right") - 1, n - 2))
    j = min(i + 1, n - 1)
    width = xp[j] - xp[i]
    if n == 1 or at < xp[0]:
        return i, j, 0.0, width, False
    if at > xp[n - 1]:
        return i, j, 1.0, width, False
    return i, j, strong_div(at - xp[i], width), width, True


def interp_tangent(y: Any, x: Any, xp: Any, fp: Any, x_dot: Any, xp_dot: Any, fp_dot: Any) -> Any:
    """The slope times the tangent of the point, and between those of the neighbours; outside the range the ends."""
    points = flat(x)
    y_dot = np.zeros(len(points), fp.dtype)
    for k in range(len(points)):
        i, j, t, width, is_inside = segment(points[k], xp)
        if fp_dot is not None:
            y_dot[k] += (1 - t) * fp_dot[i] + t * fp_dot[j]
        if is_inside:
            slope = strong_div(fp[j] - fp[i], width)
            if x_dot is not None:
                y_dot[k] += strong_mul(slope, flat(x_dot)[k])
            if xp_dot is not None:
                y_dot[k] -= strong_mul(slope, (1 - t) * xp_dot[i] + t * xp_dot[j])
    return shaped(y_dot, y)


@array_rule(np.interp, tangent=interp_tangent, reads="x xp fp", numbers="x")
def interp_adjoint(y: Any, y_bar: Any, x: Any, xp: Any, fp: Any, x_bar: Any, xp_bar: Any, fp_bar: Any) -> Any:
    """The slope to ``x``, the two weights to ``fp``; outside the range the ends."""
    points, seeds = flat(x), flat(y_bar)
    bars = np.zeros(len(points))
    for k in range(len(points)):
        i, j, t, width, is_inside = segment(points[k], xp)
        if fp_bar is not None:
            fp_bar[i] += like(fp, (1 - t) * seeds[k])
            fp_bar[j] += like(fp, t * seeds[k])
        if is_inside:
            slope = strong_mul(np.conj(strong_div(fp[j] - fp[i], width)), seeds[k]).real
            bars[k] = slope
            if xp_bar is not None:
                xp_bar[i] -= (1 - t) * slope
                xp_bar[j] -= t * slope
    return (add_cells(x_bar, x, bars),)
