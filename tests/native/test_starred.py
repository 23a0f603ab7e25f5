"""Compiled functions with ``*args``."""

import math

import numpy as np
import pytest

numba = pytest.importorskip("numba")

from morula_helpers import assert_differences, assert_same
from native_helpers import A, copied
from numba import njit

import morula

X = A(0.3, -0.7, 1.1)


@njit
def polynomial(x, *coefficients):
    y = 0.0
    for c in coefficients:
        y = y * x + c
    return y


@njit
def only(*parts):
    return parts[0] * math.sin(parts[1])


@njit
def of_arrays(x, *others):
    return (x * others[0]).sum() * others[1] + len(others)


@njit
def vector(x, *scales):
    return x * scales[0] + scales[1] * x * x


@njit
def inside(x, y, *rest):
    return polynomial(x, *rest) + y * polynomial(y, 1.0, *rest)


@njit
def writes(out, *rest):
    out[0] = rest[0] * rest[1]
    out[1] += rest[1]


def through_writes(x, y):
    out = np.ones(2)
    for _ in range(3):
        writes(out, x * out[1], y)
    return out.sum()


def in_a_loop(x, k):
    total = 0.0
    for i in range(4):
        total += polynomial(x, k, total, float(i)) + polynomial(k, x) * 2.0 + only(x, total)
    return total


CALLS = [
    (polynomial, (0.7, 1.1, -0.4, 0.3)),
    (polynomial, (0.7, 1.1)),
    (only, (0.7, 1.1)),
    (of_arrays, (X, X * X, 0.4)),
    (inside, (0.7, 1.1, -0.4, 0.3)),
    (lambda x, s: vector(x, s, 2.0 * s).sum(), (X, 0.4)),
    (through_writes, (0.7, 1.1)),
    (in_a_loop, (0.7, 1.1)),
]


@pytest.mark.parametrize(("f", "args"), CALLS)
def test_they_are_native(f, args):
    with morula.native_mode("require"):
        for _ in range(2):
            g = morula.gradient(f, *copied(args))
        ones = tuple(np.ones_like(a) if isinstance(a, np.ndarray) else 1.0 for a in args)
        _, y_dot = morula.jvp(f, copied(args), ones)
    if g[0] is not None:
        assert_differences(lambda *a: f(*copied(a)), copied(args), g)
    np.testing.assert_allclose(y_dot, sum(np.sum(b) for b in g if b is not None), rtol=1e-12, atol=1e-12)
    with morula.native_mode("never"):
        assert_same(morula.gradient(f, *copied(args)), g, rtol=1e-12)


def test_parameters_by_keyword_only_are_not():
    @njit
    def f(x, *rest, scale=2.0):
        return x * rest[0] * scale

    with pytest.warns(morula.NativeFallbackWarning, match="by keyword only"):
        assert morula.gradient(lambda x: f(x, x), 3.0) == (12.0,)


@pytest.mark.parametrize(
    ("f", "args"), [(polynomial, (0.3, 0.5, -0.2)), (only, (1.2, 0.7)), (of_arrays, (X, X * 0.5, 0.3))]
)
def test_gradients_need_no_run_of_the_eager_tier(f, args, monkeypatch):
    every = tuple(range(len(args)))
    wanted = {"argnums": every}, {"argnums": every[1:]}, {"argnums": every[-1]}, {}
    verbs = [morula.value_and_grad(f, **how) for how in wanted] + [morula.grad(f, **how) for how in wanted]
    plain = [morula.value_and_grad(f.py_func, **how) for how in wanted] + [
        morula.grad(f.py_func, **how) for how in wanted
    ]
    for verb in verbs:
        verb(*copied(args))
    expected = [verb(*copied(args)) for verb in plain]
    monkeypatch.setattr("morula.eager.context.run.Run.__init__", None)
    for verb, want in zip(verbs, expected, strict=True):
        assert_same(verb(*copied(args)), want)


def test_gradients_follow_what_numba_has_compiled():
    scale = 2.0

    @njit
    def scaled(x, *rest):
        return x * rest[0] * scale

    assert scaled(1.5, 0.5) == 1.5
    gradient = morula.grad(scaled, argnums=(0, 1))
    assert gradient(1.5, 0.5) == (1.0, 3.0)
    scale = 3.0
    with pytest.raises(morula.NotDifferentiable, match="no longer matches"):
        gradient(1.5, 0.5)
