"""Integrals of samples that users call in loops, without what SciPy does to find the library of the arrays."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Any

import numpy as np
from scipy import integrate  # type: ignore[import-untyped]

from ....programs import program
from ....rules import rrule
from ....tangents import Thunk
from ...numpy.differences import trapezoid_rule
from ...numpy.shared import leading
from ..naming import itself


def fits(y: Any, x: Any, axis: Any) -> bool:
    """Whether these are arrays of doubles, with a point for each sample along an axis."""
    if type(y) is not np.ndarray or y.dtype != float or type(axis) is not int or not -y.ndim <= axis < y.ndim:
        return False
    if y.size == 0 or x is None:
        return y.size > 0
    return type(x) is np.ndarray and x.dtype == float and x.shape in ((y.shape[axis],), y.shape)


def trapezoids(f: Any, short: Any) -> None:
    """Declare the program of a trapezoidal rule, whose `short` form is for arrays that fit."""
    whole = itself(f)

    @program(f)
    def trapezoidal(config: Any, y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1, *rest: Any, **named: Any) -> Any:
        if fits(y, x, axis) and not rest and not named:
            return short(y, x, dx, axis)
        return whole(y, x, dx, axis, *rest, **named)


def spaced(x: Any, dx: Any, axis: int, n: int) -> Any:
    """The widths of the intervals, in the shape of the samples, which have `n` axes."""
    if x is None:
        return dx
    widths = np.diff(x) if x.ndim == 1 else np.diff(x, axis=axis)
    return np.reshape(widths, [-1 if k == axis % n else 1 for k in range(n)]) if x.ndim == 1 and n > 1 else widths


def cumulated(y: Any, x: Any, dx: Any, axis: int) -> Any:
    dx = spaced(x, dx, axis, y.ndim)
    before = (slice(None),) * (axis % y.ndim)
    return np.cumsum(dx * (y[(*before, slice(1, None))] + y[(*before, slice(None, -1))]) / 2.0, axis=axis)


@rrule(integrate.trapezoid)
@partial(leading, active=3)
def integral_rule(y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1, *rest: Any) -> Any:
    """As `numpy.trapezoid`; for everything else there is the program."""
    return trapezoid_rule(y, x, dx, axis) if fits(y, x, axis) and not rest else NotImplemented


@rrule(integrate.cumulative_trapezoid)
@partial(leading, active=3)
def cumulative_rule(y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1, initial: Any = None) -> Any:
    """The seed summed up from the end, which each interval's ends share; for everything else there is the program."""
    if not fits(y, x, axis) or y.shape[axis] < 2 or not (initial is None or initial == 0):
        return NotImplemented
    found = integrate.cumulative_trapezoid(y, x, dx, axis, initial)
    before = (slice(None),) * (axis % y.ndim)
    inner, late, early = ((*before, slice(*ends)) for ends in ((1, -1), (1, None), (None, -1)))

    def cumulative_pullback(y_bar: Any) -> Any:
        seed = y_bar if initial is None else y_bar[late]
        back = np.flip(np.cumsum(np.flip(seed, axis), axis=axis), axis)
        widths = spaced(x, dx, axis, y.ndim)

        def at_ends(g: Any, sign: float) -> Any:
            """Of values for intervals those at the points, the left end of each interval with a sign."""
            middle = g[early] + sign * g[late] if y.shape[axis] > 2 else y[inner]
            return np.concatenate((sign * g[(*before, slice(None, 1))], middle, g[(*before, slice(-1, None))]), axis)

        def y_bars() -> Any:
            return at_ends(0.5 * widths * back, 1.0)

        def per_interval() -> Any:
            return 0.5 * back * (y[late] + y[early])

        def x_bars() -> Any:
            bar = at_ends(per_interval(), -1.0)
            others = tuple([k for k in range(y.ndim) if k != axis % y.ndim])
            return np.sum(bar, axis=others) if x.ndim < y.ndim else bar

        return (
            Thunk(y_bars),
            None if x is None else Thunk(x_bars),
            Thunk(lambda: np.sum(per_interval())) if x is None else None,
        )

    return found, cumulative_pullback


trapezoids(integrate.trapezoid, np.trapezoid)
trapezoids(integrate.cumulative_trapezoid, cumulated)


def parabolas(y: Any, x: Any, dx: Any, axis: int) -> Any:
    """Simpson's rule on pairs of intervals; on the last of an odd number that of the last three points.

    Source: Cartwright, Simpson's rule cumulative integration with MS Excel and irregularly-spaced data, 2017.
    """
    if axis % y.ndim != y.ndim - 1:
        y = np.moveaxis(y, axis, -1)
        x = x if x is None or x.ndim == 1 else np.moveaxis(x, axis, -1)
    n = y.shape[-1]
    if x is None:
        return np.dot(y, even_weights(n)) * dx
    h = np.diff(x)
    a, b = h[..., : (n - 1) // 2 * 2 : 2], h[..., 1::2]
    s, r = a + b, b / a
    first, middle, last = y[..., : n - 2 : 2], y[..., 1 : n - 1 : 2], y[..., 2::2]
    total = np.sum(s * (first * (2.0 - r) + middle * (s * s / (a * b)) + last * (2.0 - 1.0 / r)), axis=-1) / 6.0
    if n % 2:
        return total
    a, b = h[..., -2], h[..., -1]
    s = a + b
    of_last = (2.0 * b * b + 3.0 * a * b) / s * y[..., -1] + (b * b + 3.0 * a * b) / a * y[..., -2]
    return total + (of_last - b * b * b / (a * s) * y[..., -3]) / 6.0


@lru_cache(64)
def even_weights(n: int) -> Any:
    """The weights of so many points at distances of 1."""
    weights = np.zeros(n)
    pairs = (n - 1) // 2
    for i, w in enumerate((1.0, 4.0, 1.0)):
        weights[i : i + 2 * pairs : 2] += w / 3.0
    if n % 2 == 0:
        weights[-3:] += [-1.0 / 12.0, 2.0 / 3.0, 5.0 / 12.0]
    return weights


def are_apart(x: Any) -> bool:
    """Whether no two points next to each other are the same."""
    return bool(np.all(np.diff(x)))


whole_simpson = itself(integrate.simpson)


@program(integrate.simpson)
def simpson_program(config: Any, y: Any, x: Any = None, *rest: Any, **named: Any) -> Any:
    dx, axis = named.get("dx", 1.0), named.get("axis", -1)
    is_short = not rest and "even" not in named and fits(y, x, axis) and y.shape[axis] > 2
    if is_short and (x is None or config.plainly(are_apart, x)):
        return parabolas(y, x, dx, axis)
    return whole_simpson(y, x, *rest, **named)
