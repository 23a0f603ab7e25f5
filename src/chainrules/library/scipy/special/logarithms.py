"""Logistic functions, entropies, power transforms: logarithms and exponentials where plain ones lose digits."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special as sp  # type: ignore[import-untyped]

from ....scalar import scalar_rule
from ...partials import power_dp, power_dx
from .shared import has_zero, power_series

_LN2, _LN10, _DEGREE = math.log(2.0), math.log(10.0), math.pi / 180.0
# Derivatives of (exp(x) - 1)/x and of log(1 + x)/x by powers of x.
_EXPREL = [n / math.factorial(n + 1) for n in range(1, 20)]
_LOG1PREL = [(-1.0) ** n * n / (n + 1) for n in range(1, 16)]


def exprel_dx(y: Any, x: Any) -> Any:
    """``(exp(x) - y) / x``, a series where that cancels.

    >>> float(exprel_dx(1.0, 0.0))
    0.5
    """
    small = np.abs(x) < 1.0
    inside, safe = np.where(small, x, 0.0), np.where(small, 1.0, x)
    # exp(x) - y = y (x - 1) + 1: no product of infinities where y overflows
    return np.where(small, power_series(_EXPREL, inside), np.where(safe > 700.0, y, (y * (safe - 1.0) + 1.0) / safe))


def log1prel(x: Any) -> Any:
    """``log(1 + x) / x``, 1 at 0."""
    small = np.abs(x) < 0.05
    if not np.any(small):
        return np.log1p(x) / x
    inside, safe = np.where(small, x, 0.0), np.where(small, 1.0, x)
    series = power_series([(-1.0) ** n / (n + 1) for n in range(16)], inside)
    return np.where(small, series, np.log1p(safe) / safe)


def log1prel_dx(x: Any) -> Any:
    """The derivative of ``log(1 + x) / x``; -1/2 at 0."""
    small = np.abs(x) < 0.05
    inside, safe = np.where(small, x, 0.0), np.where(small, 1.0, x)
    return np.where(small, power_series(_LOG1PREL, inside), (1.0 / (1.0 + safe) - np.log1p(safe) / safe) / safe)


def ratio(a: Any, b: Any) -> Any:
    """``a / b``, where both are 0 0: the function is 0 for all ``b`` there."""
    return a / np.where(np.equal(a, 0) & np.equal(b, 0), 1.0, b)


def _log_ratio(x: Any, y: Any) -> Any:
    """``log(x / y)``, with its limit where ``x`` is 0."""
    if not has_zero(y):
        return np.log(x) - np.log(y)
    return (
        np.log(x)
        - np.where(np.equal(x, 0) & np.equal(y, 0), 0.0, np.log(np.where(np.equal(y, 0), 1.0, y)))
        + (np.where(np.equal(y, 0) & np.greater(x, 0), np.inf, 0.0))
    )


def _boxcox_dlambda(log_x: Any, lam: Any) -> Any:
    """``(x^lam - 1)/lam = L exprel(lam L)`` with ``L = log x``, of which at ``x = 0`` ``-1/lam`` is left."""
    empty = np.isneginf(log_x)
    safe = np.where(empty, 0.0, log_x)
    u = lam * safe
    return np.where(empty, 1.0 / np.square(np.where(empty, lam, 1.0)), safe * safe * exprel_dx(sp.exprel(u), u))


def _inverse_boxcox_dlambda(x: Any, y: Any, lam: Any) -> Any:
    """``x = exp(y log(1 + lam y)/(lam y))``."""
    return x * y * y * log1prel_dx(lam * y)


def _huber_ddelta(y: Any, delta: Any, r: Any) -> Any:
    size = np.abs(r)
    return np.where(size <= delta, 0.0, size - delta)


def _pseudo_huber_dr(y: Any, delta: Any, r: Any) -> Any:
    flat = np.equal(delta, 0)
    return np.where(flat, 0.0, r / np.hypot(1.0, r / np.where(flat, 1.0, delta)))


def _pseudo_huber_ddelta(y: Any, delta: Any, r: Any) -> Any:
    flat = np.equal(delta, 0)
    u = r / np.where(flat, 1.0, delta)
    s = np.hypot(1.0, u)
    # 2 delta (s - 1) - r^2/(delta s), which cancels, is delta u^4 / (s (1 + s)^2).
    return np.where(flat, np.abs(r), delta * s * np.square(np.square(u / s) * s / (1.0 + s)))


f: Any
partials: Any
for f, *partials in [  # holomorphic
    (sp.expm1, lambda y, x: np.exp(x)),
    (sp.log1p, lambda y, x: np.true_divide(1, 1 + x)),
    (sp.xlogy, lambda y, a, b: np.log(b), lambda y, a, b: ratio(a, b)),
    (sp.xlog1py, lambda y, a, b: np.log1p(b), lambda y, a, b: ratio(a, 1.0 + b)),
]:
    scalar_rule(f, *partials)

for f, *partials in [
    (sp.expit, lambda y, x: y * sp.expit(-x)),
    (sp.log_expit, lambda y, x: sp.expit(-x)),
    (sp.logit, lambda y, x: np.true_divide(1.0, x * (1.0 - x))),
    (sp.exprel, exprel_dx),
    (sp.cosm1, lambda y, x: -np.sin(x)),
    (sp.exp2, lambda y, x: _LN2 * y),
    (sp.exp10, lambda y, x: _LN10 * y),
    (sp.cbrt, lambda y, x: np.true_divide(1, 3 * y * y)),
    (sp.powm1, lambda y, x, p: power_dx(y + 1.0, x, p), lambda y, x, p: power_dp(y + 1.0, x, p)),
    (sp.sindg, lambda y, x: _DEGREE * sp.cosdg(x)),
    (sp.cosdg, lambda y, x: -_DEGREE * sp.sindg(x)),
    (sp.tandg, lambda y, x: _DEGREE * (1.0 + y * y)),
    (sp.cotdg, lambda y, x: -_DEGREE * (1.0 + y * y)),
    (sp.radian, _DEGREE, _DEGREE / 60.0, _DEGREE / 3600.0),
    (sp.round, 0),
    (sp.entr, lambda y, x: np.where(np.less(x, 0), 0.0, -1.0 - np.log(np.where(np.less(x, 0), 1.0, x)))),
    (sp.rel_entr, lambda z, x, y: 1.0 + _log_ratio(x, y), lambda z, x, y: -ratio(x, y)),
    (sp.kl_div, lambda z, x, y: _log_ratio(x, y), lambda z, x, y: 1.0 - ratio(x, y)),
    (sp.huber, _huber_ddelta, lambda y, delta, r: np.clip(r, -delta, delta)),
    (sp.pseudo_huber, _pseudo_huber_ddelta, _pseudo_huber_dr),
    (sp.boxcox, lambda y, x, p: np.power(x, p - 1.0), lambda y, x, p: _boxcox_dlambda(np.log(x), p)),
    (sp.boxcox1p, lambda y, x, p: np.power(1.0 + x, p - 1.0), lambda y, x, p: _boxcox_dlambda(np.log1p(x), p)),
    (
        sp.inv_boxcox,
        lambda x, y, p: x / (1.0 + p * y),
        _inverse_boxcox_dlambda,
    ),
    (
        sp.inv_boxcox1p,
        lambda x, y, p: (1.0 + x) / (1.0 + p * y),
        lambda x, y, p: _inverse_boxcox_dlambda(1.0 + x, y, p),
    ),
]:
    scalar_rule(f, *partials, real=True)
