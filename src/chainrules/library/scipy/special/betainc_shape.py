"""The regularised incomplete beta function's derivatives with respect to its parameters.

As for the gamma function: with the density ``f`` and the score ``w(t) = log t - digamma(a) + digamma(a+b)``, ``dI/da``
is the integral of ``f w`` from 0 to x, or minus the one from x to 1, whichever has one sign. In ``u = log(t/(1-t))``
the integrand is log-concave, with tails ``e^(a u)`` and ``e^(-b u)``. A parameter below 2 makes its tail long; the
recurrences
``I(a, b) = I(a+1, b) + x^a (1-x)^b / (a B(a, b)) = I(a, b+1) - x^a (1-x)^b / (b B(a, b))`` raise it, where the
derivatives of both terms have the same sign. Then Gauss-Legendre quadrature is exact to rounding.

x is given by its logit u, so that neither end is rounded away; the derivative with respect to b is ``-dI/da`` of ``(b,
a, -u)``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special as sp  # type: ignore[import-untyped]

from ....scalar import scalar_rule
from .shared import by_elements, gauss_legendre, missing

_NODES, _WEIGHTS = gauss_legendre(48)
_DEPTH = 41.0  # what lies e^-41 below the largest value is left out


def _log1p_slide(z: Any, rest: Any, s: Any) -> Any:
    """``log(1 + z (e^-s - 1))`` with ``rest = 1 - z``."""
    direct = np.log1p(z * np.expm1(-s))
    return np.where((z > 0.5) & (s > 0.5), np.log(rest + z * np.exp(-s)), direct)


def _weight(kind: str, a: Any, b: Any, log_t: Any, log_1t: Any) -> Any:
    """The derivative of the density, divided by it."""
    both = sp.digamma(a + b)
    w = log_t - sp.digamma(a) + both
    if kind == "a":
        return w
    if kind == "aa":
        return w * w - sp.zeta(2.0, a) + sp.zeta(2.0, a + b)
    return w * (log_1t - sp.digamma(b) + both) + sp.zeta(2.0, a + b)


def _quadrature(kind: str, a: Any, b: Any, log_x: Any, log_y: Any, up: bool) -> Any:
    tail, log_z, log_rest = (b, log_y, log_x) if up else (a, log_x, log_y)
    z, rest, total = np.exp(log_z), np.exp(log_rest), a + b
    # At a distance s from the logit of x the logarithm falls by  tail s + (a + b) log(1 + z (e^-s - 1)), convex.
    s = (_DEPTH - total * log_rest) / tail
    for _ in range(14):
        fall = tail * s + total * _log1p_slide(z, rest, s)
        slope = tail - total * z * np.exp(-s) / (rest + z * np.exp(-s))
        s = s - (fall - _DEPTH) / slope
    s = s[:, None]
    nodes = s * _NODES
    slide = _log1p_slide(z[:, None], rest[:, None], nodes)
    log_near, log_far = log_z[:, None] - nodes - slide, log_rest[:, None] - slide
    log_t, log_1t = (log_far, log_near) if up else (log_near, log_far)
    a_, b_ = a[:, None], b[:, None]
    fall = tail[:, None] * nodes + total[:, None] * slide
    sums = (np.exp(-fall) * _weight(kind, a_, b_, log_t, log_1t)) @ _WEIGHTS
    scale = np.exp(a * log_x + b * log_y - sp.betaln(a, b))
    return (-1.0 if up else 1.0) * scale * s[:, 0] * sums


def _step(kind: str, a: Any, b: Any, log_x: Any, log_y: Any, up: bool) -> Any:
    """The derivative of what a recurrence adds."""
    both = sp.digamma(a + b)
    w_a, w_b = log_x - sp.digamma(a) + both, log_y - sp.digamma(b) + both
    w_aa, w_ab = sp.zeta(2.0, a + b) - sp.zeta(2.0, a), sp.zeta(2.0, a + b)
    if up:
        term = -np.exp(a * log_x + b * log_y - sp.betaln(a, b)) / b
        w_b = w_b - 1.0 / b
    else:
        term = np.exp(a * log_x + b * log_y - sp.betaln(a, b)) / a
        w_a = log_x - sp.digamma(a + 1.0) + both
        w_aa = sp.zeta(2.0, a + b) - sp.zeta(2.0, a + 1.0)
        # d/da of -1/a - digamma(a) is 1/a^2 - trigamma(a), which is -trigamma(a + 1)
    return term * {"a": lambda: w_a, "aa": lambda: w_a * w_a + w_aa, "ab": lambda: w_a * w_b + w_ab}[kind]()


def _one_side(kind: str, a: Any, b: Any, log_x: Any, log_y: Any, up: bool) -> Any:
    steps = np.zeros(a.shape)
    for _ in range(2):
        short = (b if up else a) < 2.0
        if short.any():
            steps[short] += _step(kind, a[short], b[short], log_x[short], log_y[short], up)
            a, b = (a, b + short) if up else (a + short, b)
    return steps + _quadrature(kind, a, b, log_x, log_y, up)


def _by_parameter(kind: str, a: Any, b: Any, u: Any) -> Any:
    log_x, log_y = sp.log_expit(u), sp.log_expit(-u)
    y = np.full(a.shape, np.nan)
    in_domain = (a > 0) & (b > 0) & np.isfinite(a) & np.isfinite(b)
    y[in_domain & np.isinf(u)] = 0.0
    in_domain &= np.isfinite(u)
    raised = np.where(a < 2.0, a + 1.0, a)  # see above: what is added is negative there
    down = in_domain & (log_x <= sp.digamma(raised) - sp.digamma(raised + b))
    for part, up in [(down, False), (in_domain & ~down, True)]:
        if part.any():
            y[part] = _one_side(kind, a[part], b[part], log_x[part], log_y[part], up)
    return y


@by_elements
def beta_da(a: Any, b: Any, u: Any) -> Any:
    """``d betainc(a, b, expit(u)) / da``.

    >>> float(round(beta_da(2.0, 3.0, sp.logit(0.4)), 12))
    -0.240869376088
    """
    return _by_parameter("a", a, b, u)


@by_elements
def beta_daa(a: Any, b: Any, u: Any) -> Any:
    """``d^2 betainc(a, b, expit(u)) / da^2``."""
    return _by_parameter("aa", a, b, u)


@by_elements
def beta_dab(a: Any, b: Any, u: Any) -> Any:
    """``d^2 betainc(a, b, expit(u)) / da db``."""
    return _by_parameter("ab", a, b, u)


def logit_score(kind: str, a: Any, b: Any, u: Any) -> Any:
    """The derivative with respect to u of what is above: 0 at the ends."""
    ends = np.isinf(u)
    inside = np.where(ends, 0.0, u)
    log_x, log_y = sp.log_expit(inside), sp.log_expit(-inside)
    score = np.exp(a * log_x + b * log_y - sp.betaln(a, b)) * _weight(kind, a, b, log_x, log_y)
    return np.where(ends, 0.0, score)


_THIRD = (missing("betainc", "its parameters, of third order,"),) * 2

scalar_rule(
    beta_da, lambda y, a, b, u: beta_daa(a, b, u), lambda y, a, b, u: beta_dab(a, b, u),
    lambda y, a, b, u: logit_score("a", a, b, u), real=True,
)  # fmt: skip
scalar_rule(beta_daa, *_THIRD, lambda y, a, b, u: logit_score("aa", a, b, u), real=True)
scalar_rule(beta_dab, *_THIRD, lambda y, a, b, u: logit_score("ab", a, b, u), real=True)


def betainc_da(a: Any, b: Any, x: Any) -> Any:
    """``d betainc(a, b, x) / da``."""
    return beta_da(a, b, sp.logit(x))


def betainc_db(a: Any, b: Any, x: Any) -> Any:
    """``d betainc(a, b, x) / db``."""
    return -beta_da(b, a, -sp.logit(x))


def density(a: Any, b: Any, x: Any) -> Any:
    """``x^(a-1) (1-x)^(b-1) / B(a, b)``, the derivative of ``betainc(a, b, x)`` by x."""
    return np.exp(sp.xlogy(a - 1.0, x) + sp.xlog1py(b - 1.0, -x) - sp.betaln(a, b))
