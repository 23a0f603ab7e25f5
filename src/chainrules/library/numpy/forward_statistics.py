"""Forward rules for averages, quantiles, covariances, and for what passes over NaNs."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...lookup import frules_for
from ...products import strong_mul
from ..forward import array_dot, forward
from . import nans, statistics  # noqa: F401  (the reverse rules)
from .covariances import _centred, _rows
from .quantiles import _level_slope, _neighbours
from .reductions import _space
from .shared import NO_VALUE, as_array, conj, reduced_size, spread

_np: Any = np


@forward(np.average, 0, 2)
def average_forward(
    y: Any, dots: Any, a: Any, axis: Any = None, weights: Any = None, returned: bool = False, **options: Any
) -> Any:
    """``(sum(w a_dot) + sum(w_dot (a - y)))/sum(w)``."""
    a_dot, w_dot = dots
    a = as_array(a)
    shape, space, axes = _space(a, axis)
    mean, total = y if returned else (y, 0.0)
    along = 0.0 if a_dot is None else array_dot(a, a_dot)
    if weights is None:
        y_dot = np.sum(along, axis=axes) / reduced_size(shape, axes)
        return (np.reshape(y_dot, np.shape(mean)), np.zeros(np.shape(total))) if returned else _shaped(y_dot, y)

    def wide(w: Any) -> Any:
        if w.shape == shape:
            return w
        order = [axis] if np.ndim(axis) == 0 else list(axis)
        order = [i % len(shape) for i in order]
        full = np.transpose(w, np.argsort(order)).reshape([n if i in axes else 1 for i, n in enumerate(shape)])
        return np.broadcast_to(full, shape)

    w = wide(as_array(weights))
    moved = wide(array_dot(weights, w_dot))
    change = np.sum(w * along + moved * (a - spread(mean, shape, space)), axis=axes)
    y_dot = _shaped(change / np.sum(w, axis=axes), mean)
    return (y_dot, _shaped(np.sum(moved, axis=axes), total)) if returned else y_dot


def _shaped(y_dot: Any, y: Any) -> Any:
    return np.reshape(y_dot, np.shape(y))


def _quantile(f: Any, scale: float) -> None:
    skip = f.__name__.startswith("nan")

    @forward(f, 0, 1)
    def quantile_forward(
        y: Any, dots: Any, a: Any, q: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False,
        method: str = "linear", keepdims: Any = False, *, weights: Any = None, interpolation: Any = None,
    ) -> Any:  # fmt: skip
        """Between those of the two neighbours, in proportion; and their distance times the tangent of the level."""
        a_dot, q_dot = dots
        a = as_array(a)
        if not a.size:
            return np.zeros(np.shape(y))
        found = _neighbours(f, a, (q,), axis, method=method, **({} if weights is None else {"weights": weights}))
        low, high, t, *_ = found
        flat = array_dot(a, a_dot).ravel()
        y_dot = (1 - t) * flat[low] + t * flat[high]
        if q_dot is not None:
            slope = _level_slope(a, np.asarray(q) / scale, axis, skip, method, found)
            levels = np.reshape(q_dot, np.shape(q) + (1,) * (slope.ndim - np.ndim(q))) / scale
            y_dot = y_dot + strong_mul(slope, levels)
        return _shaped(y_dot, y)


for quantile in (np.quantile, np.nanquantile):
    _quantile(quantile, 1.0)
for percentile in (np.percentile, np.nanpercentile):
    _quantile(percentile, 100.0)


@forward(np.cov, 0, 1, 6)
def cov_forward(
    c: Any, dots: Any, m: Any, y: Any = None, rowvar: Any = True, bias: Any = False, ddof: Any = None,
    fweights: Any = None, aweights: Any = None, *, dtype: Any = None,
) -> Any:  # fmt: skip
    """``C = (X w) X^H / n`` as in `covariances`: the centred rows, the weights and the divisor each in turn."""
    m_dot, y_dot, a_dot = dots
    x, _ = _rows(m, y, rowvar)
    x_dot, _ = _rows(array_dot(m, m_dot), None if y is None else array_dot(y, y_dot), rowvar)
    ddof = (0 if bias else 1) if ddof is None else ddof
    if fweights is None and aweights is None:
        return _shaped(_both_ways(x_dot, _centred(x)) / np.maximum(x.shape[1] - ddof, 0.0), c)
    repeats = np.ones(x.shape[1]) if fweights is None else as_array(fweights)
    a = np.ones(x.shape[1]) if aweights is None else as_array(aweights)
    move = np.zeros(a.shape) if aweights is None or a_dot is None else as_array(a_dot)
    w, w_dot = repeats * a, repeats * move
    total, total_dot = np.sum(w), np.sum(w_dot)
    square, square_dot = (np.sum(w * a), 2 * np.sum(w * move)) if aweights is not None else (total, total_dot)
    n = np.maximum(total - ddof * square / total, 0.0)
    n_dot = total_dot - ddof * (square_dot - square * total_dot / total) / total
    off = x - (x @ w / total)[:, None]
    change = _both_ways(x_dot * w, off) + (off * w_dot) @ conj(off).T
    return _shaped((change - np.reshape(c, change.shape) * n_dot) / n, c)


def _both_ways(a: Any, b: Any) -> Any:
    product = a @ conj(b).T
    return product + conj(product).T


@forward(np.corrcoef, 0, 1)
def corrcoef_forward(
    r: Any, dots: Any, x: Any, y: Any = None, rowvar: Any = True, *args: Any, **options: Any
) -> Any:  # fmt: skip
    """``C_dot[i, j]/(s[i] s[j]) - R[i, j] (h[i] + h[j])`` with ``h[i] = C_dot[i, i]/(2 C[i, i])``."""
    rows, _ = _rows(x, y, rowvar)
    rows_dot, _ = _rows(array_dot(x, dots[0]), None if y is None else array_dot(y, dots[1]), rowvar)
    off = _centred(rows)
    square = np.sum(np.real(conj(off) * off), axis=1)
    s = np.sqrt(square)
    change = _both_ways(rows_dot, off)
    half = np.real(np.diagonal(change)) / (2 * square)
    return _shaped(change / s[:, None] / s - np.reshape(r, change.shape) * (half[:, None] + half), r)


def _skipping_nan(f: Any, base: Any) -> None:
    (rule,) = frules_for(base)

    @forward(f)
    def nan_forward(
        y: Any, dots: Any, a: Any, axis: Any = None, dtype: Any = None, out: Any = None, *args: Any, **kwargs: Any
    ) -> Any:
        """As the function, of the elements that are no NaNs."""
        if len(args) == 3:  # keepdims, initial, where
            *args, where = args  # type: ignore[assignment]
        else:
            where = kwargs.pop("where", True)
        a = as_array(a)
        there = ~np.isnan(a)
        there = there if where is NO_VALUE else there & where
        rest = (axis, dtype, None, *args)
        return rule.function((a, *rest), (dots[0], *(None,) * len(rest)), **kwargs, where=there)[1]


_skipping_nan(np.nanmean, np.mean)
_skipping_nan(np.nanprod, np.prod)
_skipping_nan(np.nanvar, np.var)
_skipping_nan(np.nanstd, np.std)


# -- running ----------------------------------------------------------------------------------------------


def running_product(x: Any, x_dot: Any, axis: Any) -> Any:
    """The tangent of running products: ``y_dot[k] = y_dot[k-1] x[k] + y[k-1] x_dot[k]``, without a division."""
    x, x_dot = (x.ravel(), x_dot.ravel()) if axis is None else (np.moveaxis(v, axis, 0) for v in (x, x_dot))
    if not x.size:
        return np.moveaxis(np.zeros(x.shape), 0, axis or 0)
    x = x.astype(np.float64) if x.dtype.kind in "iub" else x
    y, y_dot = x[0], x_dot[0]
    found = [y_dot]
    for k in range(1, len(x)):
        y_dot = y_dot * x[k] + y * x_dot[k]
        y = y * x[k]
        found.append(y_dot)
    return np.moveaxis(np.stack(found), 0, axis or 0)


def cumprod_forward(y: Any, dots: Any, a: Any, axis: Any = None, *args: Any, **options: Any) -> Any:
    """Step by step."""
    return running_product(as_array(a), array_dot(a, dots[0]), axis)


forward(np.cumprod)(cumprod_forward)
forward(np.ndarray.cumprod)(cumprod_forward)


@forward(np.nancumsum)
def nancumsum_forward(y: Any, dots: Any, a: Any, axis: Any = None, *args: Any, **options: Any) -> Any:
    """The running sum of the tangents of what is there."""
    return np.cumsum(np.where(np.isnan(a), 0.0, array_dot(a, dots[0])), axis)


@forward(np.nancumprod)
def nancumprod_forward(y: Any, dots: Any, a: Any, axis: Any = None, *args: Any, **options: Any) -> Any:
    """As `numpy.cumprod`, of what is there."""
    gone = np.isnan(a)
    return running_product(np.where(gone, 1.0, a), np.where(gone, 0.0, array_dot(a, dots[0])), axis)


if hasattr(np, "cumulative_sum"):

    @forward(np.cumulative_sum)
    def cumulative_sum_forward(y: Any, dots: Any, x: Any, /, *, include_initial: Any = False, **options: Any) -> Any:
        """The running sum of the tangents."""
        axis = options.get("axis")
        return _np.cumulative_sum(array_dot(x, dots[0]), axis=axis, include_initial=include_initial)

    @forward(np.cumulative_prod)
    def cumulative_prod_forward(y: Any, dots: Any, x: Any, /, *, include_initial: Any = False, **options: Any) -> Any:
        """As `numpy.cumprod`; the initial element is a constant."""
        axis = options.get("axis")
        y_dot = running_product(as_array(x), array_dot(x, dots[0]), axis)
        return np.insert(y_dot, 0, 0.0, axis or 0) if include_initial else y_dot
