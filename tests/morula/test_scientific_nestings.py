"""Derivatives inside of differentiated programs, as scientists write them, compared with differences."""

import numpy as np
import pytest

from morula import grad, gradient, jvp


def slope(f, x, v, h=1e-4):
    """The derivative of ``f(x + t v)`` at 0 by central differences of the sixth order."""
    y = {i: np.asarray(f(x + i * h * v)) for i in (-3, -2, -1, 1, 2, 3)}
    return (45 * (y[1] - y[-1]) - 9 * (y[2] - y[-2]) + (y[3] - y[-3])) / (60 * h)


def assert_derivatives(f, x, orders=2, rtol=1e-5):
    """The first derivatives of a function of a vector, and the second in all nestings, against differences."""
    x = np.asarray(x, float)
    v = np.random.default_rng(0).standard_normal(x.shape)
    want = slope(f, x, v)
    close = {"rtol": rtol, "atol": rtol}
    np.testing.assert_allclose((gradient(f, x)[0] * v).sum(), want, **close)
    np.testing.assert_allclose(jvp(f, (x,), (v,))[1], want, **close)
    if orders == 1:
        return
    want = slope(grad(f), x, v)
    close = {"rtol": rtol, "atol": rtol * np.abs(want).max()}
    np.testing.assert_allclose(grad(lambda x: (grad(f)(x) * v).sum())(x), want, **close)
    np.testing.assert_allclose(jvp(grad(f), (x,), (v,))[1], want, **close)
    np.testing.assert_allclose(grad(lambda x: jvp(f, (x,), (v,))[1])(x), want, **close)
    np.testing.assert_allclose(jvp(lambda x: jvp(f, (x,), (v,))[1], (x,), (v,))[1], (want * v).sum(), **close)


@pytest.mark.parametrize(
    "pack",
    [lambda a: {"a": a}, lambda a: [a], lambda a: (a,), lambda a: ({"a": a},), lambda a: {"a": ([a], 1.0)}],
    ids=["dict", "list", "tuple", "dict in a tuple", "tuple in a dict"],
)
def test_two_inner_steps_on_parameters_in_containers(pack):
    def first(p):
        while not isinstance(p, np.ndarray):
            p = p["a"] if isinstance(p, dict) else p[0]
        return p

    def energy(p):
        return (first(p) ** 3).sum()

    def f(x):
        a = x.copy()
        p = pack(a)
        for _ in range(2):
            a -= 0.3 * first(gradient(energy, p)[0])
        return a[0] * a[1]

    assert_derivatives(f, [0.3, 0.7])
