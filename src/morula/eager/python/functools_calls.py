"""The module `functools`: partial application, comparison functions as keys, decorators that only move functions."""

import functools
from typing import Any

from chainrules import InplaceThunk, Thunk
from morula.eager.calls.registry import C_METHODS, structural
from morula.eager.context.kinds import refuse_gaps
from morula.eager.context.protocol import Context
from morula.eager.python.builtin_calls import plainly
from morula.errors import NotDifferentiable, describe

Pair = tuple[Any, Any]

plainly(
    functools.wraps, functools.lru_cache, functools.cache, functools._lru_cache_wrapper, functools.total_ordering
)  # fmt: skip


@structural(functools.partial)
def _partial(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    return _made(ctx, functools.partial, args, ds, kw, kw_d)


@structural(Thunk)
def _thunk(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    """The code of a rule that is differentiated makes thunks of active cotangents."""
    return _made(ctx, Thunk, args, ds, kw, kw_d)


@structural(InplaceThunk)
def _inplace_thunk(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    return _made(ctx, Thunk, args[1:], ds[1:], kw, kw_d)


def _made(ctx: Context, cls: Any, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    made: Any = cls(*ctx.callees(args[:1], ds[:1]), *args[1:], **kw)
    shadows = {("args", i): d for i, d in enumerate(ds[1:]) if d is not None}
    shadows |= {("keywords", k): d for k, d in kw_d.items() if d is not None}
    inner = ctx.records.of(args[0]) if isinstance(args[0], functools.partial) else None
    if inner is not None:
        refuse_gaps(args[0])
        n = len(args[0].args)
        moved = {(k, i + n) if k == "args" else (k, i): d for (k, i), d in shadows.items()}
        kept = {(k, i): d for (k, i), d in inner.slots.items() if not (k == "keywords" and i in kw)}
        shadows = {**kept, **moved}
    if shadows:
        ctx.records.make(made).slots = shadows
    return made, None


def _cache_method(ctx: Context, f: Any, name: str, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    """``f.cache_clear()`` and the like, of a function under `lru_cache`."""
    if name == "cache_info" and ctx.memo.get(f):
        raise NotDifferentiable(
            f"cache_info() of {describe(f)}: its active results are kept in a separate table for this run, which "
            "it does not count"
        )
    if name == "cache_clear":
        ctx.memo.pop(f, None)
    return getattr(f, name)(*args, **kw), None


C_METHODS[functools._lru_cache_wrapper] = _cache_method
