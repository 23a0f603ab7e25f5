"""Covariances and correlations of rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...rules import rrule
from ...tangents import Thunk
from .reductions import check_dtype
from .shared import as_array, conj, leading

_np: Any = np


def _rows(m: Any, y: Any, rowvar: Any) -> tuple[Any, Any]:
    """The variables as rows, those of ``m`` above those of ``y``, and how cotangents of them go back."""
    m_turned = not rowvar and np.ndim(m) != 1
    x = np.atleast_2d(m).T if m_turned else np.atleast_2d(m)
    k = len(x)
    y_turned = False
    if y is not None and k:  # NumPy looks no further where there are no variables in the first
        below = np.atleast_2d(y)
        y_turned = not rowvar and below.shape[0] != 1
        x = np.concatenate((x, below.T if y_turned else below))

    def parted(x_bar: Any) -> tuple[Any, Any]:
        m_bar, y_bar = x_bar[:k], x_bar[k:]
        m_bar = (m_bar.T if m_turned else m_bar).reshape(np.shape(m))
        if y is None or not k:
            return m_bar, None
        return m_bar, (y_bar.T if y_turned else y_bar).reshape(np.shape(y))

    return x, parted


def _centred(x: Any) -> Any:
    return x - x.mean(axis=1, keepdims=True)


def cov_rule(
    m: Any, y: Any = None, rowvar: Any = True, bias: Any = False, ddof: Any = None, fweights: Any = None,
    aweights: Any = None, *, dtype: Any = None,
) -> Any:  # fmt: skip
    """``C = (X w) X^H / n`` of rows centred by their weighted means, with ``n = W - ddof sum(w aweights)/W`` and ``W =
    sum(w)``. The means move nothing: the weighted rows are centred already.
    """
    for rows in (m, y):
        check_dtype("numpy.cov", dtype, rows)
    c = np.cov(m, y, rowvar, bias, ddof, fweights, aweights, dtype=dtype)
    x, parted = _rows(m, y, rowvar)
    if ddof is None:
        ddof = 0 if bias else 1
    repeats = 1.0 if fweights is None else as_array(fweights)

    def weighted() -> tuple[Any, Any, Any]:
        """The centred rows, their weights and the divisor."""
        if fweights is None and aweights is None:
            return _centred(x), 1.0, np.maximum(x.shape[1] - ddof, 0.0)
        a = 1.0 if aweights is None else as_array(aweights)
        w = repeats * a
        total = np.sum(w)
        off = x - (x @ w / total)[:, None]
        return off, w, np.maximum(total - ddof * (1.0 if aweights is None else np.sum(w * a) / total), 0.0)

    def cov_pullback(c_bar: Any) -> Any:
        if not len(x):
            return *parted(x), None, None, None, None, None
        off, w, n = weighted()
        g = np.asarray(c_bar).reshape(len(x), len(x))
        x_bar = (g + conj(g).T) @ (off * w) / n

        def aweights_bar() -> Any:
            a, total = as_array(aweights), np.sum(w)
            # By w: off_k off_k^H/n - C/n dn/dw; by a: dn/da = f - ddof f (2 a W - sum(w a))/W**2.
            pairs = np.real(np.sum(conj(off) * (g @ off), axis=0)) / n
            whole = np.real(np.sum(conj(np.asarray(c).reshape(g.shape)) * g)) / n
            return repeats * (pairs - whole * (1 - ddof * (2 * a * total - np.sum(w * a)) / total**2))

        return *parted(x_bar), None, None, None, None, None if aweights is None else Thunk(aweights_bar)

    return c, cov_pullback


rrule(np.cov)(leading(cov_rule, active=7))


def corrcoef_rule(x: Any, y: Any = None, rowvar: Any = True, *args: Any, **options: Any) -> Any:
    """``R[i, j] = C[i, j]/(s[i] s[j])`` with ``s[i] = sqrt(C[i, i])``: to ``C`` the seed over ``s[i] s[j]``, less
    on the diagonal ``Re(sum(R_bar[i, :] R[i, :]) + sum(R_bar[:, i] R[:, i]))/(2 C[i, i])``.
    """
    for each in (x, y):
        check_dtype("numpy.corrcoef", options.get("dtype"), each)
    r = np.corrcoef(x, y, rowvar, *args, **options)
    rows, parted = _rows(x, y, rowvar)

    def corrcoef_pullback(r_bar: Any) -> Any:
        n = len(rows)
        off = _centred(rows)
        square = np.sum(np.real(conj(off) * off), axis=1)
        s = np.sqrt(square)
        g = np.asarray(r_bar).reshape(n, n)
        along = np.real(conj(np.asarray(r).reshape(n, n)) * g)
        own = (np.sum(along, axis=0) + np.sum(along, axis=1)) / (2 * square)
        c_bar = g / s[:, None] / s - np.diag(own)
        return parted((c_bar + conj(c_bar).T) @ off)

    return r, corrcoef_pullback


rrule(np.corrcoef)(leading(corrcoef_rule, active=2))
