import numpy as np
from sklearn import metrics
from sklearn.gaussian_process.kernels import RBF, Matern, WhiteKernel
from sklearn.metrics import pairwise

X = np.array([[1.0, 2.0], [0.5, 1.0], [3.0, 0.2]])
y = np.array([1.0, 2.0, 3.5])

CALLS = {
    "mean_squared_error": (lambda p: metrics.mean_squared_error(y, p), np.array([1.1, 1.9, 3.0])),
    "mean_absolute_error": (lambda p: metrics.mean_absolute_error(y, p), np.array([1.1, 1.9, 3.0])),
    "r2_score": (lambda p: metrics.r2_score(y, p), np.array([1.1, 1.9, 3.0])),
    "log_loss": (lambda p: metrics.log_loss([0, 1, 1], p), np.array([0.2, 0.7, 0.6])),
    "brier_score_loss": (lambda p: metrics.brier_score_loss([0, 1, 1], p), np.array([0.2, 0.7, 0.6])),
    "rbf_kernel": (lambda X: pairwise.rbf_kernel(X, gamma=0.3), X),
    "euclidean_distances": (lambda X: pairwise.euclidean_distances(X, np.ones((2, 2))), X),
    "cosine_similarity": (lambda X: pairwise.cosine_similarity(X), X),
    "RBF": (lambda l: RBF(length_scale=l)(X), 0.8),
    "Matern": (lambda l: Matern(length_scale=l, nu=1.5)(X), 0.8),
    "kernel sum": (lambda l, s: (RBF(l) * 2.0 + WhiteKernel(s))(X), 0.8, 0.1),
    "mean_gamma_deviance": (lambda p: metrics.mean_gamma_deviance(y, p), np.array([1.1, 1.9, 3.0])),
    "huber": (lambda p: metrics.mean_squared_log_error(y, p), np.array([1.1, 1.9, 3.0])),
    "d2_pinball": (lambda p: metrics.mean_pinball_loss(y, p, alpha=0.3), np.array([1.1, 1.9, 3.0])),
}
