"""Densities of several variables, by the covariance, where eigenvalues are repeated or zero."""

import numpy as np
import pytest
from scipy import stats as st
from scipy_checks import check

AWAY = np.array([0.3, -0.7, 1.1])
SPREADS = {  # of three variables: with repeated variances, along what splits them too, separate ones, and singular
    "variance": lambda v: np.exp(v[0]),
    "variances": lambda v: np.exp(v[0]) * np.array([1.0, 1.0, 2.0]),
    "identity": lambda v: np.eye(3) * np.exp(v[0]),
    "split": lambda v: np.diag([2.0, 2.0, 1.0]) + np.outer(v, v) * 0.0 + (v[0] - v[1] - 0.2) * np.ones((3, 3)),
    "separate": lambda v: np.diag(np.exp(v)) + 0.1,
}
DENSITIES = {
    "logpdf": lambda cov, v: st.multivariate_normal.logpdf(AWAY * v[1], v, cov),
    "frozen": lambda cov, v: np.sum(st.multivariate_normal(v, cov).pdf(np.stack([AWAY, 2.0 * AWAY]))),
    "student": lambda cov, v: st.multivariate_t.logpdf(AWAY, v, cov, df=3.5),
    "matrix": lambda cov, v: st.matrix_normal.logpdf(np.outer(AWAY, v), rowcov=cov, colcov=np.eye(3) * v[2] ** 2),
}


@pytest.mark.parametrize("density", DENSITIES)
@pytest.mark.parametrize("spread", SPREADS)
def test_densities_have_derivatives_at_repeated_variances(spread, density):
    if density == "matrix" and spread.startswith("variance"):
        pytest.skip("a matrix is asked for")
    check(lambda v: DENSITIES[density](SPREADS[spread](v), v), np.array([0.5, 0.3, 0.9]))


def test_singular_covariances():
    root = np.array([[1.0, 0.2], [0.3, 1.5], [1.3, 1.7]])  # the third variable is the sum of the others

    def f(v):
        spread = (root * v) @ (root * v).T
        return st.multivariate_normal.logpdf(root @ v, np.zeros(3), spread, allow_singular=True)

    check(f, np.array([0.5, 1.3]), second=False)
