"""Variance and its kin, averages, order statistics."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...rules import rrule
from .extrema import max_rule, min_rule
from .reductions import _skipping_nan, _space
from .shared import NO_VALUE, as_array, conj, given, leading, reduced_size, refuse, scatter, spread

_np: Any = np


def _moments(a: Any, axis: Any, ddof: Any, correction: Any, where: Any) -> Any:
    """Deviations from the mean, the divisor ``n - ddof``, the shape and its reduced form."""
    if correction is not NO_VALUE:
        ddof = correction
    shape, space, axes = _space(a, axis)
    if where is NO_VALUE or where is True:
        n: Any = reduced_size(shape, axes)
        off = a - np.mean(a, axis=axes, keepdims=True)
    else:
        where = np.broadcast_to(where, shape)
        n = np.sum(where, axis=axes, keepdims=True)
        off = np.where(where, a - np.mean(a, axis=axes, keepdims=True, where=where), 0)
    return off, n - ddof, shape, space


@rrule(np.var)
@rrule(np.ndarray.var)
@leading
def var_rule(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Any = 0, keepdims: Any = False, *,
    where: Any = NO_VALUE, mean: Any = NO_VALUE, correction: Any = NO_VALUE,
) -> Any:  # fmt: skip
    """``2 (x - mean)/(n - ddof)``."""
    refuse("numpy.var", out=out, mean=mean)
    a = as_array(a)
    y = np.var(a, axis, dtype, None, ddof, keepdims, **given(where=where, correction=correction))

    def var_pullback(y_bar: Any) -> Any:
        off, n, shape, space = _moments(a, axis, ddof, correction, where)
        return off * (2.0 / n) * spread(y_bar, shape, space)

    return y, var_pullback


@rrule(np.std)
@rrule(np.ndarray.std)
@leading
def std_rule(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Any = 0, keepdims: Any = False, *,
    where: Any = NO_VALUE, mean: Any = NO_VALUE, correction: Any = NO_VALUE,
) -> Any:  # fmt: skip
    """``(x - mean)/((n - ddof) std)``; 0 for a constant sample."""
    refuse("numpy.std", out=out, mean=mean)
    a = as_array(a)
    y = np.std(a, axis, dtype, None, ddof, keepdims, **given(where=where, correction=correction))

    def std_pullback(y_bar: Any) -> Any:
        off, n, shape, space = _moments(a, axis, ddof, correction, where)
        safe = np.where(np.equal(y, 0), 1, y)
        scaled = np.where(np.equal(y, 0), 0.0, y_bar / safe)
        return off / n * spread(scaled, shape, space)

    return y, std_pullback


_skipping_nan(np.nanvar, var_rule, "numpy.nanvar")
_skipping_nan(np.nanstd, std_rule, "numpy.nanstd")


def average_rule(
    a: Any, axis: Any = None, weights: Any = None, returned: bool = False, *, keepdims: Any = NO_VALUE
) -> Any:
    """``w/sum(w)`` to the values, ``(a - y)/sum(w)`` to the weights."""
    y = _np.average(a, axis, weights, returned, **given(keepdims=keepdims))
    a = as_array(a)
    shape, space, axes = _space(a, axis)

    def average_pullback(y_bar: Any) -> Any:
        mean, mean_bar, total_bar = (y[0], *y_bar) if returned else (y, y_bar, None)
        g = 0.0 if mean_bar is None else spread(mean_bar, shape, space)
        if weights is None:
            return g / reduced_size(shape, axes), None, None
        w = as_array(weights)
        full = w
        if w.shape != shape:
            order = [axis] if np.ndim(axis) == 0 else list(axis)
            order = [i % len(shape) for i in order]
            full = np.transpose(w, np.argsort(order)).reshape([n if i in axes else 1 for i, n in enumerate(shape)])
        total = np.sum(np.broadcast_to(full, shape), axis=axes, keepdims=True)
        share = g / conj(total)
        w_bar = conj(a - spread(mean, shape, space)) * share
        if total_bar is not None:
            w_bar = w_bar + spread(total_bar, shape, space)
        if w.shape != shape:
            others = tuple(i for i in range(len(shape)) if i not in axes)
            w_bar = np.transpose(np.sum(w_bar, axis=others), np.argsort(np.argsort(order)))
        return conj(full) * share, None, w_bar

    return y, average_pullback


rrule(np.average)(leading(average_rule, active=3))


@rrule(np.ptp)
@leading
def ptp_rule(a: Any, axis: Any = None, out: Any = None, keepdims: Any = False) -> Any:
    """The seed to the first largest, minus the seed to the first smallest."""
    refuse("numpy.ptp", out=out)
    a = as_array(a)
    keepdims = keepdims is not NO_VALUE and keepdims
    high, high_pullback = max_rule.__wrapped__(a, axis, None, keepdims)
    low, low_pullback = min_rule.__wrapped__(a, axis, None, keepdims)
    return high - low, lambda y_bar: high_pullback(y_bar) - low_pullback(y_bar)


def _order_weights(a: Any, q: Any, axis: Any) -> Any:
    """Flat positions of the neighbours of each quantile and the weight of the upper one."""
    shape, _, axes = _space(a, axis)
    others = tuple(i for i in range(a.ndim) if i not in axes)
    index = np.transpose(np.arange(a.size).reshape(shape), others + axes)
    index = index.reshape([shape[i] for i in others] + [-1])
    order = np.argsort(a.ravel()[index], axis=-1, kind="stable")
    ranked = np.take_along_axis(index, order, axis=-1)
    at = np.asarray(q, dtype=np.float64) * (ranked.shape[-1] - 1)
    low = np.floor(at).astype(int)
    high = np.minimum(low + 1, ranked.shape[-1] - 1)
    # The levels come first in the result.
    last, first = list(range(-at.ndim, 0)), list(range(at.ndim))
    return np.moveaxis(ranked[..., low], last, first), np.moveaxis(ranked[..., high], last, first), at - low


def _quantile_pullback(a: Any, q: Any, axis: Any, y_bar: Any) -> Any:
    """The cotangents of the sample and of the level."""
    low, high, t = _order_weights(a, q, axis)
    g = np.asarray(y_bar).reshape(low.shape)
    t = np.reshape(t, np.shape(t) + (1,) * (g.ndim - np.ndim(t)))
    a_bar = (scatter(low, (1 - t) * g, a.size) + scatter(high, t * g, a.size)).reshape(a.shape)
    flat = a.ravel()
    count = a.size // max(low.size // max(np.size(q), 1), 1)
    steps = (flat[high] - flat[low]) * (count - 1) * g
    return a_bar, np.sum(steps, axis=tuple(range(np.ndim(q), g.ndim)))


@rrule(np.median)
@leading
def median_rule(
    a: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, keepdims: bool = False
) -> Any:
    """To the middle element, or half each to the two middle ones; of equal ones the first in stable order."""
    refuse("numpy.median", out=out, overwrite_input=overwrite_input or None)
    a = as_array(a)
    y = np.median(a, axis=axis, keepdims=keepdims)
    return y, lambda y_bar: _quantile_pullback(a, 0.5, axis, y_bar)[0]


def _quantile_rule(f: Any, scale: float) -> Any:
    def quantile_rule(
        a: Any, q: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False,
        method: str = "linear", keepdims: bool = False, *, weights: Any = None,
    ) -> Any:  # fmt: skip
        """To the two neighbours, in proportion; their distance to the level."""
        refuse(f.__name__, out=out, weights=weights, overwrite_input=overwrite_input or None)
        if method != "linear":
            refuse(f.__name__, method=method)
        a = as_array(a)
        y = f(a, q, axis=axis, keepdims=keepdims)

        def quantile_pullback(y_bar: Any) -> Any:
            a_bar, q_bar = _quantile_pullback(a, np.asarray(q) / scale, axis, y_bar)
            return a_bar, q_bar / scale

        return y, quantile_pullback

    return leading(quantile_rule, active=2)


rrule(np.quantile)(_quantile_rule(np.quantile, 1.0))
rrule(np.percentile)(_quantile_rule(np.percentile, 100.0))


def cov_rule(
    m: Any, y: Any = None, rowvar: Any = True, bias: Any = False, ddof: Any = None, fweights: Any = None,
    aweights: Any = None, *, dtype: Any = None,
) -> Any:  # fmt: skip
    """``C = X X^H/(n - ddof)`` of centred rows, those of ``m`` above those of ``y``."""
    refuse("numpy.cov", fweights=fweights, aweights=aweights)
    c = np.cov(m, y, rowvar, bias, ddof, dtype=dtype)
    m_turned = not rowvar and np.ndim(m) != 1
    x = np.atleast_2d(m).T if m_turned else np.atleast_2d(m)
    k = len(x)
    y_turned = False
    if y is not None:
        rows = np.atleast_2d(y)
        y_turned = not rowvar and rows.shape[0] != 1
        x = np.concatenate((x, rows.T if y_turned else rows))
    if ddof is None:
        ddof = 0 if bias else 1

    def cov_pullback(c_bar: Any) -> Any:
        off = x - x.mean(axis=1, keepdims=True)
        g = np.asarray(c_bar).reshape(len(x), len(x))
        # Centring is a projection, and the rows of ``off`` are centred already.
        x_bar = (g + conj(g).T) @ off / (x.shape[1] - ddof)
        m_bar, y_bar = x_bar[:k], x_bar[k:]
        return (
            (m_bar.T if m_turned else m_bar).reshape(np.shape(m)),
            None if y is None else (y_bar.T if y_turned else y_bar).reshape(np.shape(y)),
        )

    return c, cov_pullback


rrule(np.cov)(leading(cov_rule, active=2))
