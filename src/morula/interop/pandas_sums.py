"""What pandas computes in compiled code over windows and groups, as plain bodies on NumPy. NaN counts as missing."""

from collections.abc import Callable
from typing import Any

import numpy as np
from pandas._libs import algos, groupby
from pandas._libs.window import aggregations

from morula.eager.numpy.numpy_substitutes import substitute


def body_of(owner: Any, *names: str) -> Callable:
    """Declare the body of functions of pandas where something is active, as far as its version has them."""

    def declare(body: Callable) -> Callable:
        for name in names:
            if hasattr(owner, name):
                substitute(getattr(owner, name), always=False)(body)
        return body

    return declare


def _window(name: str, reduced: Callable) -> None:
    """``reduced(values[start:end])`` of those values that are there, where these are at least `minp`."""

    def body(values: Any, start: Any, end: Any, minp: int, **options: Any) -> Any:
        out = np.full(len(start), np.nan)
        for i, (first, last) in enumerate(zip(start, end, strict=True)):
            window = values[first:last]
            window = window[~np.isnan(window)]
            if len(window) >= max(minp, 1):
                out[i] = reduced(window, **options)
        return out

    body_of(aggregations, name)(body)


def _variance(x: Any, ddof: int = 1) -> Any:
    return x.var(ddof=ddof) if len(x) > ddof else np.nan


_window("roll_sum", np.sum)
_window("roll_mean", np.mean)
_window("roll_var", _variance)
_window("roll_max", np.max)
_window("roll_min", np.min)
_window("roll_median_c", np.median)


@body_of(aggregations, "roll_apply")
def _applied(obj: Any, start: Any, end: Any, minp: int, function: Any, raw: bool, args: tuple, kwargs: dict) -> Any:
    """A function of the user of each window, as an array if `raw`."""
    values = np.asarray(obj)
    out = np.full(len(start), np.nan)
    for i, (first, last) in enumerate(zip(start, end, strict=True)):
        window = values[first:last] if raw else obj.iloc[first:last]
        if (~np.isnan(values[first:last])).sum() >= minp:
            out[i] = function(window, *args, **kwargs)
    return out


@body_of(aggregations, "ewm")
def _ewm(
    vals: Any, start: Any, end: Any, minp: int, com: float, adjust: bool, ignore_na: bool, deltas: Any = None,
    normalize: bool = True,
) -> Any:  # fmt: skip
    """Means, or sums, with weights that decay as ``(com / (1 + com))**delta``."""
    alpha = 1.0 / (1.0 + com)
    new = 1.0 if adjust else alpha
    out = np.full(len(vals), np.nan)
    for first, last in zip(start, end, strict=True):
        average, weight, seen = np.nan, 1.0, 0
        for i in range(first, last):
            x = vals[i]
            is_there = not np.isnan(x)
            seen += is_there
            if np.isnan(average):
                if is_there:
                    average = x
            elif is_there or not ignore_na:
                step = 1.0 if deltas is None or i == 0 else deltas[i - 1]
                if normalize:
                    weight *= (1.0 - alpha) ** step
                    if is_there:
                        average = (weight * average + new * x) / (weight + new)
                        weight = weight + new if adjust else 1.0
                else:
                    average = (1.0 - alpha) ** step * average + (x if is_there else 0.0)
            out[i] = average if seen >= minp else np.nan
    return out


def _group(name: str, reduced: Callable) -> None:
    """``reduced`` of the rows with each label, column by column, into `out`; rows of label -1 belong to none."""

    def body(
        out: Any, counts: Any, values: Any, labels: Any, min_count: int = -1, mask: Any = None, **options: Any
    ) -> None:
        least = max(min_count, 0 if name in ("group_sum", "group_prod") else 1)
        for k in range(len(out)):
            rows = np.flatnonzero(labels == k)
            counts[k] += len(rows)
            for j in range(values.shape[1]):
                there = rows[~np.isnan(values[rows, j])]
                out[k, j] = reduced(values[there, j], options) if len(there) >= least else np.nan

    body_of(groupby, name)(body)


_group("group_sum", lambda x, options: x.sum())
_group("group_mean", lambda x, options: x.mean())
_group("group_prod", lambda x, options: x.prod())
_group("group_max", lambda x, options: x.max())
_group("group_min", lambda x, options: x.min())


def _spread(x: Any, options: dict) -> Any:
    variance = _variance(x, options.get("ddof", 1))
    name = options.get("name", "var")
    return variance if name == "var" else np.sqrt(variance if name == "std" else variance / len(x))


_group("group_var", _spread)


@body_of(algos, "nancorr")
def _correlations(mat: Any, cov: bool = False, minp: Any = None) -> Any:
    """Covariances or correlations of columns, each pair of the rows where both are there."""
    n = mat.shape[1]
    out = np.full((n, n), np.nan)
    for i in range(n):
        for j in range(i + 1):
            there = ~(np.isnan(mat[:, i]) | np.isnan(mat[:, j]))
            x, y = mat[there, i], mat[there, j]
            if len(x) >= max(minp or 1, 1) and len(x) > 1:
                x, y = x - x.mean(), y - y.mean()
                size = len(x) - 1 if cov else np.sqrt((x * x).sum() * (y * y).sum())
                out[i, j] = out[j, i] = (x * y).sum() / size
    return out
