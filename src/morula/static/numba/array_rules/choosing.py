"""Clipping, choosing and interpolating. What was not chosen gets a hard zero."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import register_jitable

from morula.static.numba.array_rules.ordering import flat, shaped
from morula.static.numba.array_rules.picking import add_cells
from morula.static.numba.array_rules.registry import array_rule
from morula.static.numba.array_rules.shared import like, strong_div, strong_mul


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
