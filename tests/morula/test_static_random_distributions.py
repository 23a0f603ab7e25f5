"""Draws of distributions whose parameters decide which random bits are used, in the static tier."""

import math
import random

import numpy as np
import pytest
from morula_helpers import module_of
from static_checks import check_static, found_by

import morula

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

X = np.array([0.7, 0.3, -0.4, 1.1])
RATES, RATE = np.array([0.5, 2.0, 4.0, 1.0]), 3.0


def by_rates(x):
    rng, total = np.random.default_rng(0), 0.0
    for i in range(4):
        total += rng.poisson(RATES[i]) * x[i]
    total += np.sum(rng.poisson(RATES) * x) + np.sum(rng.poisson(RATE * 2, size=4) * x)
    return total + np.sum(rng.binomial(5, 0.3, (2, 2))) * x[0]


def reactions(x):
    rng, n, t, total = np.random.default_rng(0), 10, 0.0, 0.0
    while n > 0 and t < 5.0:
        t += rng.exponential(1.0 / (0.3 * n))
        n -= rng.binomial(n, 0.3)
        total += n * x[0] * math.exp(-x[1] * t)
    return total


def jumps(x):
    rng, s = np.random.default_rng(5), 1.0
    for _ in range(40):
        n = rng.poisson(0.3)
        s *= np.exp((x[0] - 0.5 * x[1] ** 2) * 0.05 + x[1] * rng.normal() * 0.2)
        for _ in range(n):
            s *= 1.0 + 0.1 * x[2] * rng.standard_t(5)
    return max(s - 1.0, 0.0)


def of_python(x):
    r, total = random.Random(2), 0.0
    random.seed(5)
    total += r.betavariate(1.0, 2.0) * x[0] + r.gammavariate(2.0, 1.0) * x[1] + random.lognormvariate(0.0, 0.3) * x[2]
    total += random.triangular(0.0, 1.0, 0.2) * x[3] + random.weibullvariate(1.0, 2.0) * random.paretovariate(3.0)
    return total + random.vonmisesvariate(0.0, 2.0)


def of_numpy(x):
    np.random.seed(0)
    a, b = np.random.beta(2.0, 5.0, size=50), np.random.gamma(2.0, 0.5, 50)
    c, d = np.random.laplace(size=50), np.random.lognormal(0.1, 0.2, size=(50,))
    return np.mean((a * x[0] + b * x[1] - c * x[2]) ** 2 * d)


def vectors(x):
    rng, cov = np.random.default_rng(3), np.array([[1.0, 0.3], [0.3, 2.0]])
    y, z = rng.multivariate_normal(np.zeros(2), cov, 10), rng.multivariate_normal([0.0, 1.0], cov)
    return np.sum((y @ x[:2] - z @ x[2:]) ** 2)


def places(x):
    rng = np.random.default_rng(3)
    k, m = rng.poisson(2.0, size=5), rng.binomial(3, 0.5)
    return x[k % 4].sum() + x[m] * k[0] + x[:m].sum() + m / 2


def shapes(x):
    rng, n = np.random.default_rng(3), 6
    total = np.sum(rng.poisson(2.0, n) * x[0]) + np.sum(rng.gamma(shape=2.0, size=(n, 2)) * x[1])
    return total + rng.poisson() * x[2] + np.sum(rng.poisson(2.0, size=None) * x[3]) + rng.beta(a=1.0, b=3.0) * x[0]


class Queue:
    def __init__(self, rate):
        self.rng, self.rate, self.length = np.random.default_rng(1), rate, 0

    def step(self, x):
        self.length += self.rng.poisson(self.rate)
        return x * 0.9 + 0.1 * self.length


def of_object(x):
    queue, y = Queue(2.5), x[0]
    for _ in range(10):
        y = queue.step(y) * x[1]
    return y


@pytest.mark.parametrize("f", [by_rates, reactions, jumps, of_python, of_numpy, vectors, places, shapes, of_object])
def test_draws_stay(f):
    check_static(f, (X,))


ONE_NUMBER = (
    "beta(1, 2)", "chisquare(2)", "f(2, 3)", "gamma(2.0)", "gamma(2.0, 0.5)", "gumbel()", "laplace(0.5)", "logistic()",
    "lognormal(sigma=0.3)", "noncentral_chisquare(3, 1)", "pareto(2.0)", "power(2.0)", "rayleigh()",
    "standard_gamma(2)", "standard_cauchy()", "standard_t(3)", "triangular(0, 1, 2)", "vonmises(0, 1)", "wald(1, 1)",
    "weibull(2.0)",
    "binomial(5, 0.3)", "geometric(0.3)", "hypergeometric(5, 4, 3)", "logseries(0.4)", "negative_binomial(5, 0.4)",
    "poisson(3)", "zipf(2.0)",
)  # fmt: skip


@pytest.mark.parametrize("draw", ONE_NUMBER)
@pytest.mark.parametrize("made_by", ["default_rng", "RandomState"])
def test_numbers_have_their_types(draw, made_by):
    sized = draw[:-1] + (", " if draw[-2] != "(" else "") + "size=3)"
    source = f"""
import numpy as np

def f(x):
    rng = np.random.{made_by}(7)
    k, a = rng.{draw}, rng.{sized}
    return k * x + np.sum(a * x * x), k, a

def total(x):
    return f(x)[0]
"""
    program = module_of(source, f"draw_{made_by}_{draw}")
    check_static(program.total, (0.7,))
    with morula.tier("static"):
        found, _ = morula.pullback(program.f, 0.7)
    for one, other in zip(found, program.f(0.7), strict=True):
        assert type(one) is type(other) and np.array_equal(one, other)
        assert getattr(one, "dtype", None) == getattr(other, "dtype", None)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: float(np.random.default_rng(5).poisson(abs(x[0]) * 3) * x[1]),
        lambda x: np.random.default_rng(5).poisson(round(x[0]) + 1) * x[1],
        lambda x: np.random.default_rng(5).poisson(x[0] // 0.1) * x[1],
        lambda x: np.random.default_rng(5).poisson(np.floor(x * x)).sum() * x[1],
        lambda x: np.random.default_rng(5).gamma(2.0, abs(x[0]), 3).sum(),
        lambda x: np.sum(np.random.default_rng(3).multivariate_normal(x[:2], np.eye(2), 10)),
        lambda x: np.random.default_rng(3).poisson(-1.0) * x[0],
        lambda x: np.sum(np.random.default_rng(3).poisson(RATES, size=(2, 3)) * x[0]),
    ],
)
@pytest.mark.parametrize("verb", ["gradient", "jvp"])
def test_parameters_that_move_or_do_not_fit_are_left_to_the_eager_tier(f, verb):
    def told(tier):
        try:
            with morula.tier(tier):
                return morula.gradient(f, X) if verb == "gradient" else morula.jvp(f, (X,), (np.ones(4),))
        except Exception as error:
            return type(error), str(error)

    assert repr(told("static")) == repr(told("eager"))


def test_integers_that_are_differentiated_by_are_no_parameters():
    def f(n):
        return np.random.default_rng(1).poisson(n) * 1.0

    assert repr(found_by("static", f, (3,))) == repr(found_by("eager", f, (3,)))
