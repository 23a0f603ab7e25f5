"""What callables mean to the engine itself: its own rules, handlers and substitutes."""

from collections.abc import Callable
from typing import Any

Pair = tuple[Any, Any]
Handler = Callable[..., Pair]

ADJOINTS: dict[Any, Callable] = {}  # rules of this engine, by callable
STRUCTURAL: dict[Any, Handler] = {}  # f -> handler(ctx, args, ds, kw, kw_d): the engine's own meaning of f
INSTANCE_HANDLERS: dict[type, Handler] = {}  # the same for calls of instances, which come first in args
CONTAINER_METHODS: dict[type, Callable] = {}  # type -> handler of its methods that are written in C
SUBSTITUTES: dict[Any, Callable] = {}  # f -> a plain Python function with the same meaning


_handlers: tuple[int, tuple[dict[Any, Handler], ...]] = (-1, ({}, {}))  # with their version; replaced as a whole


def rule_handlers(n: int, version: int) -> dict[Any, Handler]:
    """Handlers of functions of `n` arguments that a rule answers, as of this version of the registry of rules.

    A thread that decides by rules which another one has replaced meanwhile puts its decision into a table that
    nobody looks at any more.
    """
    global _handlers
    found = _handlers
    if found[0] != version:
        found = _handlers = (version, ({}, {}))
    return found[1][n - 1]


def adjoints_changed() -> None:
    """Forget what was decided before a rule of this engine was declared."""
    global _handlers
    _handlers = (-1, ({}, {}))


def structural(*fs: Any) -> Callable[[Handler], Handler]:
    """Declare the engine's own handler for callables that move values without computing."""

    def declare(handler: Handler) -> Handler:
        for f in fs:
            STRUCTURAL[f] = handler
        return handler

    return declare
