"""Filters of `scipy.ndimage` that select: extrema, medians, ranks, flat erosion and dilation."""

from __future__ import annotations

import numpy as np
from scipy import ndimage as nd  # type: ignore[import-untyped]

from ..selections import declare_selection
from .outputs import may_write

SMALL = (
    nd.minimum_filter, nd.minimum_filter1d, nd.median_filter, nd.rank_filter, nd.percentile_filter, nd.grey_erosion,
)  # fmt: skip
LARGE = (nd.maximum_filter, nd.maximum_filter1d, nd.grey_dilation)

for f in SMALL:
    declare_selection(f)
for f in LARGE:
    declare_selection(f, np.greater)
may_write(*SMALL, *LARGE)
