"""Calls of the standard library, and random numbers of seeded generators, in the static tier."""

import functools
import itertools
import math
import operator
import random
from functools import partial, reduce

import numpy as np
import pytest
from static_checks import check_static, found_by

import morula
from morula.static.python.pairs import record_of

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def rate(T, k, n):
    return k * math.exp(-n / T)


def with_partial(a, b):
    f, g = partial(rate, k=b, n=1.5), functools.partial(rate, a)
    return sum(f(1.0 + 0.1 * i) for i in range(20)) * g(b, 2.0)


def with_reduce(a, b):
    by_horner = reduce(lambda acc, c: acc * a + c, [1.0, b, 3.0, a], 0.0)
    return by_horner + reduce(operator.mul, (a, b, 2.0), 1.0)


def by_key(a, b):
    xs = [math.sin(a * i + b) for i in range(20)]
    m = max(xs, key=lambda v: (v - 0.3) ** 2)
    j, k = min(range(20), key=lambda i: xs[i]), min(xs, key=abs)
    u, _ = max([(a * i, math.cos(b * i)) for i in range(5)], key=lambda p: p[1])
    return m * a + xs[j] * b + j + k + u


def combined(a, b):
    p, total = dict(zip(("k", "l"), (a, b), strict=True)), 0.0
    for i, j in itertools.product(range(3), (0.5, 1.5)):
        total += p["k"] * i * j + p["l"] ** j
    for x, y in itertools.combinations([a, b, a * b], 2):
        total += x * y
    for x in itertools.chain([a], (b, 2.0)):
        total *= 1 + 0.1 * x
    return total


def changed_meanwhile(a, b):
    xs, total = [a, b, a * b], 0.0
    for x in itertools.chain([1.0], xs):
        xs[2] = x * 2.0
        total += x * x
    for x, y in itertools.product(xs, (1.0, 2.0)):
        xs[1] = total * 0.1
        total += x * y
    return total


def option(s, v):
    rng = np.random.default_rng(42)
    z = rng.standard_normal(200)
    end = np.exp(s - 0.5 * v**2 + v * z)
    return np.mean(np.maximum(end - 1.0, 0.0))


def paths(v, k):
    rng, total = random.Random(3), 0.0
    for _ in range(30):
        s = 1.0
        for _ in range(10):
            s *= math.exp((0.05 - 0.5 * v**2) * 0.1 + v * math.sqrt(0.1) * rng.gauss(0, 1))
        total += max(s - k, 0.0)
    return total / 30


def step(x, a, b, rng):
    x = x + a * (1.0 - x) * 0.1 + b * 0.1 * rng.normal()
    return x * 0.9 if rng.uniform() < 0.3 else x


def one_generator_in_many_places(a, b):
    rng, x, total = np.random.default_rng(0), 1.0, 0.0
    for i in range(40):
        rng.random()
        x = step(x, a, b, rng)
        total += x * x + 0.01 * rng.uniform(-1, 1) * a
        if i % 7 == 3:
            total += rng.normal(0.5, 2.0) * b + rng.exponential(2.0)
    return total


def of_arrays(a, b):
    r = np.random.RandomState(1)
    z, u, w = r.randn(50), r.normal(0.0, 2.0, (5, 10)), r.uniform(size=3)
    return float(np.sum(z * a) ** 2 + np.sum(u @ (z[:10] * b)) + w[0] * a + r.rand() * b)


RETURNS = [math.sin(7.0 * i) for i in range(60)]


def value_at_risk(a, b):
    outcomes = sorted(a * r + b * r * r for r in RETURNS)
    return -sum(outcomes[:3]) / 3


def in_order(a, b):
    xs = [math.sin(a * i) * b for i in range(11)]
    t, u = sorted(xs, reverse=True), sorted(xs, key=lambda v: abs(v - 0.1))
    s = sorted(RETURNS)
    return t[0] * 2 + t[5] + u[0] * 3 + sorted([a, b, a * b])[1] + u[-1] ** 2 + s[3] * a + b * sorted((3, 1, 2))[1]


def among_numbers(a, b):
    if a > 5:
        return None
    n, total = 4, 0.0
    for i in range(n + 1):
        w = 0.5 if i in (0, n) else 1.0
        if i not in (1, 2, a):
            total += w * a**2
        total += b * i * w * a
    return total


def perhaps_nothing(a, b):
    if a < 5:
        return a * b


def step_of_pendulum(y, length, h):
    k = y + h / 2 * np.array([y[1], -9.8 / length * np.sin(y[0])])
    return y + h * np.array([k[1], -9.8 / length * np.sin(k[0])])


def named_anew(a, b):
    y, path = np.array([a, 0.0]), []
    for _ in range(30):
        y = step_of_pendulum(y, b, 0.05)
        path.append(y.copy())
    path = np.array(path)
    data = [math.sin(a * i) for i in range(12)]
    data = np.asarray(data)
    total = data @ data
    for v in data:
        total += v * b
    return np.sum(path[:, 0] ** 2) + total


def seen_by_others(a, b):
    data = [a, b]
    first = lambda: data[0]
    data = np.array(data)
    return first() * (data @ data)


STATIC = [
    (named_anew, (0.5, 1.2)),
    (value_at_risk, (1.25, 0.7)), (in_order, (0.71, 1.3)), (among_numbers, (0.71, 1.3)), (perhaps_nothing, (2.0, 0.9)),
    (with_partial, (1.25, 0.7)), (with_reduce, (0.71, 1.3)), (by_key, (0.71, 1.3)), (combined, (2.0, 0.9)),
    (changed_meanwhile, (0.7, 0.9)), (option, (0.3, 0.2)), (paths, (0.7, 0.2)), (of_arrays, (0.71, 1.3)),
    (one_generator_in_many_places, (0.71, 0.2)),
]  # fmt: skip


@pytest.mark.parametrize("f, args", STATIC, ids=lambda v: getattr(v, "__name__", ""))
def test_the_library_is_static(f, args):
    check_static(f, args)
    found = {}
    for tier in ("eager", "static"):
        with morula.tier(tier):
            found[tier] = (*morula.jvp(f, args, (0.3, -1.0)), *morula.hvp(lambda x, f=f: f(*x), args, (1.0, 0.5)))
    np.testing.assert_allclose(found["static"], found["eager"], rtol=1e-9)


def no_items(a, b):
    return max([v for v in (a, b) if v > 5.0], key=lambda v: -v)


def active_scale(a, b):
    rng = np.random.default_rng(0)
    return rng.normal(a, 1.0) * b + a


GENERATOR = np.random.default_rng(5)


def of_another(a, b):
    return (a * GENERATOR.normal() + b) ** 2


def sorted_with_nan(a, b):
    nan = float("nan")
    xs = sorted([a, nan, b, a * b] if nan in (a, nan) else [b])
    return xs[0] + xs[-1]


@pytest.mark.parametrize(
    "f, args", [(no_items, (1.0, 2.0)), (active_scale, (1.0, 2.0)), (sorted_with_nan, (1.0, 0.5)),
                (perhaps_nothing, (6.0, 1.0)), (seen_by_others, (1.0, 2.0)),
                (among_numbers, (6.0, 1.0)), (among_numbers, (float("nan"), 1.0))]
)  # fmt: skip
def test_the_outcome_is_the_eager_one(f, args):
    for _ in range(2):
        assert repr(found_by("static", f, args)) == repr(found_by("eager", f, args))


def test_generators_from_outside_are_left_to_the_eager_tier():
    found_by("static", of_another, (1.0, 2.0))
    assert "GENERATOR" in record_of(of_another).why
