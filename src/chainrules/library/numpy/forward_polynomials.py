"""Forward rules for the older functions for polynomials, and for fits of all kinds."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...products import strong_div
from ...tangents import NotImplementedTangent
from ..forward import array_dot, forward
from .fits import weighted
from .forward_linalg import pinv_dot
from .old_polynomials import _at_end, _powers
from .shared import as_array


def _row(c: Any, c_dot: Any) -> Any:
    return np.atleast_1d(array_dot(c, c_dot))


for f in (np.polyadd, np.polysub):

    @forward(f, 0, 1)
    def sum_forward(y: Any, dots: Any, a1: Any, a2: Any, f: Any = f) -> Any:
        """The sum, or the difference, of the tangents."""
        return _at_end(f(_row(a1, dots[0]), _row(a2, dots[1])), len(y))


@forward(np.polymul, 0, 1)
def polymul_forward(y: Any, dots: Any, a1: Any, a2: Any) -> Any:
    """One factor after the other."""
    a, b = np.atleast_1d(a1), np.atleast_1d(a2)
    return _at_end(np.convolve(_row(a, dots[0]), b) + np.convolve(a, _row(b, dots[1])), len(y))


@forward(np.polydiv, 0, 1)
def polydiv_forward(y: Any, dots: Any, u: Any, v: Any) -> Any:
    """``u_dot - q v_dot`` divided by ``v``."""
    (q, r), d = y, np.atleast_1d(v)
    u_dot, product = _row(u, dots[0]), np.convolve(q, _row(v, dots[1]))
    n = max(len(u_dot), len(product))
    q_dot, r_dot = np.polydiv(_at_end(u_dot, n) - _at_end(product, n), d)
    return _at_end(q_dot, len(q)), _at_end(r_dot, len(r))


@forward(np.polyder)
def polyder_forward(y: Any, dots: Any, p: Any, m: int = 1) -> Any:
    """The derivative of the tangent."""
    return np.polyder(_row(p, dots[0]), m)


@forward(np.polyint, 0, 2)
def polyint_forward(y: Any, dots: Any, p: Any, m: int = 1, k: Any = None) -> Any:
    """The integral of the tangent, with the tangents of the constants."""
    return np.polyint(_row(p, dots[0]), m, None if k is None else array_dot(k, dots[1]))


@forward(np.polyval, 0, 1)
def polyval_forward(y: Any, dots: Any, p: Any, x: Any) -> Any:
    """The value of the tangent, and the slope times that of the point."""
    p_dot, x_dot = dots
    p, x = as_array(p), as_array(x)
    change = np.polyval(array_dot(p, p_dot), x)
    if x_dot is None or len(p) < 2:
        return change
    factors = np.arange(len(p) - 1, 0, -1).reshape(-1, *(1,) * (p.ndim - 1))
    return change + np.polyval(p[:-1] * factors, x) * array_dot(x, x_dot)


@forward(np.roots)
def roots_forward(y: Any, dots: Any, p: Any) -> Any:
    """``-p_dot(r)/p'(r)``."""
    a = np.atleast_1d(p)
    slope = np.polyval(a[:-1] * np.arange(len(a) - 1, 0, -1), y)
    with np.errstate(all="ignore"):
        return -strong_div(np.polyval(_row(p, dots[0]), y), slope)


@forward(np.poly)
def poly_forward(y: Any, dots: Any, seq_of_zeros: Any) -> Any:
    """Minus the products of the other factors; of a matrix ``-tr(B_(k-1) A_dot)``, as in `old_polynomials`."""
    a, a_dot = np.atleast_1d(as_array(seq_of_zeros)), _row(seq_of_zeros, dots[0])
    if a.ndim == 1:
        others = [np.concatenate((np.zeros(1), np.atleast_1d(np.poly(np.delete(a, i))))) for i in range(len(a))]
        return -(a_dot @ np.stack(others)) if others else np.zeros(np.shape(y))
    b, found = np.eye(len(a)), [np.zeros(())]
    for k in range(1, len(a) + 1):
        found.append(-np.trace(b @ a_dot))
        b = a @ b + y[k] * np.eye(len(a))
    return np.stack(found)


def fit_forward(y: Any, v: Any, slopes: Any, args: Any, dots: Any, full: bool, rcond: Any, placed: Any) -> Any:
    """``c = pinv(W V) W y``, of which all three can move.

    Args:
        y: what the fit returned.
        v: the basis at the points.
        slopes: its derivatives there.
        args: points, values and weights, the last may be ``None``.
        dots: their tangents.
        full: whether more than the coefficients was returned.
        rcond: as the fit got it.
        placed: puts the coefficients that were fitted into their rows.
    """
    x, values, w = args
    x_dot, values_dot, w_dot = dots
    b = as_array(values)
    weights, a = weighted(v, len(b), w, rcond)
    column = (-1, *(1,) * (b.ndim - 1))
    moves = np.zeros(weights.shape) if w is None else array_dot(w, w_dot)
    a_dot = moves[:, None] * v + weights[:, None] * slopes * array_dot(x, x_dot)[:, None]
    b_dot = moves.reshape(column) * b + weights.reshape(column) * array_dot(b, values_dot)
    inverse = np.linalg.pinv(a, 0.0)
    c_dot = placed(inverse @ b_dot + pinv_dot(a, inverse, a_dot) @ (weights.reshape(column) * b))
    if not full:
        return c_dot
    lost = NotImplementedTangent("the forward rule for fits has no derivative for what full=True adds")
    return (c_dot, [lost for _ in y[1]] if isinstance(y[1], list) else lost, *(lost for _ in y[2:]))


@forward(np.polyfit, 0, 1, 5)
def polyfit_forward(
    c: Any, dots: Any, x: Any, y: Any, deg: int, rcond: Any = None, full: bool = False, w: Any = None, cov: Any = False
) -> Any:  # fmt: skip
    """As `fit_forward`."""
    n = int(deg) + 1
    v = _powers(as_array(x) + 0.0, n).T
    slopes = np.concatenate((v[:, 1:] * np.arange(n - 1, 0, -1), np.zeros((len(v), 1))), axis=1)
    return fit_forward(c, v, slopes, (x, y, w), dots, full, rcond, lambda g: g)
