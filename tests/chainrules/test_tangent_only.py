"""Tangents where the value is known already: the same as with the value, which is not computed again."""

import math
import random

import numpy as np
import pytest

import chainrules as cr
from chainrules import (
    Rule,
    RuleConfig,
    ZeroTangent,
    frule,
    frules_for,
    is_absent,
    rrule,
    scalar_rule,
)
from chainrules.library.forward import forward
from chainrules.library.numpy.forward_linalg import multilinear
from chainrules.library.numpy.forward_reductions import of_one
from chainrules.library.numpy.forward_shapes import linear
from chainrules.rules import add_rule
from chainrules.testing import test_frule

X = np.array([0.5, 1.5, 2.5])


def counted(f):
    """`f`, and how often it was called."""

    def g(*args):
        g.calls += 1
        return f(*args)

    g.calls = 0
    return g


def declare_scalar(g):
    scalar_rule(g, lambda y, x: 3 * x**2)


def declare_forward(g):
    rrule(g)(lambda x: (g(x), lambda y_bar: 3 * x**2 * y_bar))
    forward(g)(lambda y, dots, x: 3 * x**2 * dots[0])


def declare_of_one(g):
    of_one(g)(lambda y, x_dot, x: 3 * x**2 * x_dot)


def declare_given(g):
    frule(g, given_value=True)(lambda y, primals, tangents: 3 * primals[0] ** 2 * tangents[0])


@pytest.mark.parametrize("declare", [declare_scalar, declare_forward, declare_of_one, declare_given])
def test_the_value_is_not_computed_again(declare):
    cube = counted(lambda x: x**3)
    declare(cube)
    (rule,) = frules_for(cube)
    y_dot = rule.tangent(X**3, (X,), (np.ones(3),), {})
    assert cube.calls == 0 and y_dot.tolist() == (3 * X**2).tolist()
    y, again = rule.function((X,), (np.ones(3),))
    assert cube.calls == 1 and y.tolist() == (X**3).tolist() and again.tolist() == y_dot.tolist()


def test_linear_functions_are_called_with_tangents_alone():
    double = counted(lambda x: 2 * x)
    linear(double, 1)
    assert frules_for(double)[0].tangent(2 * X, (X,), (X,), {}).tolist() == (2 * X).tolist()
    assert double.calls == 1
    times = counted(lambda a, b: a * b)
    multilinear(times, 2)
    tangent = frules_for(times)[0].tangent
    assert tangent(X * X, (X, X), (None, np.ones(3)), {}).tolist() == X.tolist() and times.calls == 1
    assert tangent(X * X, (X, X), (None, None), {}) is ZeroTangent() and times.calls == 1


def test_the_value_that_is_given_is_the_one_that_is_used():
    given = 7 * np.exp(X)
    assert frules_for(np.exp)[0].tangent(given, (X,), (np.ones(3),), {}).tolist() == given.tolist()
    y = np.diag([1.0, 2.0])
    assert frules_for(np.linalg.inv)[0].tangent(y, (np.eye(2),), (np.eye(2),), {}).tolist() == (-y @ y).tolist()


def test_where_value_and_tangent_come_from_one_call_there_is_none():
    def square(x):
        return x * x

    frule(square)(lambda primals, tangents: (square(*primals), 2 * primals[0] * tangents[0]))
    assert frules_for(square)[0].tangent is None
    assert frules_for(random.choice)[0].tangent is None and frules_for(np.random.permutation)[0].tangent is None
    with pytest.raises(TypeError, match="needs"):
        frule(square, needs="forward", given_value=True)


def test_instances_and_attributes_may_be_given_the_value():
    class Scaled:
        calls = 0

        def __call__(self, x, times=2.0):
            Scaled.calls += 1
            return times * x

    @frule(Scaled, instances=True, given_value=True)
    def _(y, primals, tangents, times=2.0):
        return times * tangents[1]

    layer = Scaled()
    assert cr.frule_via(RuleConfig(), layer, (2.0,), (None, 1.0), times=3.0) == (6.0, 3.0)
    assert frules_for(layer)[0].tangent(6.0, (layer, 2.0), (None, 1.0), {"times": 3.0}) == 3.0
    assert Scaled.calls == 1
    (rule,) = frules_for(np.ndarray.T)
    assert rule.function((np.ones((1, 2)),), (np.ones((1, 2)),))[1].shape == (2, 1)


COMMON = [
    np.add, np.subtract, np.multiply, np.true_divide, np.power, np.negative, np.exp, np.log, np.sin, np.cos,
    np.tanh, np.sqrt, np.square, np.absolute, np.maximum, np.minimum, np.where, np.clip, np.matmul, np.dot,
    np.outer, np.einsum, np.tensordot, np.sum, np.ndarray.sum, np.mean, np.ndarray.mean, np.max, np.prod, np.cumsum,
    np.var, np.std, np.reshape, np.ndarray.reshape, np.ravel, np.transpose, np.ndarray.T, np.concatenate, np.stack,
    np.take, np.sort, np.diff, np.trace, np.linalg.solve, np.linalg.inv, np.linalg.det, np.linalg.norm,
    np.linalg.cholesky, np.linalg.eigh, np.linalg.svd, math.sin, math.exp, math.sqrt, math.hypot, math.log, pow,
    sum, max, min, sorted, np.array, np.asarray, np.broadcast_to,
]  # fmt: skip


@pytest.mark.parametrize("f", COMMON, ids=lambda f: getattr(f, "__qualname__", f.__name__))
def test_common_functions_need_no_second_value(f):
    assert all(rule.tangent is not None for rule in frules_for(f))


def test_the_tool_compares_the_tangent_alone_with_the_whole_rule():
    def half(x):
        return x / 2

    def over(n):
        return lambda y, primals, tangents, kwargs: ZeroTangent() if is_absent(tangents) else tangents[0] / n

    def declared(tangent):
        def whole(primals, tangents):
            return half(*primals), over(2)(None, primals, tangents, {})

        add_rule(half, Rule(whole, (), __file__, 1, tangent=tangent), forward=True)
        return half

    test_frule(declared(over(2)), 1.0)
    with pytest.raises(AssertionError, match="whole rule"):
        test_frule(declared(over(3)), 1.0)
    with pytest.raises(AssertionError, match="declines"):
        test_frule(declared(lambda y, primals, tangents, kwargs: NotImplemented), 1.0)
    with pytest.raises(AssertionError, match="whole rule"):
        test_frule(declared(lambda y, primals, tangents, kwargs: ZeroTangent()), 1.0)
