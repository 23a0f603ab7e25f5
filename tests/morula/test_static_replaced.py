"""Variables that hold a number at first, and something else in later turns of a loop, in the static tier."""

import math

import numpy as np
import pytest
from static_checks import alike

import morula


class Point:
    def __init__(self, u):
        self.u = u


def nothing(x):
    if x > 100:
        return None


def read_as_a_number(x):
    m, total = x, 0.0
    for _ in range(3):
        total += m
        m = None
    return total


def read_as_a_number_after_a_call(x):
    m, total = x, 0.0
    for _ in range(3):
        total += m
        m = nothing(x)
    return total


def while_it_holds(x):
    m, total, i = x, 0.0, 0
    while i < 3:
        total += m
        if x > 0:
            m = nothing(x)
        i += 1
    return total


def caught_meanwhile(x):
    m = x
    for _ in range(4):
        try:
            x = math.sqrt(abs(x))
        except ZeroDivisionError:
            x = 1e-3
        x += m
        m = nothing(x)
    return x


def skipped(x):
    m, total = x, 0.0
    for i in range(4):
        total += m * i
        if i == 1:
            m = "a"
            continue
        m = 2.0 * x
    return total


def asked(x):
    m, total = x, 0.0
    for i in range(4):
        if m is not None:
            total += m * (i + 1)
        m = None if i % 2 == 0 else x * 0.5
    return total


def begun_anew(x):
    v, total = 0.0, 0.0
    for i in range(4):
        total += 0.1 if isinstance(v, float) else v.u
        v = Point(x * i)
    return total


def assigned_first(x):
    v, total = 0.0, x
    for i in range(4):
        v = Point(total * 0.5)
        total += v.u * i
    return total


def back_to_a_number(x):
    v, total = 1.0, x
    for i in range(4):
        total *= v
        v = [total, 0.3]
        v = v[0] * 0.2 + i
    return total


def yielded(x):
    def numbers():
        yield x
        yield x * x
        for k in range(2):
            yield x + k

    m, total = x, 0.0
    for v in numbers():
        total += v * m
        m = None if v > 1.2 else v
    return total


def later_only(x):
    total = 0.0
    for i in range(3):
        if i > 0:
            total += m  # noqa: F821
        m = x * 2.0
        total += m
        m = Point(x)
    return total


def array_then_none(x):
    v, total = np.array([x, 2.0, x * x]), 0.0
    for _ in range(2):
        total += v.sum()
        v = None
    return total


def after_the_loop(x):
    m = x
    for _ in range(2):
        m = nothing(x)
    return x * m


def zero_turns(x, n=0):
    m = x
    for _ in range(n):
        x = x * m
        m = None
    return x * m


def defined(x):
    m, total = x, 0.0
    for _ in range(3):
        total += m if isinstance(m, float) else 7.0

        def m():
            return 1.0

    return total


def with_a_class(x):
    m, total = x, 0.0
    for _ in range(3):
        total += m if isinstance(m, float) else 7.0

        class m:
            u = 1.0

    return total


PROGRAMS = [
    defined, with_a_class,
    read_as_a_number, read_as_a_number_after_a_call, while_it_holds, caught_meanwhile, skipped, asked, begun_anew,
    assigned_first, back_to_a_number, yielded, later_only, array_then_none, after_the_loop, zero_turns,
]  # fmt: skip


def found(f, x):
    try:
        return f(x)
    except (TypeError, AttributeError) as error:
        return type(error)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_each_turn_reads_what_the_last_one_has_left(f):
    for x in (0.7, 1.3):
        expected = found(f, x)
        with morula.tier("eager"):
            gradient = None if isinstance(expected, type) else morula.gradient(f, x)
        with morula.tier("static"):
            for _ in range(3):
                result = found(lambda x: morula.withgradient(f, x), x)
                if gradient is None:
                    assert result is expected
                else:
                    assert repr(result.value) == repr(expected)
                    assert alike(result.gradient, gradient)
