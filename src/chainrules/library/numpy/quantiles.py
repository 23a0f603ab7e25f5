"""Medians and quantiles, by every method, weighted or not, with or without NaNs.

A quantile lies between two neighbours in the order of the sample, at a place that depends on the level and on the size
of the sample alone. That place is the same quantile of the *ranks* 0, 1, ... n-1, for which NumPy itself is asked.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...products import strong_mul
from ...rules import rrule
from ...tangents import Thunk
from .reductions import _space
from .shared import as_array, given, leading, refuse, scatter

# Hyndman and Fan, Sample quantiles in statistical packages (1996): the place is
# ``n q + alpha + q (1 - alpha - beta) - 1``; ``linear`` is their number 7.
CONTINUOUS: dict[str, tuple[float, float]] = {
    "interpolated_inverted_cdf": (0.0, 1.0),
    "hazen": (0.5, 0.5),
    "weibull": (0.0, 0.0),
    "linear": (1.0, 1.0),
    "median_unbiased": (1 / 3, 1 / 3),
    "normal_unbiased": (3 / 8, 3 / 8),
}


def _rows(a: Any, axis: Any) -> Any:
    """Flat positions of the elements of ``a``: one row of them for each result."""
    shape, _, axes = _space(a, axis)
    others = tuple(i for i in range(a.ndim) if i not in axes)
    index = np.transpose(np.arange(a.size).reshape(shape), others + axes)
    return index.reshape([*(shape[i] for i in others), -1])


def _neighbours(f: Any, a: Any, q: tuple[Any, ...], axis: Any, **options: Any) -> Any:
    """Flat positions of the lower and the upper neighbour of each result, in its shape with the levels in
    front, and the weight of the upper one.
    """
    rows = _rows(a, axis)
    values = a.ravel()[rows]
    order = np.argsort(values, axis=-1, kind="stable")
    ranks = np.argsort(order, axis=-1, kind="stable").astype(np.float64)
    if options.get("weights") is not None:
        options["weights"] = _row_weights(options["weights"], a, rows, axis)
    if f.__name__.startswith("nan"):
        ranks = np.where(np.isnan(values), np.nan, ranks)
    place = np.nan_to_num(f(ranks, *q, axis=-1, **options))
    low = np.floor(place).astype(int)
    high = np.ceil(place).astype(int)
    ranked = np.take_along_axis(rows, order, axis=-1)
    return _picked(ranked, low), _picked(ranked, high), place - low, low, place


def _row_weights(weights: Any, a: Any, rows: Any, axis: Any) -> Any:
    w = as_array(weights)
    if w.shape != a.shape:
        axes = [axis] if np.ndim(axis) == 0 else list(axis)
        axes = [i % a.ndim for i in axes]
        shape = [n if i in axes else 1 for i, n in enumerate(a.shape)]
        w = np.broadcast_to(np.transpose(w, np.argsort(axes)).reshape(shape), a.shape)
    return w.ravel()[rows]


def _picked(ranked: Any, at: Any) -> Any:
    """``ranked[..., at]`` row by row; the axes of the levels come first in ``at``."""
    levels = at.shape[: at.ndim - (ranked.ndim - 1)]
    flat = at.reshape(-1, *ranked.shape[:-1], 1) if at.size else np.zeros((0, *ranked.shape[:-1], 1), int)
    picked = np.take_along_axis(np.broadcast_to(ranked, (len(flat), *ranked.shape)), flat, axis=-1)
    return picked.reshape((*levels, *ranked.shape[:-1]))


def _sample_bar(a: Any, found: Any, y_bar: Any) -> Any:
    low, high, t, *_ = found
    g = np.reshape(y_bar, low.shape)
    # A weight of 0 keeps an infinite neighbour's seed away: there is none.
    return (scatter(low, (1 - t) * g, a.size) + scatter(high, t * g, a.size)).reshape(a.shape)


def _level_bar(a: Any, q: Any, axis: Any, skip: bool, method: str, found: Any, y_bar: Any) -> Any:
    steps = strong_mul(_level_slope(a, q, axis, skip, method, found), np.reshape(y_bar, found[0].shape))
    return np.sum(steps, axis=tuple(range(np.ndim(q), np.ndim(steps))))


def _level_slope(a: Any, q: Any, axis: Any, skip: bool, method: str, found: Any) -> Any:
    """The slope between the neighbours (the right one at an element) times the speed of the place; 0 where the place is
    clipped to an end, and for the methods that are steps.
    """
    if method not in CONTINUOUS:
        return np.zeros(found[0].shape)
    alpha, beta = CONTINUOUS[method]
    low = found[3]
    rows = _rows(a, axis)
    values = a.ravel()[rows]
    n = np.sum(~np.isnan(values), axis=-1) if skip else values.shape[-1]
    levels = np.reshape(q, np.shape(q) + (1,) * (rows.ndim - 1))
    speed = n + 1 - alpha - beta
    place = levels * speed + alpha - 1
    inside = (place >= 0) & (low < n - 1)
    ranked = np.take_along_axis(rows, np.argsort(values, axis=-1, kind="stable"), axis=-1)
    after = _picked(ranked, np.minimum(low + 1, rows.shape[-1] - 1))
    flat = a.ravel()
    return np.where(inside, flat[after] - flat[found[0]], 0.0) * speed


def _median_rule(f: Any) -> None:
    @leading
    def median_rule(
        a: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, *args: Any, **kw: Any
    ) -> Any:
        """To the middle element, or half each to the two middle ones; of equal ones the first in stable order."""
        refuse(f"numpy.{f.__name__}", out=out, overwrite_input=overwrite_input or None)
        a = as_array(a)
        y = f(a, axis, None, False, *args, **kw)
        return y, lambda y_bar: _sample_bar(a, _neighbours(f, a, (), axis), y_bar) if a.size else np.zeros(a.shape)

    rrule(f)(median_rule)


def _quantile_rule(f: Any, scale: float) -> None:
    skip = f.__name__.startswith("nan")

    def quantile_rule(
        a: Any, q: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False,
        method: str = "linear", keepdims: Any = False, *, weights: Any = None, interpolation: Any = None,
    ) -> Any:  # fmt: skip
        """To the two neighbours, in proportion; their distance to the level. Weights only choose."""
        refuse(f"numpy.{f.__name__}", out=out, overwrite_input=overwrite_input or None, interpolation=interpolation)
        a = as_array(a)
        options = {"method": method, **given(weights=weights)}
        if skip and np.ndim(q) > 1 and isinstance(axis, (tuple, list)) and len(axis) not in (1, a.ndim):
            # NumPy 2.4 and before give results whose axes are in disorder.
            refuse(f"numpy.{f.__name__} with levels of several axes", axis=axis)
        y = f(a, q, axis, None, False, keepdims=keepdims, **options)
        if a.dtype.kind not in "iubf":
            return NotImplemented

        def quantile_pullback(y_bar: Any) -> Any:
            if not a.size:
                return np.zeros(a.shape), np.zeros(np.shape(q))
            found = _neighbours(f, a, (q,), axis, **options)

            def level_bar() -> Any:
                return _level_bar(a, np.asarray(q) / scale, axis, skip, method, found, y_bar) / scale

            return _sample_bar(a, found, y_bar), Thunk(level_bar)

        return y, quantile_pullback

    rrule(f)(leading(quantile_rule, active=2))


for median in (np.median, np.nanmedian):
    _median_rule(median)
for quantile in (np.quantile, np.nanquantile):
    _quantile_rule(quantile, 1.0)
for percentile in (np.percentile, np.nanpercentile):
    _quantile_rule(percentile, 100.0)
