"""Calls that do not stand inline: recursive ones, large ones, and calls of what a rule was declared for.

The rules here are wrong on purpose: then a gradient shows that it came from the rule.
"""

import math

import numpy as np
import pytest

numba = pytest.importorskip("numba")

from native_helpers import check
from numba import njit

import chainrules
import morula
from morula.static.front import expressions
from morula.static.numba.kernels import kernels_of
from morula.static.unsupported import Unsupported

X4 = np.array([0.3, -0.7, 1.1, 0.4])


# -- recursion ----------


@njit
def pairs(p, k, u):
    a, b = p
    if k == 0:
        return a * u.sum(), u * b
    s, v = pairs((b, a * 0.5), k - 1, u * a)
    t, w = pairs((a, b), k - 2 if k > 1 else 0, v)
    return s * t, w + u


@njit
def of_tuples_and_arrays(a, u):
    s = 0.0
    for i in range(3):
        x, v = pairs((a, s + 1.0), i, u)
        s += x * v[i]
    return s


@njit
def mixes(u, k):
    if k > 0:
        u[0] += u[k] * u[0]
        mixes(u, k - 1)


@njit
def of_writes(u):
    v = u * 2.0
    s = 0.0
    for i in range(3):
        v[1] = v[0] * v[2]
        mixes(v, i)
        s += v[0]
    return s


@njit
def halves(u, low, high):
    if high - low <= 1:
        u[low] = 0.9 * u[low]
        return math.sin(u[low])
    middle = (low + high) // 2
    return halves(u, low, middle) - 0.7 * halves(u, middle, high)


@njit
def of_writes_that_nobody_reads(u):
    v = u * u
    return halves(v, 0, v.size)


@njit
def of_the_last_writes(u):
    """What the last call leaves is not read, what the ones before leave is."""
    v = u * u
    s = 0.0
    for _ in range(3):
        s = s * 0.5 + halves(v, 0, v.size)
    v = np.cos(u)
    return s + v[0]


@njit
def bursts(a, n):
    if n == 0:
        return math.sqrt(a)
    return bursts(a * a, n - 1) * 0.5


@njit
def returns_its_argument(u, n):
    if n == 0:
        return u
    return returns_its_argument(u, n - 1)


@njit
def uses_the_returned(u):
    v = u * 1.0
    w = returns_its_argument(v, 2)
    v[0] = 3.0
    return w[0] * w[1]


@njit
def divides(a, n):
    if n == 0:
        return 1.0 / a
    return divides(a - 1.0, n - 1)


@pytest.mark.parametrize(("f", "args"), [
    (of_tuples_and_arrays, (0.7, X4)), (of_writes, (X4,)),
    (of_writes_that_nobody_reads, (X4,)), (of_the_last_writes, (X4,)),
])  # fmt: skip
def test_recursion(f, args):
    check(f, *args)


def test_what_recursion_returns_is_no_argument():
    """The argument itself as the value: then a write into the one is a write into the other."""
    with pytest.raises(Unsupported, match="returns an argument"):
        kernels_of(uses_the_returned, (X4,), (True,))
    check(uses_the_returned, X4, native=False)


def test_recursion_kills_infinite_seeds():
    """`sqrt` of a square at 0: the infinite partial meets an exact zero, in another frame."""
    y, (a_bar,) = kernels_of(bursts, (0.0, 1), (True, False)).joint((0.0, 1), [], (1.0,))
    assert (y, a_bar) == (0.0, 0.0)


def test_recursion_raises_as_it_would_plainly():
    with pytest.raises(ZeroDivisionError):
        divides(2.0, 2)
    kernels = kernels_of(divides, (2.0, 2), (True, False))
    with pytest.raises(ZeroDivisionError):
        kernels.joint((2.0, 2), [], (1.0,))


@njit
def shared(a, n):
    if n == 0:
        return a
    return 1.0 / (a - 1.0) + shared(a, n - 1)


@njit
def uses_shared(a):
    return shared(a, 2) * a


def test_what_is_called_stays_as_the_user_compiled_it():
    """The types of callees are found by compiling them: that must not decide how they divide."""
    morula.gradient(uses_shared, 2.0)
    with pytest.raises(ZeroDivisionError):
        shared(1.0, 2)


@njit
def large(a, b):
    return math.sin(a) * b + a


@njit
def calls_large(a, b):
    return large(a, b) * large(b, a) + large(a, 2.0)


def test_large_callees_stay_calls(monkeypatch):
    monkeypatch.setattr(expressions, "MOST_INLINED", 3)
    assert "found[1][0]" in kernels_of(calls_large, (0.3, 0.8), (True, True)).source
    check(calls_large, 0.3, 0.8)


# -- rules of the user ----------


@njit
def root(a):
    x = a
    for _ in range(60):
        x = (x + a / x) / 2
    return x


@chainrules.rrule(root)
def root_rule(a):
    x = root(a)
    return x, lambda x_bar: 10.0 * x_bar / (2 * x)


@njit
def scaled(a, b):
    return a * a * b


chainrules.scalar_rule(scaled, lambda y, a, b: 20.0 * a * b, lambda y, a, b: y / b)


@njit
def dot(u, v, k):
    s = 0.0
    for i in range(len(u)):
        s += u[i] * v[i] * k
    return s


@chainrules.rrule(dot)
def dot_rule(u, v, k):
    y = dot(u, v, k)

    def dot_pullback(y_bar):
        return y_bar * v * k, 3.0 * y_bar * u * k, chainrules.NoTangent()

    return y, dot_pullback


@njit
def uses_rules(a, u):
    s = 0.0
    v = u * 2.0
    for i in range(3):
        s += root(a + s) + scaled(s, a) * 0.01
        v[i] = dot(u, v, 2.0)
    return s + dot(v, u, 1.5)


def test_rules_win_over_bodies():
    args = (0.7, np.array([0.3, -0.2, 0.5]))
    kernels = kernels_of(uses_rules, args, (True, True))
    u_bar = np.zeros(3)
    _, (a_bar,) = kernels.joint(args, [u_bar], (1.0,))
    eager = morula.gradient(uses_rules.py_func, *args)
    np.testing.assert_allclose(a_bar, eager[0], rtol=1e-12)
    np.testing.assert_allclose(u_bar, eager[1], rtol=1e-12)


@njit
def late(a):
    return a * a


@njit
def uses_late(a):
    return late(a) * 3.0


def test_a_rule_takes_effect_at_the_next_call():
    assert morula.gradient(uses_late, 2.0) == (12.0,)
    chainrules.scalar_rule(late, lambda y, a: 7.0)
    assert morula.gradient(uses_late, 2.0) == (21.0,)

    @morula.adjoint(late)
    def _(a):
        return late(a), lambda y_bar: 11.0 * y_bar

    assert morula.gradient(uses_late, 2.0) == (33.0,)


@njit
def doubles(u):
    u *= 2.0
    return u.sum()


@chainrules.rrule(doubles)
def doubles_rule(u):
    u *= 2.0
    return u.sum(), lambda y_bar: y_bar * np.full(3, 2.0)


@njit
def uses_a_rule_that_writes(u):
    v = u * 1.0
    return doubles(v) + v[0]


@njit
def looked_up(a):
    return a


KEPT = {"slope": 4.0}


@chainrules.rrule(looked_up)
def looked_up_rule(a):
    return a, lambda y_bar: KEPT["slope"] * y_bar


@njit
def uses_a_rule_with_a_dict(a):
    return looked_up(a) * 2.0


@pytest.mark.parametrize(
    ("f", "args", "what"),
    [(uses_a_rule_that_writes, (X4[:3],), "writes into"), (uses_a_rule_with_a_dict, (2.0,), "does not compile")],
)
def test_rules_outside_of_the_subset(f, args, what):
    with pytest.raises(Unsupported, match=what):
        kernels_of(f, args, (True,))
