"""Integer arguments that count as numbers: their derivatives are those of the eager tier, in compiled code."""

import math
import warnings

import numpy as np
import pytest

numba = pytest.importorskip("numba")

from morula_helpers import assert_same
from native_helpers import A, copied
from numba import njit, prange

import morula

X = A(0.3, -0.7, 1.1, 0.4, 0.9)


@njit
def mean(x, n):
    s = 0.0
    for i in range(n):
        s += x[i]
    return s / n


@njit
def unbiased(x, n):
    m = n - 1
    k = 2 * m + 1
    return np.sum(x * x) / max(m, 1) + np.sqrt(k) + float(n) ** 2 + n // 2 + x[n] * (n * n) + n**3


@njit
def powers(x, n):
    return abs(x[0]) ** n + 2.0**n + math.pow(abs(x[1]), n) * n + x[2] * -n


@njit
def steps(x, n):
    h = x[0] / n
    y = np.empty(n)
    for i in range(n):
        y[i] = h * i + x[i % 5]
    return np.sum(y * y)


@njit
def stored(x, n):
    a = np.zeros(3)
    a[0] = n
    a[1:] = n + 1
    b = np.full(2, x[0] * n)
    return a.sum() * x[1] + b.sum() + a[1] ** 2


@njit
def part(y, m):
    return y / m


@njit
def in_helpers(x, n):
    return part(x[0], n) + part(x[1], n + 1)


@njit
def halved(m, x, y):
    if m <= 1:
        return x * y
    return halved(m - 1, x * 0.5, y) + m * y


@njit
def beside_a_recursion(x, n):
    return halved(3, x[0], x[1]) * n + halved(2, x[2], x[3])


@njit(parallel=True)
def in_parallel(x, n):
    s = 0.0
    for i in prange(n):
        s += x[i] * i / n
    return s


PROGRAMS = [mean, unbiased, powers, steps, stored, in_helpers, beside_a_recursion, in_parallel]


def ids(f):
    return f.py_func.__name__


@pytest.mark.parametrize("f", PROGRAMS, ids=ids)
def test_gradients_without_a_warning(f):
    with morula.native_mode("never"):
        y, wanted = morula.withgradient(f, X, 4)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found, bars = morula.withgradient(f, X, 4)
        _, back = morula.pullback(f, X, 4)
        inside = morula.gradient(lambda x, n: f(x, n) * n, X, 4)
    assert found == pytest.approx(y, rel=1e-14)
    for got in (bars, back(1.0)):
        assert_same(got, wanted, rtol=1e-12)
    assert type(bars[1]) is float
    assert_same(inside, (4 * wanted[0], 4 * wanted[1] + y), rtol=1e-12)


@pytest.mark.parametrize("f", [mean, unbiased, powers], ids=ids)
def test_forward_and_second_order(f):
    def of_pair(p):
        return f(p[0], p[1])

    v = X[::-1].copy(), 0.5
    with morula.native_mode("never"):
        along, product = morula.jvp(f, (X, 4), v), morula.hvp(of_pair, (X, 4), v)
    assert_same(morula.jvp(f, (X, 4), v), along, rtol=1e-12)
    assert_same(morula.hvp(of_pair, (X, 4), v), product, rtol=1e-10)


def test_an_integer_that_only_counts_has_no_gradient():
    @njit
    def counted(x, n):
        s = 0.0
        k = n
        while k > 0:
            s += x[k]
            k -= 1
        return s

    @njit
    def counted_beside(x, n):
        s, k = 0.0, n  # by the source, `s` may depend on `n`
        m = n + 1
        for i in range(k):
            s += x[i] * x[m - n]
        return s

    for f in (counted, counted_beside):
        assert morula.gradient(f, X, 4)[1] is None
        assert morula.gradient(lambda n, f=f: f(X, n), 4) == (None,)
        assert morula.gradient(lambda x, n, f=f: f(x * 2.0, n) ** 2, X, 4)[1] is None


def down(x, n):
    s, k = 0.0, n
    while k > 0:
        s += x[0] / k
        k -= 1
    return s


def up_from(x, n):
    s, k = 0.0, n - 3
    while k < 9:
        s += x[0] * k
        k += 2
    return s


def remainder(x, n):
    return x[0] * (n % 3)


def chosen(x, n):
    return x[0] / (n if n > 3 else 3)


def through_a_recursion(x, n):
    return halved(n, x[0], x[1]) * x[2]


@pytest.mark.parametrize("function", [down, up_from, remainder, chosen, through_a_recursion], ids=lambda f: f.__name__)
def test_ways_that_no_real_number_takes_fall_back(function):
    with morula.native_mode("never"):
        wanted = morula.gradient(function, X, 4)
    with pytest.warns(morula.NativeFallbackWarning, match="the integer '.*' as a number"):
        found = morula.gradient(njit(function), *copied((X, 4)))
    assert_same(found, wanted)


def test_gradients_are_slopes_of_the_formula_with_real_numbers():
    bars = morula.gradient(unbiased, X, 4)
    h = 1e-6

    def formula(n):
        return np.sum(X * X) / (n - 1) + np.sqrt(2 * (n - 1) + 1) + 2 * n**2 / 2 + X[4] * n * n + n**3

    assert bars[1] == pytest.approx((formula(4 + h) - formula(4 - h)) / (2 * h), rel=1e-8)
