"""Interpolation by splines: `scipy.ndimage.map_coordinates` and what places its coordinates on a grid.

Between the elements the image is a sum of products of B-splines. Their coefficients come from a recursive filter, whose
matrix is the inverse of a symmetric one but for the ends; on each interval the B-splines are polynomials.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
from scipy import ndimage as nd  # type: ignore[import-untyped]

from ....rules import rrule
from ....tangents import Thunk
from ...forward import forward
from ...numpy.shared import as_array, conj, leading, scatter
from ..boundaries import extended, folded, found_at, unless_empty
from .outputs import may_write

HALVED = ("mirror", "constant", "wrap", "grid-constant")  # SciPy's filter continues the array as "mirror"
PADDED = {"nearest": "nearest", "grid-constant": "constant"}
BEYOND = {"constant": "mirror", "wrap": "mirror"}  # where B-splines at the boundary find their coefficients
PADDING = 12
# SciPy begins its recursion for "reflect" as if the array were long: of these lengths it is exact.
LONG = 48


def spline_adjoint(g: Any, order: int, axis: int, mode: str) -> Any:
    """The adjoint of `scipy.ndimage.spline_filter1d`."""
    if order < 2:
        return g
    n = g.shape[axis]
    if mode in HALVED:
        ends = np.ones(n)
        ends[[0, -1]] = 0.5
        ends = ends.reshape([-1 if k == axis else 1 for k in range(g.ndim)])
        return nd.spline_filter1d(g / ends, order, axis, exact(g), mode) * ends
    if mode != "grid-wrap" and n < LONG:
        matrix = nd.spline_filter1d(np.eye(n), order, 0, mode=mode)
        return np.moveaxis(np.tensordot(matrix, g, ((0,), (axis,))), 0, axis)
    return nd.spline_filter1d(g, order, axis, exact(g), mode)


def exact(x: Any) -> Any:
    """The type of numbers in double precision that are real or complex as ``x`` is."""
    return np.result_type(x, float)


@rrule(nd.spline_filter1d)
@leading
@unless_empty
def spline_filter1d_rule(
    input: Any, order: int = 3, axis: int = -1, output: Any = np.float64, mode: str = "mirror"
) -> Any:
    """The same filter, with the ends weighted."""
    if isinstance(output, np.ndarray):
        return NotImplemented
    y = nd.spline_filter1d(input, order, axis, output, mode)
    return y, lambda y_bar: Thunk(spline_adjoint, y_bar, order, axis % max(np.ndim(input), 1), mode)


@rrule(nd.spline_filter)
@leading
@unless_empty
def spline_filter_rule(input: Any, order: int = 3, output: Any = np.float64, mode: str = "mirror") -> Any:
    """As `scipy.ndimage.spline_filter1d`, along all axes."""
    if isinstance(output, np.ndarray):
        return NotImplemented
    y = nd.spline_filter(input, order, output, mode)
    return y, lambda y_bar: Thunk(_unfiltered, y_bar, order, mode)


def _unfiltered(g: Any, order: int, mode: str) -> Any:
    for axis in range(g.ndim):
        g = spline_adjoint(g, order, axis, mode)
    return g


for f in (nd.spline_filter1d, nd.spline_filter):
    forward(f)(lambda y, dots, input, *args, _f=f, **named: _f(dots[0], *args, **named))
may_write(nd.spline_filter1d, nd.spline_filter)


@cache
def pieces(order: int) -> Any:
    """The polynomials of the B-splines that reach into one interval: a row of coefficients for each, by powers.

    They follow from ``p N_p(v) = v N_(p-1)(v) + (p + 1 - v) N_(p-1)(v - 1)`` (de Boor, A Practical Guide to Splines).

    >>> pieces(1).tolist()
    [[1.0, -1.0], [0.0, 1.0]]
    """
    rows = np.array([[1.0]])
    for p in range(1, order + 1):
        last, rows = rows, np.zeros((p + 1, p + 1))
        for k in range(p + 1):  # of the argument u + p - k
            for row, constant, slope in ((k - 1, p - k, 1.0), (k, k + 1, -1.0)):
                if 0 <= row < p:
                    rows[k, :p] += constant * last[row] / p
                    rows[k, 1:] += slope * last[row] / p
    return rows


def _along(t: Any, n: int, order: int, mode: str) -> tuple[Any, Any, Any, Any]:
    """Along one axis: the elements that are read (-1 for none), their weights, the slopes of these, and where any."""
    inside: Any = True
    if mode == "constant":
        inside = (t >= 0) & (t <= n - 1)
        t = np.where(inside, t, 0.0)
    elif mode == "wrap":  # SciPy's period is one less than the length
        period = max(n - 1, 1)
        t = np.where((t < 0) | (t > n - 1), t - period * np.floor(t / period), t) if n > 1 else 0.0 * t
    elif mode == "mirror" and order == 0 and n > 1:  # which of two elements is nearest half way between them
        turned = t % (2 * n - 2)
        t = np.where((t < 0) | (t > n - 1), np.where(turned > n - 1, 2 * n - 2 - turned, turned), t)
    t = t + 0.5 * (order % 2 == 0)
    start = np.floor(t)
    u = t - start
    powers = np.stack([u**p for p in range(order + 1)])
    weights = np.tensordot(pieces(order), powers, 1)
    factors = np.arange(1, order + 1)
    slopes = np.tensordot(pieces(order)[:, 1:] * factors, powers[:-1], 1) if order else np.zeros_like(weights)
    steps = np.arange(order + 1).reshape(-1, *[1] * np.ndim(u)) - order // 2
    at = found_at(start.astype(int) + steps, n, BEYOND.get(mode, mode))
    return at, weights, slopes, inside


def _bars(
    x: Any, coordinates: Any, order: int, mode: str, cval: Any, prefilter: bool, y_bar: Any
) -> tuple[Callable[[], Any], Callable[[], Any]]:
    """What gives the cotangents of the image and of the coordinates."""
    mode = {"grid-mirror": "reflect"}.get(mode, mode)
    filters = prefilter and order > 1
    wide = PADDING if filters and mode in PADDED else 0
    n, shape = x.ndim, tuple([size + 2 * wide for size in x.shape])
    reads = [_along(coordinates[k] + wide, shape[k], order, mode) for k in range(n)]
    flat, missing, inside = 0, False, True
    for k, (at, _, _, there) in enumerate(reads):
        at = at.reshape([order + 1 if j == k else 1 for j in range(n)] + list(at.shape[1:]))
        missing = missing | (at < 0)
        flat = flat * shape[k] + np.where(at < 0, 0, at)
        inside = inside & there
    points = list(range(n, n + coordinates.ndim - 1))
    g = np.where(inside, y_bar, 0.0)

    def factors(slope: int | None = None) -> list[Any]:
        return [arg for k in range(n) for arg in (reads[k][2 if k == slope else 1], [k, *points])]

    def x_bar() -> Any:
        spread = np.einsum(g, points, *factors(), [*range(n), *points])
        bar = scatter(flat, np.where(missing, 0.0, spread), int(np.prod(shape))).reshape(shape)
        for axis in range(n) if filters else ():
            bar = folded(spline_adjoint(bar, order, axis, mode), axis, wide, wide, PADDED.get(mode, mode))
        return bar

    def coordinates_bar() -> Any:
        image = x
        for axis in range(n):
            image = extended(image, axis, wide, wide, PADDED.get(mode, mode), cval)
        image = nd.spline_filter(image, order, exact(image), mode) if filters else image
        read = np.where(missing, cval, np.ravel(image)[flat])
        return np.stack([
            np.real(conj(g) * np.einsum(read, [*range(n), *points], *factors(k), points)) for k in range(n)
        ])  # fmt: skip

    return x_bar, coordinates_bar


@rrule(nd.map_coordinates)
@partial(leading, active=2)
@partial(unless_empty, active=2)
def map_coordinates_rule(
    input: Any, coordinates: Any, output: Any = None, order: int = 3, mode: str = "constant", cval: Any = 0.0,
    prefilter: bool = True,
) -> Any:  # fmt: skip
    """The seed times the B-splines, to the image; times their slopes, to the coordinates."""
    if isinstance(output, np.ndarray):
        return NotImplemented
    y = nd.map_coordinates(input, coordinates, output, order, mode, cval, prefilter)

    def map_coordinates_pullback(y_bar: Any) -> Any:
        places = as_array(coordinates)
        return tuple(map(Thunk, _bars(as_array(input), places, order, mode, cval, prefilter, y_bar)))

    return y, map_coordinates_pullback


def _grid(shape: tuple[int, ...]) -> Any:
    return np.indices(shape, float)


@rrule(nd.zoom)
@partial(leading, active=2)
@partial(unless_empty, active=2)
def zoom_rule(
    input: Any, zoom: Any, output: Any = None, order: int = 3, mode: str = "constant", cval: Any = 0.0,
    prefilter: bool = True, *, grid_mode: bool = False,
) -> Any:  # fmt: skip
    """As `scipy.ndimage.map_coordinates`; the factor decides about the shape alone."""
    if isinstance(output, np.ndarray):
        return NotImplemented
    y = nd.zoom(input, zoom, output, order, mode, cval, prefilter, grid_mode=grid_mode)
    x, half = as_array(input), 0.5 if grid_mode else 0.0

    def x_bar(y_bar: Any) -> Any:
        places = _grid(y.shape)
        for k, (n, m) in enumerate(zip(x.shape, y.shape, strict=True)):
            step = (n / m if m else 1.0) if grid_mode else ((n - 1) / (m - 1) if m != 1 else 1.0)
            places[k] = (places[k] + half) * step - half
        return _bars(x, places, order, mode, cval, prefilter, y_bar)[0]()

    return y, lambda y_bar: (Thunk(x_bar, y_bar), None)


@rrule(nd.shift)
@partial(leading, active=2)
@partial(unless_empty, active=2)
def shift_rule(
    input: Any, shift: Any, output: Any = None, order: int = 3, mode: str = "constant", cval: Any = 0.0,
    prefilter: bool = True,
) -> Any:  # fmt: skip
    """As `scipy.ndimage.map_coordinates`."""
    if isinstance(output, np.ndarray):
        return NotImplemented
    y = nd.shift(input, shift, output, order, mode, cval, prefilter)

    def shift_pullback(y_bar: Any) -> Any:
        x = as_array(input)
        steps = np.reshape(np.broadcast_to(as_array(shift), (x.ndim,)), [-1] + [1] * x.ndim)
        x_bar, places_bar = _bars(x, _grid(y.shape) - steps, order, mode, cval, prefilter, y_bar)
        return Thunk(x_bar), Thunk(lambda: -np.sum(places_bar(), tuple(range(1, x.ndim + 1))))

    return y, shift_pullback


@rrule(nd.affine_transform)
@partial(leading, active=3)
@partial(unless_empty, active=3)
def affine_transform_rule(
    input: Any, matrix: Any, offset: Any = 0.0, output_shape: Any = None, output: Any = None, order: int = 3,
    mode: str = "constant", cval: Any = 0.0, prefilter: bool = True,
) -> Any:  # fmt: skip
    """As `scipy.ndimage.map_coordinates`, at ``matrix @ index + offset``."""
    if isinstance(output, np.ndarray):
        return NotImplemented
    y = nd.affine_transform(input, matrix, offset, output_shape, output, order, mode, cval, prefilter)
    x, a = as_array(input), as_array(matrix)
    n = x.ndim
    homogeneous = a.ndim == 2 and a.shape[1] == n + 1
    linear = a[:n, :n] if homogeneous else a
    moved = a[:n, n] if homogeneous else np.broadcast_to(as_array(offset), (n,))

    def affine_transform_pullback(y_bar: Any) -> Any:
        grid = _grid(y.shape)
        rest = [1] * grid[0].ndim
        if a.ndim == 1:  # in the order in which SciPy computes it, so that edges are edges
            places = (grid + (moved / linear).reshape(-1, *rest)) * linear.reshape(-1, *rest)
        else:
            places = sum(linear[:, k].reshape(-1, *rest) * grid[k] for k in range(len(grid)))
            places = places + moved.reshape(-1, *rest)
        x_bar, places_bar = _bars(x, places, order, mode, cval, prefilter, y_bar)

        def matrix_bar() -> Any:
            bar = places_bar().reshape(n, -1)
            if a.ndim == 1:
                return np.sum(bar * grid.reshape(n, -1), axis=1)
            whole = bar @ grid.reshape(len(grid), -1).T
            if not homogeneous:
                return whole
            whole = np.concatenate([whole, np.sum(bar, axis=1, keepdims=True)], axis=1)
            return np.concatenate([whole, np.zeros((a.shape[0] - n, n + 1))])

        def offset_bar() -> Any:
            return None if homogeneous else np.sum(places_bar().reshape(n, -1), axis=1)

        return Thunk(x_bar), Thunk(matrix_bar), Thunk(offset_bar)

    return y, affine_transform_pullback


may_write(nd.map_coordinates, nd.zoom, nd.shift, nd.affine_transform)
