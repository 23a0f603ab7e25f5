"""`numpy.gradient`: slopes by differences of second order, by the values and by where they were taken.

With ``s[i] = (f[i+1] - f[i])/h[i]`` the slope inside is ``(h[i] s[i-1] + h[i-1] s[i])/(h[i-1] + h[i])``, the
derivative of the parabola through three points; at an end it is ``s`` itself, or ``s[0] + (s[0] - s[1]) h[0]/(h[0] +
h[1])`` for ``edge_order=2``. The pullback is that of these steps.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...products import strong_mul
from ...rules import rrule
from ...tangents import Thunk
from .shared import as_array, conj, ndarray

_np: Any = np


def _steps(spacing: Any, n: int) -> Any:
    """The ``n - 1`` steps: of one length, or between the given points."""
    spacing = np.asarray(spacing, np.float64) if np.ndim(spacing) or not isinstance(spacing, np.generic) else spacing
    return np.diff(spacing) if np.ndim(spacing) else np.broadcast_to(spacing, (n - 1,))


def _slopes_bar(f: Any, h: Any, edge_order: int, g: Any) -> Any:
    """The cotangents of ``s``, and of the steps through the weights; ``f`` and ``g`` lie along the first axis."""
    column = (-1, *(1,) * (f.ndim - 1))
    h = h.reshape(column)
    s = np.diff(f, axis=0) / h
    w = h[:-1] / (h[:-1] + h[1:])
    none = np.zeros((1, *f.shape[1:]))
    before, after = (1 - w) * g[1:-1], w * g[1:-1]
    s_bar = np.concatenate((before, none)) + np.concatenate((none, after))
    # dw/dh[i-1] = h[i]/(h[i-1] + h[i])**2, dw/dh[i] = -h[i-1]/(h[i-1] + h[i])**2
    bend = strong_mul(conj(s[1:] - s[:-1]), g[1:-1]).real
    first, last = g[:1], g[-1:]
    middle = np.zeros((max(len(s) - 2, 0), *f.shape[1:]))
    if edge_order == 2:
        r, t = w[:1], 1 - w[-1:]
        s_bar = s_bar + np.concatenate(((1 + r) * first, -r * first, middle))
        s_bar = s_bar + np.concatenate((middle, -t * last, (1 + t) * last))
        ends = np.zeros((max(len(s) - 2, 0), *f.shape[1:]))
        start = strong_mul(conj(s[:1] - s[1:2]), first).real
        end = strong_mul(conj(s[-1:] - s[-2:-1]), last).real
        bend = bend + np.concatenate((start, ends)) - np.concatenate((ends, end))
    elif len(s) == 1:
        s_bar = s_bar + first + last
    else:
        s_bar = s_bar + np.concatenate((first, middle, last))
    square = np.square(h[:-1] + h[1:])
    up, down = bend * h[1:] / square, bend * h[:-1] / square
    h_bar = np.concatenate((up, none)) - np.concatenate((none, down))
    return s, s_bar, h_bar - strong_mul(conj(s) / h, s_bar).real


def _values_bar(h: Any, s_bar: Any) -> Any:
    d = s_bar / h.reshape(-1, *(1,) * (s_bar.ndim - 1))
    none = np.zeros((1, *s_bar.shape[1:]))
    return np.concatenate((none, d)) - np.concatenate((d, none))


def _spacing_bar(spacing: Any, h_bar: Any) -> Any:
    total = np.sum(h_bar, axis=tuple(range(1, h_bar.ndim)))
    if np.ndim(spacing) == 0:
        return np.sum(total)
    none = np.zeros(1)
    return np.concatenate((none, total)) - np.concatenate((total, none))


def gradient_rule(f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """To the values, and to the spacings: one for all axes, or one for each."""
    y = _np.gradient(f, *varargs, axis=axis, edge_order=edge_order)
    f = as_array(f)
    values = f.astype(np.float64) if f.dtype.kind in "iub" else f
    axes = [k % f.ndim for k in (range(f.ndim) if axis is None else (axis,) if np.ndim(axis) == 0 else axis)]
    single = isinstance(y, ndarray)

    def gradient_pullback(y_bar: Any) -> Any:
        spacings = list(varargs) * len(axes) if len(varargs) == 1 else list(varargs) or [1.0] * len(axes)
        f_bar: Any = np.zeros(f.shape)
        spacing_bars: list[Any] = []
        for k, ax in enumerate(axes):
            g = y_bar if single else y_bar[k]
            if g is None:
                spacing_bars.append(None)
                continue
            h = _steps(spacings[k], f.shape[ax])
            found = _slopes_bar(np.moveaxis(values, ax, 0), h, edge_order, np.moveaxis(as_array(g), ax, 0))
            f_bar = f_bar + np.moveaxis(_values_bar(h, found[1]), 0, ax)
            spacing_bars.append(Thunk(_spacing_bar, spacings[k], found[2]))
        if len(varargs) == 1 and len(axes) > 1:
            there = [b for b in spacing_bars if b is not None]
            spacing_bars = [Thunk(lambda: sum(b() for b in there)) if there else None]
        return (f_bar, *(spacing_bars if varargs else ()))

    return y, gradient_pullback


rrule(np.gradient)(gradient_rule)
