import GTC
import numpy as np
from GTC import cos, sin, sqrt, ureal

CALLS: dict = {}


def product(x, y, ux):
    a, b = ureal(x, ux), ureal(y, 0.2)
    z = a * sin(b) + sqrt(a) / b
    return GTC.value(z), GTC.uncertainty(z)


def correlated(x, r):
    a, b = GTC.multiple_ureal([x, 1.3], [0.1, 0.2], 5)
    GTC.set_correlation(r, a, b)
    z = a**2 * cos(b)
    return z.x, z.u, z.df


def fitted(y):
    fit = GTC.ta.line_fit([1.0, 2.0, 3.0, 4.0], list(y))
    a, b = fit.a_b
    return a.x, a.u, b.x, b.u


CALLS["product"] = (product, 1.7, 0.9, 0.1)
CALLS["correlated"] = (correlated, 1.7, 0.4)
CALLS["line_fit"] = (fitted, np.array([1.1, 1.9, 3.2, 3.9]))
CALLS["estimate"] = (lambda x: (GTC.ta.estimate(list(x)).x, GTC.ta.estimate(list(x)).u), np.array([1.1, 1.4, 0.9]))
CALLS["reporting"] = (lambda x: GTC.rp.sensitivity(ureal(x, 0.1, label="a") ** 2, ureal(1.0, 0.1)) + x**2, 1.3)
