"""The regularised incomplete gamma function's derivatives with respect to its shape.

With ``f(t) = t^(a-1) e^-t / gamma(a)``, the density, and ``w(t) = log t - digamma(a)``, the score,
``dP/da = int_0^x f w``, and ``int_0^inf f w = 0``: up to the zero of ``w`` the integral from 0 to x has one sign,
beyond it minus the one from x to infinity has, so that nothing cancels. In ``u = log t`` the integrand is log-concave,
and Gauss-Legendre quadrature over the part where it is more than rounding is exact to rounding. For small x and a the
power series ``P = sum_n (-1)^n x^(a+n) a / (n! (a+n) gamma(a+1))`` takes its place, term by term.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special as sp  # type: ignore[import-untyped]

from ....scalar import scalar_rule
from .shared import by_elements, gauss_legendre, missing

_NODES, _WEIGHTS = gauss_legendre(40)
_DEPTH = 45.0  # what lies e^-45 below the largest value is left out
_TERMS = np.arange(1.0, 26.0)


def _log_density(a: Any, x: Any) -> Any:
    """``log(x f(x))``; for a large shape by Stirling's series, where the plain terms cancel."""
    large = a > 20.0
    safe = np.where(large, a, 20.0)
    m = (x - safe) / safe
    r = 1.0 / (safe * safe)
    stirling = (1.0 / 12.0 - r * (1.0 / 360.0 - r * (1.0 / 1260.0 - r / 1680.0))) / safe
    log = np.where(m < -0.5, np.log(x / safe), np.log1p(m))
    far = safe * (log - m) + 0.5 * np.log(safe / (2.0 * math.pi)) - stirling
    return np.where(large, far, sp.xlogy(a, x) - x - sp.gammaln(a))


def _score(order: int, a: Any, log_t: Any) -> Any:
    """What the density is multiplied by: its first or second derivative in the shape, divided by itself."""
    w = log_t - sp.digamma(a)
    return w if order == 1 else w * w - sp.zeta(2.0, a)


def _quadrature(order: int, a: Any, x: Any, up: bool) -> Any:
    # Below the logarithm of the integrand falls by a s - x (1 - e^-s) at a distance s from log x, above by
    # x (e^s - 1) - a s. Where that is _DEPTH Newton's method finds from above, as these are convex.
    sign = 1.0 if up else -1.0
    d = (a - x) * sign
    # from  -d s + x s^2 / 2 (above) or, for s <= 1, x s^2 / 3 (below)
    s = 2.0 * _DEPTH / (np.sqrt(d * d + 2.0 * x * _DEPTH) - d)
    if not up:
        s = np.minimum((_DEPTH + x) / a, np.where(x > 3.0 * _DEPTH, np.sqrt(3.0 * _DEPTH / x), np.inf))
        s = np.minimum(s, np.where(d < 0, _DEPTH / np.where(d < 0, -d, 1.0), np.inf))
    for _ in range(6):
        fall = x * np.expm1(sign * s) - sign * a * s
        s = s - (fall - _DEPTH) / (sign * (x * np.exp(sign * s) - a))
    nodes = s[:, None] * _NODES
    a_, x_ = a[:, None], x[:, None]
    weight = np.exp(sign * a_ * nodes - x_ * np.expm1(sign * nodes)) * _score(order, a_, np.log(x_) + sign * nodes)
    return -sign * np.exp(_log_density(a, x)) * s * (weight @ _WEIGHTS)


def _series(order: int, a: Any, x: Any) -> Any:
    log = np.log(x) - sp.digamma(a + 1.0)
    n, a_, x_, log_ = _TERMS, a[:, None], x[:, None], log[:, None]
    power = np.cumprod(-x_ / n, axis=1)
    r, dr = a_ / (a_ + n), n / (a_ + n) ** 2
    scale = np.exp(sp.xlogy(a, x) - sp.gammaln(a + 1.0))
    if order == 1:
        return scale * (log + np.sum(power * (r * log_ + dr), axis=1))
    square = log * log - sp.zeta(2.0, a + 1.0)
    terms = r * square[:, None] + 2.0 * dr * log_ - 2.0 * n / (a_ + n) ** 3
    return scale * (square + np.sum(power * terms, axis=1))


def _by_shape(order: int, a: Any, x: Any) -> Any:
    y = np.full(a.shape, np.nan)
    y[(a >= 0) & ((x == 0) | np.isposinf(x))] = 0.0
    in_domain = (a >= 0) & (x > 0) & np.isfinite(a) & np.isfinite(x)
    small = in_domain & (x <= 1.5) & (a < 2.0)
    below = in_domain & ~small & (np.log(x) <= sp.digamma(a))
    above = in_domain & ~small & ~below
    for part, method in [
        (small, lambda a, x: _series(order, a, x)),
        (below, lambda a, x: _quadrature(order, a, x, False)),
        (above, lambda a, x: _quadrature(order, a, x, True)),
    ]:
        if part.any():
            y[part] = method(a[part], x[part])
    return y


@by_elements
def gammainc_da(a: Any, x: Any) -> Any:
    """``d gammainc(a, x) / da``.

    >>> float(round(gammainc_da(2.0, 3.0), 12))
    -0.197425419579
    """
    return _by_shape(1, a, x)


@by_elements
def gammainc_daa(a: Any, x: Any) -> Any:
    """``d^2 gammainc(a, x) / da^2``."""
    return _by_shape(2, a, x)


def density(a: Any, x: Any) -> Any:
    """``x^(a-1) e^-x / gamma(a)``, the derivative of ``gammainc(a, x)`` by x."""
    return np.exp(sp.xlogy(a - 1.0, x) - x - sp.gammaln(a))


def _density_da(a: Any, x: Any) -> Any:
    return sp.xlogy(density(a, x), x) - density(a, x) * sp.digamma(a)


def _density_daa(a: Any, x: Any) -> Any:
    p = density(a, x)
    w = np.log(np.where(np.equal(p, 0), 1.0, x)) - sp.digamma(a)
    return p * (w * w - sp.zeta(2.0, a))


scalar_rule(
    gammainc_da, lambda y, a, x: gammainc_daa(a, x), lambda y, a, x: _density_da(a, x), real=True,
)  # fmt: skip
scalar_rule(
    gammainc_daa, missing("gammainc", "its shape, of third order,"), lambda y, a, x: _density_daa(a, x), real=True,
)  # fmt: skip
