"""Calling a rule as an engine would: which one takes the arguments, what it answers, cotangents brought to shape."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..lookup import candidates
from ..projection import project
from ..rules import Rule
from ..tangents import AbstractTangent, NotImplementedTangent, Tangent, Thunk
from .difference_config import FiniteDifferenceConfig

__all__ = ["Call", "call_rule", "find_rule", "name_of", "plain_call", "plain_seed", "where_from"]


def name_of(f: Any) -> str:
    """What to call a function in a message."""
    name = getattr(f, "__qualname__", None) or getattr(f, "__name__", None)
    return name if isinstance(name, str) else repr(f)


@dataclass(frozen=True)
class Call:
    """One call of one rule.

    Attributes:
        f: what the rule is for.
        args: the positional arguments.
        kwargs: the keywords.
        config: the engine, for a rule that needs one.
        rule: the rule that took the call.
        y: its value.
        pullback: its pullback.
    """

    f: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    config: Any
    rule: Rule
    y: Any
    pullback: Callable[[Any], Any]

    @property
    def with_self(self) -> bool:
        """Whether the pullback answers for the instance that was called too, first."""
        return self.rule.instances

    @property
    def primals(self) -> tuple[Any, ...]:
        """What the pullback answers for, in order."""
        return (self.f, *self.args) if self.with_self else self.args

    def label(self, i: int) -> str:
        """The name of the primal ``i`` in a message."""
        if self.with_self:
            return "the instance" if i == 0 else f"argument {i - 1}"
        return f"argument {i}"

    def raw(self, y_bar: Any) -> tuple[Any, ...]:
        """The cotangents as the rule returns them, thunks unforced.

        Raises:
            AssertionError: where there are not as many as there should be.
        """
        n = len(self.primals)
        bars = self.pullback(y_bar)
        if not isinstance(bars, tuple):
            assert n == 1, f"{name_of(self.f)}: one cotangent that is not a tuple, for {n} arguments"
            bars = (bars,)
        if len(bars) != n and n == 1 and isinstance(self.args[0], tuple) and len(bars) == len(self.args[0]):
            raise AssertionError(f"{name_of(self.f)}: the cotangent of a tuple has to stand in a tuple of its own")
        assert len(bars) == n, f"{name_of(self.f)}: {len(bars)} cotangents for {n} arguments"
        return bars

    def brought(self, bars: tuple[Any, ...]) -> tuple[Any, ...]:
        """Raw cotangents, forced and in the spaces of what they belong to.

        Raises:
            AssertionError: where one cannot be.
        """
        done = []
        for i, (bar, x) in enumerate(zip(bars, self.primals, strict=True)):
            try:
                done.append(_projected(bar, x))
            except (ValueError, TypeError, AttributeError) as error:
                raise AssertionError(
                    f"{name_of(self.f)}: {self.label(i)}: the cotangent does not fit: {type(error).__name__}: {error}"
                ) from error
        return tuple(done)

    def back(self, y_bar: Any) -> tuple[Any, ...]:
        """One cotangent for each primal, forced and in its space. An absent seed has absent cotangents."""
        y_bar = plain_seed(y_bar)
        if y_bar is None:
            return (None,) * len(self.primals)
        return self.brought(self.raw(y_bar))


def find_call(f: Any, args: tuple[Any, ...], kwargs: dict[str, Any], config: Any = None) -> Call:
    """The call of the first rule for ``f`` that takes these arguments.

    Args:
        f: what is called.
        args: with these arguments.
        kwargs: and these keywords.
        config: the engine, for rules that need one; without it, finite differences.

    Raises:
        AssertionError: where there is none.
    """
    config = FiniteDifferenceConfig() if config is None else config
    for rule in candidates(f, args, config):
        given = (config, f) if rule.needs and rule.instances else (config,) if rule.needs else (f,) * rule.instances
        answer = rule.function(*given, *args, **kwargs)
        if answer is not NotImplemented:
            if not (isinstance(answer, tuple) and len(answer) == 2 and callable(answer[1])):
                raise AssertionError(f"{name_of(f)}: the rule must return a value and a pullback, not {answer!r}")
            return Call(f, args, kwargs, config, rule, *answer)
    raise AssertionError(f"no rule for {name_of(f)} takes these arguments")


def find_rule(f: Any, args: tuple[Any, ...], kwargs: dict[str, Any], config: Any = None) -> tuple[Rule, Any, Any]:
    """The first rule for ``f`` that takes these arguments, with its value and pullback.

    Args:
        f: what is called.
        args: with these arguments.
        kwargs: and these keywords.
        config: what the engine can do, for rules that need one; without it, finite differences.

    Raises:
        AssertionError: where there is none.

    >>> import numpy as np
    >>> find_rule(np.sin, (0.0,), {})[2](2.0)
    np.float64(2.0)
    """
    call = find_call(f, args, kwargs, config)
    return call.rule, call.y, call.pullback


def call_rule(f: Any, *args: Any, **kwargs: Any) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
    """Value and pullback of ``f``, as an engine would ask for them: one projected cotangent per argument.

    Args:
        f: a function that has a rule.
        args: its arguments.
        kwargs: its keyword arguments.

    Returns:
        The value, and the pullback. It takes a seed in any form: thunks are forced, and where the seed is absent the
        rule is not asked. Of an instance the cotangent comes first where the rule gives one.

    >>> import numpy as np
    >>> y, back = call_rule(np.multiply, 2.0, np.array([1.0, 3.0]))
    >>> back(np.ones(2))
    (4.0, array([2., 2.]))
    """
    call = find_call(f, args, kwargs)
    return call.y, call.back


def plain_seed(y_bar: Any) -> Any:
    """A seed as pullbacks are given it: thunks forced, ``None`` for all that is absent.

    >>> plain_seed((Thunk(lambda: 2.0), Tangent(Thunk))), plain_seed(AbstractTangent())
    ((2.0, Tangent[Thunk]()), None)
    """
    while isinstance(y_bar, Thunk):
        y_bar = y_bar()
    if isinstance(y_bar, AbstractTangent) and not isinstance(y_bar, (Tangent, NotImplementedTangent)):
        return None
    if isinstance(y_bar, (list, tuple)):
        parts = [plain_seed(v) for v in y_bar]
        return y_bar._make(parts) if hasattr(y_bar, "_make") else type(y_bar)(parts)
    return {k: plain_seed(v) for k, v in y_bar.items()} if isinstance(y_bar, dict) else y_bar


def _projected(bar: Any, x: Any) -> Any:
    while isinstance(bar, Thunk):
        bar = bar()
    return bar if isinstance(bar, NotImplementedTangent) else project(bar, x)


def plain_call(f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``f`` itself, without its rule; the attribute, for a descriptor that cannot be called."""
    return f(*args, **kwargs) if callable(f) else f.__get__(*args, **kwargs)


def where_from(rule: Rule) -> str:
    """The place of a rule, as tools print it."""
    return f"{rule.file}:{rule.line}"
