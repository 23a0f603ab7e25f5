"""`numpy.i0`, the modified Bessel function of order 0, and the window made of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...rules import rrule
from ...scalar import scalar_rule
from ...tangents import NotImplementedTangent
from .shared import as_array

# I_1(x) = x/2 sum_k q^k / (k! (k+1)!) with q = x^2/4: all terms are positive, and 70 are enough for |x| <= 30.
_TERMS = 70
_SERIES = 1.0 / np.cumprod(np.concatenate(([1.0], np.arange(1.0, _TERMS) * np.arange(2.0, _TERMS + 1.0))))[::-1]
# From there on exp(x)/sqrt(2 pi x) sum_k a_k x^-k with a_k = -a_(k-1) (4 - (2k-1)^2)/(8k).
# Both: M. Abramowitz and I. Stegun, "Handbook of Mathematical Functions" (1964), 9.6.10 and 9.7.1.
_FAR = 30.0
_K = np.arange(1.0, 20.0)
_ASYMPTOTIC = np.cumprod(np.concatenate(([1.0], -(4.0 - (2.0 * _K - 1.0) ** 2) / (8.0 * _K))))[::-1]


def i1(x: Any) -> Any:
    """The modified Bessel function of the first kind of order 1, the derivative of `numpy.i0`.

    >>> round(float(i1(1.0)), 12), float(i1(0.0))
    (0.565159103992, 0.0)
    """
    x = as_array(x) + 0.0
    size = np.abs(x)
    near = size <= _FAR
    small, large = np.where(near, x, 0.0), np.where(near, _FAR, size)
    series = 0.5 * small * np.polyval(_SERIES, 0.25 * small * small)
    far = np.sign(x) * np.exp(large) / np.sqrt(2.0 * np.pi * large) * np.polyval(_ASYMPTOTIC, 1.0 / large)
    return np.where(near, series, far).astype(x.dtype, copy=False)


scalar_rule(np.i0, lambda y, x: i1(x), real=True)


@rrule(np.kaiser)
def kaiser_rule(M: Any, beta: Any) -> Any:
    """``i0(beta r)/i0(beta)`` with ``r = sqrt(1 - t^2)``."""
    y = np.kaiser(M, beta)

    length = NotImplementedTangent("kaiser_rule has no derivative for a length that is not an integer")
    m_bar = length if isinstance(M, (float, np.inexact, np.ndarray)) else None

    def kaiser_pullback(y_bar: Any) -> Any:
        if M == 1 or not len(y):
            return m_bar, 0.0
        half = (M - 1) / 2.0
        r = np.sqrt(1.0 - ((np.arange(len(y)) - half) / half) ** 2)
        return m_bar, np.sum(y_bar * (r * i1(beta * r) - y * i1(beta))) / np.i0(beta)

    return y, kaiser_pullback
