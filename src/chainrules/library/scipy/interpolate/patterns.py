"""Patterns of piecewise polynomials: the point, and the coefficients of its interval."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....patterns import mark_leaves, pattern
from ...numpy.patterns import array_marks
from .basis import basis, span
from .piecewise import evaluated, interval
from .splines import spline


def _of_point(x: Any, marks: Any, columns: int) -> list[Any]:
    """The marks of the points, with an axis for each one of the coefficients' columns."""
    return [] if marks is None else [np.reshape(array_marks(x, marks), np.shape(x) + (1,) * columns)]


@pattern(spline)
def of_spline(joining: Any, y: Any, args: Any, marks: Any, kwargs: Any) -> Any:
    """The coefficients of the B-splines that are not zero at the point; for knots that vary, everything."""
    t, c, x, k = args[:4]
    if mark_leaves((marks[0], *marks[3:])) or not np.size(x) or len(t) <= k:
        return NotImplemented
    parts = _of_point(x, marks[2], np.ndim(c) - 1)
    kind = "smooth" if parts else "linear"
    if marks[1] is not None:
        first = span(np.asarray(t), np.where(np.isnan(x), t[k], x), k) - k
        coefficients = array_marks(c, marks[1])
        parts += [coefficients[first + i] for i in range(k + 1)]
    return joining.join(np.shape(y), parts, kind)


@pattern(evaluated)
def of_pieces(joining: Any, y: Any, args: Any, marks: Any, kwargs: Any) -> Any:
    """The coefficients of the interval and where it begins."""
    c, b, x = args[:3]
    if mark_leaves(marks[3:]) or not np.size(x):
        return NotImplemented
    at = interval(np.asarray(b), np.asarray(x))
    parts = _of_point(x, marks[2], np.ndim(c) - 2)
    if marks[1] is not None:
        parts += _of_point(x, array_marks(b, marks[1])[at], np.ndim(c) - 2)
    kind = "smooth" if parts else "linear"
    if marks[0] is not None:
        parts.append(joining.grouped(array_marks(c, marks[0]), (0,), "linear")[at])
    return joining.join(np.shape(y), parts, kind)


@pattern(basis)
def of_basis(joining: Any, y: Any, args: Any, marks: Any, kwargs: Any) -> Any:
    """The point, for constant knots."""
    if mark_leaves((marks[0], *marks[2:])):
        return NotImplemented
    return joining.join(np.shape(y), [array_marks(args[1], marks[1])[:, None]], "smooth")
