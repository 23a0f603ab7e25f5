"""Static adjoints of what programs ask of classes: class methods, properties above, an object's class and items."""

import math

import pytest
from static_checks import check_programs, check_static, found_by
from tests.fuzz.plain_members import MembersWriter


class Body:
    scale = 0.5

    def __init__(self, u, v=0.3):
        self.u, self.v = u, v
        self.items = [u]

    @classmethod
    def at(cls, u, w=1.0):
        return cls(u * w, cls.scale)

    @classmethod
    def small(cls):
        return cls.at(0.5)

    @property
    def size(self):
        return math.sqrt(0.1 + self.u**2)

    def __iter__(self):
        yield self.u
        yield from self.items
        yield self.v * self.u

    def __add__(self, other):
        return type(self)(self.u + other.u, self.v)

    def __mul__(self, c):
        return self.__class__(self.u * c, self.v)

    def letters(self):
        return len(type(self).__name__)


class Moon(Body):
    scale = 2.0

    def __init__(self, u, v=0.1):
        super().__init__(u * 0.9, v)

    @property
    def size(self):
        return super().size + self.v

    @classmethod
    def at(cls, u, w=3.0):
        return super().at(u, w)


class Node:
    def __init__(self, v, left=None, right=None):
        self.v, self.left, self.right = v, left, right

    def total(self):
        s = self.v
        if self.left:
            s += self.left.total() * 2.0
        if self.right:
            s += self.right.total() * 3.0
        return s


EARTH = Moon(0.3)


def class_methods(x):
    make = Moon.at
    found = Moon.at(x).u * Body.at(u=x, w=x).v + Body(x).at(x * 2.0).u + Moon.small().u
    return found + make(x).u + sum(make(v).u for v in (x, 2.0 * x)) + EARTH.at(x).v * x


def the_class_of_an_object(x):
    found = (Moon(x) + Moon(0.2)).v * (Body(x) + Body(x)).u + (Moon(x) * x).u + EARTH.__class__.scale * x
    if type(Moon(x)) is Body:
        return x
    return found + Moon(x).letters() * x + type(EARTH).at(x).u


def properties_above(x):
    return Moon(x).size + Body(x).size


def items_of_objects(x):
    s = 0.0
    for w in Body(x):
        s += w * w
        if s > 0.1:
            break
    moon = Moon(x)
    for w in moon:
        moon.u = moon.u + w * 0.1
        moon.items = [w]
        s = s * w + moon.u
    return s


def objects_that_may_be_there(x):
    return Node(x, Node(x * x, None, Node(x)), Node(2.0 * x)).total()


@pytest.mark.parametrize(
    "f", [class_methods, the_class_of_an_object, properties_above, items_of_objects, objects_that_may_be_there]
)
def test_members(f):
    check_static(f, (0.3,))


def by_class_method(x):
    return Moon.at(x).u


def by_items(x):
    s = 0.0
    for w in Body(x):
        s += w
    return s


def test_members_that_are_replaced(monkeypatch):
    check_static(by_class_method, (0.3,))
    check_static(by_items, (0.3,))
    monkeypatch.setattr(Moon, "at", staticmethod(lambda u: Body(u * 7.0)))
    assert found_by("static", by_class_method, (0.3,)).gradient == (7.0,)
    monkeypatch.setattr(Moon, "at", lambda u: Body(u * 5.0))
    assert found_by("static", by_class_method, (0.3,)).gradient == (5.0,)
    monkeypatch.setattr(Body, "__iter__", lambda self: iter([self.u * 9.0]))
    assert found_by("static", by_items, (0.3,)).gradient == (9.0,)


def test_random_programs_of_members():
    check_programs(MembersWriter, range(12), 2)


class Begun:
    def __init__(self, x, v):
        super().__init__()
        self.x, self.v = x, v

    def moved(self, f):
        self.x += 0.1 * self.v
        self.v += 0.1 * f
        return self


class BegunBelow(Begun):
    def __init__(self, x):
        object.__init__(self)
        super().__init__(x, 2.0)
        self.k = 3.0


def begins_as_object(a):
    s = Begun(a, 1.0)
    for _ in range(5):
        s.moved(-s.x)
    return s.x * s.v


def begins_as_object_in_lists(a):
    kept = []
    for k in range(5):
        kept.append(BegunBelow(a * k) if k % 2 else Begun(a, 0.5))
    total = 0.0
    for s in kept:
        total += s.moved(1.0).x * s.v
    return total


@pytest.mark.parametrize("f", [begins_as_object, begins_as_object_in_lists])
def test_super_is_object(f):
    check_static(f, [0.7])
