"""Histograms: linear in the weights; the samples choose the bins, and their ends set the edges.

``density=True`` divides the counts by the widths of their bins and by the total.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...projection import unbroadcast
from ...rules import rrule
from .shared import as_array, conj, leading

_np: Any = np
Edges = list[Any]


def bincount_rule(x: Any, weights: Any = None, minlength: int = 0) -> Any:
    """The seed of its bin to each weight."""
    y = np.bincount(x, weights, minlength)
    if y.dtype.kind != "f":  # counts, also where there are weights but nothing to weigh
        return y, lambda y_bar: (None, None)
    return y, lambda y_bar: (None, y_bar[np.asarray(x)])


rrule(np.bincount)(leading(bincount_rule, active=2))


def _bins_of(samples: Any, edges: Any) -> tuple[Any, Any]:
    """For each sample the number of its bin, and whether it lies in one; the last bin is closed."""
    at = np.searchsorted(edges, samples, side="right") - 1
    at = np.where(samples == edges[-1], len(edges) - 2, at)
    inside = (samples >= edges[0]) & (samples <= edges[-1])
    return np.where(inside, at, 0), inside


def _cells(samples: list[Any], edges: Edges) -> tuple[tuple[Any, ...], Any]:
    found = [_bins_of(s, e) for s, e in zip(samples, edges, strict=True)]
    return tuple([at for at, _ in found]), np.logical_and.reduce([inside for _, inside in found])


def _counts_bar(counts_bar: Any, y: Any, edges: Edges, density: Any) -> tuple[Any, Edges]:
    """The cotangents of the weighted counts, and of the edges through the volumes of the bins.

    With volumes ``v`` and the total ``t`` of the counts ``c`` the density is ``y = c/(v t)``: ``c_bar = (y_bar/v -
    sum(y_bar y))/t``, ``v_bar = -y_bar y/v``; a volume is a product of widths.
    """
    if not density:
        return counts_bar, [None for _ in edges]
    d = len(edges)
    widths = [np.diff(e).reshape([-1 if i == k else 1 for i in range(d)]) for k, e in enumerate(edges)]
    relative = counts_bar * conj(y)
    scale = 1.0
    for w in widths:
        scale = scale / w
    edges_bars: Edges = []
    for w in widths:
        w_bar = unbroadcast(-np.real(relative) / w, w.shape).ravel()
        none = np.zeros(1)
        edges_bars.append(np.concatenate((none, w_bar)) - np.concatenate((w_bar, none)))
    return counts_bar * scale - np.sum(relative), edges_bars


def _weights_bar(counts_bar: Any, y: Any, edges: Edges, samples: list[Any], weights: Any, density: Any) -> Any:
    if weights is None or counts_bar is None:
        return None
    cells, inside = _cells(samples, edges)
    g, _ = _counts_bar(counts_bar, y, edges, density)
    if density:
        g = g / np.sum(np.where(inside, conj(np.ravel(weights)), 0.0))
    return np.where(inside, g[cells], 0.0).reshape(np.shape(weights))


def _edges_bar(g: Any, more: Any) -> Any:
    return more if g is None else g if more is None else g + more


def _ends(edges_bar: Any, n: int) -> tuple[Any, Any]:
    """What ``linspace(low, high, n + 1)`` sends to its ends."""
    t = np.linspace(0.0, 1.0, n + 1)
    return np.sum((1 - t) * edges_bar), np.sum(t * edges_bar)


def _sent_to_edges(edges_bar: Any, samples: Any, bins: Any, range: Any) -> tuple[Any, Any, Any]:
    """The cotangents of the samples, of given edges and of a given range; those of the ends of the sample go to the
    first smallest and the first largest of them. How many bins a rule of NumPy's (``bins="auto"``) makes is a choice.
    """
    a = as_array(samples)
    if edges_bar is None:
        return None, None, None
    if np.ndim(bins) == 1:
        return None, edges_bar, None
    low_bar, high_bar = _ends(edges_bar, len(edges_bar) - 1)
    if range is not None:
        return None, None, [low_bar, high_bar]
    a_bar = np.zeros(a.size)
    if a.size:
        flat = np.arange(a.size)
        low, high = np.argmin(a), np.argmax(a)
        a_bar = np.where(flat == low, low_bar, 0.0) + np.where(flat == high, high_bar, 0.0)
    return a_bar.reshape(a.shape), None, None


def histogram_rule(
    a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> Any:  # fmt: skip
    """To each weight the seed of its bin; of the edges to where they come from."""
    y = np.histogram(a, bins, range, density, weights)
    counts, edges = y

    def histogram_pullback(y_bar: Any) -> Any:
        counts_bar, edges_bar = y_bar
        weights_bar = _weights_bar(counts_bar, counts, [edges], [np.ravel(a)], weights, density)
        if counts_bar is not None:
            edges_bar = _edges_bar(edges_bar, _counts_bar(counts_bar, counts, [edges], density)[1][0])
        a_bar, bins_bar, range_bar = _sent_to_edges(edges_bar, a, bins, range)
        return a_bar, bins_bar, range_bar, None, weights_bar

    return y, histogram_pullback


rrule(np.histogram)(leading(histogram_rule, active=5))


def histogram_bin_edges_rule(a: Any, bins: Any = 10, range: Any = None, weights: Any = None) -> Any:
    """To the ends of the sample, the given edges or the range."""
    y = np.histogram_bin_edges(a, bins, range, weights)
    return y, lambda y_bar: _sent_to_edges(y_bar, a, bins, range)


rrule(np.histogram_bin_edges)(leading(histogram_bin_edges_rule, active=3))


def _several(
    sample: list[Any], bins: list[Any], ranges: list[Any], y: Any, y_bar: Any, density: Any, weights: Any
) -> Any:
    """Cotangents by dimension of the samples, the edges and the ranges, and that of the weights."""
    counts, edges = y
    counts_bar, edges_bars = y_bar
    edges_bars = [None] * len(edges) if edges_bars is None else list(edges_bars)
    weights_bar = _weights_bar(counts_bar, counts, edges, sample, weights, density)
    if counts_bar is not None:
        more = _counts_bar(counts_bar, counts, edges, density)[1]
        edges_bars = [_edges_bar(g, m) for g, m in zip(edges_bars, more, strict=True)]
    sent = [_sent_to_edges(*v) for v in zip(edges_bars, sample, bins, ranges, strict=True)]
    return [s[0] for s in sent], [s[1] for s in sent], [s[2] for s in sent], weights_bar


def histogramdd_rule(
    sample: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> Any:  # fmt: skip
    """As `numpy.histogram`, in each dimension."""
    y = _np.histogramdd(sample, bins, range, density, weights)
    rows = isinstance(sample, np.ndarray)
    columns = list(np.atleast_2d(sample.T) if rows else np.atleast_2d(as_array(sample)))
    d = len(columns)
    per_axis = list(bins) if isinstance(bins, (list, tuple, np.ndarray)) else [bins] * d
    ranges = [None] * d if range is None else list(range)

    def histogramdd_pullback(y_bar: Any) -> Any:
        bars, bins_bars, range_bars, weights_bar = _several(columns, per_axis, ranges, y, y_bar, density, weights)
        sample_bar: Any = None
        if any(b is not None for b in bars):
            sample_bar = [np.zeros(len(columns[0])) if b is None else b for b in bars]
            sample_bar = np.stack(sample_bar, axis=-1).reshape(sample.shape) if rows else sample_bar
        bins_bar = bins_bars if any(b is not None for b in bins_bars) else None
        range_bar = range_bars if any(b is not None for b in range_bars) else None
        return sample_bar, bins_bar, range_bar, None, weights_bar

    return y, histogramdd_pullback


rrule(np.histogramdd)(leading(histogramdd_rule, active=5))


def histogram2d_rule(
    x: Any, y: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> Any:  # fmt: skip
    """As `numpy.histogram`, in two dimensions."""
    h, x_edges, y_edges = value = _np.histogram2d(x, y, bins, range, density, weights)
    pair = isinstance(bins, (list, tuple, np.ndarray)) and len(bins) == 2
    per_axis = list(bins) if pair else [bins, bins]
    ranges = [None, None] if range is None else list(range)

    def histogram2d_pullback(y_bar: Any) -> Any:
        seeds = (y_bar[0], (y_bar[1], y_bar[2]))
        bars, bins_bars, range_bars, weights_bar = _several(
            [np.ravel(x), np.ravel(y)], per_axis, ranges, (h, [x_edges, y_edges]), seeds, density, weights
        )
        bins_bar = None
        there = [b for b in bins_bars if b is not None]
        if there:
            bins_bar = bins_bars if pair else sum(there)
        range_bar = range_bars if any(b is not None for b in range_bars) else None
        return bars[0], bars[1], bins_bar, range_bar, None, weights_bar

    return value, histogram2d_pullback


rrule(np.histogram2d)(leading(histogram2d_rule, active=6))
