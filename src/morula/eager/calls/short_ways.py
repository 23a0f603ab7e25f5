"""What a callable means for calls with a few plain arguments, where one rule or handler answers all of them."""

from types import FunctionType
from typing import Any

import numpy as np

from chainrules import has_opt_outs, scalar_rule_for
from morula.eager.calls.meanings import meaning_of
from morula.eager.calls.number_handlers import number_handler
from morula.eager.calls.registry import OF_LISTS, Handler, is_library_rule
from morula.eager.calls.rule_handlers import (
    binary_handler,
    list_handler,
    of_new_list,
    rule_handler,
    unary_handler,
)
from morula.eager.numpy.overrides import ASKING


def short_way(f: Any, n: int) -> Handler | None:
    """What runs for a call of `f` with `n` plain arguments, where one rule or handler answers all of them.

    0: with a list that was written down there.
    """
    meaning = meaning_of(f)
    if n == 0:
        is_free = meaning.adjoint is None and not has_opt_outs(f)
        if is_free and f in OF_LISTS and all(is_library_rule(rule.function) for rule in meaning.rules):
            return lambda ctx, xs, ds: OF_LISTS[f](ctx, xs, ds) or of_new_list(ctx, f, xs, ds)
        return None if meaning.array_rule is None else list_handler(f, meaning.array_rule)
    if type(f) is not FunctionType:  # whose short ways are taken where forward derivations go on, too
        number = number_handler(f, n)
        if number is not None:
            return number
        scalar = meaning.scalar
        if f is np.absolute and n == 1 and meaning.array_rule is not None:  # of real arrays it is `np.fabs`
            scalar = scalar_rule_for(np.fabs)
        if scalar is not None and n < 3:
            if n == 1:
                return unary_handler(f, scalar) if len(scalar.partials) == 1 else None
            is_binary = type(f) is np.ufunc and len(scalar.partials) == 2
            return binary_handler(f, scalar) if is_binary and not scalar.lacks and not has_opt_outs(f) else None
    if meaning.array_rule is not None:
        return rule_handler(f, meaning.array_rule, n)
    handler = meaning.handler
    if n != 1 or handler is None or meaning.adjoint is not None or type(f) in ASKING:
        return None
    return lambda ctx, x, x_d: handler(ctx, (x,), (x_d,), {}, {})


def general_way(f: Any, n: int) -> Handler:
    """What runs for a call with `n` plain arguments, or a new list, that more decides about."""
    if n == 0:
        return lambda ctx, xs, ds: of_new_list(ctx, f, xs, ds)
    if n == 1:
        return lambda ctx, x, x_d: ctx.call(f, (x,), (x_d,))
    if n == 2:
        return lambda ctx, x, y, x_d, y_d: ctx.call(f, (x, y), (x_d, y_d))
    return lambda ctx, x, y, z, x_d, y_d, z_d: ctx.call(f, (x, y, z), (x_d, y_d, z_d))
