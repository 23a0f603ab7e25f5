"""Jacobians of compiled functions, which run compiled code once, against central differences."""

import math
from itertools import product

import numpy as np
import pytest
from numba import njit, prange

import morula
from morula.static.tiers import jacobians


@njit
def turned(r, x):
    theta = np.sqrt(r @ r)
    axis = r / theta
    return x * math.cos(theta) + np.cross(axis, x) * math.sin(theta) + axis * (axis @ x) * (1.0 - math.cos(theta))


@njit
def scaled(x, s, n):
    y = np.empty((2, len(x)))
    for i in range(len(x)):
        y[0, i] = x[i] ** n * s
        y[1, i] = math.sin(s) + x[i] * x[(i + 1) % len(x)]
    return y


@njit
def number(x, s):
    return s * np.sum(x * x) + math.exp(s)


@njit
def curve(s):
    return np.array([math.cos(s), math.sin(s), s * s])


@njit
def mixed(w, s, x):
    """Of 18 arguments 24 numbers: more than one block of columns, and one that ends inside an argument."""
    y = np.empty((4, 6))
    for i in range(4):
        for j in range(6):
            a = 1.0 / (1.0 + w[i, j % 2] * s) if j % 3 else w[i, j % 2] ** 2
            y[i, j] = math.sqrt(abs(x[(i + j) % 9])) * a + max(s, x[i]) / (2.0 + x[j] ** 2)
    return y * y[0, 1]


@njit
def totals(w, x):
    return np.array([np.sum(np.sin(w @ x)), np.linalg.norm(x)]).sum()


def differences(f, args, k, **constants):
    h = 1e-6
    x = np.asarray(args[k], float)
    y = np.asarray(f(*args, **constants))
    found = np.empty(y.shape + x.shape)
    for at in product(*map(range, x.shape)):
        sides = []
        for step in (h, -h):
            moved = x.copy()
            moved[at] += step
            given = list(args)
            given[k] = moved if x.ndim else float(moved)
            sides.append(np.asarray(f(*given, **constants)))
        found[(..., *at)] = (sides[0] - sides[1]) / (2 * h)
    return found


CALLS = [
    (turned, (np.array([0.3, -0.2, 0.5]), np.array([1.0, 2.0, -1.0])), {}),
    (scaled, (np.array([0.5, 1.5, 2.5, 0.7]), 0.8), {"n": 3}),
    (number, (np.array([[0.5, 1.5], [1.0, 2.0]]), 0.8), {}),
    (curve, (0.4,), {}),
    (mixed, (np.linspace(0.3, 1.2, 8).reshape(4, 2), 0.7, np.sin(np.arange(1.0, 10.0))), {}),
    (totals, (np.linspace(0.3, 1.2, 12).reshape(3, 4), np.array([0.3, -0.2, 0.8, 0.5])), {}),
]


@pytest.mark.parametrize("mode", [None, "forward", "reverse"])
@pytest.mark.parametrize(("f", "args", "constants"), CALLS, ids=[f.__name__ for f, _, _ in CALLS])
def test_jacobians_in_compiled_code(f, args, constants, mode):
    found = jacobians.value_and_jacobians(f, args, constants, mode)
    assert found is not None
    y, blocks = morula.withjacobian(f, *args, mode=mode, **constants)
    np.testing.assert_array_equal(y, f(*args, **constants))
    for k, a in enumerate(args):
        wanted = differences(f, args, k, **constants)
        assert np.shape(blocks[k]) == np.shape(y) + np.shape(a)
        np.testing.assert_allclose(blocks[k], wanted, atol=1e-8, rtol=1e-7)
        np.testing.assert_array_equal(blocks[k], found[1][k])


def test_a_value_of_another_length():
    @njit
    def first(x, n):
        return x[:n] ** 2

    x = np.arange(1.0, 6.0)
    for n in (2, 5, 1, 0):
        np.testing.assert_array_equal(morula.jacobian(first, x, n=n)[0], np.diag(2 * x)[:n])


def test_an_argument_without_effect_has_zeros():
    @njit
    def only(x, s):
        return 2.0 * x

    _, by_s = morula.jacobian(only, np.ones(3), 2.0)
    assert by_s.tolist() == [0.0, 0.0, 0.0]


def test_draws_and_prints_are_left_to_the_engine(capsys):
    @njit
    def noisy(x):
        print("once")
        return x * 2.0

    assert morula.jacobian(noisy, np.ones(2))[0].tolist() == [[2.0, 0.0], [0.0, 2.0]]
    assert jacobians.value_and_jacobians(noisy, (np.ones(2),), {}, None) is None


def test_written_arguments_are_left_as_they_were():
    @njit
    def squared(x):
        x[0] = x[0] * x[0]
        return x

    x = np.array([3.0, 2.0])
    np.testing.assert_array_equal(morula.jacobian(squared, x)[0], [[6.0, 0.0], [0.0, 1.0]])
    assert x.tolist() == [3.0, 2.0]


def test_infinite_seeds_stay_strong_zeros():
    @njit
    def root(x):
        return np.sqrt(x * x)

    assert morula.jacobian(root, np.array([0.0, 2.0]))[0].tolist() == [[0.0, 0.0], [0.0, 1.0]]


def test_columns_where_there_are_no_lanes():
    @njit(parallel=True)
    def doubled(x):
        y = np.empty(len(x))
        for i in prange(len(x)):
            y[i] = x[i] * x[i]
        return y

    x = np.arange(1.0, 8.0)
    np.testing.assert_array_equal(morula.jacobian(doubled, x, mode="forward")[0], np.diag(2 * x))


@njit
def banded(x):
    y = np.empty_like(x)
    n = len(x)
    for i in range(n):
        y[i] = math.sin(x[i]) * x[(i + 1) % n] + x[i - 1] ** 2 * x[(i + 5) % n]
    return y


@pytest.mark.parametrize("n", [9, 40, 5000])  # of few columns, and beside a large array
def test_compressed_columns(n):
    pytest.importorskip("scipy")
    x = np.sin(np.arange(float(n)))
    found = morula.sparse_jacobian(banded, x).toarray()
    for k in {0, 1, n // 2, n - 1}:
        unit = np.eye(1, n, k)[0]
        want = (banded(x + 1e-6 * unit) - banded(x - 1e-6 * unit)) / 2e-6
        np.testing.assert_allclose(found[:, k], want, atol=1e-8)
