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


_unary: dict[Any, Handler] = {}
_unary_version = -1


def unary_cache(version: int) -> dict[Any, Handler]:
    """Handlers of functions with a scalar rule, as of this version of the registry of rules."""
    global _unary_version
    if version != _unary_version:
        _unary.clear()
        _unary_version = version
    return _unary


def adjoints_changed() -> None:
    """Forget what was decided before a rule of this engine was declared."""
    _unary.clear()


def structural(*fs: Any) -> Callable[[Handler], Handler]:
    """Declare the engine's own handler for callables that move values without computing."""

    def declare(handler: Handler) -> Handler:
        for f in fs:
            STRUCTURAL[f] = handler
        return handler

    return declare
