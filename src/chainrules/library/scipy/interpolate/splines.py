"""`BSpline`: values, derivatives and integrals, in coefficients, knots and points."""

from __future__ import annotations

from functools import partial
from math import prod
from typing import Any

import numpy as np
from scipy import interpolate as si  # type: ignore[import-untyped]

from ....programs import program, shortcut
from ....rules import rrule
from ....tangents import Thunk
from ...numpy.shared import conj, leading
from ..objects import adopt, axes_moved, classes_of, hidden, keeper
from .basis import basis, knots_bar, span, spread_back

BSpline = si.BSpline
SAMPLE = BSpline([0.0, 1.0], [0.0], 0)
KINDS = classes_of(SAMPLE)
C, T = hidden(SAMPLE, "c"), hidden(SAMPLE, "t")


def parts(self: Any) -> Any:
    """Knots, coefficients and degree."""
    kept = keeper(self)
    return getattr(kept, T), getattr(kept, C), kept.k


def spline(t: Any, c: Any, x: Any, k: int, extrapolate: bool = True) -> Any:
    """The values of a spline, in the shape of the points and then that of the coefficients' columns.

    Args:
        t: knots.
        c: coefficients; shape (at least ``len(t) - k - 1``, *columns).
        x: points.
        k: the degree.
        extrapolate: otherwise there is NaN outside.
    """
    return BSpline.construct_fast(t, c, k, extrapolate)(x)


@rrule(spline)
@partial(leading, active=3)
def spline_rule(t: Any, c: Any, x: Any, k: int, extrapolate: bool = True) -> Any:
    if len(t) <= k:
        return NotImplemented
    y = spline(t, c, x, k, extrapolate)
    flat, width = np.ravel(x), prod(np.shape(c)[1:])
    there = flat == flat if extrapolate else (flat >= t[k]) & (flat <= t[len(t) - k - 1])
    points = np.where(there, flat, t[k])
    m = span(t, points, k)
    places = m[:, None] + np.arange(-k, 1)

    def seeds(y_bar: Any) -> Any:
        return np.where(there[:, None], np.reshape(y_bar, (len(points), width)), 0.0)

    def x_bar(y_bar: Any) -> Any:
        if k == 0:
            return np.zeros(np.shape(x))
        inner, c_inner = differenced(t, c, k)
        slope = np.reshape(spline(inner, c_inner, points, k - 1), (len(points), width))
        return np.reshape(np.sum(np.real(conj(slope) * seeds(y_bar)), axis=1), np.shape(x))

    def c_bar(y_bar: Any) -> Any:
        return np.reshape(spread_back(basis(t, points, m, k), seeds(y_bar), places, len(c)), np.shape(c))

    def t_bar(y_bar: Any) -> Any:
        pieces = np.reshape(c, (len(c), width))[places]
        return knots_bar(t, points, m, k, np.sum(np.real(conj(pieces) * seeds(y_bar)[:, None, :]), axis=2))

    return y, lambda y_bar: (Thunk(t_bar, y_bar), Thunk(c_bar, y_bar), Thunk(x_bar, y_bar))


def differenced(t: Any, c: Any, k: int) -> Any:
    """Knots and coefficients of the derivative, which is of degree ``k - 1``."""
    n = len(t) - k - 1
    widths = np.reshape(t[k + 1 : n + k] - t[1:n], (-1, *(1,) * (c.ndim - 1)))
    there = widths > 0
    return t[1:-1], np.where(there, k * (c[1:n] - c[: n - 1]) / np.where(there, widths, 1.0), 0.0)


def summed(t: Any, c: Any, k: int) -> Any:
    """Knots and coefficients of the antiderivative that is 0 at the first knot; of degree ``k + 1``."""
    n = len(t) - k - 1
    widths = np.reshape(t[k + 1 : n + k + 1] - t[:n], (-1, *(1,) * (c.ndim - 1)))
    whole = np.cumsum(c[:n] * widths, axis=0) / (k + 1)
    return np.concatenate([t[:1], t, t[-1:]]), np.concatenate([np.zeros((1, *c.shape[1:])), whole])


def derivative_of(t: Any, c: Any, x: Any, k: int, nu: int, extrapolate: bool = True) -> Any:
    """The derivative of order ``nu`` at the points."""
    if nu > k:
        return spline(t, 0.0 * c, x, k, extrapolate)
    inner = t
    for r in range(nu):
        inner, c = differenced(inner, c, k - r)
    if extrapolate or not nu:
        return spline(inner, c, x, k - nu, extrapolate)
    there = (x >= t[k]) & (x <= t[len(t) - k - 1])  # which knots of higher multiplicity may not tell any more
    y = spline(inner, c, np.where(there, x, t[k]), k - nu)
    return np.where(np.reshape(there, (*x.shape, *(1,) * (c.ndim - 1))), y, np.nan)


def integral(config: Any, t: Any, c: Any, k: int, a: Any, b: Any, extrapolate: Any) -> Any:
    """The integral from ``a`` to ``b``; a spline that is not extrapolated is 0 outside."""
    start, end = t[k], t[len(t) - k - 1]
    ends = np.reshape(np.stack([np.asarray(a, float), np.asarray(b, float)]), (2,))
    t, c = summed(t, c, k)
    if extrapolate == "periodic":
        period = end - start
        turns = config.plainly(np.floor, (ends - start) / period)
        whole = spline(t, c, end, k + 1) - spline(t, c, start, k + 1)
        out = spline(t, c, ends - turns * period, k + 1) + np.reshape(turns, (2, *(1,) * whole.ndim)) * whole
    else:
        out = spline(t, c, ends if extrapolate else np.clip(ends, start, end), k + 1)
    return out[1] - out[0]


def init_of(cls: Any) -> Any:
    def spline_init(config: Any, self: Any, t: Any, c: Any, k: Any, extrapolate: Any = True, axis: Any = 0) -> None:
        made = adopt(config, self, cls, t, c, k, extrapolate, axis)
        c = np.asarray(c, parts(made)[1].dtype)
        kept = keeper(self)
        setattr(kept, C, np.moveaxis(c, axis, 0) if axis else c)
        setattr(kept, T, np.asarray(t, float))

    return spline_init


for _cls in KINDS:
    program(_cls.__init__)(init_of(_cls))


@program(*{cls.__call__ for cls in KINDS})
def spline_call(config: Any, self: Any, x: Any, nu: Any = 0, extrapolate: Any = None) -> Any:
    extrapolate = self.extrapolate if extrapolate is None else extrapolate
    t, c, k = parts(self)
    x = np.asarray(x, float)
    if extrapolate == "periodic":
        start, end = t[k], t[len(t) - k - 1]
        x, extrapolate = start + (x - start) % (end - start), False
    out = derivative_of(t, c, x, k, nu, bool(extrapolate)) if nu else spline(t, c, x, k, bool(extrapolate))
    return axes_moved(out, x.ndim, self.axis) if self.axis else out


@shortcut(*{cls.__call__ for cls in KINDS})
def spline_shortcut(self: Any, x: Any, nu: Any = 0, extrapolate: Any = None) -> Any:
    extrapolate = self.extrapolate if extrapolate is None else extrapolate
    t, c, k = parts(self)
    return None if nu or self.axis or extrapolate == "periodic" else (spline, (t, c, x, k, bool(extrapolate)))


@program(*{cls.integrate for cls in KINDS})
def spline_integrate(config: Any, self: Any, a: Any, b: Any, extrapolate: Any = None) -> Any:
    extrapolate = self.extrapolate if extrapolate is None else extrapolate
    t, c, k = parts(self)
    return integral(config, t, c, k, a, b, extrapolate)
