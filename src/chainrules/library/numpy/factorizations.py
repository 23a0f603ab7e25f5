"""QR factors and least squares."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...declarations import ignore_derivatives
from ...rules import rrule
from ...tangents import Thunk
from .linear import _h
from .pseudo import cut_between, pinv_bar, threshold_between
from .shared import as_array, leading
from .singular import _thin, of_values

_np: Any = np


@rrule(np.linalg.qr)
@leading
def qr_rule(a: Any, mode: str = "reduced") -> Any:
    """``(Q_bar + Q copyltu(R R_bar^H - Q_bar^H Q)) R^-H``: S. Walter and L. Lehmann (2010). A wide matrix is
    ``Q [R_1 R_2]`` with ``R_2 = Q^H A_2``: D. A. O. Roberts and L. R. Roberts, "QR and LQ decomposition matrix
    backpropagation algorithms for square, wide, and deep matrices" (2020). The columns of the complete form that the
    matrix does not span are known up to a rotation: NaN for a loss that depends on it.
    """
    if mode not in ("reduced", "complete", "r"):
        raise NotImplementedError(f"the rule for numpy.linalg.qr has no derivative for mode={mode!r}")
    y = _np.linalg.qr(a, mode)
    a = as_array(a)

    def qr_pullback(y_bar: Any) -> Any:
        if mode == "r":
            return Thunk(lambda: qr_bar(a, _np.linalg.qr(a)[0], None, y, y_bar))
        return Thunk(qr_bar, a, y[0], y_bar[0], y[1], y_bar[1])

    return y, qr_pullback


def qr_bar(a: Any, q: Any, q_bar: Any, r: Any, r_bar: Any) -> Any:
    """The cotangent of ``a = q r`` from those of the factors, which may be complete, and may be ``None``."""
    k = min(a.shape[-2:])
    q, q_bar = _thin(q, q_bar, k)
    r_bar = np.zeros(r.shape) if r_bar is None else np.triu(r_bar)
    q_bar = np.zeros(q.shape) if q_bar is None else q_bar
    r, r_bar = r[..., :k, :], r_bar[..., :k, :]
    if a.shape[-1] <= k:
        return _tall_bar(q, q_bar, r, r_bar)
    other = r_bar[..., k:]
    q_bar = q_bar + a[..., k:] @ _h(other)
    return np.concatenate((_tall_bar(q, q_bar, r[..., :k], r_bar[..., :k]), q @ other), axis=-1)


def _tall_bar(q: Any, q_bar: Any, r: Any, r_bar: Any) -> Any:
    size = np.abs(np.diagonal(r, axis1=-2, axis2=-1))
    bound = 8 * np.finfo(size.dtype).eps * max(q.shape[-2:]) * np.max(np.abs(r), axis=(-2, -1), initial=0.0)
    if np.any(size <= bound[..., None]):
        raise NotImplementedError("Singular matrix: the rule for numpy.linalg.qr is for matrices of full rank")
    m = r @ _h(r_bar) - _h(q_bar) @ q
    low = np.tril(m, -1)
    both = low + _h(low) + np.real(m) * np.eye(m.shape[-1])
    return _h(np.linalg.solve(r, _h(q_bar + q @ both)))


def lstsq_rule(a: Any, b: Any, rcond: Any = None) -> Any:
    """``x = pinv(A) b``, the residuals ``|b - A x|^2`` and the singular values; the rank is a constant."""
    y = _np.linalg.lstsq(a, b, rcond)
    a, b = as_array(a), as_array(b)
    x, rank, s = y[0], int(y[2]), ignore_derivatives(y[3])

    def lstsq_pullback(y_bar: Any) -> Any:
        x_bar, residual_bar, _, s_bar = y_bar
        g = np.zeros(x.shape) if x_bar is None else x_bar
        left = b - a @ x
        columns = (lambda v: v[:, None]) if b.ndim == 1 else (lambda v: v)
        cut = cut_between(s, rank, a, rcond)
        threshold = threshold_between(s, rank, a, cut)

        def inverse() -> Any:
            return np.linalg.pinv(a, threshold)

        def a_bar() -> Any:
            bar = pinv_bar(a, inverse(), columns(g), columns(b), cut)
            if residual_bar is not None and np.size(residual_bar):
                bar = bar - 2 * (columns(left) * residual_bar) @ _h(columns(x))
            return bar if s_bar is None else bar + of_values(a, s_bar)

        def b_bar() -> Any:
            bar = _h(inverse()) @ g
            return bar if residual_bar is None or not np.size(residual_bar) else bar + 2 * left * residual_bar

        return Thunk(a_bar), Thunk(b_bar)

    return y, lstsq_pullback


rrule(np.linalg.lstsq)(leading(lstsq_rule, active=2))
