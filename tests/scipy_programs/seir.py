"""An epidemic of four compartments, fitted to daily counts that are Poisson distributed."""

from dataclasses import dataclass, field

import numpy as np
from scipy.integrate import odeint, solve_ivp
from scipy.stats import poisson

CASES = np.array([3, 4, 7, 9, 13, 19, 24, 37, 45, 61, 75, 92, 103, 117, 121, 118, 110, 97, 83, 70])
POPULATION = 5000.0


def seir(t, y, beta, sigma, gamma, N):
    S, E, I, R = y
    infection = beta * S * I / N
    dSdt = -infection
    dEdt = infection - sigma * E
    dIdt = sigma * E - gamma * I
    dRdt = gamma * I
    return [dSdt, dEdt, dIdt, dRdt]


def neg_log_likelihood(params):
    beta, sigma, gamma, I0 = params
    y0 = [POPULATION - I0, 0.0, I0, 0.0]
    days = np.arange(1, len(CASES) + 1)
    sol = solve_ivp(
        seir, [0, days[-1]], y0, args=(beta, sigma, gamma, POPULATION), t_eval=days, method="RK45", rtol=1e-9, atol=1e-9
    )
    if not sol.success:
        return np.inf
    incidence = sigma * sol.y[1]
    return -np.sum(poisson.logpmf(CASES, incidence))


@dataclass
class Parameters:
    R0: float
    latent: float = 3.0
    infectious: float = 4.0
    seeds: float = 6.0
    names: list = field(default_factory=lambda: ["S", "E", "I", "R"])

    @property
    def beta(self):
        return self.R0 / self.infectious


class Epidemic:
    def __init__(self, parameters, population=POPULATION, lockdown=None, strength=0.5):
        self.p = parameters
        self.N = population
        self.lockdown = lockdown
        self.strength = strength
        self.history = {}

    def rate(self, t):
        if self.lockdown is None:
            return self.p.beta
        # a smooth step down, over about two days
        return self.p.beta * (1 - self.strength / (1 + np.exp(-(t - self.lockdown))))

    def rhs(self, y, t):
        dydt = np.zeros(4)
        new = self.rate(t) * y[0] * y[2] / self.N
        dydt[0] -= new
        dydt[1] += new - y[1] / self.p.latent
        dydt[2] += y[1] / self.p.latent
        dydt[2] -= y[2] / self.p.infectious
        dydt[3] += y[2] / self.p.infectious
        return dydt

    def simulate(self, days):
        start = np.zeros(4)
        start[2] = self.p.seeds
        start[0] = self.N - start.sum()
        out = odeint(self.rhs, start, days)
        for name, column in zip(self.p.names, out.T):
            self.history[name] = column
        return self.history

    def loglike(self, cases):
        h = self.simulate(np.arange(len(cases) + 1.0))
        expected = np.maximum(-np.diff(h["S"]), 1e-10)
        return poisson(expected).logpmf(cases).sum()


def loss_of_model(theta):
    pars = Parameters(R0=np.exp(theta[0]), latent=np.exp(theta[1]), infectious=np.exp(theta[2]))
    model = Epidemic(pars, lockdown=theta[3], strength=theta[4])
    return -model.loglike(CASES[:10])


PROGRAMS = [
    (neg_log_likelihood, np.array([0.9, 0.4, 0.3, 8.0])),
    (loss_of_model, np.array([1.1, 1.0, 1.2, 6.0, 0.6])),
]
