"""A forward rule's own code, differentiated by an engine, against differences of the value and tangent it gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..config import RuleConfig
from ..lookup import candidates
from ..rules import Rule
from ..tangents import AbstractTangent, NotImplementedDerivative, NotImplementedTangent, unthunk
from .calling import where_from
from .comparing import Tolerance, judge, told_where
from .difference_config import stepped
from .leaves import at, copied, doubled, inner, is_absent, is_inexact, leaves, random_tangent, settled

__all__ = ["check_forward_second_order", "value_and_tangent_by"]


def value_and_tangent_by(
    push: Callable[..., Any], primals: tuple[Any, ...], varied: tuple[int, ...] | None = None
) -> Callable[..., Any]:
    """What a forward rule does, as one function of the primals followed by the tangents.

    Args:
        push: from ``(primals, tangents)`` to value and tangent.
        primals: all of them.
        varied: the positions of those that the function takes, all where it is absent; the others are constants.

    Returns:
        The function. It gives value and tangent in a list, ``None`` for a tangent that is absent.

    >>> def square(primals, tangents): return primals[0] ** 2, 2 * primals[0] * tangents[0]
    >>> value_and_tangent_by(square, (3.0,))(3.0, 1.0)
    [9.0, 6.0]
    """
    varied = tuple(range(len(primals))) if varied is None else varied

    # defaults, and not captured: an engine may differentiate by what a function has captured
    def value_and_tangent(*both: Any, push: Any = push, primals: Any = primals, varied: Any = varied) -> list[Any]:
        args, dots = list(primals), [None] * len(primals)
        for k, i in enumerate(varied):
            args[i], dots[i] = both[k], both[k + len(varied)]
        y, y_dot = push(tuple(args), tuple(dots))
        return [y, None if isinstance(y_dot, AbstractTangent) else unthunk(y_dot)]

    return value_and_tangent


def _whole(rule: Rule, given: tuple[Any, ...], kwargs: dict[str, Any]) -> Callable[..., Any]:
    return lambda primals, tangents: rule.function(*given, primals, tangents, **kwargs)


def _alone(rule: Rule, f: Any, kwargs: dict[str, Any]) -> Callable[..., Any]:
    """The rule's ``tangent``, beside a value that the engine works out."""
    tangent: Any = rule.tangent

    def push(primals: Any, tangents: Any) -> Any:
        if rule.instances:
            y = primals[0](*primals[1:], **kwargs)
        else:
            y = f(*primals, **kwargs) if callable(f) else getattr(primals[0], f.__name__)
        return y, tangent(y, primals, tangents, kwargs)

    return push


def check_forward_second_order(
    f: Any, args: tuple[Any, ...], kwargs: dict[str, Any], config: RuleConfig, *, alone: bool = False,
    constant: tuple[int, ...] = (), rtol: float = 1e-6, atol: float = 1e-8, step: float = 1e-2, seed: int = 0,
) -> bool:  # fmt: skip
    """Compare the engine's derivatives of a forward rule's value and tangent with differences.

    The derivative with respect to the primals is taken in one random direction of all of them; that by the tangents is
    the rule's tangent itself, for it is linear. Arguments by which the rule has no derivative get no tangent.

    Args:
        f: what has a forward rule.
        args: where to check it.
        kwargs: keyword arguments of ``f``.
        config: the engine.
        alone: check the rule's ``tangent``, beside a value that the engine works out.
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
    drawn = [None if i in constant else random_tangent(x, rng) for i, x in enumerate(args)]
    with np.errstate(all="ignore"), told_where(f, args, kwargs, seed) as context:
        found = _rule_for(f, args, drawn, kwargs, config)
        if found is None or (alone and found[0].tangent is None):
            return False
        rule, dots = found
        context["rule"] = where_from(rule)
        given = (config,) if rule.needs else ()
        primals, tangents = ((f, *args), (None, *dots)) if rule.instances else (args, tuple(dots))
        varied = tuple([i for i, x_dot in enumerate(tangents) if not is_absent(x_dot)])
        push = _alone(rule, f, kwargs) if alone else _whole(rule, given, kwargs)
        function = value_and_tangent_by(push, copied(primals), varied)
        _check(function, [primals[i] for i in varied], [tangents[i] for i in varied], config, rng, tolerance)
    return True


def _rule_for(f: Any, args: Any, drawn: Any, kwargs: Any, config: RuleConfig) -> tuple[Rule, list[Any]] | None:
    """The first forward rule that takes the arguments, and the tangents for which it has one."""
    for rule in candidates(f, args, config, forward=True):
        given = (config,) if rule.needs else ()
        own = (f,) * rule.instances

        def tangent(dots: Any, rule: Any = rule, given: Any = given, own: Any = own) -> Any:
            whole = (*own, *copied(args)), (*(None for _ in own), *copied(tuple(dots)))
            try:
                answer = rule.function(*given, *whole, **kwargs)
            except NotImplementedDerivative as missing:
                return NotImplementedTangent(str(missing))
            return answer if answer is NotImplemented else settled(answer[1])

        y_dot = tangent(drawn)
        if y_dot is NotImplemented:
            continue
        dots = list(drawn)
        if isinstance(y_dot, NotImplementedTangent):
            alone = [[t if i == k else None for i, t in enumerate(drawn)] for k in range(len(drawn))]
            lost = [isinstance(tangent(one), NotImplementedTangent) for one in alone]
            dots = [None if gone else t for t, gone in zip(drawn, lost, strict=True)]
        return None if is_absent(tangent(dots)) else (rule, dots)
    return None


def _check(function: Any, primals: Any, tangents: Any, config: RuleConfig, rng: Any, tolerance: Tolerance) -> None:
    n = len(primals)
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


def _check_by_tangents(
    function: Any, primals: Any, tangents: Any, bars: Any, weights: Any, rng: Any, tolerance: Tolerance
) -> None:
    wide = doubled(primals)
    for i, x_dot in enumerate(tangents):
        direction = random_tangent(x_dot, rng)
        got = sum(
            inner(at(bars[i], path), at(direction, path)) for path, leaf in leaves(x_dot) if is_inexact(leaf)
        )  # fmt: skip
        others = [doubled(direction) if k == i else None for k in range(len(tangents))]
        _, y_dot = settled(function(*copied(wide), *copied(others)))
        expected = inner(doubled(weights)[1], y_dot)
        allowed = tolerance.atol + tolerance.rtol * max(abs(expected), abs(got))
        if not abs(got - expected) <= allowed:
            raise AssertionError(
                f"the tangent's derivative in the tangent {i}: the engine says {got!r}, the rule {expected!r}"
            )
