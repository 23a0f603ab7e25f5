"""Exceptions that functions, methods and loops raise half way, and that others catch, in the static tier."""

import math

import numpy as np
import pytest
from static_checks import alike, check_programs, check_static, found_by
from tests.fuzz.plain_raised import RaisedWriter

from morula.static.python.pairs import record_of

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


class Bad(Exception):
    pass


class Worse(Bad):
    pass


class Unrelated(Exception):
    pass


class Account:
    def __init__(self, u):
        self.u, self.n, self.log = u, 0, []

    def take(self, a):
        self.n += 1
        self.u -= a
        if self.u < 0.2:
            self.u += 0.05
            raise Bad("too little")
        self.u *= 1.1
        return self.u

    def both(self, a):
        v = self.take(a)
        if v > 0.9:
            raise Worse
        self.log.append(v)
        return v * 2

    def loop(self, a):
        for i in range(5):
            self.u += a * i * 0.1
            if self.u > 1.3:
                raise Worse("too much")
            if i == 3 and a > 0.3:
                break
        else:
            self.u -= 0.01
        self.n += 10
        return self.u


def half_way(x, y, z):
    s, t = Account(x), 0.0
    for i in range(12):
        try:
            t += s.take(0.05 + 0.1 * y) * (i + 1)
        except Bad:
            t += z
            s.u += 0.3
    return t + s.u * s.n


def two_calls(x, y, z):
    s, t = Account(x), 0.0
    for i in range(12):
        try:
            t += s.both(0.02 * i * y) + s.take(0.01)
        except Worse:
            t -= z * s.u
            s.u -= 0.1
        except Bad:
            t += z
            s.u += 0.3
        else:
            t *= 1.01
    return t + s.u * s.n + sum(s.log)


def loops_that_raise(x, y, z):
    s, t = Account(x), z
    for i in range(6):
        try:
            t += s.loop(y * i * 0.2)
        except Bad:
            s.u *= 0.5
        t += s.n * 0.1
    return t + s.u


def raised_in_loops(x, y, z):
    t, k = 0.0, 0
    for j in range(4):
        u = x
        try:
            for i in range(10):
                k = i
                u = u * 1.3 + y
                if u > 4 + j:
                    raise Bad
                while u > 3.5:
                    u -= z
                    if u < 3.0:
                        raise Worse("too small")
                t += u
            t += 100.0
        except Worse:
            t -= u * k
        except Bad:
            t += u * k
    return t


def not_caught_inside(x, y, z):
    t = x
    try:
        for i in range(3):
            try:
                t *= y
                if i == 1:
                    raise Unrelated
            except Bad:
                t = 100 * t
    except Unrelated:
        t += z
    return t


def nested(x, y, z):
    s, t = Account(x), 0.0
    for _ in range(8):
        try:
            try:
                t += s.take(0.1 * y)
            except Worse:
                t += 50.0
            t += s.both(0.05)
        except Bad:
            t += z
            s.u += 0.4
    return t + s.u


def handed_on(x, y, z):
    s, t = Account(x), 0.0

    def taken(i):
        try:
            return s.take(0.1 * i)
        except Bad:
            raise Unrelated("taken") from None

    for i in range(6):
        try:
            t += taken(i)
        except Unrelated:
            t += y
            s.u = z
    return t


def returned(x, y, z):
    s = Account(x)

    def run(k):
        try:
            for _ in range(k):
                s.take(0.1)
            return s.u * 2
        except Bad:
            return s.u * 3 + y

    return run(3) + run(4) * z


def several_at_once(x, y, z):
    a, b, h = x, y, 0.3

    def step(a, b, h):
        c = a - h * b
        if c < 0:
            raise Bad
        return c, b * 0.9

    for _ in range(12):
        try:
            a, b = step(a, b, h)
        except Bad:
            h *= 0.5 * z
    return a + b + h


class Tank:
    """Its setter and its `__setitem__` may raise, the latter after it has changed something."""

    def __init__(self, level):
        self._level, self.log = level, []

    @property
    def level(self):
        if self._level > 4.0:
            raise Worse("above the brim")
        return self._level

    @level.setter
    def level(self, value):
        if value < 0.0:
            raise Bad("empty")
        self.log.append(value)
        self._level = value

    def __setitem__(self, place, value):
        self.log.append(value)
        if value > 1.0:
            raise KeyError(place)
        self._level += value


def assigned(x, y, z):
    tank, total = Tank(x), 0.0
    for k in range(7):
        try:
            tank.level -= 0.05 * k * y
            tank[k] = x * k * 0.3
            total += tank.level
        except Worse:
            total += z
        except Bad:
            tank.level = 0.1 * y
        except KeyError:
            total -= x * z
        else:
            total *= 1.1
    return total + tank.level + sum(tank.log)


def check_same(f, args):
    eager = found_by("eager", f, args)
    for _ in range(2):
        static = found_by("static", f, args)
        if isinstance(eager, type):
            assert static is eager
        else:
            assert repr(static.value) == repr(eager.value) and alike(static.gradient, eager.gradient)


PROGRAMS = [half_way, two_calls, loops_that_raise, raised_in_loops, not_caught_inside, nested, handed_on, returned,
            several_at_once, assigned]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("args", [(0.83, 0.47, 0.61), (0.71, -0.42, 0.55)], ids=["one", "other"])
def test_what_is_raised_half_way_is_static(f, args):
    check_static(f, args)
    of_numpy = tuple(map(np.float64, args))
    check_same(f, of_numpy)
    assert sum(pair.calls for pair in record_of(f).all_pairs) >= 4


def other_errors(x, y):
    """An exception that nobody raises by a statement is the eager tier's where something was changed before."""
    s, t = Account(x), 0.0
    for i in range(4):
        try:
            s.u += 1.0 / (i - y)
            t += s.take(0.1)
        except ZeroDivisionError:
            t += x
        except Bad:
            t -= x
    return t + s.u


def unread(x, y):
    """A logarithm of which nobody needs the result."""
    t = x
    for i in range(3):
        try:
            math.log(y - 0.3 * i)
            if t > 5:
                raise Bad
            t += y
        except (Bad, ValueError):
            t *= 1.5
    return t


def uncaught(x, y):
    try:
        s = Account(x)
        s.take(y)
    except Worse:
        s = Account(y)
    return s.u * x


@pytest.mark.parametrize("f", [other_errors, unread, uncaught], ids=lambda f: f.__name__)
@pytest.mark.parametrize("args", [(0.9, 0.3), (0.9, 2.0), (0.9, 0.7), (0.9, 5.5), (np.float64(0.9), 2.0)])
def test_other_outcomes_are_the_eager_ones(f, args):
    check_same(f, args)


def test_a_text_that_always_fails_is_none():
    def f(x):
        t = x
        try:
            if x > 1.0:
                raise Bad("too large")
            t = x * 2.0
        except Bad as error:
            t = x * len(error.args)
        return t

    assert found_by("static", f, (2.0,)).gradient == (1.0,)
    assert "looked at" in (record_of(f).why or "")


@pytest.mark.parametrize("start", range(0, 40, 10))
def test_random_programs_that_raise_half_way(start):
    check_programs(RaisedWriter, range(start, start + 10))
