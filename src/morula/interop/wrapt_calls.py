"""Functions decorated with wrapt, whose wrappers are objects written in C. Loaded when the program has imported wrapt.

A wrapper calls the decorator's function with what it wraps, the instance, and the arguments as a tuple and a dict; what
follows is the program's own Python code.
"""

import functools
from typing import Any

import wrapt

from morula.eager.calls.registry import INSTANCE_HANDLERS
from morula.eager.context.protocol import Context

Pair = tuple[Any, Any]


def _called(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    """``wrapper(*args, **kw)``, as ``wrapt.wrappers`` has it in Python."""
    f, args, ds = args[0], args[1:], ds[1:]
    if not ctx.any_active((f, *args), (None, *ds), kw, kw_d):
        return ctx.opaque(f, args, kw), None
    wrapped, instance, enabled = f.__wrapped__, f._self_instance, f._self_enabled
    if enabled is not None and not (ctx.call(enabled, (), ())[0] if callable(enabled) else enabled):
        return ctx.call(wrapped, args, ds, kw, kw_d)
    if isinstance(f, wrapt.BoundFunctionWrapper) and f._self_binding in ("function", "callable"):
        if instance is None and args and isinstance(args[0], getattr(f, "_self_owner", None) or object):
            instance, args, ds = args[0], args[1:], ds[1:]  # called through the class
            wrapped = functools.partial(wrapped, instance)
    elif instance is None or isinstance(f, wrapt.BoundFunctionWrapper):
        instance = getattr(wrapped, "__self__", None)
    keywords = dict(kw)
    ctx.new_dict(keywords, kw_d)
    return ctx.call(f._self_wrapper, (wrapped, instance, args, keywords), (None, None, ctx.packed(ds), None))


INSTANCE_HANDLERS[wrapt.FunctionWrapper] = INSTANCE_HANDLERS[wrapt.BoundFunctionWrapper] = _called
