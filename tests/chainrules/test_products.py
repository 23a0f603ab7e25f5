"""Products of numbers far from one: the cotangents are those of exact arithmetic wherever a float can hold them."""

from fractions import Fraction

import numpy as np
import pytest

from chainrules import strong_mul
from chainrules.testing import call_rule

SAMPLES = [
    [1e200, 1e200, 1e-200, 1e-200],
    [1e-200, 1e-200, 1e200, 1e200],
    [1e-200, 1e-200, 3.0],
    [1e300, 0.0, 1e300, 1e-300],
    [0.0, 1e300, 1e300, 0.0, 1e-300],
    [1e-300, 1e-300, 0.0, 1e300, 1e300],
    [5e-324, 1e308, -2.0, 1e308, 5e-324],
    [2.0] * 1500 + [0.5] * 1500,
    [0.5] * 1500 + [2.0] * 1500,
    [3.0],
    [0.0],
]


def rounded(x):
    try:
        return float(x)
    except OverflowError:
        return np.inf if x > 0 else -np.inf


def exact_cumprod_bar(x, g):
    x, g = [Fraction(v) for v in x], [Fraction(v) for v in g]
    n = len(x)
    after = [Fraction(0)] * n
    after[-1] = g[-1]
    for k in range(n - 2, -1, -1):
        after[k] = g[k] + x[k + 1] * after[k + 1]
    before = Fraction(1)
    bars = []
    for k in range(n):
        bars.append(rounded(before * after[k]))
        before *= x[k]
    return bars


@pytest.mark.parametrize("x", SAMPLES, ids=lambda x: f"{x[0]}..{x[-1]}")
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_cumprod(x, seed):
    rng = np.random.default_rng(seed)
    g = np.ones(len(x)) if seed == 0 else rng.choice([0.0, 1.0, -2.0], len(x)) if seed == 1 else rng.normal(size=len(x))
    with np.errstate(all="ignore"):
        for f, axis in ((np.cumprod, None), (np.multiply.accumulate, 0)):
            _, back = call_rule(f, np.array(x), axis=axis)
            np.testing.assert_allclose(back(g)[0], exact_cumprod_bar(x, g), rtol=1e-12, atol=1e-322)


@pytest.mark.parametrize("x", SAMPLES, ids=lambda x: f"{x[0]}..{x[-1]}")
def test_prod(x):
    wanted = exact_cumprod_bar(x, [0.0] * (len(x) - 1) + [1.0])
    with np.errstate(all="ignore"):
        for f in (np.prod, np.ndarray.prod, np.multiply.reduce):
            _, back = call_rule(f, np.array(x))
            np.testing.assert_allclose(back(np.float64(1.0))[0], wanted, rtol=1e-12, atol=1e-322)
        _, back = call_rule(np.prod, np.array([x, x]), axis=-1, keepdims=True)
        np.testing.assert_allclose(back(np.ones((2, 1)))[0], [wanted, wanted], rtol=1e-12, atol=1e-322)
        _, back = call_rule(np.multiply.reduceat, np.array(x), [0])
        np.testing.assert_allclose(back(np.ones(1))[0], wanted, rtol=1e-12, atol=1e-322)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.longdouble, np.complex64, np.complex128])
def test_the_range_is_that_of_the_dtype(dtype):
    tiny = float(np.finfo(dtype).tiny) if dtype is not np.longdouble else 1e-300
    x = np.array([tiny, tiny, 1 / tiny, 1 / tiny], dtype)
    with np.errstate(all="ignore"):
        for f in (np.prod, np.cumprod):
            y, back = call_rule(f, x)
            (bar,) = back(np.ones_like(y) if f is np.prod else np.array([0, 0, 0, 1], dtype))
            assert bar.dtype == dtype
            np.testing.assert_allclose(strong_mul(bar, x), np.ones(4), rtol=1e-2)


def test_a_complex_product_out_of_range():
    x = np.array([1e200j, 1e200 + 1e200j, 1e-200, -1e-200j])
    with np.errstate(all="ignore"):
        _, back = call_rule(np.prod, x)
        (bar,) = back(np.complex128(1.0))
    np.testing.assert_allclose(np.conj(bar) * x, np.full(4, np.prod(x[[0, 2, 1, 3]])), rtol=1e-12)


def test_a_seed_of_zero_wins_over_an_infinite_product():
    with np.errstate(all="ignore"):
        _, back = call_rule(np.prod, np.array([[np.inf, 2.0, 3.0], [1.0, 2.0, 3.0]]), axis=1)
        assert back(np.array([0.0, 1.0]))[0].tolist() == [[0.0, 0.0, 0.0], [6.0, 3.0, 2.0]]
        _, back = call_rule(np.cumprod, np.array([0.0, np.inf, 2.0]))
        assert back(np.array([1.0, 0.0, 0.0]))[0].tolist() == [1.0, 0.0, 0.0]
        assert back(np.zeros(3))[0].tolist() == [0.0, 0.0, 0.0]
