"""Sums, products and moments that pass over NaNs: those of the elements that are there."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...rules import rrule
from .products import cumprod_rule, prod_rule
from .reductions import check_dtype, cumsum_rule, mean_rule, sum_rule
from .shared import NO_VALUE, as_array, leading, refuse
from .statistics import std_rule, var_rule


def _skipping_nan(f: Any, rule: Any) -> None:
    @leading
    def nan_rule(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, *args: Any, **kwargs: Any) -> Any:
        """As the function, of the elements that are no NaNs."""
        if hasattr(a, "__next__"):
            return NotImplemented
        refuse(f"numpy.{f.__name__}", out=out)
        a = as_array(a)
        y = f(a, axis, dtype, None, *args, **kwargs)
        if len(args) == 3:  # keepdims, initial, where
            *args, where = args  # type: ignore[assignment]
        else:
            where = kwargs.pop("where", True)
        there = ~np.isnan(a)
        _, pullback = rule(a, axis, dtype, None, *args, **kwargs, where=there if where is NO_VALUE else there & where)
        return y, lambda y_bar: _first(pullback(y_bar))

    rrule(f)(nan_rule)


def _first(bars: Any) -> Any:
    return bars[0] if isinstance(bars, tuple) else bars


def _running_past_nan(f: Any, rule: Any, instead: float) -> None:
    @leading
    def running_rule(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
        """As without NaNs, which count as nothing."""
        refuse(f"numpy.{f.__name__}", out=out)
        check_dtype(f"numpy.{f.__name__}", dtype, a)
        a = as_array(a)
        missing = np.isnan(a)
        _, pullback = rule(np.where(missing, instead, a), axis=axis, dtype=dtype)
        return f(a, axis, dtype), lambda y_bar: np.where(missing, 0.0, pullback(y_bar))

    rrule(f)(running_rule)


_skipping_nan(np.nansum, sum_rule)
_skipping_nan(np.nanmean, mean_rule)
_skipping_nan(np.nanprod, prod_rule)
_skipping_nan(np.nanvar, var_rule)
_skipping_nan(np.nanstd, std_rule)
_running_past_nan(np.nancumsum, cumsum_rule, 0.0)
_running_past_nan(np.nancumprod, cumprod_rule, 1.0)
