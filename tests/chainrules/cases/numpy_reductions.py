# ruff: noqa: E501
"""Sums, products, extrema, nan-functions and statistics of NumPy."""

import numpy as np

from .points import EMPTY, MASK, C, M, N, P, R, S, T, U, V, both, case

REDUCTIONS = [
    *(c for name in ("sum", "mean", "prod", "var", "std", "max", "min") for kw in (
        {}, {"axis": 0}, {"axis": -1}, {"axis": (0, 2)}, {"axis": (2, 0), "keepdims": True}, {"keepdims": True},
        {"axis": 1, "keepdims": True}) for c in both(name, T, **kw)),
    *(c for name in ("sum", "mean", "prod", "var", "std", "max", "min") for c in both(name, T, 1)),
    *(c for name in ("sum", "mean", "prod", "var", "std") for c in (*both(name, C), *both(name, C, axis=1))),
    *(c for name in ("sum", "prod") for c in both(name, M, axis=1, initial=2.0, where=MASK)),
    *(c for name in ("mean", "var", "std") for c in both(name, M, axis=1, where=MASK)),
    *(c for name in ("max",) for c in both(name, M, axis=0, initial=0.5, where=MASK)),
    *(c for name in ("min",) for c in both(name, M, axis=0, initial=-0.5, where=MASK)),
    *both("max", M, initial=0.1), *both("min", M, initial=-0.1),
    *(c for name in ("sum", "prod") for c in both(name, M, dtype=np.float64)),
    *(case(getattr(np, name), x) for name in ("sum", "mean", "prod", "var", "std", "max", "min")
      for x in ([1.0, 3.0, 2.0], [[1.0, 2.5], [0.3, 4.0]], 1.5, M.astype(np.float32), np.array(2.5), V)),
    *both("sum", EMPTY), *both("sum", EMPTY, axis=0), *both("prod", EMPTY),
    case(np.var, M, axis=1, ddof=1), case(np.std, M, None, None, None, 1), case(np.var, M, correction=1),
    *both("prod", np.array([2.0, 0.0, 3.0])), *both("prod", np.array([0.0, 0.0, 3.0])),
    *both("prod", np.array([[2.0, 0.0], [1.0, 3.0]]), axis=0),
    case(np.amax, M, axis=1), case(np.amin, M, axis=1),
    *both("cumsum", M), *both("cumsum", M, axis=1), *both("cumsum", T, -2), *both("cumsum", C),
    *both("cumprod", M), *both("cumprod", M, axis=1), *both("cumprod", T, -2), *both("cumprod", C),
    *both("cumprod", np.array([2.0, 0.0, 3.0, 0.0, 1.0])),
    *both("trace", M), *both("trace", T, offset=1), *both("trace", T, 0, 2, 1), *both("trace", C, -1),
    *(case(f, np.array([[1.0, np.nan, 2.5], [0.4, -1.0, np.nan]]), **kw)
      for f in (np.nansum, np.nanmean, np.nanprod, np.nanvar, np.nanstd, np.nanmax, np.nanmin)
      for kw in ({}, {"axis": 1}, {"axis": 0, "keepdims": True})),
    case(np.average, M), case(np.average, M, 1), case(np.average, M, 1, U**2), case(np.average, M, None, P),
    case(np.average, M, weights=P, axis=0), case(np.average, M, 0, P, True), case(np.average, T, (2, 0), R.uniform(1, 2, (4, 2))),
    case(np.average, M, axis=1, keepdims=True), case(np.average, C, 0, P), case(np.average, M, 0, P, keepdims=True),
    case(np.ptp, M), case(np.ptp, M, 1), case(np.ptp, M, axis=0, keepdims=True),
    case(np.median, M), case(np.median, M, 1), case(np.median, M[:, :3], axis=1, keepdims=True), case(np.median, T, (0, 1)),
    case(np.quantile, M, 0.3), case(np.quantile, M, np.array([[0.1, 0.45], [0.7, 0.9]]), axis=1), case(np.quantile, M, [0.2, 0.4], 0),
    case(np.percentile, M, 30.0, axis=0, keepdims=True),
    case(np.cov, M), case(np.cov, M, ddof=0), case(np.cov, M, bias=True), case(np.cov, M, N), case(np.cov, M, N, False), case(np.cov, M, None, False),
    case(np.cov, V), case(np.cov, V, U), case(np.cov, V, U, False), case(np.cov, M, V), case(np.cov, M, C, ddof=2), case(np.cov, C, rowvar=False), case(np.cov, M.T, U[:3], rowvar=True, bias=True),
    case(np.cov, [1.0, 2.5, 2.0], [[0.5, 1.0, 3.0], [2.0, 0.3, 1.0]]), case(np.cov, M[:1], N, True, True),
]  # fmt: skip
MORE = [
    case(np.linalg.matmul, M, V), case(np.cumulative_sum, V), case(np.cumulative_sum, M, axis=1, include_initial=True), case(np.cumulative_prod, M, axis=0), case(np.cumulative_prod, V, include_initial=True),
    *(case(f, np.array([[1.0, np.nan, 2.5], [0.4, -1.0, 3.0]]), **kw) for f in (np.nancumsum, np.nancumprod) for kw in ({}, {"axis": 1})),
    case(np.polyfit, U, V, 2), case(np.polyfit, U, M.T, 1), case(np.polyfit, U, V, 1, w=U**2), case(np.linalg.cond, S), case(np.linalg.cond, T), case(np.linalg.cond, C, 2),
    case(np.unique, M), case(np.unique, V, True), case(np.unwrap, np.array([0.1, 3.0, 6.5, 9.9])),
]  # fmt: skip
EDGES, OTHER = [-1.05, -0.31, 0.12, 0.55, 1.35], [-1.25, -0.61, -0.11, 0.75, 1.2]
AT, AGAIN = np.array([-0.9, -0.2, 0.0, 0.3, 0.7, 1.1]), np.array([0.4, -1.0, 0.9, 0.2, -0.6, 0.05])
WEIGHTS = np.array([1.1, 0.7, 1.9, 0.6, 1.3, 0.8])
BOX = [(-1.0, 1.03), (-0.83, 0.97)]
HISTOGRAMS = [
    case(np.histogram, [0.1, 0.2, 0.75, 1.0], 3, None, None, V), case(np.histogram, [0.1, 0.2, 0.7, 1.5], 4, (0.0, 1.01), None, V),
    case(np.histogram, [0.1, 0.2, 0.7, 0.9], [0.0, 0.5, 0.6, 1.0], None, None, U), case(np.histogram, [0.1, 0.2, 0.7, -1.0], 4, (0.0, 1.01), True, U + 3.0),
    *(case(np.histogram, AT, bins, None, density, w) for bins in (3, EDGES) for density in (None, True) for w in (None, WEIGHTS)),
    case(np.histogram, AT, 3, (-0.85, 1.23), True, WEIGHTS), case(np.histogram, AT, EDGES, None, True, WEIGHTS + 1j * AGAIN), case(np.histogram, M, [-3.0, 0.05, 3.0], weights=P),
    case(np.histogram, np.zeros(0), 3), case(np.histogram, AT, 4, weights=WEIGHTS.astype(np.float32)), case(np.histogram, AT, "sqrt"),
    *(case(np.histogram_bin_edges, AT, *more) for more in ((3,), (EDGES,), (2, (-0.3, 1.7)), ("sturges",))), case(np.histogram_bin_edges, M, 4), case(np.histogram_bin_edges, np.zeros(0), 4),
    *(case(np.histogram2d, AT, AGAIN, bins, box, density, w) for bins, box in ((3, None), ([2, 3], BOX)) for density, w in ((None, None), (True, WEIGHTS))),
    *(case(np.histogramdd, np.stack((AT, AGAIN), 1), bins, box, density, w) for bins, box in ((3, None), ([2, 3], BOX), ([EDGES, OTHER], None)) for density, w in ((None, WEIGHTS), (True, None))),
    case(np.histogramdd, [AT, AGAIN, AT**2 - 0.3], 2, None, True, WEIGHTS), case(np.histogramdd, AT, (3,)), case(np.histogramdd, AT[:, None], 3),
]  # fmt: skip
METHODS = """inverted_cdf averaged_inverted_cdf closest_observation interpolated_inverted_cdf hazen weibull linear
    median_unbiased normal_unbiased lower higher midpoint nearest""".split()
HOLES = np.where(MASK, M, np.nan)
QUANTILES = [
    *(case(f, x, q * scale, axis, method=method) for f, scale, x in ((np.quantile, 1.0, M), (np.nanquantile, 1.0, HOLES), (np.percentile, 100.0, M), (np.nanpercentile, 100.0, HOLES))
      for method in METHODS for q, axis in ((0.31, None), (np.array([0.13, 0.62]), 1))),
    *(case(f, x, q, **kw) for f, x in ((np.quantile, M), (np.nanquantile, HOLES)) for q, kw in ((0.31, {"axis": -1, "keepdims": True}), (np.array([[0.13, 0.62]]), {"axis": (0, 1)}), ([0.13, 0.62], {"axis": 0}))),
    *(case(f, T, np.array([0.13, 0.62]), (2, 0), keepdims=True) for f in (np.quantile, np.nanquantile)), case(np.percentile, M.astype(np.float32), 31.0, 1), case(np.quantile, V, 0.31, -1), case(np.quantile, M[:1], 0.31, 0), case(np.quantile, np.array(2.5), 0.31),
    case(np.quantile, M, 0.31, method="inverted_cdf", weights=P), case(np.quantile, M, np.array([0.13, 0.62]), 1, method="inverted_cdf", weights=U**2), case(np.percentile, T, 31.0, (2, 0), method="inverted_cdf", weights=P.T[:, :2] + 1.0),
    case(np.nanquantile, HOLES, 0.31, 0, method="inverted_cdf", weights=P), case(np.nanpercentile, HOLES, np.array([13.0, 62.0]), method="inverted_cdf", weights=P),
    *(case(np.nanmedian, x, **kw) for x in (HOLES, T, V, 1.5) for kw in ({}, {"axis": -1 if np.ndim(x) else None}, {"keepdims": True})), case(np.nanmedian, T, (0, 2)), case(np.median, T, axis=(-1, 0), keepdims=True), case(np.median, np.array(2.5)),
]  # fmt: skip
AGAINST = [
    case(np.cov, M, None, True, False, None, None, U**2), case(np.cov, M, None, True, False, 0, None, U**2), case(np.cov, M, N, True, True, None, [1, 2, 1, 3]), case(np.cov, C, M, True, False, 2, [1, 2, 1, 3], U**2), case(np.cov, V, aweights=U**2), case(np.cov, M.T, rowvar=False, fweights=[1, 2, 1, 3]),
    case(np.corrcoef, M), case(np.corrcoef, M, N), case(np.corrcoef, M, N, False), case(np.corrcoef, V, U), case(np.corrcoef, C), case(np.corrcoef, C, M), case(np.corrcoef, T[0], rowvar=False), case(np.corrcoef, M.astype(np.float32)),
    case(np.var, M, mean=0.3), case(np.var, M, axis=1, mean=U[:3, None]), case(np.std, M, axis=1, mean=U[:3, None], keepdims=True), case(np.std, M, axis=0, where=MASK, mean=0.2), case(np.var, C, axis=0, ddof=1, mean=0.3),
    *(case(f, HOLES, axis=1, where=N > -1.5) for f in (np.nansum, np.nanmean, np.nanprod, np.nanvar, np.nanmax) if f is not np.nanmax), case(np.nansum, HOLES, 1, None, None, False, 2.0, N > -1.5), case(np.nanprod, HOLES, initial=2.0), case(np.nanvar, HOLES, 1, None, None, 1), case(np.nanstd, HOLES, ddof=1, axis=0, keepdims=True), case(np.nanmax, HOLES, initial=0.1, where=MASK), case(np.nansum, HOLES * (1 + 2j), 0),
    *(case(f, x) for f in (np.sum, np.mean, np.prod, np.var, np.std, np.max, np.min, np.ptp, np.cumsum, np.cumprod, np.nancumprod, np.nancumsum) for x in (np.array([2.5], np.float16), np.array(1.25))),
    *(case(f, EMPTY, axis=0) for f in (np.sum, np.prod, np.cumsum, np.cumprod, np.nansum, np.nanprod, np.nancumsum, np.nancumprod)), *(case(f, EMPTY, axis=1) for f in (np.mean, np.var, np.std, np.max, np.min, np.ptp, np.median, np.nanmax)), *(case(f, EMPTY, 0.3, 1) for f in (np.quantile, np.nanquantile)),
    case(np.unique, M, axis=0), case(np.unique, T, True, True, axis=0), case(np.unique, M, axis=1, return_counts=True), case(np.unique, EMPTY), case(np.unique, 1.5), case(np.unique, C),
    *(case(f, np.array([0.3, 2.5, -1.0])) for f in (np.unique_all, np.unique_counts, np.unique_inverse)), case(np.union1d, V, M), case(np.union1d, V, [2.0, 0.1]), case(np.setdiff1d, V, U), case(np.setdiff1d, M, U, True), case(np.setxor1d, V, U), case(np.setxor1d, V, M[0], assume_unique=True), case(np.union1d, EMPTY, V),
    case(np.unwrap, 4 * T, None, 1), case(np.unwrap, 4 * M, 2.0, -1, period=3.0), case(np.unwrap, 4 * M, axis=0, discont=4.0),
]  # fmt: skip
# Their perturbed arguments have other members, or another order.
UNVARIED = [case(np.intersect1d, V, U), case(np.unique_values, V)]

CASES = REDUCTIONS + MORE + HISTOGRAMS + QUANTILES + AGAINST
