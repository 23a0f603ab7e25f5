"""Rules of the user inside compiled code: with them a call has the derivative that the rule says.

The rules here are wrong by a factor, so that it can be told who answered.
"""

import math

import numpy as np
import pytest

import chainrules
import morula
from chainrules import NoTangent, rrule, scalar_rule

numba = pytest.importorskip("numba")


@pytest.fixture
def cube():
    return numba.njit(lambda x: x * x * x)


@pytest.fixture
def product():
    return numba.njit(lambda x, y: x * y)


@pytest.fixture(autouse=True)
def natively():
    with morula.native_mode("require"):
        yield


def test_a_scalar_rule_in_a_loop(product) -> None:
    scalar_rule(product, lambda y, x, z: 10 * z, lambda y, x, z: 100 * y / z)

    @numba.njit
    def f(x, z):
        s = 0.0
        for i in range(x.size):
            s += product(x[i], z) * 2
        return s

    x = np.array([1.0, 2.0, 3.0])
    x_bar, z_bar = morula.gradient(f, x, 5.0)
    np.testing.assert_allclose(x_bar, [100.0] * 3)
    assert z_bar == pytest.approx(200 * 6.0)
    y, back = morula.pullback(f, x, 5.0)
    assert y == 60.0
    for seed in (1.0, 0.5):
        np.testing.assert_allclose(back(seed)[0], np.full(3, 100.0 * seed))


def test_a_scalar_rule_of_an_array_and_of_complex_numbers(cube) -> None:
    scalar_rule(cube, lambda y, x: 30 * x * x)

    @numba.njit
    def f(x):
        return np.sum(cube(x))

    x = np.array([1.0, -2.0])
    np.testing.assert_allclose(morula.gradient(f, x)[0], 30 * x * x)

    @numba.njit
    def g(z):
        return abs(cube(z)) ** 2

    z = 1.0 + 2.0j
    expected = 2 * z**3 * np.conj(30 * z * z)
    assert morula.gradient(g, z)[0] == pytest.approx(expected)


def test_constant_partials_and_zeros(product) -> None:
    scalar_rule(product, 7, 0)

    @numba.njit
    def f(x, z):
        return product(x, z) * z

    x_bar, z_bar = morula.gradient(f, 2.0, 3.0)
    assert (x_bar, z_bar) == (21.0, 6.0)


def test_a_rule_that_keeps_values_of_its_own(cube) -> None:
    @rrule(cube)
    def cube_rule(x):
        square = x * x

        def cube_pullback(y_bar):
            return 30 * square * y_bar

        return square * x, cube_pullback

    @numba.njit
    def f(x):
        y = x.copy()
        for i in range(y.size):
            y[i] = cube(y[i])
            y[i] = cube(y[i])  # the argument is overwritten
        return y.sum()

    x = np.array([1.0, 0.5])
    np.testing.assert_allclose(morula.gradient(f, x)[0], 30 * x**6 * 30 * x**2)


def test_arrays_numbers_and_constants() -> None:
    @numba.njit
    def weighted(a, x, n):
        return (a @ x) * n

    @rrule(weighted)
    def weighted_rule(a, x, n):
        y = (a @ x) * n

        def weighted_pullback(y_bar):
            return 10 * n * np.outer(y_bar, x), 100 * n * (a.T @ y_bar), NoTangent()

        return y, weighted_pullback

    @numba.njit
    def f(a, x):
        y = weighted(a, x, 3)
        x[:] = 0  # what the rule reads is overwritten
        return np.sum(y * y)

    rng = np.random.default_rng(0)
    a, x = rng.normal(size=(2, 3)), rng.normal(size=3)
    seed = 2 * (a @ x) * 3
    a_bar, x_bar = morula.gradient(f, a, x.copy())
    np.testing.assert_allclose(a_bar, 30 * np.outer(seed, x))
    np.testing.assert_allclose(x_bar, 300 * (a.T @ seed))


def test_a_rule_that_hands_on_its_argument() -> None:
    @numba.njit
    def same(x):
        return x

    rrule(same)(lambda x: (x, lambda y_bar: 10 * y_bar))

    @numba.njit
    def f(x):
        y = same(x)
        y = y * 2.0
        return np.sum(y)

    np.testing.assert_allclose(morula.gradient(f, np.ones(2))[0], [20.0, 20.0])


def test_an_adjoint_of_several_values() -> None:
    @numba.njit
    def turned(angle):
        return math.cos(angle), math.sin(angle)

    @morula.adjoint(turned)
    def turned_rule(angle):
        c, s = math.cos(angle), math.sin(angle)

        def turned_pullback(bars):
            c_bar, s_bar = bars
            return 10 * (c * s_bar - s * c_bar)

        return (c, s), turned_pullback

    @numba.njit
    def f(angle):
        c, s = turned(angle)
        return 2 * c + 3 * s

    assert morula.gradient(f, 0.3)[0] == pytest.approx(10 * (3 * math.cos(0.3) - 2 * math.sin(0.3)))

    @numba.njit
    def one(angle):
        return turned(angle)[1]

    assert morula.gradient(one, 0.3)[0] == pytest.approx(10 * math.cos(0.3))


def test_a_zero_kills_an_infinite_partial(cube) -> None:
    scalar_rule(cube, lambda y, x: 0.5 / x)

    @numba.njit
    def f(x):
        return cube(x * x)

    assert morula.gradient(f, 0.0)[0] == 0.0


def test_a_rule_declared_late_takes_effect(cube) -> None:
    @numba.njit
    def f(x):
        return cube(x) + 1.0

    assert morula.gradient(f, 2.0)[0] == pytest.approx(12.0)
    scalar_rule(cube, lambda y, x: 30 * x * x)
    assert morula.gradient(f, 2.0)[0] == pytest.approx(120.0)
    morula.adjoint(cube)(lambda x: (x * x * x, lambda y_bar: 7 * y_bar))
    assert morula.gradient(f, 2.0)[0] == pytest.approx(7.0)


def test_constants_of_a_rule_may_change(cube) -> None:
    factor = 10.0

    @rrule(cube)
    def cube_rule(x):
        return x * x * x, lambda y_bar: factor * y_bar

    @numba.njit
    def f(x):
        return cube(x) + 1.0

    assert morula.gradient(f, 2.0)[0] == 10.0
    assert morula.gradient(f, 2.0)[0] == 10.0
    factor = 20.0
    assert morula.gradient(f, 2.0)[0] == 20.0
    assert morula.pullback(f, 2.0)[1](1.0)[0] == 20.0


def test_rules_that_are_not_compiled_answer_through_the_eager_tier(cube) -> None:
    calls = []

    @rrule(cube)
    def cube_rule(x):
        calls.append(x)
        return x * x * x, lambda y_bar: 10 * y_bar

    @numba.njit
    def f(x):
        return cube(x) * 2

    with pytest.raises(morula.NotNative, match="rule"):
        morula.gradient(f, 2.0)
    with morula.native_mode("never"):
        assert morula.gradient(f, 2.0)[0] == 20.0
    with morula.native_mode("auto"), pytest.warns(morula.NativeFallbackWarning, match="rule"):
        assert morula.gradient(f, 2.0)[0] == 20.0
    assert calls


def test_an_error_of_a_rule_is_raised(cube) -> None:
    @rrule(cube)
    def cube_rule(x):
        if x < 0:
            raise ValueError("negative")
        return x * x * x, lambda y_bar: 10 * y_bar

    @numba.njit
    def f(x):
        return cube(x) * 2

    assert morula.gradient(f, 2.0)[0] == 20.0
    with pytest.raises(ValueError, match="negative"):
        morula.gradient(f, -2.0)


def test_a_cotangent_of_another_shape_is_an_error(cube) -> None:
    rrule(cube)(lambda x: (x * x * x, lambda y_bar: np.ones(1)))

    @numba.njit
    def f(x):
        return np.sum(cube(x))

    with pytest.raises(ValueError, match="shape"):
        morula.gradient(f, np.ones(3))


def test_functions_of_numba_without_python_have_rules_too() -> None:
    half = numba.vectorize(["f8(f8)"])(lambda x: x / 2)
    scalar_rule(half, lambda y, x: 5.0)
    assert chainrules.scalar_rule_for(half) is not None

    @numba.njit
    def f(x):
        return half(x) * 2

    assert morula.gradient(f, 2.0)[0] == 10.0


def test_tangents_follow_scalar_rules(product) -> None:
    scalar_rule(product, lambda y, x, z: 10 * z, lambda y, x, z: 100 * y / z)

    @numba.njit
    def f(x, z):
        return product(x, z) + product(x, 2.0)

    assert morula.jvp(f, (3.0, 5.0), (1.0, 0.0))[1] == pytest.approx(50 + 20)
    assert morula.jvp(f, (3.0, 5.0), (0.0, 1.0))[1] == pytest.approx(300)
    assert morula.jvp(f, (3.0, 5.0), (1.0, 1.0))[1] == pytest.approx(370)


def test_tangents_of_other_rules_are_left_to_the_eager_tier(cube) -> None:
    rrule(cube)(lambda x: (x * x * x, lambda y_bar: 10 * y_bar))
    chainrules.frule(cube)(lambda primals, tangents: (primals[0] ** 3, 7 * tangents[0]))

    @numba.njit
    def f(x):
        return cube(x) * 2

    with morula.native_mode("auto"), pytest.warns(morula.NativeFallbackWarning, match="tangent"):
        assert morula.jvp(f, (2.0,), (1.0,))[1] == 14.0
    assert morula.gradient(f, 2.0)[0] == 20.0


class Grades(np.ndarray):
    """Arrays with rules of their own."""


def test_rules_for_subclasses_of_arrays_are_none_of_compiled_code() -> None:
    chainrules.rrule(np.cumprod, Grades)(lambda x: (np.cumprod(x), lambda y_bar: 7.0 * y_bar))

    @numba.njit
    def f(x):
        return np.cumprod(x)[2]

    with morula.native_mode("require"):
        (x_bar,) = morula.gradient(f, np.array([2.0, 3.0, 5.0]))
    assert x_bar.tolist() == [15.0, 10.0, 6.0]
