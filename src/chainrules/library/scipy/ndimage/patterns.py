"""Patterns of filters: each number of the value depends on those in a window around its place.

Where the window lies depends on sizes, footprints, origins and axes. A filter of an image with one bright point tells.
"""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
from scipy import ndimage as nd  # type: ignore[import-untyped]

from ....patterns import mark_leaves, pattern, pattern_of
from ...numpy.local_maps import locally_linear
from ...numpy.patterns import array_marks
from ..boundaries import ALIASES

PADDING = {"reflect": "symmetric", "mirror": "reflect", "nearest": "edge", "wrap": "wrap", "constant": "constant"}
SMALL = 15  # of the image with one bright point, along each axis
LARGE = 100_000  # its numbers, from which on the filter counts as dense


def window(f: Any, ndim: int, options: dict[str, Any]) -> Any:
    """From how far each number of the value is computed, a row for each of the numbers; None for too many."""
    size = SMALL
    while size**ndim <= LARGE:
        image = np.zeros((size,) * ndim)
        image[(size // 2,) * ndim] = 1.0
        found = size // 2 - np.argwhere(f(image, **options))
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


def local(f: Any, probe: Any) -> None:
    """Declare the pattern of a filter, whose window `probe` shows, called with an image and options by name."""
    names = [*inspect.signature(f).parameters][1:]

    @pattern(f)
    def filtered(joining: Any, y: Any, args: Any, marks: Any, kwargs: Any) -> Any:
        """Those in the window."""
        options = {**dict(zip(names, args[1:], strict=False)), **kwargs}
        shape = np.shape(args[0])
        modes, output, _ = (options.pop(name, None) for name in ("mode", "output", "cval"))
        modes = [modes or "reflect"] * len(shape) if modes is None or isinstance(modes, str) else list(modes)
        modes = [ALIASES.get(m, m) for m in modes]
        if mark_leaves(marks[1:]) or isinstance(output, np.ndarray) or not np.size(y) or not shape:
            return NotImplemented
        if len(modes) != len(shape) or not all(m in PADDING for m in modes):
            return NotImplemented
        offsets = window(probe, len(shape), {**options, "mode": "constant"})
        if offsets is None:
            return NotImplemented
        return windowed(joining, array_marks(args[0], marks[0]), offsets, modes)


for _name in (
    "correlate", "convolve", "correlate1d", "convolve1d", "gaussian_filter", "gaussian_filter1d", "uniform_filter",
    "uniform_filter1d", "laplace", "gaussian_laplace", "sobel", "prewitt",
):  # fmt: skip
    local(getattr(nd, _name), getattr(nd, _name))
# Selections: a bright point shows in the maximum, a dark one in the minimum, and both in any rank between these.
BRIGHT = 1e9  # beside what a structure adds
for _f in (nd.maximum_filter, nd.maximum_filter1d, nd.grey_dilation):
    local(_f, lambda x, _f=_f, **options: _f(BRIGHT * x, **options) > BRIGHT / 2)
for _f in (nd.minimum_filter, nd.minimum_filter1d, nd.grey_erosion):
    local(_f, lambda x, _f=_f, **options: _f(-BRIGHT * x, **options) < -BRIGHT / 2)
local(nd.median_filter, nd.maximum_filter)
local(nd.rank_filter, lambda x, rank, **options: nd.maximum_filter(x, **options))
local(nd.percentile_filter, lambda x, percentile, **options: nd.maximum_filter(x, **options))


# -- interpolation ----------------------------------------------------------------------------------------------
# Splines of an order above 1 come from a recursive filter, which reads all along the axes.


def _reads_windows(f: Any) -> Any:
    parameters = inspect.signature(f)

    def reads_windows(*args: Any, **kwargs: Any) -> bool:
        """Whether no filter comes first, and nothing is written into another array."""
        given = parameters.bind(*args, **kwargs)
        given.apply_defaults()
        options = given.arguments
        return (options["order"] < 2 or not options["prefilter"]) and not isinstance(options["output"], np.ndarray)

    return reads_windows


for _f in (nd.zoom, nd.shift, nd.affine_transform, nd.map_coordinates):
    locally_linear(_f, 0, _reads_windows(_f))
_of_image = pattern_of(nd.map_coordinates)


@pattern(nd.map_coordinates)
def interpolated(joining: Any, y: Any, args: Any, marks: Any, kwargs: Any) -> Any:
    """The coordinates of a point, of a constant image; elements around it, where the coordinates are constant."""
    if marks[0] is None and len(args) > 1 and not mark_leaves(marks[2:]):
        return joining.grouped(array_marks(args[1], marks[1]), (0,), "smooth")
    assert _of_image is not None
    return _of_image(joining, y, args, marks, kwargs)
