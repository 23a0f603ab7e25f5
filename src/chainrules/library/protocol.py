"""Rules for what the other rules compute with: their pullbacks can be differentiated cheaply."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..products import strong_div, strong_mul
from ..projection import unbroadcast
from ..rules import rrule
from ..scalar import scalar_rule
from ..tangents import Thunk
from .forward import array_dot, forward
from .numpy.forward_shapes import linear
from .numpy.shared import scatter, spread
from .partials import leg, power_dp, power_dx, quotient, reciprocal

scalar_rule(strong_mul, lambda y, p, g: g, lambda y, p, g: p)


@rrule(strong_div)
def strong_div_rule(g: Any, d: Any) -> Any:
    """As a quotient."""
    y = strong_div(g, d)
    return y, lambda y_bar: (
        Thunk(lambda: strong_div(y_bar, np.conj(d))),
        Thunk(lambda: -strong_mul(np.conj(strong_div(y, d)), y_bar)),
    )


@rrule(spread)
def spread_rule(g: Any, shape: Any, kept: Any) -> Any:
    """The sum over what it was spread over."""
    reduced = (1,) * len(shape) if kept is None else kept

    def spread_pullback(y_bar: Any) -> Any:
        return unbroadcast(y_bar, reduced).reshape(np.shape(g)), None, None

    return spread(g, shape, kept), spread_pullback


@rrule(scatter)
def scatter_rule(index: Any, g: Any, size: int) -> Any:
    """What lies at the positions."""
    return scatter(index, g, size), lambda y_bar: (None, y_bar[np.reshape(index, np.shape(g))], None)


@rrule(unbroadcast)
def unbroadcast_rule(x_bar: Any, shape: Any) -> Any:
    """The seed, spread again."""
    have = np.shape(x_bar)
    return unbroadcast(x_bar, shape), lambda y_bar: (unbroadcast(y_bar, have), None)


def power_dxdp(d: Any, y: Any, x: Any, p: Any) -> Any:
    """``x**(p - 1) (1 + p log|x|)``, the derivative of ``d = p x**(p - 1)`` by ``p``.

    >>> power_dxdp(6.0, 9.0, 3.0, 2.0) - 3 * (1 + 2 * np.log(3.0))
    np.float64(0.0)
    """
    q = p - 1
    if isinstance(x, np.ndarray) or isinstance(p, np.ndarray):
        floats = x.astype(np.float64) if isinstance(x, np.ndarray) and x.dtype.kind in "iub" else x
        return np.power(floats, q * 1.0) + power_dp(d, x, q)
    try:
        power = x**q
    except ZeroDivisionError:
        power = np.inf
    if isinstance(power, complex) and not isinstance(y, complex):
        power = np.nan  # of a negative number: NumPy's way
    return power + power_dp(d, x, q)


# The powers' partials take shortcuts for p = 0, 1, 2 that are right for their values only: an engine that looked
# into them would lose the derivative with respect to p.
scalar_rule(power_dx, 0, lambda d, y, x, p: strong_mul(p, power_dx(y, x, p - 1)), power_dxdp)
scalar_rule(power_dp, lambda d, y, x, p: power_dp(_one(y), x, p), lambda d, y, x, p: leg(x, y), 0)


# Where these catch Python's `ZeroDivisionError`, an engine that looked into them would find a constant.
scalar_rule(reciprocal, lambda y, x: -y * y)
scalar_rule(quotient, lambda y, a, b: reciprocal(b), lambda y, a, b: -quotient(y, b))


def _one(y: Any) -> Any:
    return np.ones_like(y) if isinstance(y, (np.ndarray, np.generic)) else type(y)(1)


# -- forward ----------------------------------------------------------------------------------------------

linear(unbroadcast, 1)
linear(spread, 1)


@forward(strong_div, 0, 1)
def strong_div_forward(y: Any, dots: Any, g: Any, d: Any) -> Any:
    """``(g_dot - y d_dot)/d``."""
    g_dot, d_dot = dots
    change = 0.0 if g_dot is None else strong_div(g_dot, d)
    return change if d_dot is None else change - strong_mul(strong_div(y, d), d_dot)


@forward(scatter, 1)
def scatter_forward(y: Any, dots: Any, index: Any, g: Any, size: int) -> Any:
    """Linear."""
    return scatter(index, array_dot(g, dots[0]), size)
