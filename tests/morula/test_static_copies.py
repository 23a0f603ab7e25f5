"""Objects that variables and attributes hold one after the other: the static tier copies their numbers."""

import math
from dataclasses import dataclass

import pytest
from static_checks import alike, check_programs, check_static, found_by
from tests.fuzz.plain_vectors import VectorWriter

from morula.static.python.pairs import record_of


@dataclass
class V:
    x: float
    y: float

    def __add__(self, other):
        return V(self.x + other.x, self.y + other.y)

    def __mul__(self, a):
        return V(self.x * a, self.y * a)


class Body:
    def __init__(self, at, v, mass=1.0):
        self.at, self.v, self.mass = at, v, mass


def orbit(m, v):
    a, b = Body(V(0.0, 0.0), V(0.0, 0.1), m), Body(V(1.0, 0.0), V(0.0, v))
    for _ in range(20):
        d = b.at + a.at * -1.0
        f = d * (m / math.hypot(d.x, d.y) ** 3)
        a.v = a.v + f * (0.02 / a.mass)
        b.v = b.v + f * -0.02
        a.at, b.at = a.at + a.v * 0.02, b.at + b.v * 0.02
    return b.at.x * a.v.y + b.v.x


def in_lists(x, y):
    at = [V(x, y), V(y, 0.3)]
    named = {"v": V(0.1, x), "w": V(y, y)}
    n = 0
    while n < 6:
        n += 1
        at[0] = at[0] + at[1] * 0.1
        at[1] = at[1] + named["v"] * y
        named["v"] = named["v"] * 0.9 + named["w"] * x
    return at[0].x * at[1].y + named["v"].x


def nested(x, y):
    best = None
    body = Body(V(x, y), V(0.1, 0.2))
    for i in range(5):
        other = Body(body.at + V(0.1 * i, y), body.v * x)
        if other.at.x * other.v.y > 0.02:
            body = other
        best = body.at.x if best is None else best + body.v.x
    return best + body.at.y


@pytest.mark.parametrize("f", [orbit, in_lists, nested])
def test_replaced_objects(f):
    for args in ((1.1, 0.4), (0.7, 0.9)):
        check_static(f, args)


# -- what is written into by another name, also in the next turn ----------------------------------------------


def written_before(a):
    v, w, s, n = V(a, a), V(0.0, 0.0), 0.0, 0
    while n < 3:
        n += 1
        v.x = v.x + 1.0
        s = s + w.x * a
        w = v
    return s


def written_before_in_slot(a):
    v, b, s, n = V(a, a), Body(V(0.0, 0.0), V(a, a)), 0.0, 0
    while n < 3:
        n += 1
        v.x = v.x + 1.0
        s = s + b.at.x * a
        b.at = v
    return s


def written_after(a):
    v, b, s, n = V(a, a), Body(V(0.0, 0.0), V(a, a)), 0.0, 0
    while n < 3:
        n += 1
        b.at = v
        v.x = v.x + 1.0
        s = s + b.at.x * a
        v = V(a * n, a)
    return s


def written_through(a):
    b, c, n = Body(V(0.2, 0.3), V(a, a)), Body(V(0.0, 0.0), V(a, a)), 0
    while n < 3:
        n += 1
        c.at = b.at
        b.at.x += a
        b.at = b.at + V(0.1, 0.1) if n == 2 else b.at
    return c.at.x * a


def same(a):
    v, b, n, s = V(a, a), Body(V(0.0, 0.0), V(a, a)), 0, 0.0
    while n < 3:
        n += 1
        s += a if b.at is v else 0.1
        b.at = v if n > 1 else V(a, 0.5)
    return s * b.at.x


@pytest.mark.parametrize("f", [written_before, written_before_in_slot, written_after, written_through, same])
def test_several_names(f):
    for _ in range(3):
        eager, static = found_by("eager", f, (2.0,)), found_by("static", f, (2.0,))
        assert static.value == eager.value == f(2.0)
        assert alike(static.gradient, eager.gradient)


def test_methods_that_are_replaced_are_seen():
    args = (1.1, 0.4)
    check_static(orbit, args)
    old = V.__add__
    try:
        V.__add__ = lambda self, other: V(self.x + 2.0 * other.x, self.y + other.y)
        eager, static = found_by("eager", orbit, args), found_by("static", orbit, args)
        assert static.value == eager.value == orbit(*args)
        assert alike(static.gradient, eager.gradient)
    finally:
        V.__add__ = old
    assert record_of(orbit) is not None


@pytest.mark.parametrize("start", range(0, 32, 4))
def test_random_programs(start):
    check_programs(VectorWriter, range(start, start + 4), 0)
