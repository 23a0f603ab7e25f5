"""Views that lay windows over an array: each cell of the window adds up where it lies."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib import stride_tricks

from ...rules import rrule
from .pick import gathered
from .shared import leading, refuse, scatter


@rrule(stride_tricks.sliding_window_view)
@leading
def sliding_window_view_rule(
    x: Any, window_shape: Any, axis: Any = None, *, subok: bool = False, writeable: bool = False
) -> Any:
    """The seed added up over the windows that an element is in."""
    _, pullback = gathered(lambda v: stride_tricks.sliding_window_view(v, window_shape, axis), x)
    y = stride_tricks.sliding_window_view(x, window_shape, axis, subok=subok, writeable=writeable)
    return y, pullback


@rrule(stride_tricks.as_strided)
@leading
def as_strided_rule(
    x: Any, shape: Any = None, strides: Any = None, subok: bool = False, writeable: bool = True, **options: Any
) -> Any:
    """The seed added up where it lies in memory; cells that are not of ``x``, next to it, have no derivative.

    Raises:
        NotImplementedError: elements of ``x`` itself share memory.
    """
    refuse("numpy.lib.stride_tricks.as_strided", **options)
    y = stride_tricks.as_strided(x, shape, strides, subok, writeable)
    a = np.asarray(x)
    read = elements_read(a, y)

    def as_strided_pullback(y_bar: Any) -> Any:
        return scatter(read, y_bar, a.size).reshape(a.shape)

    return y, as_strided_pullback


def elements_read(a: Any, y: Any) -> Any:
    """The numbers of the elements of ``a`` that a view ``y`` of its memory reads, in the order of the view."""
    cells = _offsets(a)
    order = np.argsort(cells)
    ordered = cells[order]
    if np.any(ordered[1:] == ordered[:-1]):
        raise NotImplementedError(
            "the rule for as_strided needs an array whose elements do not share memory; use a copy"
        )
    wanted = _offsets(y)
    at = np.minimum(np.searchsorted(ordered, wanted), max(a.size - 1, 0))
    if np.any(ordered[at] != wanted if a.size else wanted.size):
        raise NotImplementedError(
            "the rule for as_strided needs a view of elements of its argument; this one leaves them"
        )
    return order[at]


def _offsets(a: Any) -> Any:
    """Where each element begins, in bytes from the first one's beginning, in the order of the elements."""
    offsets = np.zeros((), np.intp)
    for n, stride in zip(a.shape, a.strides, strict=True):
        offsets = offsets[..., None] + stride * np.arange(n)
    return offsets.ravel()
