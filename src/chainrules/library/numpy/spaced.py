"""Points between two ends: evenly spaced, or by equal factors."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...lookup import rules_for
from ...rules import rrule
from ...tangents import unthunk
from .shared import as_array, leading

_np: Any = np


def _ends(g: Any, num: int, endpoint: bool, axis: int) -> Any:
    """The sums of ``g`` along ``axis``, weighted for the start and for the stop: points are start (1 - t) + stop t."""
    g = as_array(g) if axis == 0 else np.moveaxis(as_array(g), axis, 0)
    t = np.arange(num) / max(num - 1 if endpoint else num, 1)
    if g.ndim > 1:
        t = t.reshape((num,) + (1,) * (g.ndim - 1))
    return np.sum(g * (1 - t), axis=0), np.sum(g * t, axis=0)


def linspace_rule(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, retstep: bool = False, dtype: Any = None,
    axis: int = 0, **options: Any,
) -> Any:  # fmt: skip
    """``start (1 - t) + stop t``; the step is their difference divided by the number of steps."""
    y = _np.linspace(start, stop, num, endpoint, retstep, dtype, axis, **options)
    steps = num - 1 if endpoint else num
    smooth = (y[0] if retstep else y).dtype.kind in "fcO"

    def linspace_pullback(y_bar: Any) -> Any:
        points_bar, step_bar = y_bar if retstep else (y_bar, None)
        if step_bar is None and not smooth:
            return None, None
        start_bar: Any = 0.0
        stop_bar: Any = 0.0
        if points_bar is not None and smooth:
            start_bar, stop_bar = _ends(points_bar, num, endpoint, axis)
        if step_bar is not None and steps > 0:
            start_bar, stop_bar = start_bar - step_bar / steps, stop_bar + step_bar / steps
        return start_bar, stop_bar

    return y, linspace_pullback


rrule(np.linspace)(leading(linspace_rule, active=2))


def logspace_rule(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, base: Any = 10.0, dtype: Any = None,
    axis: int = 0,
) -> Any:  # fmt: skip
    """Through the power: its exponents are evenly spaced, and an array of bases lies across them."""
    y = np.logspace(start, stop, num, endpoint, base, dtype, axis)
    if y.dtype.kind not in "fcO":
        return y, lambda y_bar: (None,) * 5

    def logspace_pullback(y_bar: Any) -> Any:
        n = max(np.ndim(start), np.ndim(stop), np.ndim(base))
        wide = [np.array(x, ndmin=n if np.ndim(base) else 0) for x in (start, stop, base)]
        across = np.expand_dims(wide[2], axis) if np.ndim(base) else base
        exponents = _np.linspace(wide[0], wide[1], num, endpoint, axis=axis)
        _, pullback = rules_for(np.power)[0].function(across, exponents)
        base_bar, exponents_bar = pullback(y_bar)
        start_bar, stop_bar = _ends(unthunk(exponents_bar), num, endpoint, axis)
        return start_bar, stop_bar, None, None, np.sum(unthunk(base_bar), axis=axis)

    return y, logspace_pullback


rrule(np.logspace)(leading(logspace_rule, active=5))


def geomspace_rule(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, dtype: Any = None, axis: int = 0
) -> Any:
    """Through the logarithms, which are evenly spaced."""
    y = np.geomspace(start, stop, num, endpoint, dtype, axis)
    if y.dtype.kind not in "fcO":
        return y, lambda y_bar: (None, None)

    def geomspace_pullback(y_bar: Any) -> Any:
        start_bar, stop_bar = _ends(np.conj(y) * y_bar, num, endpoint, axis)
        return start_bar / np.conj(start), stop_bar / np.conj(stop)

    return y, geomspace_pullback


rrule(np.geomspace)(leading(geomspace_rule, active=2))
