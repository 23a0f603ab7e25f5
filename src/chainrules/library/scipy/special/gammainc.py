"""Incomplete gamma functions, their inverses, and the distributions that they are: gamma, chi-squared, Poisson.

The inverses by the implicit function theorem: where ``F(a, x) = p``, ``dx/dp = 1/F_x`` and ``dx/da = -F_a/F_x``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special as sp  # type: ignore[import-untyped]

from ....scalar import scalar_rule
from .gammainc_shape import density, gammainc_da


def inverse_da(a: Any, x: Any) -> Any:
    """``dx/da`` where ``gammainc(a, x)`` is held; 0 where x is 0 up to underflow."""
    empty = np.equal(x, 0)
    safe = np.where(empty, 1.0, x)
    return np.where(empty, 0.0, -gammainc_da(a, safe) / density(a, safe))


def poisson(m: Any, k: Any) -> Any:
    """``e^-m m^k / k!`` with k rounded down, as the distribution function rounds it."""
    k = np.floor(k)
    return np.exp(sp.xlogy(k, m) - m - sp.gammaln(k + 1.0))


f: Any
partials: Any
for f, *partials in [
    (sp.gammainc, lambda y, a, x: gammainc_da(a, x), lambda y, a, x: density(a, x)),
    (sp.gammaincc, lambda y, a, x: -gammainc_da(a, x), lambda y, a, x: -density(a, x)),
    (sp.gammaincinv, lambda x, a, p: inverse_da(a, x), lambda x, a, p: np.true_divide(1.0, density(a, x))),
    (sp.gammainccinv, lambda x, a, q: inverse_da(a, x), lambda x, a, q: np.true_divide(-1.0, density(a, x))),
    # chdtr(v, x) = gammainc(v/2, x/2)
    (
        sp.chdtr,
        lambda y, v, x: 0.5 * gammainc_da(0.5 * v, 0.5 * x),
        lambda y, v, x: 0.5 * density(0.5 * v, 0.5 * x),
    ),
    (
        sp.chdtrc,
        lambda y, v, x: -0.5 * gammainc_da(0.5 * v, 0.5 * x),
        lambda y, v, x: -0.5 * density(0.5 * v, 0.5 * x),
    ),
    (
        sp.chdtri,
        lambda x, v, q: inverse_da(0.5 * v, 0.5 * x),
        lambda x, v, q: -2.0 / density(0.5 * v, 0.5 * x),
    ),
    (
        sp.chdtriv,
        lambda v, p, x: 2.0 / gammainc_da(0.5 * v, 0.5 * x),
        lambda v, p, x: -density(0.5 * v, 0.5 * x) / gammainc_da(0.5 * v, 0.5 * x),
    ),
    # gdtr(b, a, x) = gammainc(a, b x): the rate, the shape
    (
        sp.gdtr,
        lambda y, b, a, x: x * density(a, b * x),
        lambda y, b, a, x: gammainc_da(a, b * x),
        lambda y, b, a, x: b * density(a, b * x),
    ),
    (
        sp.gdtrc,
        lambda y, b, a, x: -x * density(a, b * x),
        lambda y, b, a, x: -gammainc_da(a, b * x),
        lambda y, b, a, x: -b * density(a, b * x),
    ),
    (
        sp.gdtria,
        lambda b, p, a, x: 1.0 / (x * density(a, b * x)),
        lambda b, p, a, x: inverse_da(a, b * x) / x,
        lambda b, p, a, x: -b / x,
    ),
    (
        sp.gdtrib,
        lambda a, b, p, x: -x * density(a, b * x) / gammainc_da(a, b * x),
        lambda a, b, p, x: 1.0 / gammainc_da(a, b * x),
        lambda a, b, p, x: -b * density(a, b * x) / gammainc_da(a, b * x),
    ),
    (
        sp.gdtrix,
        lambda x, b, a, p: -x / b,
        lambda x, b, a, p: inverse_da(a, b * x) / b,
        lambda x, b, a, p: 1.0 / (b * density(a, b * x)),
    ),
    # pdtr(k, m) = gammaincc(floor(k) + 1, m)
    (sp.pdtr, 0, lambda y, k, m: -poisson(m, k)),
    (sp.pdtrc, 0, lambda y, k, m: poisson(m, k)),
    (sp.pdtri, 0, lambda m, k, y: -1.0 / poisson(m, k)),
    # where gammaincc(k + 1, m) = p, for real k
    (
        sp.pdtrik,
        lambda k, p, m: -1.0 / gammainc_da(k + 1.0, m),
        lambda k, p, m: -density(k + 1.0, m) / gammainc_da(k + 1.0, m),
    ),
]:
    scalar_rule(f, *partials, real=True)
