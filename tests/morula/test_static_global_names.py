"""Global variables that programs assign: counters of calls, the best value so far."""

import math
import sys

import numpy as np
import pytest
from static_checks import alike, check_static, found_by

import morula

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

X = np.array([0.7, 0.3, -0.4, 1.1])
N, BEST, TOTAL, FLAG = 0, 1e9, 0.5, False


def reset():
    global N, BEST, TOTAL, FLAG
    N, BEST, TOTAL, FLAG = 0, 1e9, 0.5, False


def state():
    return N, BEST, TOTAL, FLAG


def wave(a):
    s = 0.0
    for i in range(20):
        s += math.sin(a[i % 4]) * i
    return s


def counter(a):
    global N
    N += 1
    return wave(a)


def best_so_far(a):
    global BEST, N
    s = wave(a)
    if s < BEST:
        BEST = float(s)
        N = N + 1
    return s * (2.0 if BEST < 0 else 1.0)


def active(a):
    global TOTAL
    TOTAL = 0.5
    for v in a:
        TOTAL += v * v
    return TOTAL * sum([v * TOTAL for v in a])


def early(a):
    global N, FLAG
    N += 1
    if a[0] > 0.5:
        FLAG = True
        return a[1] * 2.0
    FLAG = False
    return a[0] * a[1]


@pytest.mark.parametrize("f", [counter, best_so_far, active, early])
def test_static(f):
    for args in (X, -X):
        reset()
        check_static(f, (args,))


def reader(x):
    return x * TOTAL


def read_by_another(a):
    global TOTAL
    TOTAL = a[0] * 2.0
    return reader(a[1]) + TOTAL


def read_by_one_of_its_own(a):
    global TOTAL
    TOTAL = a[0] * 2.0
    return (lambda v: v * TOTAL)(a[1])


def read_before(a):
    y = reader(a[0])

    def change():
        global TOTAL
        TOTAL = a[1] * 3.0

    change()
    return y * reader(a[1])


def read_by_its_module(a):
    global TOTAL
    TOTAL = a[0] * 2.0
    return sys.modules[__name__].TOTAL * a[1]


def not_a_number(a):
    global TOTAL
    TOTAL = a * 2.0
    y = TOTAL.sum()
    TOTAL = 0.5
    return y


def read_by_scipy(a):
    global TOTAL
    integrate = pytest.importorskip("scipy.integrate")
    TOTAL = a[0] * 2.0
    return integrate.quad(lambda t: t * TOTAL, 0.0, 1.0)[0]


def fails(a):
    global N
    N += 1
    return math.sqrt(-a[0] * a[0])


EVERY = [counter, best_so_far, active, early, read_by_another, read_by_one_of_its_own, read_before, read_by_its_module,
         not_a_number, read_by_scipy]  # fmt: skip


@pytest.mark.parametrize("f", EVERY)
def test_both_tiers_leave_the_same(f):
    found = []
    for tier in ("eager", "static"):
        reset()
        found.append((*[found_by(tier, f, (X * k,)) for k in (1.0, -0.5, 1.0)], state()))
    eager, static = found
    assert static[-1] == eager[-1]
    for one, other in zip(static[:-1], eager[:-1], strict=True):
        assert repr(one.value) == repr(other.value)
        assert alike(one.gradient, other.gradient)


def by_pullback(f):
    _, back = morula.pullback(f, X)
    return back(1.0), back(2.0)


VERBS = [
    lambda f: morula.gradient(f, X), by_pullback, lambda f: morula.jvp(f, (X,), (np.ones(4),)),
    lambda f: morula.jacobian(f, X), lambda f: morula.hvp(f, X, np.ones(4)), lambda f: morula.value_and_grad(f)(X),
]  # fmt: skip


@pytest.mark.parametrize("verb", VERBS)
def test_verbs_leave_the_same(verb):
    for f in (counter, early):
        left = []
        for tier in ("eager", "static", "static"):
            reset()
            with morula.tier(tier):
                verb(f)
            left.append(state())
        assert left[0] == left[1] == left[2]


def test_what_fails_leaves_the_same():
    left = []
    for tier in ("eager", "static"):
        reset()
        with morula.tier(tier), pytest.raises(ValueError, match="math domain error"):
            morula.gradient(fails, X)
        left.append(state())
    assert left[0] == left[1]
