"""The module `functools`: functions that call others, and decorators."""

from __future__ import annotations

import functools
import operator
from typing import Any

from ...config import frule_via, rrule_via
from ...declarations import non_differentiable, unsupported
from ...rules import frule, rrule
from ...tangents import NotImplementedTangent, Tangent, ZeroTangent, is_absent, unthunk
from .items import CALLING, answering_with_config, could_be_active, filled, forced, is_sequence
from .iterators import Traced

non_differentiable(
    functools.wraps, functools.update_wrapper, functools.total_ordering, functools.lru_cache, functools.cache,
)  # fmt: skip
unsupported("makes keys that are compared by a function, and compute nothing", functools.cmp_to_key)
unsupported(
    "makes a descriptor or a dispatcher, whose calls are those of the functions that it was given",
    functools.partialmethod, functools.singledispatch, functools.singledispatchmethod, functools.cached_property,
)  # fmt: skip


@rrule(functools.reduce, needs=CALLING)
@answering_with_config
def reduce_rule(config: Any, function: Any, iterable: Any, *initial: Any) -> Any:
    """From the last call back: each gives the cotangent of what came before it, and of its item."""
    traced = Traced(config, function)
    y = functools.reduce(traced, iterable, *initial)

    def reduce_pullback(y_bar: Any) -> Any:
        bars, total_bar = [], y_bar
        for i in reversed(range(len(traced.pullbacks))):
            x_bar = None
            if total_bar is not None:
                total_bar, x_bar = traced.pull(i, total_bar)
            bars.append(x_bar)
        if not initial:
            bars.append(total_bar)
        return traced.taken(), filled(iterable, bars[::-1]), total_bar

    return y, reduce_pullback


_kept = NotImplementedTangent("a keyword argument that a partial holds gets no cotangent; hold it by position")


@rrule(functools.partial, needs=CALLING)
def partial_rule(config: Any, func: Any, *args: Any, **named: Any) -> Any:
    """A `Tangent` of the object has the cotangents of what it holds: ``func``, ``args`` and ``keywords``."""
    n = len(func.args) if isinstance(func, functools.partial) else 0

    def partial_pullback(y_bar: Any) -> Any:
        if y_bar is None:
            return (None,) * (len(args) + 1)
        held = y_bar.args or (None,) * (n + len(args))
        if not n and not isinstance(func, functools.partial):
            return y_bar.func, *held
        inner = {k: bar for k, bar in (y_bar.keywords or {}).items() if k not in named}
        return Tangent(functools.partial, func=y_bar.func, args=held[:n], keywords=inner), *held[n:]

    return functools.partial(func, *args, **named), partial_pullback


@rrule(functools.partial, with_self=True, needs=CALLING)
def partial_call_rule(config: Any, call: Any, *args: Any, **named: Any) -> Any:
    """The pullback of the function, cut where the arguments that it holds end."""
    n = len(call.args)
    y, pullback = rrule_via(config, call.func, *call.args, *args, **{**call.keywords, **named})
    # a call answers for positional arguments only; what is held as a keyword must not seem to have no effect
    keywords = {k: _kept for k, v in call.keywords.items() if k not in named and could_be_active(v)}

    def partial_call_pullback(y_bar: Any) -> Any:
        func_bar, *bars = pullback(y_bar)
        held = tuple(map(forced, bars[:n]))
        return Tangent(functools.partial, func=func_bar, args=held, keywords=keywords), *bars[n:]

    return y, partial_call_pullback


@rrule(functools._lru_cache_wrapper, with_self=True, needs=CALLING)
def cached_call_rule(config: Any, call: Any, *args: Any, **named: Any) -> Any:
    """As the function without its memory, which holds values only."""
    return rrule_via(config, call.__wrapped__, *args, **named)


@rrule(operator.call, needs=CALLING)
def call_rule(config: Any, function: Any, *args: Any, **named: Any) -> Any:
    """The call itself: its pullback answers for the function, too."""
    return rrule_via(config, function, *args, **named)


# -- forward ----------------------------------------------------------------------------------------------


@frule(functools.reduce, needs=("forward",))
def reduce_forward(config: Any, primals: Any, tangents: Any) -> Any:
    """Call by call."""
    (function, iterable, *initial), (f_dot, xs_dot, *first_dot) = primals, tangents
    if not is_sequence(iterable):
        return NotImplemented
    if not len(iterable) and not initial:
        return functools.reduce(function, iterable), ZeroTangent()  # raises
    dots = [None] * len(iterable) if is_absent(xs_dot) else unthunk(xs_dot)
    pairs = [*zip(initial, first_dot, strict=True), *zip(iterable, dots, strict=True)]
    y, y_dot = pairs[0]
    for x, x_dot in pairs[1:]:
        y, y_dot = frule_via(config, function, (y, x), (f_dot, y_dot, x_dot))
    return y, ZeroTangent() if is_absent(y_dot) else y_dot


@frule(operator.call, needs=("forward",))
def call_forward(config: Any, primals: Any, tangents: Any, **named: Any) -> Any:
    """The call itself."""
    return frule_via(config, primals[0], primals[1:], tangents, **named)
