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


_handlers: tuple[dict[Any, Handler], dict[Any, Handler]] = ({}, {})
_handlers_version = -1


def rule_handlers(n: int, version: int) -> dict[Any, Handler]:
    """Handlers of functions of `n` arguments that a rule answers, as of this version of the registry of rules."""
    global _handlers_version
    if version != _handlers_version:
        adjoints_changed()
        _handlers_version = version
    return _handlers[n - 1]


def adjoints_changed() -> None:
    """Forget what was decided before a rule of this engine was declared."""
    for handlers in _handlers:
        handlers.clear()


def structural(*fs: Any) -> Callable[[Handler], Handler]:
    """Declare the engine's own handler for callables that move values without computing."""

    def declare(handler: Handler) -> Handler:
        for f in fs:
            STRUCTURAL[f] = handler
        return handler

    return declare
