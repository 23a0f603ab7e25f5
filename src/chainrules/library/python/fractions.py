"""Fractions; loaded when the program has imported `fractions`.

Their arithmetic is that of `operator`, and stays exact: a fraction as the seed gives fractions.
"""

from __future__ import annotations

from fractions import Fraction
from numbers import Rational
from typing import Any

from ...declarations import non_differentiable
from ...rules import rrule
from ..forward import forward
from .items import answering

non_differentiable(Fraction.limit_denominator)


@rrule(Fraction, (float, Rational))
@answering
def fraction_rule(numerator: Any = 0, denominator: Any = None) -> Any:
    """A quotient."""
    if denominator is None:
        return Fraction(numerator), lambda y_bar: (y_bar, None)
    y = Fraction(numerator, denominator)
    return y, lambda y_bar: (y_bar / denominator, -y_bar * y / denominator)


@forward(Fraction, 0, 1)
def fraction_forward(y: Any, dots: Any, numerator: Any = 0, denominator: Any = None) -> Any:
    """``(numerator_dot - y denominator_dot)/denominator``."""
    upper_dot, lower_dot = dots
    if denominator is None:
        return upper_dot
    change = 0 if upper_dot is None else upper_dot / denominator
    return change if lower_dot is None else change - y * lower_dot / denominator
