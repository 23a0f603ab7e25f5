"""Static adjoints of what everyday programs take from the standard library: see also `test_static_common`."""

import contextlib
import enum
import functools
import heapq
import itertools
import math
import operator
import types
from collections import deque
from dataclasses import asdict, dataclass, replace
from functools import cached_property

import pytest
from static_checks import alike, check_static, found_by

POINTS = [(0.1 * i, math.sin(0.7 * i), 0.3 * (i % 4)) for i in range(20)]


class Season(enum.Enum):
    SPRING = 1
    SUMMER = 2
    WINTER = 4
    COLD = 4


TEMPERATURES = {Season.SPRING: 10.0, Season.SUMMER: 22.0, Season.WINTER: -1.0}


def of_an_enumeration(x):
    s = 0.0
    for season in Season:
        s += TEMPERATURES[season] * x / (1.0 + season.value)
    return s + sum(math.sin(x * season.value) for season in Season)


def nearest(x):
    best = heapq.nsmallest(5, POINTS, key=lambda p: (p[0] - x) ** 2 + (p[1] - 0.5 * x) ** 2)
    return sum(v / (0.1 + (px - x) ** 2 + py) for px, py, v in best)


def farthest(x):
    far = heapq.nlargest(2, [math.sin(x * i) for i in range(6)])
    return far[0] * far[1] + heapq.nsmallest(1, [x, 0.5, x * x])[0]


def by_getters(x):
    rows = [(i, math.sin(i * x), 0.1 * i) for i in range(8)]
    rows.sort(key=operator.itemgetter(1))
    total = 0.0
    for rank, row in enumerate(rows):
        a, b = operator.itemgetter(2, 1)(row)
        total += rank * row[1] + a * b
    return total


@dataclass
class Part:
    u: float
    w: float


def by_attributes(x):
    parts = [Part(x, 0.5), Part(0.3, x * x), Part(math.sin(x), 1.0)]
    parts = sorted(parts, key=operator.attrgetter("u"), reverse=True)
    first = operator.attrgetter("w")
    return first(parts[0]) * 2.0 + first(parts[1]) + asdict(parts[2])["u"]


def rotating(x):
    ring = deque([x, x**2, 1.0, 0.5, math.sin(x)])
    s = 0.0
    for k in range(12):
        ring.rotate(1 if k % 2 else -2)
        s += ring[0] * (k + 1)
    ring.rotate()
    return s * ring[-1]


def rotating_nothing(x):
    ring = deque([x])
    ring.pop()
    ring.rotate(3)
    ring.append(2 * x)
    return ring[0]


@contextlib.contextmanager
def scaled(c, by=2.0):
    d = by * c
    try:
        yield d
    finally:
        d = 0.0


@contextlib.contextmanager
def quietly():
    yield


def in_contexts(x):
    s = 0.0
    for i in range(10):
        with scaled(x * i) as y, quietly():
            s += math.sin(y)
            with scaled(y, by=s) as z:
                s = s * 0.5 + z
    return s


class Circle:
    def __init__(self, r):
        self.r = r
        self.asked = 0

    @cached_property
    def area(self):
        self.asked += 1
        return math.pi * self.r**2

    @property
    def diameter(self):
        return 2.0 * self.r

    @diameter.setter
    def diameter(self, d):
        self.r = 0.5 * d


def kept(x):
    s = 0.0
    for i in range(5):
        c = Circle(x + i)
        c.diameter = c.diameter * 1.1
        s += c.area + 0.1 * c.area
        c.r = 7.0
        s += c.area * c.asked
    return s


@dataclass(frozen=True)
class State:
    s: float
    i: float
    name: str = "new"


def epidemic(beta):
    state = State(0.99, 0.01)
    for _ in range(20):
        new = beta * state.s * state.i
        state = replace(state, s=state.s - new, i=state.i + new)
    found = asdict(state)
    return found["i"] * len(found) + found["s"]


def chained(x):
    rows = [[math.sin(x * i * j) for i in range(3)] for j in range(4)]
    s = sum(itertools.chain.from_iterable(rows))
    for v in itertools.chain.from_iterable([rows[0], rows[2]]):
        s = s * 0.5 + v
    return s + max(itertools.chain.from_iterable(rows)) + len(list(itertools.chain.from_iterable(rows)))


def naming(x):
    ys = [y for i in range(12) if (y := math.sin(i * x)) > 0]
    total = sum((z := v * 0.5) * z for v in ys)
    return total + y + z


def until(x):
    it = iter([0.5, 1.5, 2.5, -1.0, 3.0])
    s = 0.0
    for v in iter(lambda: next(it), -1.0):
        if v == 1.5:
            continue
        s += math.exp(-v * x)
    return s + next(it) * x


NESTED = (1.0, (2.0, (3.0, 4.0), 5.0), (6.0, (7.0,)))


def walk(tree):
    if isinstance(tree, tuple):
        for child in tree:
            yield from walk(child)
    else:
        yield tree


def leaves(x):
    s = 0.0
    for leaf in walk(NESTED):
        s = s * 0.9 + math.sin(leaf * x)
    return s + sum(v * x for v in walk((x, (0.5, x))))


@functools.singledispatch
def size(v, x):
    return x


@size.register
def _(v: Part, x):
    return v.u * x


@size.register
def _(v: str, x):
    return len(v) * x * x


@size.register
def _(v: list, x):
    return v[0] * x


def dispatching(x):
    return size(Part(x, 1.0), x) + size("abc", x) + size(0.5, x) * size([x, 2.0], x)


PROGRAMS = [
    of_an_enumeration, nearest, farthest, by_getters, by_attributes, rotating, rotating_nothing, in_contexts, kept,
    epidemic, chained, naming, until, leaves, dispatching,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS)
def test_programs(f):
    check_static(f, (0.7,))
    check_static(f, (1.3,))


def agree(f, args):
    eager, static = found_by("eager", f, args), found_by("static", f, args)
    assert isinstance(eager, type) == isinstance(static, type)
    assert eager is static or (repr(eager.value) == repr(static.value) and alike(eager.gradient, static.gradient))


def test_dispatch_changes():
    """A function that is registered later answers."""

    @functools.singledispatch
    def of(v, x):
        return x * 2.0

    def f(x):
        return of("a", x) + of(Part(x, 2.0), x)

    check_static(f, (0.7,))
    of.register(Part, lambda v, x: v.u * v.w * x)
    agree(f, (0.7,))


def test_context_changes(monkeypatch):
    @contextlib.contextmanager
    def other(c):
        yield 3.0 * c

    def f(x):
        with scaled(x) as y:
            return_value = y * y
        return return_value

    check_static(f, (0.7,))
    monkeypatch.setitem(globals(), "scaled", other)
    agree(f, (0.7,))


@contextlib.contextmanager
def twice(c):
    yield c
    yield c


@contextlib.contextmanager
def never(c):
    if c < 0.0:
        yield c


@contextlib.contextmanager
def once_of_two(c):
    if c > 0.0:
        yield c
    else:
        yield -c


def test_contexts_that_fail():
    def f(x, manager):
        s = x
        with manager(x) as y:
            s += y
        return s

    for manager in (twice, never, once_of_two):
        agree(lambda x, manager=manager: f(x, manager), (0.7,))


def test_dispatch_by_numbers():
    @functools.singledispatch
    def of(v, x):
        return x * 2.0

    of.register(int, lambda v, x: v * x)
    of.register(float, lambda v, x: v + x)

    def f(x, n):
        v = n
        if x > 1.0:
            v = x
        return of(v, x) + of(2, x) + of(x, x)

    for args in ((0.7, 3), (1.7, 3), (0.7, 2.5), (0.7, True)):
        agree(f, args)


def test_attributes_of_a_kept_value():
    """What `cached_property` keeps is an attribute; a class may replace it."""

    def f(x):
        c = Circle(x)
        c.area = 3.0 * x
        return c.area * c.r

    agree(f, (0.7,))

    def g(x):
        c = Circle(x)
        if x > 0.5:
            x = x + c.area
        return x * c.area

    for x in (0.3, 0.7):
        agree(g, (x,))
    circle = Circle(0.5)

    def of_a_given_one(x):
        return x * circle.area + circle.asked

    agree(of_a_given_one, (0.7,))
    agree(of_a_given_one, (0.7,))


def test_names_that_are_read_around():
    def f(x):
        y = x
        total = y + sum(v * 2.0 for i in range(3) if (v := i * x) < 9.0) + len([y := y + i for i in range(3)])
        return total + y

    def g(x):
        v = 2.0 * x
        found = [v * (v := v + i) for i in range(3)]
        return sum(found) * v

    agree(f, (0.7,))
    agree(g, (0.7,))


def test_chains_that_are_empty():
    def f(x):
        s = x
        for v in itertools.chain.from_iterable([[], [x, 2.0], []]):
            s += v
            if v == 2.0:
                break
        else:
            s = 0.0
        return s * sum(itertools.chain.from_iterable([]), x)

    agree(f, (0.7,))


def test_members_that_are_added():
    kinds = types.SimpleNamespace(all=Season)

    def f(x):
        return sum(x * s.value for s in kinds.all)

    agree(f, (0.7,))
    kinds.all = enum.Enum("Season", {"A": 1, "B": 5})
    agree(f, (0.7,))
    kinds.all = enum.IntEnum("Season", {"A": 1, "B": 5})
    agree(f, (0.7,))
