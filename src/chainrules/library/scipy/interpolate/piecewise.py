"""Piecewise polynomials: values, integrals and roots of `PPoly` and `BPoly`, in coefficients, breakpoints and points.

With ``t = x - b[i]`` on the interval i, a piecewise polynomial is ``sum_k c[k, i] t^(K - k)``. So the derivative with
respect to the point is the polynomial's own, and minus that with respect to the breakpoint ``b[i]``.
"""

from __future__ import annotations

from functools import partial
from math import comb, perm, prod
from typing import Any

import numpy as np
from scipy import interpolate as si  # type: ignore[import-untyped]

from ....programs import program, shortcut
from ....rules import rrule
from ....tangents import NotImplementedDerivative, Thunk
from ...numpy.shared import conj, leading, scatter
from ..objects import adopt, axes_moved, classes_of, hidden, keeper
from ..solutions import moved_as

PPoly, BPoly = si.PPoly, si.BPoly
POWERS, BERNSTEIN = PPoly([[0.0]], [0.0, 1.0]), BPoly([[0.0]], [0.0, 1.0])
KINDS = classes_of(POWERS, BERNSTEIN)
IN_BERNSTEIN = tuple(classes_of(BERNSTEIN) - classes_of(POWERS))
C, X = hidden(POWERS, "c"), hidden(POWERS, "x")


def parts(self: Any) -> Any:
    """Coefficients and breakpoints."""
    kept = keeper(self)
    return getattr(kept, C), getattr(kept, X)


def set_parts(self: Any, c: Any, x: Any) -> None:
    kept = keeper(self)
    setattr(kept, C, c)
    setattr(kept, X, x)


def interval(b: Any, x: Any) -> Any:
    """The number of the interval in which each point lies, or of the nearest one."""
    falling = b[0] > b[-1]
    i = np.searchsorted(-b if falling else b, -x if falling else x, "right") - 1
    return np.clip(i, 0, len(b) - 2)


def inside(b: Any, x: Any, extrapolate: bool) -> Any:
    """Where there is a value that is a number."""
    low, high = min(b[0], b[-1]), max(b[0], b[-1])
    return x == x if extrapolate else (x >= low) & (x <= high)


def evaluated(c: Any, b: Any, x: Any, nu: int = 0, extrapolate: bool = True) -> Any:
    """The derivatives of order ``nu``, in the shape of the points and then that of the coefficients' columns.

    Args:
        c: coefficients, the highest power first; shape (powers, intervals, *columns).
        b: breakpoints, monotonic.
        x: points.
        nu: the order; 0 for the values.
        extrapolate: otherwise there is NaN outside.
    """
    return PPoly.construct_fast(c, b, extrapolate)(x, nu)


@rrule(evaluated)
@partial(leading, active=3)
def evaluated_rule(c: Any, b: Any, x: Any, nu: int = 0, extrapolate: bool = True) -> Any:
    y = evaluated(c, b, x, nu, extrapolate)
    shape, n = np.shape(c), np.size(x)
    width = prod(shape[2:])
    there = np.ravel(inside(b, x, extrapolate))
    everywhere = bool(there.all())
    points = np.ravel(x) if everywhere else np.where(there, np.ravel(x), b[0])

    def seeds(y_bar: Any) -> Any:
        g = np.reshape(y_bar, (n, width))
        return g if everywhere else np.where(there[:, None], g, 0.0)

    def x_bar(y_bar: Any) -> Any:
        slope = np.reshape(evaluated(c, b, points, nu + 1, True), (n, width))
        return np.sum(np.real(conj(slope) * seeds(y_bar)), axis=1)

    def c_bar(y_bar: Any) -> Any:
        i = interval(b, points)
        t = (points - b[i])[:, None]
        g = seeds(y_bar)
        places = i[:, None] * width + np.arange(width)
        rows = []
        for power in range(shape[0] - 1, -1, -1):
            if power < nu:
                rows.append(np.zeros(shape[1:]))
            else:
                weighed = perm(power, nu) * t ** (power - nu) * g
                rows.append(np.reshape(scatter(places, weighed, shape[1] * width), shape[1:]))
        return np.stack(rows)

    return y, lambda y_bar: (
        Thunk(c_bar, y_bar),
        Thunk(lambda: -scatter(interval(b, points), x_bar(y_bar), len(b))),
        Thunk(lambda: np.reshape(x_bar(y_bar), np.shape(x))),
    )  # fmt: skip


def bernstein(c: Any, b: Any, x: Any, nu: int, extrapolate: bool) -> Any:
    """As `evaluated` at points in a row, of coefficients in the basis of Bernstein in a row."""
    for _ in range(nu):
        c = (len(c) - 1) * (c[1:] - c[:-1]) / np.diff(b)[:, None] if len(c) > 1 else np.zeros(c.shape)
    i, there = interval(b, x), inside(b, x, extrapolate)
    s = (np.where(there, x, b[0]) - b[i]) / (b[i + 1] - b[i])
    k = len(c) - 1
    y = 0.0
    for a in range(k + 1):
        y = y + (comb(k, a) * s**a * (1.0 - s) ** (k - a))[:, None] * c[a][i]
    return np.where(there[:, None], y, np.nan)


def wrapped(b: Any, x: Any) -> Any:
    """Points of a periodic function, brought into the period."""
    return b[0] + (x - b[0]) % (b[-1] - b[0])


def init_of(cls: Any) -> Any:
    def piecewise_init(config: Any, self: Any, c: Any, x: Any, extrapolate: Any = None, axis: Any = 0) -> None:
        made = adopt(config, self, cls, c, x, extrapolate, axis)
        c = np.asarray(c)
        if axis:
            c = np.moveaxis(np.moveaxis(c, axis + 1, 0), axis + 1, 0)
        set_parts(self, np.asarray(c, parts(made)[0].dtype), np.asarray(x, float))

    return piecewise_init


for _cls in KINDS:
    program(_cls.__init__)(init_of(_cls))


@program(*{cls.__call__ for cls in KINDS})
def piecewise_call(config: Any, self: Any, x: Any, nu: Any = 0, extrapolate: Any = None) -> Any:
    extrapolate = self.extrapolate if extrapolate is None else extrapolate
    x = np.asarray(x, float)
    c, b = parts(self)
    if extrapolate == "periodic":
        x, extrapolate = wrapped(b, x), False
    if isinstance(self, IN_BERNSTEIN):
        out = bernstein(np.reshape(c, (*c.shape[:2], -1)), b, np.ravel(x), nu, bool(extrapolate))
        out = np.reshape(out, x.shape + c.shape[2:])
    else:
        out = evaluated(c, b, x, nu, bool(extrapolate))
    return axes_moved(out, x.ndim, self.axis) if self.axis else out


@shortcut(*{cls.__call__ for cls in KINDS - set(IN_BERNSTEIN)})
def piecewise_shortcut(self: Any, x: Any, nu: Any = 0, extrapolate: Any = None) -> Any:
    extrapolate = self.extrapolate if extrapolate is None else extrapolate
    if isinstance(self, IN_BERNSTEIN) or extrapolate == "periodic" or self.axis:
        return None
    return evaluated, (*parts(self), x, nu, bool(extrapolate))


def antiderivative(c: Any, b: Any) -> Any:
    """The coefficients of the continuous antiderivative that is 0 at the first breakpoint."""
    n = len(c)
    trailing = (1,) * (c.ndim - 2)
    c = c / np.reshape(np.arange(n, 0, -1.0), (n, 1, *trailing))
    h = np.reshape(np.diff(b), (-1, *trailing))
    whole = 0.0
    for k in range(n):
        whole = (whole + c[k]) * h
    starts = np.concatenate([np.zeros((1, *c.shape[2:])), np.cumsum(whole, axis=0)[:-1]])
    return np.concatenate([c, starts[None]])


def antiderivative_found(c: Any, b: Any, nu: int) -> Any:
    """The same as SciPy finds them; an object that is differentiated may not be asked, as it orders its own."""
    return PPoly.construct_fast(c, b).antiderivative(nu).c


def integral_found(c: Any, breaks: Any, extrapolate: Any, low: Any, high: Any) -> Any:
    return PPoly.construct_fast(c, breaks, extrapolate).integrate(low, high, extrapolate)


@program(*{cls.antiderivative for cls in classes_of(POWERS)})
def antiderivative_program(config: Any, self: Any, nu: Any = 1) -> Any:
    if nu <= 0:
        return self.derivative(-nu)
    c, b = parts(self)
    found = config.plainly(antiderivative_found, c, b, nu)
    for _ in range(nu):
        c = antiderivative(c, b)
    c = moved_as(config, found, c)
    return self.construct_fast(c, b, False if self.extrapolate == "periodic" else self.extrapolate, self.axis)


@program(*{cls.integrate for cls in classes_of(POWERS)})
def integrate_program(config: Any, self: Any, a: Any, b: Any, extrapolate: Any = None) -> Any:
    extrapolate = self.extrapolate if extrapolate is None else extrapolate
    c, breaks = parts(self)
    found = config.plainly(integral_found, c, breaks, extrapolate, a, b)
    c = antiderivative(c, breaks)
    ends = np.reshape(np.stack([np.asarray(a, float), np.asarray(b, float)]), (2,))
    if extrapolate == "periodic":
        period = breaks[-1] - breaks[0]
        turns = config.plainly(np.floor, (ends - breaks[0]) / period)
        within = evaluated(c, breaks, ends - turns * period)
        whole = evaluated(c, breaks, breaks[-1])
        out = within + np.reshape(turns, (2, *(1,) * whole.ndim)) * whole
    else:
        out = evaluated(c, breaks, ends, 0, bool(extrapolate))
    return moved_as(config, found, out[1] - out[0])


@program(*{cls.solve for cls in classes_of(POWERS)})
def solve_program(config: Any, self: Any, y: Any = 0.0, discontinuity: Any = True, extrapolate: Any = None) -> Any:
    found = config.plainly(self.solve, y, discontinuity, extrapolate)
    if found.dtype == object:
        raise NotImplementedDerivative("the roots of several polynomials at once are not implemented; use one column")
    c, b = parts(self)
    jumps, at = config.plainly(jumps_among, c, b, found, y)
    slope = config.plainly(lambda: np.where(jumps, 1.0, self(found, 1, True)))
    if config.plainly(np.any, np.abs(slope) <= 1e-12 * np.max(np.abs(c))):
        raise NotImplementedDerivative("the slope is 0 at a root, which has no derivative there")
    residual = lambda x: self(x, 0, True) - y
    x, r = found, config.plainly(residual, found)
    for _ in range(config.orders()):
        x = x - (residual(x) - r) / slope
    return np.where(jumps, b[at], x) if config.plainly(np.any, jumps) else x


def jumps_among(c: Any, b: Any, x: Any, y: Any) -> Any:
    """Which roots are jumps over ``y``, and their breakpoints, with which they move whatever the coefficients are."""
    at = np.argmin(np.abs(b[1:, None] - x), axis=0) + 1
    at = np.minimum(at, len(b) - 2)
    if len(b) == 2:
        return np.zeros(x.shape, bool), at
    terms = c[:, at - 1] * (b[at] - b[at - 1]) ** np.arange(len(c) - 1, -1, -1)[:, None]
    before, after = np.sum(terms, axis=0) - y, c[-1, at] - y
    rounding = 1e-12 * (np.max(np.abs(terms), axis=0) + np.abs(after))
    return (b[at] == x) & (before * after < 0) & (np.abs(before - after) > rounding), at


@program(*{cls.roots for cls in classes_of(POWERS)})
def roots_program(config: Any, self: Any, discontinuity: Any = True, extrapolate: Any = None) -> Any:
    return self.solve(0.0, discontinuity, extrapolate)
