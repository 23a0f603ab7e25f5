"""What the texts of forward mode call."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules import AbstractTangent, frules_for, scalar_rule_for, unthunk
from morula.eager.calls.registry import is_library_rule
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
    """The tangent of ``f(*args, **named)``: by its forward rule, or as the eager tier has it."""
    rules = frules_for(f)
    if len(rules) == 1 and not rules[0].types and not rules[0].needs and is_library_rule(rules[0].function):
        _, y_dot = rules[0].function(args, dots, **named)
        y_dot = unthunk(y_dot)
        if not isinstance(y_dot, AbstractTangent) and y_dot is not None:
            return y_dot
    return JVP[0](f, args, dots, **named)[1]


def ruled_dot(rule: Any, like: Any, args: tuple, dots: tuple) -> tuple:
    """The tangent of the value that a rule gives, with what the tangent of its pullback takes."""
    return along(rule.primal, args, dots, rule.keywords), rule, args, dots


def pulled_dot(made: tuple, pushed: tuple, y_bar: Any, y_bar_dot: Any, spaces: tuple) -> list:
    """The tangent of what a pullback sends to the operands: along the cotangent, and along the operands."""
    y_dot, rule, args, dots = pushed
    second = SECOND.get(rule.primal)
    if second is None or rule.keywords:
        return _pulled_along(rule, args, dots, y_bar, y_bar_dot, spaces)
    found = [None] * len(spaces) if y_bar_dot is None else pulled(made, y_bar_dot, spaces)
    for i, part in enumerate(second(args, dots, made[0], y_dot, y_bar)):
        if spaces[i] is not None:
            found[i] = part if found[i] is None else found[i] + part
    return found


def _pulled_along(rule: Any, args: tuple, dots: tuple, y_bar: Any, y_bar_dot: Any, spaces: tuple) -> list:
    """The same by the eager tier, which follows the rule."""
    wanted = [i for i, space in enumerate(spaces) if space is not None]

    def sent(y_bar: Any, *xs: Any) -> tuple:
        found = pulled(rule(*xs), y_bar, spaces)
        return tuple([found[i] for i in wanted])

    moved = along(sent, (y_bar, *args), (y_bar_dot, *dots), {})
    found: list[Any] = [None] * len(spaces)
    for i, part in zip(wanted, moved, strict=True):
        found[i] = part
    return found


def _of_inverse(args: tuple, dots: tuple, y: Any, y_dot: Any, y_bar: Any) -> list:
    """Of ``- y.T @ y_bar @ y.T``."""
    return [-(y_dot.T @ y_bar @ y.T + y.T @ y_bar @ y_dot.T)]


def _of_solution(args: tuple, dots: tuple, y: Any, y_dot: Any, y_bar: Any) -> list:
    """Of ``b_bar``, the solution of ``a.T @ b_bar = y_bar``, and of ``- b_bar @ y.T``."""
    a, a_dot = args[0], dots[0]
    b_bar = np.linalg.solve(a.T, y_bar)
    b_bar_dot = np.zeros(b_bar.shape) if a_dot is None else -np.linalg.solve(a.T, a_dot.T @ b_bar)
    outer = np.outer if y.ndim == 1 else lambda x, z: x @ z.T
    return [-(outer(b_bar_dot, y) + outer(b_bar, y_dot)), b_bar_dot]


def _of_linear(args: tuple, dots: tuple, y: Any, y_dot: Any, y_bar: Any) -> list:
    """Of what does not depend on where it is, or in steps."""
    return [nothing(x) for x in args]


PIECEWISE_LINEAR = (np.max, np.min, np.amax, np.amin, np.sort, np.cumsum, np.diff, np.roll, np.flip, np.trace, np.diag)
METHODS = (np.ndarray.max, np.ndarray.min, np.ndarray.cumsum, np.ndarray.trace)
SECOND: dict[Any, Callable[..., list]] = {
    **dict.fromkeys((*PIECEWISE_LINEAR, *METHODS), _of_linear),
    np.linalg.inv: _of_inverse,
    np.linalg.solve: _of_solution,
}


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
