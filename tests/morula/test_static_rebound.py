"""Names that stand for another array in the next turn of a loop, and functions that write into what they hold."""

import numpy as np
import pytest
from static_checks import check_programs, check_static
from tests.fuzz.plain_rebound import ReboundWriter

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

X = np.linspace(0.2, 1.3, 12)


def put(a, k):
    a[0] = k


def doubled(a, k):
    a *= k


def argument(x):
    u = np.zeros(len(x))
    for i in range(3):
        put(u, x[i])
        u = x
    return x.sum()


def local(x):
    u, y = np.zeros(len(x)), x * 1.0
    i = 0
    while i < 3:
        put(u, y[i] * 2.0)
        u = y
        i += 1
    return (y * y).sum()


def in_a_branch(x):
    u, y = np.zeros(len(x)), x * 1.0
    for i in range(4):
        put(u, y[i + 1] * y[i])
        if y[0] > 0.05:
            u = y
    return (y * y).sum()


def as_a_whole(x):
    u, y = np.ones(len(x)), x * 1.0
    for i in range(3):
        doubled(u, y[i])
        u = y
    return (y * y).sum()


def by_turns(x):
    u, v = x * 1.0, x + 1.0
    for i in range(4):
        put(u, v[i])
        u, v = v, u
    return (u * u).sum() + v[0] * v[1]


@pytest.mark.parametrize("f", [argument, local, in_a_branch, as_a_whole, by_turns])
def test_what_a_name_stands_for(f):
    for n in (12, 5):
        check_static(f, (X[:n].copy(),))


def test_random_programs():
    check_programs(ReboundWriter, range(45), 16)
