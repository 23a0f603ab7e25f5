"""What SciPy has compiled: the loops of `scipy.stats.gaussian_kde`, the bivariate normal distribution, and others."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg, special  # type: ignore[import-untyped]
from scipy import stats as st

from ....products import strong_mul
from ....programs import program
from ....scalar import missing_partial, scalar_rule
from ..solutions import moved_as
from ..special.kolmogorov import SECOND, SIZE


def exponents(self: Any, points: Any) -> Any:
    """The logarithm of every kernel at every point, a row for each kernel, and of its scale."""
    points = np.atleast_2d(np.asarray(points))
    if points.shape[0] != self.d:  # one point
        points = np.reshape(points, (self.d, 1))
    data, factor = self.dataset, self.cho_cov
    apart = np.reshape(data[:, :, None] - points[:, None, :], (self.d, -1))
    z = linalg.solve_triangular(factor, apart, lower=True)
    scale = np.sum(np.log(np.diag(factor))) + 0.5 * self.d * np.log(2 * np.pi)
    return np.reshape(-0.5 * np.sum(z**2, axis=0), (data.shape[1], points.shape[1])), scale


@program(st.gaussian_kde.evaluate)
def evaluate_program(config: Any, self: Any, points: Any) -> Any:
    found = config.plainly(self.evaluate, points)
    logs, scale = exponents(self, points)
    return moved_as(config, found, np.dot(self.weights, np.exp(logs - scale)))


@program(st.gaussian_kde.logpdf)
def logpdf_program(config: Any, self: Any, x: Any) -> Any:
    found = config.plainly(self.logpdf, x)
    logs, scale = exponents(self, x)
    return moved_as(config, found, special.logsumexp(logs, axis=0, b=self.weights[:, None]) - scale)


# -- the bivariate normal distribution, on which `scipy.stats.multivariate_normal.cdf` in two dimensions is built


def _beyond(y: Any, h: Any, k: Any, r: Any) -> Any:
    """``-phi(h) P(k < Y | X = h)``: the density of X at its bound, and what of Y is left there."""
    left = special.ndtr((r * h - k) / np.sqrt((1.0 - r) * (1.0 + r)))
    return -strong_mul(np.exp(-0.5 * h * h) / np.sqrt(2.0 * np.pi), left)


def _corner(y: Any, h: Any, k: Any, r: Any) -> Any:
    """The density at the corner, as Plackett has it (Biometrika 41, 1954, 351-360)."""
    s = np.multiply(1.0 - r, 1.0 + r)  # of NumPy, as it may be 0
    with np.errstate(divide="ignore", invalid="ignore"):
        excess = np.square(np.subtract(h, r * k)) / s
        density = np.exp(-0.5 * (excess + k * k)) / (2.0 * np.pi * np.sqrt(s))
    is_inside = np.isfinite(h) & np.isfinite(k)
    limit = np.where(np.isnan(excess), np.inf, 0.0)  # of a correlation of 1 or -1: on the line, and beside it
    found = np.where(is_inside, np.where(np.isfinite(excess), density, limit), 0.0)
    return np.where(np.isnan(h) | np.isnan(k) | np.isnan(r), np.nan, found)[()]


# P(X > h, Y > k) with the correlation r, where SciPy has it
upper_tail = getattr(getattr(st, "_qmvnt", None), "_bvnu", None)
if upper_tail is not None:
    scalar_rule(upper_tail, _beyond, lambda y, h, k, r: _beyond(y, k, h, r), _corner, real=True)

# -- the distribution of Kolmogorov's statistic of n numbers, as kstwo and the tests of that name take it

_exact: Any = getattr(st, "_ksstats", None)
if all(hasattr(_exact, name) for name in ("kolmogn", "kolmogni", "kolmognp")):

    def _density(n: Any, x: Any, cdf: Any) -> Any:
        if not np.size(x):
            return np.zeros(np.shape(x))
        return np.where(cdf, 1.0, -1.0) * _exact.kolmognp(n, x)

    scalar_rule(_exact.kolmogn, SIZE, lambda y, n, x, cdf=True: _density(n, x, cdf), 0, real=True)
    scalar_rule(_exact.kolmogni, SIZE, lambda y, n, p, cdf=True: 1.0 / _density(n, y, cdf), 0, real=True)
    scalar_rule(_exact.kolmognp, SIZE, missing_partial(SECOND), real=True)
