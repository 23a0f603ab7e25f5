"""Volatility of returns: GARCH(1, 1) with Student's t."""

import math

import numpy as np
from scipy.special import gammaln
from scipy.stats import t as student_t

rng = np.random.default_rng(2)
RETURNS = 0.01 * rng.standard_t(6, size=120) * (1 + 0.5 * np.sin(np.arange(120) / 9))


def garch_t(theta, r=RETURNS):
    mu, omega, alpha, beta, nu = theta
    T = len(r)
    eps = r - mu
    sigma2 = np.zeros(T)
    sigma2[0] = np.var(r)
    for i in range(1, T):
        sigma2[i] = omega + alpha * eps[i - 1] ** 2 + beta * sigma2[i - 1]
    ll = (
        gammaln((nu + 1) / 2) - gammaln(nu / 2) - 0.5 * np.log(np.pi * (nu - 2))
        - 0.5 * np.log(sigma2) - (nu + 1) / 2 * np.log1p(eps**2 / (sigma2 * (nu - 2)))
    )  # fmt: skip
    return -ll.sum()


class Volatility:
    """GJR: bad news counts more."""

    def __init__(self, params):
        self.params = dict(params)
        self.level = None

    def update(self, shock):
        p = self.params
        leverage = p["gamma"] if shock < 0 else 0.0
        self.level = p["omega"] + (p["alpha"] + leverage) * shock**2 + p["beta"] * self.level
        return self.level

    def filter(self, returns):
        self.level = np.var(returns)
        levels = [self.level]
        for r in returns[:-1]:
            levels.append(self.update(r))
        return np.asarray(levels)


def gjr(log_params, verbose=False):
    names = ["omega", "alpha", "gamma", "beta"]
    params = {k: math.exp(v) for k, v in zip(names, log_params)}
    nu = 2 + math.exp(log_params[4])
    variance = Volatility(params).filter(RETURNS)
    scale = np.sqrt(variance * (nu - 2) / nu)
    value = -np.mean(student_t.logpdf(RETURNS, df=nu, loc=0, scale=scale))
    if verbose:
        print(f"nu = {nu:.2f}, loss = {value:.5f}")
    tail = student_t(df=nu, scale=scale[-1]).ppf(0.05)  # value at risk
    return value + tail


PROGRAMS = [
    (garch_t, np.array([5e-4, 2e-5, 0.1, 0.8, 7.0])),
    (lambda p: gjr(p, verbose=True), np.array([-10.0, -2.5, -3.0, -0.3, 1.2])),
]
