"""Rules over functions: what a function that a rule is given has captured is active too, or refused by name."""

import functools
import math
import struct

import numpy as np
import pytest
from morula_helpers import assert_same

import chainrules
from chainrules import Tangent, ZeroTangent, accumulate, rrule, rrule_via, unthunk
from morula import NotDifferentiable, ReverseMode, RuleError, gradient, tier
from morula.eager.calls.rule_config import STATIC


def fixed_point(f, x):
    """The x with ``f(x) == x`` that iteration finds."""
    for _ in range(200):
        y = f(x)
        if abs(y - x) < 1e-15:
            break
        x = y
    return x


@rrule(fixed_point, needs=("reverse",))
def _(config, f, x):
    y = fixed_point(f, x)
    _, pullback = rrule_via(config, f, y)

    def fixed_point_pullback(y_bar):
        # x = f(x, p) gives dx = f_p dp / (1 - f_x): the implicit function theorem
        f_x = unthunk(pullback(1.0)[1])
        f_bar, _ = pullback(y_bar / (1 - f_x))
        return f_bar, 0.0

    return y, fixed_point_pullback


def quadrature(f, a, b):
    """Gauss's rule with ten points."""
    x, w = np.polynomial.legendre.leggauss(10)
    return sum(wi * f(0.5 * (b - a) * xi + 0.5 * (a + b)) for xi, wi in zip(x, w)) * 0.5 * (b - a)  # noqa: B905


@rrule(quadrature, needs=("reverse",))
def _(config, f, a, b):
    x, w = np.polynomial.legendre.leggauss(10)
    pairs = [rrule_via(config, f, float(0.5 * (b - a) * xi + 0.5 * (a + b))) for xi in x]

    def quadrature_pullback(y_bar):
        f_bar = None
        for wi, (_, back) in zip(w, pairs, strict=True):
            f_bar = accumulate(f_bar, back(float(wi) * 0.5 * (b - a) * y_bar)[0])
        return f_bar, -y_bar * f(a), y_bar * f(b)

    return sum(wi * y for wi, (y, _) in zip(w, pairs, strict=True)) * 0.5 * (b - a), quadrature_pullback


def differences(f, x, h=1e-5):
    return (f(x + h) - f(x - h)) / (2 * h)


def test_a_solver_of_a_function_that_captures_a_parameter():
    def loss(p):
        return fixed_point(lambda x: math.cos(p * x), 0.5) * p

    (g,) = gradient(loss, 0.7)
    assert g == pytest.approx(differences(loss, 0.7), rel=1e-7)


def test_a_quadrature_by_its_limits_and_by_arrays_captured():
    def loss(w, a):
        def f(x):
            return w[0] * math.sin(w[1] * x) + a * x

        return quadrature(f, a, 2 * a) * w[1]

    w = np.array([1.3, 0.7])
    g_w, g_a = gradient(loss, w, 0.4)
    for i in range(2):
        e = np.eye(2)[i]
        assert g_w[i] == pytest.approx(differences(lambda h: loss(w + h * e, 0.4), 0.0), rel=1e-7)  # noqa: B023
    assert g_a == pytest.approx(differences(lambda a: loss(w, a), 0.4), rel=1e-7)


def test_inside_loops_and_between_writes():
    def loss(p):
        y = np.zeros(3)
        for i in range(3):
            k = p[i]
            y[i] = quadrature(lambda x: k * x * p[0], 0.0, 1.0)  # noqa: B023
            y[i] *= y[max(i - 1, 0)] + 1.0
        return y.sum()

    p = np.array([0.5, 1.5, -0.7])
    (g,) = gradient(loss, p)
    wanted = [differences(lambda h: loss(p + h * np.eye(3)[i]), 0.0) for i in range(3)]  # noqa: B023
    assert_same(g, np.array(wanted), rtol=1e-7)


def test_objects_and_their_methods_as_functions():
    class Line:
        def __init__(self, a):
            self.a = a

        def __call__(self, x):
            return self.a * x

        def squared(self, x):
            return self.a * x * x

    assert gradient(lambda a: quadrature(Line(a), 0.0, 2.0), 3.0)[0] == pytest.approx(2.0)
    assert gradient(lambda a: quadrature(Line(a).squared, 0.0, 3.0), 3.0)[0] == pytest.approx(9.0)
    line = Line(3.0)
    (g,) = gradient(lambda f: quadrature(f, 0.0, 2.0), line)
    assert dict(g.fields()) == {"a": pytest.approx(2.0)}


def ways_to_lose():
    def writes(p):
        w = np.zeros(2)

        def f(x):
            w[0] = x * p
            return w.sum()

        return quadrature(f, 0.0, 1.0)

    def appends(p):
        log = []

        def f(x):
            log.append(x)
            return p * x

        return quadrature(f, 0.0, 1.0)

    def partial(p):
        return quadrature(functools.partial(math.pow, p), 0.0, 1.0)

    def default(p):
        def f(x, q=p):
            return q * x

        return quadrature(f, 0.0, 1.0)

    def rebinds(p):
        total = p

        def f(x):
            nonlocal total
            total = total + x
            return total

        return quadrature(f, 0.0, 1.0)

    return [writes, appends, partial, default, rebinds]


@pytest.mark.parametrize("loss", ways_to_lose(), ids=lambda f: f.__name__)
def test_what_a_rule_cannot_see_is_refused_and_never_zero(loss):
    with pytest.raises(NotDifferentiable):
        gradient(loss, 2.0)


def test_functions_that_a_function_captures():
    def through_another(p):
        h = lambda x: p * x
        k = lambda x: h(x) * p
        return quadrature(lambda x: h(x) + k(x), 0.0, 1.0)

    assert_same(gradient(through_another, 2.0), (0.5 + 2.0,))


def test_a_rule_that_forgets_its_function_is_told():
    def forgetful(f, x):
        return f(x)

    @rrule(forgetful)
    def _(f, x):
        return f(x), lambda y_bar: (None, y_bar)

    def loss(p):
        return forgetful(lambda x: p * x, 3.0)

    with pytest.raises(RuleError, match=r"lambda.* holds active values \('p'\)"):
        gradient(loss, 2.0)
    assert gradient(lambda x: forgetful(lambda v: 2 * v, x), 3.0) == (1.0,)

    @rrule(forgetful)
    def _(f, x):
        return f(x), lambda y_bar: (ZeroTangent(), y_bar)

    assert gradient(loss, 2.0) == (None,)

    @rrule(forgetful)
    def _(f, x):
        return f(x), lambda y_bar: (Tangent(type(f), p=x * y_bar), y_bar)

    assert gradient(loss, 2.0) == (3.0,)


def test_the_config_as_tools_use_it():
    config = ReverseMode()
    assert config.traits == {"forward", "reverse"}
    y, pullback = rrule_via(config, lambda a, b: a * b + a, 3.0, np.array([1.0, 2.0]))
    f_bar, a_bar, b_bar = pullback(np.ones(2))
    assert f_bar is None and a_bar == 5.0 and b_bar.tolist() == [3.0, 3.0] and y.tolist() == [6.0, 9.0]
    assert chainrules.rules_for(quadrature) == () and len(chainrules.rules_for(quadrature, config)) == 1


def test_functions_given_to_rules_have_static_adjoints_too(monkeypatch):
    made, static_run = [], STATIC[0]
    spy = lambda f, args: made.append(static_run(f, args)) or made[-1]
    monkeypatch.setattr("morula.eager.calls.rule_config.STATIC", [spy, STATIC[1]])
    seen = []

    def wave(x):
        return 0.5 * math.cos(x * x)

    def with_state(x):
        seen.append(x)
        return 0.5 * math.cos(x * x)

    with tier("eager"):
        wanted = gradient(fixed_point, wave, 0.3), gradient(fixed_point, lambda x: wave(x) * 1.0, 0.3)
    with tier("static"):
        assert_same(gradient(fixed_point, wave, 0.3), wanted[0])
        assert made[-1] is not None
        scale = lambda k: gradient(fixed_point, lambda x: k * wave(x), 0.3)
        assert_same(scale(1.0), wanted[1])
        captured = gradient(lambda k: fixed_point(lambda x: k * math.cos(x), 0.3), 0.5)[0]
        with pytest.raises(NotDifferentiable, match="called by a rule, writes into"):
            gradient(fixed_point, with_state, 0.3)
    x = fixed_point(lambda x: 0.5 * math.cos(x), 0.3)
    assert captured == pytest.approx(math.cos(x) / (1 + 0.5 * math.sin(x)), rel=1e-9)


def test_a_refusal_quotes_why_there_is_no_rule():
    chainrules.unsupported("makes bytes of numbers", struct.pack_into)
    with pytest.raises(NotDifferentiable, match=r"pack_into .*deliberately has no rule: it makes bytes of numbers\."):
        gradient(lambda x: struct.pack_into("d", bytearray(8), 0, x) or x, 2.0)


class Spring:
    def __init__(self, k):
        self.k = k

    @property
    def twice(self):
        return 2 * self.k

    @classmethod
    def stiff(cls, k):
        return 3 * k

    def force(self, x):
        return self.k * x


@rrule(Spring.twice.fget)
def _(spring):
    return 2 * spring.k, lambda y_bar: Tangent(Spring, k=20 * y_bar)


@rrule(Spring.stiff.__func__)
def _(cls, k):
    return 3 * k, lambda y_bar: (None, 30 * y_bar)


@rrule(Spring.force)
def _(spring, x):
    return spring.k * x, lambda y_bar: (Tangent(Spring, k=10 * x * y_bar), 10 * spring.k * y_bar)


def test_rules_for_what_classes_hold():
    assert gradient(lambda k: Spring(k).twice, 1.0) == (20.0,)
    assert gradient(Spring.stiff, 1.0) == (30.0,) == gradient(lambda k: Spring(1.0).stiff(k), 1.0)
    assert gradient(lambda k, x: Spring(k).force(x), 2.0, 3.0) == (30.0, 20.0)
    for config in (ReverseMode(), chainrules.RuleConfig()):
        spring_bar, x_bar = rrule_via(config, Spring(2.0).force, 3.0)[1](1.0)
        assert spring_bar == Tangent(Spring, k=30.0) and x_bar == 20.0


class Metres(float):
    def doubled(self):
        return self * 2.0


def test_numbers_of_a_class_of_ones_own():
    assert gradient(lambda x: math.sin(x) + x.doubled() * x, Metres(1.5)) == (pytest.approx(math.cos(1.5) + 6.0),)
    assert gradient(lambda p: p["a"] ** 2, {"a": Metres(3.0)}) == ({"a": 6.0},)


def called(f, x):
    return f(x)


@rrule(called, needs=("reverse",))
def _(config, f, x):
    return rrule_via(config, f, x)


@pytest.mark.parametrize("f", [
    lambda x: (x * i for i in range(3)),
    lambda x: map(math.sin, [x, 2 * x]),
    lambda x: lambda t: t * x,
    lambda x: functools.partial(math.pow, x),
    lambda x: {x, 2 * x},
])  # fmt: skip
def test_a_rule_that_returns_what_hides_active_values(f):
    with pytest.raises(NotDifferentiable, match="a rule returned a"):
        gradient(lambda x: [x, called(f, x)][0], 1.5)


def total(xs):
    return sum(list(xs))


@rrule(total)
def _(xs):
    xs = list(xs)
    return sum(xs), lambda y_bar: [y_bar] * len(xs)


def test_a_generator_is_refused_by_name():
    assert gradient(lambda x: total([v * 2 for v in x]), np.ones(2))[0].tolist() == [2.0, 2.0]
    with pytest.raises(NotDifferentiable, match=r"total was given a generator .*pass a list"):
        gradient(lambda x: total(v * 2 for v in x), np.ones(2))
