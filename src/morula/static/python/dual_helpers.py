"""What the texts of forward mode call."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules import scalar_rule_for
from morula.eager.calls.rule_config import JVP
from morula.static.python.forms import pulled

__all__ = ["DUAL_HELPERS", "MOVED_SLOPES"]


def nothing(x: Any) -> Any:
    """The tangent of what does not move."""
    if type(x) is np.ndarray:
        return np.zeros(x.shape)
    if type(x) is list:
        return [nothing(v) for v in x]
    return None if x is None else np.float64(0.0) if type(x) is np.float64 else 0.0


def own(x: Any) -> Any:
    """An array that nobody else has."""
    return x.copy() if type(x) is np.ndarray else x


def fit(x_dot: Any, x: Any) -> Any:
    """A tangent in the shape of its value."""
    if type(x) is np.ndarray and np.shape(x_dot) != x.shape:
        return np.broadcast_to(x_dot, x.shape)
    return x_dot


def along(f: Callable, args: tuple, dots: tuple, named: dict[str, Any]) -> Any:
    """The tangent of ``f(*args, **named)``, by the rules that the eager tier has."""
    return JVP[0](f, args, dots, **named)[1]


def ruled_dot(rule: Callable, like: Any, args: tuple, dots: tuple) -> tuple:
    """The tangent of the value that a rule gives, with what the tangent of its pullback takes."""
    return along(lambda *xs: rule(*xs)[0], args, dots, {}), rule, args, dots


def pulled_dot(pushed: tuple, y_bar: Any, y_bar_dot: Any, spaces: tuple) -> list:
    """The tangent of what a pullback sends to the operands."""
    _, rule, args, dots = pushed
    wanted = [i for i, space in enumerate(spaces) if space is not None]

    def sent(y_bar: Any, *xs: Any) -> tuple:
        found = pulled(rule(*xs), y_bar, spaces)
        return tuple([found[i] for i in wanted])

    moved = along(sent, (y_bar, *args), (y_bar_dot, *dots), {})
    found: list[Any] = [None] * len(spaces)
    for i, part in zip(wanted, moved, strict=True):
        found[i] = part
    return found


def power_dx_dot(y: Any, x: Any, p: Any, y_dot: Any, x_dot: Any, p_dot: Any) -> Any:
    """The tangent of ``p x ** (p - 1)``, which is the slope of a power by its base."""
    if p_dot is not None:
        return along(SLOPES[0], (y, x, p), (y_dot, x_dot, p_dot), {})
    return 0.0 if x_dot is None else p * SLOPES[0](None, x, p - 1) * x_dot


def power_dp_dot(y: Any, x: Any, p: Any, y_dot: Any, x_dot: Any, p_dot: Any) -> Any:
    """The tangent of ``y log(abs(x))``, which is the slope of a power by its exponent."""
    if type(x) is not float or x == 0.0:
        return along(SLOPES[1], (y, x, p), (y_dot, x_dot, p_dot), {})
    return (y_dot or 0.0) * math.log(abs(x)) + y * (x_dot or 0.0) / x


_power: Any = scalar_rule_for(math.pow)
SLOPES: tuple[Any, ...] = _power.partials
MOVED_SLOPES = {SLOPES[0]: "power_dx_dot", SLOPES[1]: "power_dp_dot"}
DUAL_HELPERS: dict[str, Any] = {
    "nothing": nothing, "own": own, "fit": fit, "along": along, "ruled_dot": ruled_dot, "pulled_dot": pulled_dot,
    "power_dx_dot": power_dx_dot, "power_dp_dot": power_dp_dot,
}  # fmt: skip
