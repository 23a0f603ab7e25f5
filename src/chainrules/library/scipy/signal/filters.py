"""Recursive filters: the adjoint runs backwards in time.

A filter solves ``A y + a[0] zf = B x + a[0] zi``, where ``A`` and ``B`` are convolutions with ``a`` and ``b``, the
state ``zi`` stands at the first times and ``zf`` at those after the last. With multipliers ``u`` of these equations,
which solve the transposed ones from behind, every cotangent is a correlation of ``u`` with what its factor stands
beside (the adjoint method of linear equations: Giles, An extended collection of matrix derivative results, 2008).
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from scipy import signal as sp  # type: ignore[import-untyped]

from ....rules import rrule
from ....tangents import Thunk, is_absent, unthunk
from ...forward import array_dot, filled, forward
from ...numpy.fft import fitted
from ...numpy.shared import as_array, conj, leading
from ..boundaries import extended, folded


def moved(x: Any, axis: int, to: int = -1) -> Any:
    """`numpy.moveaxis`, which takes its time, where an axis has to be moved."""
    return x if axis % x.ndim == to % x.ndim else np.moveaxis(x, axis, to)


def backwards(b: Any, a: Any, g: Any) -> Any:
    """The adjoint of ``lfilter(b, a, g)`` along the last axis."""
    return sp.lfilter(conj(b), conj(a), g[..., ::-1])[..., ::-1] if g.size else g


def lags(u: Any, x: Any, n: int) -> Any:
    """``sum(u[t + k] conj(x[t]))`` over times and lines, for ``n`` lags ``k`` from 0 on."""
    times = x.shape[-1]
    if not x.size:
        return np.zeros(n)
    u, x = u[..., : times + n - 1].reshape(-1, times + n - 1), x.reshape(-1, times)
    return np.correlate(u[0], x[0], "valid") if len(x) == 1 else sp.correlate(u, x, "valid")[0]


def multipliers(a: Any, y_bar: Any, zf_bar: Any, size: int) -> Any:
    """What the equations are multiplied by: along the last axis, with ``size`` states behind the last time."""
    behind = np.zeros((*y_bar.shape[:-1], size), y_bar.dtype) if zf_bar is None else zf_bar / conj(a[0])
    if zf_bar is not None:  # the last outputs go into the states
        into = backwards(a, np.ones(1), np.concatenate([np.zeros_like(y_bar), behind], -1))
        y_bar = y_bar - into[..., : y_bar.shape[-1]]
    return np.concatenate([backwards(np.ones(1), a, y_bar), behind], -1)


def lfilter_rule(b: Any, a: Any, x: Any, axis: int = -1, zi: Any = None) -> Any:
    """The filter backwards in time; `multipliers` times what stands beside them in the equations."""
    y = sp.lfilter(b, a, x, axis, zi)
    y = y if zi is None else tuple(map(np.array, y))  # of a filter without recursion they are views of one array
    b, a = np.atleast_1d(b), np.atleast_1d(a)
    x = moved(as_array(x), axis, -1)
    n, size = x.shape[-1], max(len(a), len(b)) - 1
    state = None if zi is None else moved(as_array(zi), axis, -1)
    out, final = (moved(part, axis, -1) for part in (y if zi is not None else (y, y)))

    def lfilter_pullback(y_bar: Any) -> Any:
        g, last = (y_bar, None) if zi is None else [None if is_absent(bar) else unthunk(bar) for bar in y_bar]
        g = np.zeros(out.shape, out.dtype) if g is None else moved(g, axis, -1)
        last = None if last is None else moved(last, axis, -1)
        found_once: list[Any] = []

        def u() -> Any:
            if not found_once:
                found_once.append(multipliers(a, g, last, size))
            return found_once[0]

        def a_bar() -> Any:
            bar = -lags(u(), out, len(a))
            if state is None:
                return bar
            first = np.sum(u()[..., :size] * conj(state)) - np.sum(u()[..., n:] * conj(final))
            return np.concatenate([bar[:1] + first, bar[1:]])

        def x_bar() -> Any:
            bar = backwards(b, a, g) if last is None else backwards(b, np.ones(1), u())[..., :n]
            return moved(bar, -1, axis)

        def zi_bar() -> Any:
            return None if state is None else moved(conj(a[0]) * u()[..., :size], -1, axis)

        return Thunk(lambda: lags(u(), x, len(b))), Thunk(a_bar), Thunk(x_bar), None, Thunk(zi_bar)

    return y, lfilter_pullback


rrule(sp.lfilter)(leading(lfilter_rule, active=5))


@forward(sp.lfilter, 0, 1, 2, 4)
def lfilter_forward(y: Any, dots: Any, b: Any, a: Any, x: Any, axis: int = -1, zi: Any = None) -> Any:
    """What the tangents of the equations leave, solved."""
    b_dot, a_dot, x_dot, zi_dot = dots
    if zi is None:
        y_dot = 0.0 if x_dot is None else sp.lfilter(b, a, x_dot, axis)
        y_dot = y_dot if b_dot is None else y_dot + sp.lfilter(array_dot(b, b_dot), a, x, axis)
        return y_dot if a_dot is None else y_dot - sp.lfilter(array_dot(a, a_dot), a, y, axis)
    still, none = filled(as_array(x), None), filled(as_array(zi), None)
    states = (np.shape(zi)[axis] + 1,)  # so long that there are as many
    y_dot, zf_dot = sp.lfilter(b, a, filled(x, x_dot), axis, filled(zi, zi_dot))
    if b_dot is not None:
        more, behind = sp.lfilter(fitted(np.atleast_1d(array_dot(b, b_dot)), states), a, x, axis, none)
        y_dot, zf_dot = y_dot + more, zf_dot + behind
    if a_dot is not None:
        a_dot = fitted(np.atleast_1d(array_dot(a, a_dot)), states)
        slope = a_dot[0] / np.atleast_1d(a)[0]
        less, behind = sp.lfilter(a_dot, a, y[0], axis, none)
        more, after = sp.lfilter(b, a, still, axis, slope * as_array(zi))
        y_dot, zf_dot = y_dot - less + more, zf_dot - behind + after - slope * y[1]
    return y_dot, zf_dot


@rrule(sp.sosfilt)
@partial(leading, active=4)
def sosfilt_rule(sos: Any, x: Any, axis: int = -1, zi: Any = None) -> Any:
    """The sections backwards in time, each as of `scipy.signal.lfilter`; SciPy takes 1 alone for their ``a[0]``."""
    sections = np.ascontiguousarray(sos)  # as SciPy wants it
    y = sp.sosfilt(sections, x, axis, zi)
    n = np.shape(x)[axis]

    def sweep(y_bar: Any) -> tuple[Any, list[Any]]:
        """The cotangent of the signal, and the multipliers of the sections."""
        g, last = (y_bar, None) if zi is None else [None if is_absent(bar) else unthunk(bar) for bar in y_bar]
        out = y if zi is None else y[0]
        g = moved(np.zeros(out.shape, out.dtype) if g is None else g, axis, -1)
        us = []
        for i in reversed(range(len(sections))):
            u = multipliers(sections[i, 3:], g, None if last is None else moved(last[i], axis, -1), 2)
            g = backwards(sections[i, :3], np.ones(1), u)[..., :n]
            us.append(u)
        return moved(g, -1, axis), us[::-1]

    def sosfilt_pullback(y_bar: Any) -> Any:
        found_once: list[Any] = []

        def swept() -> tuple[Any, list[Any]]:
            if not found_once:
                found_once.append(sweep(y_bar))
            return found_once[0]

        def sos_bar() -> Any:
            rows, signal = [], x
            for i, u in enumerate(swept()[1]):
                b, a = sections[i, :3], sections[i, 3:]
                before = moved(as_array(signal), axis, -1)
                signal = sp.lfilter(b, a, signal, axis) if zi is None else sp.lfilter(b, a, signal, axis, zi[i])[0]
                after = moved(signal, axis, -1)
                rows.append(np.concatenate([lags(u, before, 3), np.zeros(1), -lags(u, after, 3)[1:]]))
            return np.stack(rows)

        def x_bar() -> Any:
            if zi is None:
                return np.flip(sp.sosfilt(conj(sections), np.flip(y_bar, axis), axis), axis)
            return swept()[0]

        def zi_bar() -> Any:
            if zi is None:
                return None
            return np.stack([moved(u[..., :2], -1, axis) for u in swept()[1]])

        return Thunk(sos_bar), Thunk(x_bar), None, Thunk(zi_bar)

    return y, sosfilt_pullback


@forward(sp.sosfilt, 0, 1, 3)
def sosfilt_forward(y: Any, dots: Any, sos: Any, x: Any, axis: int = -1, zi: Any = None) -> Any:
    """Linear in signal and state; of the sections the pullback knows it."""
    sos_dot, x_dot, zi_dot = dots
    if sos_dot is not None:
        return NotImplemented
    sos = np.ascontiguousarray(sos)
    if zi is None:
        return sp.sosfilt(sos, x_dot, axis)
    return sp.sosfilt(sos, filled(x, x_dot), axis, filled(zi, zi_dot))


EXTENSIONS = {"symmetric": "reflect", "reflect": "mirror", "edge": "nearest", "wrap": "wrap", "constant": "constant"}


@rrule(sp.upfirdn)
@partial(leading, active=2)
def upfirdn_rule(
    h: Any, x: Any, up: int = 1, down: int = 1, axis: int = -1, mode: str = "constant", cval: Any = 0
) -> Any:
    """The turned filter, up and down exchanged: ``y[m] = sum(h[m down - n up] x[n])``."""
    y = sp.upfirdn(h, x, up, down, axis, mode, cval)
    if mode not in EXTENSIONS:
        raise NotImplementedError(f"the rule for scipy.signal.upfirdn has no derivative for mode={mode!r}")
    h, x = as_array(h), as_array(x)
    axis, kind = axis % x.ndim, EXTENSIONS[mode]
    n, size = x.shape[axis], len(h)
    reach = 0 if kind == "constant" and not cval else -(-size // up)
    left = -(-reach // down) * down  # as many as are whole steps of the result
    first = left * up // down

    def seed(y_bar: Any) -> Any:
        widths = [(first, 0) if k == axis else (0, 0) for k in range(x.ndim)]
        return np.pad(y_bar, widths) if first else y_bar

    def x_bar(y_bar: Any) -> Any:
        late = -(size - 1) % up
        weights = np.concatenate([np.zeros(late), conj(h)[::-1]])
        start, length = (size - 1 + late) // up, left + n + reach
        bar = sp.upfirdn(weights, np.moveaxis(seed(y_bar), axis, 0), down, up, 0)[start : start + length]
        bar = np.moveaxis(fitted(bar, (length, *bar.shape[1:])), 0, axis)
        return folded(bar, axis, left, reach, kind)

    def h_bar(y_bar: Any) -> Any:
        whole = np.moveaxis(extended(x, axis, left, reach, kind, cval), axis, -1)
        wide = sp.upfirdn(np.ones(1), np.moveaxis(seed(y_bar), axis, -1), down)
        spread = sp.upfirdn(np.ones(1), whole, up)
        return lags(fitted(wide, (*wide.shape[:-1], spread.shape[-1] + size - 1)), spread, size)

    return y, lambda y_bar: (Thunk(h_bar, y_bar), Thunk(x_bar, y_bar))


@forward(sp.upfirdn, 0, 1)
def upfirdn_forward(
    y: Any, dots: Any, h: Any, x: Any, up: int = 1, down: int = 1, axis: int = -1, mode: str = "constant",
    cval: Any = 0,
) -> Any:  # fmt: skip
    """Bilinear."""
    y_dot = 0.0 if dots[1] is None else sp.upfirdn(h, dots[1], up, down, axis, mode)
    return y_dot if dots[0] is None else y_dot + sp.upfirdn(array_dot(h, dots[0]), x, up, down, axis, mode, cval)


@rrule(sp.detrend)
@leading
def detrend_rule(data: Any, axis: int = -1, type: str = "linear", bp: Any = 0, overwrite_data: bool = False) -> Any:
    """The seed without its trend: an orthogonal projection."""
    return sp.detrend(data, axis, type, bp), lambda y_bar: Thunk(sp.detrend, y_bar, axis, type, bp)


@forward(sp.detrend)
def detrend_forward(
    y: Any, dots: Any, data: Any, axis: int = -1, type: str = "linear", bp: Any = 0, overwrite_data: bool = False
) -> Any:
    """Linear."""
    return sp.detrend(dots[0], axis, type, bp)
