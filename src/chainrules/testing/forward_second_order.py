"""A forward rule's own code, differentiated by an engine, against differences of the value and tangent it gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..config import RuleConfig
from ..lookup import candidates
from ..rules import Rule
from ..tangents import AbstractTangent, NotImplementedTangent, unthunk
from .calling import where_from
from .comparing import Tolerance, judge, told_where
from .difference_config import stepped
from .leaves import at, copied, doubled, inner, is_absent, is_inexact, leaves, path_text, random_tangent, settled

__all__ = ["check_forward_second_order", "tangent_by"]


def tangent_by(rule: Callable[..., Any], given: tuple[Any, ...], kwargs: dict[str, Any]) -> Callable[..., Any]:
    """What a forward rule does, as one function of the primals followed by the tangents.

    Args:
        rule: called as ``rule(*given, primals, tangents, **kwargs)``.
        given: what comes before the primals.
        kwargs: the keywords.

    Returns:
        The function. It gives value and tangent in a list, ``None`` for what is absent.

    >>> def rule(primals, tangents): return primals[0] ** 2, 2 * primals[0] * tangents[0]
    >>> tangent_by(rule, (), {})(3.0, 1.0)
    [9.0, 6.0]
    """

    # defaults, and not captured: an engine may differentiate by what a function has captured
    def value_and_tangent(*both: Any, rule: Any = rule, given: Any = given, kwargs: Any = kwargs) -> Any:
        n = len(both) // 2
        y, y_dot = rule(*given, both[:n], both[n:], **kwargs)
        return [y, None if isinstance(y_dot, AbstractTangent) else unthunk(y_dot)]

    return value_and_tangent


def check_forward_second_order(
    f: Any, args: tuple[Any, ...], kwargs: dict[str, Any], config: RuleConfig, *, constant: tuple[int, ...] = (),
    rtol: float = 1e-6, atol: float = 1e-8, step: float = 1e-2, seed: int = 0,
) -> bool:  # fmt: skip
    """Compare the engine's derivatives of a forward rule's value and tangent with differences.

    The derivative by the primals is taken in one random direction of all of them; that by the tangents is the rule's
    tangent itself, for it is linear.

    Args:
        f: what has a forward rule.
        args: where to check it.
        kwargs: keyword arguments of ``f``.
        config: the engine.
        constant: positions of arguments that get no tangent.
        rtol: relative tolerance.
        atol: absolute tolerance.
        step: the first of the finite differences' steps.
        seed: of the random directions.

    Returns:
        Whether there was anything to check: a rule that takes the arguments, and a tangent.

    Raises:
        AssertionError: where they differ, or the differences are too noisy.

    >>> from chainrules.testing import FiniteDifferenceConfig
    >>> check_forward_second_order(np.multiply, (2.0, 3.0), {}, FiniteDifferenceConfig())
    True
    """
    rng = np.random.default_rng(seed)
    tolerance = Tolerance(rtol, atol, step).allowing_for(args)
    dots = tuple(None if i in constant else random_tangent(x, rng) for i, x in enumerate(args))
    with np.errstate(all="ignore"), told_where(f, args, kwargs, seed) as context:
        rule = _rule_for(f, args, dots, kwargs, config)
        if rule is None:
            return False
        context["rule"] = where_from(rule)
        given = (config,) if rule.needs else ()
        own = (f,) * rule.instances
        primals, tangents = (*own, *args), (*(None for _ in own), *dots)
        function, n = tangent_by(rule.function, given, kwargs), len(primals)
        plain = settled(function(*copied(primals), *copied(tangents)))
        if is_absent(plain[1]) or isinstance(plain[1], NotImplementedTangent):
            return False
        found, pullback = config.rrule_via(function, copied((*primals, *tangents)), {})
        weights = random_tangent(settled(found), rng)
        _, *bars = pullback(copied(weights))
        _check_by_tangents(function, primals, tangents, bars[n:], weights, rng, tolerance)
        directions = random_tangent(primals, rng)
        got = sum(
            inner(at(bars[i], path), at(directions[i], path))
            for i in range(n)
            for path, leaf in leaves(primals[i], fields=True)
            if is_inexact(leaf)
        )
        wide, wide_dots, wide_weights = doubled(primals), doubled(tangents), doubled(weights)
        wide_directions = doubled(directions)

        def phi(h: float) -> float:
            moved = [stepped(x, d, h) for x, d in zip(copied(wide), wide_directions, strict=True)]
            return inner(wide_weights, settled(function(*moved, *copied(wide_dots))))

        judge("the derivative of value and tangent by the primals", got, phi, tolerance, who="the engine")
    return True


def _rule_for(f: Any, args: Any, dots: Any, kwargs: Any, config: RuleConfig) -> Rule | None:
    """The first forward rule that takes the arguments."""
    for rule in candidates(f, args, config, forward=True):
        given = (config,) if rule.needs else ()
        whole = ((f, *args), (None, *dots)) if rule.instances else (args, dots)
        if rule.function(*given, *copied(whole), **kwargs) is not NotImplemented:
            return rule
    return None


def _check_by_tangents(
    function: Any, primals: Any, tangents: Any, bars: Any, weights: Any, rng: Any, tolerance: Tolerance
) -> None:
    wide = doubled(primals)
    for i, x_dot in enumerate(tangents):
        if is_absent(x_dot):
            continue
        direction = random_tangent(x_dot, rng)
        got = sum(
            inner(at(bars[i], path), at(direction, path)) for path, leaf in leaves(x_dot) if is_inexact(leaf)
        )  # fmt: skip
        others = [None] * len(tangents)
        others[i] = doubled(direction)
        _, y_dot = settled(function(*copied(wide), *copied(others)))
        expected = inner(doubled(weights)[1], y_dot)
        allowed = tolerance.atol + tolerance.rtol * max(abs(expected), abs(got))
        if not abs(got - expected) <= allowed:
            raise AssertionError(
                f"the derivative of the tangent by the tangent {i}{path_text(())}: the engine says {got!r}, "
                f"the rule {expected!r}"
            )
