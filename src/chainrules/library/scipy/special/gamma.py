"""The gamma function and what is made of it: beta, binomial coefficients, polygamma."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
from scipy import special as sp  # type: ignore[import-untyped]

from ....derived import is_complex
from ....rules import rrule
from ....scalar import scalar_rule
from ....tangents import NotImplementedDerivative, Thunk
from ...numpy.shared import leading
from .shared import missing, power_series


def at_pole(z: Any) -> Any:
    """Where the gamma function is infinite: 0, -1, -2 ..."""
    return np.less_equal(z, 0) & np.equal(z, np.floor(z))


def inverse_slope(z: Any) -> Any:
    """``-digamma(z) / gamma(z)``, the derivative of ``1/gamma``: entire, ``(-1)^n n!`` at ``-n``.

    >>> float(inverse_slope(-3.0)), float(inverse_slope(0.0))
    (-6.0, 1.0)
    """
    if np.iscomplexobj(z):
        return -sp.digamma(z) * sp.rgamma(z)
    pole = at_pole(z)
    n = np.where(pole, -z, 0.0)
    safe = np.where(pole, 1.0, z)
    return np.where(pole, np.cos(math.pi * n) * sp.gamma(n + 1.0), -sp.digamma(safe) * sp.rgamma(safe))


def _inverse_curvature(z: Any) -> Any:
    """The second derivative of ``1/gamma``: ``-2 (-1)^n n! digamma(n + 1)`` at ``-n``."""
    pole = at_pole(z)
    n = np.where(pole, -z, 0.0)
    safe = np.where(pole, 1.0, z)
    limit = -2.0 * np.cos(math.pi * n) * sp.gamma(n + 1.0) * sp.digamma(n + 1.0)
    return np.where(pole, limit, sp.rgamma(safe) * (sp.digamma(safe) ** 2 - sp.zeta(2.0, safe)))


def _inverse_third(z: Any) -> Any:
    """The third derivative of ``1/gamma``: ``(-1)^n n! (3 (trigamma + digamma^2)(n + 1) - pi^2)`` at ``-n``."""
    pole = at_pole(z)
    n = np.where(pole, -z, 0.0)
    safe = np.where(pole, 1.0, z)
    squares = sp.zeta(2.0, n + 1.0) + sp.digamma(n + 1.0) ** 2
    limit = np.cos(math.pi * n) * sp.gamma(n + 1.0) * (3.0 * squares - math.pi**2)
    first, second, third = sp.digamma(safe), sp.zeta(2.0, safe), -2.0 * sp.zeta(3.0, safe)
    return np.where(pole, limit, -sp.rgamma(safe) * (first**3 - 3.0 * first * second + third))


def _inverse_fourth(y: Any, z: Any) -> Any:
    if np.any(at_pole(z)):
        raise NotImplementedDerivative("the fourth derivative of scipy.special.rgamma where it is 0 is not implemented")
    first, second, third, fourth = sp.digamma(z), sp.zeta(2.0, z), -2.0 * sp.zeta(3.0, z), 6.0 * sp.zeta(4.0, z)
    return sp.rgamma(z) * (first**4 - 6.0 * first**2 * second + 4.0 * first * third + 3.0 * second**2 - fourth)


# B_2j / (2j)!
_BERNOULLI = (1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160, -691 / 1307674368000, 1 / 74724249600)
_STEPS = 10_000


def complex_zeta(s: int, z: Any) -> Any:
    """``sum_k (z + k)^-s`` of complex ``z``, which SciPy lacks, for integers ``s > 1``: the Euler-Maclaurin formula.

    Source: https://dlmf.nist.gov/25.11.E7

    >>> print(f"{complex_zeta(2, 1.0 + 0j).real:.12f}")  # pi^2 / 6
    1.644934066848
    """
    z = np.asarray(z)
    found, z = np.zeros(z.shape, complex), z.astype(complex)
    steps = math.ceil(max(0.0, 16.0 + s - float(np.min(z.real, initial=16.0 + s))))
    if steps > _STEPS:
        raise NotImplementedDerivative(
            "the derivative of scipy.special.digamma of complex numbers this far on the left is not implemented"
        )
    with np.errstate(all="ignore"):
        for k in range(steps):
            found += (z + k) ** -s
        far = z + steps
        found += far ** (1 - s) / (s - 1) + 0.5 * far**-s
        term = s * far ** (-s - 1)
        for j, number in enumerate(_BERNOULLI):
            found += number * term
            term = term * ((s + 2 * j + 1) * (s + 2 * j + 2)) / far**2
    return found[()]


def _psi_quotient(y: Any, z: Any, others: Any) -> Any:
    """``y digamma(z)`` for ``y = others() / gamma(z)``: finite where both factors are not."""
    pole = at_pole(z)
    if not np.any(pole):
        return y * sp.digamma(z)
    return np.where(pole, -others() * inverse_slope(z), y * sp.digamma(np.where(pole, 1.0, z)))


def _binom_dn(y: Any, n: Any, k: Any) -> Any:
    rest = _psi_quotient(y, n - k + 1.0, lambda: sp.poch(k + 1.0, n - k))
    return y * sp.digamma(n + 1.0) - rest


def _binom_dk(y: Any, n: Any, k: Any) -> Any:
    return _psi_quotient(y, n - k + 1.0, lambda: sp.poch(k + 1.0, n - k)) - _psi_quotient(
        y, k + 1.0, lambda: sp.poch(n - k + 1.0, k)
    )


scalar_rule(inverse_slope, lambda y, z: _inverse_curvature(z), real=True)
scalar_rule(_inverse_curvature, lambda y, z: _inverse_third(z), real=True)
scalar_rule(_inverse_third, _inverse_fourth, real=True)
f: Any
partials: Any
# Holomorphic.
# B_2j, the coefficients of the asymptotic series; of more than 10 its 8 terms are exact to rounding.
_TRIGAMMA = [1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510]


def trigamma(x: Any) -> Any:
    """The derivative of digamma, ``zeta(2, x)``, several times as fast for positive numbers.

    Source: Abramowitz and Stegun 6.4.6, 6.4.12.

    >>> np.isclose(trigamma(1.0), np.pi**2 / 6, rtol=1e-15, atol=0.0)
    np.True_
    """
    if type(x) is not np.ndarray or x.dtype != np.float64 or not x.size or not x.min() > 1e-100:
        return sp.zeta(2.0, x)
    n = x + 10.0
    r = 1.0 / n
    q = r * r
    total = r * (1.0 + 0.5 * r + q * power_series(_TRIGAMMA, q))
    for k in range(10):
        n = x + float(k)
        total += 1.0 / (n * n)
    return total


scalar_rule(trigamma, lambda y, x: -2.0 * sp.zeta(3.0, x), real=True)
scalar_rule(sp.gamma, lambda y, x: y * sp.digamma(x))
scalar_rule(sp.rgamma, lambda y, x: inverse_slope(x))
scalar_rule(sp.loggamma, lambda y, x: sp.digamma(x))
scalar_rule(sp.digamma, lambda y, x: complex_zeta(2, x) if is_complex(x) else trigamma(x))
scalar_rule(complex_zeta, 0, lambda y, s, z: -s * complex_zeta(s + 1, z))

for f, *partials in [
    (sp.gammaln, lambda y, x: sp.digamma(x)),
    (sp.gammasgn, 0),
    (sp.polygamma, missing("polygamma", "its order"), lambda y, n, x: sp.polygamma(np.add(n, 1), x)),
    (
        sp.beta,
        lambda y, a, b: y * (sp.digamma(a) - sp.digamma(a + b)),
        lambda y, a, b: y * (sp.digamma(b) - sp.digamma(a + b)),
    ),
    (
        sp.betaln,
        lambda y, a, b: sp.digamma(a) - sp.digamma(a + b),
        lambda y, a, b: sp.digamma(b) - sp.digamma(a + b),
    ),
    (
        sp.poch,
        lambda y, z, m: y * (sp.digamma(z + m) - sp.digamma(z)),
        lambda y, z, m: y * sp.digamma(z + m),
    ),
    (sp.binom, _binom_dn, _binom_dk),
]:
    scalar_rule(f, *partials, real=True)


@rrule(sp.multigammaln)
@leading
def multigammaln_rule(a: Any, d: Any) -> Any:
    """``sum_j digamma(a - j/2)`` for ``j < d``."""
    y = sp.multigammaln(a, d)

    def a_bar(y_bar: Any) -> Any:
        halves = np.arange(int(d)) / 2.0
        return y_bar * np.sum(sp.digamma(np.expand_dims(np.asarray(a), -1) - halves), axis=-1)

    return y, lambda y_bar: Thunk(a_bar, y_bar)


@rrule(sp.comb)
@partial(leading, active=2)
def comb_rule(N: Any, k: Any, *, exact: bool = False, repetition: bool = False) -> Any:
    """As the binomial coefficient that it is, where it is not 0 by definition; the exact ones are integers."""
    y = sp.comb(N, k, exact=exact, repetition=repetition)

    def comb_pullback(y_bar: Any) -> Any:
        if exact:
            return 0.0, 0.0
        n = np.add(N, k) - 1.0 if repetition else np.asarray(N, dtype=float)
        m = np.asarray(k, dtype=float)
        inside = (m <= n) & (n >= 0) & (m >= 0)
        n, m = np.where(inside, n, 1.0), np.where(inside, m, 0.0)
        value = sp.binom(n, m)
        dn = np.where(inside, _binom_dn(value, n, m), 0.0) * y_bar
        dk = np.where(inside, _binom_dk(value, n, m), 0.0) * y_bar
        return dn, dn + dk if repetition else dk

    return y, comb_pullback


@rrule(sp.perm)
@partial(leading, active=2)
def perm_rule(N: Any, k: Any, exact: bool = False) -> Any:
    """As ``poch(N - k + 1, k)``, where it is not 0 by definition; the exact ones are integers."""
    y = sp.perm(N, k, exact)

    def perm_pullback(y_bar: Any) -> Any:
        if exact:
            return 0.0, 0.0
        n, m = np.asarray(N, dtype=float), np.asarray(k, dtype=float)
        inside = (m <= n) & (n >= 0) & (m >= 0)
        n, m = np.where(inside, n, 1.0), np.where(inside, m, 0.0)
        scale = sp.poch(n - m + 1.0, m) * y_bar
        low = sp.digamma(n - m + 1.0)
        dn, dk = scale * (sp.digamma(n + 1.0) - low), scale * low
        return np.where(inside, dn, 0.0), np.where(inside, dk, 0.0)

    return y, perm_pullback


@rrule(sp.factorial)
@leading
def factorial_rule(n: Any, exact: bool = False, extend: str = "zero") -> Any:
    """``gamma(n + 1) digamma(n + 1)``; 0 below 0, where it is 0 by definition. The exact ones are integers."""
    y = sp.factorial(n, exact, extend)

    def n_bar(y_bar: Any) -> Any:
        if exact:
            return 0.0 * np.asarray(n)
        x = np.asarray(n) + 1.0
        if extend == "complex":
            return y_bar * np.conj(-(sp.gamma(x) ** 2) * inverse_slope(x))
        inside = x >= 1.0
        safe = np.where(inside, x, 1.0)
        return np.where(inside, sp.gamma(safe) * sp.digamma(safe), 0.0) * y_bar

    return y, lambda y_bar: Thunk(n_bar, y_bar)
