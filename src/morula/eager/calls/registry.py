"""What callables mean to the engine itself: its own rules, handlers and substitutes."""

import weakref
from collections.abc import Callable
from types import FunctionType
from typing import Any

import chainrules
from morula.eager.context.protocol import Context
from morula.errors import NotDifferentiable, adapters_for
from morula.errors import no_rule as no_rule_because

Pair = tuple[Any, Any]
Handler = Callable[..., Pair]

ADJOINTS: dict[Any, Callable] = {}  # rules of this engine, by callable
STRUCTURAL: dict[Any, Handler] = {}  # f -> handler(ctx, args, ds, kw, kw_d): the engine's own meaning of f
INSTANCE_HANDLERS: dict[type, Handler] = {}  # the same for calls of instances, which come first in args
CONTAINER_METHODS: dict[type, Callable] = {}  # type -> handler of its methods that are written in C
TANGENTS: dict[Any, Callable] = {}  # f -> the own way to the tangent of a call: (ctx, args, shadows, dots, y, pullback)
SUBSTITUTES: dict[Any, Callable] = {}  # f -> a plain Python function with the same meaning


CONFIG: list[Any] = []  # the class of what the engine offers to rules over functions, once it is there


def rules_of(f: Any) -> tuple[chainrules.Rule, ...]:
    """The rules that may answer for ``f``: of those over functions only what the engine has no means of its own for."""
    rules = chainrules.rules_for(f, CONFIG[0] if CONFIG else None)
    for rule in rules:
        if rule.needs and is_library_rule(rule.function) and f in SUBSTITUTES:
            return tuple([r for r in rules if not (r.needs and is_library_rule(r.function))])
    return rules


def no_rule(f: Any, *args: Any) -> NotDifferentiable:
    """The error for a callable that met active values, with the reason where it has no rule on purpose."""
    return no_rule_because(f, chainrules.reason_unsupported(f, *args), adapters_for(f, *args))


def holds_refused(f: Any, rule: Callable, kw: dict) -> bool:
    """Whether a keyword is of a class, such as masked arrays, that the rules of the library are not for."""
    return is_library_rule(rule) and chainrules.reason_unsupported(f, *kw.values()) is not None


def is_library_rule(rule: Any) -> bool:
    return (getattr(getattr(rule, "func", rule), "__module__", None) or "").startswith(("chainrules.", "morula."))


_handlers: tuple[int, tuple[dict[Any, Any], ...]] = (-1, ({}, {}, {}, {}))  # with their version; replaced as a whole


def rule_handlers(n: int, version: int) -> dict[Any, Handler]:
    """Handlers of functions of `n` arguments that a rule answers, as of this version of the registry of rules.

    A thread that decides by rules which another one has replaced meanwhile puts its decision into a table that
    nobody looks at any more.
    """
    return _decided(version)[n - 1]


def array_rules(version: int) -> dict[Any, Callable]:
    """The rules that answer all calls of functions of arrays with plain arguments, as of this version."""
    return _decided(version)[3]


def is_known_plain(f: FunctionType) -> bool:
    """Whether `note_plain` was told of `f`, of the code that it still has, since the last declaration."""
    known = _decided(chainrules.registry_version())[2].get(id(f))
    return known is not None and known[0]() is f and known[1] is f.__code__


def note_plain(f: FunctionType) -> None:
    """Remember that nothing but its code says what a Python function means."""
    plain, key = _decided(chainrules.registry_version())[2], id(f)
    plain[key] = (weakref.ref(f, lambda _: plain.pop(key, None)), f.__code__)


def _decided(version: int) -> tuple[dict[Any, Any], ...]:
    global _handlers
    found = _handlers
    if found[0] != version:
        found = _handlers = (version, ({}, {}, {}, {}))
    return found[1]


WHEN_ADJOINT: list[Callable[[], None]] = []  # what happens when a rule of this engine is declared


def adjoints_changed() -> None:
    """Forget what was decided before a rule of this engine was declared."""
    global _handlers
    _handlers = (-1, ({}, {}, {}, {}))
    for notify in WHEN_ADJOINT:
        notify()


def structural(*fs: Any) -> Callable[[Handler], Handler]:
    """Declare the engine's own handler for callables that move values without computing."""

    def declare(handler: Handler) -> Handler:
        for f in fs:
            STRUCTURAL[f] = handler
        return handler

    return declare


def where_active(f: Any) -> Callable[[Handler], Handler]:
    """Declare what a call of `f` means where something active reaches it; elsewhere it runs plainly."""

    def declare(handler: Handler) -> Handler:
        def handle(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
            if not ctx.any_active(args, ds, kw, kw_d):
                return ctx.opaque(f, args, kw), None
            return handler(ctx, args, ds, kw, kw_d)

        structural(f)(handle)
        return handler

    return declare


def refuse_lacking(rule: chainrules.ScalarRule | None, shadows: tuple) -> None:
    """Say at the user's line, and not in the backward pass, that a partial is needed that nobody has written."""
    for reason, d in zip(rule.lacks if rule is not None else (), shadows, strict=False):
        if reason is not None and d is not None:
            raise NotDifferentiable(reason)
