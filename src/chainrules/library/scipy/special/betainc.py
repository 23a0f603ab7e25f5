"""Incomplete beta functions, their inverses, and the distributions that they are: beta, F, Student's t, binomial."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special as sp  # type: ignore[import-untyped]

from ....scalar import scalar_rule
from .betainc_shape import beta_da, beta_daa, beta_dab, betainc_da, betainc_db, density, logit_score
from .shared import by_elements, missing


def inverse_da(a: Any, b: Any, x: Any) -> Any:
    """``dx/da`` where ``betainc(a, b, x)`` is held; 0 where x is an end up to rounding."""
    ends = np.equal(x, 0) | np.equal(x, 1)
    safe = np.where(ends, 0.5, x)
    return np.where(ends, 0.0, -betainc_da(a, b, safe) / density(a, b, safe))


def inverse_db(a: Any, b: Any, x: Any) -> Any:
    """``dx/db`` where ``betainc(a, b, x)`` is held; 0 where x is an end up to rounding."""
    ends = np.equal(x, 0) | np.equal(x, 1)
    safe = np.where(ends, 0.5, x)
    return np.where(ends, 0.0, -betainc_db(a, b, safe) / density(a, b, safe))


def t_density(v: Any, t: Any) -> Any:
    """The density of Student's t distribution."""
    return np.exp(-0.5 * (v + 1.0) * np.log1p(t * t / v) - sp.betaln(0.5 * v, 0.5)) / np.sqrt(v)


def _t_score(v: Any, t: Any) -> Any:
    """The derivative of the logarithm of the density by the degrees of freedom."""
    gain = (v + 1.0) * t * t / (v * (v + t * t))
    return 0.5 * (sp.digamma(0.5 * (v + 1.0)) - sp.digamma(0.5 * v) - 1.0 / v - np.log1p(t * t / v) + gain)


@by_elements
def t_dv(v: Any, t: Any) -> Any:
    """The derivative of Student's distribution function by the degrees of freedom.

    Below 0 it is half ``I_z(v/2, 1/2)`` with ``logit z = u = log(v/t^2)``; ``du/dv = 1/v``.
    """
    inner = beta_da(0.5 * v, 0.5, np.log(v / (t * t)))
    return -0.25 * np.sign(t) * inner - t * t_density(v, t) / (2.0 * v)


@by_elements
def t_dvv(v: Any, t: Any) -> Any:
    """The second derivative of Student's distribution function by the degrees of freedom."""
    u = np.log(v / (t * t))
    inner = 0.5 * beta_daa(0.5 * v, 0.5, u) + logit_score("a", 0.5 * v, 0.5, u) / v
    return -0.25 * np.sign(t) * inner - t * t_density(v, t) / (2.0 * v) * (_t_score(v, t) - 1.0 / v)


_T_THIRD = missing("stdtr", "its degrees of freedom, of third order,")
scalar_rule(t_dv, lambda y, v, t: t_dvv(v, t), lambda y, v, t: t_density(v, t) * _t_score(v, t), real=True)
scalar_rule(t_dvv, _T_THIRD, _T_THIRD, real=True)


def _f_density(m: Any, n: Any, x: Any) -> Any:
    """``x`` times the density of the F distribution."""
    q = m * x / n
    return np.exp(sp.xlogy(0.5 * m, q) - 0.5 * (m + n) * np.log1p(q) - sp.betaln(0.5 * m, 0.5 * n))


def _f_score(m: Any, n: Any, x: Any) -> Any:
    """The derivative of the logarithm of the F density by ``m``."""
    q = m * x / n
    both = sp.digamma(0.5 * (m + n)) - sp.digamma(0.5 * m)
    return 0.5 * (both + np.log(q) - np.log1p(q) + 1.0 - (m + n) * q / (m * (1.0 + q)))


def _f_score_n(m: Any, n: Any, x: Any) -> Any:
    """The derivative of the logarithm of the F density by ``n``."""
    q = m * x / n
    both = sp.digamma(0.5 * (m + n)) - sp.digamma(0.5 * n)
    return 0.5 * (both - np.log1p(q) - m / n + (m + n) * q / (n * (1.0 + q)))


# The distribution function is I_z(m/2, n/2) with logit z = u = log(m x/n): du/dm = 1/m, du/dn = -1/n.


@by_elements
def f_dm(m: Any, n: Any, x: Any) -> Any:
    """The derivative of the F distribution function by the degrees of freedom of the numerator."""
    return 0.5 * beta_da(0.5 * m, 0.5 * n, np.log(m * x / n)) + _f_density(m, n, x) / m


@by_elements
def f_dn(m: Any, n: Any, x: Any) -> Any:
    """The derivative of the F distribution function by the degrees of freedom of the denominator."""
    return -0.5 * beta_da(0.5 * n, 0.5 * m, -np.log(m * x / n)) - _f_density(m, n, x) / n


@by_elements
def f_dmm(m: Any, n: Any, x: Any) -> Any:
    """The second derivative of the F distribution function by the degrees of freedom of the numerator."""
    a, b, u, p = 0.5 * m, 0.5 * n, np.log(m * x / n), _f_density(m, n, x) / m
    return 0.25 * beta_daa(a, b, u) + 0.5 * logit_score("a", a, b, u) / m + p * (_f_score(m, n, x) - 1.0 / m)


@by_elements
def f_dmn(m: Any, n: Any, x: Any) -> Any:
    """The derivative of the F distribution function by both degrees of freedom."""
    a, b, u, p = 0.5 * m, 0.5 * n, np.log(m * x / n), _f_density(m, n, x) / m
    return 0.25 * beta_dab(a, b, u) - 0.5 * logit_score("a", a, b, u) / n + p * _f_score_n(m, n, x)


@by_elements
def f_dnn(m: Any, n: Any, x: Any) -> Any:
    """The second derivative of the F distribution function by the degrees of freedom of the denominator."""
    a, b, u, p = 0.5 * n, 0.5 * m, -np.log(m * x / n), _f_density(m, n, x) / n
    return -0.25 * beta_daa(a, b, u) - 0.5 * logit_score("a", a, b, u) / n - p * (_f_score_n(m, n, x) - 1.0 / n)


_F_THIRD = (missing("fdtr", "its degrees of freedom, of third order,"),) * 3
scalar_rule(
    f_dm, lambda y, m, n, x: f_dmm(m, n, x), lambda y, m, n, x: f_dmn(m, n, x),
    lambda y, m, n, x: _f_density(m, n, x) / x * _f_score(m, n, x), real=True,
)  # fmt: skip
scalar_rule(
    f_dn, lambda y, m, n, x: f_dmn(m, n, x), lambda y, m, n, x: f_dnn(m, n, x),
    lambda y, m, n, x: _f_density(m, n, x) / x * _f_score_n(m, n, x), real=True,
)  # fmt: skip
for _f in (f_dmm, f_dmn, f_dnn):
    scalar_rule(_f, *_F_THIRD, real=True)


def _b(k: Any, n: Any, p: Any) -> Any:
    """The derivative of the binomial distribution's survival function by the probability."""
    k = np.floor(k)
    return np.where(k < 0, 0.0, np.where(k >= n, 0.0, density(np.maximum(k, 0) + 1.0, np.maximum(n - k, 1.0), p)))


f: Any
partials: Any
for f, *partials in [
    (
        sp.betainc,
        lambda y, a, b, x: betainc_da(a, b, x),
        lambda y, a, b, x: betainc_db(a, b, x),
        lambda y, a, b, x: density(a, b, x),
    ),
    (
        sp.betaincc,
        lambda y, a, b, x: -betainc_da(a, b, x),
        lambda y, a, b, x: -betainc_db(a, b, x),
        lambda y, a, b, x: -density(a, b, x),
    ),
    (
        sp.betaincinv,
        lambda x, a, b, p: inverse_da(a, b, x),
        lambda x, a, b, p: inverse_db(a, b, x),
        lambda x, a, b, p: np.true_divide(1.0, density(a, b, x)),
    ),
    (
        sp.betainccinv,
        lambda x, a, b, q: inverse_da(a, b, x),
        lambda x, a, b, q: inverse_db(a, b, x),
        lambda x, a, b, q: np.true_divide(-1.0, density(a, b, x)),
    ),
    # a and b where betainc(a, b, x) = p
    (
        sp.btdtria,
        lambda a, p, b, x: 1.0 / betainc_da(a, b, x),
        lambda a, p, b, x: -betainc_db(a, b, x) / betainc_da(a, b, x),
        lambda a, p, b, x: -density(a, b, x) / betainc_da(a, b, x),
    ),
    (
        sp.btdtrib,
        lambda b, a, p, x: -betainc_da(a, b, x) / betainc_db(a, b, x),
        lambda b, a, p, x: 1.0 / betainc_db(a, b, x),
        lambda b, a, p, x: -density(a, b, x) / betainc_db(a, b, x),
    ),
    (sp.stdtr, lambda y, v, t: t_dv(v, t), lambda y, v, t: t_density(v, t)),
    (sp.stdtrit, lambda t, v, p: -t_dv(v, t) / t_density(v, t), lambda t, v, p: 1.0 / t_density(v, t)),
    (sp.stdtridf, lambda v, p, t: 1.0 / t_dv(v, t), lambda v, p, t: -t_density(v, t) / t_dv(v, t)),
    (
        sp.fdtr,
        lambda y, m, n, x: f_dm(m, n, x),
        lambda y, m, n, x: f_dn(m, n, x),
        lambda y, m, n, x: _f_density(m, n, x) / x,
    ),
    (
        sp.fdtrc,
        lambda y, m, n, x: -f_dm(m, n, x),
        lambda y, m, n, x: -f_dn(m, n, x),
        lambda y, m, n, x: -_f_density(m, n, x) / x,
    ),
    (
        sp.fdtri,
        lambda x, m, n, p: -x * f_dm(m, n, x) / _f_density(m, n, x),
        lambda x, m, n, p: -x * f_dn(m, n, x) / _f_density(m, n, x),
        lambda x, m, n, p: x / _f_density(m, n, x),
    ),
    (
        sp.fdtridfd,
        lambda n, m, p, x: -f_dm(m, n, x) / f_dn(m, n, x),
        lambda n, m, p, x: 1.0 / f_dn(m, n, x),
        lambda n, m, p, x: -_f_density(m, n, x) / (x * f_dn(m, n, x)),
    ),
    # The numbers of trials, failures and successes are rounded or have to be integers.
    (sp.bdtr, 0, 0, lambda y, k, n, p: -_b(k, n, p)),
    (sp.bdtrc, 0, 0, lambda y, k, n, p: _b(k, n, p)),
    (sp.bdtri, 0, 0, lambda p, k, n, y: -1.0 / _b(k, n, p)),
    (sp.nbdtr, 0, 0, lambda y, k, n, p: density(n, k + 1.0, p)),
    (sp.nbdtrc, 0, 0, lambda y, k, n, p: -density(n, k + 1.0, p)),
    (sp.nbdtri, 0, 0, lambda p, k, n, y: 1.0 / density(n, k + 1.0, p)),
]:
    scalar_rule(f, *partials, real=True)
