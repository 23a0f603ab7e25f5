"""The B-splines that are not 0 at a point, as functions of the point and the knots around it.

The recursion of Cox and de Boor: with ``B_0 = 1`` on the interval ``t[m] <= x < t[m + 1]``, the step to degree r sends

    (t[hi] - x) / (t[hi] - t[lo]) B   to the left,   (x - t[lo]) / (t[hi] - t[lo]) B   to the right

with ``lo = m - r + 1 + j`` and ``hi = m + 1 + j`` for the B-spline j. See de Boor, A Practical Guide to
Splines, chapter X.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ....rules import rrule
from ....tangents import Thunk
from ...numpy.shared import scatter


def span(t: Any, x: Any, k: int) -> Any:
    """The number m of the interval of each point, between the first knot with a full basis and the last one."""
    return np.clip(np.searchsorted(t, x, "right") - 1, k, last_span(t, k))


def last_span(t: Any, k: int) -> int:
    """The last interval that is not empty."""
    end = t[len(t) - k - 1]
    return max(int(np.searchsorted(t, end, "left")) - 1, k)


def steps_of(t: Any, x: Any, m: Any, k: int) -> Any:
    """For each degree up to k: the values before the step, and the knots to their left and right."""
    around = t[m[:, None] + np.arange(1 - k, k + 1)]
    values, found = np.ones((len(x), 1)), []
    for r in range(1, k + 1):
        low, high = around[:, k - r : k], around[:, k : k + r]
        found.append((values, low, high))
        values = raised(values, low, high, x[:, None])
    return values, found


def raised(values: Any, low: Any, high: Any, x: Any) -> Any:
    """The B-splines of the next degree."""
    share = values / (high - low)
    none = np.zeros((len(x), 1))
    return np.concatenate([(high - x) * share, none], axis=1) + np.concatenate([none, (x - low) * share], axis=1)


def basis(t: Any, x: Any, m: Any, k: int) -> Any:
    """The values of the B-splines ``m - k`` to ``m`` of degree ``k``, a row for each point.

    >>> basis(np.array([0.0, 0.0, 1.0, 1.0]), np.array([0.25]), np.array([1]), 1)
    array([[0.75, 0.25]])
    """
    return steps_of(t, x, m, k)[0]


def knots_bar(t: Any, x: Any, m: Any, k: int, y_bar: Any) -> Any:
    """The cotangent of the knots, from that of `basis`: the recursion, backwards."""
    total = np.zeros(len(t))
    at = x[:, None]
    for r, (values, low, high) in zip(range(k, 0, -1), reversed(steps_of(t, x, m, k)[1]), strict=True):
        width = high - low
        left, right = y_bar[:, :-1], y_bar[:, 1:]
        change = (right - left) * values / (width * width)
        places = m[:, None] + np.arange(1 - r, 1)
        total = total + scatter(places, change * (at - high), len(t)) + scatter(places + r, change * (low - at), len(t))
        y_bar = (left * (high - at) + right * (at - low)) / width
    return total


@rrule(basis)
def basis_rule(t: Any, x: Any, m: Any, k: int) -> Any:
    """The derivative with respect to the point is de Boor's, by the basis of the degree before."""
    if np.iscomplexobj(t) or np.iscomplexobj(x):
        return NotImplemented
    y, found = steps_of(t, x, m, k)

    def x_bar(y_bar: Any) -> Any:
        if k == 0:
            return np.zeros(len(x))
        values, low, high = found[-1]
        return k * np.sum(values * (y_bar[:, 1:] - y_bar[:, :-1]) / (high - low), axis=1)

    return y, lambda y_bar: (Thunk(lambda: knots_bar(t, x, m, k, y_bar)), Thunk(x_bar, y_bar), None, None)


def gathered(values: Any, c: Any, places: Any) -> Any:
    """``sum_j values[n, j] c[places[n, j]]``, a row for each n; the coefficients stand in rows."""
    return np.einsum("nj,njd->nd", values, c[places])


def spread_back(values: Any, g: Any, places: Any, size: int) -> Any:
    """The transpose of `gathered`: what comes to each of ``size`` coefficients."""
    weighed = values[:, :, None] * g[:, None, :]
    width = weighed.shape[2]
    return np.reshape(scatter(places[:, :, None] * width + np.arange(width), weighed, size * width), (size, width))
