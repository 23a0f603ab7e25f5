"""Least values, costs and covariances where what a solver's function reads is another thing afterwards.

Their derivatives may be worked out in the backward pass, and are those of the function as the solver called it.
"""

import numpy as np
import pytest
from scipy import optimize
from scipy_checks import check

SCALE = 1.5
T = np.linspace(0, 1, 9)


class Holder:
    p = 1.0


def minimum(f):
    return optimize.minimize(lambda z: (z[0] - f(z)) ** 2 + 0.1 * z[0] ** 4, [0.3], tol=1e-12).fun


def rebound(x, y):
    p = y * 1.0
    least = minimum(lambda z: p)
    p = 3.0 * x
    return least * x + p


def rebound_to_a_constant(x, y):
    p = y * 1.0
    least = minimum(lambda z: p)
    p = 2.0
    return least * x * p


def constant_rebound(x, y):
    p = 2.0
    least = minimum(lambda z: p * y)
    p = x
    return least * x + p


def function_rebound(x, y):
    f = lambda z: y * 1.0
    least = minimum(lambda z: f(z))
    f = lambda z: 3.0 * x
    return least * x + f(0.0)


def inner_rebound(x, y):
    p = y * 1.0

    def f(z):
        return p * 1.0

    least = minimum(lambda z: f(z) + x)
    p = 3.0 * x
    return least * x + p


def dict_changed(x, y):
    d = {"p": y * 1.0}
    least = minimum(lambda z: d["p"])
    d["p"] = 3.0 * x
    return least * x + d["p"]


def object_changed(x, y):
    h = Holder()
    h.p = y * 1.0
    least = minimum(lambda z: h.p)
    h.p = 3.0 * x
    return least * x + h.p


def list_changed(x, y):
    d = [y * 1.0]
    least = minimum(lambda z: d[0])
    d.append(x)
    d[0] = 3.0 * x
    return least * x + d[0]


def array_written(x, y):
    w = np.array([y, x])
    least = minimum(lambda z: w[0])
    w[0] = 3.0 * x
    return least * x + w[0]


def global_rebound(x, y):
    global SCALE
    SCALE = 1.5
    least = minimum(lambda z: SCALE * y)
    SCALE = 0.5
    return least * x


def in_a_loop(x, y):
    total = 0.0
    for k in range(3):
        total = total + minimum(lambda z: y + k * x) * (k + 1)  # noqa: B023
    return total


def on_a_line(x, y):
    p = y * 1.0
    found = optimize.minimize_scalar(lambda z: (z - p) ** 2 + 0.1 * z**4)
    p = 3.0 * x
    return found.fun * x + p


def older(x, y):
    p = y * 1.0
    z, least, *_ = optimize.fmin_bfgs(lambda z: (z[0] - p) ** 2 + 0.1 * z[0] ** 4, [0.3], full_output=True, disp=0)
    p = 3.0 * x
    return z[0] * x + least + p


def cost_of_a_fit(x, y):
    p = y * 1.0
    found = optimize.least_squares(lambda z: [z[0] ** 2 + z[0] - p, z[0] * 2 - 1], [0.3], xtol=1e-15, ftol=1e-15)
    p = 3.0 * x
    return found.cost + found.fun[0] * x + found.fun[1] * 2 + p


def covariance(x, y):
    p = y * 1.0
    found = optimize.curve_fit(lambda t, u: u * t + p * u * u * t * t, T, np.sin(T), p0=[0.3], ftol=1e-14, xtol=1e-14)
    p = 3.0 * x
    return found[0][0] * x + p + 100 * found[1][0, 0]


PROGRAMS = [
    rebound, rebound_to_a_constant, constant_rebound, function_rebound, inner_rebound, dict_changed, object_changed,
    list_changed, array_written, in_a_loop, on_a_line,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_what_was_read_then_counts(f):
    check(f, -0.4, -1.2)


def test_global_variables():
    check(global_rebound, -0.4, -1.2, second=False)


@pytest.mark.parametrize("f", [older, cost_of_a_fit, covariance], ids=lambda f: f.__name__)
def test_solvers_that_find_fewer_digits(f):
    check(f, -0.4, -1.2, rtol=2e-3, second=False)
