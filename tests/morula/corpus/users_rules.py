"""Rules that users write: containers, objects, methods, keywords, refusals of their own."""

import functools
from collections import deque

import numpy as np

import morula
from chainrules import Tangent, rrule
from corpus import VECTOR, Programs, X

program = Programs()


def two_in_a_dict(v):
    return {"a": v * 2, "b": v * 3}


@morula.adjoint(two_in_a_dict)
def _(v):
    return ({"a": v * 2, "b": v * 3}, lambda c: 2 * (c["a"] or 0) + 3 * (c["b"] or 0))


@program(X)
def rule_of_a_dict(x):
    d = two_in_a_dict(x)
    return d["a"] * d["b"]


def two_in_a_list(v):
    return [v * 2, v * 3]


@morula.adjoint(two_in_a_list)
def _(v):
    return ([v * 2, v * 3], lambda c: 2 * c[0] + 3 * c[1])


@program(X)
def rule_of_a_list(x):
    d = two_in_a_list(x)
    return d[0] * d[1]


def nested_parts(v):
    return ([v * 2, v * 3], v * 5)


@morula.adjoint(nested_parts)
def _(v):
    return (([v * 2, v * 3], v * 5), lambda c: 2 * c[0][0] + 3 * c[0][1] + 5 * c[1])


@program(X)
def rule_of_nested_parts(x):
    (p, q), r = nested_parts(x)
    return p * q * r


@program(X)
def rule_of_nested_parts_by_index(x):
    d = nested_parts(x)
    return d[0][0] * d[0][1] * d[1]


def scaled_by_keyword(v, *, k=2.0):
    return v * k


@morula.adjoint(scaled_by_keyword)
def _(v, *, k=2.0):
    return (v * k, lambda c: c * k)


@program(X)
def rule_with_keyword_only(x):
    return scaled_by_keyword(x, k=3.0)


def scaled(v, k=2.0):
    return v * k


@morula.adjoint(scaled)
def _(v, k=2.0):
    return (v * k, lambda c: (c * k, c * v))


@program(X)
def rule_with_keyword(x):
    return scaled(x, k=x * x)


@program(X)
def rule_with_keywords_reordered(x):
    return scaled(k=x * x, v=x)


@program(X)
def rule_with_default(x):
    return scaled(x)


class Point:
    def __init__(s, x, y):
        s.x = x
        s.y = y


def x_squared_y(p):
    return p.x**2 * p.y


@morula.adjoint(x_squared_y)
def _(p):
    return (p.x**2 * p.y, lambda c: Tangent(Point, x=2 * p.x * p.y * c, y=p.x**2 * c))


@program(X)
def rule_of_an_object(x):
    p = Point(x, 3.0)
    r = x_squared_y(p)
    return r * p.x


def square_of_a(d):
    return d["a"] ** 2


@morula.adjoint(square_of_a)
def _(d):
    return (d["a"] ** 2, lambda c: {"a": 2 * d["a"] * c})


@program(X)
def rule_of_a_part_of_a_dict(x):
    d = {"a": x, "b": x * 2}
    return square_of_a(d) * d["b"]


def squared(v):
    return v * v


@morula.adjoint(squared)
def _(v):
    return (v * v, lambda c: 2 * v * c)


@program(VECTOR)
def argument_written_after_the_rule(a):
    y = a * 1.0
    r = squared(y)
    y[0] = 9.0
    y += 1
    return (r * y).sum()


def twice_and_thrice(v):
    return (v * 2, v * 3)


@morula.adjoint(twice_and_thrice)
def _(v):
    return ((v * 2, v * 3), lambda c: (2 * c[0] if c[0] is not None else 0) + (3 * c[1] if c[1] is not None else 0))


@program(VECTOR)
def one_of_two_values(a):
    u, _v = twice_and_thrice(a)
    return (u * u).sum()


@program(X)
def other_of_two_values(x):
    _u, v = twice_and_thrice(x)
    return v * v


def the_global(v):
    return ONES


ONES = np.ones(3)


@morula.adjoint(the_global)
def _(v):
    return (ONES, lambda c: c.sum() * np.ones(4) * 0)


@program(VECTOR)
def rule_returns_global(a):
    return (the_global(a) * 2).sum() + (ONES * 3).sum() + a[0]


def same(v):
    return v


@morula.adjoint(same)
def _(v):
    return (v, lambda c: c)


@program(VECTOR)
def argument_returned_then_written(a):
    y = a * 1.0
    z = same(y)
    y[0] = 5.0
    return (y * y).sum()


def tail(v):
    return v[1:]


@morula.adjoint(tail)
def _(v):

    def pb(c):
        g = np.zeros_like(v)
        g[1:] = c
        return g

    return (v[1:], pb)


@program(VECTOR)
def view_returned(a):
    y = a * 1.0
    z = tail(y)
    return (z * z).sum() + (y * y).sum()


class Model:
    def __init__(s, v):
        s.v = v * 2

    def get(s, k):
        return s.v * k

    @property
    def pr(s):
        return s.v**2

    @classmethod
    def mk(cls, v):
        return cls(v)

    @staticmethod
    def st(v):
        return v**3


morula.adjoint(Model.get)(lambda s, k: (s.v * k, lambda c: (Tangent(Model, v=c * k), c * s.v)))


morula.adjoint(Model.st)(lambda v: (v**3, lambda c: 3 * v * v * c))


@program(X)
def rules_of_methods(x):
    return Model(x).get(x) * Model.st(x) * Model.mk(x).pr * Model(2.0).st(x)


@program(X)
def rule_of_a_mapped_method(x):
    return sum(map(Model(x).get, [1.0, x]))


@program(X)
def rule_of_a_bound_method(x):
    f = Model(x).get
    return f(3.0) * f(x)


@program(X)
def method_by_keyword(x):
    return Model(x).get(k=x)


@program(X)
def rule_of_a_partial(x):
    return functools.partial(Model.get, Model(x))(x)


def always_fails(v):
    raise RuntimeError


@morula.adjoint(always_fails)
def _(v):
    return NotImplemented


@program(X)
def rule_that_declines_a_failure(x):
    try:
        return always_fails(x)
    except RuntimeError:
        return x * x


def square(v):
    return v * v


@morula.adjoint(square)
def _(v):
    if v > 0:
        return NotImplemented
    return (v * v, lambda c: 7 * c)


@program(X)
def rule_that_declines(x):
    return square(x) * x


class History:
    """Past values, the newest of which counts; each kind of container is filled in a way of its own."""

    def __init__(self, kind, *values):
        self.values = kind(values)


def newest(history):
    return history.values[-1] ** 2


@rrule(newest)
def _(history):
    def pullback(c):
        values = [None] * len(history.values)
        values[-1] = 2 * history.values[-1] * c
        return Tangent(History, values=values)

    return newest(history), pullback


def written_after_the_rule(kind, x):
    history = History(kind, 1.0, x)
    y = newest(history)
    history.values[-1] = 5.0
    history.values.append(3.0)
    return y


@program(X)
def list_in_an_object_written_after_the_rule(x):
    return written_after_the_rule(list, x)


@program(X)
def deque_in_an_object_written_after_the_rule(x):
    return written_after_the_rule(deque, x)
