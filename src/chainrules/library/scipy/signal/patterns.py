"""Patterns of filters and convolutions of signals: windows where they are finite, and else all along the axis."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import signal as sg  # type: ignore[import-untyped]

from ....patterns import mark_leaves, pattern
from ...numpy.patterns import mixed

MANY = 1000  # terms of a window, from which on a convolution counts as dense


def _operand(args: Any, marks: Any) -> Any:
    return np.reshape(marks, np.shape(args)).astype(np.int64)


@pattern(sg.convolve, sg.correlate, sg.fftconvolve, sg.oaconvolve, sg.convolve2d, sg.correlate2d)
def convolved(joining: Any, y: Any, args: Any, marks: Any, kwargs: Any) -> Any:
    """A window of the first operand, where the other one is constant and no longer."""
    mode = args[2] if len(args) > 2 else kwargs.get("mode", "full")
    shape, kernel = np.shape(args[0]), np.shape(args[1])
    if mark_leaves(marks[1:]) or mode not in ("full", "same", "valid") or kwargs.get("axes") is not None:
        return NotImplemented
    if kwargs.get("boundary", "fill") not in ("fill", "pad") or len(args) > 3 or not shape:
        return NotImplemented
    if any(n < m or not m for n, m in zip(shape, kernel, strict=True)) or np.prod(kernel) > MANY:
        return NotImplemented
    x = np.pad(_operand(args[0], marks[0]), [(m - 1, m - 1) for m in kernel])
    full = tuple(n + m - 1 for n, m in zip(shape, kernel, strict=True))
    windows = [x[tuple(slice(k, k + n) for k, n in zip(index, full, strict=True))] for index in np.ndindex(*kernel)]
    found = joining.join(full, windows, "linear")
    # where the middle of an even window lies differs between functions, so that of "same" counts both
    cuts = {"full": [(0,) * len(kernel)], "valid": [tuple(m - 1 for m in kernel)]}.get(
        mode, [tuple((m - 1) // 2 for m in kernel), tuple(m // 2 for m in kernel)]
    )
    size = np.shape(y)
    parts = [found[tuple(slice(c, c + n) for c, n in zip(cut, size, strict=True))] for cut in dict.fromkeys(cuts)]
    return joining.join(size, parts, "linear")


@pattern(sg.lfilter)
def filtered(joining: Any, y: Any, args: Any, marks: Any, kwargs: Any) -> Any:
    """A window of the past without feedback, and else all along the axis."""
    if len(args) < 3 or len(args) > 4 or mark_leaves(marks[:2]) or mark_leaves(marks[3:]) or isinstance(y, tuple):
        return NotImplemented
    if kwargs.get("zi") is not None:
        return NotImplemented
    axis = args[3] if len(args) > 3 else kwargs.get("axis", -1)
    taps, feedback = np.trim_zeros(np.ravel(args[0]), "b"), np.trim_zeros(np.ravel(args[1]), "b")
    if len(feedback) > 1 or len(taps) > MANY:
        return mixed("linear", -1)(joining, y, (args[2], axis), (marks[2], None), {})
    x = np.moveaxis(_operand(args[2], marks[2]), axis, -1)
    parts = [np.pad(x, [(0, 0)] * (x.ndim - 1) + [(k, 0)])[..., : x.shape[-1]] for k in range(max(len(taps), 1))]
    return np.moveaxis(joining.join(x.shape, parts, "linear"), -1, axis)


@pattern(sg.savgol_filter)
def smoothed(joining: Any, y: Any, args: Any, marks: Any, kwargs: Any) -> Any:
    """A window; at the ends, where a polynomial is fitted, up to the whole of it to one side."""
    width = args[1] if len(args) > 1 else kwargs.get("window_length")
    mode, axis = kwargs.get("mode", "interp"), kwargs.get("axis", -1)
    if mark_leaves(marks[1:]) or len(args) > 5 or mode == "wrap" or not isinstance(width, (int, np.integer)):
        return NotImplemented
    x = np.moveaxis(_operand(args[0], marks[0]), axis, -1)
    far = int(width) - 1
    padded = np.pad(x, [(0, 0)] * (x.ndim - 1) + [(far, far)])
    parts = [padded[..., k : k + x.shape[-1]] for k in range(2 * far + 1)]
    return np.moveaxis(joining.join(x.shape, parts, "linear"), -1, axis)
