"""Variances and standard deviations, and the sums and moments that pass over NaNs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import register_jitable

from morula.static.numba.array_rules.registry import array_rule
from morula.static.numba.array_rules.shared import zero


@register_jitable
def var_tangent(y: Any, a: Any, a_dot: Any) -> Any:
    """``2 Re(conj(x - mean) x_dot)/n``."""
    m = np.mean(a)
    y_dot = zero(y)
    for at in np.ndindex(a.shape):
        y_dot += (np.conj(a[at] - m) * a_dot[at]).real
    return 2 * y_dot / a.size


@array_rule(np.var, tangent=var_tangent, reads="a")
@register_jitable
def var_adjoint(y: Any, y_bar: Any, a: Any, a_bar: Any) -> None:
    """``2 (x - mean)/n``."""
    if a.size:
        a_bar += (a - np.mean(a)) * (2 * y_bar / a.size)


@register_jitable
def spread(y: Any, a: Any) -> Any:
    """Deviations whose mean is 0 to rounding, also where the deviation `y` is that of the errors of the mean."""
    m = np.mean(a)
    off = a - m
    return off - np.mean(off) if y <= 1e-8 * np.abs(m) else off


def std_tangent(y: Any, a: Any, a_dot: Any) -> Any:
    """That of the variance, over twice the root; 0 for a constant sample."""
    return var_tangent(y, spread(y, a), a_dot) / (2 * y) if y != 0 else zero(y)


@array_rule(np.std, tangent=std_tangent, reads="y a")
def std_adjoint(y: Any, y_bar: Any, a: Any, a_bar: Any) -> None:
    """As of the variance; 0 for a constant sample."""
    if y != 0:
        a_bar += spread(y, a) * (y_bar / (y * a.size))


@register_jitable
def nanvar_tangent(y: Any, a: Any, axis: Any, dtype: Any, out: Any, ddof: Any, a_dot: Any) -> Any:
    """``2 Re(conj(x - mean) x_dot)/(n - ddof)`` of those that are there."""
    m = np.nanmean(a)
    y_dot = zero(y)
    n = 0
    for at in np.ndindex(a.shape):
        if a[at] == a[at]:
            y_dot += (np.conj(a[at] - m) * a_dot[at]).real
            n += 1
    return 2 * y_dot / (n - ddof) if n > ddof else y_dot


@array_rule(np.nanvar, tangent=nanvar_tangent, reads="a", axis=None, dtype=None, out=None, ddof=0)
@register_jitable
def nanvar_adjoint(y: Any, y_bar: Any, a: Any, axis: Any, dtype: Any, out: Any, ddof: Any, a_bar: Any) -> None:
    """``2 (x - mean)/(n - ddof)`` to those that are there."""
    m = np.nanmean(a)
    n = 0
    for at in np.ndindex(a.shape):
        if a[at] == a[at]:
            n += 1
    if n > ddof:
        for at in np.ndindex(a.shape):
            if a[at] == a[at]:
                a_bar[at] += (a[at] - m) * (2 * y_bar / (n - ddof))


def nanstd_tangent(y: Any, a: Any, axis: Any, dtype: Any, out: Any, ddof: Any, a_dot: Any) -> Any:
    """That of the variance, over twice the root; 0 for a constant sample."""
    if y == 0:
        return zero(y)
    off = a - np.nanmean(a)
    return nanvar_tangent(y, off, axis, dtype, out, ddof, a_dot) / (2 * y)


@array_rule(np.nanstd, tangent=nanstd_tangent, reads="y a", axis=None, dtype=None, out=None, ddof=0)
def nanstd_adjoint(y: Any, y_bar: Any, a: Any, axis: Any, dtype: Any, out: Any, ddof: Any, a_bar: Any) -> None:
    """As of the variance; 0 for a constant sample."""
    if y != 0:
        nanvar_adjoint(y, y_bar / (2 * y), a - np.nanmean(a), axis, dtype, out, ddof, a_bar)
