"""Arrays without elements: they keep their shapes, also where the text has a list in their place."""

import copy

import numpy as np
import pytest

import morula


def made(n, x):
    rows = np.ones((n, 3))
    for i in range(n):
        rows[i, 0] = x * rows[i, 1]
    return rows, x * x


def returned(n, x):
    rows = np.zeros((0, 2))
    return rows, n * x * x


def given(rows, x):
    for i in range(len(rows)):
        rows[i, 0] = x * rows[i, 1]
    return rows * 1.0, x * x


def trajectory(x):
    path, p = np.zeros((0, 2)), np.array([x, 0.3])
    for _ in range(3):
        p = p + 0.1 * np.array([p[1], -p[0]])
        path = np.vstack((path, p))
    return np.sum(path**2)


@pytest.mark.parametrize("f, many, none", [(made, 2, 0), (returned, 2, 0), (given, np.ones((2, 2)), np.zeros((0, 2)))])
def test_an_array_without_rows_keeps_its_width(f, many, none):
    with morula.tier("static"):
        for rows in (none, many, none):
            (array, y), _ = morula.pullback(f, copy.copy(rows), 1.5)
            expected, number = f(copy.copy(rows), 1.5)
            assert array.shape == expected.shape
            assert np.array_equal(array, expected)
            assert y == number


def test_rows_come_to_an_array_that_had_none():
    with morula.tier("eager"):
        expected = morula.withgradient(trajectory, 0.7)
    with morula.tier("static"):
        for _ in range(3):
            found = morula.withgradient(trajectory, 0.7)
            assert found.value == expected.value
            assert found.gradient == pytest.approx(expected.gradient)
