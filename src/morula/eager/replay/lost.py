"""Exceptions that left a function which ran apart: what they hold was active there, and is not known here."""

from collections.abc import Callable
from typing import Any

from numpy import complexfloating, floating, ndarray

from morula.eager.containers.parts import parts_of
from morula.eager.context.protocol import Context
from morula.errors import MorulaError, NotDifferentiable

NAMES = ("args", "value", "code")  # the attributes of exceptions that are not in their dicts


class LostSlots(dict):
    """The shadows of an exception's attributes, by name; reading one says why there is none."""

    def get(self, name: Any, default: Any = None) -> Any:
        if name in self:
            raise NotDifferentiable(
                f"{name!r} of an exception raised inside {self[name]} is used outside, and its numbers depend on "
                "the variables of differentiation; return the values you need instead"
            )
        return default


def marking_lost(ctx: Context, what: str, call: Callable, *args: Any) -> Any:
    """``call(*args)``; the numbers in an exception that leaves it have no derivative in `ctx`."""
    try:
        return call(*args)
    except MorulaError:
        raise
    except Exception as error:
        mark(ctx, what, error)
        raise


def mark(ctx: Context, what: str, error: BaseException | None) -> None:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        names = [n for n in (*NAMES, *vars(error)) if holds_number(getattr(error, n, None), set())]
        if names:
            ctx.records.make(error).slots = LostSlots(dict.fromkeys(names, what))
        error = error.__cause__ or error.__context__


def holds_number(x: Any, seen: set[int]) -> bool:
    """Whether there is a number in `x` that may have a derivative."""
    if isinstance(x, ndarray):
        return x.dtype.kind in "fcO"
    if isinstance(x, float | complex | floating | complexfloating):
        return True
    if id(x) in seen:
        return False
    seen.add(id(x))
    return any(holds_number(v, seen) for v in parts_of(x))
