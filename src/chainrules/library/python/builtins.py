"""Builtin functions of numbers. Those that build or walk structures (`map`, `sorted`, `list` ...) are the
engine's.
"""

from __future__ import annotations

import builtins
import numbers
from typing import Any

import numpy as np

from ...declarations import non_differentiable
from ...derived import chain
from ...rules import rrule
from ...scalar import scalar_rule
from ...tangents import Thunk
from ..partials import NUMERIC, power_dp, power_dx, remainder_dy, signum
from .operator import COMPLEX, complex_abs_rule

non_differentiable(
    len, any, all, range, int, bool, str, repr, format, hash, isinstance, issubclass, id, type, callable,
    ascii, bin,
    bytes, bytearray, chr, dir, hex, oct, ord, hasattr, print, input, open, slice, memoryview, globals, vars,
)  # fmt: skip

scalar_rule(abs, lambda y, x: signum(x), real=True, types=(NUMERIC,))
rrule(abs, COMPLEX)(complex_abs_rule)

_plain = (float, int, np.number, np.bool_, numbers.Number)


@rrule(pow, NUMERIC, NUMERIC)
def pow_rule(x: Any, p: Any, mod: Any = None) -> Any:
    """``x ** p``; with a modulus it is integer arithmetic and no rule applies."""
    if mod is not None:
        return NotImplemented
    y = pow(x, p)
    return y, lambda y_bar: (
        Thunk(lambda: chain(power_dx(y, x, p), y_bar)),
        Thunk(lambda: chain(power_dp(y, x, p), y_bar)),
    )


@rrule(divmod, NUMERIC, NUMERIC)
def divmod_rule(a: Any, b: Any) -> Any:
    """Quotient: numeric zero. Remainder: ``(1, -floor(a / b))``."""
    y = divmod(a, b)

    def divmod_pullback(y_bar: Any) -> Any:
        _, r_bar = y_bar
        return (None, None) if r_bar is None else (r_bar, chain(remainder_dy(None, a, b), r_bar))

    return y, divmod_pullback


@rrule(round, NUMERIC)
def round_rule(*args: Any, **options: Any) -> Any:
    """A numeric zero."""
    return round(*args, **options), lambda y_bar: (0.0,) + (None,) * (len(args) - 1)


@rrule(float, NUMERIC)
def float_rule(x: Any) -> Any:
    """The seed as it is; `float` of a string is not a derivative matter."""
    return float(x), lambda y_bar: y_bar


@rrule(complex, NUMERIC)
def complex_rule(re: Any, im: Any = None) -> Any:
    """``re + i im``."""
    if im is None:
        return complex(re), lambda y_bar: y_bar
    return complex(re, im), lambda y_bar: (y_bar, -1j * y_bar)


def _selection(name: str, first_wins: Any) -> Any:
    pick = getattr(builtins, name)

    def rule(*args: Any, **options: Any) -> Any:
        """All to the argument that is the result."""
        if options or len(args) < 2 or not all(isinstance(a, _plain) for a in args):
            return NotImplemented
        y = pick(*args)
        if len(args) == 2:
            a, b = args
            if first_wins(a, b):
                return y, lambda y_bar: (y_bar, None)
            return y, lambda y_bar: (None, y_bar)
        at = args.index(y) if y == y else next(i for i, a in enumerate(args) if a is y)
        return y, lambda y_bar: tuple(y_bar if i == at else None for i in range(len(args)))

    return rule


# Of two equal values `max` gives all to the second and `min` all to the first; of more, the first index
# has it.
rrule(max)(_selection("max", lambda a, b: a > b or (b != b)))
rrule(min)(_selection("min", lambda a, b: not b < a))


@rrule(sum, (list, tuple))
def sum_rule(xs: Any, *args: Any, **options: Any) -> Any:
    """The seed to each term and to ``start``; numbers only."""
    start: Any = args[0] if args else options.get("start", 0)
    if not (isinstance(start, NUMERIC) and all(isinstance(x, NUMERIC) for x in xs)):
        return NotImplemented
    n = len(xs)
    y: Any = sum(xs, start)  # type: ignore[arg-type]
    return y, lambda y_bar: ([y_bar] * n, y_bar)[: 1 + len(args)]


@rrule(sum, np.ndarray)
def sum_array_rule(xs: Any, *args: Any, **options: Any) -> Any:
    """The sum along the first axis."""
    shape = xs.shape

    def sum_pullback(y_bar: Any) -> Any:
        return (np.broadcast_to(y_bar, shape), y_bar)[: 1 + len(args)]

    return sum(xs, *args, **options), sum_pullback
