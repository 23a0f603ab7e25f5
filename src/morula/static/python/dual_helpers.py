"""What the texts of forward mode call."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules import AbstractTangent, frules_for, scalar_rule_for, unthunk
from morula.eager.calls.registry import is_library_rule
from morula.eager.calls.rule_config import JVP
from morula.static.python.ruled_values import Parts, Pulled

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


def ruled_dot(rule: Any, form: Any, args: tuple, dots: tuple) -> tuple:
    """The tangent of the value that a rule gives, with what the tangent of its pullback takes."""
    dots = tuple(map(sent_to, args, dots))
    y_dot = along(rule.primal, args, dots, rule.keywords)
    if type(form) is Parts:
        if any(part is None or isinstance(part, AbstractTangent) for part in y_dot):
            y = rule.primal(*args, **rule.keywords)
            y_dot = tuple([
                nothing(v) if part is None or isinstance(part, AbstractTangent) else unthunk(part)
                for v, part in zip(y, y_dot, strict=True)
            ])  # fmt: skip
    return y_dot, rule, args, dots


def sent_to(x: Any, x_dot: Any) -> Any:
    """The tangent of an argument; None of what is no real number."""
    if type(x) in (tuple, list):
        return None if x_dot is None else type(x)([sent_to(v, d) for v, d in zip(x, x_dot, strict=True)])
    is_real = type(x) is float or type(x) is np.float64 or (type(x) is np.ndarray and x.dtype == np.float64)
    return x_dot if is_real else None


class PulledDot:
    """The tangent of what a pullback sends to the operands: along the cotangent, and along the operands."""

    def __init__(self, made: tuple, pushed: tuple, y_bar: Any, y_bar_dot: Any, spaces: tuple):
        self.made, self.spaces = made, spaces
        self.y_dot, self.rule, self.args, self.dots = pushed
        if type(y_bar) is tuple and y_bar_dot is not None:
            y_bar, y_bar_dot = map(tuple, zip(*map(_together, y_bar, y_bar_dot), strict=True))
        self.y_bar, self.y_bar_dot = y_bar, y_bar_dot
        self.found: dict[int, Any] = {}

    def __getitem__(self, k: int) -> Any:
        if k not in self.found:
            moving = [i for i, (path, _) in enumerate(self.spaces) if _item(self.dots, path) is not None]
            wanted = moving if k in moving else [k]
            self.found.update(zip(wanted, self._of(wanted), strict=True))
        return self.found[k]

    def _of(self, wanted: list[int]) -> list:
        second = SECOND.get(self.rule.primal)
        if second is None or self.rule.keywords or any(len(path) > 1 for path, _ in self.spaces):
            return self._along(wanted)
        parts = second(self.args, self.dots, self.made[0], self.y_dot, self.y_bar)
        found = [parts[self.spaces[k][0][0]] for k in wanted]
        if self.y_bar_dot is None:
            return found
        pulled = Pulled(self.made, self.y_bar_dot, self.spaces)
        return [pulled[k] + part for k, part in zip(wanted, found, strict=True)]

    def _along(self, wanted: list[int]) -> list:
        """By the eager tier, which follows the rule."""
        rule, spaces = self.rule, self.spaces

        def sent(y_bar: Any, *xs: Any) -> tuple:
            pulled = Pulled(rule(*xs), y_bar, spaces)
            return tuple([pulled[k] for k in wanted])

        return list(along(sent, (self.y_bar, *self.args), (self.y_bar_dot, *self.dots), {}))


def _together(z: Any, z_dot: Any) -> tuple:
    """A cotangent and its tangent, of which either both are absent or none is."""
    if z is None and z_dot is None:
        return None, None
    return nothing(z_dot) if z is None else z, nothing(z) if z_dot is None else z_dot


def _item(found: Any, path: tuple[int, ...]) -> Any:
    for i in path:
        found = None if found is None else found[i]
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
    "nothing": nothing, "own": own, "fit": fit, "along": along, "ruled_dot": ruled_dot, "pulled_dot": PulledDot,
    "power_dx_dot": power_dx_dot, "power_dp_dot": power_dp_dot,
}  # fmt: skip
