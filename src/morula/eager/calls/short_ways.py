"""What a callable means for calls with one or two plain arguments, where one rule answers all of them."""

from types import FunctionType
from typing import Any

import numpy as np

import chainrules
from chainrules import scalar_rule_for
from morula.eager.calls.meanings import meaning_of
from morula.eager.calls.number_handlers import number_handler
from morula.eager.calls.registry import Handler
from morula.eager.calls.rule_handlers import (
    binary_handler,
    rule_handler,
    unary_handler,
)


def short_way(f: Any, n: int) -> Handler | None:
    """What runs for a call of `f` with `n` plain arguments, where one rule answers all of them."""
    number = number_handler(f, n) if type(f) is not FunctionType else None
    if number is not None:
        return number
    meaning = meaning_of(f)
    scalar = meaning.scalar
    if f is np.absolute and n == 1 and meaning.array_rule is not None:  # of real arrays it is `np.fabs`
        scalar = scalar_rule_for(np.fabs)
    if scalar is not None:
        if n == 1:
            return unary_handler(f, scalar) if len(scalar.partials) == 1 else None
        if type(f) is np.ufunc and len(scalar.partials) == 2 and not scalar.lacks and not chainrules.has_opt_outs(f):
            return binary_handler(f, scalar)
        return None
    return None if meaning.array_rule is None else rule_handler(f, meaning.array_rule, n)


def general_way(f: Any, n: int) -> Handler:
    """What runs for a call with `n` plain arguments that more decides about."""
    if n == 1:
        return lambda ctx, x, x_d: ctx.call(f, (x,), (x_d,))
    return lambda ctx, x, y, x_d, y_d: ctx.call(f, (x, y), (x_d, y_d))
