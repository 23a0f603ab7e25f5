"""Interpolation on grids: `RegularGridInterpolator`, `interpn`, `RectBivariateSpline`, `NdBSpline`, `NdPPoly`.

Weights for each axis, which depend on points and grid, times the values or coefficients around each point.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from scipy import interpolate as si  # type: ignore[import-untyped]
from scipy.interpolate import _ndgriddata  # type: ignore[import-untyped]

from ....programs import program
from ....rules import rrule
from ....tangents import NotImplementedDerivative, Thunk
from ...numpy.shared import conj
from ..objects import adopt, take_state
from ..solutions import moved_as
from .basis import basis, span
from .fits import interpolated, knots_of, matrix, solved_bands
from .piecewise import interval
from .splines import differenced, spline, summed

Grid = si.RegularGridInterpolator
DEGREES = {"slinear": 1, "cubic": 3, "quintic": 5}


@program(_ndgriddata._ndim_coords_from_arrays)
def coordinates(config: Any, points: Any, ndim: Any = None) -> Any:
    """Points in rows, from one array, or from one for each coordinate."""
    if isinstance(points, tuple) and len(points) == 1:
        points = points[0]
    if isinstance(points, tuple):
        return np.stack(np.broadcast_arrays(*[np.asarray(p, float) for p in points]), axis=-1)
    points = np.asarray(points, float)
    if points.ndim == 1:
        return np.reshape(points, (-1, 1) if ndim is None else (-1, ndim))
    return points


def contracted(weights: list[Any], places: list[Any], c: Any) -> Any:
    """The sum over all axes of weights times coefficients.

    Args:
        weights: for each axis, those of each point, shape (points, m).
        places: where in the axis they belong, of the same shape.
        c: coefficients; their first axes are those of the grid.
    """
    y = c[meeting(places)]
    for w in weights:
        y = np.sum(np.reshape(w, (*w.shape, *(1,) * (y.ndim - 2))) * y, axis=1)
    return y


def meeting(places: list[Any]) -> tuple[Any, ...]:
    """The index of the elements around each point, an axis for the points and one for each of the grid's."""
    n = len(places)
    return tuple([p[(slice(None), *[None] * i, slice(None), *[None] * (n - 1 - i))] for i, p in enumerate(places)])


def multilinear(places: list[Any], c: Any, *shares: Any) -> Any:
    """The values in cells: ``places`` are their edges along each axis, ``shares`` how near points are to the second."""
    return contracted(edges(shares), places, c)


def edges(shares: Any) -> list[Any]:
    return [np.stack((1.0 - s, s), axis=1) for s in shares]


@rrule(multilinear)
def multilinear_rule(places: list[Any], c: Any, *shares: Any) -> Any:
    """Linear in the coefficients, and in each share."""
    weights = edges(shares)

    def c_bar(y_bar: Any) -> Any:
        corners = conj(weights[0])
        for w in map(conj, weights[1:]):
            corners = corners[..., None] * np.reshape(w, (len(w), *(1,) * (corners.ndim - 1), 2))
        trailing = y_bar.ndim - 1
        seed = np.reshape(y_bar, (len(y_bar), *(1,) * len(weights), *y_bar.shape[1:]))
        bar = np.zeros(c.shape, y_bar.dtype)
        np.add.at(bar, meeting(places), np.reshape(corners, (*corners.shape, *(1,) * trailing)) * seed)
        return bar

    def share_bar(k: int, y_bar: Any) -> Any:
        slope = np.broadcast_to(np.array([-1.0, 1.0]), weights[k].shape)
        moved = contracted([slope if i == k else w for i, w in enumerate(weights)], places, c)
        return np.sum(conj(moved) * y_bar, axis=tuple(range(1, moved.ndim)))

    def multilinear_pullback(y_bar: Any) -> Any:
        return None, Thunk(c_bar, y_bar), *[Thunk(share_bar, k, y_bar) for k in range(len(shares))]

    return contracted(weights, places, c), multilinear_pullback


def cells_of(grid: Any, x: Any) -> Any:
    """The cell of each point along each axis, which points lie outside the grid, and which are NaN, if any are."""
    cells = [interval(g, x[:, k]) if len(g) > 1 else np.zeros(len(x), int) for k, g in enumerate(grid)]
    outside, missing = np.zeros(len(x), bool), np.any(np.isnan(x), axis=1)
    for k, g in enumerate(grid):
        outside |= (x[:, k] < g[0]) | (x[:, k] > g[-1])
    return cells, outside if outside.any() else None, missing if missing.any() else None


def edges_of(cells: Any, sizes: Any) -> list[Any]:
    """The places before and after each point along each axis; of a grid of one point that one twice."""
    return [np.stack((i, i if n == 1 else i + 1), axis=1) for i, n in zip(cells, sizes, strict=True)]


def along_axis(config: Any, x: Any, c: Any, k: int, axis: int) -> Any:
    """The coefficients of interpolating splines along an axis."""
    c = np.moveaxis(c, axis, 0)
    t = knots_of(x, k, None)
    found = config.plainly(solved_spline, t, x, k, c)
    return t, np.moveaxis(interpolated(config, found, x, c, t, k), 0, axis)


def solved_spline(t: Any, x: Any, k: int, y: Any) -> Any:
    return solved_bands(k, matrix(t, x, k, [], []), y)


def spline_values(ts: Any, c: Any, ks: Any, xs: Any, nus: Any) -> Any:
    """The values of a tensor product of splines, or of its derivatives of the orders ``nus``."""
    weights, places = [], []
    for axis, (t, k, x, nu) in enumerate(zip(ts, ks, xs, nus, strict=True)):
        c = np.moveaxis(c, axis, 0)
        for _ in range(min(nu, k)):
            t, c = differenced(t, c, k)
            k = k - 1
        c = np.moveaxis(0.0 * c if nu > ks[axis] else c, 0, axis)
        m = span(t, x, k)
        weights.append(basis(t, x, m, k))
        places.append(m[:, None] + np.arange(-k, 1))
    return contracted(weights, places, c)


@program(Grid.__init__)
def grid_init(
    config: Any, self: Any, points: Any, values: Any, method: Any = "linear", bounds_error: Any = True,
    fill_value: Any = np.nan, **named: Any,
) -> None:  # fmt: skip
    made: Any = None
    if method in DEGREES:
        made = adopt(config, self, Grid, points, values, method, bounds_error, fill_value, **named)
    else:
        take_state(config, self, Grid, points, values, method, bounds_error, fill_value, **named)
    grid, values = [np.asarray(p, float) for p in points], np.asarray(values)
    values = values if values.dtype.kind in "fc" else np.asarray(values, float)
    for axis, x in enumerate(grid):
        if x[0] > x[-1]:
            grid[axis], values = x[::-1], np.flip(values, axis=axis)
    self._grid, self._values, self.fill_value = tuple(grid), values, fill_value
    if method in DEGREES:
        set_spline(config, self, made, method)


def set_spline(config: Any, self: Any, made: Any, method: str) -> None:
    """The coefficients as SciPy has found them, in steps that may not have come to their end."""
    ts, c = [], self._values
    for axis, x in enumerate(self._grid):
        t, c = along_axis(config, x, c, DEGREES[method], axis)
        ts.append(t)
    found = getattr(made, "_spline", None)
    if found is not None:
        c = moved_as(config, found.c, c)
    self._tensor = (tuple(ts), c, (DEGREES[method],) * len(ts))


def linear_found(grid: Any, values: Any, x: Any) -> Any:
    """The values that SciPy finds; asking the object itself, an engine would look through all that it holds."""
    return Grid(grid, values, bounds_error=False, fill_value=None)(x)


@program(Grid.__call__)
def grid_call(config: Any, self: Any, xi: Any, method: Any = None, **named: Any) -> Any:
    given, grid, values = method, self._grid, self._values
    n = len(grid)
    method = self.method if method is None else method
    x = coordinates(config, xi, n)
    if x.shape[-1] != n or named or method not in ("linear", "nearest"):
        config.plainly(self, xi, given, **named)  # it raises what is to be raised
    shape = x.shape[:-1] + values.shape[n:]
    x = np.reshape(x, (-1, n))
    cells, outside, missing = config.plainly(cells_of, grid, x)
    if outside is not None and self.bounds_error:
        config.plainly(self, xi, given, **named)  # raises
    if missing is not None:
        x = np.where(missing[:, None], np.stack([g[0] for g in grid]), x)
        cells = config.plainly(cells_of, grid, x)[0]
    if method in DEGREES:
        if not hasattr(self, "_tensor") or method != self.method:
            set_spline(config, self, None, method)
        nu = named.get("nu")
        ts, c, ks = self._tensor
        y = spline_values(ts, c, ks, list(x.T), (0,) * n if nu is None else nu)
    elif method in ("linear", "nearest"):
        sizes, shares = [len(g) for g in grid], []
        for axis, (g, i) in enumerate(zip(grid, cells, strict=True)):
            if sizes[axis] > 1:
                shares.append((x[:, axis] - g[i]) / (g[i + 1] - g[i]))
            else:
                shares.append(np.zeros(len(x)))
        if method == "nearest":
            y = values[tuple([np.where(s <= 0.5, i, i + 1) for s, i in zip(shares, cells, strict=True)])]
        else:
            y = multilinear(config.plainly(edges_of, cells, sizes), values, *shares)
            if len(grid) > 1 and missing is None:
                y = moved_as(config, config.plainly(linear_found, grid, values, x), y)
    else:
        y = self._evaluate_spline(x, method)
    trailing = (-1, *(1,) * (y.ndim - 1))
    if outside is not None and not self.bounds_error and self.fill_value is not None:
        y = np.where(np.reshape(outside, trailing), self.fill_value, y)
    if missing is not None:
        y = np.where(np.reshape(missing, trailing), np.nan, y)
    return np.reshape(y, shape)


@program(si.RectBivariateSpline.__init__)
def rectangle_init(
    config: Any, self: Any, x: Any, y: Any, z: Any, bbox: Any = (None, None, None, None), kx: Any = 3, ky: Any = 3,
    s: Any = 0, *options: Any, **named: Any,
) -> None:  # fmt: skip
    take_state(config, self, si.RectBivariateSpline, x, y, z, list(bbox), kx, ky, s, *options, **named)
    if s > 0 or any(b is not None for b in bbox):
        raise NotImplementedDerivative("only interpolation of all data is implemented: s=0, and no bbox")
    x, y = np.asarray(x, float), np.asarray(y, float)
    c = np.reshape(np.asarray(z, float), (len(x), len(y)))
    tx, c = along_axis(config, x, c, kx, 0)
    ty, c = along_axis(config, y, c, ky, 1)
    self.tck = (tx, ty, np.ravel(c))


def tensor_of(self: Any) -> Any:
    tx, ty, c = self.tck
    kx, ky = self.degrees
    return tx, ty, np.reshape(c[: (len(tx) - kx - 1) * (len(ty) - ky - 1)], (len(tx) - kx - 1, -1)), kx, ky


def clipped(t: Any, k: int, x: Any) -> Any:
    """Points as FITPACK takes them: those outside are moved to the border."""
    return np.clip(x, t[k], t[len(t) - k - 1])


@program(si.BivariateSpline.__call__)
def bivariate_call(config: Any, self: Any, x: Any, y: Any, dx: Any = 0, dy: Any = 0, grid: Any = True) -> Any:
    config.plainly(self, x, y, dx, dy, grid)  # it raises what is to be raised
    tx, ty, c, kx, ky = tensor_of(self)
    x, y = np.asarray(x, float), np.asarray(y, float)
    if grid:
        x, y = np.ravel(x), np.ravel(y)
        x, y = np.broadcast_arrays(x[:, None], y[None, :])
    else:
        x, y = np.broadcast_arrays(x, y)
    points = [clipped(tx, kx, np.ravel(x)), clipped(ty, ky, np.ravel(y))]
    return np.reshape(spline_values((tx, ty), c, (kx, ky), points, (dx, dy)), x.shape)


@program(si.BivariateSpline.ev)
def bivariate_ev(config: Any, self: Any, xi: Any, yi: Any, dx: Any = 0, dy: Any = 0) -> Any:
    return self(xi, yi, dx, dy, False)


@program(si.BivariateSpline.integral)
def bivariate_integral(config: Any, self: Any, xa: Any, xb: Any, ya: Any, yb: Any) -> Any:
    tx, ty, c, kx, ky = tensor_of(self)
    for t, k, ends in ((tx, kx, (xa, xb)), (ty, ky, (ya, yb))):
        ends = clipped(t, k, np.stack([np.asarray(e, float) for e in ends]))
        c = integrals(t, ends, k, c)
    return c


def integrals(t: Any, ends: Any, k: int, c: Any) -> Any:
    """The integrals of splines with coefficients in rows."""
    t, c = summed(t, c, k)
    y = spline(t, c, ends, k + 1)
    return y[1] - y[0]


Nd = getattr(si, "NdBSpline", None)


def nd_call(config: Any, self: Any, xi: Any, *, nu: Any = None, extrapolate: Any = None) -> Any:
    config.plainly(self, xi, nu=nu, extrapolate=extrapolate)
    extrapolate = self.extrapolate if extrapolate is None else extrapolate
    ts, c, ks = self.t, self._c if hasattr(self, "_c") else self.c, self.k
    n = len(ts)
    x = np.asarray(xi, float)
    points = np.reshape(x, (-1, n))
    y = spline_values(ts, c, ks, list(points.T), (0,) * n if nu is None else nu)
    if not extrapolate:
        outside = np.zeros(len(points), bool)
        for axis, (t, k) in enumerate(zip(ts, ks, strict=True)):
            outside = outside | (points[:, axis] < t[k]) | (points[:, axis] > t[len(t) - k - 1])
        y = np.where(np.reshape(outside, (-1, *(1,) * (y.ndim - 1))), np.nan, y)
    return np.reshape(y, x.shape[:-1] + c.shape[n:])


if Nd is not None:
    program(Nd.__call__)(nd_call)


@program(si.NdPPoly.__call__)
def nd_polynomial_call(config: Any, self: Any, x: Any, nu: Any = None, extrapolate: Any = None) -> Any:
    config.plainly(self, x, nu, extrapolate)
    n = len(self.x)
    if nu is not None and any(nu):
        raise NotImplementedDerivative("derivatives of NdPPoly, nu=, are not implemented; use its values")
    points = coordinates(config, x, n)
    flat = np.reshape(points, (-1, n))
    extrapolate = self.extrapolate if extrapolate is None else extrapolate
    powers, index, outside = [], [], np.zeros(len(flat), bool)
    for axis, b in enumerate(self.x):
        at = flat[:, axis]
        i = interval(b, at)
        outside = outside | (at < b[0]) | (at > b[-1])
        t = at - b[i]
        powers.append([t**p for p in range(self.c.shape[axis] - 1, -1, -1)])
        index.append(i)
    y: Any = 0.0
    for ks in product(*[range(self.c.shape[axis]) for axis in range(n)]):
        w = 1.0
        for axis, k in enumerate(ks):
            w = w * powers[axis][k]
        piece = self.c[(*ks, *index)]
        y = y + np.reshape(w, (-1, *(1,) * (piece.ndim - 1))) * piece
    if not extrapolate:
        y = np.where(np.reshape(outside, (-1, *(1,) * (y.ndim - 1))), np.nan, y)
    return np.reshape(y, points.shape[:-1] + self.c.shape[2 * n :])
