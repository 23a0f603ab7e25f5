"""Cubic interpolation through data: the slopes at the data make the polynomials, and each class chooses its own.

Formulas: `CubicSpline` by de Boor, A Practical Guide to Splines, chapter IV; `PchipInterpolator` by Fritsch and
Butland, SIAM J. Sci. Stat. Comput. 5 (1984); `Akima1DInterpolator` by Akima, J. ACM 17 (1970); all as SciPy has them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import interpolate as si  # type: ignore[import-untyped]
from scipy.linalg import solve_banded  # type: ignore[import-untyped]

from ....programs import program
from ..objects import take_state
from ..solutions import moved_as
from .piecewise import parts, set_parts


def columns(x: Any, y: Any, axis: Any) -> Any:
    """The places, and the data with their axis first."""
    x, y = np.asarray(x, float), np.asarray(y)
    y = y if y.dtype.kind in "fc" else np.asarray(y, float)
    return x, np.moveaxis(y, axis, 0) if axis else y


def steps(x: Any, y: Any) -> Any:
    """The widths of the intervals, in the shape of data, and the slopes of the chords."""
    h = np.reshape(np.diff(x), (-1, *(1,) * (y.ndim - 1)))
    return h, np.diff(y, axis=0) / h


def hermite(h: Any, m: Any, y: Any, d: Any) -> Any:
    """The coefficients of the polynomials with the values ``y`` and the slopes ``d``; ``h`` and ``m`` as of `steps`."""
    t = (d[:-1] + d[1:] - 2 * m) / h
    return np.stack([t / h, (m - d[:-1]) / h - t, d[:-1], y[:-1]])


def edge(h0: Any, h1: Any, m0: Any, m1: Any) -> Any:
    """The slope at an end by three points, limited where it would not preserve the shape."""
    d = ((2 * h0 + h1) * m0 - h0 * m1) / (h0 + h1)
    steep = (np.sign(m0) != np.sign(m1)) & (np.abs(d) > 3.0 * np.abs(m0))
    return np.where(np.sign(d) != np.sign(m0), 0.0, np.where(steep, 3.0 * m0, d))


def line(x: Any, y: Any) -> Any:
    """The coefficients for two points."""
    h, m = steps(x, y)
    return hermite(h, m, y, np.concatenate([m, m]))


def monotone(x: Any, y: Any) -> Any:
    """The coefficients of a `PchipInterpolator`."""
    h, m = steps(x, y)
    turns = (np.sign(m[1:]) * np.sign(m[:-1])) <= 0
    w1, w2 = 2 * h[1:] + h[:-1], h[1:] + 2 * h[:-1]
    mean = w1 / np.where(turns, 1.0, m[:-1]) + w2 / np.where(turns, 1.0, m[1:])
    d = np.where(turns, 0.0, (w1 + w2) / mean)
    first, last = edge(h[:1], h[1:2], m[:1], m[1:2]), edge(h[-1:], h[-2:-1], m[-1:], m[-2:-1])
    return hermite(h, m, y, np.concatenate([first, d, last]))


def akima(x: Any, y: Any, modified: bool) -> Any:
    """The coefficients of an `Akima1DInterpolator`."""
    h, chords = steps(x, y)
    a = 2.0 * chords[:1] - chords[1:2]
    b = 2.0 * chords[-1:] - chords[-2:-1]
    m = np.concatenate([2.0 * a - chords[:1], a, chords, b, 2.0 * b - chords[-1:]])
    f = np.abs(np.diff(m, axis=0))
    if modified:
        f = f + 0.5 * np.abs(m[1:] + m[:-1])
    f1, f2 = f[2:], f[:-2]
    both = f1 + f2
    defined = both > 1e-9 * np.max(both)
    weight = f2 / np.where(defined, both, 1.0)
    middle = m[1:-2] + weight * (m[2:-1] - m[1:-2])
    return hermite(h, chords, y, np.where(defined, middle, 0.5 * (m[3:] + m[:-3])))


def tridiagonal(upper: Any, diagonal: Any, lower: Any, b: Any) -> Any:
    """The solution of ``lower[i] s[i-1] + diagonal[i] s[i] + upper[i] s[i+1] = b[i]``."""
    none = np.zeros(1)
    bands = np.stack([np.concatenate([none, upper[:-1]]), diagonal, np.concatenate([lower[1:], none])])
    return np.reshape(solve_banded((1, 1), bands, np.reshape(b, (len(b), -1)), check_finite=False), b.shape)


def end_row(order: int, value: Any, h: Any, k: Any, m: Any, m_next: Any, sign: float) -> Any:
    """The equation of an end: coefficients of the slope there and next to it, and the right-hand side.

    Args:
        order, value: of the derivative that is given; order 0: "not-a-knot".
        h: the width of the interval at the end, in the shape of a row of data; ``k``: of the next one.
        m: the slope of the chord at the end; ``m_next``: of the next one.
        sign: 1 for the first end, -1 for the last.
    """
    w, v = np.ravel(h), np.ravel(k)
    if order == 0:
        return v, w + v, ((h + 2 * (h + k)) * k * m + h * h * m_next) / (h + k)
    if order == 1:
        return np.ones(1), np.zeros(1), value + 0.0 * m
    return 2 * w, w, 3 * h * m - sign * 0.5 * value * h * h


def spline_of(x: Any, y: Any, first: int, first_value: Any, last: int, last_value: Any) -> Any:
    """The coefficients of the spline of which derivatives at the ends are given, see `end_row`."""
    dx = np.diff(x)
    h, m = steps(x, y)
    a0, a1, b0 = end_row(first, first_value, h[:1], h[1:2], m[:1], m[1:2], 1.0)
    z0, z1, b1 = end_row(last, last_value, h[-1:], h[-2:-1], m[-1:], m[-2:-1], -1.0)
    none = np.zeros(1)
    diagonal = np.concatenate([a0, 2 * (dx[:-1] + dx[1:]), z0])
    upper = np.concatenate([a1, dx[:-1], none])
    lower = np.concatenate([none, dx[1:], z1])
    b = np.concatenate([b0, 3 * (h[1:] * m[:-1] + h[:-1] * m[1:]), b1])
    return hermite(h, m, y, tridiagonal(upper, diagonal, lower, b))


def parabola(x: Any, y: Any) -> Any:
    """The coefficients of the parabola through three points, of which none is a knot."""
    h, m = steps(x, y)
    bend = (m[1] - m[0]) / (h[0] + h[1])
    return hermite(h, m, y, np.stack([m[0] - h[0] * bend, m[0] + h[0] * bend, m[1] + h[1] * bend]))


def ends_of(bc_type: Any, n: int) -> Any:
    """Which derivatives are given at the ends of `n` points, and their values; by a name, which way to go else."""
    ends = (bc_type, bc_type) if isinstance(bc_type, str) else tuple(bc_type)
    names = [end if isinstance(end, str) else None for end in ends]
    if "periodic" in names and n > 2:
        return "periodic"
    if names == ["not-a-knot", "not-a-knot"] and n == 3:
        return "parabola"
    orders = {"not-a-knot": 0, "clamped": 1, "natural": 2}
    given: list[Any] = []
    for end, name in zip(ends, names, strict=True):
        if n == 2 and name in ("not-a-knot", "periodic"):
            given += [1, "chord"]
        else:
            given += [end[0], np.asarray(end[1])] if name is None else [orders[name], 0.0]
    return given


def spline_coefficients(x: Any, y: Any, bc_type: Any) -> Any:
    """The coefficients of a `CubicSpline`; ``bc_type`` is SciPy's, for both ends or for each of them."""
    given = ends_of(bc_type, len(x))
    if isinstance(given, str):
        return periodic(x, y) if given == "periodic" else parabola(x, y)
    if len(x) == 2:
        given = [steps(x, y)[1][0] if isinstance(each, str) else each for each in given]
    return spline_of(x, y, *given)


def periodic(x: Any, y: Any) -> Any:
    """The coefficients of a periodic spline."""
    h, m = steps(x, y)
    return hermite(h, m, y, periodic_slopes(np.diff(x), h, m))


def periodic_slopes(dx: Any, h: Any, m: Any) -> Any:
    """The slopes of a periodic spline: the last unknown is taken out, which leaves two tridiagonal systems."""
    if len(m) == 2:
        return np.stack([np.sum(m / h, axis=0) / np.sum(1.0 / h, axis=0)] * 3)
    before, h_before, m_before = np.roll(dx, 1), np.roll(h, 1, axis=0), np.roll(m, 1, axis=0)
    diagonal = 2 * (before + dx)
    b = 3 * (h * m_before + h_before * m)
    column = np.concatenate([-dx[:1], np.zeros(len(dx) - 3), -before[-2:-1]])
    rest = lambda rhs: tridiagonal(before[:-1], diagonal[:-1], dx[:-1], rhs)
    s1, s2 = rest(b[:-1]), np.reshape(rest(column), (-1, *(1,) * (m.ndim - 1)))
    z = (b[-1] - before[-1] * s1[0] - dx[-1] * s1[-1]) / (diagonal[-1] + before[-1] * s2[0] + dx[-1] * s2[-1])
    s = s1 + z * s2
    return np.concatenate([s, z[None], s[:1]])


def settle(config: Any, self: Any, c: Any, x: Any) -> None:
    """Give an object the coefficients that SciPy finds, with the derivatives of `c`."""
    set_parts(self, moved_as(config, parts(self)[0], c), x)


@program(si.CubicHermiteSpline.__init__)
def hermite_init(config: Any, self: Any, x: Any, y: Any, dydx: Any, axis: Any = 0, extrapolate: Any = None) -> None:
    take_state(config, self, si.CubicHermiteSpline, x, y, dydx, axis, extrapolate)
    d = columns(x, dydx, axis)[1]
    x, y = columns(x, y, axis)
    h, m = steps(x, y)
    settle(config, self, hermite(h, m, y, d), x)


@program(si.PchipInterpolator.__init__)
def pchip_init(config: Any, self: Any, x: Any, y: Any, axis: Any = 0, extrapolate: Any = None) -> None:
    take_state(config, self, si.PchipInterpolator, x, y, axis, extrapolate)
    x, y = columns(x, y, axis)
    settle(config, self, monotone(x, y) if len(x) > 2 else line(x, y), x)


@program(si.Akima1DInterpolator.__init__)
def akima_init(config: Any, self: Any, x: Any, y: Any, axis: Any = 0, method: Any = "akima", **named: Any) -> None:
    if method != "akima":
        named = {**named, "method": method}
    take_state(config, self, si.Akima1DInterpolator, x, y, axis, **named)
    x, y = columns(x, y, axis)
    settle(config, self, akima(x, y, method == "makima") if len(x) > 2 else line(x, y), x)


@program(si.CubicSpline.__init__)
def cubic_spline_init(
    config: Any, self: Any, x: Any, y: Any, axis: Any = 0, bc_type: Any = "not-a-knot", extrapolate: Any = None
) -> None:
    take_state(config, self, si.CubicSpline, x, y, axis, bc_type, extrapolate)
    x, y = columns(x, y, axis)
    if y.size:
        settle(config, self, spline_coefficients(x, y, bc_type), x)
