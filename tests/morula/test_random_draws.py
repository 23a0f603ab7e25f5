"""Random draws vary with their parameters as differences of a program that seeds its generator do, in every mode."""

import random

import numpy as np
import pytest
from scipy_checks import check, weighed

from chainrules import NotImplementedDerivative
from morula import NotDifferentiable, adjoint, gradient

GENERATORS = [np.random.default_rng, np.random.RandomState]
A = np.array


@pytest.mark.parametrize("generator", GENERATORS)
@pytest.mark.parametrize("name", ["normal", "laplace", "logistic", "gumbel", "uniform", "lognormal"])
def test_two_parameters(generator, name):
    draw = lambda *args, **options: getattr(generator(3), name)(*args, **options)
    check(lambda a, b: weighed(draw(a, b, 5)), 0.4, 1.3)
    check(lambda a, b: draw(a, b) ** 2, 0.4, 1.3)
    check(lambda a, b: weighed(draw(a[:, None], b, size=(2, 3))), A([0.3, 0.4]), A([1.0, 2.0, 3.0]))
    check(lambda b: draw(0.1, b) ** 2 + weighed(draw(size=3) * b), 1.3)


@pytest.mark.parametrize("generator", GENERATORS)
@pytest.mark.parametrize("name", ["exponential", "rayleigh", "weibull", "pareto", "power"])
def test_one_parameter(generator, name):
    draw = lambda *args, **options: getattr(generator(3), name)(*args, **options)
    check(lambda a: weighed(draw(a, size=(2, 2))), 1.3)
    check(lambda a: weighed(draw(a)), A([1.3, 2.0]))


@pytest.mark.parametrize("generator", GENERATORS)
def test_further_distributions(generator):
    check(lambda a, b, c: weighed(generator(3).triangular(a, b, c, 20)), 0.3, 0.7, 2.0)
    check(lambda b: weighed(generator(3).gamma(1.5, scale=b, size=3)), 2.0)
    check(lambda m: weighed(generator(3).vonmises(m, 2.0, 3)), 0.2)
    check(lambda m: weighed(generator(3).multivariate_normal(m, np.eye(2), 4)), A([0.2, 0.3]))
    check(lambda m: weighed(generator(3).multivariate_normal(cov=np.eye(2), mean=m)), A([0.2, 0.3]))


def test_a_triangle_whose_mode_is_its_end():
    g = gradient(lambda a, b: np.random.default_rng(1).triangular(a, b, b, 9).sum(), 0.0, 1.0)
    u = np.random.default_rng(1).triangular(0.0, 1.0, 1.0, 9)  # b - (b - a) (1 - sqrt(bits))
    np.testing.assert_allclose(g, ((1 - u).sum(), u.sum()))


def test_a_scale_of_zero():
    z = np.random.default_rng(1).normal()
    assert gradient(lambda s: np.random.default_rng(1).normal(1.0, s), 0.0) == (z,)


def test_the_bits_of_a_program_are_those_of_a_plain_run():
    def walk(mu, sigma, rng):
        x = mu
        for _ in range(20):
            x = x + 0.1 * (mu - x) + rng.normal(0.0, sigma) + 0.01 * rng.normal() + rng.uniform(x, x + sigma)
        return x

    check(lambda mu, sigma: walk(mu, sigma, np.random.default_rng(5)), 0.5, 0.3)
    one, other = np.random.default_rng(5), np.random.default_rng(5)
    gradient(lambda mu: walk(mu, 0.3, one), 0.5)
    walk(0.5, 0.3, other)
    assert one.random() == other.random()


def test_global_generators():
    def drawn(a, b):
        np.random.seed(2)
        random.seed(3)
        numbers = [np.random.normal(a, b), random.gauss(a, b), random.uniform(a, b), random.expovariate(b)]
        numbers += [random.triangular(a, b), random.lognormvariate(a, b), random.weibullvariate(a, b)]
        return weighed(A(numbers)) + weighed(np.random.uniform(low=a, high=b, size=3))

    check(drawn, 0.5, 1.3)


@pytest.mark.parametrize(
    "draw",
    [
        lambda r, x: r.gamma(x, 1.0),
        lambda r, x: r.multivariate_normal([0.0, 0.0], x * np.eye(2)).sum(),
        lambda r, x: r.vonmises(0.0, x),
        lambda r, x: r.poisson(x) * 1.0,
        lambda r, x: r.beta(x, 2.0),
    ],
)
def test_parameters_that_decide_which_bits_are_used(draw):
    with pytest.raises((NotDifferentiable, NotImplementedDerivative), match=r"smooth|which|how it factors"):
        gradient(lambda x: draw(np.random.default_rng(3), x), 1.5)


class Drawn:
    def __init__(self, v):
        self.v = v


@pytest.mark.parametrize("generator", GENERATORS)
def test_objects_that_are_drawn_stay_what_they_are(generator):
    def f(x):
        r, made = generator(0), [Drawn(x), Drawn(x * x), Drawn(2.0 * x)]
        one, two, all_of_them = r.choice(made, p=[0.2, 0.3, 0.5]), r.choice(made, 2), r.permutation(made)
        one.v = one.v * 2.0
        return one.v * 3.0 + sum(o.v for o in two) + sum(i * o.v for i, o in enumerate(all_of_them))

    assert gradient(f, 1.3)[0] == pytest.approx((f(1.3 + 1e-6) - f(1.3 - 1e-6)) / 2e-6, rel=1e-6)


class Scaled(np.random.Generator):
    """A generator with attributes of its own, unlike NumPy's, which hold nothing that is differentiated."""


def test_a_generator_with_attributes_is_searched():
    def f(x):
        r = Scaled(np.random.PCG64(1))
        r.scale = x * x
        return r.normal() * r.scale + r.poisson(3.0) * x

    assert gradient(f, 1.3)[0] == pytest.approx((f(1.3 + 1e-6) - f(1.3 - 1e-6)) / 2e-6, rel=1e-6)


def test_an_adjoint_of_an_equal_method_that_is_declared_later():
    r = random.Random(2)
    kept = r.random

    def f(x):
        return kept() * x

    gradient(f, 1.0)
    expected = random.Random(2)
    expected.random()
    adjoint(r.random)(lambda: (0.5, lambda y_bar: ()))  # another object for the same method
    assert gradient(f, 1.0) == (0.5,)
    assert r.random() == expected.random()


def test_what_numpy_fills_beside_what_it_only_reads():
    def f(x):
        r, out = np.random.default_rng(1), np.array([1.0, 2.0, 3.0])
        r.random(out=out)
        first = out * x
        r.standard_normal(3, np.float64, out)
        return weighed(first) + weighed(out * x * x)

    check(f, 1.3)
