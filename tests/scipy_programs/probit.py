"""Probit regression, once with `norm` and once, for ordered answers, with `ndtr`."""

import numpy as np
from scipy import special, stats

rng = np.random.default_rng(1)
n = 60
X = np.column_stack([np.ones(n), rng.normal(size=n), rng.integers(0, 2, n)])
y = (X @ np.array([-0.3, 0.9, 0.6]) + rng.normal(size=n) > 0).astype(int)
RATING = np.digitize(X[:, 1:] @ np.array([0.9, 0.6]) + rng.normal(size=n), [-0.5, 0.4, 1.3])


def probit_nll(beta):
    q = 2 * y - 1
    return -stats.norm.logcdf(q * (X @ beta)).sum() + 0.5 * np.sum(beta**2) / 10


class OrderedProbit:
    """Thresholds are kept in order by exponentials of their distances."""

    def __init__(self, exog, endog, n_levels):
        self.exog, self.endog = exog, endog
        self.n_levels = n_levels
        self.calls = 0

    def unpack(self, params):
        k = self.exog.shape[1]
        out = {"beta": params[:k]}
        cuts = np.empty(self.n_levels + 1)
        cuts[0], cuts[-1] = -np.inf, np.inf
        cuts[1] = params[k]
        for j in range(2, self.n_levels):
            cuts[j] = cuts[j - 1] + np.exp(params[k + j - 1])
        out["cuts"] = cuts
        return out

    def loglikeobs(self, params):
        self.calls += 1
        p = self.unpack(params)
        eta = np.dot(self.exog, p["beta"])
        upper = p["cuts"][self.endog + 1] - eta
        lower = p["cuts"][self.endog] - eta
        return np.log(np.clip(special.ndtr(upper) - special.ndtr(lower), 1e-300, None))

    def __call__(self, params):
        return -np.mean(self.loglikeobs(params))


PROGRAMS = [
    (probit_nll, np.array([0.1, 0.5, -0.2])),
    (OrderedProbit(X[:, 1:], RATING, 4), np.array([0.5, 0.3, -0.6, -0.1, 0.2])),
]
