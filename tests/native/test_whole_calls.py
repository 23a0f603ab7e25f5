"""Second derivatives of Python functions around compiled ones: each call is one operation, by generated code."""

import math

import numpy as np
import pytest
from numba import njit

import morula

X = np.array([0.3, -0.7, 1.1])
DATA = np.linspace(-1.0, 1.0, 6)


@njit
def misfit(x, data, power=2.0):
    total = 0.0
    for i in range(data.size):
        value = 0.0
        for j in range(x.size):
            value = value * data[i] + x[j]
        total += math.sin(value) ** power
    return total


@njit
def energy(a, b):
    return math.exp(a * b) + a**3 / b


@njit
def inner(x, y):
    s = 0.0
    for i in range(x.size):
        s += x[i] ** 2 * y[i]
    return s


@njit
def of_pair(p):
    return p[0] ** 2 * p[1].sum() + (p[1] ** 3).sum()


def reused(x):
    data = DATA.copy()
    first = misfit(x, data)
    data *= 0.5  # what the first call read is another one now
    return first * misfit(x, data)


def branched(x):
    found = misfit(x, DATA)
    return found**2 if found > 0.1 else -found


PROGRAMS = {
    "alone": lambda x: misfit(x, DATA),
    "by name": lambda x: misfit(x, data=DATA),
    "with another power": lambda x: misfit(x, DATA, 4.0),
    "regularised": lambda x: 3.0 * misfit(x, DATA) + 0.1 * (x @ x),
    "of what Python computes": lambda x: misfit(np.cos(x) * x, DATA),
    "of numbers": lambda x: energy(x[0], x[2]) + energy(2.0, x[2]) * x[1],
    "of itself": lambda x: energy(energy(x[0], 1.5), x[2]),
    "twice the same array": lambda x: inner(x, x),
    "views": lambda x: inner(x[:2], x[1:]) + inner(x[::-1], x),
    "a loop": lambda x: sum(misfit(x * k, DATA) for k in range(3)),
    "data that change": reused,
    "a branch": branched,
    "a tuple": lambda x: of_pair((x[0], x[1:])),
    "a factor of zero": lambda x: 0.0 * misfit(x, DATA) + x[0] ** 3,
}


def differences(f, x, h=1e-4):
    """Central differences of central differences, of fourth order: of values alone."""
    steps = ((1.0, 2.0 / 3.0), (-1.0, -2.0 / 3.0), (2.0, -1.0 / 12.0), (-2.0, 1.0 / 12.0))

    def slope(x, i):
        return sum(w * f(x + s * h * np.eye(x.size)[i]) for s, w in steps) / h

    n = x.size
    return np.array([
        [sum(w * slope(x + s * h * np.eye(n)[j], i) for s, w in steps) / h for j in range(n)] for i in range(n)
    ])  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_second_derivatives(name):
    f = PROGRAMS[name]
    wanted = differences(f, X)
    scale = max(1.0, np.abs(wanted).max())
    found = morula.hessian(f, X)
    assert np.abs(found - wanted).max() < 1e-6 * scale
    v = np.array([0.5, -1.0, 2.0])
    product = morula.hvp(f, X, v)
    np.testing.assert_allclose(product, found @ v, rtol=1e-11, atol=1e-12 * scale)
    H = morula.hvp(f, X)
    np.testing.assert_allclose(H(v), product, rtol=1e-11, atol=1e-12 * scale)
    np.testing.assert_allclose(H.gradient, morula.gradient(f, X)[0], rtol=1e-12, atol=1e-14)
    with morula.native_mode("never"):
        np.testing.assert_allclose(morula.hessian(f, X), found, rtol=1e-10, atol=1e-12 * scale)


@pytest.mark.parametrize("name", ["alone", "regularised", "of numbers", "views", "a branch"])
def test_no_python_function_is_followed(name):
    f = PROGRAMS[name]
    with morula.native_mode("require"):
        matrix = morula.hessian(f, X)
        product = morula.hvp(f, X, X)
    np.testing.assert_allclose(product, matrix @ X, rtol=1e-11, atol=1e-12)


def test_of_a_number():
    f = lambda a: energy(a, 1.3) * a
    h = 1e-4
    wanted = (morula.gradient(f, 0.4 + h)[0] - morula.gradient(f, 0.4 - h)[0]) / (2 * h)
    assert morula.hessian(f, 0.4) == pytest.approx(wanted, rel=1e-6)
    assert morula.hvp(f, 0.4, 2.0) == pytest.approx(2 * wanted, rel=1e-6)


def test_backward_over_forward_by_what_is_captured():
    """The direction is active, too."""

    def along(x, v):
        return morula.jvp(lambda x: misfit(x, DATA) * x[0], (x,), (v,))[1]

    v = np.array([0.5, -1.0, 2.0])
    by_x, by_v = morula.gradient(along, X, v)
    f = lambda x: misfit(x, DATA) * x[0]
    np.testing.assert_allclose(by_v, morula.gradient(f, X)[0], rtol=1e-12)
    np.testing.assert_allclose(by_x, differences(f, X) @ v, rtol=1e-6, atol=1e-6)


def test_third_derivatives():
    f = PROGRAMS["regularised"]
    v, h = np.array([0.5, -1.0, 2.0]), 1e-5
    found = morula.gradient(lambda x: morula.hvp(f, x, v) @ v, X)[0]
    for i, e in enumerate(np.eye(3)):
        wanted = (morula.hvp(f, X + h * e, v) @ v - morula.hvp(f, X - h * e, v) @ v) / (2 * h)
        assert found[i] == pytest.approx(wanted, rel=1e-5, abs=1e-5)


@njit
def kinked(a):
    return math.sqrt(a)


def test_where_a_derivative_is_infinite():
    f = lambda a: 0.0 * kinked(a) + a**2
    with morula.native_mode("never"):
        wanted = morula.hessian(f, 0.0)
    assert morula.hessian(f, 0.0) == wanted
    assert morula.hvp(f, 0.0, 1.0) == wanted
