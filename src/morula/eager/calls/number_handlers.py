"""Short ways for calls of numbers with numbers: ``abs(x)``, ``math.atan2(y, x)``, ``max(x, 0.0)`` ...

A call leaves one scalar tape entry, whose partials are computed going forward. What is not about real numbers alone
takes the general path. Only contexts in which no forward derivation goes on use these.
"""

from collections.abc import Callable
from types import BuiltinFunctionType
from typing import Any

import numpy as np

import chainrules
from chainrules import is_absent, unthunk
from morula.eager.calls.meanings import AS_NUMPY, number_rule, rules_of
from morula.eager.calls.registry import ADJOINTS, STRUCTURAL, Handler, is_library_rule
from morula.eager.calls.rule_handlers import unary_handler
from morula.eager.context.kinds import PYTHON, REAL
from morula.eager.context.protocol import Context

Pair = tuple[Any, Any]


def number_handler(f: Any, n: int) -> Handler | None:
    """What to run for a call of `f` with `n` arguments; None where there is no short way.

    A rule of the user's, an adjoint or an opt-out leaves the decision to the general path.
    """
    if f in ADJOINTS or chainrules.has_opt_outs(f):
        return None
    rules = rules_of(f)
    if not all(is_library_rule(rule.function) and not rule.needs for rule in rules):
        return None
    if f in OWN:
        return OWN[f].get(n)
    if type(f) is not BuiltinFunctionType or (f in STRUCTURAL and f is not abs):
        return None
    scalar = number_rule(f)
    if scalar is not None:
        if len(scalar.partials) != n or n > 2 or scalar.outputs > 1:
            return None
        if n == 2:
            return by_two_partials(f, *scalar.partials)
        return by_partial(f, *scalar.partials) if f in AS_NUMPY else unary_handler(f, scalar)
    if len(rules) == 1 and not rules[0].types and f.__module__ in ("math", "builtins"):
        return by_rule(f, rules[0].function)
    return None


def by_partial(f: Any, partial: Any) -> Handler:
    """``f(x)`` by its partial, in Python's own floats, which neither warn, as NumPy's do, nor take as long."""

    def handler(ctx: Context, x: Any, x_d: Any) -> Pair:
        if type(x) not in REAL:
            return ctx.call(f, (x,), (x_d,))
        y = f(x)
        if x_d is None:
            return y, None
        node = [0, x_d, float(partial(y, x if type(x) in PYTHON else float(x)))]
        ctx.append(node)
        return y, node

    return handler


def by_two_partials(f: Any, p: Any, q: Any) -> Handler:
    """``f(x, y)`` by its partials, functions or numbers."""

    def handler(ctx: Context, x: Any, y: Any, x_d: Any, y_d: Any) -> Pair:
        if type(x) not in REAL or type(y) not in REAL:
            return ctx.call(f, (x, y), (x_d, y_d))
        z = f(x, y)
        if x_d is None and y_d is None:
            return z, None
        x, y = x if type(x) in PYTHON else float(x), y if type(y) in PYTHON else float(y)
        node: list = [0]
        if x_d is not None:
            node += (x_d, p(z, x, y) if callable(p) else float(p))
        if y_d is not None:
            node += (y_d, q(z, x, y) if callable(q) else float(q))
        ctx.append(node)
        return z, node

    return handler


def by_rule(f: Any, rule: Callable) -> Handler:
    """``f(x)`` or ``f(x, y)`` by a rule: a pullback is linear, so that what it makes of 1 is all there is to know."""

    def handler(ctx: Context, *given: Any) -> Pair:
        n = len(given) // 2
        args, ds = given[:n], given[n:]
        for x in args:
            if type(x) not in REAL:
                return ctx.call(f, args, ds)
        try:
            y, pullback = rule(*[x if type(x) in PYTHON else float(x) for x in args])
        except Exception:  # the general path knows which words belong to it
            y = None
        if type(y) is not float:
            return ctx.call(f, args, ds)
        bars = pullback(1.0)
        if type(bars) is not tuple:
            bars = (bars,)
        node: list = [0]
        for bar, d in zip(bars, ds, strict=False):
            if d is not None and not is_absent(bar := unthunk(bar)):
                node += (d, bar)
        if not PYTHON.issuperset(map(type, node[2::2])):
            return ctx.call(f, args, ds)
        if len(node) == 1:
            return y, None
        ctx.append(node)
        return y, node

    return handler


def _float(ctx: Context, x: Any, x_d: Any) -> Pair:
    return (float(x), x_d) if type(x) in REAL else ctx.call(float, (x,), (x_d,))


def _float64(ctx: Context, x: Any, x_d: Any) -> Pair:
    return (np.float64(x), x_d) if type(x) in REAL else ctx.call(np.float64, (x,), (x_d,))


def _max(ctx: Context, x: Any, y: Any, x_d: Any, y_d: Any) -> Pair:
    if type(x) not in REAL or type(y) not in REAL:
        return ctx.call(max, (x, y), (x_d, y_d))
    return _selected(ctx, max(x, y), bool(y >= x), x_d, y_d)  # of two equal numbers the second has the gradient


def _min(ctx: Context, x: Any, y: Any, x_d: Any, y_d: Any) -> Pair:
    if type(x) not in REAL or type(y) not in REAL:
        return ctx.call(min, (x, y), (x_d, y_d))
    return _selected(ctx, min(x, y), bool(y < x), x_d, y_d)


def _selected(ctx: Context, z: Any, is_second: bool, x_d: Any, y_d: Any) -> Pair:
    if x_d is None:
        if y_d is None:
            return z, None
        node = [0, y_d, float(is_second)]
    else:
        node = [0, x_d, float(not is_second)]
        if y_d is not None:
            node += (y_d, float(is_second))
    ctx.append(node)
    return z, node


def _round(ctx: Context, x: Any, x_d: Any) -> Pair:
    return _in_steps(ctx, round(x), x_d) if type(x) is float else ctx.call(round, (x,), (x_d,))


def _round_to(ctx: Context, x: Any, digits: Any, x_d: Any, digits_d: Any) -> Pair:
    if type(x) is not float or type(digits) is not int:
        return ctx.call(round, (x, digits), (x_d, digits_d))
    return _in_steps(ctx, round(x, digits), x_d)


def _in_steps(ctx: Context, y: Any, x_d: Any) -> Pair:
    """What moves in steps with `x`: its derivative is zero, and not absent."""
    if x_d is None:
        return y, None
    node = [0, x_d, 0.0]
    ctx.append(node)
    return y, node


def _divmod(ctx: Context, x: Any, y: Any, x_d: Any, y_d: Any) -> Pair:
    if type(x) is not float or type(y) not in PYTHON:
        return ctx.call(divmod, (x, y), (x_d, y_d))
    divmod(x, y)  # raises in its own words
    (q, q_d), (r, r_d) = ctx.floordiv(x, x_d, y, y_d), ctx.mod(x, x_d, y, y_d)
    return (q, r), (q_d, r_d)


OWN: dict[Any, dict[int, Handler]] = {
    float: {1: _float},
    np.float64: {1: _float64},
    divmod: {2: _divmod},
    max: {2: _max},
    min: {2: _min},
    round: {1: _round, 2: _round_to},
}
