"""Compiled functions that draw at random: their Python functions are followed with the draws of compiled code."""

import random

import numpy as np
import pytest
from numba import njit

import morula

pytestmark = pytest.mark.filterwarnings("ignore::morula.NativeFallbackWarning")
STEP = 1e-6


@njit
def seed(n):
    np.random.seed(n)


@njit
def weights(n):
    return np.random.random(n)


@njit
def noisy(x):
    kept = np.random.permutation(4)[0] + np.random.randint(0, 5)
    return x * np.random.normal(x, 2.0) + kept * (weights(3) * x).sum() * np.random.random()


def seeded(run, x):
    seed(5)
    return run(x)


def slope(run, x):
    return (seeded(run, x + STEP) - seeded(run, x - STEP)) / (2 * STEP)


def again(x):
    return noisy(x) * morula.checkpoint(noisy, x)


@pytest.mark.parametrize("run", [noisy, lambda x: noisy(x) * noisy(x) + weights(1)[0] * x, again])
def test_the_draws_are_those_of_compiled_code(run):
    plain = (lambda x: noisy(x) * noisy(x)) if run is again else run
    numpys = np.random.get_state()[1].copy()
    expected = seeded(plain, 1.3), slope(plain, 1.3), seeded(lambda x: (plain(x), noisy(x)), 1.3)[1]
    value, bar = seeded(morula.value_and_grad(run), 1.3)
    np.testing.assert_allclose((value, bar, noisy(1.3)), expected, rtol=1e-7)
    np.testing.assert_allclose(seeded(lambda x: morula.jvp(run, (x,), (1.0,)), 1.3), expected[:2], rtol=1e-7)
    np.testing.assert_array_equal(np.random.get_state()[1], numpys)


@njit
def by_gamma(x):
    np.random.seed(1)
    return x * np.random.gamma(2.0, 1.0)


@njit
def by_python(x):
    random.seed(3)
    return x * random.random()


@pytest.mark.parametrize("f, name", [(by_gamma, "np.random.gamma"), (by_python, "random.random")])
def test_other_algorithms_are_refused(f, name):
    with pytest.raises(morula.NotDifferentiable, match=rf"calls {name}.*Draw outside"):
        morula.gradient(f, 1.0)


def test_verbs_inside_verbs_are_refused():
    with pytest.raises(morula.NotDifferentiable, match=r"draws at random .*Draw outside"):
        morula.gradient(lambda x: morula.gradient(noisy, x)[0] * x, 1.3)
