"""Rules for what the other rules compute with: their pullbacks can be differentiated cheaply."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..products import strong_div, strong_mul
from ..projection import unbroadcast
from ..rules import rrule
from ..tangents import Thunk
from .numpy.shared import scatter, spread


@rrule(strong_mul)
def strong_mul_rule(p: Any, g: Any) -> Any:
    """As a product."""
    return strong_mul(p, g), lambda y_bar: (
        Thunk(lambda: strong_mul(np.conj(g), y_bar)),
        Thunk(lambda: strong_mul(np.conj(p), y_bar)),
    )


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

    def unbroadcast_pullback(y_bar: Any) -> Any:
        if len(have) >= len(shape):
            return np.broadcast_to(y_bar, have), None
        return unbroadcast(y_bar, have), None

    return unbroadcast(x_bar, shape), unbroadcast_pullback
