"""Weak references: when an object dies shows through them, and an object with shadows lives as long as the run."""

import weakref
from typing import Any

from morula.eager.calls.observers import DYING_UNSEEN, no_weak_reference
from morula.eager.calls.registry import structural
from morula.eager.context.protocol import Context

Pair = tuple[Any, Any]


def _referring(make: Any, position: int) -> None:
    def handler(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
        if len(args) > position and ctx.any_active(args[position:], ds[position:], kw, kw_d):
            if not isinstance(args[position], tuple(DYING_UNSEEN)):
                raise no_weak_reference(args[position])
        return make(*args, **kw), None

    structural(make)(handler)


_referring(weakref.ref, 0)
_referring(weakref.proxy, 0)
_referring(weakref.finalize, 0)
_referring(weakref.ref.__new__, 1)
