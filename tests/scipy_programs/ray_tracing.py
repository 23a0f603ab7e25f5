"""Rays through lenses: where a ray meets a surface is a root."""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq, newton, root_scalar


def sag(r2, c, k, a4):
    """An aspheric surface over the squared radius."""
    return c * r2 / (1 + np.sqrt(1 - (1 + k) * c**2 * r2)) + a4 * r2**2


def intersect(origin, direction, z0, c, k, a4):
    def f(t):
        p = origin + t * direction
        return p[2] - z0 - sag(p[0] ** 2 + p[1] ** 2, c, k, a4)

    return newton(f, (z0 - origin[2]) / direction[2], tol=1e-13)


def refract(d, n, eta):
    cos_i = -np.dot(n, d)
    k = 1 - eta**2 * (1 - cos_i**2)
    return eta * d + (eta * cos_i - np.sqrt(k)) * n


def normal(p, c, k, a4):
    r2 = p[0] ** 2 + p[1] ** 2
    slope = c / np.sqrt(1 - (1 + k) * c**2 * r2) + 4 * a4 * r2
    n = np.array([p[0] * slope, p[1] * slope, -1.0])
    return n / np.linalg.norm(n)


def spot_size(params):
    """Root mean square radius in the focal plane of a single lens."""
    c1, k1, a1, c2, thickness = params
    index = 1.5
    hits = []
    for x in np.linspace(-2, 2, 5):
        for y in (0.0, 1.0):
            o, d = np.array([x, y, -5.0]), np.array([0.0, 0.0, 1.0])
            t = intersect(o, d, 0.0, c1, k1, a1)
            p = o + t * d
            d = refract(d, normal(p, c1, k1, a1), 1 / index)
            t = intersect(p, d, thickness, c2, 0.0, 0.0)
            p = p + t * d
            d = refract(d, normal(p, c2, 0.0, 0.0), index)
            t = (30.0 - p[2]) / d[2]
            hits.append((p + t * d)[:2])
    hits = np.array(hits)
    return np.sqrt(np.mean(np.sum((hits - hits.mean(axis=0)) ** 2, axis=1)))


@dataclass
class Atmosphere:
    surface: float = 2.9e-1
    height: float = 2.0

    def index(self, z):
        return 1 + self.surface * np.exp(-z / self.height)

    def d_index(self, z):
        return -self.surface / self.height * np.exp(-z / self.height)


@dataclass
class Fermat:
    """Light between two media takes the fastest way; where it crosses is a root."""

    air: Atmosphere
    glass: float

    def crossing(self, a, b):
        n1, n2 = self.air.index(a[1]), self.glass

        def delay(x):
            return n1 * (x - a[0]) / np.hypot(x - a[0], a[1]) - n2 * (b[0] - x) / np.hypot(b[0] - x, b[1])

        return brentq(delay, a[0], b[0], xtol=1e-14)

    def turning(self, angle):
        sol = root_scalar(
            lambda z, inv: self.air.index(z) - inv,
            args=(self.air.index(0.0) * np.cos(angle),),
            x0=0.5,
            fprime=lambda z, inv: self.air.d_index(z),
            method="newton",
        )
        assert sol.converged
        return sol.root

    def all_at_once(self, angles):
        """The same for many angles: `newton` of an array."""
        inv = self.air.index(0.0) * np.cos(angles)
        return newton(lambda z: self.air.index(z) - inv, np.full(len(angles), 0.3), fprime=self.air.d_index, tol=1e-13)


def travel_time(x):
    lens = Fermat(Atmosphere(surface=x[0], height=x[1]), glass=x[2])
    a, b = (0.0, 1.0 + x[3]), (2.0, 0.7)
    c = lens.crossing(a, b)
    time = lens.air.index(a[1]) * np.hypot(c - a[0], a[1]) + lens.glass * np.hypot(b[0] - c, b[1])
    heights = lens.all_at_once(np.linspace(0.1, 0.3, 3))
    return time + c**2 + lens.turning(0.2) * np.sum(heights)


PROGRAMS = [
    (spot_size, np.array([0.06, -0.5, 1e-4, -0.03, 1.0])),
    (travel_time, np.array([0.29, 2.0, 1.5, 0.2])),
]
