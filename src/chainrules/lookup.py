"""Which rules are for a call: by function, by the types of the arguments, by what the engine can do."""

from __future__ import annotations

import inspect
import os.path
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from .refused import reason_refused, refused_classes
from .registry import FORWARD_INSTANCE_RULES, FORWARD_RULES, INSTANCE_RULES, OPTED_OUT, RULES, up_to_date
from .rules import Rule, is_narrower

__all__ = [
    "AmbiguousRules",
    "as_positional",
    "candidates",
    "covered",
    "frules_for",
    "has_opt_outs",
    "is_opted_out",
    "rules_for",
]

_LIBRARY = os.path.dirname(__file__)


class AmbiguousRules(TypeError):
    """Two rules take the same arguments, and neither is the more specific one.

    >>> from chainrules import rrule
    >>> def product(x, y): return x * y
    >>> _ = rrule(product, float, object)(lambda x, y: (x * y, lambda y_bar: (y_bar * y, y_bar * x)))
    >>> _ = rrule(product, object, float)(lambda x, y: (x * y, lambda y_bar: (y_bar * y, y_bar * x)))
    >>> list(candidates(product, (2.0, 3.0)))
    Traceback (most recent call last):
    chainrules.lookup.AmbiguousRules: ...
    """


def rules_for(f: Any, config: Any = None) -> tuple[Rule, ...]:
    """Return the rules for calls of ``f``, most specific first; empty if there are none.

    Args:
        f: any callable. Where it has no rule of its own, the rules for calls of instances of its class (or
            the nearest base that has some) are returned; those have ``rule.instances``. A class with a
            ``__call__`` of its own has not those of its bases.
        config: the `chainrules.RuleConfig` of an engine. Without it, rules that need one are left out.

    Returns:
        A tuple of `Rule`; empty if there are none.

    >>> rules_for(print)
    ()
    """
    up_to_date()
    return _usable(_found(f, RULES, INSTANCE_RULES), config)


def frules_for(f: Any, config: Any = None) -> tuple[Rule, ...]:
    """Return the forward rules for calls of ``f``, most specific first, including those derived from a scalar rule.

    Args:
        f: any callable; one that is not hashable has no rules.
        config: the engine, whose traits decide about rules with ``needs``; as for `rules_for`.

    Returns:
        A tuple of `Rule`; empty if there are none.

    >>> import math
    >>> len(frules_for(math.sin)), frules_for(print)
    (1, ())
    """
    up_to_date()
    return _usable(_found(f, FORWARD_RULES, FORWARD_INSTANCE_RULES), config)


def candidates(f: Any, args: tuple[Any, ...], config: Any = None, forward: bool = False) -> Iterator[Rule]:
    """Yield the rules to try for a call of ``f``, in order: those that accept the arguments and are not opted out.

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
    if _is_refused(f, args):
        return
    out = _opted_out(f, args)
    rules = frules_for(f, config) if forward else rules_for(f, config)
    if rules and rules[0].instances:
        args = (f, *args)
    fitting = [r for r in rules if r.accepts(args) and _stays(r, out)]
    for i, rule in enumerate(fitting):
        for other in fitting[i + 1 :]:
            if not is_narrower(rule, other):
                raise AmbiguousRules(
                    f"two rules for {getattr(f, '__name__', f)} take these arguments and neither is more specific: "
                    f"{rule.types} ({rule.file}:{rule.line}) and {other.types} ({other.file}:{other.line}); "
                    "declare one for the types that both accept"
                )
        yield rule


def is_opted_out(f: Any, args: tuple[Any, ...]) -> bool:
    """Return whether a call of ``f`` with these positional arguments was opted out of its rules.

    Args:
        f: any callable.
        args: the arguments, plain values; their types are looked at.

    Returns:
        True where `opt_out` or `refuse_instances` holds for these types and no more specific rule was declared.

    >>> is_opted_out(abs, (1.0,))
    False
    """
    if _is_refused(f, args):
        return True
    out = _opted_out(f, args)
    return bool(out) and not any(_stays(r, out) and r.accepts(args) for r in rules_for(f))


def covered() -> Mapping[Any, tuple[Rule, ...]]:
    """Return every key that has reverse rules, with its rules; read-only. Keys of instance rules are the classes.

    The rules that wait for a module (see `chainrules.when_loaded`) are there once it is imported.

    >>> abs in covered()
    True
    """
    up_to_date()
    return MappingProxyType({**INSTANCE_RULES, **RULES})


def as_positional(
    rule: Rule, args: tuple[Any, ...], kwargs: Mapping[str, Any], names: Iterable[str]
) -> tuple[tuple[Any, ...], dict[str, Any]] | None:
    """Pass the keywords ``names`` of a call by position, because a pullback answers for positional ones only.

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
        signature = rule.signature(*args) if rule.signature else inspect.signature(rule.function)
    except (TypeError, ValueError):
        return None
    parameters = list(signature.parameters.values())
    if rule.needs and not rule.signature:
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


def has_opt_outs(f: Any) -> bool:
    """Whether some calls of ``f`` were opted out of its rules, so that the types of the arguments matter.

    >>> from chainrules import opt_out
    >>> def f(x): return x
    >>> before = has_opt_outs(f)
    >>> opt_out(f, str)
    >>> before, has_opt_outs(f)
    (False, True)
    """
    up_to_date()
    try:
        return f in OPTED_OUT
    except TypeError:
        return False


def _is_refused(f: Any, args: tuple[Any, ...]) -> bool:
    """Whether a rule of this library would meet arguments of a class that it is not for."""
    up_to_date()
    return reason_refused(args) is not None and _is_general(f, args)


def _is_general(f: Any, args: tuple[Any, ...]) -> bool:
    """Whether the rule for these arguments is one of this library that was not made for refused classes."""
    for rule in rules_for(f):
        if rule.accepts(args):
            members = [m for t in rule.types for m in (t if isinstance(t, tuple) else (t,))]
            return rule.file.startswith(_LIBRARY) and not any(issubclass(m, refused_classes()) for m in members)
    return False


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
    return all(rule.types != o.types and is_narrower(rule, o) for o in out)


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
            if "__call__" in cls.__dict__:  # its calls are not those that the rules of its bases are for
                break
    return ()


def _usable(rules: tuple[Rule, ...], config: Any) -> tuple[Rule, ...]:
    """The rules that an engine of these traits can use."""
    for rule in rules:
        if rule.needs:
            traits = frozenset() if config is None else config.traits
            return tuple([r for r in rules if r.needs <= traits])
    return rules
