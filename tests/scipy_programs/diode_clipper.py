"""A circuit that clips: implicit steps, each with a Newton iteration or an explicit solution by Lambert's W."""

import numpy as np
from scipy.optimize import fsolve, newton, root
from scipy.signal import butter, lfilter
from scipy.special import lambertw, wrightomega

FS = 8000.0
TIME = np.arange(40) / FS
SIGNAL = 2.0 * np.sin(2 * np.pi * 200 * TIME)


def simulate(R, C, Is, Vt, vin):
    """Trapezoidal rule; one Newton iteration a sample."""
    T = 1 / FS
    v = np.zeros(len(vin))

    def current(v, u):
        return (u - v) / (R * C) - 2 * Is / C * np.sinh(v / Vt)

    for n in range(1, len(vin)):

        def g(x):
            return x - v[n - 1] - T / 2 * (current(x, vin[n]) + current(v[n - 1], vin[n - 1]))

        def dg(x):
            return 1 + T / 2 * (1 / (R * C) + 2 * Is / (C * Vt) * np.cosh(x / Vt))

        v[n] = newton(g, v[n - 1], fprime=dg, tol=1e-12, maxiter=100)
    return v


REFERENCE = simulate(2200.0, 1e-8, 2.5e-9, 0.0259, SIGNAL)


def tone_error(p):
    v = simulate(R=1000 * p[0], C=1e-8 * p[1], Is=1e-9 * p[2], Vt=0.01 * p[3], vin=SIGNAL)
    return np.sum((v - REFERENCE) ** 2)


class Clipper:
    """With a tone filter behind, and four ways of solving for the voltage."""

    def __init__(self, resistance, saturation, thermal, method):
        self.R, self.Is, self.Vt, self.method = resistance, saturation, thermal, method

    def residual(self, v, u):
        return (v - u) / self.R + self.Is * (np.exp(v / self.Vt) - 1)

    def voltage(self, u, guess):
        if self.method == "lambertw":
            a = self.R * self.Is / self.Vt
            w = lambertw(a * np.exp((u + self.R * self.Is) / self.Vt)).real
            return u + self.R * self.Is - self.Vt * w
        elif self.method == "wright":
            a = np.log(self.R * self.Is / self.Vt)
            return u + self.R * self.Is - self.Vt * wrightomega(a + (u + self.R * self.Is) / self.Vt)
        elif self.method == "fsolve":
            (v,) = fsolve(self.residual, guess, args=(u,), xtol=1e-11)
            return v
        sol = root(self.residual, guess, args=(u,), method="hybr", tol=1e-11)
        return sol.x[0]

    def process(self, signal):
        out = np.empty_like(signal)
        state = 0.0
        for i, u in enumerate(signal):
            state = self.voltage(u, state)
            out[i] = state
        return out


def loudness(p):
    total = 0
    for method in ["lambertw", "wright", "fsolve", "root"]:
        box = Clipper(resistance=p[0], saturation=p[1] * 1e-3, thermal=p[2], method=method)
        b, a = butter(2, 0.3)
        total = total + np.sum(lfilter(b, a, box.process(0.5 * SIGNAL[:12])) ** 2)
    return total


PROGRAMS = [
    (tone_error, np.array([2.0, 1.1, 2.0, 3.0])),
    (loudness, np.array([1.5, 2.0, 0.2])),
]
