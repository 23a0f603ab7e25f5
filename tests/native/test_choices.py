"""What loops choose among their iterations: gradients and Hessian products against central differences."""

import math

import numpy as np
import pytest
from numba import njit

import morula


@njit
def runmax(x):
    b = -np.inf
    for i in range(len(x)):
        if x[i] * x[i] > b:
            b = x[i] * x[i]
    return b * x[0]


@njit
def runmax2(x):
    b = 0.3
    for i in range(len(x)):
        b = max(b, math.sin(x[i]) * 2)
    return b * b


@njit
def runmin2(x):
    b = 0.3
    for i in range(len(x)):
        b = min(math.sin(x[i]) * 2, b)
    return b * b


@njit
def depends(x):
    b = 0.0
    for i in range(len(x)):
        v = x[i] + 0.5 * b
        if v > b:
            b = v
    return b


@njit
def other(x):
    b = -10.0
    s = 0.0
    for i in range(len(x)):
        s += x[i] ** 2
        v = x[i] * s
        if v > b:
            b = v
    return b + s


@njit
def idx(x, y):
    b = np.inf
    j = -1
    for i in range(len(x)):
        d = 0.0
        for k in range(x.shape[1]):
            d += (x[i, k] - y[k]) ** 2
        if d < b:
            b = d
            j = i
    return b + x[j, 0] * 3


@njit
def brk(x):
    b = -1.0
    for i in range(len(x)):
        v = math.exp(x[i])
        if v > b:
            b = v
        if b > 2.0:
            break
    return b


@njit
def nested(x):
    t = 0.0
    for i in range(x.shape[0]):
        b = -np.inf
        for j in range(x.shape[1]):
            v = x[i, j] * x[j, i]
            if j != i and v > b:
                b = v
        t += b * b
    return t


@njit
def written(x):
    y = x.copy()
    t = 0.0
    for _i in range(x.shape[0]):
        b = -np.inf
        for j in range(x.shape[0]):
            v = y[j] * y[j]
            if v > b:
                b = v
            y[j] = y[j] * 0.9 + 0.1 * b
        t += b
    return t


@njit
def twice(x):
    a = b = -np.inf
    for i in range(len(x)):
        v = x[i]
        if v > a:
            b = a
            a = v
        elif v > b:
            b = v
    return a * 2 + b * b


@njit
def swap2(x):
    lo = np.inf
    hi = -np.inf
    for v in x:
        if v < lo:
            lo = v
        if v > hi:
            hi = v
    return (hi - lo) ** 2


@njit
def down(x):
    b = 0.0
    for i in range(len(x) - 1, -1, -2):
        if x[i] > b:
            b = x[i]
    return b * b


@njit
def dd(x):
    peak = x[0]
    m = 0.0
    for i in range(1, len(x)):
        if x[i] > peak:
            peak = x[i]
        d = (peak - x[i]) / peak
        if d > m:
            m = d
    return m


@njit
def used(x):
    b = x[0]
    t = 0.0
    for i in range(1, len(x)):
        if x[i] > b:
            b = x[i]
        t += b * b
    return t + b


X = np.random.default_rng(1).normal(size=7)
M = np.random.default_rng(2).normal(size=(6, 6))
PROGRAMS = [(f, X) for f in (runmax, runmax2, runmin2, depends, other, brk, written, twice, swap2, down, used)]
PROGRAMS += [(nested, M), (dd, np.abs(X) + 1.0)]


def differences(f, x, h=1e-6):
    found = np.empty(x.shape)
    for at in np.ndindex(*x.shape):
        step = np.zeros(x.shape)
        step[at] = h
        found[at] = (f(x + step) - f(x - step)) / (2 * h)
    return found


@pytest.mark.parametrize(("f", "x"), PROGRAMS, ids=[f.__name__ for f, _ in PROGRAMS])
def test_choices(f, x):
    np.testing.assert_allclose(morula.gradient(f, x)[0], differences(f, x), atol=1e-7)
    v = np.random.default_rng(3).normal(size=x.shape)
    h = 1e-5
    wanted = (morula.gradient(f, x + h * v)[0] - morula.gradient(f, x - h * v)[0]) / (2 * h)
    np.testing.assert_allclose(morula.hvp(f, x, v), wanted, atol=1e-6)


@pytest.mark.parametrize("columns", [3, 70])
def test_the_nearest_row(columns):
    rng = np.random.default_rng(4)
    x, y = rng.normal(size=(5, columns)), rng.normal(size=columns)
    by_x, by_y = morula.gradient(idx, x, y)
    np.testing.assert_allclose(by_x, differences(lambda a: idx(a, y), x), atol=1e-6)
    np.testing.assert_allclose(by_y, differences(lambda a: idx(x, a), y), atol=1e-6)


@pytest.mark.parametrize("x", [[np.nan, 0.2], [0.2, np.nan], [np.nan]])
@pytest.mark.parametrize("f", [runmax, runmax2, runmin2])
def test_what_is_no_number_is_chosen_as_the_program_does(f, x):
    x = np.array(x)
    np.testing.assert_equal(morula.withgradient(f, x).value, f(x))


def test_ties_go_where_those_of_two_numbers_go():
    x = np.array([1.0, 3.0, 3.0])

    @njit
    def largest(x):
        found = x[0]
        for i in range(1, len(x)):
            found = max(found, x[i])
        return found

    @njit
    def smallest(x):
        found = -x[0]
        for i in range(1, len(x)):
            found = min(found, -x[i])
        return found

    assert morula.gradient(largest, x)[0].tolist() == [0.0, 0.0, 1.0]
    assert morula.gradient(smallest, x)[0].tolist() == [0.0, -1.0, 0.0]


def test_the_way_back_goes_through_one_iteration():
    assert "place" in morula.code_adjoint(idx, np.ones((3, 2)), np.ones(2))
