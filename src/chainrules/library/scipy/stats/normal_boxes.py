"""Probabilities of boxes under normal distributions of three dimensions and more: `multivariate_normal.cdf`.

SciPy finds them by a lattice rule with random shifts, to ``abseps``. The derivatives are stated, and are probabilities
in fewer dimensions: by a bound, the density of its variable there times that of the others given it; by a correlation,
the density of both variables at the corners of their bounds times that of the others, as Plackett has it (Biometrika
41, 1954, 351-360). In two dimensions and fewer these are exact.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special  # type: ignore[import-untyped]
from scipy import stats as st

from ....programs import program
from ....rules import rrule
from ....tangents import NotImplementedDerivative, Thunk
from ..naming import itself

_own: Any = getattr(st, "_qmvnt", None)
STUDENT = "scipy.stats.multivariate_t.cdf is not implemented: integrate the density, or multivariate_normal.cdf by quad"
CLOSE = 1e-7  # how exactly probabilities in three dimensions and more are found for derivatives
AT_MOST = 200_000  # points, for each dimension


def box(value: Any, low: Any, high: Any, corr: Any) -> Any:
    """The probability `value` that variables of variance 1 lie between bounds."""
    return value * 1.0


@rrule(box)
def box_rule(value: Any, low: Any, high: Any, corr: Any) -> Any:
    n = len(low)
    if not np.all(np.abs(corr[np.triu_indices(n, 1)]) < 1.0):
        raise NotImplementedDerivative("two of the variables are the same: leave one of them out")

    def bound_bar(bounds: Any, y_bar: Any) -> Any:
        return y_bar * np.stack([faced(bounds[i], i, low, high, corr) for i in range(n)])

    def corr_bar(y_bar: Any) -> Any:
        pairs = [(i, j) for i in range(n) for j in range(i)]
        slopes = [
            cornered(high[i], high[j], i, j, low, high, corr) + cornered(low[i], low[j], i, j, low, high, corr)
            - cornered(high[i], low[j], i, j, low, high, corr) - cornered(low[i], high[j], i, j, low, high, corr)
            for i, j in pairs
        ]  # fmt: skip
        lower = np.zeros((len(pairs), n, n))
        for k, (i, j) in enumerate(pairs):
            lower[k, i, j] = lower[k, j, i] = 0.5
        return np.tensordot(y_bar * np.stack(slopes), lower, 1)

    def box_pullback(y_bar: Any) -> Any:
        return None, Thunk(bound_bar, low, -y_bar), Thunk(bound_bar, high, y_bar), Thunk(corr_bar, y_bar)

    return box(value, low, high, corr), box_pullback


def faced(x: Any, i: int, low: Any, high: Any, corr: Any) -> Any:
    """The density of variable i at x times the probability of the others given it."""
    if not np.isfinite(x):
        return 0.0
    rest = np.delete(np.arange(len(low)), i)
    slope = corr[rest, i]
    middle, cov = slope * x, corr[rest][:, rest] - slope[:, None] * slope
    return np.exp(-0.5 * x * x) / np.sqrt(2.0 * np.pi) * probability(low[rest] - middle, high[rest] - middle, cov)


def cornered(x: Any, y: Any, i: int, j: int, low: Any, high: Any, corr: Any) -> Any:
    """The density of variables i and j at x and y times the probability of the others given them."""
    if not (np.isfinite(x) and np.isfinite(y)):
        return 0.0
    r = corr[i, j]
    left = 1.0 - r * r
    rest = np.delete(np.arange(len(low)), [i, j])
    a, b = corr[rest, i], corr[rest, j]
    u, v = (x - r * y) / left, (y - r * x) / left
    middle = a * u + b * v
    of_a, of_b = (a - r * b) / left, (b - r * a) / left
    cov = corr[rest][:, rest] - of_a[:, None] * a - of_b[:, None] * b
    density = np.exp(-0.5 * (x * u + y * v)) / (2.0 * np.pi * np.sqrt(left))
    return density * probability(low[rest] - middle, high[rest] - middle, cov)


def probability(low: Any, high: Any, cov: Any) -> Any:
    """Of a box around the mean 0."""
    n = len(low)
    if n == 1:
        scale = np.sqrt(cov[0, 0])
        return special.ndtr(high[0] / scale) - special.ndtr(low[0] / scale)
    cov = 0.5 * (cov + cov.T)
    return _own._qauto(_own._qmvn, cov, low, high, np.random.default_rng(0), error=CLOSE, limit=AT_MOST * n)[0]


if all(hasattr(_own, name) for name in ("_qauto", "_qmvn", "_bvn")):
    whole = itself(_own._qauto)

    @program(_own._qauto)
    def qauto_program(
        config: Any, func: Any, covar: Any, low: Any, high: Any, rng: Any, error: Any = 1e-3, limit: Any = 10_000,
        **named: Any,
    ) -> Any:  # fmt: skip
        if len(covar) < 3:
            return whole(func, covar, low, high, rng, error, limit, **named)
        if func is not _own._qmvn:
            raise NotImplementedDerivative(STUDENT)
        found = config.plainly(whole, func, covar, low, high, rng, error, limit, **named)
        scale = np.sqrt(np.diag(covar))
        value = box(found[0], low / scale, high / scale, covar / (scale[:, None] * scale))
        return (value, *found[1:])


if hasattr(_own, "_qmvt"):

    @program(_own._qmvt)
    def qmvt_program(config: Any, *args: Any, **named: Any) -> Any:
        raise NotImplementedDerivative(STUDENT)
