"""Tuples as arguments: of nothing but containers and objects, and of classes of their own."""

from types import SimpleNamespace

import numpy as np

from morula import gradient, pullback


class Three(tuple):
    pass


def test_a_tuple_of_nothing_but_containers():
    assert gradient(lambda t: t[0]["b"] ** 2, ({"b": 2.0},)) == (({"b": 4.0},),)
    assert gradient(lambda t: t[0][0] ** 2, ([3.0, "x"],)) == (([6.0, None],),)
    assert gradient(lambda t: t[0][0].a ** 2, ((SimpleNamespace(a=3.0),),))[0][0][0].a == 6.0
    assert gradient(lambda d: d["k"][0]["b"] ** 2, {"k": ({"b": 2.0},)}) == ({"k": ({"b": 4.0},)},)
    assert gradient(lambda t: 1.0, ({"b": 2.0},)) == (None,)


def test_a_captured_tuple_of_nothing_but_containers():
    held = ({"b": np.array([1.0, 2.0])},)
    _, back = pullback(lambda x: (held[0]["b"] * x).sum(), 3.0, with_self=True)
    f_bar, x_bar = back.with_self(1.0)
    np.testing.assert_array_equal(f_bar.held[0]["b"], [3.0, 3.0])
    assert x_bar == 3.0


def test_a_class_of_tuples():
    assert gradient(lambda t: t[0] * t[2], Three((2.0, "x", 5.0))) == ((5.0, None, 2.0),)
