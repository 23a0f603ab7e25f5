"""Ranges that are kept, handed to `itertools` or made lists of: they are no tuples."""

import itertools

import numpy as np
import pytest
from static_checks import check_static, found_by

import morula

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

X = np.array([0.7, 0.3, -0.4, 1.1])


def pairs(x):
    n, total = len(x), 0.0
    for i, j in itertools.combinations(range(n), 2):
        total += x[i] * x[j] ** 2
    for i, j in itertools.product(list(range(n)), range(2)):
        total -= x[i] * x[j]
    return total


def kept(x):
    r = range(len(x))
    total = sum(x[i] * i for i in r) + x[r[-1]] * len(r) + sum(r[1:]) * x[0] + np.sum(x * np.array(r))
    return total + x[1] * max(r)


def appended(x):
    steps = list(range(len(x)))
    steps.append(7)
    return x[0] * sum(steps) * len(steps) + [*range(len(x)), 1][2] * x[1]


@pytest.mark.parametrize("f", [pairs, kept, appended])
def test_ranges_of_as_many_numbers_as_an_array(f):
    for n in (4, 3, 4):
        check_static(f, (X[:n],))


def is_range(x):
    r = range(3)
    return x[0] * (2 if isinstance(r, range) else 3)


def is_tuple(x):
    r = range(len(x))
    return x[0] * (2 if isinstance(r, tuple) else 3) + (1 if type(r) is range else 0)


def equals(x):
    r = range(3)
    return x[0] * (2 if r == (0, 1, 2) else 3) * (4 if r == range(3) else 5)


def added(x):
    r = range(len(x))
    more = (1,)
    r = r + more
    return x[0] * len(r)


def in_branches(x):
    r = range(3) if x[0] > 0 else (0, 1, 2)
    return x[0] * (2 if isinstance(r, range) else 3)


def told(x):
    r, s = range(3), range(len(x))
    return x[0] * len(str(r)) + x[1] * len(f"{s}")


def handed(r):
    return 2.0 if isinstance(r, range) else 3.0


def called(x):
    return x[0] * handed(range(2)) + x[1] * handed(range(len(x)))


@pytest.mark.parametrize("f", [is_range, is_tuple, equals, added, in_branches, told, called])
def test_a_range_is_no_tuple(f):
    eager, static = found_by("eager", f, (X,)), found_by("static", f, (X,))
    assert repr(static) == repr(eager)


def test_a_range_is_returned_as_one():
    def f(x):
        r = range(len(x))
        return x[0] * 2, r

    for _ in range(2):
        with morula.tier("static"):
            (_, r), _ = morula.pullback(f, X)
        assert r == range(4)
