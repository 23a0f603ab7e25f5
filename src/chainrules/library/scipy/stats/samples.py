"""Standardised samples, which users compute in loops: SciPy's source for them asks more than it computes."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import stats as st  # type: ignore[import-untyped]

from ....patterns import pattern
from ....products import strong_mul
from ....rules import rrule
from ...numpy.patterns import mixed
from ...numpy.shared import leading


@rrule(st.zscore)
@leading
def zscore_rule(a: Any, axis: Any = 0, ddof: Any = 0, nan_policy: str = "propagate") -> Any:
    """``(G - mean(G) - z sum(G z)/(n - ddof)) / s`` of ``z = (a - mean(a))/s``; SciPy's source is the way for the rest.

    A sample that is constant has no standard deviation to be divided by: its scores, and cotangents, are NaN.
    """
    if type(a) is not np.ndarray or a.dtype != np.float64 or nan_policy != "propagate" or not a.size:
        return NotImplemented
    z = st.zscore(a, axis, ddof)
    n = a.size if axis is None else a.shape[axis]

    def zscore_pullback(y_bar: Any) -> Any:
        s = np.std(a, axis=axis, ddof=ddof, keepdims=True)
        along = np.sum(strong_mul(z, y_bar), axis=axis, keepdims=True) / (n - ddof)
        return (y_bar - np.mean(y_bar, axis=axis, keepdims=True) - z * along) / s

    return z, zscore_pullback


pattern(st.zscore)(mixed("smooth", 0))
