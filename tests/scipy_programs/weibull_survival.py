"""Times until failure, some of them censored, with covariates."""

import math

import numpy as np
from scipy import stats
from scipy.special import gamma
from scipy.stats import weibull_min

rng = np.random.default_rng(5)
n = 40
AGE = rng.normal(size=n)
TIMES = weibull_min.rvs(1.5, scale=np.exp(1.0 - 0.4 * AGE), random_state=rng)
EVENT = TIMES < 4.0
TIMES = np.minimum(TIMES, 4.0)


def nll(params):
    shape, b0, b1 = np.exp(params[0]), params[1], params[2]
    scale = np.exp(b0 + b1 * AGE)
    total = 0.0
    for t, event, s in zip(TIMES, EVENT, scale):
        if event:
            total += weibull_min.logpdf(t, shape, scale=s)
        else:
            total += weibull_min.logsf(t, shape, scale=s)
    return -total


class AcceleratedFailureTime:
    """Any family of `scipy.stats`."""

    def __init__(self, family, covariates):
        self.family = family
        self.Z = np.c_[np.ones(len(covariates)), covariates]

    def distribution(self, theta):
        log_scale = self.Z @ theta[:2]
        if self.family is stats.lognorm:
            return stats.lognorm(s=np.exp(theta[2]), scale=np.exp(log_scale))
        return self.family(np.exp(theta[2]), scale=np.exp(log_scale))

    def nnlf(self, theta, t, event):
        d = self.distribution(theta)
        ll = np.empty_like(t)
        ll[event] = d.logpdf(t)[event]
        ll[~event] = d.logsf(t)[~event]
        return -ll.sum()

    def median(self, theta):
        return self.distribution(theta).median()


def selection(theta):
    """A likelihood averaged over three families, and a summary of each."""
    score = 0.0
    for family in (stats.weibull_min, stats.lognorm, stats.fisk, stats.gamma):
        model = AcceleratedFailureTime(family, AGE)
        score += model.nnlf(theta, TIMES, EVENT) + 0.1 * np.mean(model.median(theta))
    mean_life = math.exp(theta[0]) * gamma(1 + 1 / math.exp(theta[2]))
    frozen = stats.weibull_min(math.exp(theta[2]), scale=math.exp(theta[0]))
    assert abs(frozen.mean() - mean_life) < 1e-9
    return score + frozen.mean() + frozen.std()


PROGRAMS = [
    (nll, np.array([0.3, 0.9, -0.3])),
    (selection, np.array([0.9, -0.3, 0.3])),
]
