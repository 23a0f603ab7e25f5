"""Patterns of filters and convolutions of signals: windows where they are finite, and else all along the axis."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import signal as sg  # type: ignore[import-untyped]

from ....patterns import mark_leaves, pattern
from ...numpy.local_maps import local_terms, locally_linear, windows_of
from ...numpy.patterns import accumulated, array_marks, mixed

CORRELATIONS = (sg.correlate, sg.correlate2d)
MANY = 1000  # terms of a window, from which on a convolution counts as dense


def _convolution(f: Any) -> None:
    of_second = windows_of(f, 1)

    @pattern(f)
    def convolved(joining: Any, y: Any, args: Any, marks: Any, kwargs: Any) -> Any:
        """A window of the first operand, where the other one is no longer, and all of that where it varies."""
        shape, kernel = np.shape(args[0]), np.shape(args[1])
        if marks[0] is None and np.prod(shape) < np.prod(kernel) and not mark_leaves(marks[2:]):
            return of_second(joining, y, args, marks, kwargs)
        if not shape or any(n < m or not m for n, m in zip(shape, kernel, strict=True)) or np.prod(kernel) > MANY:
            return NotImplemented
        if mark_leaves(marks[2:]) or kwargs.get("axes") is not None:
            return NotImplemented
        parts = []
        if marks[1] is not None:
            parts.append(joining.grouped(array_marks(args[1], marks[1]), tuple(range(len(kernel))), "linear"))
        if marks[0] is not None:
            x = array_marks(args[0], marks[0])
            if len(args) > 3 or kwargs.get("boundary", "fill") not in ("fill", "pad"):
                given = np.ones(kernel) if marks[1] is not None else args[1]
                terms = local_terms(lambda v: f(v, given, *args[2:], **kwargs), shape)
                if terms is None:
                    return NotImplemented
                parts.append(joining.scattered(np.shape(y), [(terms[0], x.ravel()[terms[1]])], "linear"))
            else:
                mode = args[2] if len(args) > 2 else kwargs.get("mode", "full")
                reads = np.ones(kernel, bool) if marks[1] is not None else np.asarray(args[1]) != 0
                parts.append(_windows(joining, np.shape(y), x, reads if f in CORRELATIONS else np.flip(reads), mode))
        return joining.join(np.shape(y), parts, "product" if len(parts) > 1 else "linear")


def _windows(joining: Any, size: Any, x: Any, reads: Any, mode: str) -> Any:
    """The marks of a correlation of `x` with a constant kernel, which is not zero where it `reads`."""
    shape, kernel = x.shape, reads.shape
    x = np.pad(x, [(m - 1, m - 1) for m in kernel])
    full = tuple(n + m - 1 for n, m in zip(shape, kernel, strict=True))
    windows = [x[tuple(slice(k, k + n) for k, n in zip(index, full, strict=True))] for index in np.argwhere(reads)]
    found = joining.join(full, windows, "linear")
    # where the middle of an even window lies differs between functions, so that of "same" counts both
    cuts = {"full": [(0,) * len(kernel)], "valid": [tuple(m - 1 for m in kernel)]}.get(
        mode, [tuple((m - 1) // 2 for m in kernel), tuple(m // 2 for m in kernel)]
    )
    parts = [found[tuple(slice(c, c + n) for c, n in zip(cut, size, strict=True))] for cut in dict.fromkeys(cuts)]
    return joining.join(size, parts, "linear")


for _f in (sg.convolve, sg.correlate, sg.fftconvolve, sg.oaconvolve, sg.convolve2d, sg.correlate2d):
    _convolution(_f)


@pattern(sg.lfilter)
def filtered(joining: Any, y: Any, args: Any, marks: Any, kwargs: Any) -> Any:
    """A window of the past without feedback, and else all along the axis, with the state at the beginning."""
    if not 3 <= len(args) <= 5 or mark_leaves(marks[:2]) or mark_leaves(marks[3:4]) or not np.ndim(args[2]):
        return NotImplemented
    axis = args[3] if len(args) > 3 else kwargs.get("axis", -1)
    if isinstance(y, tuple):
        state = (args[4], marks[4]) if len(args) > 4 else (kwargs["zi"], None)
        return _with_state(joining, y, (args[2], marks[2]), state, axis, ())
    if len(args) > 4 or kwargs.get("zi") is not None or marks[2] is None:
        return NotImplemented
    taps, feedback = np.trim_zeros(np.ravel(args[0]), "b"), np.trim_zeros(np.ravel(args[1]), "b")
    if len(feedback) > 1 or len(taps) > MANY:
        return accumulated("linear")(joining, y, (args[2], axis), (marks[2], None), {})
    x = np.moveaxis(array_marks(args[2], marks[2]), axis, -1)
    parts = [np.pad(x, [(0, 0)] * (x.ndim - 1) + [(k, 0)])[..., : x.shape[-1]] for k in range(max(len(taps), 1))]
    return np.moveaxis(joining.join(x.shape, parts, "linear"), -1, axis)


def _with_state(joining: Any, y: Any, signal: Any, state: Any, axis: int, more: tuple[int, ...]) -> Any:
    """All along the axis, of the signal and the state at the beginning, which has `more` axes in front."""
    parts = []
    for (x, m), in_front in ((signal, ()), (state, more)):
        if m is not None:
            along = axis % np.ndim(signal[0]) + len(in_front)
            found = joining.grouped(array_marks(x, m), (*in_front, along), "linear")
            parts.append(np.expand_dims(found, axis % np.ndim(signal[0])))
    found = joining.join(np.broadcast_shapes(*[p.shape for p in parts]), parts, "linear")
    return tuple([np.broadcast_to(found, np.shape(v)) for v in y])


@pattern(sg.sosfilt)
def filtered_by_sections(joining: Any, y: Any, args: Any, marks: Any, kwargs: Any) -> Any:
    """All along the axis, with the state at the beginning."""
    if len(args) < 2 or mark_leaves(marks[:1]) or mark_leaves(marks[2:3]) or not np.ndim(args[1]):
        return NotImplemented
    if isinstance(y, tuple):
        state = (args[3], marks[3]) if len(args) > 3 else (kwargs["zi"], None)
        axis = args[2] if len(args) > 2 else kwargs.get("axis", -1)
        return _with_state(joining, y, (args[1], marks[1]), state, axis, (0,))
    return accumulated("linear", -1)(joining, y, args[1:3], marks[1:3], kwargs)


pattern(sg.detrend)(mixed("linear", -1))
pattern(sg.hilbert)(mixed("linear", -1, 2))
locally_linear(sg.savgol_filter)
locally_linear(sg.upfirdn, 1)


@pattern(sg.order_filter)
def ranked(joining: Any, y: Any, args: Any, marks: Any, kwargs: Any) -> Any:
    """Where the domain is not zero, of an array with zeros around it."""
    x = array_marks(args[0], marks[0])
    if len(args) < 2 or mark_leaves(marks[1:]) or not y.size:
        return NotImplemented
    domain = np.asarray(args[1])
    padded = np.pad(x, [(n // 2, n // 2) for n in domain.shape])
    windows = [padded[tuple(slice(k, k + n) for k, n in zip(at, x.shape, strict=True))] for at in np.argwhere(domain)]
    return joining.join(x.shape, windows, "linear")


def _median(f: Any) -> None:
    @pattern(f)
    def median(joining: Any, y: Any, args: Any, marks: Any, kwargs: Any) -> Any:
        """A box around the place, of an array with zeros around it."""
        size = args[1] if len(args) > 1 else kwargs.get("kernel_size", 3)
        x = array_marks(args[0], marks[0])
        sizes = np.broadcast_to(3 if size is None else size, (x.ndim,))
        if mark_leaves(marks[1:]) or np.prod(sizes) > MANY:
            return NotImplemented
        padded = np.pad(x, [(n // 2, n // 2) for n in sizes])
        windows = [
            padded[tuple(slice(k, k + n) for k, n in zip(index, x.shape, strict=True))] for index in np.ndindex(*sizes)
        ]
        return joining.join(x.shape, windows, "linear")


for _f in (sg.medfilt, sg.medfilt2d):
    _median(_f)
