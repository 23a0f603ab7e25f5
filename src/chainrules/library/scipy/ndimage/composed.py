"""Filters that SciPy composes of others, as it does."""

from __future__ import annotations

import inspect
import math
from functools import cache, partial
from typing import Any

import numpy as np
from scipy import ndimage as nd  # type: ignore[import-untyped]
from scipy import special

from ....programs import program
from ....rules import rrule
from ....tangents import NotImplementedDerivative, Thunk
from ...forward import forward
from ...numpy.shared import as_array, conj, given, leading
from ..boundaries import unless_empty
from .filters import adjoint_along, gaussian, gaussian_slope, mean_adjoint, radius_of
from .outputs import kind_of, may_write, written


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


signature_of = cache(inspect.signature)


def options_of(f: Any, args: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
    """What a call of a filter says after its input, by name and with the defaults."""
    options = defaults_of(f)
    if options is not None and not args and named.keys() <= options.keys():
        return {**options, **named}
    bound = signature_of(f).bind(None, *args, **named)
    bound.apply_defaults()
    return {k: v for k, v in bound.arguments.items() if k != "input"}


@cache
def defaults_of(f: Any) -> dict[str, Any] | None:
    """The options of a filter that needs none; None of others."""
    options = {k: p.default for k, p in signature_of(f).parameters.items() if k != "input"}
    return None if inspect.Parameter.empty in options.values() else options


def _sequences(f: Any, chains: Any) -> None:
    """Declare the rules of a filter that is a sum of sequences of filters along axes.

    Args:
        f: the filter.
        chains: called with the dimensions of the array and what follows it by name: the adjoints of the filters, in
            lists, each called with the seed.
    """

    def rule(input: Any, *args: Any, **named: Any) -> Any:
        """The adjoints in reverse."""
        options = options_of(f, args, named)
        if isinstance(options["output"], np.ndarray):
            return NotImplemented
        y = f(input, *args, **named)
        n = np.ndim(input)

        def pullback(y_bar: Any) -> Any:
            total = None
            for chain in chains(n, **options):
                g = y_bar
                for step in reversed(chain):
                    g = step(g)
                total = g if total is None else total + g
            return total

        return y, lambda y_bar: Thunk(pullback, y_bar)

    rrule(f)(leading(unless_empty(rule)))

    @forward(f)
    def sequence_forward(y: Any, dots: Any, input: Any, *args: Any, **named: Any) -> Any:
        """Linear, but for what stands beyond the boundary."""
        return f(dots[0], **{**options_of(f, args, named), "cval": 0.0})

    may_write(f)


def _uniform(n: int, size: Any, output: Any, mode: Any, cval: Any, origin: Any, axes: Any = None) -> Any:
    along = axes_of(axes, n)
    given = zip(along, each(size, len(along)), each(origin, len(along)), each(mode, len(along)), strict=True)
    return [[partial(mean_adjoint, size=int(s), axis=k, mode=m, origin=o) for k, s, o, m in given if s > 1]]


def _edges(across: list[float]) -> Any:
    def chains(n: int, axis: int, output: Any, mode: Any, cval: Any) -> Any:
        modes = each(mode, n)
        order = [axis % n, *[k for k in range(n) if k != axis % n]]
        weights = [np.array([-1.0, 0.0, 1.0]), *[np.array(across)] * (n - 1)]
        return [[partial(adjoint_along, weights=w, axis=k, mode=modes[k]) for k, w in zip(order, weights, strict=True)]]

    return chains


def _second_differences(n: int, output: Any, mode: Any, cval: Any, axes: Any = None) -> Any:
    along = axes_of(axes, n)
    modes = each(mode, len(along))
    weights = np.array([1.0, -2.0, 1.0])
    return [[partial(adjoint_along, weights=weights, axis=k, mode=modes[i])] for i, k in enumerate(along)] or [[]]


_sequences(nd.uniform_filter, _uniform)
_sequences(nd.sobel, _edges([1.0, 2.0, 1.0]))
_sequences(nd.prewitt, _edges([1.0, 1.0, 1.0]))
_sequences(nd.laplace, _second_differences)


def _gaussians(n: int, sigma: Any, order: Any, mode: Any, truncate: Any, radius: Any, axes: Any) -> Any:
    """Axis, width, order, mode and radius of each filter that `scipy.ndimage.gaussian_filter` consists of."""
    along = axes_of(axes, n)
    sigmas, orders, modes, radii = (each(v, len(along)) for v in (sigma, order, mode, radius))
    sizes = [radius_of(s, truncate, r) for s, r in zip(sigmas, radii, strict=True)]
    return list(zip(along, sigmas, orders, modes, sizes, strict=True))


def _slopes(x: Any, steps: Any, output: Any, cval: Any) -> Any:
    """The derivatives of a Gaussian filter by the widths, one after the other; ``None`` where there is no filter."""
    for at, (_, sigma, *_) in enumerate(steps):
        if sigma <= 1e-15:
            yield None
            continue
        y = as_array(x)
        for i, (axis, sigma, order, mode, size) in enumerate(steps):
            if sigma > 1e-15:
                weights = (gaussian_slope if i == at else gaussian)(sigma, order, size)
                y = nd.correlate1d(y, weights[::-1], axis, output, mode, cval if i <= at else 0.0)
        yield y


@rrule(nd.gaussian_filter)
@partial(leading, active=2)
@partial(unless_empty, active=2)
def gaussian_filter_rule(
    input: Any, sigma: Any, order: Any = 0, output: Any = None, mode: Any = "reflect", cval: Any = 0.0,
    truncate: float = 4.0, *, radius: Any = None, axes: Any = None,
) -> Any:  # fmt: skip
    """As `scipy.ndimage.gaussian_filter1d`, along the axes."""
    if isinstance(output, np.ndarray):
        return NotImplemented
    y = nd.gaussian_filter(input, sigma, order, output, mode, cval, truncate, **given(radius=radius, axes=axes))
    steps = _gaussians(np.ndim(input), sigma, order, mode, truncate, radius, axes)

    def x_bar(y_bar: Any) -> Any:
        for axis, width, k, boundary, size in reversed(steps):
            if width > 1e-15:
                y_bar = adjoint_along(y_bar, gaussian(width, k, size)[::-1], axis, boundary)
        return y_bar

    def sigma_bar(y_bar: Any) -> Any:
        slopes = _slopes(input, steps, output, cval)
        bars = [0.0 if slope is None else np.sum(np.real(conj(y_bar) * slope)) for slope in slopes]
        return sum(bars) if np.ndim(sigma) == 0 else np.reshape(np.stack(bars), np.shape(sigma))

    return y, lambda y_bar: (Thunk(x_bar, y_bar), Thunk(sigma_bar, y_bar))


@forward(nd.gaussian_filter, 0, 1)
def gaussian_filter_forward(
    y: Any, dots: Any, input: Any, sigma: Any, order: Any = 0, output: Any = None, mode: Any = "reflect",
    cval: Any = 0.0, truncate: float = 4.0, *, radius: Any = None, axes: Any = None,
) -> Any:  # fmt: skip
    """The filter of the tangent, and those with the slope of the weights."""
    y_dot = 0.0
    if dots[0] is not None:
        rest = given(radius=radius, axes=axes)
        y_dot = nd.gaussian_filter(dots[0], sigma, order, output, mode, 0.0, truncate, **rest)
    if dots[1] is None:
        return y_dot
    steps = _gaussians(np.ndim(input), sigma, order, mode, truncate, radius, axes)
    widths = each(dots[1], len(steps))
    for width, slope in zip(widths, _slopes(input, steps, output, cval), strict=True):
        y_dot = y_dot if slope is None else y_dot + slope * width
    return y_dot


may_write(nd.gaussian_filter)


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
