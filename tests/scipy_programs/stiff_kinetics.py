"""Reactions of very different rates, by backward differentiation formulas."""

import numpy as np
from scipy.integrate import BDF, solve_ivp
from scipy.interpolate import interp1d


def robertson(t, y, k1, k2, k3):
    return [-k1 * y[0] + k3 * y[1] * y[2], k1 * y[0] - k3 * y[1] * y[2] - k2 * y[1] ** 2, k2 * y[1] ** 2]


def robertson_jac(t, y, k1, k2, k3):
    return np.array([
        [-k1, k3 * y[2], k3 * y[1]],
        [k1, -k3 * y[2] - 2 * k2 * y[1], -k3 * y[1]],
        [0, 2 * k2 * y[1], 0],
    ])  # fmt: skip


def remaining(log10_k):
    k = 10**log10_k
    sol = solve_ivp(
        robertson,
        (0, 0.4),
        [1, 0, 0],
        method="BDF",
        args=tuple(k),
        jac=robertson_jac,
        t_eval=[0.04, 0.4],
        rtol=1e-7,
        atol=1e-10,
    )
    return np.sum(sol.y[0] ** 2) + sol.y[2, -1]


class Mechanism:
    """Reactions as text, rates by Arrhenius."""

    def __init__(self):
        self.species = {}
        self.reactions = []

    def add(self, reaction, A, E):
        left, right = (side.split("+") for side in reaction.replace(" ", "").split("->"))
        for s in left + right:
            self.species.setdefault(s, len(self.species))
        self.reactions.append((left, right, A, E))
        return self

    def rates(self, T, y):
        for left, right, A, E in self.reactions:
            r = A * np.exp(-E / T)
            for s in left:
                r = r * y[self.species[s]]
            yield left, right, r

    def rhs(self, t, y):
        dy = np.zeros_like(y)
        T = y[-1]
        for left, right, r in self.rates(T, y):
            for s in left:
                dy[self.species[s]] -= r
            for s in right:
                dy[self.species[s]] += r
        dy[-1] = 20.0 * self.heat(dy)  # temperature
        return dy

    def heat(self, dy):
        return -dy[self.species["A"]]


def temperature_reached(theta):
    m = Mechanism()
    m.add("A -> B", A=np.exp(theta[0]), E=theta[1])
    m.add("B + B -> C + B", A=np.exp(theta[2]), E=50.0)
    m.add("B + C -> A + C", A=np.exp(theta[3]), E=30.0)
    y0 = np.append(np.zeros(len(m.species)), 300.0)
    y0[0] = 1.0
    sol = solve_ivp(m.rhs, (0.0, 0.3), y0, method="Radau", rtol=1e-6, atol=1e-8, dense_output=True)
    profile = sol.sol(np.linspace(0, 0.3, 3))
    return (profile[-1, -1] - 300) / 20 + np.sum(profile[1] ** 2)


def step_by_step(theta):
    """The solver's object, stepped by hand, then interpolated."""
    solver = BDF(lambda t, y: -np.exp(theta[0]) * (y - np.cos(theta[1] * t)), 0.0, np.array([0.5]), 1.0, rtol=1e-6)
    ts, ys = [solver.t], [solver.y[0]]
    while solver.status == "running":
        solver.step()
        ts.append(solver.t)
        ys.append(solver.y[0])
    return interp1d(ts, ys)(0.5) + ys[-1]


PROGRAMS = [
    (remaining, np.array([-1.4, 7.5, 4.0])),
    (temperature_reached, np.array([3.0, 900.0, 2.0, 0.5])),
    (step_by_step, np.array([1.0, 2.0])),
]
