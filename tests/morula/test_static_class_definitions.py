"""Classes and named tuples that a function makes, in the static tier."""

import dataclasses
import math
from collections import namedtuple
from dataclasses import dataclass, field
from typing import NamedTuple

import pytest
from static_checks import alike, check_static, found_by

from morula.static.python.pairs import record_of

GAIN = 0.7


class Base:
    scale = 0.5

    def scaled(self, x):
        return self.scale * x


def controller(kp, ki):
    class PID:
        """Two terms."""

        limit = 2.0

        def __init__(self, kp, ki, start=0.1):
            self.kp, self.ki = kp, ki
            self.integral = start
            self.last = None

        def __call__(self, error, dt=0.1):
            self.integral += error * dt
            slope = 0.0 if self.last is None else (error - self.last) / dt
            self.last = error
            return min(self.kp * error + self.ki * self.integral + 0.01 * slope, self.limit)

    control, y, cost = PID(kp, ki), 0.0, 0.0
    for _ in range(20):
        y += (control(1.0 - y) - y) * 0.1
        cost += (1.0 - y) ** 2
    return cost


def tanks(a, b):
    @dataclass
    class Tank:
        level: float
        area: float = 1.5
        names: list = field(default_factory=list)

        @property
        def outflow(self):
            return 0.2 * math.sqrt(self.level) * GAIN

        @staticmethod
        def doubled(x):
            return 2.0 * x

    one, other = Tank(a), Tank(b, 2.0)
    for _ in range(10):
        first, second = one.outflow, other.outflow
        one.level += 0.05 * (0.3 - first) / one.area
        other.level += 0.05 * (first - Tank.doubled(second)) / other.area
    return one.level + other.level**2


def states(a, b):
    State = namedtuple("State", ["x", "v"])
    s = State(a, b)
    for _ in range(10):
        s = State(s.x + 0.1 * s.v, s.v - 0.1 * s.x)
    return s.x * s.v + s[0]


def typed_states(a, b):
    class State(NamedTuple):
        x: float
        v: float = 0.3

    s = State(a)
    for _ in range(10):
        s = State(s.x + 0.1 * s.v * b, s.v - 0.1 * s.x)
    return s.x * s.v


def vectors(a, b):
    @dataclass(frozen=True)
    class V:
        x: float
        y: float

        def __add__(self, other):
            return V(self.x + other.x, self.y + other.y)

        def __mul__(self, k):
            return V(self.x * k * b, self.y * k)

    at, v = V(a, b), V(0.1, a)
    for _ in range(10):
        v = v + at * -0.1
        at = at + v * 0.1
    return at.x * v.y


def derived(a, b):
    class Rounded(Base):
        def scaled(self, x):
            return super().scaled(x) + b

    class Twice(Rounded):
        scale = 0.8

    return Rounded().scaled(a) * Twice().scaled(a * b)


def made_by_a_function(a, b):
    def box(k):
        class Box:
            def __init__(self, x):
                self.x = x * k

        return Box(a)

    return box(2.0).x * box(b).x + box(a).x


@pytest.mark.parametrize(
    "f", [controller, tanks, states, typed_states, vectors, derived, made_by_a_function], ids=lambda f: f.__name__
)
def test_classes(f):
    for args in ((0.7, 0.4), (1.2, 0.3)):
        check_static(f, args)


def test_what_they_rely_on_is_looked_at(monkeypatch):
    args = (0.7, 0.4)
    check_static(tanks, args)
    check_static(derived, args)
    monkeypatch.setitem(globals(), "GAIN", 1.1)
    monkeypatch.setattr(Base, "scaled", lambda self, x: x * x)
    for f in (tanks, derived):
        eager, static = found_by("eager", f, args), found_by("static", f, args)
        assert static.value == eager.value == f(*args)
        assert alike(static.gradient, eager.gradient)


def test_a_base_that_gets_a_hook(monkeypatch):
    def f(a, b):
        class Own(Base):
            pass

        return Own().scaled(a) * b

    check_static(f, (0.7, 0.4))
    monkeypatch.setattr(Base, "__init_subclass__", classmethod(lambda cls: setattr(cls, "scale", 3.0)), raising=False)
    eager, static = found_by("eager", f, (0.7, 0.4)), found_by("static", f, (0.7, 0.4))
    assert static.value == eager.value == f(0.7, 0.4) == pytest.approx(3.0 * 0.7 * 0.4)
    assert alike(static.gradient, eager.gradient)


def noted(a, b):
    found = []

    class Note:
        def __init_subclass__(cls):
            found.append(a)

    class More(Note):
        pass

    return found[0] * b


def with_default(a, b):
    class Box:
        def __init__(self, x=a):
            self.x = x

    @dataclass
    class Pair:
        one: float
        two: float = b

    return Box().x * Pair(a).two


def given_away(a, b):
    class Box:
        def __init__(self, x):
            self.x = x

    return Box(a * b) if b > 10.0 else Box(a * b).x


def attributes(a, b):
    class Box:
        size = a

        def grown(self):
            Box.size = Box.size * b
            return self.size

    return Box().grown() * Box().grown()


def repeated(a, b):
    @dataclasses.dataclass(order=True)
    class Item:
        key: float
        value: float = 0.5

    return max(Item(a), Item(b)).key * (Item(a) == Item(a)) + (type(Item(a)) is Item) * b


@pytest.mark.parametrize("f", [noted, with_default, given_away, attributes, repeated], ids=lambda f: f.__name__)
def test_values_are_those_of_the_program(f):
    for args in ((0.7, 0.4), (1.2, 0.3)):
        for _ in range(2):
            eager, static = found_by("eager", f, args), found_by("static", f, args)
            assert repr(static.value) == repr(eager.value) == repr(f(*args))
            assert alike(static.gradient, eager.gradient)


def test_an_annotation_that_stands_for_nothing_any_more(monkeypatch):
    monkeypatch.setitem(globals(), "Number", float)

    def f(a):
        @dataclass
        class Box:
            x: Number  # noqa: F821

        return Box(a).x * a

    check_static(lambda a: f(a), (0.7,))
    monkeypatch.delitem(globals(), "Number")
    assert found_by("static", f, (0.7,)) is found_by("eager", f, (0.7,)) is NameError
    assert record_of(f) is not None
