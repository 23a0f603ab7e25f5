"""Rules: what a rule is and how it is declared.

A reverse rule for ``f`` is called as ``f`` is and returns ``(y, pullback)``, or ``NotImplemented`` to
decline. ``pullback(y_bar)`` returns a tuple with one cotangent per positional argument; a value that is not a
tuple is the cotangent of the only positional argument. A forward rule is called with the arguments and their
tangents, and returns ``(y, y_dot)``. Both are natural: whoever calls brings them to shape with
`chainrules.project`. A rule never writes into what it was given.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import wraps
from typing import Any, TypeVar

from .checks import TypeSpec, check_decorates, check_key, checked_traits, checked_types
from .registry import (
    FORWARD_INSTANCE_RULES,
    FORWARD_RULES,
    INSTANCE_RULES,
    RULES,
    SCALAR_RULES,
    changed,
    declaring,
    up_to_date,
)
from .tangents import NoTangent

__all__ = ["Rule", "add_rule", "frule", "is_narrower", "is_within", "rrule", "where_written"]

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Rule:
    """A registered rule.

    Attributes:
        function: called with the arguments of the function it is for; a forward rule with a tuple of
            arguments and one of tangents. A rule that ``needs`` something gets the `chainrules.RuleConfig` of
            the engine first.
        types: one class, or tuple of classes, for each of the first positional arguments; empty accepts
            all.
        file: where the rule was written.
        line: the line there.
        instances: whether the rule is for calls of instances of a class, which are then the first argument.
        needs: the traits an engine must have to be given this rule.
        tangent: of a forward rule, how to get the tangent alone where the value is known:
            ``tangent(y, primals, tangents, kwargs)`` returns what ``function`` has for the tangent. ``None`` where
            value and tangent have to come from one call, for the function draws random numbers or calls others.
        signature: called with the positional arguments; the `inspect.Signature` of such a call, where that of the
            function does not tell what keywords it takes. ``None`` where it does.

    >>> from chainrules import rrule, rules_for
    >>> def halved(x): return x / 2
    >>> _ = rrule(halved, float)(lambda x: (x / 2, lambda y_bar: (y_bar / 2,)))
    >>> (rule,) = rules_for(halved)
    >>> rule.types, rule.function(6.0)[0]
    ((<class 'float'>,), 3.0)
    """

    function: Callable[..., Any]
    types: tuple[TypeSpec, ...]
    file: str
    line: int
    instances: bool = False
    needs: frozenset[str] = frozenset()
    tangent: Callable[..., Any] | None = None
    signature: Callable[..., inspect.Signature] | None = None

    def accepts(self, args: tuple[Any, ...]) -> bool:
        """Whether the positional arguments are of the types the rule is for.

        >>> Rule(len, (float,), "", 0).accepts((1.0,)), Rule(len, (float,), "", 0).accepts(("a",))
        (True, False)
        """
        types = self.types
        if not types:
            return True
        return len(args) >= len(types) and all(map(isinstance, args, types))


def rrule(
    f: Any, *types: TypeSpec, instances: bool = False, with_self: bool = False, needs: Iterable[str] = (),
    signature: Callable[..., inspect.Signature] | None = None,
) -> Callable[[F], F]:  # fmt: skip
    """Declare a rule for ``f``; a decorator.

    Args:
        f: a function, builtin, ufunc, method descriptor such as ``np.ndarray.sum``, or a class (its
            constructor).
        types: one class or tuple of classes for each of the first positional arguments. Rules with types
            are tried before the one without, the most specific first. The same ``f``, types and needs
            again replace the old rule.
        instances: ``f`` is a class, and the rule is for calls of its instances: the instance is the first
            argument of the rule. Its pullback answers for the arguments of the call.
        with_self: as ``instances``; the pullback also returns the cotangent of the instance, before the
            others.
        needs: the traits of an engine that this rule works with, such as ``"reverse"``. The rule gets the
            engine's `chainrules.RuleConfig` as its first argument, and engines without these traits never see it.
        signature: what keywords ``f`` takes where its own signature, ``(x, *args, **kwargs)``, hides it: called
            with the positional arguments, gives the `inspect.Signature` of the call. Active keywords are then
            handed to the rule by position.

    Returns:
        A decorator that registers the rule and returns it unchanged.

    Raises:
        TypeError: where ``f`` is neither callable nor a descriptor, or not hashable; where ``instances`` is asked
            for something that is no class; where ``types`` are no classes.

    >>> from chainrules import rules_for
    >>> def cube(x): return x**3
    >>> @rrule(cube)
    ... def _(x):
    ...     def cube_pullback(y_bar):
    ...         return 3 * x**2 * y_bar
    ...     return cube(x), cube_pullback
    >>> y, back = rules_for(cube)[0].function(2.0)
    >>> y, back(1.0)
    (8.0, 12.0)
    """
    of_calls = _checked(f, instances or with_self)
    types, traits = checked_types(types), checked_traits(needs)

    def declare(function: F) -> F:
        check_decorates(function, "rrule")
        file, line = where_written(function)
        rule = _without_self(function) if instances and not with_self else function
        add_rule(f, Rule(rule, types, file, line, of_calls, traits, signature=signature))
        return function

    return declare


def frule(
    f: Any, *types: TypeSpec, instances: bool = False, needs: Iterable[str] = (), given_value: bool = False
) -> Callable[[F], F]:
    """Declare a forward rule for ``f``; a decorator. The rule is called as ``rule(primals, tangents, **kwargs)``.

    Args:
        f: as for `rrule`.
        types: as for `rrule`, of the primals.
        instances: the rule is for calls of instances of the class ``f``, which are the first primal.
        needs: as for `rrule`.
        given_value: the rule is called as ``rule(y, primals, tangents, **kwargs)`` with the value that ``f`` has,
            and returns the tangent alone. An engine that has the value already need not have it computed again.

    The rule returns ``(y, y_dot)``. A tangent is ``None``, `NoTangent` or `ZeroTangent` where its primal is a
    constant; keyword arguments are constants.

    Returns:
        A decorator that registers the rule and returns it unchanged.

    Raises:
        TypeError: as for `rrule`; where a rule that is given the value ``needs`` something.

    >>> from chainrules import frules_for
    >>> def cube(x): return x**3
    >>> @frule(cube)
    ... def _(primals, tangents):
    ...     (x,), (x_dot,) = primals, tangents
    ...     return cube(x), 3 * x**2 * x_dot
    >>> frules_for(cube)[0].function((2.0,), (1.0,))
    (8.0, 12.0)
    """
    of_calls = _checked(f, instances)
    types, traits = checked_types(types), checked_traits(needs)
    if given_value and traits:
        raise TypeError("a rule with needs=... computes the value itself, so given_value=True is not allowed")

    def declare(function: F) -> F:
        check_decorates(function, "frule")
        place = where_written(function)
        if given_value:
            pair, tangent = _with_value(f, function, of_calls)
            add_rule(f, Rule(pair, types, *place, of_calls, traits, tangent), forward=True)
        else:
            add_rule(f, Rule(function, types, *place, of_calls, traits), forward=True)
        return function

    return declare


def _with_value(f: Any, rule: Callable[..., Any], of_calls: bool) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """The whole rule made of one that is given the value, and `Rule.tangent`."""

    @wraps(rule)
    def pair(primals: tuple[Any, ...], tangents: tuple[Any, ...], **kwargs: Any) -> Any:
        if of_calls:
            y = primals[0](*primals[1:], **kwargs)
        else:
            y = f(*primals, **kwargs) if callable(f) else getattr(primals[0], f.__name__)
        y_dot = rule(y, primals, tangents, **kwargs)
        return y_dot if y_dot is NotImplemented else (y, y_dot)

    def tangent(y: Any, primals: tuple[Any, ...], tangents: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return rule(y, primals, tangents, **kwargs)

    return pair, tangent


def add_rule(f: Any, rule: Rule, forward: bool = False) -> None:
    """Register an existing rule for ``f``; `rrule` and `frule` are the usual way."""
    up_to_date()
    registry: dict[Any, tuple[Rule, ...]]
    if forward:
        registry = FORWARD_INSTANCE_RULES if rule.instances else FORWARD_RULES
    else:
        registry = INSTANCE_RULES if rule.instances else RULES
    with declaring:
        others = [r for r in registry.get(f, ()) if (r.types, r.needs) != (rule.types, rule.needs)]
        registry[f] = _ordered([*others, rule])
        derived = SCALAR_RULES.get(f)
        if not forward and derived is not None and derived.types == rule.types:  # it is replaced
            del SCALAR_RULES[f]
        changed()


def _checked(f: Any, instances: bool) -> bool:
    check_key(f)
    if instances and not isinstance(f, type):
        raise TypeError(f"instances=True and with_self=True need a class, not {f!r}")
    return instances


def where_written(function: Any) -> tuple[str, int]:
    """File and line of a rule; of whoever declares it where the rule is no Python function."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    if code is not None:
        return code.co_filename, code.co_firstlineno
    caller = sys._getframe(2)
    return caller.f_code.co_filename, caller.f_lineno


def _without_self(function: Callable[..., Any]) -> Callable[..., Any]:
    """The rule of an instance whose pullback knows nothing of the instance."""

    @wraps(function)
    def rule(*args: Any, **kwargs: Any) -> Any:
        answer = function(*args, **kwargs)
        if answer is NotImplemented:
            return answer
        y, pullback = answer

        def instance_pullback(y_bar: Any) -> Any:
            bars = pullback(y_bar)
            return (NoTangent(), *(bars if isinstance(bars, tuple) else (bars,)))

        return y, instance_pullback

    return rule


def _ordered(rules: list[Rule]) -> tuple[Rule, ...]:
    """Each rule before those it is narrower than, those without types last, otherwise the latest first."""
    waiting, ordered = rules[::-1], []
    while waiting:
        first = next(r for r in waiting if not any(is_narrower(other, r) for other in waiting if other is not r))
        waiting.remove(first)
        ordered.append(first)
    return tuple(ordered)


def is_narrower(a: Rule, b: Rule) -> bool:
    """Whether ``a`` accepts only a part of what ``b`` accepts: fewer types, or engines that can do more."""
    if a.types == b.types:
        return a.needs > b.needs
    if len(a.types) < len(b.types) or not all(is_within(x, y) for x, y in zip(a.types, b.types, strict=False)):
        return False
    # float and (float,) say the same, and neither is narrower
    return len(a.types) > len(b.types) or not all(is_within(y, x) for x, y in zip(a.types, b.types, strict=True))


def is_within(x: TypeSpec, y: TypeSpec) -> bool:
    """Whether every class that `x` allows is allowed by `y`, too."""
    members = x if isinstance(x, tuple) else (x,)
    return all(issubclass(m, y) for m in members)
