"""What callables mean to the engine itself: its own rules, handlers and substitutes."""

from collections.abc import Callable
from typing import Any

import chainrules
from morula.eager.context.protocol import Context
from morula.errors import NotDifferentiable, adapters_for
from morula.errors import no_rule as no_rule_because

Pair = tuple[Any, Any]
Handler = Callable[..., Pair]

FORGET: list[Callable[[Any], None]] = []  # what happens when something else is declared of a callable


class Declared(dict):
    """What is declared of callables. Whatever was decided about one by an earlier declaration is forgotten."""

    def __setitem__(self, f: Any, declared: Any) -> None:
        super().__setitem__(f, declared)
        for forget in FORGET:
            forget(f)


ADJOINTS: dict[Any, Callable] = Declared()  # rules of this engine, by callable
STRUCTURAL: dict[Any, Handler] = Declared()  # f -> handler(ctx, args, ds, kw, kw_d): the engine's own meaning of f
INSTANCE_HANDLERS: dict[type, Handler] = {}  # the same for calls of instances, which come first in args
C_METHODS: dict[type, Callable] = {}  # type, no container -> handler of its methods that are written in C
TANGENTS: dict[Any, Callable] = {}  # f -> the own way to the tangent of a call: (ctx, args, shadows, dots, y, pullback)
SUBSTITUTES: dict[Any, Callable] = Declared()  # f -> a plain Python function with the same meaning
KEYWORD_BODIES: dict[tuple[Any, str], Any] = {}  # the same, given f first, where a keyword is active


CONFIG: list[Any] = []  # the class of what the engine offers to rules over functions, once it is there


def no_rule(f: Any, *args: Any) -> NotDifferentiable:
    """The error for a callable that met active values, with the reason where it has no rule on purpose."""
    return no_rule_because(f, chainrules.reason_unsupported(f, *args), adapters_for(f, *args))


def holds_refused(f: Any, rule: Callable, kw: dict) -> bool:
    """Whether a keyword is of a class, such as masked arrays, that the rules of the library are not for."""
    return is_library_rule(rule) and chainrules.reason_unsupported(f, *kw.values()) is not None


def is_library_rule(rule: Any) -> bool:
    return (getattr(getattr(rule, "func", rule), "__module__", None) or "").startswith(("chainrules.", "morula."))


WHEN_ADJOINT: list[Callable[[], None]] = []  # what happens when a rule of this engine is declared
WAYS: list[Any] = []  # how static adjoints differentiate what a solver calls


# callable -> what a call with a list that was written down there means, of which it is given the shadows; it gives None
# where it leaves that to others. A rule or an adjoint of the user's goes first.
OF_LISTS: dict[Any, Callable[..., Pair | None]] = {}


def first_fitting(rules: Any, f: Any, args: tuple) -> Callable:
    """The rule that is asked first for these arguments, or the most general one."""
    given = (f, *args) if rules[0].instances else args
    return next((rule for rule in rules if rule.accepts(given)), rules[-1]).function


def adjoints_changed() -> None:
    """Tell those who decide by the rules of this engine that one was declared."""
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
            return handler(ctx, ctx.callees(args, ds), ds, kw, kw_d)

        structural(f)(handle)
        return handler

    return declare


def refuse_lacking(rule: chainrules.ScalarRule | None, shadows: tuple) -> None:
    """Say at the user's line, and not in the backward pass, that a partial is needed that nobody has written."""
    for reason, d in zip(rule.lacks if rule is not None else (), shadows, strict=False):
        if reason is not None and d is not None:
            raise NotDifferentiable(reason)
