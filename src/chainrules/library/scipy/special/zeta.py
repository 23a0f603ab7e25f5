"""The zeta functions of Riemann and Hurwitz, polygamma functions of any order."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
from scipy import special as sp  # type: ignore[import-untyped]

from ....derived import chain
from ....rules import rrule
from ....scalar import scalar_rule
from ....tangents import NotImplementedTangent, Thunk
from ...numpy.shared import as_array, leading, refuse
from .shared import by_elements, missing

_DIRECT = np.arange(12.0)
# B_2j / (2j)! for j = 1, 2, ...
_BERNOULLI = [float(b / math.factorial(2 * j)) for j, b in enumerate(sp.bernoulli(24)[2::2], 1)]


def _moments(s: Any, q: Any) -> tuple[Any, Any]:
    """The first two derivatives of ``zeta(s, q)`` by s, by the Euler-Maclaurin formula, term by term."""
    log_near = np.log(q[:, None] + _DIRECT)
    terms = np.exp(-s[:, None] * log_near)
    first, second = -np.sum(log_near * terms, axis=1), np.sum(log_near * log_near * terms, axis=1)
    n = q + len(_DIRECT)
    log, r = np.log(n), 1.0 / (s - 1.0)
    tail = np.exp(-s * log)
    first = first - n * tail * r * (log + r) - 0.5 * log * tail
    second = second + n * tail * r * (log * log + 2.0 * r * (log + r)) + 0.5 * log * log * tail
    # the product s (s+1) ... (s+2j-2) and its derivatives
    p, dp, ddp, power = s, np.ones_like(s), np.zeros_like(s), tail / n
    for j, b in enumerate(_BERNOULLI, 1):
        first = first + b * power * (dp - p * log)
        second = second + b * power * (ddp - 2.0 * dp * log + p * log * log)
        for k in (2 * j - 1, 2 * j):
            p, dp, ddp = p * (s + k), dp * (s + k) + p, ddp * (s + k) + 2.0 * dp
        power = power / (n * n)
    return first, second


@by_elements
def zeta_ds(s: Any, q: Any) -> Any:
    """``d zeta(s, q) / ds`` for ``q > 0``.

    >>> float(round(zeta_ds(2.0, 1.0), 12))
    -0.937548254316
    """
    return _moments(s, q)[0]


@by_elements
def zeta_dss(s: Any, q: Any) -> Any:
    """``d^2 zeta(s, q) / ds^2`` for ``q > 0``."""
    return _moments(s, q)[1]


def riemann_ds(y: Any, s: Any) -> Any:
    """The derivative of ``zeta(s)``; left of 0 by ``zeta(s) = 2^s pi^(s-1) sin(pi s/2) gamma(1-s) zeta(1-s)``."""
    left = np.less(s, 0)
    safe = np.where(left, 2.0, s)
    right = zeta_ds(safe, 1.0)
    if not np.any(left):
        return right
    t = np.where(left, s, -1.0)
    scale = np.exp(t * math.log(2.0) + (t - 1.0) * math.log(math.pi)) * sp.gamma(1.0 - t)
    mirrored = sp.zeta(1.0 - t, 1.0)
    inner = mirrored * (math.log(2.0 * math.pi) - sp.digamma(1.0 - t)) - zeta_ds(1.0 - t, 1.0)
    # sin(pi t/2) by its degree, exact at the zeros
    return np.where(left, scale * (sp.sindg(90.0 * t) * inner + 0.5 * math.pi * sp.cosdg(90.0 * t) * mirrored), right)


scalar_rule(
    zeta_ds,
    lambda y, s, q: zeta_dss(s, q),
    lambda y, s, q: -sp.zeta(s + 1.0, q) - s * zeta_ds(s + 1.0, q),
    real=True,
)
scalar_rule(
    zeta_dss,
    missing("zeta", "its first argument, of third order,"),
    lambda y, s, q: -2.0 * zeta_ds(s + 1.0, q) - s * zeta_dss(s + 1.0, q),
    real=True,
)
scalar_rule(sp.zetac, riemann_ds, real=True)


@rrule(sp.zeta)
@partial(leading, active=3)
def zeta_rule(x: Any, q: Any = None, out: Any = None) -> Any:
    """``-x zeta(x+1, q)`` by the second argument; by the first as `zeta_ds`."""
    refuse("scipy.special.zeta", out=out)
    x, q = (as_array(a) if isinstance(a, (list, tuple)) else a for a in (x, q))
    y = sp.zeta(x, q)
    if np.iscomplexobj(x):
        lost = NotImplementedTangent("the derivative of scipy.special.zeta of complex numbers is not implemented")
        return y, lambda y_bar: (lost, None, None)
    if q is None:
        return y, lambda y_bar: (Thunk(lambda: chain(riemann_ds(y, x), y_bar)), None, None)
    return y, lambda y_bar: (
        Thunk(lambda: chain(zeta_ds(x, q), y_bar)),
        Thunk(lambda: chain(-x * sp.zeta(x + 1.0, q), y_bar)),
        None,
    )
