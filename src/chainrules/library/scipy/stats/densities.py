"""What is known of each continuous distribution, in its standard form: ``loc`` 0 and ``scale`` 1.

A density is stated by its scores, the derivatives of its logarithm, and a distribution function by its derivatives with
respect to the shapes; that with respect to ``z`` is the density. All the rest is the same for all (`continuous`).

Source: Johnson, Kotz, Balakrishnan, Continuous Univariate Distributions, 1994; the parametrisation is SciPy's.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special as sp  # type: ignore[import-untyped]
from scipy import stats as st

from ....products import strong_mul
from ....scalar import missing_partial, scalar_rule
from ..special import noncentral
from ..special.betainc import _f_score, _f_score_n, _t_score, f_dm, f_dn, t_dv
from ..special.betainc_shape import betainc_da, betainc_db
from ..special.errors import hazard
from ..special.gammainc_shape import gammainc_da
from ..special.noncentral_tails import ncx2_log_dz
from ..special.shared import by_elements, gauss_legendre, over, power_series

Formula = Callable[..., Any]
_NODES, _WEIGHTS = gauss_legendre(64)


@dataclass(frozen=True, slots=True)
class Density:
    """The derivatives of a continuous distribution.

    Attributes:
        score: the derivative of the logarithm of the density with respect to ``z``, of ``(z, *shapes)``.
        shape_scores: that with respect to each shape.
        flows: the derivatives of the distribution function F with respect to each shape, of ``(p, r, z, *shapes)``:
            where ``p`` is ``r`` times the density, ``r`` times the derivative. With ``r = 1/F`` they are those of
            log F, and formulas in ``p`` keep their digits where F is tiny.
        inside: a point of the support; it stands in for those outside.
    """

    score: Formula
    shape_scores: tuple[Formula, ...] = ()
    flows: tuple[Formula, ...] = ()
    inside: float = 0.5


def both_finite(degrees: Any, value: Any, limit: Any) -> Any:
    """``value``, or ``limit`` where there are infinitely many degrees of freedom."""
    return np.where(np.isinf(degrees), limit, value)


# -- the generalised extreme value distribution: with u = -log(1 - c z)/c the density is exp(-exp(-u) - (1 - c) u)


def _gev_u(z: Any, c: Any) -> Any:
    t = c * z
    small = np.equal(t, 0)
    return np.where(small, z, -np.log1p(-t) / np.where(small, 1.0, c))


def _gev_flow(z: Any, c: Any) -> Any:
    """``(1-t) du/dc = z^2 ((1-t) log(1-t) + t) / t^2`` with ``t = c z``; near 0 by ``(1-t) sum (n+1)/(n+2) t^n``."""
    t = c * z
    small = np.abs(t) < 0.02
    near, far = np.where(small, t, 0.0), np.where(small, 0.5, t)
    series = power_series([(n + 1.0) / (n + 2.0) for n in range(10)], near)
    return z * z * np.where(small, (1.0 - t) * series, (sp.xlogy(1.0 - far, 1.0 - far) + far) / (far * far))


def _gev_score(z: Any, c: Any) -> Any:
    return (np.exp(-_gev_u(z, c)) - (1.0 - c)) / (1.0 - c * z)


def _gev_shape(z: Any, c: Any) -> Any:
    u = _gev_u(z, c)
    return u + (np.exp(-u) - (1.0 - c)) * _gev_flow(z, c) / (1.0 - c * z)


# -- the inverse Gaussian


def _invgauss_flow(p: Any, r: Any, z: Any, mu: Any) -> Any:
    """``-2/mu^2 exp(2/mu) Phi(-(z/mu + 1)/sqrt(z))``: the other two terms cancel."""
    return strong_mul(r, -2.0 / (mu * mu) * np.exp(2.0 / mu + sp.log_ndtr(-(z / mu + 1.0) / np.sqrt(z))))


# -- von Mises


def bessel_ratio(kappa: Any) -> Any:
    """``I_1/I_0``."""
    return sp.i1e(kappa) / sp.i0e(kappa)


def _cosines(z: Any, kappa: Any, moment: Formula) -> Any:
    """The integral from 0 to ``z`` of the density times ``moment(cos t - I_1/I_0)``; over whole turns it is 0."""
    z = z - 2.0 * math.pi * np.round(z / (2.0 * math.pi))
    t = np.clip(z, -10.0 / np.sqrt(kappa), 10.0 / np.sqrt(kappa))  # beyond there is nothing
    angles = t[:, None] * _NODES
    density = np.exp(kappa[:, None] * sp.cosm1(angles)) / (2.0 * math.pi * sp.i0e(kappa)[:, None])
    return t * ((density * moment(np.cos(angles) - bessel_ratio(kappa)[:, None])) @ _WEIGHTS)


@by_elements
def vonmises_dk(z: Any, kappa: Any) -> Any:
    """The derivative of the von Mises distribution function with respect to the concentration.

    >>> float(round(vonmises_dk(1.0, 2.0), 8))
    0.06962859
    """
    return _cosines(z, kappa, lambda c: c)


@by_elements
def vonmises_dkk(z: Any, kappa: Any) -> Any:
    """The second derivative of the von Mises distribution function with respect to the concentration."""
    return _cosines(z, kappa, lambda c: c * c - _ratio_slope(kappa)[:, None])


def _ratio_slope(kappa: Any) -> Any:
    return 0.5 * (1.0 + sp.ive(2.0, kappa) / sp.i0e(kappa)) - bessel_ratio(kappa) ** 2


def _vonmises_weight(z: Any, kappa: Any) -> Any:
    return np.exp(kappa * sp.cosm1(z)) / (2.0 * math.pi * sp.i0e(kappa)) * (np.cos(z) - bessel_ratio(kappa))


def _vonmises_curve(z: Any, kappa: Any) -> Any:
    c = np.cos(z) - bessel_ratio(kappa)
    return np.exp(kappa * sp.cosm1(z)) / (2.0 * math.pi * sp.i0e(kappa)) * (c * c - _ratio_slope(kappa))


_THIRD = missing_partial("the third derivative of scipy.stats.vonmises.cdf with respect to kappa is not implemented")
scalar_rule(vonmises_dk, lambda y, z, k: _vonmises_weight(z, k), lambda y, z, k: vonmises_dkk(z, k), real=True)
scalar_rule(vonmises_dkk, lambda y, z, k: _vonmises_curve(z, k), _THIRD, real=True)


# -- truncated normal: a bound takes away what the density is there


def _truncnorm_at(z: Any, a: Any, b: Any) -> Any:
    return st.truncnorm.pdf(z, a, b)


DENSITIES: dict[type, Density] = {
    type(st.norm): Density(lambda z: -z),
    type(st.expon): Density(lambda z: -np.ones_like(z)),
    type(st.laplace): Density(lambda z: -np.sign(z)),
    type(st.cauchy): Density(lambda z: -2.0 * z / (1.0 + z * z)),
    type(st.logistic): Density(lambda z: -np.tanh(0.5 * z)),
    type(st.gumbel_r): Density(lambda z: np.exp(-z) - 1.0),
    type(st.gumbel_l): Density(lambda z: 1.0 - np.exp(z)),
    type(st.uniform): Density(lambda z: np.zeros_like(z)),
    type(st.halfnorm): Density(lambda z: -z),
    type(st.rayleigh): Density(lambda z: 1.0 / z - z),
    type(st.t): Density(
        lambda z, v: both_finite(v, -(v + 1.0) * z / (v + z * z), -z),
        (lambda z, v: both_finite(v, _t_score(v, z), 0.0),),
        (lambda p, r, z, v: both_finite(v, strong_mul(r, t_dv(v, z)), 0.0),),
    ),
    type(st.gamma): Density(
        lambda z, a: over(a - 1.0, z) - 1.0,
        (lambda z, a: np.log(z) - sp.digamma(a),),
        (lambda p, r, z, a: strong_mul(r, gammainc_da(a, z)),),
    ),
    type(st.chi2): Density(
        lambda z, v: over(0.5 * v - 1.0, z) - 0.5,
        (lambda z, v: 0.5 * (np.log(0.5 * z) - sp.digamma(0.5 * v)),),
        (lambda p, r, z, v: strong_mul(r, 0.5 * gammainc_da(0.5 * v, 0.5 * z)),),
    ),
    type(st.invgamma): Density(
        lambda z, a: (1.0 / z - (a + 1.0)) / z,
        (lambda z, a: -np.log(z) - sp.digamma(a),),
        (lambda p, r, z, a: strong_mul(r, -gammainc_da(a, 1.0 / z)),),
    ),
    type(st.beta): Density(
        lambda z, a, b: over(a - 1.0, z) - over(b - 1.0, 1.0 - z),
        (
            lambda z, a, b: np.log(z) - sp.digamma(a) + sp.digamma(a + b),
            lambda z, a, b: np.log1p(-z) - sp.digamma(b) + sp.digamma(a + b),
        ),
        (
            lambda p, r, z, a, b: strong_mul(r, betainc_da(a, b, z)),
            lambda p, r, z, a, b: strong_mul(r, betainc_db(a, b, z)),
        ),
    ),
    type(st.f): Density(
        lambda z, m, n: over(0.5 * m - 1.0, z) - 0.5 * (m + n) * m / (n + m * z),
        (lambda z, m, n: _f_score(m, n, z), lambda z, m, n: _f_score_n(m, n, z)),
        (lambda p, r, z, m, n: strong_mul(r, f_dm(m, n, z)), lambda p, r, z, m, n: strong_mul(r, f_dn(m, n, z))),
    ),
    type(st.lognorm): Density(
        lambda z, s: -(1.0 + np.log(z) / (s * s)) / z,
        (lambda z, s: (np.square(np.log(z) / s) - 1.0) / s,),
        (lambda p, r, z, s: -p * sp.xlogy(z, z) / s,),
    ),
    type(st.weibull_min): Density(
        lambda z, c: over(c - 1.0, z) - c * z ** (c - 1.0),
        (lambda z, c: 1.0 / c + np.log(z) * (1.0 - z**c),),
        (lambda p, r, z, c: p * sp.xlogy(z, z) / c,),
    ),
    type(st.weibull_max): Density(
        lambda z, c: c * (-z) ** (c - 1.0) - over(c - 1.0, -z),
        (lambda z, c: 1.0 / c + np.log(-z) * (1.0 - (-z) ** c),),
        (lambda p, r, z, c: -p * sp.xlogy(-z, -z) / c,),
        inside=-0.5,
    ),
    type(st.pareto): Density(
        lambda z, b: -(b + 1.0) / z,
        (lambda z, b: 1.0 / b - np.log(z),),
        (lambda p, r, z, b: p * sp.xlogy(z, z) / b,),
        inside=1.5,
    ),
    type(st.genextreme): Density(
        _gev_score,
        (_gev_shape,),
        (lambda p, r, z, c: p * _gev_flow(z, c),),
        inside=0.0,
    ),
    type(st.invgauss): Density(
        lambda z, mu: 0.5 * (1.0 / (z * z) - 1.0 / (mu * mu)) - 1.5 / z,
        (lambda z, mu: (z - mu) / mu**3,),
        (_invgauss_flow,),
    ),
    type(st.triang): Density(
        lambda z, c: np.where(z < c, over(np.ones_like(z), z), -over(np.ones_like(z), 1.0 - z)),
        (lambda z, c: np.where(z < c, -over(np.ones_like(c), c), over(np.ones_like(c), 1.0 - c)),),
        (
            lambda p, r, z, c: np.where(z < c, -0.5 * p * over(z, c), -0.5 * p * over(1.0 - z, 1.0 - c)),
        ),
    ),
    type(st.truncnorm): Density(
        lambda z, a, b: -z,
        (lambda z, a, b: _truncnorm_at(a, a, b), lambda z, a, b: -_truncnorm_at(b, a, b)),
        (
            lambda p, r, z, a, b: -r * _truncnorm_at(a, a, b) * st.truncnorm.sf(z, a, b),
            lambda p, r, z, a, b: -r * _truncnorm_at(b, a, b) * st.truncnorm.cdf(z, a, b),
        ),
    ),
    type(st.skewnorm): Density(
        lambda z, a: a * hazard(a * z) - z,
        (lambda z, a: z * hazard(a * z),),
        (lambda p, r, z, a: -p * hazard(a * z) / (1.0 + a * a),),
    ),
    type(st.ncx2): Density(
        ncx2_log_dz,
        (
            noncentral.ncx2_score,
            lambda z, k, nc: 0.25 * z * noncentral.ncx2_inverse(z, k, nc) - 0.5,
        ),
        (
            lambda p, r, z, k, nc: strong_mul(r, noncentral.ncx2_flow(z, k, nc)),
            lambda p, r, z, k, nc: -0.5 * p * z * noncentral.ncx2_inverse(z, k, nc),
        ),
    ),
    type(st.ncf): Density(
        noncentral.ncf_dz,
        (
            noncentral.ncf_dm,
            noncentral.ncf_dn,
            lambda z, m, n, nc: noncentral.ncf_count(z, m, n, nc) - 0.5,
        ),
        (
            lambda p, r, z, m, n, nc: strong_mul(r, noncentral.ncf_flow(z, m, n, nc, 0.0)) + p * z / m,
            lambda p, r, z, m, n, nc: strong_mul(r, noncentral.ncf_flow(z, m, n, nc, 1.0)) - p * z / n,
            lambda p, r, z, m, n, nc: -0.5 * p * z * noncentral.ncf_inverse(z, m, n, nc),
        ),
    ),
    type(st.nct): Density(
        noncentral.nct_dz,
        (noncentral.nct_ddf, noncentral.nct_dnc),
        (
            lambda p, r, z, v, nc: strong_mul(r, noncentral.nct_flow(z, v, nc)),
            lambda p, r, z, v, nc: -p * noncentral.nct_inverse(z, v, nc),
        ),
    ),
    type(st.vonmises): Density(
        lambda z, k: -k * np.sin(z),
        (lambda z, k: np.cos(z) - bessel_ratio(k),),
        (lambda p, r, z, k: r * vonmises_dk(z, k),),
    ),
}  # fmt: skip
