"""What the protocol offers to rules that work elsewhere: `morula.means`, `chainrules.opaque`, `RuleConfig.wanted`."""

import pickle

import numpy as np
import pytest

import chainrules
import morula
from chainrules import frule_via, rrule, rrule_via


class Elsewhere:
    """Stands for a client: holds everything, and may not be searched."""

    def __init__(self, x):
        self.held = x

    def square(self, x):
        return float.__pow__(x, 2.0) if isinstance(x, float) else np.asarray(memoryview(x)) ** 2


chainrules.opaque(Elsewhere)


class Derived(Elsewhere):
    pass


@morula.means(Elsewhere.square)
def _(self, x):
    return x * x


def test_a_body_stands_for_a_method():
    client = Derived(None)

    def loss(x):
        return client.square(x).sum()

    x = np.arange(3.0)
    assert morula.gradient(loss, x)[0].tolist() == [0.0, 2.0, 4.0]
    np.testing.assert_allclose(morula.hessian(loss, x), 2 * np.eye(3))
    assert morula.jvp(loss, (x,), (x,))[1] == 10.0


def test_opaque_objects_are_not_searched():
    def loss(x):
        client = Derived([x])
        return client.square(x[:2]).sum()

    assert morula.gradient(loss, np.ones(3))[0].tolist() == [2.0, 2.0, 0.0]


def test_opaque_takes_classes_and_means_takes_functions():
    with pytest.raises(TypeError, match="classes"):
        chainrules.opaque(3)
    with pytest.raises(TypeError, match="Python function"):
        morula.means(abs)(np.sin)


def test_a_body_is_not_followed_where_nothing_is_active():
    ran = []

    def f(x):
        return x

    @morula.means(f)
    def _(x):
        ran.append(x)
        return x

    assert morula.gradient(lambda x: x * f(3.0), 2.0) == (3.0,)
    assert ran == []


def test_rules_see_what_is_wanted():
    seen = []

    def pay(x, table, f):
        return float(x.sum() + table.sum())

    @rrule(pay, needs=("reverse",))
    def _(config, x, table, f):
        seen.append([config.wanted(v) for v in (x, table, f)])
        return pay(x, table, f), lambda y_bar: (np.full(x.shape, y_bar), None, chainrules.ZeroTangent())

    table = np.ones(4)

    def loss(x):
        return pay(x, table, lambda: table) + pay(x, table, lambda: x)

    assert morula.gradient(loss, np.ones(3))[0].tolist() == [2.0, 2.0, 2.0]
    assert seen == [[True, False, False], [True, False, True]]


def test_the_engine_serves_forward_mode():
    config = morula.ReverseMode()
    assert config.traits >= {"forward", "reverse"}
    y, y_dot = frule_via(config, lambda x, k: x**k, (np.array([1.0, 2.0]), 3), (None, np.ones(2), None))
    np.testing.assert_allclose(y, [1.0, 8.0])
    np.testing.assert_allclose(y_dot, [3.0, 12.0])


def test_a_configuration_travels():
    def square(x):
        return x * x

    y, back = rrule_via(pickle.loads(pickle.dumps(morula.ReverseMode())), square, 3.0)
    assert (y, back(1.0)) == (9.0, (None, 6.0))


def applied(f, x):
    return np.array([f(v) for v in np.asarray(memoryview(x))])


@rrule(applied, needs=("reverse",))
def _(config, f, x):
    pairs = [rrule_via(config, f, float(v)) for v in x]

    def applied_pullback(y_bar):
        return None, np.array([pairs[i][1](y_bar[i])[1] for i in range(len(pairs))])

    return np.array([y for y, _ in pairs]), applied_pullback


@chainrules.frule(applied, needs=("forward",))
def _(config, primals, tangents):
    f, x = primals
    pairs = [frule_via(config, f, (x[i],), (None, tangents[1][i])) for i in range(len(x))]
    return np.array([y for y, _ in pairs]), np.array([d for _, d in pairs])


def test_second_derivatives_pass_through_rules_over_functions():
    def cube(v):
        return v * v * v

    x = np.array([1.0, 2.0])
    assert morula.gradient(lambda x: applied(cube, x).sum(), x)[0].tolist() == [3.0, 12.0]
    assert morula.jvp(lambda x: applied(cube, x), (x,), (x,))[1].tolist() == [3.0, 24.0]
    np.testing.assert_allclose(morula.hessian(lambda x: applied(cube, x).sum(), x), np.diag([6.0, 12.0]))
    np.testing.assert_allclose(morula.hvp(lambda x: applied(cube, x).sum(), x, np.ones(2)), [6.0, 12.0])


class Scaling:
    def __call__(self, x, scale=1.0):
        return float(np.dot(x, np.full(len(x), scale)))


@rrule(Scaling, instances=True)
def _(self, x, scale):
    return self(x, scale), lambda y_bar: (y_bar * np.full(len(x), scale), y_bar * float(x.sum()))


def test_active_keywords_of_calls_of_instances_have_derivatives():
    call, x = Scaling(), np.array([1.0, 2.0])
    assert morula.gradient(lambda s: call(x, scale=s), 3.0) == (3.0,)
    assert morula.gradient(lambda s: call(x=x * s, scale=s), 3.0) == (18.0,)
