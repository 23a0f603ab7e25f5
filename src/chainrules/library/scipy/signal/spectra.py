"""Welch's estimate of a spectrum, which the periodogram is too: the mean of squared transforms of segments."""

from __future__ import annotations

import inspect
from functools import partial
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from scipy import fft  # type: ignore[import-untyped]
from scipy import signal as sp

from ....rules import rrule
from ....tangents import Thunk, is_absent, unthunk
from ...numpy.fft import fitted
from ...numpy.shared import as_array, could_be_active, leading

WINDOW = inspect.signature(sp.welch).parameters["window"].default  # a name that differs between versions


@rrule(sp.welch)
@partial(leading, active=3)
def welch_rule(
    x: Any, fs: Any = 1.0, window: Any = WINDOW, nperseg: Any = None, noverlap: Any = None, nfft: Any = None,
    detrend: Any = "constant", return_onesided: bool = True, scaling: str = "density", axis: int = -1,
    average: str = "mean",
) -> Any:  # fmt: skip
    """The transforms of the segments times the seed, transformed back and added up where the segments overlap.

    The same times the segments goes to an array of weights, less what these are divided by.
    """
    a = as_array(x)
    if a.dtype.kind == "c" or not a.size or not return_onesided or average != "mean" or callable(detrend):
        return NotImplemented  # SciPy's own code is followed
    if isinstance(window, tuple) and could_be_active(window):
        return NotImplemented  # and so is the parameter of the window
    options = (window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis, average)
    frequencies, density = sp.welch(x, fs, *options)

    def pulled(g: Any, to_window: bool) -> Any:
        n = a.shape[axis]
        named = isinstance(window, (str, tuple))
        size = min(256 if nperseg is None else int(nperseg), n) if named else len(window)
        weights = sp.get_window(window, size) if named else as_array(window)
        step = size - (size // 2 if noverlap is None else int(noverlap))
        length = size if nfft is None else int(nfft)
        segments = sliding_window_view(np.moveaxis(a, axis, -1), size, -1)[..., ::step, :]
        level = (lambda s: sp.detrend(s, -1, detrend)) if detrend else lambda s: s
        levelled = level(segments)
        z = fft.rfft(levelled * weights, length)
        # of the one-sided spectrum, frequencies between the ends stand for two, and so they do in the real transform
        scale = 1.0 / (fs * np.sum(weights**2)) if scaling == "density" else 1.0 / np.sum(weights) ** 2
        back = fft.irfft(z * np.moveaxis(g, axis, -1)[..., None, :], length) * (2.0 * scale * length / z.shape[-2])
        back = fitted(back, (*back.shape[:-1], size))
        if to_window:
            bar = np.sum(back * levelled, axis=tuple(range(back.ndim - 1)))
            total = np.sum(g * density)
            by_norm = weights / np.sum(weights**2) if scaling == "density" else 1.0 / np.sum(weights)
            return bar - 2.0 * total * by_norm
        back = level(back * weights)
        bar = np.zeros((*back.shape[:-2], n))
        for k in range(back.shape[-2]):
            bar[..., k * step : k * step + size] += back[..., k, :]
        return np.moveaxis(bar, -1, axis)

    def welch_pullback(y_bar: Any) -> Any:
        f_bar, g = (None if is_absent(bar) else unthunk(bar) for bar in y_bar)

        def fs_bar() -> Any:
            bar = 0.0 if f_bar is None else np.sum(f_bar * frequencies) / fs
            return bar if g is None or scaling != "density" else bar - np.sum(g * density) / fs

        window_bar = None if g is None or isinstance(window, str) else Thunk(pulled, g, True)
        return None if g is None else Thunk(pulled, g, False), Thunk(fs_bar), window_bar

    return (frequencies, density), welch_pullback
