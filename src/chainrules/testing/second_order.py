"""The rule's own code, differentiated by an engine, against differences of what its pullback gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..config import RuleConfig
from ..projection import project
from ..tangents import AbstractTangent, unthunk
from .calling import Call
from .comparing import Tolerance, judge
from .leaves import at, copied, doubled, inner, is_inexact, leaves, path_text, random_tangent, replaced

__all__ = ["check_second_order", "cotangents_by"]


def cotangents_by(rule: Callable[..., Any], given: tuple[Any, ...], kwargs: dict[str, Any]) -> Callable[..., Any]:
    """What a rule does from the arguments and the seed to the cotangents, as one function that can be differentiated.

    >>> def rule(x): return x * x, lambda y_bar: 2 * x * y_bar
    >>> cotangents_by(rule, (), {})(3.0, 1.0)
    [6.0]
    """

    # defaults, and not captured: an engine may differentiate by what a function has captured
    def cotangents(*args_and_seed: Any, rule: Any = rule, given: Any = given, kwargs: Any = kwargs) -> list[Any]:
        args = args_and_seed[:-1]
        _, pullback = rule(*given, *args, **kwargs)
        bars = pullback(args_and_seed[-1])
        if not isinstance(bars, tuple):
            bars = (bars,)
        found: list[Any] = []
        for i in range(len(args)):
            bar = bars[i - len(args)]
            if bar is None or isinstance(bar, AbstractTangent):
                found.append(None)
            else:
                found.append(project(unthunk(bar), args[i]))
        return found

    return cotangents


def check_second_order(call: Call, y_bar: Any, config: RuleConfig, rng: Any, tolerance: Tolerance) -> None:
    """Compare the engine's derivatives of the cotangents, by the arguments and the seed, with differences.

    Raises:
        AssertionError: where they differ, or the differences are too noisy.
    """
    given = (call.config, call.f) if call.rule.needs and call.rule.instances else (call.config,)
    given = given if call.rule.needs else (call.f,) * call.rule.instances
    function = cotangents_by(call.rule.function, given, call.kwargs)
    primals = (*call.args, y_bar)
    bars, pullback = config.rrule_via(function, copied(primals), {})
    weights = random_tangent(bars, rng)
    _, *second = pullback(copied(weights))
    wide, wide_weights = doubled(primals), doubled(weights)
    for i, x in enumerate(primals):
        for path, leaf in leaves(x):
            if not is_inexact(leaf) or not np.size(leaf):
                continue
            direction = random_tangent(leaf, rng)

            def phi(h: float, i: int = i, path: Any = path, direction: Any = direction) -> float:
                moved = list(copied(wide))
                moved[i] = replaced(moved[i], path, lambda v: _shifted(v, h * doubled(direction)))
                return inner(wide_weights, function(*moved))

            of = f"argument {i}" if i < len(call.args) else "the seed"
            where = f"second order, the derivative of the cotangents by {of}{path_text(path)}"
            got = inner(at(second[i], path), direction)
            judge(where, got, phi, tolerance, who="the engine")


def _shifted(v: Any, by: Any) -> Any:
    return np.asarray(v + by) if isinstance(v, np.ndarray) else v + by  # of 0-d arrays NumPy makes numbers
