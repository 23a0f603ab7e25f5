"""Functions of Boost and others that distributions of `scipy.stats` call by private names."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special as sp  # type: ignore[import-untyped]
from scipy import stats as st

from ....declarations import non_differentiable
from ....products import strong_mul
from ....programs import program
from ....scalar import missing_partial, scalar_rule, scalar_rule_for
from ...partials import quotient

_own: Any = sp._ufuncs


def declare(name: str, *partials: Any) -> None:
    """Partials for a function that this version of SciPy may have."""
    if hasattr(_own, name):
        scalar_rule(getattr(_own, name), *partials, real=True)


def _by_parameter(i: int) -> Any:
    """The partial of the quantile function of the beta distribution, which has the probability first."""
    of_inverse: Any = scalar_rule_for(sp.betaincinv)
    return lambda x, p, a, b: of_inverse.partials[i](x, a, b, p)


def _beta_score(x: Any, a: Any) -> Any:
    return sp.digamma(x + a) - sp.digamma(x)


declare("_beta_ppf", _by_parameter(2), _by_parameter(0), _by_parameter(1))
declare(
    "_beta_pdf",
    lambda y, x, a, b: strong_mul(y, quotient(a - 1.0, x) - quotient(b - 1.0, 1.0 - x)),
    lambda y, x, a, b: strong_mul(y, np.log(x) + _beta_score(a, b)),
    lambda y, x, a, b: strong_mul(y, np.log1p(-x) + _beta_score(b, a)),
)
declare(
    "_binom_pmf",
    0,
    lambda y, k, n, p: strong_mul(y, sp.digamma(n + 1.0) - sp.digamma(n - k + 1.0) + np.log1p(-p)),
    lambda y, k, n, p: strong_mul(y, quotient(k, p) - quotient(n - k, 1.0 - p)),
)
declare(
    "_nbinom_pmf",
    0,
    lambda y, k, n, p: strong_mul(y, sp.digamma(n + k) - sp.digamma(n) + np.log(p)),
    lambda y, k, n, p: strong_mul(y, quotient(n, p) - quotient(k, 1.0 - p)),
)
declare("_cosine_cdf", lambda y, x: np.where(np.abs(x) < np.pi, (1.0 + np.cos(x)) / (2.0 * np.pi), 0.0))
declare("_cosine_invcdf", lambda y, p: 2.0 * np.pi / (1.0 + np.cos(y)))
declare("_log1mexp", lambda y, x: -1.0 / np.expm1(-x))
declare("_scaled_exp1", lambda y, x: np.where(np.isinf(x), 0.0, y + y / x - 1.0))  # x exp(x) E1(x)

OTHERS = (
    missing_partial("the derivative of scipy.special's Landau functions in location or scale is not implemented"),
) * 2
SLOPE = missing_partial("the derivative of the density of scipy.stats.landau is not implemented")
declare("_landau_cdf", lambda y, x, loc, scale: _own._landau_pdf(x, loc, scale), *OTHERS)
declare("_landau_sf", lambda y, x, loc, scale: -_own._landau_pdf(x, loc, scale), *OTHERS)
declare("_landau_ppf", lambda y, p, loc, scale: 1.0 / _own._landau_pdf(y, loc, scale), *OTHERS)
declare("_landau_isf", lambda y, p, loc, scale: -1.0 / _own._landau_pdf(y, loc, scale), *OTHERS)
declare("_landau_pdf", SLOPE, *OTHERS)


# quantiles of counts
non_differentiable(
    *[
        getattr(_own, f"_{of}_{name}")
        for of in ("binom", "nbinom")
        for name in ("ppf", "isf")
        if hasattr(_own, f"_{of}_{name}")
    ]
)

# -- moments


def from_raw(moments: Any, m1: Any, m2: Any, m3: Any, m4: Any) -> tuple[Any, Any, Any, Any]:
    """Mean, variance, skewness and excess of kurtosis from the moments about 0."""
    variance = m2 - m1 * m1
    skewness = excess = None
    if "s" in moments:
        skewness = (m3 - 3.0 * m1 * m2 + 2.0 * m1**3) / variance**1.5
    if "k" in moments:
        excess = (m4 - 4.0 * m1 * m3 + 6.0 * m1 * m1 * m2 - 3.0 * m1**4) / variance**2 - 3.0
    return m1, variance, skewness, excess


def ratio(n: Any, k: float) -> Any:
    """``(n/2)**k Gamma(n/2 - k) / Gamma(n/2)``: the mean of a power of ``n`` over a chi-square, where there is one."""
    is_finite = np.greater(n, 2.0 * k)
    m = 0.5 * np.where(is_finite, n, 2.0 * k + 2.0)
    return np.where(is_finite, np.exp(k * np.log(m) + sp.gammaln(m - k) - sp.gammaln(m)), np.nan)


if hasattr(_own, "_nbinom_mean"):

    @program(type(st.nbinom)._stats)
    def nbinom_moments(config: Any, self: Any, n: Any, p: Any) -> Any:
        q = 1.0 - p
        return n * q / p, n * q / (p * p), (1.0 + q) / np.sqrt(n * q), 6.0 / n + p * p / (n * q)


if hasattr(_own, "_nct_mean"):

    @program(type(st.nct)._stats)
    def nct_moments(config: Any, self: Any, df: Any, nc: Any, moments: Any = "mv") -> Any:
        s = nc * nc
        raw = (nc, s + 1.0, nc * (s + 3.0), s * (s + 6.0) + 3.0)
        return from_raw(moments, *[ratio(df, 0.5 * (k + 1)) * m for k, m in enumerate(raw)])


if hasattr(_own, "_ncf_mean"):

    @program(type(st.ncf)._stats)
    def ncf_moments(config: Any, self: Any, dfn: Any, dfd: Any, nc: Any, moments: Any = "mv") -> Any:
        # cumulants of the noncentral chi-square over its degrees of freedom
        c1, c2, c3, c4 = [2.0**k * f * (dfn + (k + 1) * nc) / dfn ** (k + 1) for k, f in enumerate((1, 1, 2, 6))]
        raw = (
            c1, c2 + c1 * c1, c3 + 3.0 * c1 * c2 + c1**3,
            c4 + 4.0 * c1 * c3 + 3.0 * c2 * c2 + 6.0 * c1 * c1 * c2 + c1**4,
        )  # fmt: skip
        return from_raw(moments, *[ratio(dfd, k + 1.0) * m for k, m in enumerate(raw)])
