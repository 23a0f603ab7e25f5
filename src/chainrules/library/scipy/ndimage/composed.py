"""Filters that SciPy composes of others, as it does, without its preparations."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import ndimage as nd  # type: ignore[import-untyped]
from scipy import special

from ....programs import program
from ....tangents import NotImplementedDerivative
from .outputs import kind_of, written


def each(value: Any, n: int) -> Any:
    """One value for each of ``n`` axes.

    Raises:
        RuntimeError: there are more or fewer, as SciPy has it.
    """
    if np.ndim(value) == 0 or isinstance(value, str):
        return [value] * n
    if len(value) != n:
        raise RuntimeError("sequence argument must have length equal to input rank")
    return value


def axes_of(axes: Any, n: int) -> Any:
    if axes is None:
        return list(range(n))
    return [axis % n for axis in (axes if np.ndim(axes) else [axes])]


@program(nd.gaussian_filter)
def gaussian_filter_program(
    config: Any, input: Any, sigma: Any, order: Any = 0, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
    truncate: Any = 4.0, *, radius: Any = None, axes: Any = None,
) -> Any:  # fmt: skip
    y = np.asarray(input)
    along, kind = axes_of(axes, y.ndim), kind_of(output)
    sigmas, orders, modes = each(sigma, len(along)), each(order, len(along)), each(mode, len(along))
    radii = [None] * len(along) if radius is None else each(radius, len(along))
    filtered = False
    for k, axis in enumerate(along):
        if sigmas[k] > 1e-15:
            y = nd.gaussian_filter1d(y, sigmas[k], axis, orders[k], kind, modes[k], cval, truncate, radius=radii[k])
            filtered = True
    return written(y if filtered else y.astype(kind or y.dtype), output)


@program(nd.uniform_filter)
def uniform_filter_program(
    config: Any, input: Any, size: Any = 3, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
    origin: Any = 0, *, axes: Any = None,
) -> Any:  # fmt: skip
    y = np.asarray(input)
    along, kind = axes_of(axes, y.ndim), kind_of(output)
    sizes, modes, origins = each(size, len(along)), each(mode, len(along)), each(origin, len(along))
    filtered = False
    for k, axis in enumerate(along):
        if sizes[k] > 1:
            y = nd.uniform_filter1d(y, int(sizes[k]), axis, kind, modes[k], cval, origins[k])
            filtered = True
    return written(y if filtered else y.astype(kind or y.dtype), output)


def _edges(f: Any, across: list[int]) -> None:
    @program(f)
    def edges_program(
        config: Any, input: Any, axis: Any = -1, output: Any = None, mode: Any = "reflect", cval: Any = 0.0
    ) -> Any:
        y = np.asarray(input)
        n, kind = y.ndim, kind_of(output)
        modes = each(mode, n)
        axis = axis % n
        y = nd.correlate1d(y, [-1, 0, 1], axis, kind, modes[axis], cval)
        for other in range(n):
            if other != axis:
                y = nd.correlate1d(y, across, other, kind, modes[other], cval)
        return written(y, output)


_edges(nd.sobel, [1, 2, 1])
_edges(nd.prewitt, [1, 1, 1])


@program(nd.laplace)
def laplace_program(
    config: Any, input: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, *, axes: Any = None
) -> Any:
    x = np.asarray(input)
    along, kind = axes_of(axes, x.ndim), kind_of(output)
    modes = each(mode, len(along))
    parts = [nd.correlate1d(x, [1, -2, 1], axis, kind, modes[k], cval) for k, axis in enumerate(along)]
    return written(sum(parts[1:], parts[0]) if parts else x.astype(kind or x.dtype), output)


def _derivatives(x: Any, sigma: Any, order: int, kind: Any, mode: Any, cval: Any, axes: Any, options: Any) -> Any:
    """The Gaussian filters of an order along each of the axes."""
    along = axes_of(axes, x.ndim)
    modes = each(mode, len(along))
    parts = []
    for k, axis in enumerate(along):
        orders = [order if other == axis else 0 for other in range(x.ndim)]
        parts.append(nd.gaussian_filter(x, sigma, orders, kind, modes[k], cval, **options))
    return parts


@program(nd.gaussian_laplace)
def gaussian_laplace_program(
    config: Any, input: Any, sigma: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, *,
    axes: Any = None, **options: Any,
) -> Any:  # fmt: skip
    x = np.asarray(input)
    along = axes_of(axes, x.ndim)
    if len(along) < x.ndim:
        given = dict(zip(along, each(sigma, len(along)), strict=True))
        sigma = [given.get(axis, 0) for axis in range(x.ndim)]
    parts = _derivatives(x, sigma, 2, kind_of(output), mode, cval, axes, options)
    return written(sum(parts[1:], parts[0]), output)


@program(nd.gaussian_gradient_magnitude)
def gaussian_gradient_magnitude_program(
    config: Any, input: Any, sigma: Any, output: Any = None, mode: Any = "reflect", cval: Any = 0.0, *,
    axes: Any = None, **options: Any,
) -> Any:  # fmt: skip
    parts = _derivatives(np.asarray(input), sigma, 1, kind_of(output), mode, cval, axes, options)
    squares = [part * part for part in parts]
    return written(np.sqrt(sum(squares[1:], squares[0])), output)


def turned_shape(matrix: Any, shape: Any, reshape: bool) -> Any:
    """The shape of the plane that an image is turned into."""
    if not reshape:
        return shape
    corners = matrix @ [[0, 0, shape[0], shape[0]], [0, shape[1], 0, shape[1]]]
    return tuple((np.ptp(corners, axis=1) + 0.5).astype(int).tolist())


@program(nd.rotate)
def rotate_program(
    config: Any, input: Any, angle: Any, axes: Any = (1, 0), reshape: Any = True, output: Any = None, order: Any = 3,
    mode: Any = "constant", cval: Any = 0.0, prefilter: Any = True,
) -> Any:  # fmt: skip
    x = np.asarray(input)
    n = x.ndim
    first, second = sorted([axis + n if axis < 0 else axis for axis in axes])
    cosine, sine = special.cosdg(angle), special.sindg(angle)
    matrix = np.array([[cosine, sine], [-sine, cosine]])
    shape = (x.shape[first], x.shape[second])
    turned = config.plainly(turned_shape, matrix, shape, reshape)
    offset = (np.array(shape) - 1) / 2 - matrix @ ((np.array(turned) - 1) / 2)
    planes = np.moveaxis(x, (first, second), (-2, -1))
    others = planes.shape[:-2]
    planes = np.reshape(planes, (math.prod(others), *shape))
    kind = kind_of(output)
    found = [nd.affine_transform(plane, matrix, offset, turned, kind, order, mode, cval, prefilter) for plane in planes]
    y = np.reshape(np.stack(found), (*others, *turned)) if found else np.zeros((*others, *turned), kind or x.dtype)
    return written(np.moveaxis(y, (-2, -1), (first, second)), output)


@program(nd.geometric_transform)
def geometric_transform_program(
    config: Any, input: Any, mapping: Any, output_shape: Any = None, output: Any = None, order: Any = 3,
    mode: Any = "constant", cval: Any = 0.0, prefilter: Any = True, extra_arguments: Any = (),
    extra_keywords: Any = None,
) -> Any:  # fmt: skip
    if not config.plainly(callable, mapping):
        raise NotImplementedDerivative("a mapping in C cannot be followed: write it in Python")
    x = np.asarray(input)
    shape = output_shape if output_shape is not None else output.shape if isinstance(output, np.ndarray) else x.shape
    named = {} if extra_keywords is None else extra_keywords
    places = np.array([mapping(index, *extra_arguments, **named) for index in np.ndindex(*shape)])
    places = np.reshape(np.transpose(places), (x.ndim, *shape))
    return written(nd.map_coordinates(x, places, kind_of(output), order, mode, cval, prefilter), output)
