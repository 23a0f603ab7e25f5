"""Linear filters that SciPy does in one go: correlations, means, Gaussians along an axis."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.polynomial import hermite_e
from scipy import ndimage as nd  # type: ignore[import-untyped]

from ....rules import rrule
from ....tangents import Thunk
from ...forward import array_dot, forward
from ...numpy.shared import as_array, conj, leading
from ..boundaries import ALIASES, extended, folded, unless_empty
from .outputs import may_write


def reach(size: int, origin: int) -> tuple[int, int]:
    """How far a window reaches to the left and to the right.

    >>> reach(3, 0), reach(4, -1)
    ((1, 1), (1, 2))
    """
    left = size // 2 + origin
    return left, size - 1 - left


def adjoint(g: Any, windows: Any, mode: str, turned: Any, symmetric: bool = False) -> Any:
    """The adjoint of a linear filter.

    Args:
        g: the seed.
        windows: axis, size and origin for each axis that is filtered.
        mode: how the array is continued.
        turned: called with an array, a list of origins, and a mode: the filter, turned.
        symmetric: whether that is the filter itself.
    """
    backs = [reach(size, origin)[1] - size // 2 for _, size, origin in windows]
    mode = ALIASES.get(mode, mode)
    # the matrix of the turned filter is the transpose already
    if mode in ("constant", "wrap") or (symmetric and mode == "reflect"):
        return turned(g, backs, mode)
    for axis, size, origin in windows:
        g = extended(g, axis, *reach(size, origin), "constant")
    g = turned(g, backs, "constant")
    for axis, size, origin in windows:
        g = folded(g, axis, *reach(size, origin), mode)
    return g


def adjoint_along(g: Any, weights: Any, axis: int, mode: str, origin: int = 0) -> Any:
    """The adjoint of `scipy.ndimage.correlate1d`."""
    turned = conj(weights[::-1])
    symmetric = origin == 0 and len(weights) % 2 == 1 and bool(np.all(turned == weights))
    return adjoint(
        g, [(axis, len(weights), origin)], mode,
        lambda x, origins, mode: nd.correlate1d(x, turned, axis, None, mode, 0.0, origins[0]), symmetric,
    )  # fmt: skip


def _bars(x: Any, w: Any, windows: Any, mode: str, cval: Any, y_bar: Any) -> tuple[Any, Any]:
    """The cotangents of ``y = sum(conj(w) x)`` over windows; ``w`` has all axes."""

    def x_bar() -> Any:
        if len(windows) == 1:
            axis, _, origin = windows[0]
            return adjoint_along(y_bar, w.ravel(), axis, mode, origin)
        turned = conj(np.flip(w))
        # of arrays without strides, which broadcasting makes, SciPy's values are wrong
        return adjoint(
            np.asarray(y_bar, order="C"), windows, mode,
            lambda x, origins, mode: nd.correlate(x, turned, None, mode, 0.0, origins or 0),
        )  # fmt: skip

    def w_bar() -> Any:
        wide = x
        for axis, size, origin in windows:
            wide = extended(wide, axis, *reach(size, origin), mode, cval)
        n = x.ndim
        shifted = sliding_window_view(wide, x.shape)  # by the steps of the window
        return np.einsum(shifted, list(range(2 * n)), conj(y_bar), list(range(n, 2 * n)), list(range(n)))

    return Thunk(x_bar), Thunk(w_bar)


def _windows(weights: Any, origin: Any) -> Any:
    origins = [origin] * weights.ndim if np.ndim(origin) == 0 else origin
    return [(k, size, o) for k, (size, o) in enumerate(zip(weights.shape, origins, strict=True))]


def _whole(x: Any, weights: Any, origin: Any, axes: Any) -> tuple[Any, Any]:
    """Weights with all axes of ``x``, and the windows along them."""
    weights = as_array(weights)
    if axes is None:
        return weights, _windows(weights, origin)
    along = [k % x.ndim for k in (axes if np.ndim(axes) else (axes,))]
    origins = dict(zip(along, [origin] * len(along) if np.ndim(origin) == 0 else origin, strict=True))
    sizes = dict(zip(sorted(along), weights.shape, strict=True))  # SciPy takes their axes in this order in any case
    weights = weights.reshape([sizes.get(k, 1) for k in range(x.ndim)])
    return weights, [(k, size, origins.get(k, 0)) for k, size in enumerate(weights.shape)]


def _turned(weights: Any, windows: Any) -> tuple[Any, Any]:
    """The correlation that a convolution is."""
    return conj(np.flip(weights)), [(k, size, -o - (size + 1) % 2) for k, size, o in windows]


def _correlation(f: Any, convolves: bool) -> None:
    def rule(
        input: Any, weights: Any, output: Any = None, mode: str = "reflect", cval: Any = 0.0, origin: Any = 0,
        **named: Any,
    ) -> Any:  # fmt: skip
        """The turned filter of the seed, and the windows of the array times the seed."""
        if isinstance(output, np.ndarray):
            return NotImplemented
        y = f(input, weights, output, mode, cval, origin, **named)
        x = as_array(input)
        w, windows = _whole(x, weights, origin, named.get("axes"))

        def pullback(y_bar: Any) -> Any:
            if not convolves:
                x_bar, w_bar = _bars(x, w, windows, mode, cval, y_bar)
                return x_bar, Thunk(lambda: np.reshape(w_bar(), np.shape(weights)))
            x_bar, w_bar = _bars(x, *_turned(w, windows), mode, cval, y_bar)
            return x_bar, Thunk(lambda: np.reshape(conj(np.flip(w_bar())), np.shape(weights)))

        return y, pullback

    rrule(f)(leading(unless_empty(rule, 2), active=2))

    @forward(f, 0, 1)
    def correlation_forward(
        y: Any, dots: Any, input: Any, weights: Any, output: Any = None, mode: str = "reflect", cval: Any = 0.0,
        origin: Any = 0, **named: Any,
    ) -> Any:  # fmt: skip
        """Bilinear, but for what stands beyond the boundary."""
        y_dot: Any = 0.0
        if dots[0] is not None:
            y_dot = f(np.asarray(dots[0], order="C"), weights, output, mode, 0.0, origin, **named)
        if dots[1] is None:
            return y_dot
        return y_dot + f(input, array_dot(weights, dots[1]), output, mode, cval, origin, **named)


_correlation(nd.correlate, False)
_correlation(nd.convolve, True)


def _correlation_along(f: Any, convolves: bool) -> None:
    def rule(
        input: Any, weights: Any, axis: int = -1, output: Any = None, mode: str = "reflect", cval: Any = 0.0,
        origin: int = 0,
    ) -> Any:  # fmt: skip
        """The turned filter of the seed, and the windows of the array times the seed."""
        if isinstance(output, np.ndarray):
            return NotImplemented
        y = f(input, weights, axis, output, mode, cval, origin)
        x, w = as_array(input), as_array(weights)
        k = axis % x.ndim
        windows = [(k, len(w), origin)]

        def pullback(y_bar: Any) -> Any:
            if not convolves:
                x_bar, w_bar = _bars(x, w, windows, mode, cval, y_bar)
                return x_bar, Thunk(lambda: np.ravel(w_bar()))
            x_bar, w_bar = _bars(x, *_turned(w, windows), mode, cval, y_bar)
            return x_bar, Thunk(lambda: conj(np.ravel(w_bar())[::-1]))

        return y, pullback

    rrule(f)(leading(unless_empty(rule, 2), active=2))

    @forward(f, 0, 1)
    def correlation_forward(
        y: Any, dots: Any, input: Any, weights: Any, axis: int = -1, output: Any = None, mode: str = "reflect",
        cval: Any = 0.0, origin: int = 0,
    ) -> Any:  # fmt: skip
        """Bilinear, but for what stands beyond the boundary."""
        y_dot = 0.0 if dots[0] is None else f(dots[0], weights, axis, output, mode, 0.0, origin)
        if dots[1] is None:
            return y_dot
        return y_dot + f(input, array_dot(weights, dots[1]), axis, output, mode, cval, origin)


_correlation_along(nd.correlate1d, False)
_correlation_along(nd.convolve1d, True)


def mean_adjoint(g: Any, size: int, axis: int, mode: str, origin: int = 0) -> Any:
    """The adjoint of `scipy.ndimage.uniform_filter1d`."""
    return adjoint(
        g, [(axis, size, origin)], mode,
        lambda x, origins, mode: nd.uniform_filter1d(x, size, axis, None, mode, 0.0, origins[0]),
        symmetric=origin == 0 and size % 2 == 1,
    )  # fmt: skip


@rrule(nd.uniform_filter1d)
@leading
@unless_empty
def uniform_filter1d_rule(
    input: Any, size: int, axis: int = -1, output: Any = None, mode: str = "reflect", cval: Any = 0.0, origin: int = 0
) -> Any:
    """The mean of the seed over the windows that an element is in."""
    if isinstance(output, np.ndarray):
        return NotImplemented
    y = nd.uniform_filter1d(input, size, axis, output, mode, cval, origin)
    k = axis % np.ndim(input)

    return y, lambda y_bar: Thunk(mean_adjoint, y_bar, size, k, mode, origin)


@forward(nd.uniform_filter1d)
def uniform_filter1d_forward(
    y: Any, dots: Any, input: Any, size: int, axis: int = -1, output: Any = None, mode: str = "reflect",
    cval: Any = 0.0, origin: int = 0,
) -> Any:  # fmt: skip
    """Linear, but for what stands beyond the boundary."""
    return nd.uniform_filter1d(dots[0], size, axis, output, mode, 0.0, origin)


def gaussian(sigma: Any, order: int, radius: int) -> Any:
    """The weights of `scipy.ndimage.gaussian_filter1d`: ``(-1/sigma)^n He_n(x/sigma)`` times a normalised Gaussian.

    >>> np.round(gaussian(1.0, 1, 1), 4).tolist()
    [0.2741, -0.0, -0.2741]
    """
    x = np.arange(-radius, radius + 1)
    phi = np.exp(-0.5 / sigma**2 * x**2)
    phi = phi / np.sum(phi)
    return phi if order == 0 else (-1 / sigma) ** order * hermite_e.hermeval(x / sigma, [0] * order + [1]) * phi


def gaussian_slope(sigma: Any, order: int, radius: int) -> Any:
    """The derivative of `gaussian` by ``sigma``; ``He_n' = n He_(n-1)``."""
    x = np.arange(-radius, radius + 1)
    phi, y = gaussian(sigma, 0, radius), gaussian(sigma, order, radius)
    y_dot = y * ((x**2 - np.sum(phi * x**2)) / sigma**2 - order) / sigma
    return y_dot if order == 0 else y_dot + order * x / sigma**3 * gaussian(sigma, order - 1, radius)


def radius_of(sigma: Any, truncate: Any, radius: Any) -> int:
    return int(truncate * float(sigma) + 0.5) if radius is None else int(radius)


@rrule(nd.gaussian_filter1d)
@partial(leading, active=2)
@partial(unless_empty, active=2)
def gaussian_filter1d_rule(
    input: Any, sigma: Any, axis: int = -1, order: int = 0, output: Any = None, mode: str = "reflect",
    cval: Any = 0.0, truncate: float = 4.0, *, radius: Any = None,
) -> Any:  # fmt: skip
    """The turned filter of the seed; the width through the weights, in as many of them."""
    if isinstance(output, np.ndarray):
        return NotImplemented
    y = nd.gaussian_filter1d(input, sigma, axis, order, output, mode, cval, truncate, radius=radius)
    size = radius_of(sigma, truncate, radius)

    def x_bar(y_bar: Any) -> Any:
        return adjoint_along(y_bar, gaussian(sigma, order, size)[::-1], axis % np.ndim(input), mode)

    def sigma_bar(y_bar: Any) -> Any:
        slope = gaussian_slope(sigma, order, size)[::-1]
        return np.sum(np.real(conj(y_bar) * nd.correlate1d(input, slope, axis, output, mode, cval)))

    return y, lambda y_bar: (Thunk(x_bar, y_bar), Thunk(sigma_bar, y_bar))


@forward(nd.gaussian_filter1d, 0, 1)
def gaussian_filter1d_forward(
    y: Any, dots: Any, input: Any, sigma: Any, axis: int = -1, order: int = 0, output: Any = None,
    mode: str = "reflect", cval: Any = 0.0, truncate: float = 4.0, *, radius: Any = None,
) -> Any:  # fmt: skip
    """The filter of the tangent, and that with the slope of the weights."""
    size = radius_of(sigma, truncate, radius)
    y_dot = 0.0
    if dots[0] is not None:
        y_dot = nd.gaussian_filter1d(dots[0], sigma, axis, order, output, mode, 0.0, truncate, radius=radius)
    if dots[1] is None:
        return y_dot
    slope = gaussian_slope(sigma, order, size)[::-1]
    return y_dot + nd.correlate1d(input, slope, axis, output, mode, cval) * dots[1]


may_write(nd.correlate, nd.convolve, nd.correlate1d, nd.convolve1d, nd.uniform_filter1d, nd.gaussian_filter1d)
