"""Noncentral distributions: chi-square and F as mixtures over a Poisson variable j, Student's t over a chi variable s.

The score of a mixture is the mean of the scores of its components, weighted by how likely each is at the point; so is
the derivative of the distribution function by a noncentrality, over the density. By other shapes it is the mean of the
components' own derivatives. Sums are taken over a window around the largest term, integrals by the trapezoidal rule in
``log s``, which is exact to rounding.

Source: Johnson, Kotz, Balakrishnan, Continuous Univariate Distributions, volume 2, 1995, chapters 29 to 31.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special as sp  # type: ignore[import-untyped]

from ....scalar import missing_partial, scalar_rule
from .betainc_shape import betainc_da, betainc_db
from .gammainc_shape import gammainc_da
from .shared import by_elements

MOST = 4096  # nodes of an integral


def _largest(x: Any) -> Any:
    """The largest of the finite numbers that are positive."""
    return np.max(x, where=np.isfinite(x), initial=0.0)


def _window(mode: Any) -> Any:
    """The numbers j that matter, a row for each element, where the largest term is at `mode`."""
    half = 12.0 * np.sqrt(_largest(mode) + 1.0) + 30.0
    return np.floor(np.maximum(mode - half, 0.0))[:, None] + np.arange(2.0 * half)


def _mean(logs: Any, values: Any) -> Any:
    weights = np.exp(logs - np.max(logs, axis=1, keepdims=True))
    return np.sum(weights * values, axis=1) / np.sum(weights, axis=1)


def _prior(values: Callable[[Any], Any], nc: Any) -> Any:
    """The mean of a function of j."""
    j = _window(0.5 * nc)
    return _mean(sp.xlogy(j, 0.5 * nc[:, None]) - sp.gammaln(j + 1.0), values(j))


def _chi2_mean(values: Callable[[Any], Any], z: Any, df: Any, nc: Any) -> Any:
    """The same, given the point."""
    a = 0.5 * df
    j = _window(0.5 * (np.sqrt(a * a + nc * z) - a))
    product, a = 0.25 * (nc * z)[:, None], a[:, None]
    return _mean(sp.xlogy(j, product) - sp.gammaln(j + 1.0) - sp.gammaln(a + j), values(j))


@by_elements
def ncx2_inverse(z: Any, df: Any, nc: Any) -> Any:
    """The mean of ``1/(df/2 + j)`` at a point: ``2/z`` times the density of two degrees more over the density.

    >>> float(ncx2_inverse(1.3, 4.0, 0.0))
    0.5
    """
    return _chi2_mean(lambda j: 1.0 / (0.5 * df[:, None] + j), z, df, nc)


@by_elements
def ncx2_score(z: Any, df: Any, nc: Any) -> Any:
    """The derivative of the logarithm of the noncentral chi-square density by the degrees of freedom."""
    return 0.5 * (np.log(0.5 * z) - _chi2_mean(lambda j: sp.digamma(0.5 * df[:, None] + j), z, df, nc))


@by_elements
def ncx2_flow(z: Any, df: Any, nc: Any) -> Any:
    """The derivative of its distribution function by the degrees of freedom."""
    return _prior(lambda j: 0.5 * gammainc_da(0.5 * df[:, None] + j, 0.5 * z[:, None]), nc)


def _f_mean(values: Callable[[Any], Any], z: Any, m: Any, n: Any, nc: Any) -> Any:
    a, b, c = 0.5 * m, 0.5 * n, 0.5 * nc * m * z / (n + m * z)
    slope = a - c
    j = _window(0.5 * (np.sqrt(slope * slope + 4.0 * c * (a + b)) - slope))
    return _mean(sp.xlogy(j, c[:, None]) - sp.gammaln(j + 1.0) - sp.betaln(a[:, None] + j, b[:, None]), values(j))


@by_elements
def ncf_inverse(z: Any, m: Any, n: Any, nc: Any) -> Any:
    """The mean of ``1/(m/2 + j)`` at a point, for the noncentral F distribution."""
    return _f_mean(lambda j: 1.0 / (0.5 * m[:, None] + j), z, m, n, nc)


@by_elements
def ncf_digamma(z: Any, m: Any, n: Any, nc: Any, of_sum: Any) -> Any:
    """The mean of ``digamma(m/2 + j)``, or where `of_sum` is 1 of ``digamma((m + n)/2 + j)``."""
    a = 0.5 * (m + of_sum * n)
    return _f_mean(lambda j: sp.digamma(a[:, None] + j), z, m, n, nc)


def ncf_count(z: Any, m: Any, n: Any, nc: Any) -> Any:
    """The mean of j at a point, over the noncentrality."""
    return 0.5 * m * z / (n + m * z) * (1.0 + 0.5 * n * ncf_inverse(z, m, n, nc))


def ncf_dz(z: Any, m: Any, n: Any, nc: Any) -> Any:
    count = nc * ncf_count(z, m, n, nc)
    return (0.5 * m - 1.0 + count) / z - (0.5 * (m + n) + count) * m / (n + m * z)


def ncf_dm(z: Any, m: Any, n: Any, nc: Any) -> Any:
    count = nc * ncf_count(z, m, n, nc)
    apart = ncf_digamma(z, m, n, nc, 0.0) - ncf_digamma(z, m, n, nc, 1.0)
    return (
        0.5 * (np.log(m * z / (n + m * z)) - apart)
        + (0.5 * m + count) / m
        - (0.5 * (m + n) + count) * z / (n + m * z)
    )  # fmt: skip


def ncf_dn(z: Any, m: Any, n: Any, nc: Any) -> Any:
    count = nc * ncf_count(z, m, n, nc)
    apart = sp.digamma(0.5 * n) - ncf_digamma(z, m, n, nc, 1.0)
    return (
        -0.5 * (np.log1p(m * z / n) + apart)
        - (0.5 * m + count) / n
        + (0.5 * (m + n) + count) * m * z / (n * (n + m * z))
    )  # fmt: skip


@by_elements
def ncf_flow(z: Any, m: Any, n: Any, nc: Any, of_n: Any) -> Any:
    """Half the mean derivative of the components' incomplete beta function by its first or second argument."""
    q, b = (m * z / (n + m * z))[:, None], 0.5 * n[:, None]
    slope = betainc_db if of_n[0] else betainc_da
    return 0.5 * _prior(lambda j: slope(0.5 * m[:, None] + j, b, q), nc)


# -- Student's t: t = (x + nc)/s with a normal x, and s the root of a chi-square over its df degrees of freedom


def _roots(z: Any, df: Any, nc: Any) -> tuple[Any, Any, Any]:
    """Nodes ``log s`` and their distance, and the logarithm of the density of ``log s``."""
    total, lean = z * z + df, nc * z
    mode = np.log((lean + np.sqrt(lean * lean + 4.0 * df * total)) / (2.0 * total))
    width = 1.0 / np.sqrt(df + np.minimum(total * np.exp(2.0 * mode), df))
    low = np.minimum(mode, 0.0) - 40.0 / df - 9.0 * width
    high = np.maximum(mode, 0.0) + 9.0 * width
    steps = (high - low) / np.minimum(0.4 / np.sqrt(total * np.exp(2.0 * mode) + df + nc * nc), 0.13)
    n = min(int(_largest(steps)) + 2, MOST)
    step = (high - low) / (n - 1)
    u = low[:, None] + step[:, None] * np.arange(n)
    half = 0.5 * df
    scale = np.log(2.0) + half * np.log(half) - sp.gammaln(half)
    return u, step, scale[:, None] + df[:, None] * (u - 0.5 * np.exp(2.0 * u))


def _df_score(u: Any, df: Any) -> Any:
    """The derivative of the logarithm of the density of ``log s`` by the degrees of freedom."""
    return (0.5 * (np.log(0.5 * df) + 1.0 - sp.digamma(0.5 * df)))[:, None] + u - 0.5 * np.exp(2.0 * u)


def _t_mean(values: Callable[[Any, Any], Any], z: Any, df: Any, nc: Any) -> Any:
    """The mean of a function of ``log s`` and the normal variable at a point."""
    u, _, logs = _roots(z, df, nc)
    x = z[:, None] * np.exp(u) - nc[:, None]
    return _mean(logs + u - 0.5 * x * x, values(u, x))


@by_elements
def nct_dz(z: Any, df: Any, nc: Any) -> Any:
    return _t_mean(lambda u, x: -x * np.exp(u), z, df, nc)


@by_elements
def nct_ddf(z: Any, df: Any, nc: Any) -> Any:
    return _t_mean(lambda u, x: _df_score(u, df), z, df, nc)


@by_elements
def nct_dnc(z: Any, df: Any, nc: Any) -> Any:
    return _t_mean(lambda u, x: x, z, df, nc)


@by_elements
def nct_inverse(z: Any, df: Any, nc: Any) -> Any:
    """The mean of ``1/s`` at a point."""
    return _t_mean(lambda u, x: np.exp(-u), z, df, nc)


@by_elements
def nct_flow(z: Any, df: Any, nc: Any) -> Any:
    """The derivative of the distribution function by the degrees of freedom."""
    u, step, logs = _roots(z, df, nc)
    side = np.where(z > nc, -1.0, 1.0)  # the smaller of both tails: the mean of the score is 0
    tail = sp.log_ndtr(side[:, None] * (z[:, None] * np.exp(u) - nc[:, None]))
    return side * step * np.sum(np.exp(logs + tail) * _df_score(u, df), axis=1)


_WHY = "the second derivative of a noncentral distribution is not implemented"
for _f, _n in [
    (ncx2_inverse, 3), (ncx2_score, 3), (ncx2_flow, 3), (ncf_inverse, 4), (ncf_digamma, 5), (ncf_flow, 5),
    (nct_dz, 3), (nct_ddf, 3), (nct_dnc, 3), (nct_inverse, 3), (nct_flow, 3),
]:  # fmt: skip
    scalar_rule(_f, *[missing_partial(_WHY)] * _n, real=True)
