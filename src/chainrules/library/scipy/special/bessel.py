"""Bessel functions, by their argument for any real order, and by the order of positive real arguments.

Source: NIST Digital Library of Mathematical Functions, 10.6, 10.29, 10.32.9, 9.2.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special as sp  # type: ignore[import-untyped]

from ....scalar import scalar_rule
from .bessel_orders import ive_dv, jv_dv, yv_dv
from .shared import by_elements, half_difference, half_sum, has_zero, missing

_STEPS = np.arange(1.0, 97.0) / 96.0  # the integrands of derivatives vanish at 0


def _kve_moment(n: int, v: Any, x: Any) -> Any:
    """The ``n``-th derivative of ``kve(v, x)`` by the order.

    ``e^x K_v(x)`` is the integral of ``exp(-x (cosh t - 1)) cosh(v t)`` over t > 0, of which the trapezoidal rule is
    exact to rounding; those of the derivatives have one sign. The largest t is where the exponent has fallen by 45.
    """
    size = np.abs(v)
    # The exponent v t - x (cosh t - 1) is largest where x sinh t = v. Newton's method finds the end from above.
    top = np.arcsinh(size / x)
    end = top + np.arccosh(1.0 + 45.0 / np.hypot(size, x)) + np.log1p(size)
    for _ in range(12):
        fall = x * (np.cosh(end) - np.cosh(top)) - size * (end - top)
        end = end - (fall - 45.0) / np.maximum(x * np.sinh(end) - size, 1e-300)
        end = np.maximum(end, top + 1e-8)
    t = end[:, None] * _STEPS
    exponent = size[:, None] * t - x[:, None] * (2.0 * np.square(np.sinh(0.5 * t)))
    other = np.exp(-2.0 * size[:, None] * t)
    both = 1.0 + other if n % 2 == 0 else -np.expm1(-2.0 * size[:, None] * t)
    total = np.sum(np.exp(exponent) * t**n * both, axis=1)
    return (np.sign(v) if n % 2 else 1.0) * 0.5 * total * end / len(_STEPS)


@by_elements
def kve_dv(v: Any, x: Any) -> Any:
    """The derivative of ``kve(v, x)`` by the order.

    >>> float(round(kve_dv(1.5, 2.0), 10))
    0.79479239
    """
    return _kve_moment(1, v, x)


@by_elements
def kve_dvv(v: Any, x: Any) -> Any:
    """The second derivative of ``kve(v, x)`` by the order."""
    return _kve_moment(2, v, x)


def _recurrence(f: Any, v: Any, x: Any) -> Any:
    """The derivative of ``kve`` by x, or of a derivative of it by the order."""
    return f(v, x) - 0.5 * (f(v - 1.0, x) + f(v + 1.0, x))


scalar_rule(kve_dv, lambda y, v, x: kve_dvv(v, x), lambda y, v, x: _recurrence(kve_dv, v, x), real=True)
scalar_rule(
    kve_dvv, missing("kv", "its order, of third order,"), lambda y, v, x: _recurrence(kve_dvv, v, x), real=True
)  # fmt: skip


def _is_ordinary(v: Any, x: Any) -> bool:
    """Whether no order is negative, and no argument 0: then one neighbour is enough, and nothing cancels."""
    return bool(np.all(np.greater_equal(v, 0))) and not has_zero(x)


def wave_slope(f: Any, y: Any, v: Any, x: Any) -> Any:
    """``v/x f(v, x) - f(v+1, x)``, of J; ``y`` is ``f(v, x)``."""
    return v / x * y - f(v + 1.0, x) if _is_ordinary(v, x) else half_difference(f, v, x)


def _yv_slope(y: Any, v: Any, x: Any) -> Any:
    """``Y(v-1, x) - v/x Y(v, x)``: of small x the second term is the larger one."""
    return sp.yv(v - 1.0, x) - v / x * y if _is_ordinary(v, x) else half_difference(sp.yv, v, x)


def growth_slope(f: Any, y: Any, v: Any, x: Any) -> Any:
    """``v/x f(v, x) + f(v+1, x)``, of I."""
    return v / x * y + f(v + 1.0, x) if _is_ordinary(v, x) else half_sum(f, v, x)


def decay_slope(f: Any, y: Any, v: Any, x: Any) -> Any:
    """``-v/x f(v, x) - f(v-1, x)``, of K."""
    return -v / x * y - f(v - 1.0, x) if _is_ordinary(v, x) else -half_sum(f, v, x)


def hankel_dv(i: complex, v: Any, x: Any) -> Any:
    """The derivative of ``J + i Y`` by the order."""
    return jv_dv(v, x) + i * yv_dv(v, x)


def order(name: str) -> Any:
    """The missing derivative with respect to the order."""
    return missing(name, "its order")


f: Any
partial: Any
by_order: Any
for f, by_order, partial in [  # holomorphic
    (sp.jv, lambda y, v, x: jv_dv(v, x), lambda y, v, x: wave_slope(sp.jv, y, v, x)),
    (sp.yv, lambda y, v, x: yv_dv(v, x), lambda y, v, x: _yv_slope(y, v, x)),
    (sp.iv, lambda y, v, x: np.exp(x) * ive_dv(v, x), lambda y, v, x: growth_slope(sp.iv, y, v, x)),
    (sp.hankel1, lambda y, v, x: hankel_dv(1j, v, x), lambda y, v, x: half_difference(sp.hankel1, v, x)),
    (sp.hankel2, lambda y, v, x: hankel_dv(-1j, v, x), lambda y, v, x: half_difference(sp.hankel2, v, x)),
    (
        sp.hankel1e,
        lambda y, v, x: np.exp(-1j * x) * hankel_dv(1j, v, x),
        lambda y, v, x: half_difference(sp.hankel1e, v, x) - 1j * y,
    ),
    (
        sp.hankel2e,
        lambda y, v, x: np.exp(1j * x) * hankel_dv(-1j, v, x),
        lambda y, v, x: half_difference(sp.hankel2e, v, x) + 1j * y,
    ),
]:
    scalar_rule(f, by_order, partial)

scalar_rule(sp.kv, lambda y, v, x: np.exp(-x) * kve_dv(v, x), lambda y, v, x: decay_slope(sp.kv, y, v, x))
scalar_rule(sp.kve, lambda y, v, x: kve_dv(v, x), lambda y, v, x: y + decay_slope(sp.kve, y, v, x))

for f, by_order, partial in [
    (sp.jve, lambda y, v, x: jv_dv(v, x), lambda y, v, x: half_difference(sp.jve, v, x)),
    (sp.yve, lambda y, v, x: yv_dv(v, x), lambda y, v, x: half_difference(sp.yve, v, x)),
    (sp.ive, lambda y, v, x: ive_dv(v, x), lambda y, v, x: growth_slope(sp.ive, y, v, x) - np.sign(x) * y),
]:
    scalar_rule(f, by_order, partial, real=True)

for f, partial in [
    (sp.yn, lambda y, n, x: half_difference(sp.yv, n, x)),
    (sp.kn, lambda y, n, x: -half_sum(sp.kv, n, x)),
]:
    scalar_rule(f, order(f.__name__), partial, real=True)

for f, partial in [
    (sp.j0, lambda y, x: -sp.j1(x)),
    (sp.j1, lambda y, x: sp.j0(x) - _over(y, x, 0.5)),
    (sp.y0, lambda y, x: -sp.y1(x)),
    (sp.y1, lambda y, x: sp.y0(x) - y / x),
    (sp.i0, lambda y, x: sp.i1(x)),
    (sp.i1, lambda y, x: sp.i0(x) - _over(y, x, 0.5)),
    (sp.i0e, lambda y, x: sp.i1e(x) - np.sign(x) * y),
    (sp.i1e, lambda y, x: sp.i0e(x) - _over(y, x, 0.5) - np.sign(x) * y),
    (sp.k0, lambda y, x: -sp.k1(x)),
    (sp.k1, lambda y, x: -sp.k0(x) - y / x),
    (sp.k0e, lambda y, x: y - sp.k1e(x)),
    (sp.k1e, lambda y, x: y - sp.k0e(x) - y / x),
]:
    scalar_rule(f, partial, real=True)


# -- Airy and Kelvin functions: their own derivatives are among their values ----------------------------------

scalar_rule(sp.airy, lambda y, z: (y[1], z * y[0], y[3], z * y[2]), outputs=4)


def _airye(y: Any, x: Any) -> Any:
    # scaled by exp(2/3 x^(3/2)) above 0, and not at all below
    root = np.sqrt(np.maximum(x, 0.0))
    return y[1] + root * y[0], x * y[0] + root * y[1], y[3] - root * y[2], x * y[2] - root * y[3]


scalar_rule(sp.airye, _airye, real=True, outputs=4)


def _over(a: Any, x: Any, limit: complex) -> Any:
    if not has_zero(x):
        return a / x
    at = np.equal(x, 0)
    return np.where(at, limit, a / np.where(at, 1.0, x))


scalar_rule(
    sp.kelvin,
    lambda y, x: (y[2], y[3], 1j * y[0] - _over(y[2], x, 0.5j), 1j * y[1] - _over(y[3], x, math.nan)),
    real=True,
    outputs=4,
)
for f, partial in [
    (sp.ber, lambda y, x: sp.berp(x)),
    (sp.bei, lambda y, x: sp.beip(x)),
    (sp.ker, lambda y, x: sp.kerp(x)),
    (sp.kei, lambda y, x: sp.keip(x)),
    (sp.berp, lambda y, x: -sp.bei(x) - _over(y, x, 0.0)),
    (sp.beip, lambda y, x: sp.ber(x) - _over(y, x, 0.5)),
    (sp.kerp, lambda y, x: -sp.kei(x) - y / x),
    (sp.keip, lambda y, x: sp.ker(x) - y / x),
]:
    scalar_rule(f, partial, real=True)

scalar_rule(sp.struve, order("struve"), lambda y, v, x: sp.struve(v - 1.0, x) - v / x * y, real=True)
scalar_rule(sp.modstruve, order("modstruve"), lambda y, v, x: sp.modstruve(v - 1.0, x) - v / x * y, real=True)


# -- integrals of Bessel functions ----------------------------------------------------------------------------


def _minus_one_over(f: Any, x: Any) -> Any:
    """``(f - 1)/x``, whose limit at 0 is 0."""
    return _over(f - 1.0, x, 0.0)


scalar_rule(sp.itj0y0, lambda y, x: (sp.j0(x), sp.y0(x)), real=True, outputs=2)
scalar_rule(sp.iti0k0, lambda y, x: (sp.i0(x), sp.k0(x)), real=True, outputs=2)
scalar_rule(sp.it2j0y0, lambda y, x: (-_minus_one_over(sp.j0(x), x), -sp.y0(x) / x), real=True, outputs=2)
scalar_rule(sp.it2i0k0, lambda y, x: (_minus_one_over(sp.i0(x), x), -sp.k0(x) / x), real=True, outputs=2)
scalar_rule(sp.itstruve0, lambda y, x: sp.struve(0.0, x), real=True)
scalar_rule(sp.it2struve0, lambda y, x: -sp.struve(0.0, x) / x, real=True)
scalar_rule(sp.itmodstruve0, lambda y, x: sp.modstruve(0.0, x), real=True)
scalar_rule(
    sp.itairy,
    lambda y, x: (sp.airy(x)[0], sp.airy(x)[2], sp.airy(-x)[0], sp.airy(-x)[2]),
    real=True,
    outputs=4,
)
