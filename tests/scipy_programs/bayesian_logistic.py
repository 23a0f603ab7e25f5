"""Logistic regression with priors: a posterior, and its Laplace approximation."""

import numpy as np
from scipy import optimize, special, stats
from scipy.special import expit, log_expit, xlog1py, xlogy

rng = np.random.default_rng(3)
X = rng.normal(size=(50, 3))
p = expit(X @ np.array([1.0, -2.0, 0.5]) + 0.3)
y = rng.binomial(1, p)
GROUP = rng.integers(0, 4, size=50)


def neg_log_posterior(w):
    p = expit(X @ w[1:] + w[0])
    log_lik = np.sum(xlogy(y, p) + xlogy(1 - y, 1 - p))
    log_prior = stats.norm.logpdf(w, 0, 2.0).sum()
    return -(log_lik + log_prior)


class HierarchicalModel:
    def __init__(self, data):
        self.data = data

    def log_prob(self, params):
        d = self.data
        eta = d["X"] @ params["beta"] + params["alpha"][d["group"]]
        loglik = np.where(d["y"] == 1, log_expit(eta), log_expit(-eta)).sum()
        prior = stats.norm(loc=params["mu"], scale=params["tau"]).logpdf(params["alpha"]).sum()
        prior += stats.halfnorm.logpdf(params["tau"], scale=1.0)
        prior += stats.t.logpdf(params["beta"], df=4).sum()
        return loglik + prior

    @staticmethod
    def unflatten(v):
        return {"mu": v[0], "tau": np.exp(v[1]), "alpha": v[2:6], "beta": v[6:9]}

    def __call__(self, v):
        return -self.log_prob(self.unflatten(v)) - v[1]


def log_evidence(prior_scale):
    """Laplace's approximation: the mode by an optimiser, and the curvature at it."""

    def energy(w, scale):
        z = X @ w
        return -np.sum(special.xlogy(y, expit(z)) + xlog1py(1 - y, -expit(z))) + 0.5 * np.sum((w / scale) ** 2)

    mode = optimize.minimize(energy, np.zeros(3), args=(prior_scale,), method="BFGS", options={"gtol": 1e-10}).x
    s = expit(X @ mode)
    curvature = X.T @ np.diag(s * (1 - s)) @ X + np.eye(3) / prior_scale**2
    sign, logdet = np.linalg.slogdet(curvature)
    return -energy(mode, prior_scale) - 3 * np.log(prior_scale) - 0.5 * logdet


PROGRAMS = [
    (neg_log_posterior, np.array([0.1, 0.5, -1.0, 0.2])),
    (HierarchicalModel({"X": X, "y": y, "group": GROUP}), np.linspace(-0.5, 0.6, 9)),
    (log_evidence, 1.5),
]
