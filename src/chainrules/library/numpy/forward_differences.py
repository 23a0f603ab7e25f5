"""Forward rules for differences, slopes, quadrature, convolution and spaced points."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...lookup import frules_for
from ...products import strong_mul
from ..forward import array_dot, forward
from . import spaced  # noqa: F401  (the reverse rules)
from .bessel import i1
from .forward_linalg import multilinear
from .shared import NO_VALUE, as_array, ndarray
from .slopes import _steps

_np: Any = np

multilinear(np.convolve, 2)
multilinear(np.correlate, 2)


@forward(np.diff, 0, 3, 4)
def diff_forward(
    y: Any, dots: Any, a: Any, n: int = 1, axis: int = -1, prepend: Any = NO_VALUE, append: Any = NO_VALUE
) -> Any:
    """The difference of the tangents, those of what was put before and behind included."""
    a_dot, first_dot, last_dot = dots
    options = {}
    if prepend is not NO_VALUE:
        options["prepend"] = array_dot(prepend, first_dot)
    if append is not NO_VALUE:
        options["append"] = array_dot(append, last_dot)
    return np.diff(array_dot(a, a_dot), n, axis, **options)


@forward(np.ediff1d, 0, 1, 2)
def ediff1d_forward(y: Any, dots: Any, ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    """The differences of the tangents; the ends go through."""
    a_dot, end_dot, begin_dot = dots
    inner = np.diff(array_dot(ary, a_dot).ravel())
    first = [] if to_begin is None else [array_dot(to_begin, begin_dot).ravel()]
    last = [] if to_end is None else [array_dot(to_end, end_dot).ravel()]
    return np.concatenate([*first, inner, *last])


@forward(np.trapezoid, 0, 1, 2)
def trapezoid_forward(area: Any, dots: Any, y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    """The area is linear in the samples, and in the points or the distance."""
    y_dot, x_dot, dx_dot = dots
    y = as_array(y)
    change: Any = 0.0 if y_dot is None else np.trapezoid(array_dot(y, y_dot), x, dx, axis)
    if x is not None and x_dot is not None:
        change = change + np.trapezoid(y, array_dot(x, x_dot), dx, axis)
    if x is None and dx_dot is not None:
        change = change + np.trapezoid(y, None, dx_dot, axis)
    return change


def _slopes(f: Any, f_dot: Any, h: Any, h_dot: Any, edge_order: int) -> Any:
    """The tangents of the slopes along the first axis: product rule for the steps that `slopes` describes."""
    column = (-1, *(1,) * (f.ndim - 1))
    h, h_dot = h.reshape(column), h_dot.reshape(column)
    s = np.diff(f, axis=0) / h
    s_dot = (np.diff(f_dot, axis=0) - strong_mul(s, h_dot)) / h
    w = h[:-1] / (h[:-1] + h[1:])
    w_dot = (h_dot[:-1] * h[1:] - h[:-1] * h_dot[1:]) / np.square(h[:-1] + h[1:])
    inside = (1 - w) * s_dot[:-1] + w * s_dot[1:] + w_dot * (s[1:] - s[:-1])
    first, last = s_dot[:1], s_dot[-1:]
    if edge_order == 2:
        r, t = w[:1], 1 - w[-1:]
        first = first + r * (s_dot[:1] - s_dot[1:2]) + w_dot[:1] * (s[:1] - s[1:2])
        last = last + t * (s_dot[-1:] - s_dot[-2:-1]) - w_dot[-1:] * (s[-1:] - s[-2:-1])
    return np.concatenate((first, inside, last))


@forward(np.gradient, *range(65))
def gradient_forward(y: Any, dots: Any, f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """Axis by axis."""
    f_dot, *spacing_dots = dots[: len(varargs) + 1]
    f = as_array(f)
    f_dot = array_dot(f, f_dot)
    values = f.astype(np.float64) if f.dtype.kind in "iub" else f
    axes = [k % f.ndim for k in (range(f.ndim) if axis is None else (axis,) if np.ndim(axis) == 0 else axis)]
    times = len(axes) if len(varargs) == 1 else 1
    spacings, moves = varargs * times or [1.0] * len(axes), spacing_dots * times or [None] * len(axes)
    found = []
    for ax, spacing, move in zip(axes, spacings, moves, strict=True):
        n = f.shape[ax]
        h = _steps(spacing, n)
        along = array_dot(spacing, move)
        h_dot = np.diff(along) if np.ndim(along) else np.broadcast_to(along, (n - 1,))
        y_dot = _slopes(np.moveaxis(values, ax, 0), np.moveaxis(f_dot, ax, 0), h, h_dot, edge_order)
        found.append(np.moveaxis(y_dot, 0, ax))
    return found[0] if isinstance(y, ndarray) else type(y)(found)


# -- spaced points ----------------------------------------------------------------------------------------


@forward(np.arange, 0, 1, 2, rounds=True)
def arange_forward(
    y: Any, dots: Any, start: Any = NO_VALUE, stop: Any = None, step: Any = None, *args: Any, **options: Any
) -> Any:
    """``start_dot + i step_dot``; where it stops decides only how many there are."""
    start_dot, _, step_dot = dots
    y_dot = np.zeros(len(y))
    if start_dot is not None and stop is not None:
        y_dot = y_dot + start_dot
    return y_dot if step_dot is None else y_dot + np.arange(len(y)) * step_dot


@forward(np.logspace, 0, 1, 4, rounds=True)
def logspace_forward(
    y: Any, dots: Any, start: Any, stop: Any, num: int = 50, endpoint: bool = True, base: Any = 10.0, dtype: Any = None,
    axis: int = 0,
) -> Any:  # fmt: skip
    """Through the power of evenly spaced exponents."""
    n = max(np.ndim(start), np.ndim(stop), np.ndim(base)) if np.ndim(base) else 0
    low, high, b = [np.array(v, ndmin=n) for v in (start, stop, base)]
    moves = [np.array(array_dot(v, t), ndmin=n) for v, t in zip((start, stop, base), dots, strict=True)]
    across = (np.expand_dims(v, axis) if np.ndim(base) else v for v in (b, moves[2]))
    exponents, exponents_dot = (
        _np.linspace(*ends, num, endpoint, axis=axis) for ends in ((low, high), (moves[0], moves[1]))
    )
    b, b_dot = across
    return frules_for(np.power)[0].function((b, exponents), (b_dot, exponents_dot))[1]


@forward(np.geomspace, 0, 1, rounds=True)
def geomspace_forward(
    y: Any, dots: Any, start: Any, stop: Any, num: int = 50, endpoint: bool = True, dtype: Any = None, axis: int = 0
) -> Any:
    """``y`` times the change of the logarithms, which are evenly spaced."""
    low, high = [array_dot(v, t) / v for v, t in zip((start, stop), dots, strict=True)]
    return y * _np.linspace(low, high, num, endpoint, axis=axis)


@forward(np.vander)
def vander_forward(y: Any, dots: Any, x: Any, N: Any = None, increasing: bool = False) -> Any:
    """``k x**(k-1) x_dot`` in each column."""
    n = y.shape[1]
    k = np.arange(n) if increasing else np.arange(n)[::-1]
    lower = np.vander(x, n, True)[:, np.maximum(k - 1, 0)]
    return k * lower * array_dot(x, dots[0])[:, None]


@forward(np.kaiser, 1)
def kaiser_forward(y: Any, dots: Any, M: Any, beta: Any) -> Any:
    """``(r i1(beta r) - y i1(beta))/i0(beta) beta_dot``."""
    if M == 1 or not len(y):
        return np.zeros(len(y))
    half = (M - 1) / 2.0
    r = np.sqrt(1.0 - ((np.arange(len(y)) - half) / half) ** 2)
    return (r * i1(beta * r) - y * i1(beta)) / np.i0(beta) * dots[0]
