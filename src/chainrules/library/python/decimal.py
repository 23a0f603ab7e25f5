"""Decimal numbers; loaded when the program has imported `decimal`.

Their arithmetic is that of `operator`: with a decimal number as the seed. Rounding to the precision of the context is
taken for exact, as that of floats is.
"""

from __future__ import annotations

import decimal
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from ...declarations import non_differentiable, unsupported
from ...products import strong_mul
from ...rules import rrule
from ..forward import by_gradient, forward
from .items import answering

non_differentiable(
    decimal.DecimalTuple, decimal.getcontext, Decimal.as_tuple, Decimal.as_integer_ratio, Decimal.is_nan,
    Decimal.is_finite, Decimal.is_infinite, Decimal.is_zero, Decimal.is_signed, Decimal.is_normal,
    Decimal.is_subnormal, Decimal.is_qnan, Decimal.is_snan, Decimal.compare, Decimal.compare_signal,
    Decimal.compare_total, Decimal.compare_total_mag, Decimal.adjusted, Decimal.logb, Decimal.number_class,
    Decimal.same_quantum, Decimal.to_eng_string, Decimal.to_integral, Decimal.to_integral_exact,
    Decimal.to_integral_value, Decimal.radix,
)  # fmt: skip
unsupported("sets how decimal numbers are rounded", decimal.setcontext, decimal.localcontext, decimal.Context)


@rrule(Decimal, (int, float, Decimal))
@answering
def decimal_rule(value: Any = "0", context: Any = None) -> Any:
    """The number itself; the context is for strings."""
    return Decimal(value, context), lambda y_bar: (y_bar if isinstance(value, Decimal) else float(y_bar), None)


def decimal_seed(y_bar: Any) -> Decimal:
    """A seed as a decimal number, which does not meet floats.

    >>> decimal_seed(0.5), decimal_seed(Decimal("0.1"))
    (Decimal('0.5'), Decimal('0.1'))
    """
    return y_bar if isinstance(y_bar, Decimal) else Decimal(float(y_bar))


def _unary(f: Any, partial: Callable[[Decimal, Decimal], Decimal]) -> None:
    def rule(x: Any, context: Any = None) -> Any:
        y = f(x, context)
        return y, lambda y_bar: (strong_mul(partial(y, x), decimal_seed(y_bar)), None)

    rrule(f)(answering(rule))


_unary(Decimal.sqrt, lambda y, x: 1 / (2 * y) if y else Decimal("inf"))
_unary(Decimal.exp, lambda y, x: y)
_unary(Decimal.ln, lambda y, x: 1 / x)
_unary(Decimal.log10, lambda y, x: 1 / (x * Decimal(10).ln()))


@rrule(float, Decimal)
def float_of_decimal_rule(x: Any) -> Any:
    """The seed as a decimal number, with which the pullbacks of decimal arithmetic can go on."""
    return float(x), decimal_seed


@forward(Decimal)
def decimal_forward(y: Any, dots: Any, value: Any = "0", context: Any = None) -> Any:
    """The tangent as a decimal number."""
    return decimal_seed(dots[0])


for f in (Decimal.sqrt, Decimal.exp, Decimal.ln, Decimal.log10):
    by_gradient(f)
