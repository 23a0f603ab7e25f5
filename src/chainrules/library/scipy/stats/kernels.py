"""`scipy.stats.gaussian_kde`: densities as sums over the data, whose loop SciPy has compiled."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg, special  # type: ignore[import-untyped]
from scipy import stats as st

from ....programs import program


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
    config.plainly(self.evaluate, points)  # it raises what is to be raised
    logs, scale = exponents(self, points)
    return np.dot(self.weights, np.exp(logs - scale))


@program(st.gaussian_kde.logpdf)
def logpdf_program(config: Any, self: Any, x: Any) -> Any:
    config.plainly(self.logpdf, x)
    logs, scale = exponents(self, x)
    return special.logsumexp(logs, axis=0, b=self.weights[:, None]) - scale
