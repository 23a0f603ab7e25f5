"""Short ways for calls with a few plain arguments that one rule answers: decided once, kept by callable.

Only contexts in which no forward derivation goes on use these; whatever is not as expected takes the general path.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

import chainrules
from chainrules import NotImplementedDerivative, ScalarRule
from morula.eager.calls.quick_rules import VIEWING, by_operands, entered, inputs_of, quick_rule, shared_view
from morula.eager.calls.registry import Handler, refuse_lacking
from morula.eager.calls.rule_calls import DOUBLE, OBJECT, PLAIN, is_complex
from morula.eager.context.kinds import REAL
from morula.eager.context.protocol import Context
from morula.eager.memory.array_shadows import ARRAY_SHADOWS
from morula.eager.numpy.object_arrays import holds_objects
from morula.eager.operators.operations import Operation

ndarray = np.ndarray
Pair = tuple[Any, Any]


NONE: dict = {}  # no keywords


@np.errstate(all="ignore")
def quiet_partial(partial: Callable, y: Any, x: Any) -> Any:
    """A partial at a number, as it stands on the tape; None where it does not fit."""
    try:
        p = partial(y, x)
    except (ArithmeticError, NotImplementedDerivative):  # said with the user's line if it is needed
        return None
    if type(p) not in DOUBLE:
        return None
    return p if type(x) is type(p) else float(p)


def rule_handler(f: Any, rule: Callable, n: int) -> Handler:
    """``f(x)``, ``f(x, y)`` or ``f(x, y, z)`` by a quick rule; what that leaves takes the general path."""
    step = quick_rule(f, rule)
    gives_views = f in VIEWING
    computes = not gives_views and inputs_of(f) >= n
    forward = getattr(rule, "by_operand", None) if computes else None
    if forward is not None:
        return operand_handler(f, forward, step, n)
    if n == 3:
        return lambda ctx, x, y, z, x_d, y_d, z_d: (
            step(ctx, f, (x, y, z), (x_d, y_d, z_d), NONE, NONE) or ctx.call(f, (x, y, z), (x_d, y_d, z_d))
        )

    def handler1(ctx: Context, x: Any, x_d: Any) -> Pair:
        if type(x) is ndarray:
            if x_d is None:
                x_d = ctx.buffers.find(x)
            if type(x_d) in ARRAY_SHADOWS:
                found = None
                if computes:
                    found = ctx.quick_result(f, rule, (x,), [(0, None, x_d)], NONE)
                elif gives_views and ctx.views_at_once:
                    found = shared_view(ctx, x, x_d, f(x))
                if found is not None:
                    return found
        return step(ctx, f, (x,), (x_d,), NONE, NONE) or ctx.call(f, (x,), (x_d,))

    def handler2(ctx: Context, x: Any, y: Any, x_d: Any, y_d: Any) -> Pair:
        if (
            computes and type(x) is ndarray and x.dtype is not OBJECT
            and type(y) in PLAIN and not (type(y) is ndarray and y.dtype is OBJECT)
        ):  # fmt: skip
            if x_d is None:
                x_d = ctx.buffers.find(x)
            if y_d is None and type(y) is ndarray:
                y_d = ctx.buffers.find(y)
            if type(x_d) in SHADOW_OR_NONE and type(y_d) in SHADOW_OR_NONE:
                targets = [] if x_d is None else [(0, None, x_d)]
                if y_d is not None:
                    targets.append((1, None, y_d))
                found = ctx.quick_result(f, rule, (x, y), targets, NONE) if targets else None
                if found is not None:
                    return found
        return step(ctx, f, (x, y), (x_d, y_d), NONE, NONE) or ctx.call(f, (x, y), (x_d, y_d))

    return handler1 if n == 1 else handler2


def operand_handler(f: Any, forward: Callable, step: Callable, n: int) -> Handler:
    """The same where the rule gives the cotangent of each operand by itself."""

    def handler1(ctx: Context, x: Any, x_d: Any) -> Pair:
        found = None
        if type(x) is ndarray and ctx.views_at_once:
            if x_d is None and (x.base is not None or id(x) in ctx.buffers.table):
                x_d = ctx.buffers.find(x)
            if type(x_d) in ARRAY_SHADOWS:
                found = entered(ctx, f, forward, (x,), [(0, None, x_d)])
        return found or step(ctx, f, (x,), (x_d,), NONE, NONE) or ctx.call(f, (x,), (x_d,))

    def handler2(ctx: Context, x: Any, y: Any, x_d: Any, y_d: Any) -> Pair:
        found = None
        if type(x) is ndarray and type(y) is ndarray and ctx.views_at_once:
            buffers = ctx.buffers
            if x_d is None and (x.base is not None or id(x) in buffers.table):
                x_d = buffers.find(x)
            if y_d is None and (y.base is not None or id(y) in buffers.table):
                y_d = buffers.find(y)
            if type(x_d) in ARRAY_SHADOWS and type(y_d) in ARRAY_SHADOWS:
                found = entered(ctx, f, forward, (x, y), [(0, None, x_d), (1, None, y_d)])
            elif x_d is None and type(y_d) in ARRAY_SHADOWS and x.dtype is not OBJECT:
                found = entered(ctx, f, forward, (x, y), [(1, None, y_d)])
            elif y_d is None and type(x_d) in ARRAY_SHADOWS and y.dtype is not OBJECT:
                found = entered(ctx, f, forward, (x, y), [(0, None, x_d)])
        return found or step(ctx, f, (x, y), (x_d, y_d), NONE, NONE) or ctx.call(f, (x, y), (x_d, y_d))

    def handler3(ctx: Context, x: Any, y: Any, z: Any, x_d: Any, y_d: Any, z_d: Any) -> Pair:
        args, ds = (x, y, z), (x_d, y_d, z_d)
        found = by_operands(ctx, f, forward, args, ds) if type(x) is ndarray else None
        return found or step(ctx, f, args, ds, NONE, NONE) or ctx.call(f, args, ds)

    return (handler1, handler2, handler3)[n - 1]


def of_new_list(ctx: Context, f: Any, xs: list, ds: list) -> Pair:
    """``f(xs)`` of a list that was just made, with the shadows of its items."""
    ctx.new_list(xs, ds)
    return ctx.on1[f](ctx, xs, None)


def list_handler(f: Any, rule: Callable) -> Handler:
    """The same by the rule for `f`, without a record of the list, which nobody else has."""
    forward = getattr(rule, "by_operand", None)

    def handler(ctx: Context, xs: list, ds: list) -> Pair:
        buffers = ctx.buffers
        kept = None  # arrays need not be
        is_active = False
        for i, x in enumerate(xs):
            d = ds[i]
            if type(x) is ndarray:
                if d is None and (x.base is not None or id(x) in buffers.table):
                    ds[i] = d = buffers.find(x)
                if x.dtype.kind in "OV":
                    return of_new_list(ctx, f, xs, ds)
            elif type(x) not in PLAIN:
                return of_new_list(ctx, f, xs, ds)
            elif d is not None:
                kept = xs
            is_active = is_active or d is not None
        found = None
        if is_active:
            if forward is not None and ctx.views_at_once:
                found = entered(ctx, f, forward, (xs,), [(0, kept, tuple(ds))])
            if found is None:
                found = ctx.quick_result(f, rule, (xs,), [(0, xs, tuple(ds))], NONE)
        return found or of_new_list(ctx, f, xs, ds)

    return handler


def unary_handler(f: Any, rule: ScalarRule) -> Handler:
    """``f(x)`` for one number, or for an array where `f` is a ufunc; anything else takes the general path."""
    (partial,) = rule.partials
    if rule.lacks or chainrules.has_opt_outs(f) or isinstance(partial, tuple):
        return lambda ctx, x, x_d: ctx.call(f, (x,), (x_d,))
    if not callable(partial):
        return by_slope(f, rule, float(partial))
    (needs,) = rule.needs
    keep_y, keep_x = 0 in needs, 1 in needs

    def of_number(ctx: Context, x: Any, x_d: Any) -> Pair:
        if type(x) not in REAL:
            return ctx.call(f, (x,), (x_d,))
        y = f(x)
        if x_d is None:
            return y, None
        if type(y) not in REAL:  # np.i0 makes arrays of numbers
            return ctx.elementwise(rule, None, (x,), (x_d,), y)
        node = [0, x_d, partial(y, x)]
        ctx.append(node)
        return y, node

    def of_array(ctx: Context, x: Any, x_d: Any) -> Pair:
        if type(x) is ndarray:
            dtype = x.dtype
            if dtype.kind == "f":
                if x_d is None:
                    x_d = ctx.buffers.find(x)
                    if x_d is None:
                        return f(x), None
                y = f(x)
                if type(y) is ndarray and y.dtype is dtype and type(x_d) is not list:
                    y_d = ctx.buffers.of_owner(y) if y.base is None else ctx.buffers.new(y)
                    ctx.append((y_d, partial, y if keep_y else None, x if keep_x else None, x_d))
                    return y, y_d
                return ctx.elementwise(rule, None, (x,), (x_d,), y)
        elif type(x) in REAL:  # the partial may warn, at a singular point: it is taken in the backward pass
            y = f(x)
            if x_d is None:
                return y, None
            if ctx.taped and type(x) in DOUBLE and type(y) in DOUBLE:
                p = quiet_partial(partial, y, x)
                if p is not None:
                    node = [0, x_d, p]
                    ctx.append(node)
                    return y, node
            return ctx.elementwise(rule, None, (x,), (x_d,), y)
        return ctx.call(f, (x,), (x_d,))

    return of_array if type(f) is np.ufunc else of_number


def by_slope(f: Any, rule: ScalarRule, slope: float) -> Handler:
    """The same where the partial is a number: of ``math.degrees``, or of ``np.floor``, which moves in steps."""
    of_arrays = type(f) is np.ufunc

    def handler(ctx: Context, x: Any, x_d: Any) -> Pair:
        if type(x) in (DOUBLE if of_arrays else REAL):
            y = f(x)
            if x_d is not None and ctx.taped and type(y) in REAL:
                node = [0, x_d, slope]
                ctx.append(node)
                return y, node
            return (y, None) if x_d is None else ctx.elementwise(rule, None, (x,), (x_d,), y)
        if of_arrays and type(x) is ndarray and x.dtype.kind == "f":
            x_d = ctx.array_shadow(x, x_d)
            return (f(x), None) if x_d is None else ctx.elementwise(rule, f, (x,), (x_d,))
        return ctx.call(f, (x,), (x_d,))

    return handler


def binary_handler(f: np.ufunc, rule: ScalarRule) -> Handler:
    """``f(x, y)`` for arrays and numbers; anything else takes the general path."""
    operation = Operation(f.__name__, f, rule)

    def handler(ctx: Context, x: Any, y: Any, x_d: Any, y_d: Any) -> Pair:
        if type(x) is ndarray:
            if x.dtype.kind == "f" and (type(y) in DOUBLE or (type(y) is ndarray and y.dtype.kind == "f")):
                return ctx.operate(operation, x, x_d, y, y_d)
        elif type(x) in DOUBLE:
            if type(y) is ndarray and y.dtype.kind == "f":
                return ctx.operate(operation, x, x_d, y, y_d)
            if type(y) in DOUBLE:
                z = f(x, y)
                return (z, None) if x_d is y_d is None else ctx.elementwise(rule, None, (x, y), (x_d, y_d), z)
        if type(x) in ARRAY_OR_FLOAT and type(y) in ARRAY_OR_FLOAT and (type(x) is ndarray or type(y) is ndarray):
            x_d, y_d = ctx.array_shadow(x, x_d), ctx.array_shadow(y, y_d)
            if x_d is None and y_d is None:
                return f(x, y), None
            if not (rule.real and (is_complex(x) or is_complex(y))) and not holds_objects((x, y)):
                refuse_lacking(rule, (x_d, y_d))
                return ctx.elementwise(rule, f, (x, y), (x_d, y_d))
        return ctx.call(f, (x, y), (x_d, y_d))

    return handler


SHADOW_OR_NONE = (type(None), *ARRAY_SHADOWS)
ARRAY_OR_FLOAT = frozenset({ndarray, float, np.float64, int})
