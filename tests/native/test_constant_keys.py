"""Dicts and sets of literals that are only looked up: what becomes variables, and what is left alone."""

import ast

import numpy as np
import pytest

numba = pytest.importorskip("numba")

import morula
from morula.errors import NativeFallbackWarning
from morula.static.front.constant_keys import without_literal_containers


def changed(body):
    tree = ast.parse(f"def f(x, y):\n    {body}").body[0]
    found = without_literal_containers(tree)
    return None if found is tree else ast.unparse(found).partition("\n    ")[2]


@pytest.mark.parametrize(
    ("body", "want"),
    [
        ("p = {'a': x}; return p['a']", "p_a = x\n    return p_a"),
        ("p_a = 1; p = {'a': x}; return p['a'] + p_a", "p_a = 1\n    p_a_ = x\n    return p_a_ + p_a"),
        ("p = {'a': -0.5}; p['a'] = x", "p_a = -0.5\n    p_a = 1.0 * x"),
        ("p = {'a': x, 'b': y}; p['a'][0] = 1", "p_a, p_b = (x, y)\n    p_a[0] = 1"),
        ("p = {'a': x}; return 'b' not in p, 'b' in p", "p_a = x\n    return (True, False)"),
        ("s = {1, 2}; return x in s", "pass\n    return x in {1, 2}"),
    ],
)
def test_variables_stand_in_their_place(body, want):
    assert changed(body) == want


@pytest.mark.parametrize(
    "body",
    [
        "p = {'a': x, 'b': y}; p['a'] = y",  # of which type, only Numba knows
        "p = {'a': 1.0}; p['a'], y = x, 0",
        "p = {'a': 1.0}; p['b'] = x",
        "p = {'a': 1.0}; del p['a']",
        "p = {'a': x}; return p['b']",
        "p = {'a': x}; return p[y]",
        "p = {'a': x}; p = {'a': y}; return p['a']",
        "p = {'a': x}; return len(p)",
        "p = {'a': x}; return y in p",
        "p = {'a': x}; q = p; return q['a']",
        "p = {'a': x, 'a': y}; return p['a']",
        "p = {'a': x, **y}; return p['a']",
        "p = {1: x}; return p[1]",
        "p = {'a': x}; return (lambda: p['a'])()",
        "x = {'a': y}; return x['a']",
        "s = {1, y}; return x in s",
        "s = {1, 2}; s.add(3); return x in s",
        "s = {1, 2}; return len(s)",
    ],
)
def test_others_are_left_alone(body):
    assert changed(body) is None


def test_a_dict_that_numba_writes_by_conversion_falls_back():
    @numba.njit
    def loss(x):
        p = {"a": x[0], "b": x[1]}
        p["a"] = x[2] * p["b"]
        return p["a"]

    with pytest.warns(NativeFallbackWarning, match="uses a dict"):
        assert morula.grad(loss)(np.array([1.0, 2.0, 3.0])).tolist() == [0.0, 3.0, 2.0]
