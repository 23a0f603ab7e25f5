"""The short way for numbers: an operation and its tangent at once, while a single derivation is followed.

Each function computes ``z = x op y``, puts it on the tape, and the operations on tangents after it. It answers None,
before it has done anything, where the general way has to be gone (`Following.by_partials`).
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules import strong_mul
from morula.eager.context.kinds import REAL
from morula.eager.context.protocol import Context

Pair = tuple[Any, Any]


def times(tape: Callable, p: Any, p_d: Any, t: Any, t_d: Any) -> Pair:
    """The product of two numbers, on the tape where they are."""
    z = p * t
    if p_d is None:
        if t_d is None:
            return z, None
        node = [0, t_d, p]
    else:
        node = [0, p_d, t] if t_d is None else [0, p_d, t, t_d, p]
    tape(node)
    return z, node


def plus(tape: Callable, x: Any, x_d: Any, y: Any, y_d: Any, sign: float = 1.0) -> Pair:
    """The sum of two numbers, or their difference."""
    z = x + y if sign > 0 else x - y
    if x_d is None:
        if y_d is None:
            return z, None
        node = [0, y_d, sign]
    else:
        node = [0, x_d, 1.0] if y_d is None else [0, x_d, 1.0, y_d, sign]
    tape(node)
    return z, node


def over(tape: Callable, x: Any, x_d: Any, y: Any, y_d: Any) -> Pair:
    """The quotient of two numbers, y not 0."""
    z = x / y
    if x_d is None:
        if y_d is None:
            return z, None
        node = [0, y_d, -z / y]
    else:
        node = [0, x_d, 1.0 / y] if y_d is None else [0, x_d, 1.0 / y, y_d, -z / y]
    tape(node)
    return z, node


def number(ctx: Context, z: Any, x_d: Any, p: Any, y_d: Any, q: Any) -> list:
    """The shadow of ``z`` with the partials p and q, on the tape."""
    if not ctx.taped:
        return [0]
    node = [0, y_d, q] if x_d is None else [0, x_d, p] if y_d is None else [0, x_d, p, y_d, q]
    ctx.to_tape(node)
    return node


def added(sign: float) -> Callable[..., Pair | None]:
    def add(ctx: Context, x: Any, x_d: Any, y: Any, y_d: Any) -> Pair | None:
        level = ctx.levels[0]
        z = x + y if sign > 0 else x - y
        node = number(ctx, z, x_d, 1.0, y_d, sign)
        a = None if x_d is None else level.number(x_d)
        b = None if y_d is None else level.number(y_d)
        if b is None:
            if a is not None:
                level.set_number(node, *a)
        elif a is None:
            level.set_number(node, *(b if sign > 0 else times(ctx.to_tape, -1.0, None, *b)))
        else:
            level.set_number(node, *plus(ctx.to_tape, a[0], a[1], b[0], b[1], sign))
        return z, node

    return add


def mul(ctx: Context, x: Any, x_d: Any, y: Any, y_d: Any) -> Pair | None:
    level, tape = ctx.levels[0], ctx.to_tape
    a = None if x_d is None else level.number(x_d)
    b = None if y_d is None else level.number(y_d)
    if (a is not None and not is_finite(a[0], y)) or (b is not None and not is_finite(b[0], x)):
        return None
    z = x * y
    node = number(ctx, z, x_d, y, y_d, x)
    if not ctx.taped:
        x_d = y_d = None
    if a is not None:
        t = times(tape, y, y_d, *a)
        level.set_number(node, *(t if b is None else plus(tape, *t, *times(tape, x, x_d, *b))))
    elif b is not None:
        level.set_number(node, *times(tape, x, x_d, *b))
    return z, node


def truediv(ctx: Context, x: Any, x_d: Any, y: Any, y_d: Any) -> Pair | None:
    level, tape = ctx.levels[0], ctx.to_tape
    a = None if x_d is None else level.number(x_d)
    b = None if y_d is None else level.number(y_d)
    if not y:
        return None
    z = x / y
    if (
        not is_finite(z, 1.0 / y)
        or (a is not None and not is_finite(a[0], 0.0))
        or (b is not None and not is_finite(b[0], z))
    ):
        return None
    node = number(ctx, z, x_d, 1.0 / y, y_d, -z / y)
    z_d = node if ctx.taped else None
    if not ctx.taped:
        x_d = y_d = None
    if b is None:
        if a is not None:
            level.set_number(node, *over(tape, a[0], a[1], y, y_d))
        return z, node
    u, u_d = times(tape, z, z_d, b[0], b[1])  # dz = (dx - z dy) / y
    t, t_d = times(tape, -1.0, None, u, u_d) if a is None else plus(tape, a[0], a[1], u, u_d, -1.0)
    level.set_number(node, *over(tape, t, t_d, y, y_d))
    return z, node


def pow_(ctx: Context, x: Any, x_d: Any, y: Any, y_d: Any) -> Pair | None:
    """``x ** n`` for an inactive n that is a whole number of at least 2."""
    if y_d is not None or not y >= 2 or y != int(y):
        return None
    level, tape = ctx.levels[0], ctx.to_tape
    a = level.number(x_d)
    try:
        z = x**y
        p = y * x ** (y - 1)
        q = (y - 1) * y * x ** (y - 2)
    except OverflowError:
        return None
    if not is_finite(p, q) or (a is not None and not is_finite(a[0], 0.0)):
        return None
    node = number(ctx, z, x_d, p, None, None)
    if a is not None:
        p_d = None
        if ctx.taped:
            p_d = [0, x_d, q]
            tape(p_d)
        level.set_number(node, *times(tape, p, p_d, *a))
    return z, node


def is_finite(x: Any, y: Any) -> bool:
    """Whether the two can be multiplied without a look at zeros."""
    return x - x == 0 and y - y == 0


def function_of_number(f: Any, p: Callable) -> Callable[..., Pair]:
    """``f(x)`` by its partial, a function of the value and x; anything but a number goes the general way."""

    def handler(ctx: Context, x: Any, x_d: Any) -> Pair:
        if x_d is None or type(x) not in REAL or ctx.depth != 1:
            return ctx.call(f, (x,), (x_d,))
        level = ctx.levels[0]
        a = level.number(x_d)
        y = f(x)
        if type(y) not in REAL:
            return ctx.call(f, (x,), (x_d,))
        if type(f) is np.ufunc:
            with np.errstate(all="ignore"):  # the partial may warn, at a singular point
                return followed(ctx, level, y, x, x_d, a)
        return followed(ctx, level, y, x, x_d, a)

    def followed(ctx: Context, level: Any, y: Any, x: Any, x_d: Any, a: Pair | None) -> Pair:
        slope = p(y, x)
        if not ctx.taped:
            node: list = [0]
            if a is not None:
                t = slope * a[0]
                level.set_number(node, t if t == t else strong_mul(slope, a[0]), None)
            return y, node
        node = [0, x_d, slope]
        ctx.to_tape(node)
        if a is not None:
            before = ctx.descend(0)
            try:
                q, q_d = ctx.call(p, (y, x), (node, x_d))
                if type(q) is np.ndarray:
                    q, q_d = ctx.getitem(q, q_d, (), None)
                if is_finite(q, a[0]):
                    level.set_number(node, *times(ctx.to_tape, q, q_d, *a))
                else:
                    level.set_number(node, *ctx.call(strong_mul, (q, a[0]), (q_d, a[1])))
            finally:
                ctx.descend(before)
        return y, node

    return handler


OF_NUMBERS: dict[str, Callable[..., Pair | None]] = {
    "add": added(1.0),
    "sub": added(-1.0),
    "mul": mul,
    "truediv": truediv,
    "pow": pow_,
}
