"""Verbs inside differentiated functions: what reaches the inner derivation twice, by argument, keyword or memory."""

from types import SimpleNamespace

import numpy as np
import pytest

from chainrules import rrule
from morula import NotDifferentiable, checkpoint, grad, gradient, hessian, jvp, pullback, withgradient


def slope(f, x, h=1e-4):
    return (8 * (f(x + h) - f(x - h)) - (f(x + 2 * h) - f(x - 2 * h))) / (12 * h)


def assert_slope(f, x, want=None):
    """The derivative of a function of one number, by differences and by both modes."""
    want = slope(f, x) if want is None else want
    np.testing.assert_allclose(gradient(f, x)[0], want, rtol=1e-7)
    np.testing.assert_allclose(jvp(f, (x,), (1.0,))[1], want, rtol=1e-7)


def test_keywords_of_an_inner_pullback_are_active():
    def f(x):
        _, back = pullback(lambda y, *, k: y * y * k, x, k=x)
        return back(x)[0]  # 2 x^3

    assert_slope(f, 3.0, 54.0)


def test_keywords_of_an_inner_pullback_are_as_they_were():
    def f(x):
        k = [x * 1.0]
        _, back = pullback(lambda y, *, k: y * y * k[0], x, k=k)
        k[0] = x * 100.0
        return back(1.0)[0]  # 2 x^2

    assert_slope(f, 3.0, 12.0)


@pytest.mark.parametrize(
    ("make", "t", "parts"),
    [
        (lambda x: {"a": x, "b": x}, {"a": 1.0}, lambda d: (d["a"], d["b"])),
        (lambda x: [x, x], [1.0, None], lambda d: d),
        (lambda x: (x, x), (1.0, None), lambda d: d),
        (lambda x: [(x, x)], [(1.0, None)], lambda d: d[0]),
        (lambda x: SimpleNamespace(a=x, b=x), {"a": 1.0}, lambda d: (d.a, d.b)),
    ],
    ids=["dict", "list", "tuple", "tuple in a list", "object"],
)
def test_one_number_in_several_places_varies_in_one(make, t, parts):
    def f(x):
        def inner(d):
            a, b = parts(d)
            return a * a * b * x

        return jvp(inner, (make(x),), (t,))[1]  # 2 x^3

    assert f(2.0) == 16.0
    assert_slope(f, 2.0, 24.0)
    assert_slope(lambda x: gradient(f, x)[0], 2.0, 24.0)
    assert_slope(lambda x: jvp(f, (x,), (1.0,))[1], 2.0, 24.0)


def test_one_complex_number_in_several_places_varies_in_one():
    def f(x):
        z = x * (1 + 1j)
        return abs(jvp(lambda d: d["a"] ** 2 * d["b"] * z, ({"a": z, "b": z},), ({"a": 1.0},))[1])

    assert_slope(f, 2.0, 24.0 * 2**1.5)


def test_an_argument_is_also_captured():
    def f(x):
        def outer(y):
            return gradient(lambda z: (z * y).sum() * z.sum(), y)[0].sum()  # 2 (S^2 + 3 y.y) for 3 cells, S the sum

        return jvp(outer, (x,), (x,))[1]

    x = np.array([1.0, 2.0, 4.0])
    np.testing.assert_allclose(jvp(f, (x,), (x,))[1], 2 * f(x))  # of degree 2
    want = [slope(lambda h, e=e: f(x + h * e), 0.0) for e in np.eye(3)]
    np.testing.assert_allclose(gradient(f, x)[0], want, rtol=1e-8)
    np.testing.assert_allclose([jvp(f, (x,), (e,))[1] for e in np.eye(3)], want, rtol=1e-8)


class Scaled:
    def __init__(self, factor):
        self.factor = factor

    def __call__(self, x):
        return self.factor * x


def test_a_callable_argument_whose_part_in_the_second_derivative_is_zero():
    def f(scaled, s):
        return gradient(lambda m: m.factor * 3.0, scaled)[0].factor * s

    assert gradient(f, Scaled(2.0), 5.0)[1] == 3.0
    assert_slope(lambda x: gradient(lambda m, t: m(t) + m.factor, Scaled(x), x)[0].factor * x, 2.0, 5.0)  # x^2 + x


def test_third_derivatives_of_a_division_in_all_nestings():
    def root(x):  # by Newton's method; tangents are rounded by the number of derivations that are followed
        y = 1.0
        for _ in range(6):
            y = y - (y * y - x) / (2 * y)
        return y

    verbs = (lambda f: lambda x: gradient(f, x)[0]), (lambda f: lambda x: jvp(f, (x,), (1.0,))[1])
    for first in verbs:
        for second in verbs:
            for third in verbs:
                np.testing.assert_allclose(third(second(first(root)))(1.234), 0.375 * 1.234**-2.5, rtol=1e-9)


def test_a_captured_value_that_changed_since_is_as_it_was():
    factor = SimpleNamespace(value=2.0)

    def f(x):
        slope = gradient(lambda y: factor.value * y**3, x)[0]
        factor.value = 2.001
        return slope

    assert gradient(f, 3.0) == (36.0,)
    assert factor.value == 2.001


def test_functions_of_numbers_whose_slope_is_an_array_without_axes():
    assert_slope(lambda x: gradient(lambda y: np.sinc(y), x)[0], 1.2)
    assert_slope(lambda x: jvp(lambda y: np.sinc(y), (x,), (1.0,))[1], 1.2)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.polyval([x, 1, x], x),
        lambda x: np.convolve([1.0, x, 3], [x, 2, x]).sum(),
        lambda x: np.cross([x, 1, 2.0], [x * x, x, 1]).sum(),
    ],
    ids=["polyval", "convolve", "cross"],
)
def test_lists_of_which_some_numbers_are_constant_integers(f):
    assert_slope(f, 1.3)
    assert_slope(lambda x: gradient(f, x)[0], 1.3)
    assert_slope(lambda x: jvp(f, (x,), (1.0,))[1], 1.3)


class Pair:
    def __init__(self, a, b):
        self.a = a
        self.b = b


def slope_in_a_dict(x):
    return gradient(lambda d: d["a"] ** 2 * d["b"], {"a": x, "b": x * x})[0]["a"]


def slope_in_nested_dicts(x):
    return gradient(lambda d: d["a"]["b"] ** 3, {"a": {"b": x}})[0]["a"]["b"]


def slope_in_nested_lists(x):
    return gradient(lambda d: d[0] ** 2 * d[1][0], [x, [x * x]])[0][0]


def slope_in_nested_objects(x):
    return gradient(lambda d: d.a.a**3 * d.b, Pair(Pair(x, 1), x))[0].a.a


def slope_with_a_captured_object(x):
    pair = Pair(x, [x * x])
    return gradient(lambda y: y * y * pair.a * pair.b[0], x)[0]


def slope_with_a_captured_tuple_of_a_dict(x):
    held = ({"a": 1.0, "b": 2 * x},)
    return gradient(lambda y: y**3 * held[0]["b"] ** 2 * held[0]["a"], x)[0]


def slope_by_a_captured_direction(x):
    t = {"a": 1.0, "b": x**3}
    return gradient(lambda d: jvp(lambda e: e["a"] ** 2 * e["b"] ** 2, (d,), (t,))[1], {"a": x, "b": x * x})[0]["a"]


def slope_by_a_made_gradient(x):
    return grad(lambda y: y**3 * x * x)(x)


def slope_beside_a_result(x):
    g, aux = grad(lambda y: (y**3 * x, {"k": y * x}), has_aux=True)(x)
    return g * aux["k"]


@pytest.mark.parametrize(
    "f",
    [
        slope_in_a_dict,
        slope_in_nested_dicts,
        slope_in_nested_lists,
        slope_in_nested_objects,
        slope_with_a_captured_object,
        slope_with_a_captured_tuple_of_a_dict,
        slope_by_a_captured_direction,
        slope_by_a_made_gradient,
        slope_beside_a_result,
    ],
    ids=lambda f: f.__name__,
)
def test_three_derivatives_with_containers_in_all_nestings(f):
    x = 1.234
    verbs = (lambda f: lambda x: gradient(f, x)[0]), (lambda f: lambda x: jvp(f, (x,), (1.0,))[1])
    first, second = slope(f, x), slope(lambda y: slope(f, y, 1e-2), x, 1e-2)
    for inner in verbs:
        np.testing.assert_allclose(inner(f)(x), first, rtol=1e-7)
        for outer in verbs:
            np.testing.assert_allclose(outer(inner(f))(x), second, rtol=1e-5)


@pytest.mark.parametrize("run", [gradient, checkpoint, withgradient], ids=lambda f: f.__name__)
def test_numbers_in_an_exception_that_leaves_an_inner_derivation(run):
    def inner(y):
        raise ValueError("too large", y * y)

    def reads(x):
        try:
            run(inner, x)
        except ValueError as error:
            return x * error.args[1]

    def ignores(x):
        try:
            run(inner, x)
        except ValueError as error:
            assert str(error) == f"('too large', {x * x!r})"
            return x * x

    def passes(x):
        run(inner, x)

    with pytest.raises(NotDifferentiable, match=r"'args' of an exception .* return the values you need"):
        gradient(reads, 3.0)
    assert gradient(ignores, 3.0) == (6.0,)
    assert jvp(ignores, (3.0,), (1.0,)) == (9.0, 6.0)
    with pytest.raises(ValueError) as caught:
        gradient(passes, 3.0)
    assert caught.value.args == ("too large", 9.0)


def test_an_exception_without_numbers_leaves_an_inner_derivation():
    def inner(y):
        raise KeyError("name", 3)

    def f(x):
        try:
            gradient(inner, x)
        except KeyError as error:
            return x ** error.args[1]

    assert_slope(f, 2.0, 12.0)


def test_an_exception_of_an_inner_jvp_keeps_its_derivative():
    def inner(y):
        raise ValueError(y * y)

    def f(x):
        try:
            jvp(inner, (x,), (1.0,))
        except ValueError as error:
            return x * error.args[0]

    assert_slope(f, 2.0, 12.0)


def test_a_method_that_captures_active_values():
    def itself(x):
        class Model:
            def loss(self, w):
                return (x * w) ** 2

        return gradient(Model().loss, x)[0]

    def through_another(x):
        class Model:
            def scaled(self, w):
                return x * w

            def loss(self, w):
                return self.scaled(w) ** 2

        return gradient(Model().loss, x)[0]

    def as_argument(x):
        return gradient(lambda f, w: f(w) ** 2, lambda w: x * w, x)[1]

    assert_slope(itself, 2.0, 24.0)
    for f in (through_another, as_argument):
        with pytest.raises(NotDifferentiable, match=r"captures active values|holds active values"):
            gradient(f, 2.0)
        with pytest.raises(NotDifferentiable, match=r"captures active values|holds active values"):
            jvp(f, (2.0,), (1.0,))


def made(a):
    return Pair(a, [a * a])


@rrule(made)
def _(a):
    return Pair(a, [a * a]), lambda bar: ((bar.a or 0.0) + 2 * a * (bar.b[0] if bar.b else 0.0),)


def test_an_object_that_a_rule_without_a_forward_rule_makes():
    def f(x):
        pair = made(x)
        return pair.a * pair.b[0]

    assert_slope(f, 2.0, 12.0)
    assert_slope(lambda x: jvp(f, (x,), (1.0,))[1], 2.0, 12.0)


def test_a_method_that_captures_active_values_at_third_order():
    def f(x):
        class Model:
            def loss(self, w):
                return (x * w) ** 2

        return gradient(Model().loss, x)[0]  # 2 x^3

    assert_slope(lambda x: gradient(f, x)[0], 2.0, 24.0)
    assert_slope(lambda x: jvp(f, (x,), (1.0,))[1], 2.0, 24.0)


def test_a_loop_variable_that_the_inner_function_captures():
    def f(x):
        total = 0.0
        for k in (2, 3):
            total = total + gradient(lambda y: y**k * x, x)[0]  # noqa: B023  (2 x^2 + 3 x^3)
        return total

    assert_slope(lambda x: gradient(f, x)[0], 2.0, 4.0 + 36.0)
    assert_slope(lambda x: jvp(f, (x,), (1.0,))[1], 2.0, 4.0 + 36.0)


CALLS = 0


def counted():
    global CALLS
    CALLS += 1
    return CALLS


def of_its_calls(x):
    return np.sin(x * counted()) + x**3 * counted()


@pytest.mark.parametrize(
    "second",
    [
        lambda x: jvp(lambda x: gradient(of_its_calls, x)[0], (x,), (1.0,))[1],
        lambda x: gradient(lambda x: gradient(of_its_calls, x)[0], x)[0],
        lambda x: gradient(lambda x: jvp(of_its_calls, (x,), (1.0,))[1], x)[0],
        lambda x: jvp(lambda x: jvp(of_its_calls, (x,), (1.0,))[1], (x,), (1.0,))[1],
        lambda x: hessian(of_its_calls, x),
    ],
)
def test_functions_that_count_their_calls_run_again_as_they_ran_first(second):
    """What they read is put back; the value, too, is that of one call."""
    global CALLS
    x, h = 0.7, 1e-5

    def slope(x):
        global CALLS
        CALLS = 0
        return gradient(of_its_calls, x)[0]

    wanted = (slope(x + h) - slope(x - h)) / (2 * h)
    CALLS = 0
    assert second(x) == pytest.approx(wanted, rel=1e-7)
    assert CALLS == 2
    with pytest.raises(NotDifferentiable, match="has changed since its pullback was created"):
        jvp(lambda x: pullback(of_its_calls, x)[1](1.0)[0], (x,), (1.0,))
