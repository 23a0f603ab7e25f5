"""The `math` module: partials in `math`'s own functions, so that Python floats stay Python floats.

Where the partial has a pole, the limit is returned instead of Python's exception.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...declarations import non_differentiable
from ...derived import chain
from ...products import strong_mul
from ...rules import rrule
from ...scalar import scalar_rule
from ..partials import angle_leg, leg, power_dp, power_dx, quotient, reciprocal, signum
from .items import over_items, parts

_LN2 = math.log(2.0)
_LN10 = math.log(10.0)
_TWO_OVER_ROOT_PI = 2 / math.sqrt(math.pi)


def root(x: Any) -> float:
    """``sqrt(x)``, NaN below 0."""
    return math.sqrt(x) if x >= 0 else math.nan


def digamma(x: float) -> float:
    """The derivative of ``lgamma``: by recurrence up to 10, and there the asymptotic series (Abramowitz & Stegun
    6.3.18); by reflection for negative arguments.

    >>> round(digamma(1.0), 12)
    -0.577215664902
    """
    y = 0.0
    if x <= 0:
        if x == -math.inf or x == math.floor(x):
            return math.nan
        y = -math.pi / math.tan(math.pi * x)
        x = 1 - x
    while x < 10:
        y -= 1 / x
        x = x + 1
    r = 1 / (x * x)
    series = r * (1 / 12 - r * (1 / 120 - r * (1 / 252 - r * (1 / 240 - r * (1 / 132 - r * (691 / 32760 - r / 12))))))
    return y + math.log(x) - 0.5 / x - series


def two_to(n: int) -> float:
    """``2.0**n``, infinite where no float is as large.

    >>> two_to(3), two_to(2000)
    (8.0, inf)
    """
    return math.ldexp(1.0, n) if n < 1024 else math.inf


non_differentiable(
    math.isnan, math.isinf, math.isfinite, math.isclose, math.comb, math.perm, math.factorial, math.gcd,
    math.lcm, math.isqrt,
)  # fmt: skip

REAL: list[tuple[Any, ...]] = [
    (math.sin, lambda y, x: math.cos(x)),
    (math.cos, lambda y, x: -math.sin(x)),
    (math.tan, lambda y, x: 1 + y * y),
    (math.asin, lambda y, x: reciprocal(math.sqrt((1 - x) * (1 + x)))),
    (math.acos, lambda y, x: -reciprocal(math.sqrt((1 - x) * (1 + x)))),
    (math.atan, lambda y, x: 1 / (1 + x * x)),
    (math.sinh, lambda y, x: math.cosh(x)),
    (math.cosh, lambda y, x: math.sinh(x)),
    (math.tanh, lambda y, x: 1 - y * y),
    (math.asinh, lambda y, x: 1 / math.hypot(x, 1)),
    (math.acosh, lambda y, x: reciprocal(math.sqrt(x - 1) * math.sqrt(x + 1))),
    (math.atanh, lambda y, x: 1 / ((1 - x) * (1 + x))),
    (math.atan2, lambda y, a, b: angle_leg(b, a), lambda y, a, b: -angle_leg(a, b)),
    (math.exp, lambda y, x: y),
    (math.expm1, lambda y, x: math.exp(x)),
    (math.log2, lambda y, x: 1 / _LN2 / x),
    (math.log10, lambda y, x: 1 / _LN10 / x),
    (math.log1p, lambda y, x: 1 / (1 + x)),
    (math.sqrt, lambda y, x: 0.5 / y if y else 0.5 * reciprocal(y)),
    (math.pow, power_dx, power_dp),
    (math.fabs, lambda y, x: signum(x)),
    (math.erf, lambda y, x: _TWO_OVER_ROOT_PI * math.exp(-x * x)),
    (math.erfc, lambda y, x: -_TWO_OVER_ROOT_PI * math.exp(-x * x)),
    (math.gamma, lambda y, x: y * digamma(x)),
    (math.lgamma, lambda y, x: digamma(x)),
    (math.degrees, 180 / math.pi),
    (math.radians, math.pi / 180),
    (math.fmod, 1, lambda y, a, b: -float(np.rint(quotient(a - y, b)))),
    (math.remainder, 1, lambda y, a, b: -float(np.rint(quotient(a - y, b)))),
    (math.copysign, lambda y, a, b: math.copysign(1.0, a) * math.copysign(1.0, b), 0),
    (math.floor, 0),
    (math.ceil, 0),
    (math.trunc, 0),
    (math.ulp, 0),
    (math.ldexp, lambda y, a, n: two_to(n), lambda y, a, n: y * _LN2),
]

for f, *partials in REAL:
    scalar_rule(f, *partials, real=True)

if hasattr(math, "cbrt"):
    scalar_rule(math.cbrt, lambda y, x: reciprocal(y) ** 2 / 3, real=True)
if hasattr(math, "exp2"):
    scalar_rule(math.exp2, lambda y, x: _LN2 * y, real=True)
for _name in ("isnormal", "issubnormal", "signbit"):  # Python 3.15
    if hasattr(math, _name):
        non_differentiable(getattr(math, _name))
if hasattr(math, "fma"):
    scalar_rule(math.fma, lambda y, a, b, c: b, lambda y, a, b, c: a, 1, real=True)


@rrule(math.log)
def log_rule(x: Any, base: Any = None) -> Any:
    """``log(x, base)``: ``1/(x log base)`` and ``-y/(base log base)``."""
    if base is None:
        return math.log(x), lambda y_bar: strong_mul(reciprocal(x), y_bar)
    y = math.log(x, base)
    log_base = math.log(base)

    def log_pullback(y_bar: Any) -> Any:
        return strong_mul(reciprocal(x * log_base), y_bar), strong_mul(-y / (base * log_base), y_bar)

    return y, log_pullback


@rrule(math.nextafter)
def nextafter_rule(x: Any, y: Any, **steps: Any) -> Any:
    """The neighbouring float moves with ``x``."""
    return math.nextafter(x, y, **steps), lambda z_bar: (z_bar, 0.0)


@rrule(math.hypot)
def hypot_rule(*xs: Any) -> Any:
    """``x / y`` each, 0 at the origin."""
    y = math.hypot(*xs)
    return y, lambda y_bar: tuple(strong_mul(leg(y, x), y_bar) for x in xs)


@over_items(math.dist, 0, 1)
def dist_rule(p: Any, q: Any) -> Any:
    """``(p - q) / y``, 0 where the points coincide."""
    y = math.dist(p, q)

    def dist_pullback(y_bar: Any) -> Any:
        p_bar = [strong_mul(leg(y, a - b), y_bar) for a, b in zip(p, q, strict=True)]
        return p_bar, [-v for v in p_bar]

    return y, dist_pullback


@over_items(math.fsum)
def fsum_rule(xs: Any) -> Any:
    """The seed to each term."""
    return math.fsum(xs), lambda y_bar: [y_bar] * len(xs)


@over_items(math.prod)
def prod_rule(xs: Any, *, start: Any = 1) -> Any:
    """The product of the other factors, from running products on both sides: exact where factors are 0."""

    def prod_pullback(y_bar: Any) -> Any:
        before = [start]
        for x in xs[:-1]:
            before.append(before[-1] * x)
        after: Any = 1
        x_bar = []
        for left, x in zip(reversed(before), reversed(xs), strict=False):
            x_bar.append(chain(left * after, y_bar))
            after = after * x
        return x_bar[::-1]

    return math.prod(xs, start=start), prod_pullback


_sumprod: Any = getattr(math, "sumprod", None)
if _sumprod is not None:

    @over_items(_sumprod, 0, 1)
    def sumprod_rule(p: Any, q: Any) -> Any:
        """The other factor each."""
        y = _sumprod(p, q)
        return y, lambda y_bar: ([chain(b, y_bar) for b in q], [chain(a, y_bar) for a in p])


@rrule(math.modf)
def modf_rule(x: Any) -> Any:
    """The fractional part moves with ``x``, the integer part does not."""
    return math.modf(x), lambda y_bar: parts(y_bar, 2)[0]


@rrule(math.frexp)
def frexp_rule(x: Any) -> Any:
    """``x = m 2**e`` with ``e`` locally constant."""
    m, e = math.frexp(x)

    def frexp_pullback(y_bar: Any) -> Any:
        m_bar, _ = parts(y_bar, 2)
        # in two steps: 2**e alone may be too large for a float, or too small
        return m_bar if m_bar is None else m_bar / math.ldexp(1.0, e // 2) / math.ldexp(1.0, e - e // 2)

    return (m, e), frexp_pullback
