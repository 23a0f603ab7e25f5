"""Draws of normal, uniform and exponential distributions whose parameters are computed, in the static tier."""

import math
import random

import numpy as np
import pytest
from static_checks import check_static, found_by

import morula
from morula.static.python.pairs import record_of

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

X = np.array([0.7, 0.3, -0.4, 1.1])


def reparametrized(x):
    rng = np.random.default_rng(3)
    y = rng.normal(x[0], np.exp(x[1]), 8)
    return np.sum(y**2) * x[2]


def numbers(x):
    rng = np.random.default_rng(3)
    total = 0.0
    for i in range(6):
        total += rng.normal(x[0] * i, abs(x[1])) ** 2 + rng.uniform(-1, x[3]) * rng.exponential(x[0])
    return total


def layers(x):
    np.random.seed(4)
    limit = 1 / math.sqrt(len(x))
    w = np.random.uniform(-limit, limit, (4, 3))
    limit = 1 / math.sqrt(3)
    v = np.random.uniform(-limit, limit, (3,))
    return np.tanh(x @ w) @ v


def known(x):
    rng = np.random.default_rng(3)
    fan = 4
    w = rng.normal(0, np.sqrt(2 / fan), (fan, 3))
    return np.sum((x @ w) ** 2)


def by_name(x):
    rng = np.random.RandomState(3)
    y = rng.normal(loc=x[0], scale=x[1] ** 2, size=(3, 2))
    return np.sum(y) + np.sum(rng.uniform(high=x[3], low=0.1, size=4) ** 2)


def walk(x):
    rng = np.random.default_rng(0)
    s, path = 100.0, [100.0]
    for _ in range(20):
        s = s * np.exp((x[0] - 0.5 * x[1] ** 2) * 0.1 + x[1] * np.sqrt(0.1) * rng.normal())
        path.append(s)
    return max(np.mean(path) - 100, 0)


class Counting:
    """Counts how often its parameters are asked for."""

    def __init__(self, x):
        self.x, self.asked = x, 0

    @property
    def mean(self):
        self.asked += 1
        return self.x


def of_properties(x):
    c, rng, rnd = Counting(x[0]), np.random.default_rng(1), random.Random(2)
    total = rng.normal(c.mean, 1.0) + rnd.gauss(c.mean, x[1]) + np.sum(rng.normal(x, c.mean, size=(3, 4)))
    return total * c.asked


class Sampler:
    def __init__(self, spread):
        self.rng, self.spread = np.random.default_rng(2), spread

    def draw(self, n):
        return self.rng.normal(0, self.spread, n)


def of_object(x):
    sampler = Sampler(x[0] ** 2)
    return np.sum(sampler.draw(4) * x) + sampler.draw(3).max()


def of_python(x):
    rng = random.Random(3)
    total = rng.gauss(x[0], x[1]) * rng.uniform(x[2], 2.0) + rng.normalvariate(0.5, x[3] ** 2)
    random.seed(2)
    for _ in range(4):
        total += random.gauss(0, 0.1 * x[0]) + random.uniform(-x[1], x[1]) * random.gauss(x[2], 1.0)
    return total


def of_arrays(x):
    rng, a = np.random.default_rng(0), np.outer(x, x)
    total = np.sum(rng.normal(x, 0.1)) + np.sum(rng.normal(x, np.exp(x), size=(3, 4)) * x)
    total += np.sum(rng.uniform(-np.exp(x), x**2 + 1, (2, 4)) * x) + np.sum(rng.exponential(np.exp(x)))
    return total + np.sum(rng.normal(size=4, loc=x)) + np.sum(rng.normal(a, 0.2) * rng.normal(a, np.exp(x)))


def latent(x):
    rng, w = np.random.RandomState(0), np.full((4, 2), 0.3)
    mean, spread = x @ w, (x**2) @ w
    z = rng.normal(mean, np.exp(0.5 * spread))
    return np.sum((x - w @ z) ** 2) + 0.5 * np.sum(np.exp(spread) + mean**2 - 1 - spread)


@pytest.mark.parametrize(
    "f", [of_arrays, latent, of_properties, of_python, reparametrized, numbers, layers, known, by_name, walk, of_object]
)
def test_draws_move_with_their_parameters(f):
    check_static(f, (X,))


@pytest.mark.parametrize("spread", [0.0, -0.0, -0.3, math.inf, math.nan])
@pytest.mark.parametrize("name", ["normal", "uniform", "exponential"])
@pytest.mark.parametrize("as_array", [False, True])
def test_what_numpy_refuses_is_refused(name, spread, as_array):
    def f(x):
        rng = np.random.default_rng(3)
        width = x * spread
        if as_array:
            width = np.array([1.0, width, 0.5])
        y = rng.uniform(x, x + width, 3) if name == "uniform" else getattr(rng, name)(width, size=3)
        return float(np.sum(y) * x)

    eager, static = found_by("eager", f, (0.7,)), found_by("static", f, (0.7,))
    assert repr(static) == repr(eager)


def of_integer(n):
    rng = np.random.default_rng(1)
    return np.sum(rng.normal(0.0, math.sqrt(n), 3)) + np.sum(rng.uniform(-1 / n, 1 / n, 3))


def test_integers_that_are_differentiated_by():
    for f in (of_integer, lambda n: np.sum(np.random.default_rng(1).normal(0.0, n, 3))):
        with morula.tier("eager"):
            expected = morula.gradient(f, 3)
        with morula.tier("static"):
            assert morula.gradient(f, 3) == expected


def test_arrays_without_axes_are_no_numbers():
    def f(x):
        rng = np.random.default_rng(1)
        return rng.normal(size=()) * x + rng.uniform(x, 2.0, ())

    eager, static = found_by("eager", f, (0.7,)), found_by("static", f, (0.7,))
    assert repr(static) == repr(eager)
    assert type(static.value) is type(f(0.7))


def seeded(x, seed, made_by):
    rng, total = made_by(seed), 0.0
    for k in range(3):
        total += rng.normal(x, 0.3) * np.random.default_rng(seed=k + seed).normal()
    return total * x


@pytest.mark.parametrize("made_by", [np.random.default_rng, np.random.RandomState])
def test_seeds_are_computed(made_by):
    def f(x, seed):
        return seeded(x, seed, made_by)

    for seed in (3, 4, 0, -1, 1 << 40, True):
        eager, static = found_by("eager", f, (0.7, seed)), found_by("static", f, (0.7, seed))
        assert repr(static) == repr(eager)
    assert max(pair.calls for pair in record_of(f).all_pairs) >= 3


def replaced_by_draws(x, y):
    rng, rnd, level = np.random.default_rng(3), random.Random(5), {"a": x, "b": y}
    u, v, w = x, y, np.array([x, y, x * y, 1.0, 2.0, x, y, 0.3])
    for i in range(4):
        level["a"] = rnd.random()
        u, v = rng.normal(), u
        if i > 2:
            w = rng.normal(size=8)
    return level["a"] * level["b"] + u * v + np.sum(w) * y + rnd.random() * x + rng.random() * y


def test_what_is_drawn_in_place_of_what_moves_is_drawn_once():
    args, dots = (0.6, 0.35), (1.0, -0.5)
    with morula.tier("eager"):
        expected = morula.jvp(replaced_by_draws, args, dots), morula.jacobian(replaced_by_draws, *args, mode="forward")
    assert expected[0][0] == replaced_by_draws(*args)
    with morula.tier("static"):
        for _ in range(2):
            found = morula.jvp(replaced_by_draws, args, dots)
            assert found[0] == expected[0][0]
            assert found[1] == pytest.approx(expected[0][1], rel=1e-12)
            slopes = morula.jacobian(replaced_by_draws, *args, mode="forward")
            assert slopes == pytest.approx(expected[1], rel=1e-12)


def test_seeds_by_a_name_that_there_is_not():
    def f(x):
        return random.Random(seed=3).random() * x

    assert found_by("static", f, (0.7,)) is TypeError
