"""What SciPy composes of filters, as it does, without its preparations; and what is linear as a whole."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import signal as sp  # type: ignore[import-untyped]

from ....programs import program
from ....rules import rrule
from ....tangents import NotImplementedDerivative, Thunk
from ...forward import forward
from ...numpy.fft import fitted
from ...numpy.shared import as_array, leading
from ..boundaries import unless_empty
from ..ndimage.filters import adjoint_along
from ..selections import declare_selection

for f in (sp.medfilt, sp.medfilt2d, sp.order_filter):
    declare_selection(f)


@program(sp.lfilter_zi)
def lfilter_zi_program(config: Any, b: Any, a: Any) -> Any:
    b, a = np.atleast_1d(b), np.atleast_1d(a)
    while len(a) > 1 and a[0] == 0.0:
        a = a[1:]
    n = max(len(a), len(b))
    b = np.concatenate([b / a[0], np.zeros(n - len(b))])
    a = np.concatenate([a / a[0], np.zeros(n - len(a))])
    first = np.eye(1, n - 1)
    return np.linalg.solve(np.eye(n - 1) - np.eye(n - 1, k=1) + np.outer(a[1:], first), b[1:] - a[1:] * b[0])


@program(sp.sosfilt_zi)
def sosfilt_zi_program(config: Any, sos: Any) -> Any:
    states, scale = [], 1.0
    for row in np.asarray(sos):
        states.append(scale * sp.lfilter_zi(row[:3], row[3:]))
        scale = scale * (np.sum(row[:3]) / np.sum(row[3:]))
    return np.stack(states)


def padded(x: Any, padtype: Any, padlen: Any, ntaps: int) -> tuple[int, Any]:
    """How far a signal is continued at both ends of its last axis before it is filtered, and the longer signal."""
    if padtype not in ("even", "odd", "constant", None):
        raise ValueError(
            f"Unknown value '{padtype}' given to padtype. padtype must be 'even', 'odd', 'constant', or None."
        )
    edge = 0 if padtype is None else 3 * ntaps if padlen is None else padlen
    n = x.shape[-1]
    if n <= edge:
        raise ValueError(f"The length of the input vector x must be greater than padlen, which is {edge}.")
    if edge == 0:
        return 0, x
    if padtype == "constant":
        before, after = np.repeat(x[..., :1], edge, -1), np.repeat(x[..., -1:], edge, -1)
    else:
        before, after = x[..., edge:0:-1], x[..., -2 : -edge - 2 : -1]
        if padtype == "odd":
            before, after = 2 * x[..., :1] - before, 2 * x[..., -1:] - after
    return edge, np.concatenate([before, x, after], -1)


@program(sp.filtfilt)
def filtfilt_program(
    config: Any, b: Any, a: Any, x: Any, axis: Any = -1, padtype: Any = "odd", padlen: Any = None,
    method: Any = "pad", irlen: Any = None,
) -> Any:  # fmt: skip
    b, a, x = np.atleast_1d(b), np.atleast_1d(a), np.asarray(x)
    if method not in ("pad", "gust"):
        raise ValueError("method must be 'pad' or 'gust'.")
    if method == "gust":
        from scipy.signal._signaltools import _filtfilt_gust  # type: ignore[import-untyped]

        return _filtfilt_gust(b, a, x, axis, irlen)[0]
    edge, longer = padded(np.moveaxis(x, axis, -1), padtype, padlen, max(len(a), len(b)))
    state = sp.lfilter_zi(b, a)
    y, _ = sp.lfilter(b, a, longer, -1, state * longer[..., :1])
    y, _ = sp.lfilter(b, a, y[..., ::-1], -1, state * y[..., -1:])
    return np.moveaxis(y[..., ::-1][..., edge : y.shape[-1] - edge], -1, axis)


@program(sp.sosfiltfilt)
def sosfiltfilt_program(config: Any, sos: Any, x: Any, axis: Any = -1, padtype: Any = "odd", padlen: Any = None) -> Any:
    sos, x = np.asarray(sos), np.asarray(x)
    n = len(sos)
    ntaps = 2 * n + 1 - min((sos[:, 2] == 0).sum(), (sos[:, 5] == 0).sum())
    edge, longer = padded(np.moveaxis(x, axis, -1), padtype, padlen, int(ntaps))
    state = np.reshape(sp.sosfilt_zi(sos), (n, *[1] * (x.ndim - 1), 2))
    y, _ = sp.sosfilt(sos, longer, -1, state * longer[..., :1])
    y, _ = sp.sosfilt(sos, y[..., ::-1], -1, state * y[..., -1:])
    return np.moveaxis(y[..., ::-1][..., edge : y.shape[-1] - edge], -1, axis)


def resampling(n: int, up: int, down: int, taps: int) -> tuple[int, int, int, int]:
    """How many zeros go before and after the filter of `scipy.signal.resample_poly`, and what is kept of the result."""
    out = -(-n * up // down)
    half = (taps - 1) // 2
    before = down - half % down
    first = (half + before) // down
    after = max(0, (out + first - 1) * down + 1 - (n - 1) * up - taps - before)
    return before, after, first, first + out


@program(sp.resample_poly)
def resample_poly_program(
    config: Any, x: Any, up: Any, down: Any, axis: Any = 0, window: Any = ("kaiser", 5.0), padtype: Any = "constant",
    cval: Any = None,
) -> Any:  # fmt: skip
    x = np.asarray(x)
    if up != int(up) or down != int(down) or up < 1 or down < 1 or (cval is not None and padtype != "constant"):
        return config.plainly(sp.resample_poly, x, up, down, axis, window, padtype, cval)  # raises
    common = math.gcd(int(up), int(down))
    up, down = int(up) // common, int(down) // common
    if up == down == 1:
        return x.copy()
    if isinstance(window, (list, np.ndarray)):
        h = np.asarray(window)
    else:
        rate = max(up, down)
        h = sp.firwin(20 * rate + 1, 1.0 / rate, window=window)
        h = h.astype(x.dtype) if x.dtype.kind in "fc" else h
    x = np.moveaxis(x, axis, -1)
    before, after, first, last = resampling(x.shape[-1], up, down, len(h))
    h = np.concatenate([np.zeros(before, h.dtype), h * up, np.zeros(after, h.dtype)])
    statistic: Any = BACKGROUNDS.get(padtype)
    if statistic is None:
        y = sp.upfirdn(h, x, up, down, -1, padtype, 0 if cval is None else cval)[..., first:last]
    else:
        background = statistic(x, axis=-1, keepdims=True)
        y = sp.upfirdn(h, x - background, up, down)[..., first:last] + background
    return np.moveaxis(y, -1, axis)


BACKGROUNDS = {"mean": np.mean, "median": np.median, "minimum": np.min, "maximum": np.max}


@rrule(sp.hilbert)
@leading
def hilbert_rule(x: Any, N: Any = None, axis: int = -1) -> Any:
    """The real part of the transform of the seed: its matrix is Hermitian before that."""
    y = sp.hilbert(x, N, axis)
    shape = np.shape(x)

    def hilbert_pullback(y_bar: Any) -> Any:
        bar = np.real(sp.hilbert(np.real(y_bar), None, axis)) - np.imag(sp.hilbert(np.imag(y_bar), None, axis))
        return fitted(bar, shape)

    return y, lambda y_bar: Thunk(hilbert_pullback, y_bar)


@forward(sp.hilbert)
def hilbert_forward(y: Any, dots: Any, x: Any, N: Any = None, axis: int = -1) -> Any:
    """Linear."""
    return sp.hilbert(dots[0], N, axis)


@rrule(sp.savgol_filter)
@leading
@unless_empty
def savgol_filter_rule(
    x: Any, window_length: int, polyorder: int, deriv: int = 0, delta: float = 1.0, axis: int = -1,
    mode: str = "interp", cval: Any = 0.0,
) -> Any:  # fmt: skip
    """The turned filter of the seed; where polynomials are fitted at the ends, their matrix transposed."""
    y = sp.savgol_filter(x, window_length, polyorder, deriv, delta, axis, mode, cval)
    axis = axis % np.ndim(x)

    def savgol_filter_pullback(y_bar: Any) -> Any:
        weights = sp.savgol_coeffs(window_length, polyorder, deriv=deriv, delta=delta)[::-1]
        origin = -((window_length + 1) % 2)
        if mode != "interp":
            return adjoint_along(as_array(y_bar), weights, axis, mode, origin)
        g = np.moveaxis(y_bar, axis, 0)
        half, n = window_length // 2, len(g)
        # of as many elements as the window has, where every row is a fit
        fits = sp.savgol_filter(np.eye(window_length), window_length, polyorder, deriv, delta, 0)
        ends = [np.tensordot(fits[:half], g[:half], ((0,), (0,)))]
        ends.append(np.tensordot(fits[window_length - half :], g[n - half :], ((0,), (0,))))
        rest = [(0, 0)] * (g.ndim - 1)
        bar = adjoint_along(np.pad(g[half : n - half], [(half, half), *rest]), weights, 0, "constant", origin)
        bar = bar + np.pad(ends[0], [(0, n - window_length), *rest]) + np.pad(ends[1], [(n - window_length, 0), *rest])
        return np.moveaxis(bar, 0, axis)

    return y, lambda y_bar: Thunk(savgol_filter_pullback, y_bar)


@forward(sp.savgol_filter)
def savgol_filter_forward(
    y: Any, dots: Any, x: Any, window_length: int, polyorder: int, deriv: int = 0, delta: float = 1.0,
    axis: int = -1, mode: str = "interp", cval: Any = 0.0,
) -> Any:  # fmt: skip
    """Linear, but for what stands beyond the ends."""
    return sp.savgol_filter(dots[0], window_length, polyorder, deriv, delta, axis, mode)


@program(sp.peak_prominences)
def peak_prominences_program(config: Any, x: Any, peaks: Any, wlen: Any = None) -> Any:
    x = np.asarray(x)
    _, left, right = config.plainly(sp.peak_prominences, x, peaks, wlen)
    return x[peaks] - np.maximum(x[left], x[right]), left, right


@program(sp.find_peaks)
def find_peaks_program(
    config: Any, x: Any, height: Any = None, threshold: Any = None, distance: Any = None, prominence: Any = None,
    width: Any = None, wlen: Any = None, rel_height: Any = 0.5, plateau_size: Any = None,
) -> Any:  # fmt: skip
    if width is not None:
        raise NotImplementedDerivative("width= is not implemented: choose the peaks by other properties")
    x = np.asarray(x)
    found = config.plainly(
        sp.find_peaks, x, height, threshold, distance, prominence, None, wlen, rel_height, plateau_size
    )
    peaks, properties = found[0], dict(found[1])
    if height is not None:
        properties["peak_heights"] = x[peaks]
    if threshold is not None:
        properties["left_thresholds"] = x[peaks] - x[peaks - 1]
        properties["right_thresholds"] = x[peaks] - x[peaks + 1]
    if prominence is not None:
        bases = np.maximum(x[properties["left_bases"]], x[properties["right_bases"]])
        properties["prominences"] = x[peaks] - bases
    return peaks, properties
