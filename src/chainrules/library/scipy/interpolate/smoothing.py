"""FITPACK's smoothing splines: on the knots chosen, the smoothest whose weighted squares of residuals add up to s.

Their coefficients c and a multiplier q solve

    B^T W^2 (B c - y) + q D^T D c = 0,    |W (y - B c)|^2 = s

with the values B of the B-splines and the jumps D of the derivative of highest order at the inner knots. See Dierckx,
Curve and Surface Fitting with Splines, chapters 4 and 5. Inner knots are places of the data; which ones, is a choice.
FITPACK solves the second equation up to a thousandth of s; the derivative is that of its exact solution.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ....tangents import NotImplementedDerivative
from .basis import basis, gathered, span, spread_back
from .fits import fitted
from .splines import differenced


def jumps(t: Any, k: int) -> Any:
    """The jumps of the derivative of order ``k`` at the inner knots, a row for each, of every B-spline."""
    c = np.eye(len(t) - k - 1)
    for r in range(k):
        t, c = differenced(t, c, k - r)
    return np.diff(c, axis=0)


def knots_among(config: Any, x: Any, t: Any, k: int, ends: Any, middle: Any) -> Any:
    """The knots `t` that FITPACK chose as functions of the places.

    Args:
        config: of the program.
        x: places.
        t: the knots that were found.
        k: the degree.
        ends: first and last knots.
        middle: the inner knots of interpolation.
    """
    inner = t[k + 1 : -k - 1]
    at = config.plainly(np.searchsorted, x, inner)
    if config.plainly(np.array_equal, x[at], inner):
        return np.concatenate([ends[0], x[at], ends[1]])
    if config.plainly(np.array_equal, middle, inner):
        return np.concatenate([ends[0], middle, ends[1]])
    raise NotImplementedDerivative("FITPACK chose knots whose dependence on the places is not known")


def smoothed(config: Any, c: Any, x: Any, y: Any, t: Any, k: int, w: Any, s: Any) -> Any:
    """The coefficients of the smoothing spline, with their derivatives; `c`, `y` have as many columns, or none."""
    m = config.plainly(span, t, x, k)
    places = m[:, None] + np.arange(-k, 1)
    shape, columns, weights = np.shape(c), np.reshape(y, (len(x), -1)), np.reshape(w * w, (-1, 1))

    def parts(c: Any) -> Any:
        """The gradients of the squares and of the jumps by the coefficients, and the squares."""
        values, bends = basis(t, x, m, k), jumps(t, k)
        misfit = gathered(values, c, places) - columns
        return (
            spread_back(values, weights * misfit, places, len(c)), bends.T @ (bends @ c), np.sum(weights * misfit**2)
        )  # fmt: skip

    z = config.plainly(np.reshape, c, (len(c), -1))
    pull, bend, found = config.plainly(parts, z)
    q = config.plainly(multiplier, pull, bend)
    if q == 0:  # no inner knots, or those of a least-squares spline that is near enough
        return fitted(config, c, x, y, t, k, w)
    rest = pull + q * bend
    if config.plainly(np.max, np.abs(rest)) > 1e-6 * config.plainly(np.max, np.abs(pull)):
        raise NotImplementedDerivative("FITPACK did not reach the smoothing that s asks for")
    inverse = config.plainly(inverse_of, x, t, m, k, weights, q)
    lifted = inverse @ bend
    scale, off = config.plainly(float, 2 * q), found - config.plainly(float, s)
    for _ in range(config.orders()):
        pull, turn, squares = parts(z)
        r = inverse @ (pull + q * turn - rest)
        change = (np.sum(bend * r) + (squares - s - off) / scale) / np.sum(bend * lifted)
        z, q = z - (r - lifted * change), q - change
    return np.reshape(z, shape)


def multiplier(pull: Any, bend: Any) -> Any:
    """The one of the jumps, by least squares; 0 where they do not matter."""
    size = np.sum(bend**2)
    return 0.0 if size == 0 or np.sum(pull**2) <= 1e-20 * size else -np.sum(pull * bend) / size


def inverse_of(x: Any, t: Any, m: Any, k: int, weights: Any, q: Any) -> Any:
    n = len(t) - k - 1
    values, bends = np.zeros((len(x), n)), jumps(t, k)
    np.put_along_axis(values, m[:, None] + np.arange(-k, 1), basis(t, x, m, k), axis=1)
    return np.linalg.inv(values.T @ (weights * values) + q * bends.T @ bends)
