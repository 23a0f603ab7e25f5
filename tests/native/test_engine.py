"""Compiled functions inside of differentiated ones, with kernels written by hand: each call is one tape entry."""

import fake_kernels as fk
import numpy as np
import pytest
from morula_helpers import assert_differences, assert_same

import morula

X = np.array([0.3, -0.7, 1.1, 0.4])
Y = np.array([1.5, 0.2, -0.6, 0.9])


def check(f, *args, runs, log):
    """The gradient through kernels against that of the Python functions and against differences; kernels did run."""
    before = [np.copy(a) for a in args]
    log.clear()
    value, g = morula.withgradient(f, *args)
    assert log == runs, log
    with morula.native_mode("never"):
        log.clear()
        want_value, want = morula.withgradient(f, *args)
        assert log == []
    np.testing.assert_allclose(value, want_value, rtol=1e-14)
    assert_same(g, want, rtol=1e-13, atol=1e-13)
    assert_differences(f, args, g)
    for a, b in zip(args, before, strict=True):
        np.testing.assert_array_equal(a, b)
    _, back = morula.pullback(f, *[np.copy(a) if isinstance(a, np.ndarray) else a for a in args])
    once = back(1.0)
    assert_same(once, want, rtol=1e-13, atol=1e-13)
    assert_same(back(2.0), tuple(None if g is None else 2 * g for g in once), rtol=1e-13, atol=1e-13)
    return g


def reads(x, y):
    return fk.weighted(x * 2.0, y) * np.sin(x[0])


def same_array_twice(x, y):
    return fk.weighted(x, x) + fk.weighted(y, x)


def overlapping_reads(x, y):
    return fk.weighted(x[1:], x[:-1]) + y[0]


def views_of_columns(x, y):
    z = np.outer(x, y)
    return fk.weighted(z[:, 1], z[2]) + z.sum()


def reversed_view(x, y):
    return fk.weighted(x[::-1], y) ** 2


def writes(x, k):
    z = x * x
    before = z.sum() * z[2]
    value = fk.relax(z, k)
    return before + value * z[1] + (z * z).sum()


def writes_into_a_view(x, k):
    z = np.concatenate((x, 2.0 * x))
    value = fk.relax(z[2:6], k)
    z[3] = z[2] * k
    return value + (z**3).sum()


def writes_into_an_argument(x, k):
    return fk.relax(x, k) * x[3] + x[1]


def writes_twice(x, k):
    z = x + 1.0
    a = fk.relax(z, k)
    b = fk.relax(z, 0.5 * k)
    return a * b + z[3]


def writes_what_was_constant(x, y):
    out = np.zeros(4)
    before = out.sum()
    fk.fill(out, x)
    first = (out * y).sum()
    fk.fill(out, y)
    return first + (out * x).sum() + before


def returns_an_argument(x, y):
    out = np.ones(4)
    z = fk.fill(out, x)
    z[0] *= y[1]
    return (out * y).sum() + z[0] ** 2


def returns_a_view(x, y):
    z = x * y
    t = fk.tail(z)
    t[0] = t[1] * x[0]
    return (z * z).sum() + t[2]


def returns_a_view_of_a_constant(x, y):
    z = np.ones(4)
    t = fk.tail(z)
    t[1] = x[0] * x[1]
    return z.sum() * x[2] + y[0] + fk.tail(z)[1]


def returns_an_array(x, s):
    y = fk.scaled(x, s)
    y[1] = s
    return (fk.scaled(y, s) * x).sum()


def returns_a_tuple(x, y):
    total, squares = fk.both(x)
    squares[0] = total
    return (squares * y).sum() + total * total


def uses_a_part_of_the_result(x, y):
    return fk.both(x)[0] * y[0]


def named_tuple(x, t):
    return fk.energy(fk.Spring(x[0] * t, x[1:]), t)


def in_a_loop(x, k):
    total = 0.0
    z = x.copy()
    for i in range(3):
        total += fk.relax(z, k) * z[i]
        z[0] = z[3]
    return total


def by_keyword(x, s):
    return fk.scaled(s=s * 2.0, x=x).sum() * s


PROGRAMS = [
    (reads, (X, Y), ["weighted_forward"]),
    (same_array_twice, (X, Y), ["weighted_forward"] * 2),
    (overlapping_reads, (X, Y), ["weighted_forward"]),
    (views_of_columns, (X, Y), ["weighted_forward"]),
    (reversed_view, (X, Y), ["weighted_forward"]),
    (writes, (X, 0.3), ["relax_forward"]),
    (writes_into_a_view, (X, 0.3), ["relax_forward"]),
    (writes_into_an_argument, (X, 0.3), ["relax_forward"]),
    (writes_twice, (X, 0.3), ["relax_forward"] * 2),
    (writes_what_was_constant, (X, Y), ["fill_forward"] * 2),
    (returns_an_argument, (X, Y), ["fill_forward"]),
    (returns_a_view, (X, Y), ["tail_forward"]),
    (returns_a_view_of_a_constant, (X, Y), ["tail_forward"]),
    (returns_an_array, (X, 0.6), ["scaled_forward"] * 2),
    (returns_a_tuple, (X, Y), ["both_forward"]),
    (uses_a_part_of_the_result, (X, Y), ["both_forward"]),
    (named_tuple, (X, 0.6), ["energy_forward"]),
    (in_a_loop, (X, 0.3), ["relax_forward"] * 3),
    (by_keyword, (X, 0.6), ["scaled_forward"]),
]


@pytest.mark.parametrize(("f", "args", "runs"), PROGRAMS, ids=lambda p: getattr(p, "__name__", ""))
def test_programs(f, args, runs, handmade):
    check(f, *[np.copy(a) if isinstance(a, np.ndarray) else a for a in args], runs=runs, log=handmade)
