"""Derivatives along a direction: `jvp`."""

from collections.abc import Callable
from time import perf_counter
from typing import Any

from morula.eager.calls.foreign_arguments import refuse_foreign_arguments
from morula.eager.calls.registry import where_active
from morula.eager.context.observed import WATCH
from morula.eager.context.protocol import Context
from morula.eager.context.reverse import Reverse
from morula.eager.context.run import raise_recursion_limit, restore_recursion_limit
from morula.eager.forward.derivation import derive, overlapping
from morula.errors import MorulaError
from morula.static.python.answers import noted, static_tangent
from morula.verbs.gradients import _user_errors

Pair = tuple[Any, Any]


@_user_errors
def jvp(
    f: Callable[..., Any], primals: tuple[Any, ...], tangents: tuple[Any, ...], /, **kwargs: Any
) -> tuple[Any, Any]:
    """Compute the value of a function and its derivative along a direction, in forward mode.

    Args:
        f: a function of any result.
        primals: its positional arguments: numbers, arrays, containers and objects of them. `f` works on copies.
        tangents: one for each argument, in its structure: the direction. None, also inside a structure, stands
            for a constant; an object's tangent is a `chainrules.Tangent`, a dict of fields, or such an object.
        kwargs: passed on to `f`; constants.

    Returns:
        ``(y, y_dot)``: the value, and the tangent in its structure. Where nothing varies it is zero for numbers and
        arrays, None for anything else; that of an object is a `Tangent`.

    Raises:
        SeedError: a tangent does not have the structure of its argument.
        AliasedArgumentsError: two arrays share memory, and `f` writes into it.
        NotDifferentiable: active values met something without a derivative.

    >>> import numpy as np, morula
    >>> morula.jvp(np.sin, (0.0,), (2.0,))
    (np.float64(0.0), np.float64(2.0))
    >>> def scale(x, n):
    ...     y = x.copy()
    ...     for i in range(n):
    ...         y *= x
    ...     return y
    >>> morula.jvp(scale, (np.array([1.0, 2.0]), 1), (np.array([1.0, 0.0]), None))
    (array([1., 4.]), array([2., 0.]))
    """
    check_arity(primals, tangents)
    if not kwargs and not WATCH and not overlapping(primals):
        found = static_tangent(f, tuple(primals), tuple(tangents))
        if found is not None:
            return found
    moved = tuple([i for i, t in enumerate(tangents) if t is not None])
    refuse_foreign_arguments(primals, moved)
    start = perf_counter()
    ctx = Reverse(taped=False)
    if WATCH:
        WATCH[-1](ctx, f, None)
    raise_recursion_limit()
    try:
        call = lambda args, ds: ctx.call(f, args, ds, kwargs, {})
        (y, _), (y_dot, _) = ctx.whole(derive, ctx, call, tuple(primals), None, tuple(tangents), None)
    finally:
        restore_recursion_limit()
        ctx.finish_forward()
    if not kwargs:
        noted("tangent", f, tuple(primals), perf_counter() - start, moved)
    return y, y_dot


pushforward = jvp


def check_arity(primals: Any, tangents: Any) -> None:
    """Raise unless `jvp` was given as many tangents as arguments, in tuples."""
    if not isinstance(primals, tuple | list) or not isinstance(tangents, tuple | list):
        raise MorulaError("jvp takes a tuple of arguments and a tuple of tangents: jvp(f, (x,), (x_dot,))")
    if len(primals) != len(tangents):
        raise MorulaError(f"jvp was given {len(primals)} arguments and {len(tangents)} tangents")


@where_active(jvp)
def _jvp(ctx: Context, args: tuple, ds: tuple, kw: dict, kw_d: dict) -> Pair:
    """Inside a differentiated function: one more derivation in the same context."""
    f, primals, tangents = args
    check_arity(primals, tangents)
    primals, primals_d = ctx.call(tuple, (primals,), ds[1:2])
    tangents, tangents_d = ctx.call(tuple, (tangents,), ds[2:3])
    (y, y_d), (y_dot, y_dot_d) = derive(
        ctx, lambda args, ds: ctx.call(f, args, ds, kw, kw_d), primals, primals_d, tangents, tangents_d
    )
    return (y, y_dot), ctx.packed((y_d, y_dot_d))
