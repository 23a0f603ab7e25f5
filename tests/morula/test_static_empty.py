"""Arrays without elements: they keep their shapes, also where the text has a list in their place."""

import copy

import numpy as np
import pytest
from static_checks import check_programs, check_static
from tests.fuzz.plain_grown import GrownWriter

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


class Log:
    def __init__(self):
        self.t, self.rows = np.array([]), np.zeros((0, 2))

    def add(self, t, p):
        self.t = np.append(self.t, t)
        self.rows = np.append(self.rows, [p], axis=0)


def appended(x):
    t, y = np.array([]), x[0]
    for _ in range(12):
        y = y + 0.05 * (x[1] * y - y**3)
        t = np.append(t, y)
    return np.mean(t**2) + t[-1]


def joined(x):
    path, columns = np.array([x]), np.empty((4, 0))
    for i in range(6):
        path = np.concatenate([path, [path[-1] * 0.9 + 0.1]])
        columns = np.hstack((columns, np.tanh(path[i])[:, None]))
    return np.sum(np.diff(path, axis=0) ** 2) + np.sum(columns * columns)


def logged(x):
    log, p = Log(), x[:2]
    for i in range(5):
        log.add(i * x[3], p)
        p = p * x[2] + 0.1
    return log.t @ log.rows[:, 0] + log.rows.sum() + len(log.t)


def kept(x):
    t = np.empty(0)
    t = np.append(t, 3)
    old, t = t, np.append(t, [x[0], 2])
    t[0] *= x[1]
    return old.sum() * x[2] + t.sum() ** 2 + np.append(np.outer(x, x), t).sum()


def without_elements(x):
    none, rows = x[:0], np.zeros((0, 4))
    doubled = none * 2 + 1
    doubled += x[0]
    doubled[:] = x[1]
    total = np.sum(none) * x[0] + np.prod(none) * x[2] + none @ none + np.linalg.norm(doubled) + doubled.sum()
    return total + np.sum(rows @ x) + np.sum(rows * x, axis=0) @ x + (rows.T @ rows).sum() + x[3] ** 2


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("f", [appended, joined, logged, kept, without_elements])
def test_arrays_that_grow_from_none(f):
    x = np.array([0.7, 0.3, -0.4, 1.1])
    check_static(f, (x,))
    with morula.tier("eager"):
        expected = morula.jvp(f, (x,), (np.ones(4),))
    with morula.tier("static"):
        for _ in range(2):
            found = morula.jvp(f, (x,), (np.ones(4),))
            assert found == pytest.approx(expected)


def test_random_programs_with_arrays_that_grow():
    check_programs(GrownWriter, range(30), 8)
