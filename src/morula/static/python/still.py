"""What a static adjoint takes for constants, although an eager run that calls the function may have made it active."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from morula.eager.context.protocol import Context

__all__ = ["called_in", "has_still_defaults", "is_still"]

_run: ContextVar[Context | None] = ContextVar("morula.called_in", default=None)


def is_still(x: Any) -> bool:
    """Whether nothing active lies in `x`; nothing does where no run calls."""
    ctx = _run.get()
    return ctx is None or not ctx.reaches_active(x, set())


def has_still_defaults(f: Any) -> bool:
    """Whether no default of a function is active."""
    ctx = _run.get()
    return ctx is None or all(d is None for d in ctx.twins.default_shadows(f).values())


@contextmanager
def called_in(ctx: Context) -> Iterator[None]:
    """What runs here is called by an eager run."""
    token = _run.set(ctx)
    try:
        yield
    finally:
        _run.reset(token)
