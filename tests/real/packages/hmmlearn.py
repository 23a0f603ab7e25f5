import numpy as np
from hmmlearn import stats
from hmmlearn.utils import log_normalize, normalize

X = np.array([[1.0, 2.0], [0.5, 0.3]])

CALLS = {
    "log_multivariate_normal_density": (
        lambda m: stats.log_multivariate_normal_density(X, m, np.ones((2, 2)), "diag"),
        np.array([[0.1, 0.2], [0.3, 0.4]]),
    ),
    "full": (
        lambda c: stats.log_multivariate_normal_density(X, np.zeros((1, 2)), c[None], "full"),
        np.array([[1.5, 0.2], [0.2, 1.0]]),
    ),
    "spherical": (
        lambda s: stats.log_multivariate_normal_density(X, np.zeros((2, 2)), s, "spherical"),
        np.array([1.5, 0.7]),
    ),
    "normalize": (lambda a: (lambda b: (normalize(b, axis=1), b)[1])(a * 1.0), X),
    "log_normalize": (lambda a: (lambda b: (log_normalize(b, axis=1), b)[1])(a * 1.0), X),
}
