"""Builtin functions of numbers, and those that pick from their arguments or put them in order."""

from __future__ import annotations

import builtins
import numbers
from typing import Any

import numpy as np

from ...declarations import non_differentiable
from ...derived import chain
from ...projection import unbroadcast
from ...rules import rrule
from ...scalar import scalar_rule
from ...tangents import Thunk
from ..partials import NUMERIC, power_dp, power_dx, remainder_dy, signum
from .items import answering, over_items, parts
from .operator import COMPLEX, complex_abs_rule

non_differentiable(
    len, any, all, range, int, bool, str, repr, format, hash, isinstance, issubclass, id, type, callable,
    ascii, bin,
    bytes, bytearray, chr, dir, hex, oct, ord, hasattr, print, input, open, slice, memoryview, globals, vars,
)  # fmt: skip

scalar_rule(abs, lambda y, x: signum(x), real=True, types=(NUMERIC,))
rrule(abs, COMPLEX)(complex_abs_rule)

_plain = (float, int, np.number, np.bool_, numbers.Number)


@rrule(pow, NUMERIC)
@answering
def pow_rule(base: Any, exp: Any, mod: Any = None) -> Any:
    """``base ** exp``; with a modulus it is arithmetic of integers, and constant."""
    if not isinstance(exp, NUMERIC):
        return NotImplemented
    if mod is not None:
        return pow(base, exp, mod), lambda y_bar: (None, None, None)
    y = pow(base, exp)
    return y, lambda y_bar: (
        Thunk(lambda: chain(power_dx(y, base, exp), y_bar)),
        Thunk(lambda: chain(power_dp(y, base, exp), y_bar)),
        None,
    )


@rrule(divmod, NUMERIC, NUMERIC)
def divmod_rule(a: Any, b: Any) -> Any:
    """Quotient: numeric zero. Remainder: ``(1, -floor(a / b))``."""
    y = divmod(a, b)

    def divmod_pullback(y_bar: Any) -> Any:
        _, r_bar = parts(y_bar, 2)
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
@answering
def complex_rule(real: Any = 0, imag: Any = None) -> Any:
    """``real + i imag``."""
    if imag is None:
        return complex(real), lambda y_bar: (y_bar, None)
    return complex(real, imag), lambda y_bar: (y_bar, -1j * y_bar)


# -- selections -------------------------------------------------------------------------------------------


def _selection(name: str, second_wins: bool) -> None:
    pick: Any = getattr(builtins, name)

    @over_items(pick)
    def of_items(xs: Any, *, key: Any = None, **options: Any) -> Any:
        """All to the first of the items that Python may return."""
        if not len(xs):
            return pick(xs, key=key, **options), lambda y_bar: []
        at = pick(range(len(xs)), key=xs.__getitem__ if key is None else lambda i: key(xs[i]))
        return xs[at], lambda y_bar: [y_bar if i == at else None for i in range(len(xs))]

    def of_arguments(a: Any, *others: Any, key: Any = None) -> Any:
        """As of items; but of two equal numbers `max` gives all to the second."""
        args = (a, *others)
        y, pullback = of_items(args, key=key)
        if second_wins and len(args) == 2 and key is None and all(isinstance(x, _plain) for x in args):
            if args[0] == args[1]:
                return y, lambda y_bar: (None, y_bar)
        return y, lambda y_bar: tuple(pullback(y_bar))

    rrule(pick, object, object)(of_arguments)


_selection("max", True)
_selection("min", False)


@over_items(sorted)
def sorted_rule(xs: Any, *, key: Any = None, reverse: Any = False) -> Any:
    """The cotangents back where the items were; the order is Python's, which keeps that of equal items."""
    order = sorted(range(len(xs)), key=xs.__getitem__ if key is None else lambda i: key(xs[i]), reverse=reverse)

    def sorted_pullback(y_bar: Any) -> Any:
        x_bar: list[Any] = [None] * len(order)
        for i, bar in zip(order, parts(y_bar, len(order)), strict=True):
            x_bar[i] = bar
        return x_bar

    return [xs[i] for i in order], sorted_pullback


@over_items(sum)
def sum_rule(xs: Any, start: Any = 0, /, **options: Any) -> Any:
    """The seed to each term and to ``start``; numbers and arrays only."""
    if not (isinstance(options.get("start", start), NUMERIC) and all(isinstance(x, NUMERIC) for x in xs)):
        return NotImplemented
    y: Any = sum(xs, **options) if options else sum(xs, start)
    if not isinstance(xs, np.ndarray):
        return y, lambda y_bar: ([y_bar] * len(xs), y_bar)

    def sum_pullback(y_bar: Any) -> Any:
        return np.broadcast_to(unbroadcast(y_bar, xs.shape[1:]), xs.shape), y_bar

    return y, sum_pullback
