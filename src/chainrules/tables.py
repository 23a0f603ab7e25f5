"""Tables of what was declared for functions, one body each: programs, shortcuts, patterns."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from .checks import check_key
from .registry import changed, declaring, up_to_date

__all__ = ["entering", "entry_of"]

F = TypeVar("F", bound=Callable[..., Any])


def entering(table: dict[Hashable, Callable[..., Any]], fs: tuple[Any, ...]) -> Callable[[F], F]:
    """A decorator that enters a body for functions."""
    for f in fs:
        check_key(f)

    def declare(body: F) -> F:
        up_to_date()
        with declaring:
            table.update(dict.fromkeys(fs, body))
            changed()
        return body

    return declare


def entry_of(table: dict[Hashable, Callable[..., Any]], f: Any) -> Callable[..., Any] | None:
    """What was entered for a function, or None; also for what cannot be a key."""
    up_to_date()
    try:
        return table.get(f)
    except TypeError:
        return None
