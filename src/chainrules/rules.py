"""Rules: what a rule is, how it is declared and how it is found.

A reverse rule for ``f`` is called as ``f`` is and returns ``(y, pullback)``, or ``NotImplemented`` to
decline. ``pullback(y_bar)`` returns a tuple with one cotangent per positional argument; a value that is not a
tuple is the cotangent of the only positional argument. A forward rule is called with the arguments and their
tangents, and returns ``(y, y_dot)``. Both are natural: whoever calls brings them to shape with
`chainrules.project`. A rule never writes into what it was given.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from .checks import TypeSpec, check_decorates, check_key, checked_traits, checked_types
from .declarations import kinds_in
from .registry import (
    FORWARD_INSTANCE_RULES,
    FORWARD_RULES,
    INSTANCE_RULES,
    OPTED_OUT,
    REFUSED,
    RULES,
    SCALAR_RULES,
    changed,
    declaring,
    up_to_date,
)
from .tangents import NoTangent

__all__ = [
    "AmbiguousRules",
    "Rule",
    "as_positional",
    "candidates",
    "covered",
    "frule",
    "frules_for",
    "is_opted_out",
    "rrule",
    "rules_for",
]

F = TypeVar("F", bound=Callable[..., Any])
_LIBRARY = str(Path(__file__).parent)
_refused_kinds: dict[type, tuple[int, bool]] = {}  # whether a class is refused, as of so many declarations


class AmbiguousRules(TypeError):
    """Two rules take the same arguments, and neither is the more specific one."""


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
    """

    function: Callable[..., Any]
    types: tuple[TypeSpec, ...]
    file: str
    line: int
    instances: bool = False
    needs: frozenset[str] = frozenset()

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
    f: Any, *types: TypeSpec, instances: bool = False, with_self: bool = False, needs: Iterable[str] = ()
) -> Callable[[F], F]:
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

    Raises:
        TypeError: where ``f`` is neither callable nor a descriptor, or not hashable; where ``instances`` is asked
            for something that is no class; where ``types`` are no classes.

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
        file, line = _where(function)
        rule = _without_self(function) if instances and not with_self else function
        add_rule(f, Rule(rule, types, file, line, of_calls, traits))
        return function

    return declare


def frule(f: Any, *types: TypeSpec, instances: bool = False, needs: Iterable[str] = ()) -> Callable[[F], F]:
    """Declare a forward rule for ``f``; a decorator. The rule is called as ``rule(primals, tangents, **kwargs)``.

    Args:
        f: as for `rrule`.
        types: as for `rrule`, of the primals.
        instances: the rule is for calls of instances of the class ``f``, which are the first primal.
        needs: as for `rrule`.

    The rule returns ``(y, y_dot)``. A tangent is ``None``, `NoTangent` or `ZeroTangent` where its primal is a
    constant; keyword arguments are constants.

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

    def declare(function: F) -> F:
        check_decorates(function, "frule")
        add_rule(f, Rule(function, types, *_where(function), of_calls, traits), forward=True)
        return function

    return declare


def add_rule(f: Any, rule: Rule, forward: bool = False) -> None:
    """Enter a rule for ``f`` that is made already; `rrule` and `frule` are the usual way."""
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


def rules_for(f: Any, config: Any = None) -> tuple[Rule, ...]:
    """The rules for calls of ``f``, most specific first; empty where there are none.

    Args:
        f: any callable. Where it has no rule of its own, the rules for calls of instances of its class (or
            the nearest base that has some) are returned; those have ``rule.instances``.
        config: the `chainrules.RuleConfig` of an engine. Without it, rules that need one are left out.

    >>> rules_for(print)
    ()
    """
    up_to_date()
    return _usable(_found(f, RULES, INSTANCE_RULES), config)


def frules_for(f: Any, config: Any = None) -> tuple[Rule, ...]:
    """The forward rules for calls of ``f``; as `rules_for`.

    >>> len(frules_for(abs)), frules_for(print)
    (1, ())
    """
    up_to_date()
    return _usable(_found(f, FORWARD_RULES, FORWARD_INSTANCE_RULES), config)


def candidates(f: Any, args: tuple[Any, ...], config: Any = None, forward: bool = False) -> Iterator[Rule]:
    """The rules to try for a call of ``f``, in order: those that take the arguments and are not opted out.

    Args:
        f: any callable.
        args: its positional arguments.
        config: as for `rules_for`.
        forward: look for forward rules.

    Raises:
        AmbiguousRules: where two rules take the arguments and neither is more specific; when the first of the
            two would be its turn.

    >>> import numpy as np
    >>> [rule.types for rule in candidates(np.sin, (1.0,))]
    [()]
    """
    out = _opted_out(f, args)
    rules = frules_for(f, config) if forward else rules_for(f, config)
    if rules and rules[0].instances:
        args = (f, *args)
    fitting = [r for r in rules if r.accepts(args) and _stays(r, out)]
    for i, rule in enumerate(fitting):
        for other in fitting[i + 1 :]:
            if not _narrower(rule, other):
                raise AmbiguousRules(
                    f"two rules for {getattr(f, '__name__', f)} take these arguments and neither is more specific: "
                    f"{rule.types} ({rule.file}:{rule.line}) and {other.types} ({other.file}:{other.line}); "
                    "declare one for the types that both take"
                )
        yield rule


def is_opted_out(f: Any, args: tuple[Any, ...]) -> bool:
    """Whether a call of ``f`` with these positional arguments was opted out of its rules.

    >>> is_opted_out(abs, (1.0,))
    False
    """
    up_to_date()
    if REFUSED and _holds_refused(args) and _is_general(f, args):
        return True
    out = _opted_out(f, args)
    return bool(out) and not any(_stays(r, out) and r.accepts(args) for r in rules_for(f))


def _holds_refused(args: tuple[Any, ...]) -> bool:
    for kind in kinds_in(args):
        known = _refused_kinds.get(kind)
        if known is None or known[0] != len(REFUSED):
            known = _refused_kinds[kind] = (len(REFUSED), issubclass(kind, tuple(REFUSED)))
        if known[1]:
            return True
    return False


def _is_general(f: Any, args: tuple[Any, ...]) -> bool:
    """Whether the rule for these arguments is one of this library that was not made for refused classes."""
    for rule in rules_for(f):
        if rule.accepts(args):
            members = [m for t in rule.types for m in (t if isinstance(t, tuple) else (t,))]
            return rule.file.startswith(_LIBRARY) and not any(issubclass(m, tuple(REFUSED)) for m in members)
    return False


def covered() -> Mapping[Any, tuple[Rule, ...]]:
    """Every key that has reverse rules, with them; read-only. Keys of instance rules are the classes.

    The rules that wait for a module (see `chainrules.when_loaded`) are there once it is imported.

    >>> abs in covered()
    True
    """
    up_to_date()
    return MappingProxyType({**INSTANCE_RULES, **RULES})


def as_positional(
    rule: Rule, args: tuple[Any, ...], kwargs: Mapping[str, Any], names: Iterable[str]
) -> tuple[tuple[Any, ...], dict[str, Any]] | None:
    """The same call with the keywords ``names`` made positional: a pullback answers for positional ones only.

    Args:
        rule: the rule that will be called.
        args: positional arguments.
        kwargs: keyword arguments.
        names: the keywords whose values are active.

    Returns:
        New ``(args, kwargs)``, with defaults filled in on the way; ``None`` where a keyword has no position.

    >>> def f_rule(x, axis=None, weights=None): ...
    >>> as_positional(Rule(f_rule, (), "", 0), (1.0,), {"weights": 2.0}, ["weights"])
    ((1.0, None, 2.0), {})
    """
    try:
        parameters = list(inspect.signature(rule.function).parameters.values())
    except (TypeError, ValueError):
        return None
    if rule.needs:
        parameters = parameters[1:]
    waiting, rest, positional = set(names), dict(kwargs), list(args)
    for p in parameters[len(args) :]:
        if not waiting:
            break
        if p.kind not in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD):
            return None
        if p.name not in rest and p.default is p.empty:
            return None
        positional.append(rest.pop(p.name, p.default))
        waiting.discard(p.name)
    return None if waiting else (tuple(positional), rest)


def _checked(f: Any, instances: bool) -> bool:
    check_key(f)
    if instances and not isinstance(f, type):
        raise TypeError(f"a rule for calls of instances needs a class, not {f!r}")
    return instances


def _where(function: Any) -> tuple[str, int]:
    """File and line of a rule; of whoever declares it where the rule is no Python function."""
    code = getattr(function, "__code__", None)
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


def _opted_out(f: Any, args: tuple[Any, ...]) -> list[Rule]:
    """The signatures by which this call was opted out, each as a rule that takes it."""
    if not OPTED_OUT:
        return []
    try:
        signatures = OPTED_OUT.get(f, ())
    except TypeError:
        return []
    return [out for types in signatures if (out := Rule(f, types, "", 0)).accepts(args)]


def _stays(rule: Rule, out: list[Rule]) -> bool:
    """Whether a rule is for narrower types than all that was opted out."""
    return all(rule.types != o.types and _narrower(rule, o) for o in out)


def _found(f: Any, rules: Mapping[Any, tuple[Rule, ...]], of_instances: Mapping[type, tuple[Rule, ...]]) -> Any:
    try:
        found = rules.get(f)
    except TypeError:
        found = None
    if found is not None:
        return found
    if of_instances:
        for cls in type(f).__mro__:
            if cls in of_instances:
                return of_instances[cls]
    return ()


def _usable(rules: tuple[Rule, ...], config: Any) -> tuple[Rule, ...]:
    """The rules that an engine of these traits can use."""
    for rule in rules:
        if rule.needs:
            traits = frozenset() if config is None else config.traits
            return tuple([r for r in rules if r.needs <= traits])
    return rules


def _ordered(rules: list[Rule]) -> tuple[Rule, ...]:
    """Each rule before those it is narrower than, those without types last, otherwise the latest first."""
    waiting, ordered = rules[::-1], []
    while waiting:
        first = next(r for r in waiting if not any(_narrower(other, r) for other in waiting if other is not r))
        waiting.remove(first)
        ordered.append(first)
    return tuple(ordered)


def _narrower(a: Rule, b: Rule) -> bool:
    """Whether ``a`` accepts only a part of what ``b`` accepts: fewer types, or engines that can do more."""
    if a.types == b.types:
        return a.needs > b.needs
    if len(a.types) < len(b.types):
        return False
    return all(_within(x, y) for x, y in zip(a.types, b.types, strict=False))


def _within(x: TypeSpec, y: TypeSpec) -> bool:
    members = x if isinstance(x, tuple) else (x,)
    return all(issubclass(m, y) for m in members)
