"""Static adjoints of `np.vectorize`, `np.fromfunction`, `np.block` and `np.dstack`."""

import math

import numpy as np
import pytest
from static_checks import alike, check_static, found_by

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

A = np.array([0.7, 0.3, -0.4, 1.1])
K = 2.0


def soft(x, t=0.1):
    if x > t:
        return x - t
    return x + t if x < -t else 0.0 * x


vsoft = np.vectorize(soft)


@np.vectorize
def clamped(x, low):
    return max(x, low) * K


def of_a_matrix(a):
    return np.sum(vsoft(np.outer(a, a), 0.2) ** 2) + np.sum(vsoft(a)) + vsoft(a * a[0])[1] * a[0]


def decorated(a):
    return clamped(a, 0.1).sum()


def made_inside(a):
    k = a[0] * 2.0

    def g(x):
        return k * math.sin(x) if x > 0 else x**3

    return np.sum(np.vectorize(g)(a)) + np.vectorize(lambda x, y: x * y)(a, a[1]).sum()


def in_a_loop(a):
    s = a
    for _ in range(5):
        s = vsoft(s, 0.05) * 1.1
    return s @ a


def by_places(a):
    m = np.fromfunction(lambda i, j: a[0] ** 2 * np.exp(-((i - j) ** 2) * 0.3) + i * a[1], (4, 3))
    e = np.fromfunction(lambda i, j: (i == j) * 1.0, (4, 4), dtype=int)
    return np.sum(m**2) + a @ e @ a + np.fromfunction(np.hypot, (3, 2)).sum() * a[0]


def blocks(a):
    m = a.reshape(2, 2)
    b = np.block([[m + 2 * np.eye(2), np.zeros((2, 1))], [a[:2], np.ones(1)]])
    return np.sum(np.linalg.inv(b) ** 2) + np.sum(np.block([m, m.T]) ** 3) + np.block([a, a[:2]]) @ np.arange(6.0)


def deep(a):
    m = np.outer(a, a)
    return np.sum(np.dstack([m, m.T])[0] ** 2 * np.arange(2.0)) + np.sum(np.dstack((a, a * a))[0, 1])


@pytest.mark.parametrize(
    "f", [of_a_matrix, decorated, made_inside, in_a_loop, by_places, blocks, deep], ids=lambda f: f.__name__
)
def test_arrays_made_of_others(f):
    check_static(f, (A,))
    check_static(f, (A[::-1] * 0.7,))


def integers_first(a):
    return np.sum(np.vectorize(lambda x: 1 if x > 0.5 else x)(a))


def integers_last(a):
    return np.sum(np.vectorize(lambda x: x if x > 0.5 else 1)(a))


def counting(a):
    n = [0]

    def g(x):
        n[0] += 1
        return x * n[0]

    return np.sum(np.vectorize(g)(a))


def drawing(a):
    rng = np.random.default_rng(0)
    return np.sum(np.vectorize(lambda x: x * rng.random())(a))


def with_a_type(a):
    return np.sum(np.vectorize(lambda x: x * x, otypes=[int])(a * 3))


def of_two_arrays(a):
    return np.sum(np.vectorize(lambda x, y: x * y)(a, a[:, None]))


def of_nothing(a):
    return np.sum(np.vectorize(lambda x: x * x)(a[:0]))


def dividing(a):
    return np.sum(np.vectorize(lambda x: 1.0 / x)(a - 0.3))


OTHERS = [integers_first, integers_last, counting, drawing, with_a_type, of_two_arrays, of_nothing, dividing]


@pytest.mark.parametrize("f", OTHERS, ids=lambda f: f.__name__)
def test_as_the_eager_tier(f):
    for args in ((A,), (A[::-1].copy(),), (A,)):
        eager, static = found_by("eager", f, args), found_by("static", f, args)
        if isinstance(eager, type):
            assert static is eager
        else:
            assert repr(static.value) == repr(eager.value) and alike(static.gradient, eager.gradient)
