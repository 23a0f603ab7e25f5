"""Splines through data, or near to it: `make_interp_spline`, `make_lsq_spline`.

The coefficients are found by SciPy. They solve a linear system whose matrix A depends on places and knots, and get
their derivatives by Newton's steps ``c <- c - A^-1 (residual(c) - r)`` with the constant A, see `optimize.implicit`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import interpolate as si  # type: ignore[import-untyped]
from scipy.linalg import solve_banded  # type: ignore[import-untyped]

from ....programs import program
from ....tangents import NotImplementedDerivative
from .basis import basis, gathered, span, spread_back
from .splines import derivative_of, parts, spline


def knots_of(x: Any, k: int, bc_type: Any) -> Any:
    """The knots that SciPy chooses for interpolation at ``x``."""
    if k == 0:
        return np.concatenate([x, x[-1:]])
    if bc_type == "periodic":
        return periodic_knots(x, k)
    if bc_type is None or (isinstance(bc_type, str) and bc_type == "not-a-knot"):
        ends = k + 1
        middle = x[(k + 1) // 2 : -((k + 1) // 2)] if k % 2 else ((x[1:] + x[:-1]) / 2)[k // 2 : -(k // 2)]
    else:
        ends, middle = k, x
    return np.concatenate([np.stack([x[0]] * ends), middle, np.stack([x[-1]] * ends)])


def periodic_knots(x: Any, k: int) -> Any:
    if k % 2 == 0:
        x = np.concatenate([x[:1], x[1:-1] - np.diff(x)[:-1] / 2, x[-1:]])
    period, n = x[-1] - x[0], len(x) - 1
    i = np.arange(-k, n + k + 1)
    return x[i % n] + (i // n) * period


def orders_of(condition: Any, shape: Any) -> Any:
    """The derivatives that are given at an end: their orders and values."""
    if condition is None or (isinstance(condition, str) and condition in ("not-a-knot", "periodic")):
        return [], []
    if isinstance(condition, str):
        order = {"clamped": 1, "natural": 2}[condition]
        return [order], [np.zeros(shape)]
    return [order for order, _ in condition], [np.asarray(value, float) + np.zeros(shape) for _, value in condition]


def matrix(t: Any, x: Any, k: int, left: Any, right: Any) -> Any:
    """The banded matrix of the conditions: derivatives at the first place, values at all, derivatives at the last."""
    m = span(t, x, k)
    first = [end_row(t, x[0], m[0], k, nu)[None] for nu in left]
    last = [end_row(t, x[-1], m[-1], k, nu)[None] for nu in right]
    values = np.concatenate([*first, basis(t, x, m, k), *last])
    m = np.concatenate([m[:1].repeat(len(left)), m, m[-1:].repeat(len(right))])
    columns = m[:, None] + np.arange(-k, 1)
    places = k + np.arange(len(m))[:, None] - columns
    inside = (places >= 0) & (places <= 2 * k)
    bands = np.zeros((2 * k + 1, len(t) - k - 1))
    bands[places[inside], columns[inside]] = values[inside]
    return bands


def end_row(t: Any, x: Any, m: int, k: int, nu: int) -> Any:
    """The derivatives of the B-splines ``m - k`` to ``m``."""
    return si.BSpline(t[m - k : m + k + 2], np.eye(k + 1), k)(x, nu)


def solved_bands(k: int, bands: Any, b: Any) -> Any:
    return np.reshape(solve_banded((k, k), bands, np.reshape(b, (len(b), -1)), check_finite=False), b.shape)


def interpolated(
    config: Any, c: Any, x: Any, y: Any, t: Any, k: int, left: Any = ([], []), right: Any = ([], [])
) -> Any:
    """The coefficients ``c`` of the spline through the data, with their derivatives."""
    if k == 0:
        return y + 0.0 * c
    bands = config.plainly(matrix, t, x, k, left[0], right[0])

    def residual(c: Any) -> Any:
        r = spline(t, c, x, k) - y
        if not left[0] and not right[0]:
            return r
        first = [(derivative_of(t, c, x[0], k, nu) - value)[None] for nu, value in zip(*left, strict=True)]
        last = [(derivative_of(t, c, x[-1], k, nu) - value)[None] for nu, value in zip(*right, strict=True)]
        return np.concatenate([*first, r, *last])

    r = config.plainly(residual, c)
    for _ in range(config.orders()):
        c = c - solved_bands(k, bands, residual(c) - r)
    return c


def interpolated_periodic(config: Any, c: Any, x: Any, y: Any, t: Any, k: int) -> Any:
    """The coefficients of the periodic spline: as many as there are intervals, and then they repeat."""
    n = len(x) - 1
    again = np.arange(len(c)) % n
    a = config.plainly(periodic_matrix, t, x[:-1], k, n)
    residual = lambda u: np.reshape(spline(t, u[again], x[:-1], k) - y[:-1], (n, -1))
    u, r = c[:n], config.plainly(residual, c[:n])
    for _ in range(config.orders()):
        u = u - np.reshape(np.linalg.solve(a, residual(u) - r), u.shape)
    return u[again]


def periodic_matrix(t: Any, x: Any, k: int, n: int) -> Any:
    m = span(t, x, k)
    a = np.zeros((n, n))
    np.add.at(a, (np.arange(n)[:, None], (m[:, None] + np.arange(-k, 1)) % n), basis(t, x, m, k))
    return a


def data_of(x: Any, y: Any, axis: Any) -> Any:
    """Places and data as floats, the axis of the data first."""
    x, y = np.asarray(x, float), np.asarray(y)
    y = y if y.dtype.kind == "c" else np.asarray(y, float)
    return x, np.moveaxis(y, axis, 0) if axis else y


def found_by(make: Any, *args: Any, **named: Any) -> Any:
    """Coefficients of the spline that SciPy makes, and what it does outside, and its axis."""
    found = make(*args, **named)
    return parts(found)[1], found.extrapolate, found.axis


@program(si.make_interp_spline)
def make_interp_spline_program(
    config: Any, x: Any, y: Any, k: Any = 3, t: Any = None, bc_type: Any = None, axis: Any = 0, check_finite: Any = True
) -> Any:
    found, extrapolate, place = config.plainly(found_by, si.make_interp_spline, x, y, k, t, bc_type, axis, check_finite)
    x, y = data_of(x, y, axis)
    t = knots_of(x, k, bc_type) if t is None else np.asarray(t, float)
    if bc_type == "periodic" and k > 0:
        c = interpolated_periodic(config, found, x, y, t, k)
    else:
        ends = (bc_type, bc_type) if bc_type is None or isinstance(bc_type, str) else bc_type
        left, right = orders_of(ends[0], y.shape[1:]), orders_of(ends[1], y.shape[1:])
        c = interpolated(config, found, x, y, t, k, left, right)
    return si.BSpline.construct_fast(t, c, k, extrapolate, place)


def fitted(config: Any, c: Any, x: Any, y: Any, t: Any, k: int, w: Any) -> Any:
    """The coefficients of the spline that is nearest to the data, by the normal equations that they solve."""
    m = config.plainly(span, t, x, k)
    places = m[:, None] + np.arange(-k, 1)
    weights = np.reshape(w * w, (-1, 1))
    columns = np.reshape(y, (len(x), -1))
    bands = config.plainly(normal_matrix, t, x, k, w)

    def residual(c: Any) -> Any:
        values = basis(t, x, m, k)
        misfit = gathered(values, np.reshape(c, (len(c), -1)), places) - columns
        return np.reshape(spread_back(values, weights * misfit, places, len(c)), c.shape)

    r = config.plainly(residual, c)
    for _ in range(config.orders()):
        c = c - solved_bands(k, bands, residual(c) - r)
    return c


def normal_matrix(t: Any, x: Any, k: int, w: Any) -> Any:
    m = span(t, x, k)
    values = basis(t, x, m, k) * w[:, None]
    bands = np.zeros((2 * k + 1, len(t) - k - 1))
    for i in range(k + 1):
        for j in range(k + 1):
            np.add.at(bands[k + i - j], m - k + j, values[:, i] * values[:, j])
    return bands


@program(si.make_lsq_spline)
def make_lsq_spline_program(
    config: Any, x: Any, y: Any, t: Any, k: Any = 3, w: Any = None, axis: Any = 0, check_finite: Any = True,
    **named: Any,
) -> Any:  # fmt: skip
    found, extrapolate, place = config.plainly(found_by, si.make_lsq_spline, x, y, t, k, w, axis, check_finite, **named)
    x, y = data_of(x, y, axis)
    if y.dtype.kind == "c":
        raise NotImplementedDerivative(
            "complex data are not implemented: fit the real and the imaginary part separately"
        )
    t = np.asarray(t, float)
    w = np.ones(len(x)) if w is None else np.asarray(w, float)
    c = fitted(config, found, x, y, t, k, w)
    return si.BSpline.construct_fast(t, c, k, extrapolate, place)
