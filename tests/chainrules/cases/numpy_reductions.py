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
HISTOGRAMS = [
    case(np.histogram, [0.1, 0.2, 0.7, 1.0], 3, None, None, V), case(np.histogram, [0.1, 0.2, 0.7, 1.5], 4, (0.0, 1.0), None, V),
    case(np.histogram, [0.1, 0.2, 0.7, 0.9], [0.0, 0.5, 0.6, 1.0], None, None, U), case(np.histogram, [0.1, 0.2, 0.7, -1.0], 4, (0.0, 1.0), True, U + 3.0),
]  # fmt: skip

CASES = REDUCTIONS + MORE + HISTOGRAMS
