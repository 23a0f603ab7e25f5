"""Tables that are filled by maxima and minima: backward loops look first whether an entry has a cotangent."""

import math

import numpy as np
import pytest

numba = pytest.importorskip("numba")

from morula_helpers import assert_same
from native_helpers import check
from numba import njit

import morula

RNG = np.random.default_rng(7)
U, V = RNG.normal(size=6), RNG.normal(size=7)


@njit
def alignment(u, v, gap):
    best = np.zeros((len(u) + 1, len(v) + 1))
    for i in range(1, len(u) + 1):
        best[i, 0] = best[i - 1, 0] - gap
        for j in range(1, len(v) + 1):
            same = best[i - 1, j - 1] + u[i - 1] * v[j - 1]
            best[i, j] = max(same, best[i - 1, j] - gap, best[i, j - 1] - gap)
    return best[-1, -1] * gap


@njit
def warped(u, v, p):
    """Off the path, the distance has an infinite slope somewhere."""
    cost = np.full((len(u) + 1, len(v) + 1), np.inf)
    cost[0, 0] = 0.0
    for i in range(len(u)):
        for j in range(len(v)):
            step = math.sqrt(abs(u[i] - v[j])) * p
            cost[i + 1, j + 1] = step + min(cost[i, j], min(cost[i, j + 1], cost[i + 1, j]))
    return cost[-1, -1]


@njit
def in_one_row(u, v, p):
    row = np.zeros(len(v) + 1)
    total = 0.0
    for i in range(len(u)):
        for j in range(1, len(v) + 1):
            row[j] = max(row[j - 1] * p, row[j] + u[i] * v[j - 1])
        total += row[i % len(v)]
    return total + row[-1]


@pytest.mark.parametrize("f", [alignment, warped, in_one_row])
def test_tables(f):
    check(f, U, V, 0.4)


@pytest.mark.parametrize("f", [alignment, warped])
def test_entries_off_the_path_are_passed_over(f):
    assert "_bar != 0.0:" in morula.code_adjoint(f, U, V, 0.4)


def test_slopes_off_the_path_do_not_count():
    u, v = np.array([0.0, 1.0, 5.0]), np.array([0.2, 1.5, 0.0])
    want = morula.gradient(warped.py_func, u, v, 0.4)
    assert all(np.isfinite(w).all() for w in want)
    assert_same(morula.gradient(warped, u, v, 0.4), want, rtol=1e-12)


@njit
def scaled(w, u, v):
    return alignment(u, v, w[0]) * w[1]


def test_second_derivatives_where_the_cotangent_is_zero():  # but its tangent is not
    w, along, h = np.array([0.4, 0.0]), np.array([0.3, 1.0]), 1e-6
    ahead, behind = (morula.grad(scaled, 0)(w + s * along, U, V) for s in (h, -h))
    want = (ahead - behind) / (2 * h)
    assert np.abs(want).min() > 1e-3
    assert_same(morula.hvp(scaled, w, along, u=U, v=V), want, rtol=1e-5)


@njit
def of_elements(w, n):
    """The loads leave the loop, after which they may be out of bounds; so there is a test before what is added."""
    total = 0.0
    for i in range(n):
        total += w[1] * w[0] * i
    return total


def test_second_derivatives_of_loads_that_have_left_a_loop():
    w, along = np.array([0.7, 0.0]), np.array([0.3, 1.0])
    assert_same(morula.hvp(of_elements, w, along, n=4), np.array([6.0, 1.8]))
    assert_same(morula.hessian(of_elements, w, n=4), np.array([[0.0, 6.0], [6.0, 0.0]]))
    assert_same(morula.hvp(of_elements, w[:0], along[:0], n=0), np.zeros(0))
