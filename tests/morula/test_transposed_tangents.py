"""Tangents of functions that have a reverse rule alone: by transposing its pullback, at every order."""

import ctypes
from typing import NamedTuple

import numpy as np
import pytest

import morula
from chainrules import (
    NoTangent,
    NotImplementedTangent,
    Tangent,
    Thunk,
    frules_for,
    non_differentiable,
    rrule,
    scalar_rule,
)
from morula import NotDifferentiable, gradient, hessian, hvp, jacobian, jvp

rng = np.random.default_rng(7)


def differences(f, x, v, h=1e-5):
    return (np.asarray(f(x + h * v)) - np.asarray(f(x - h * v))) / (2 * h)


def assert_derivative(got, f, x, v, rtol=1e-6):
    wanted = differences(f, x, v)
    np.testing.assert_allclose(got, wanted, rtol=rtol, atol=rtol * (1 + np.max(np.abs(wanted))))


calls = {"rule": 0, "pullback": 0}


def mixed(x, k, mode):
    return np.convolve(x, k) * np.sum(x * x)


@rrule(mixed)
def _(x, k, mode):
    calls["rule"] += 1
    square, smooth = np.sum(x * x), np.convolve(x, k)

    def mixed_pullback(y_bar):
        calls["pullback"] += 1
        x_bar = 2.0 * x * np.sum(y_bar * smooth)
        for j in range(len(k)):
            x_bar += y_bar[j : j + len(x)] * k[j] * square
        k_bar = Thunk(lambda: np.stack([np.sum(y_bar[j : j + len(x)] * x) * square for j in range(len(k))]))
        return x_bar, k_bar, NotImplementedTangent("by the mode")

    return smooth * square, mixed_pullback


K = np.array([0.5, -1.0, 0.25])
X, U, V, W = rng.normal(size=(4, 6)) * 0.4


def loss(x):
    return np.sum(np.sin(mixed(x, K, "full")))


def slope(x):
    return gradient(loss, x)[0]


def test_the_rule_has_no_forward_rule():
    assert not frules_for(mixed)


@pytest.mark.parametrize("n", [30, 1600])
def test_calls_do_not_grow_with_the_value(n):
    x, v = np.linspace(0.1, 0.4, n), np.linspace(1.0, -1.0, n)
    calls.update(rule=0, pullback=0)
    _, y_dot = jvp(lambda x: mixed(x, K, 0), (x,), (v,))
    assert calls == {"rule": 1, "pullback": 1}
    assert_derivative(y_dot, lambda x: mixed(x, K, 0), x, v)
    calls.update(rule=0, pullback=0)
    found = hvp(loss, x, v)
    assert calls["pullback"] <= 4 and calls["rule"] <= 3
    assert_derivative(found, slope, x, v, 1e-5)


def test_by_each_argument():
    assert_derivative(jvp(lambda k: mixed(X, k, None), (K,), (K[::-1],))[1], lambda k: mixed(X, k, None), K, K[::-1])
    got = jvp(lambda x, k: mixed(x, k, None), (X, K), (V, K[::-1]))[1]
    np.testing.assert_allclose(got, differences(lambda t: mixed(X + t * V, K + t * K[::-1], None), 0.0, 1.0), rtol=1e-7)


def test_second_order():
    assert_derivative(hvp(loss, X, V), slope, X, V)
    assert_derivative(hessian(loss, X) @ V, slope, X, V)

    def along(x):
        return jvp(loss, (x,), (V,))[1]

    assert_derivative(jvp(along, (X,), (W,))[1], along, X, W)
    assert_derivative(gradient(lambda x: slope(x) @ V, X)[0] @ W, lambda x: slope(x) @ V, X, W)


def test_third_order():
    def twice(x):
        return jvp(lambda x: jvp(loss, (x,), (V,))[1], (x,), (W,))[1]

    def of_hessian(x):
        return hvp(loss, x, V) @ W

    def reverse_twice(x):
        return gradient(lambda x: slope(x) @ V, x)[0] @ W

    for f in (twice, of_hessian, reverse_twice):
        assert_derivative(jvp(f, (X,), (U,))[1], f, X, U)
        assert_derivative(gradient(f, X)[0] @ U, f, X, U)


def test_fourth_order():
    def third(x):
        return jvp(lambda x: hvp(loss, x, V) @ W, (x,), (U,))[1]

    assert_derivative(jvp(third, (X,), (V,))[1], third, X, V, 1e-5)


def test_jacobians_in_forward_mode():
    def f(x):
        return mixed(x, K, "full")

    (rows,) = jacobian(f, X)
    columns = np.stack([morula.linearize(f, X)[1](e) for e in np.eye(6)], axis=1)
    np.testing.assert_allclose(columns, rows, rtol=1e-10)


# -- what nobody asked for --------------------------------------------------------------------------------------


@pytest.mark.parametrize("constant", [NotImplementedTangent("not known"), NoTangent(), None, Thunk(lambda: 1 / 0)])
@pytest.mark.parametrize("n", [1, 3, 12])
def test_cotangents_of_constants_do_not_matter(constant, n):
    def scaled(x, how):
        return x**3 * 2.0

    rrule(scaled)(lambda x, how: (scaled(x, how), lambda y_bar: (6 * x**2 * y_bar, constant)))
    x, v = np.linspace(0.5, 1.0, n), np.linspace(1.0, 2.0, n)

    def total(x):
        return np.sum(scaled(x, 5.0) ** 2)

    np.testing.assert_allclose(jvp(lambda x: scaled(x, 5.0), (x,), (v,))[1], 6 * x**2 * v)
    np.testing.assert_allclose(hvp(total, x, v), 120 * x**4 * v)
    np.testing.assert_allclose(np.diag(hessian(total, x)), 120 * x**4)
    np.testing.assert_allclose(jacobian(lambda x: scaled(x, 5.0), x)[0], np.diag(6 * x**2))
    np.testing.assert_allclose(gradient(lambda x: gradient(total, x)[0] @ v, x)[0], 120 * x**4 * v)
    np.testing.assert_allclose(jvp(lambda x: hvp(total, x, v) @ v, (x,), (v,))[1], np.sum(480 * x**3 * v**3))
    s, s_dot = 0.7, 2.0
    np.testing.assert_allclose(jvp(lambda s: scaled(s, 5.0), (s,), (s_dot,))[1], 6 * s**2 * s_dot)


@pytest.mark.parametrize("n", [2, 12])
def test_a_missing_cotangent_that_is_needed_says_so(n):
    def halved(x, k):
        return x / k

    rrule(halved)(lambda x, k: (x / k, lambda y_bar: (y_bar / k, NotImplementedTangent("by the divisor"))))
    for run in (lambda k: jvp(lambda k: halved(np.ones(n), k), (k,), (1.0,)), lambda k: hvp(
        lambda k: np.sum(halved(np.ones(n), k) ** 2), k, 1.0)):  # fmt: skip
        with pytest.raises(NotDifferentiable, match="by the divisor"):
            run(2.0)


def test_a_missing_partial_of_a_constant():
    def bessel(order, x):
        return np.cos(x) * order

    scalar_rule(bessel, NotImplementedTangent("by the order"), lambda y, n, x: -np.sin(x) * n)
    x, v = np.linspace(0.1, 1.0, 9), np.ones(9)
    np.testing.assert_allclose(jvp(lambda x: bessel(2.0, x), (x,), (v,))[1], -2 * np.sin(x))
    np.testing.assert_allclose(hvp(lambda x: np.sum(bessel(2.0, x)), x, v), -2 * np.cos(x))
    np.testing.assert_allclose(np.diag(hessian(lambda x: np.sum(bessel(2.0, x)), x)), -2 * np.cos(x))


# -- kinds of values --------------------------------------------------------------------------------------------


class Pair(NamedTuple):
    left: np.ndarray
    right: list


def parted(x):
    return Pair(x**2, [x * np.sum(x), 3, float(np.prod(x))])


@rrule(parted)
def _(x):
    y = parted(x)

    def parted_pullback(y_bar):
        left, (right, _, product) = y_bar
        return 2 * x * left + right * np.sum(x) + np.sum(right * x) + product * np.prod(x) / x

    return y, parted_pullback


def keyed(x):
    return {"a": np.sin(x), "n": len(x), "b": x[0] * x[1]}


@rrule(keyed)
def _(x):
    def keyed_pullback(y_bar):
        x_bar = np.cos(x) * y_bar["a"]
        x_bar[0] += y_bar["b"] * x[1]
        x_bar[1] += y_bar["b"] * x[0]
        return x_bar

    return keyed(x), keyed_pullback


class Cloud:
    def __init__(self, points, weight):
        self.points, self.weight = points, weight


def cloud(x):
    return Cloud(x**2, np.sum(x))


@rrule(cloud)
def _(x):
    return cloud(x), lambda y_bar: 2 * x * y_bar.points + y_bar.weight


def joined(y):
    return np.concatenate((y.left, y.right[0], [y.right[2]]))


@pytest.mark.parametrize(
    "flat",
    [
        lambda x: joined(parted(x)),
        lambda x: (lambda y: y["a"] * y["b"])(keyed(x)),
        lambda x: (lambda y: y.points * y.weight)(cloud(x)),
    ],
)
def test_structured_values(flat):
    x = X + 1.2
    assert_derivative(jvp(flat, (x,), (V,))[1], flat, x, V)

    def total(x):
        return np.sum(flat(x) ** 2)

    def slope(x):
        return gradient(total, x)[0]

    assert_derivative(hvp(total, x, V), slope, x, V, 1e-5)
    assert_derivative(jvp(lambda x: hvp(total, x, V), (x,), (W,))[1], lambda x: hvp(total, x, V), x, W, 1e-5)


def test_lists_as_arguments():
    def weighted(parts, w):
        return parts[0] * w + parts[1] ** 2

    @rrule(weighted)
    def _(parts, w):
        def weighted_pullback(y_bar):
            return np.stack([y_bar * w, 2 * parts[1] * y_bar]), np.sum(y_bar * parts[0])

        return weighted(parts, w), weighted_pullback

    def f(x):
        return weighted([x * x, np.sin(x)], x[0])

    assert_derivative(jvp(f, (X,), (V,))[1], f, X, V)

    def total(x):
        return np.sum(f(x) ** 2)

    assert_derivative(hvp(total, X, V), lambda x: gradient(total, x)[0], X, V)
    assert_derivative(jvp(lambda x: hvp(total, x, V), (X,), (W,))[1], lambda x: hvp(total, x, V), X, W)


def test_natural_cotangents_of_broadcast_arguments():
    def shifted(x, c):
        return x * c + c**2

    rrule(shifted)(lambda x, c: (shifted(x, c), lambda y_bar: (y_bar * c, y_bar * (x + 2 * c))))

    def f(c):
        return shifted(X, c)

    assert_derivative(jvp(f, (0.7,), (1.5,))[1], f, 0.7, 1.5)
    assert_derivative(jvp(lambda c: hvp(lambda c: np.sum(f(c) ** 3), c, 1.0), (0.7,), (1.0,))[1],
        lambda c: hvp(lambda c: np.sum(f(c) ** 3), c, 1.0), 0.7, 1.0)  # fmt: skip


@pytest.mark.parametrize("n", [1, 2, 8])
def test_complex_values(n):
    def turned(z, x):
        return z**3 * (1 + 2j) + 1j * x**2

    @rrule(turned)
    def _(z, x):
        def turned_pullback(y_bar):
            return np.conj(3 * z**2 * (1 + 2j)) * y_bar, np.real(np.conj(2j * x) * y_bar)

        return turned(z, x), turned_pullback

    z, dz = rng.normal(size=(2, n)) + 1j * rng.normal(size=(2, n))
    x, dx = rng.normal(size=(2, n))
    _, y_dot = jvp(turned, (z, x), (dz, dx))
    np.testing.assert_allclose(y_dot, 3 * z**2 * (1 + 2j) * dz + 2j * x * dx)
    np.testing.assert_allclose(jvp(turned, (z, x), (None, dx))[1], 2j * x * dx)

    def total(z, x):
        return np.sum(np.abs(turned(z, x)) ** 2)

    def along(t):
        return jvp(total, (z + t * dz, x + t * dx), (dz, dx))[1]

    assert_derivative(jvp(along, (0.0,), (1.0,))[1], along, 0.0, 1.0)
    assert_derivative(gradient(along, 0.0)[0], along, 0.0, 1.0)


@pytest.mark.parametrize("dtype", [np.float32, np.complex64])
def test_single_precision(dtype):
    def cubed(x):
        return x**3

    rrule(cubed)(lambda x: (x**3, lambda y_bar: np.conj(3 * x**2) * y_bar))
    x = np.linspace(0.5, 1.5, 20).astype(dtype)
    v = np.ones(20, dtype)
    y_dot = jvp(cubed, (x,), (v,))[1]
    assert y_dot.dtype == dtype
    np.testing.assert_allclose(y_dot, 3 * x**2, rtol=1e-5)


def test_an_exact_zero_kills_an_infinite_partial():
    def root(x):
        return np.sqrt(x)

    @rrule(root)
    def _(x):
        y = np.sqrt(x)
        with np.errstate(all="ignore"):
            partial = 0.5 / y
        return y, lambda y_bar: partial * y_bar

    x = np.array([0.0, 1.0, 4.0, 9.0, 16.0, 25.0])
    y_dot = jvp(root, (x,), (np.array([0.0, 1.0, 1.0, 1.0, 1.0, 1.0]),))[1]
    np.testing.assert_allclose(y_dot, [0, 1 / 2, 1 / 4, 1 / 6, 1 / 8, 1 / 10])
    assert jvp(root, (x,), (np.ones(6),))[1][0] == np.inf


@pytest.mark.parametrize("n", [1, 2, 6])
def test_an_exact_zero_kills_an_infinite_tangent(n):
    def saturated(x):
        return np.exp(x)

    @rrule(saturated)
    def _(x):
        y = np.exp(x)
        return y, lambda y_bar: y * y_bar

    x = np.full(n, -np.inf)
    np.testing.assert_array_equal(jvp(saturated, (x,), (x,))[1], 0.0)
    assert jvp(lambda x: saturated(x[0]), (x,), (x,))[1] == 0.0


# -- pullbacks that are not transposed --------------------------------------------------------------------------


def test_what_the_tape_does_not_follow_is_taken_row_by_row():
    def hidden(y_bar):
        return np.array([float(v) * 2 for v in memoryview(y_bar)])

    non_differentiable(hidden)  # a wrong declaration, which the tape believes
    plain = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(lambda v: 2.0 * v)

    def doubled(x, how):
        return 2 * x

    @rrule(doubled)
    def _(x, how):
        seen.append(how)
        return 2 * x, lambda y_bar: (hidden(y_bar) if how else np.array([plain(v) for v in y_bar]), None)

    for how in (True, False):
        seen: list = []
        np.testing.assert_allclose(jvp(doubled, (X, how), (V, None))[1], 2 * V)
        assert seen == [how]


def test_shortcuts_for_special_seeds_do_not_matter():
    def centred(x):
        return x - np.mean(x)

    @rrule(centred)
    def _(x):
        def centred_pullback(y_bar):
            if not np.any(y_bar) or np.all(y_bar == y_bar[0]):
                return np.zeros_like(y_bar)
            return y_bar - np.mean(y_bar)

        return centred(x), centred_pullback

    np.testing.assert_allclose(jvp(centred, (X,), (V,))[1], V - V.mean())
    np.testing.assert_allclose(hvp(lambda x: np.sum(centred(x) ** 2), X, V), 2 * (V - V.mean()))


def test_clipped_pullbacks_are_not_linear():
    def passed(x):
        return 1.0 * x

    rrule(passed)(lambda x: (1.0 * x, lambda y_bar: np.clip(y_bar, -1.0, 1.0)))
    np.testing.assert_allclose(jvp(passed, (X,), (V,))[1], V)  # of seeds with a single 1


def test_a_wrong_number_of_cotangents_is_an_error():
    def two(x, k):
        return x * k

    rrule(two)(lambda x, k: (x * k, lambda y_bar: (y_bar * k, None, None)))
    with pytest.raises(morula.RuleError, match="3 cotangents for 2"):
        jvp(lambda x: two(x, 2.0), (X,), (V,))


def test_side_effects_of_an_adjoint_happen_once():
    said = []

    def noisy(x):
        return x**2

    @morula.adjoint(noisy)
    def _(x):
        def noisy_pullback(y_bar):
            said.append("pulled")
            return 2 * x * y_bar

        return x**2, noisy_pullback

    x = np.linspace(0.0, 1.0, 50)
    np.testing.assert_allclose(jvp(noisy, (x,), (np.ones(50),))[1], 2 * x)
    assert said == ["pulled"]


def test_rules_of_objects_and_what_they_hold():
    class Layer:
        def __init__(self, w, name):
            self.w, self.name = w, name

    def apply(layer, x):
        return np.tanh(layer.w @ x)

    @rrule(apply)
    def _(layer, x):
        y = np.tanh(layer.w @ x)

        def apply_pullback(y_bar):
            z_bar = (1 - y**2) * y_bar
            return Tangent(Layer, w=np.outer(z_bar, x)), layer.w.T @ z_bar

        return y, apply_pullback

    w = rng.normal(size=(7, 6))

    def f(x):
        return apply(Layer(w * x[0], "first"), x)

    assert_derivative(jvp(f, (X,), (V,))[1], f, X, V)

    def total(x):
        return np.sum(f(x) ** 2)

    assert_derivative(hvp(total, X, V), lambda x: gradient(total, x)[0], X, V)


def test_writes_after_the_call_are_undone():
    def cubed(x):
        return x**3

    rrule(cubed)(lambda x: (x**3, lambda y_bar: 3 * x**2 * y_bar))

    def total(x):
        y = x * 1.0
        z = cubed(y)
        y[:] = z * x
        z += cubed(y)
        return np.sum(z * z)

    assert_derivative(hvp(total, X, V), lambda x: gradient(total, x)[0], X, V)


def test_an_argument_that_the_rule_reads_from_outside_as_well():
    w = np.linspace(0.5, 1.0, 6)

    def times(x):
        return x * w

    rrule(times)(lambda x: (x * w, lambda y_bar: y_bar * w))
    np.testing.assert_allclose(jvp(times, (w,), (V,))[1], V * w)
    np.testing.assert_allclose(hvp(lambda x: np.sum(times(x) ** 2), w, V), 2 * w**2 * V)


def test_random_rules_draw_the_same_again():
    def dropped(x, generator):
        return x**3 * generator.integers(0, 2, x.shape)

    @rrule(dropped)
    def _(x, generator):
        kept = generator.integers(0, 2, x.shape)
        return x**3 * kept, lambda y_bar: (3 * x**2 * kept * y_bar, None)

    x, v = np.linspace(0.5, 1.5, 40), np.ones(40)

    def total(x, generator):
        return np.sum(dropped(x, generator) ** 2)

    kept = np.random.default_rng(3).integers(0, 2, 40)
    np.testing.assert_allclose(jvp(lambda x: dropped(x, np.random.default_rng(3)), (x,), (v,))[1], 3 * x**2 * kept)
    generator = np.random.default_rng(3)
    with pytest.raises(NotDifferentiable, match="a different value"):
        hvp(lambda x: total(x, generator), x, v)


def test_repeated_singular_values():
    a_dot = np.array([[1.0, 2.0], [3.0, 4.0]])
    _, (u_dot, s_dot, _) = jvp(np.linalg.svd, (np.eye(2),), (a_dot,))
    assert np.isfinite(s_dot).all() and np.isnan(u_dot).any()
    _, s_dot = jvp(lambda a: np.linalg.svd(a, True, False), (np.diag([3.0, 1.0]),), (a_dot,))
    np.testing.assert_allclose(s_dot, [1.0, 4.0])
    weights = np.arange(9.0).reshape(3, 3)

    def condition(a):
        return np.linalg.cond(a) + np.linalg.svd(a)[0][0, 1] * np.linalg.svd(a)[2][0, 2]

    a, v = np.diag([3.0, 2.0, 0.5]) + 0.1 * weights, np.cos(weights)
    assert_derivative(jvp(condition, (a,), (v,))[1], condition, a, v)
    assert_derivative(hvp(condition, a, v), lambda a: gradient(condition, a)[0], a, v)


def test_hessians_through_columns_of_constants():
    columns = np.random.default_rng(2).normal(size=(6, 3))

    def distances(x, columns, power):
        return np.sqrt(np.sum((x[:, None] - columns) ** 2, axis=0) + 1.0)

    @rrule(distances)
    def _(x, columns, power):
        y = distances(x, columns, power)

        def distances_pullback(y_bar):
            x_bar = np.sum((x[:, None] - columns) / y * y_bar, axis=1)
            return x_bar, NotImplementedTangent("by the columns"), NotImplementedTangent("by the power")

        return y, distances_pullback

    def blended(x, a, b, c):
        return x * a + b * c * x**3

    missing = NotImplementedTangent("of a constant")
    scalar_rule(blended, lambda y, x, a, b, c: a + 3 * b * c * x**2, missing, missing, missing)
    for total in (
        lambda x: np.sum(distances(x, columns, 2) ** 3),
        lambda x: np.sum(blended(x, *columns.T) ** 2),
        lambda x: np.sum(np.linalg.lstsq(np.column_stack([x**2, *columns.T[:2]]), columns[:, 2], rcond=None)[0]),
    ):
        assert_derivative(hessian(total, X) @ V, lambda x, total=total: gradient(total, x)[0], X, V, 1e-5)
