"""The tangent of what a rule answered: by the forward rule, or by transposing the pullback of the reverse rule."""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

import chainrules
from chainrules import NotImplementedDerivative, NotImplementedTangent, is_absent, unthunk
from morula.eager.calls.registry import CONFIG, TANGENTS, is_library_rule
from morula.eager.context.kinds import is_hashable
from morula.eager.context.protocol import Context
from morula.eager.forward.jacobian_rows import through_pullback
from morula.eager.forward.transposed import around, tangent_of_pullback, transposed_in
from morula.eager.memory.array_shadows import ARRAY_SHADOWS
from morula.errors import NotDifferentiable, describe

ndarray = np.ndarray
NUMERIC_SHADOWS = (list, *ARRAY_SHADOWS)
Pair = tuple[Any, Any]


def tangent_by_rule(
    ctx: Context,
    f: Any,
    rule: Callable,
    args: tuple,
    shadows: tuple,
    kw: dict,
    y: Any,
    entry: Any,
    opaque: bool,
    again: Callable,
) -> None:
    """Give `y`, which `rule` returned for ``f(*args, **kw)``, its tangents.

    `entry` is what the call left for the tape. `opaque`: the rule belongs to this engine and wins over all others.
    `again` makes a context manager in which a random draw is that of the call.
    """
    y_d = entry.y_d
    for k in range(ctx.depth):
        dots = [ctx.dots(k, a, d) for a, d in zip(args, shadows, strict=True)]
        if all(d is None for d in dots):
            continue
        before = ctx.descend(k)
        try:
            own = None if opaque else own_tangent(f)
            with again(), np.errstate(all="ignore"):
                if own is not None:
                    found = own(ctx, args, shadows, dots, y, entry.pullback)
                else:
                    try:
                        found = _tangent(ctx, f, rule, args, shadows, dots, kw, y, entry, opaque, again)
                    except NotImplementedDerivative as reason:
                        raise NotDifferentiable(f"the tangent of {describe(f)}: {reason}") from None
            if found is not None:
                fresh = not any(found[0] is v for v in (y, *args, *(d[0] for d in dots if d is not None)))
                ctx.set_dot(k, y, y_d, found[0], found[1], fresh)
        finally:
            ctx.descend(before)


def _tangent(
    ctx: Context,
    f: Any,
    rule: Callable,
    args: tuple,
    shadows: tuple,
    dots: list,
    kw: dict,
    y: Any,
    entry: Any,
    opaque: bool,
    again: Callable,
) -> Pair | None:
    """The tangent of a call's result, as an operation of whatever is still followed."""
    y_d = entry.y_d
    ops = ctx.ops(ctx.depth)
    tangents = tuple([None if d is None else d[0] for d in dots])
    tangents_d: Any = tuple([None if d is None else d[1] for d in dots])
    primals_d: Any = (
        shadows if ops is not ctx else tuple([sibling(ctx, a, s) for a, s in zip(args, shadows, strict=True)])
    )
    gapless, gapless_d = tangents, tangents_d
    if any(type(t) in (list, tuple) for t in tangents):
        gapless, gapless_d = ops.call(without_gaps_in_lists, (args, tangents), (None, tangents_d))
    if not opaque:
        rules = chainrules.frules_for(f, CONFIG[0])
        of_instance = rules and rules[0].instances
        for each in chainrules.candidates(f, args[1:] if of_instance else args, CONFIG[0], forward=True):
            if is_library_rule(each.function) and not is_library_rule(_innermost(rule)):
                continue  # the user has said something else of the derivative
            if each.tangent is not None and is_numeric(y_d):  # of the value that is there already
                y_dot, y_dot_d = ops.call(each.tangent, (y, args, gapless, kw), (y_d, primals_d, gapless_d, None))
                if y_dot is not NotImplemented:
                    return _checked(f, y_dot, y_dot_d)
                continue
            engine = (CONFIG[0](),) if each.needs else ()
            given_d = (*[None for _ in engine], primals_d, gapless_d)
            answer, answer_d = ops.call(each.function, (*engine, args, gapless), given_d, kw, {})
            if answer is not NotImplemented:
                y_dot, y_dot_d = ops.getitem(answer, answer_d, 1, None)
                return _checked(f, y_dot, y_dot_d)
    if ops is not ctx:
        return _checked(f, tangent_of_pullback(y, entry.pullback, args, tangents, around(ctx)), None)
    if isinstance(rule, functools.partial):
        raise NotDifferentiable(
            f"the rule for {describe(f)} differentiates a function that it receives, and has no forward rule: it "
            "does not support second derivatives"
        )
    found = transposed_in(ctx, rule, entry.pullback, args, shadows, dots, kw, y, again)
    if found is None:
        found = ops.call(through_pullback, (rule, args, tangents, kw), (None, primals_d, tangents_d, None))
    return _checked(f, *found)


def is_numeric(y_d: Any) -> bool:
    """Whether a value is a number, an array, or a tuple of these.

    A value that is computed once more has cotangents of its own. Where vectors have a free phase, neither those nor the
    ones of the first value are free of it, as their sum is.
    """
    if type(y_d) is tuple:
        return all(s is None or type(s) in NUMERIC_SHADOWS for s in y_d)
    return type(y_d) in NUMERIC_SHADOWS


def own_tangent(f: Any) -> Callable | None:
    """What the engine itself does for the tangent of a call of `f`."""
    return TANGENTS.get(f) if is_hashable(f) else None


def _innermost(rule: Any) -> Any:
    return rule.func if isinstance(rule, functools.partial) else rule


def _checked(f: Any, y_dot: Any, y_dot_d: Any) -> Pair | None:
    y_dot = unthunk(y_dot)
    if isinstance(y_dot, NotImplementedTangent):
        y_dot * 1.0  # raises, naming the rule
    return None if is_absent(y_dot) else (y_dot, y_dot_d)


def sibling(ctx: Context, a: Any, shadow: Any) -> Any:
    """The shadow of a rule's argument as a variable has it; those of the items of a list or dict are put in place."""
    if shadow is None or type(shadow) is list or isinstance(a, ndarray):
        return shadow
    if isinstance(a, dict) and type(shadow) is tuple:
        ctx.new_dict(a, {k: sibling(ctx, a[k], s) for k, s in zip(*shadow, strict=True)})
    elif isinstance(a, list):
        ctx.new_list(a, [sibling(ctx, v, s) for v, s in zip(a, shadow, strict=True)])
    elif isinstance(a, tuple):
        return ctx.packed(tuple([sibling(ctx, v, s) for v, s in zip(a, shadow, strict=True)]))
    return None


def without_gaps_in_lists(primals: tuple, tangents: tuple) -> tuple:
    pairs = zip(primals, tangents, strict=True)
    return tuple([without_gaps(x, t) if isinstance(t, tuple | list) else t for x, t in pairs])


def without_gaps(x: Any, x_dot: Any) -> Any:
    """A tangent in which no number lacks one beside others in a list or tuple that have one."""
    if x_dot is None:
        if isinstance(x, ndarray) and x.dtype.kind in "fc":
            return np.zeros_like(x)
        is_number = isinstance(x, float | complex | int | np.number) and not isinstance(x, bool)
        return x * 0.0 if is_number else None
    if isinstance(x_dot, tuple | list) and isinstance(x, tuple | list):
        return type(x_dot)([without_gaps(v, t) for v, t in zip(x, x_dot, strict=True)])
    return x_dot
