"""Rules in two halves that share arrays only, for engines that cannot keep a closure.

A rule made with `chainrules.rrule` hands its pullback whatever Python object it likes. An engine that
compiles, or moves its values between devices or processes, has to see what is kept: arrays, and data that is
known before anything runs. `split_rule` says both, and the closure form follows from it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import wraps
from typing import Any

from .checks import TypeSpec
from .registry import SPLIT_RULES, changed, declaring, up_to_date
from .rules import Rule, add_rule, where_written

__all__ = ["SplitRule", "split_rule", "split_rules_for"]

Forward = Callable[..., tuple[Any, tuple[Any, ...], Hashable]]


@dataclass(frozen=True, slots=True)
class SplitRule:
    """A rule in two halves.

    Attributes:
        f: the function.
        forward: called as ``f`` is; returns ``(y, residuals, static)``.
        pullback: called with ``(residuals, static, y_bar)``; returns as any pullback does.
        types: as for `chainrules.rrule`.
        file: where ``forward`` was written.
        line: the line there.

    >>> def squared(x): return x * x
    >>> def squared_pullback(residuals, static, y_bar): return (2 * residuals[0] * y_bar,)
    >>> rule = SplitRule(squared, lambda x: (x * x, (x,), {}), squared_pullback, (), "here", 1)
    >>> y, residuals, static = rule.forward(3.0)
    >>> y, rule.pullback(residuals, static, 1.0)
    (9.0, (6.0,))
    """

    f: Callable[..., Any]
    forward: Forward
    pullback: Callable[..., Any]
    types: tuple[TypeSpec, ...]
    file: str
    line: int


def split_rule(f: Any, forward: Forward, pullback: Callable[..., Any], *types: TypeSpec) -> None:
    """Declare a rule for ``f`` in two halves, and the ordinary rule that follows from them.

    Args:
        f: as for `chainrules.rrule`.
        forward: ``forward(*args, **kwargs) -> (y, residuals, static)``. The residuals are a tuple of arrays and
            numbers; ``static`` is hashable and depends on shapes, dtypes and keywords only, ``None`` where
            there is none. May return ``NotImplemented`` to decline.
        pullback: ``pullback(residuals, static, y_bar)``: one cotangent per positional argument.
        types: as for `chainrules.rrule`.

    >>> import numpy as np
    >>> from chainrules import rules_for
    >>> def normalised(x): return x / np.sum(x)
    >>> def forward(x):
    ...     total = np.sum(x)
    ...     return x / total, (x / total, total), None
    >>> def pullback(residuals, static, y_bar):
    ...     y, total = residuals
    ...     return (y_bar - np.sum(y * y_bar)) / total
    >>> split_rule(normalised, forward, pullback)
    >>> y, back = rules_for(normalised)[0].function(np.array([1.0, 3.0]))
    >>> back(np.array([1.0, 0.0]))
    array([ 0.1875, -0.0625])
    """

    @wraps(forward)  # what a call may look like, and whose rule it is
    def rule(*args: Any, **kwargs: Any) -> Any:
        answer = forward(*args, **kwargs)
        if answer is NotImplemented:
            return answer
        y, residuals, static = answer
        if not isinstance(residuals, tuple):
            raise TypeError(f"the forward half of a split rule must return a tuple of arrays, not {residuals!r:.60}")
        hash(static)
        return y, lambda y_bar: pullback(residuals, static, y_bar)

    file, line = where_written(forward)
    add_rule(f, Rule(rule, types, file, line))
    with declaring:
        others = [r for r in SPLIT_RULES.get(f, ()) if r.types != types]
        SPLIT_RULES[f] = (*others, SplitRule(f, forward, pullback, types, file, line))
        changed()


def split_rules_for(f: Any) -> tuple[SplitRule, ...]:
    """Return the rules for ``f`` declared in two halves by `split_rule`, most specific first; or an empty tuple.

    >>> split_rules_for(abs)
    ()
    """
    up_to_date()
    try:
        return SPLIT_RULES.get(f, ())
    except TypeError:
        return ()
