"""Patterns of distances: those of two points each."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial import distance as sd  # type: ignore[import-untyped]

from ....patterns import mark_leaves, pattern
from ...numpy.patterns import array_marks
from .distances import minkowski, quadratic


@pattern(quadratic, minkowski, sd.cdist)
def apart(joining: Any, y: Any, args: Any, marks: Any, kwargs: Any) -> Any:
    """A point of each set, and whatever the metric is made of."""
    parts = [
        np.expand_dims(joining.grouped(array_marks(x, m), (1,), "linear"), k)
        for k, x, m in zip((1, 0), args, marks, strict=False)
        if m is not None
    ]
    metric = mark_leaves(marks[2:])
    if metric:
        parts.append(joining.grouped(np.concatenate([np.ravel(m) for m in metric]), (0,), "linear"))
    return joining.join(np.shape(y), parts, "smooth")


@pattern(sd.pdist)
def apart_in_pairs(joining: Any, y: Any, args: Any, marks: Any, kwargs: Any) -> Any:
    """Two points."""
    points = joining.grouped(array_marks(args[0], marks[0]), (1,), "linear")
    i, j = np.triu_indices(len(points), 1)
    return NotImplemented if mark_leaves(marks[1:]) else joining.join(np.shape(y), [points[i], points[j]], "smooth")


@pattern(sd.squareform)
def rearranged(joining: Any, y: Any, args: Any, marks: Any, kwargs: Any) -> Any:
    """The distance itself."""
    return sd.squareform(array_marks(args[0], marks[0]), checks=False)
