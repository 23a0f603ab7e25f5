"""Patterns of filters: each number of the value depends on those in a window around its place.

Where the window lies depends on sizes, footprints, origins and axes. A filter of an image with one bright point tells.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import ndimage as nd  # type: ignore[import-untyped]

from ....patterns import mark_leaves, pattern
from ..boundaries import ALIASES

PADDING = {"reflect": "symmetric", "mirror": "reflect", "nearest": "edge", "wrap": "wrap", "constant": "constant"}
SMALL = 15  # of the image with one bright point, along each axis
LARGE = 100_000  # its numbers, from which on the filter counts as dense


def window(f: Any, ndim: int, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """From how far each number of the value is computed, a row for each of the numbers; None for too many."""
    size = SMALL
    while size**ndim <= LARGE:
        image = np.zeros((size,) * ndim)
        image[(size // 2,) * ndim] = 1.0
        found = size // 2 - np.argwhere(f(image, *args, **options))
        if np.all(abs(found) < size // 2 - 1):
            return found
        size *= 2
    return None


def windowed(joining: Any, marks: Any, offsets: Any, modes: list[str]) -> Any:
    """Marks of a value whose numbers come from those at `offsets`, of an array that goes on as `modes` say."""
    if not len(offsets):
        return np.zeros(np.shape(marks), np.int64)
    before, after = np.maximum(-offsets.min(0), 0), np.maximum(offsets.max(0), 0)
    padded = marks
    for axis, mode in enumerate(modes):
        width = [(0, 0)] * marks.ndim
        width[axis] = (int(before[axis]), int(after[axis]))
        padded = np.pad(padded, width, PADDING[mode])  # type: ignore[call-overload]
    parts = [
        padded[tuple(slice(b + o, b + o + n) for b, o, n in zip(before, offset, marks.shape, strict=True))]
        for offset in offsets
    ]
    return joining.join(marks.shape, parts, "linear")


def local(f: Any, probe: Any, fixed: tuple[str, ...] = ()) -> None:
    """Declare the pattern of a filter, whose window `probe` shows; `fixed` are names of parameters that it lacks."""

    @pattern(f)
    def filtered(joining: Any, y: Any, args: Any, marks: Any, kwargs: Any) -> Any:
        """Those in the window."""
        options = dict(kwargs)
        modes, _ = options.pop("mode", "reflect"), options.pop("cval", None)
        if mark_leaves(marks[1:]) or len(args) > 2 or options.get("output") is not None or not np.size(y):
            return NotImplemented
        shape = np.shape(args[0])
        modes = [modes] * len(shape) if isinstance(modes, str) else list(modes)
        modes = [ALIASES.get(m, m) for m in modes]
        if len(modes) != len(shape) or not all(m in PADDING for m in modes) or not shape:
            return NotImplemented
        given = {k: v for k, v in options.items() if k not in fixed and k != "output"}
        rest = args[1:] if "size" not in fixed else ()
        offsets = window(probe, len(shape), rest, {**given, "mode": "constant"})
        if offsets is None:
            return NotImplemented
        return windowed(joining, np.reshape(marks[0], shape).astype(np.int64), offsets, modes)


for _name in (
    "correlate", "convolve", "correlate1d", "convolve1d", "gaussian_filter", "gaussian_filter1d", "uniform_filter",
    "uniform_filter1d", "laplace", "gaussian_laplace", "sobel", "prewitt",
):  # fmt: skip
    local(getattr(nd, _name), getattr(nd, _name))
local(nd.maximum_filter, nd.maximum_filter)
local(nd.minimum_filter, lambda x, *args, **options: nd.minimum_filter(-x, *args, **options) < 0)
local(nd.maximum_filter1d, nd.maximum_filter1d)
local(nd.minimum_filter1d, lambda x, *args, **options: nd.minimum_filter1d(-x, *args, **options) < 0)
local(nd.median_filter, nd.maximum_filter)
