"""Forward rules for histograms: linear in the weights, and through the edges where those move.

With volumes ``v`` of the bins and the total ``t`` of the counts ``c`` a density is ``y = c/(v t)``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..forward import array_dot, filled, forward
from .histograms import _cells
from .shared import as_array


@forward(np.bincount, 1)
def bincount_forward(y: Any, dots: Any, x: Any, weights: Any = None, minlength: int = 0) -> Any:
    """The tangents of the weights, counted."""
    return np.bincount(x, array_dot(weights, dots[0]), minlength)


def edges_dot(edges: Any, samples: Any, bins: Any, range: Any, dots: Any) -> Any:
    """The tangent of the edges of one dimension.

    Args:
        edges: what was used.
        samples: the sample; its ends are those of the edges where nothing else is given.
        bins: edges, their number, or how NumPy finds it.
        range: the ends, or ``None``.
        dots: the tangents of sample, bins and range.
    """
    a_dot, bins_dot, range_dot = dots
    if np.ndim(bins) == 1:
        return array_dot(bins, bins_dot)
    if range is not None:
        low, high = filled(list(range), range_dot)
    else:
        a, flat = as_array(samples), array_dot(samples, a_dot).ravel()
        low, high = (flat[np.argmin(a)], flat[np.argmax(a)]) if a.size else (0.0, 0.0)
    return np.linspace(low, high, len(edges))


def counts_dot(counts: Any, edges: Any, moves: Any, samples: Any, weights: Any, w_dot: Any, density: Any) -> Any:
    """The tangent of counts or densities; that of a density is ``c_dot/(v t) - y (t_dot/t + v_dot/v)``."""
    cells, inside = _cells(samples, edges)
    flat = np.ravel_multi_index(cells, counts.shape) if counts.size else np.zeros(0, int)
    w = np.where(inside, 1.0 if weights is None else np.ravel(weights), 0.0)
    move = np.zeros(w.shape) if w_dot is None else np.where(inside, np.ravel(filled(weights, w_dot)), 0.0)
    y_dot = np.bincount(flat, np.real(move), counts.size)
    if np.iscomplexobj(move):
        y_dot = y_dot + 1j * np.bincount(flat, np.imag(move), counts.size)
    y_dot = y_dot.reshape(counts.shape)
    if not density:
        return y_dot if counts.dtype.kind in "fcO" or w_dot is not None else None
    total, growth, volume = np.sum(w), np.sum(move) / np.sum(w), np.ones(())
    for k, (e, m) in enumerate(zip(edges, moves, strict=True)):
        along = [-1 if i == k else 1 for i in range(len(edges))]
        width = np.diff(e).reshape(along)
        volume, growth = volume * width, growth + np.diff(m).reshape(along) / width
    return y_dot / (volume * total) - counts * growth


@forward(np.histogram, 0, 1, 2, 4)
def histogram_forward(
    y: Any, dots: Any, a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> Any:  # fmt: skip
    """Counts and edges."""
    move = edges_dot(y[1], a, bins, range, dots[:3])
    return counts_dot(y[0], [y[1]], [move], [np.ravel(a)], weights, dots[3], density), move


@forward(np.histogram_bin_edges, 0, 1, 2)
def histogram_bin_edges_forward(y: Any, dots: Any, a: Any, bins: Any = 10, range: Any = None, *rest: Any) -> Any:
    """The edges alone."""
    return edges_dot(y, a, bins, range, dots)


def _several(
    y: Any, columns: Any, columns_dot: Any, bins: Any, range: Any, weights: Any, dots: Any, density: Any
) -> Any:
    """The tangents of counts, and of the edges of each dimension."""
    counts, edges = y
    d = len(columns)
    apart = isinstance(bins, (list, tuple, np.ndarray)) and len(bins) == d
    bins_dot, range_dot, w_dot = dots
    per_axis = [(bins[k], None if bins_dot is None else bins_dot[k]) if apart else (bins, bins_dot) for k in _count(d)]
    ends = [(None if range is None else range[k], None if range_dot is None else range_dot[k]) for k in _count(d)]
    moves = [
        edges_dot(edges[k], columns[k], per_axis[k][0], ends[k][0], (columns_dot[k], per_axis[k][1], ends[k][1]))
        for k in _count(d)
    ]
    return counts_dot(counts, edges, moves, columns, weights, w_dot, density), moves


_count = range


@forward(np.histogramdd, 0, 1, 2, 4)
def histogramdd_forward(
    y: Any, dots: Any, sample: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> Any:  # fmt: skip
    """As `numpy.histogram`, in each dimension."""
    rows = isinstance(sample, np.ndarray)
    columns, moves = (
        list(np.atleast_2d(v.T) if rows else np.atleast_2d(v)) for v in (as_array(sample), array_dot(sample, dots[0]))
    )
    moves = [None] * len(columns) if dots[0] is None else moves
    found, edges = _several(y, columns, moves, bins, range, weights, dots[1:], density)
    return found, type(y[1])(edges)


@forward(np.histogram2d, 0, 1, 2, 3, 5)
def histogram2d_forward(
    value: Any, dots: Any, x: Any, y: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> Any:  # fmt: skip
    """As `numpy.histogram`, in two dimensions."""
    columns = [np.ravel(x), np.ravel(y)]
    moves = [None if t is None else array_dot(v, np.ravel(t)) for v, t in zip(columns, dots[:2], strict=True)]
    found, edges = _several((value[0], value[1:]), columns, moves, bins, range, weights, dots[2:], density)
    return found, *edges
