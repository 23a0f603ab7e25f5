"""Differences, convolution, quadrature on samples: linear maps along an axis."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...projection import unbroadcast
from ...rules import rrule
from ...tangents import NotImplementedTangent, Thunk
from .shared import NO_VALUE, as_array, conj, leading, refuse

_np: Any = np


def diff_rule(a: Any, n: int = 1, axis: int = -1, prepend: Any = NO_VALUE, append: Any = NO_VALUE) -> Any:
    """Minus the difference of the seed padded with zeros, ``n`` times; what was put before and behind gets its part."""
    options = {k: v for k, v in (("prepend", prepend), ("append", append)) if v is not NO_VALUE}
    y = np.diff(a, n, axis, **options)
    shape = np.shape(a)

    def length(x: Any) -> int:
        return 0 if x is NO_VALUE else 1 if np.ndim(x) == 0 else int(np.shape(x)[axis])

    def diff_pullback(y_bar: Any) -> Any:
        if n == 0:
            return y_bar, None, None, None, None
        g, along = as_array(y_bar), axis % len(shape)
        others = (slice(None),) * along
        if g.shape[along] == 0:
            longest = length(prepend) + shape[axis] + length(append)
            g = np.zeros((*g.shape[:along], longest, *g.shape[along + 1 :]))
        else:
            ends = np.zeros((*g.shape[:along], 1, *g.shape[along + 1 :]))
            for _ in range(n):
                g = np.concatenate((ends, g), axis=along) - np.concatenate((g, ends), axis=along)
        if not options:
            return g, None, None, None, None
        before, there = length(prepend), shape[axis]
        edges = ((0, before), (before, before + there), (before + there, None))
        first, middle, last = [g[(*others, slice(*edge))] for edge in edges]
        return middle, None, None, None if prepend is NO_VALUE else first, None if append is NO_VALUE else last

    return y, diff_pullback


rrule(np.diff)(leading(diff_rule, active=5))


def ediff1d_rule(ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    """As `numpy.diff` on the flat array; the ends go through."""
    y = np.ediff1d(ary, to_end, to_begin)
    shape = np.shape(ary)
    first = 0 if to_begin is None else np.size(to_begin)
    last = 0 if to_end is None else np.size(to_end)

    def ediff1d_pullback(y_bar: Any) -> Any:
        g = y_bar[first : len(y_bar) - last]
        zero = np.zeros(1)
        a_bar = np.concatenate((zero, g)) - np.concatenate((g, zero)) if np.prod(shape) else np.zeros(0)
        return (
            a_bar.reshape(shape),
            None if to_end is None else y_bar[len(y_bar) - last :].reshape(np.shape(to_end)),
            None if to_begin is None else y_bar[:first].reshape(np.shape(to_begin)),
        )

    return y, ediff1d_pullback


rrule(np.ediff1d)(leading(ediff1d_rule, active=3))


def _check_mode(name: str, mode: Any) -> None:
    """Refuse the numbers that were modes once; a mode that is none is the function's own error."""
    if not isinstance(mode, str):
        refuse(name, mode=mode)


def _convolution_bars(a: Any, v: Any, mode: str, start: int, y_bar: Any) -> tuple[Any, Any]:
    """The seed, put into its place ``start`` in a result of full length, correlated with the other operand."""
    n, m = len(a), len(v)
    first = {"full": 0, "same": start, "valid": min(n, m) - 1}[mode]
    full = np.concatenate((np.zeros(first), y_bar, np.zeros(n + m - 1 - first - len(y_bar))))
    return (
        Thunk(lambda: _np.convolve(full, conj(v)[::-1], "full")[m - 1 : m - 1 + n]),
        Thunk(lambda: _np.convolve(full, conj(a)[::-1], "full")[n - 1 : n - 1 + m]),
    )


def convolve_rule(a: Any, v: Any, mode: str = "full") -> Any:
    """The seed in full length correlated with the other operand."""
    _check_mode("numpy.convolve", mode)
    y = _np.convolve(a, v, mode)
    a, v = np.atleast_1d(as_array(a)), np.atleast_1d(as_array(v))
    return y, lambda y_bar: _convolution_bars(a, v, mode, (min(len(a), len(v)) - 1) // 2, y_bar)


rrule(np.convolve)(leading(convolve_rule, active=2))


def correlate_rule(a: Any, v: Any, mode: str = "valid") -> Any:
    """``correlate(a, v) = convolve(a, conj(v) reversed)``; with the longer one second the middle part is that of the
    result turned round.
    """
    _check_mode("numpy.correlate", mode)
    y = _np.correlate(a, v, mode)
    a, v = np.atleast_1d(as_array(a)), np.atleast_1d(as_array(v))
    start = len(a) // 2 if len(v) > len(a) else (len(v) - 1) // 2

    def correlate_pullback(y_bar: Any) -> Any:
        a_bar, w_bar = _convolution_bars(a, conj(v)[::-1], mode, start, y_bar)
        return a_bar, Thunk(lambda: conj(w_bar()[::-1]))

    return y, correlate_pullback


rrule(np.correlate)(leading(correlate_rule, active=2))


def trapezoid_rule(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    """Half the neighbouring widths to each sample; half the neighbouring sums to each point."""
    area = np.trapezoid(y, x, dx, axis)
    y = as_array(y)
    points = None if x is None else as_array(x)

    def trapezoid_pullback(g: Any) -> Any:
        ahead, behind = _ends(y.ndim, axis)
        if points is None:
            width = as_array(dx)
        elif points.ndim == 1:
            width = (points[1:] - points[:-1]).reshape([-1 if i == axis % y.ndim else 1 for i in range(y.ndim)])
        else:
            width = np.diff(points, axis=axis)
        # The area is ``sum(width * pairs)`` of two arrays that broadcast against each other.
        g = np.expand_dims(g, axis)
        shape = np.broadcast_shapes(width.shape, y[ahead].shape)

        def of_samples() -> Any:
            pairs_bar = unbroadcast(np.broadcast_to(g * conj(width) / 2, shape), y[ahead].shape)
            y_bar = np.zeros(y.shape, pairs_bar.dtype)
            y_bar[ahead] += pairs_bar
            y_bar[behind] += pairs_bar
            return y_bar

        def of_widths() -> Any:
            width_bar = unbroadcast(np.broadcast_to(g * conj((y[ahead] + y[behind]) / 2), shape), width.shape)
            if points is None:
                return width_bar
            along = 0 if points.ndim == 1 else axis
            width_bar = width_bar.ravel() if points.ndim == 1 else width_bar
            x_bar = np.zeros(points.shape, width_bar.dtype)
            ends = _ends(points.ndim, along)
            x_bar[ends[0]] += width_bar
            x_bar[ends[1]] -= width_bar
            return x_bar

        widths = Thunk(of_widths)
        return Thunk(of_samples), None if points is None else widths, widths if points is None else None

    return area, trapezoid_pullback


def _ends(ndim: int, axis: int) -> tuple[Any, Any]:
    """What indexes all but the first along an axis, and all but the last."""
    before = (slice(None),) * (axis % ndim)
    return (*before, slice(1, None)), (*before, slice(None, -1))


rrule(np.trapezoid)(leading(trapezoid_rule, active=3))


def polyfit_rule(
    x: Any, y: Any, deg: Any, rcond: Any = None, full: bool = False, w: Any = None, cov: Any = False
) -> Any:
    """Linear in ``y``: its matrix is the fit to the unit vectors. The points have no derivative here."""
    refuse("numpy.polyfit", full=full or None, cov=cov or None)
    p = np.polyfit(x, y, deg, rcond, w=w)
    missing = NotImplementedTangent("the rule for numpy.polyfit has no derivative for the points x")

    def polyfit_pullback(p_bar: Any) -> Any:
        return missing, Thunk(lambda: conj(np.polyfit(x, np.eye(len(x)), deg, rcond, w=w)).T @ p_bar)

    return p, polyfit_pullback


rrule(np.polyfit)(leading(polyfit_rule, active=2))
