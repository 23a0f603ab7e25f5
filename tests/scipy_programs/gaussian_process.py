"""Hyperparameters of a Gaussian process by the marginal likelihood."""

import numpy as np
from scipy.linalg import cho_factor, cho_solve, cholesky, solve_triangular
from scipy.spatial.distance import cdist, pdist, squareform

rng = np.random.default_rng(0)
X = rng.uniform(-3, 3, size=(14, 2))
y = np.sin(X[:, 0]) * np.cos(X[:, 1]) + 0.1 * rng.normal(size=14)
TESTS = np.array([[0.5, -0.5], [1.0, 1.0], [3.0, 0.0]])


def rbf(A, B, length, variance):
    d = cdist(A / length, B / length, "sqeuclidean")
    return variance * np.exp(-0.5 * d)


def negative_log_marginal_likelihood(log_theta, X=X, y=y):
    variance, noise = np.exp(log_theta[0]), np.exp(log_theta[1])
    length = np.exp(log_theta[2:])
    K = rbf(X, X, length, variance)
    K[np.diag_indices_from(K)] += noise
    try:
        c, low = cho_factor(K, lower=True)
    except np.linalg.LinAlgError:
        return 1e25
    alpha = cho_solve((c, low), y)
    return 0.5 * y @ alpha + np.log(np.diag(c)).sum() + 0.5 * len(y) * np.log(2 * np.pi)


class Kernel:
    def __init__(self, **hyper):
        self.__dict__.update(hyper)

    def __add__(self, other):
        return Sum(self, other)


class Matern(Kernel):
    """nu = 3/2."""

    def __call__(self, X, Y=None):
        if Y is None:
            d = squareform(pdist(X, metric="euclidean"))
        else:
            d = cdist(X, Y, metric="euclidean")
        r = np.sqrt(3) * d / self.length
        return self.variance * (1 + r) * np.exp(-r)


class White(Kernel):
    def __call__(self, X, Y=None):
        return self.noise * np.eye(len(X)) if Y is None else np.zeros((len(X), len(Y)))


class Sum(Kernel):
    def __init__(self, *parts):
        self.parts = parts

    def __call__(self, X, Y=None):
        return sum(k(X, Y) for k in self.parts)


class GaussianProcess:
    def __init__(self, kernel):
        self.kernel = kernel

    def fit(self, X, y):
        self.X_train = np.copy(X)
        self.y_train = y
        self.L_ = cholesky(self.kernel(X), lower=True, check_finite=False)
        self.alpha_ = solve_triangular(self.L_.T, solve_triangular(self.L_, y, lower=True))
        return self

    def predict(self, X, return_std=False):
        Ks = self.kernel(X, self.X_train)
        mean = Ks.dot(self.alpha_)
        if return_std:
            v = solve_triangular(self.L_, Ks.T, lower=True)
            return mean, np.sqrt(np.diag(self.kernel(X, X)) - np.einsum("ij,ij->j", v, v))
        return mean


def expected_score(theta):
    gp = GaussianProcess(Matern(length=theta[0], variance=theta[1]) + White(noise=theta[2]))
    mean, std = gp.fit(X, y).predict(TESTS, return_std=True)
    return float(np.sum(mean) + 2.0 * np.sum(std))


PROGRAMS = [
    (negative_log_marginal_likelihood, np.array([0.1, -2.0, 0.3, 0.5])),
    (expected_score, np.array([1.3, 0.8, 0.05])),
]
