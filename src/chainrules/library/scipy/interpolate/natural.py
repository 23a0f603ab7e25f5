"""Natural splines near data: `make_smoothing_spline`, with a smoothing that is given, or chosen by cross-validation.

With Q the second divided differences, R the products of hat functions and W the weights, ``M s = Q^T y`` with
``M = R + lam P`` and ``P = Q^T W^-1 Q`` gives the second derivatives, and ``g = y - lam W^-1 Q s`` the smoothed data:
see Green and Silverman, Nonparametric Regression and Generalized Linear Models, chapter 2. Generalised cross-validation
makes ``|y - g| / tr(lam M^-1 P)`` least, so that lam solves

    (y - g) . d(y - g)/dlam / |y - g|^2 = 1/lam - tr(B B)/tr(B),    B = M^-1 P.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import interpolate as si  # type: ignore[import-untyped]
from scipy.linalg import solve_banded  # type: ignore[import-untyped]

from ....programs import program
from ....tangents import NotImplementedDerivative
from .fits import data_of, found_by, interpolated, knots_of, orders_of

LARGEST = 2000  # data, for which a matrix of their order is made
NEAR = 1e-2  # of lam: how far it may lie from the minimum


def differences(x: Any) -> Any:
    """The diagonals of Q and, one shorter, of R: what stands on, above and below theirs."""
    h = np.diff(x)
    return 1.0 / h[:-1], -1.0 / h[:-1] - 1.0 / h[1:], 1.0 / h[1:], (h[:-1] + h[1:]) / 3, h[1:-1] / 6


def curvature(x: Any, y: Any) -> Any:
    """``Q^T y``, for columns."""
    return np.diff(np.diff(y, axis=0) / np.diff(x)[:, None], axis=0)


def spread(x: Any, s: Any) -> Any:
    """``Q s``, for columns."""
    edge = np.zeros((1, s.shape[1]))
    slopes = np.diff(np.concatenate([edge, s, edge]), axis=0) / np.diff(x)[:, None]
    return np.diff(np.concatenate([edge, slopes, edge]), axis=0)


def bending(x: Any, y: Any, v: Any) -> Any:
    """The second derivatives at the inner places, of data in columns; `v` is lam over the weights."""
    a, b, d, main, near = differences(x)
    main = main + a * a * v[:-2] + b * b * v[1:-1] + d * d * v[2:]
    near = near + b[:-1] * a[1:] * v[1:-2] + d[:-1] * b[1:] * v[2:-1]
    far = d[:-2] * a[2:] * v[2:-2]
    none = np.zeros(2)
    bands = np.stack([
        np.concatenate([none, far]), np.concatenate([none[:1], near]), main, np.concatenate([near, none[:1]]),
        np.concatenate([far, none]),
    ])  # fmt: skip
    return solve_banded((2, 2), bands, curvature(x, y))


def validated(x: Any, y: Any, w: Any, lam: Any) -> Any:
    """What is 0 where cross-validation is least."""
    n = len(x) - 2
    a, b, d, main, near = differences(x)
    q = np.concatenate([np.diag(a), np.zeros((2, n))]) + np.concatenate([np.zeros((2, n)), np.diag(d)])
    q = q + np.concatenate([np.zeros((1, n)), np.diag(b), np.zeros((1, n))])
    p = q.T @ (q / w[:, None])
    m = np.diag(main) + np.diag(near, 1) + np.diag(near, -1) + lam * p
    b, s = np.linalg.solve(m, p), np.linalg.solve(m, q.T @ y)
    off, turn = (q @ s) / w, (q @ (s - lam * (b @ s))) / w  # the misfit over lam, and its slope in lam
    return np.sum(off * turn) / (lam * np.sum(off * off)) - 1.0 / lam + np.sum(b * b.T) / np.trace(b)


def smoothing_of(found: Any, x: Any, y: Any, w: Any) -> float:
    """The lam that SciPy has chosen, from the spline that it has made. Called plainly."""
    moved = spread(x, found(x[1:-1], 2)[:, None])[:, 0] / w
    return float(np.dot(y - found(x), moved) / np.dot(moved, moved))


def chosen(config: Any, found: Any, x: Any, y: Any, w: Any) -> Any:
    """The same, with its derivatives."""
    n = len(x)
    if np.ndim(y) > 1 or n > LARGEST:
        raise NotImplementedDerivative(
            f"lam is chosen by cross-validation for several columns, or more than {LARGEST} places: give one number lam"
        )
    lam = config.plainly(smoothing_of, found, x, y, w)
    if lam > (1 - 1e-4) * n:  # where SciPy ends its search
        return lam
    at = lambda s: validated(x, y, w, s)
    off, slope = config.plainly(config.jvp, at, (lam,), (1.0,))
    if not config.plainly(abs, off) <= NEAR * lam * slope:
        raise NotImplementedDerivative("cross-validation ended away from a minimum: give one number lam, or scale x")
    for _ in range(config.orders()):
        lam = lam - (at(lam) - off) / slope
    return lam


@program(si.make_smoothing_spline)
def make_smoothing_spline_program(config: Any, x: Any, y: Any, w: Any = None, lam: Any = None, **named: Any) -> Any:
    made = config.plainly(si.make_smoothing_spline, x, y, w, lam, **named)
    if np.ndim(lam):
        raise NotImplementedDerivative("several lam are not implemented: give one number lam")
    _, extrapolate, place = config.plainly(found_by, lambda: made)
    x, y = data_of(x, y, named.get("axis", 0))
    w = np.ones(len(x)) if w is None else np.asarray(w, float)
    lam = chosen(config, made, x, y, w) if lam is None else lam
    columns, v = np.reshape(y, (len(x), -1)), lam / w
    smoothed = np.reshape(columns - v[:, None] * spread(x, bending(x, columns, v)), y.shape)
    t = knots_of(x, 3, "natural")
    natural = orders_of("natural", y.shape[1:])
    found = config.plainly(lambda: found_by(lambda: made)[0])
    c = interpolated(config, found, x, smoothed, t, 3, natural, natural)
    return si.BSpline.construct_fast(t, c, 3, extrapolate, place)
