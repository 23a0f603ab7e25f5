"""What classes say of truth, length, contents, order, items and iteration, and methods of a base by its name."""

import functools
import math

import numpy as np
import pytest
from static_checks import check_static

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


class Bag:
    def __init__(self):
        self.items = []

    def put(self, x, w):
        self.items.append(Item(x, w))

    def __iter__(self):
        return iter(self.items)

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


class Item:
    def __init__(self, x, w):
        self.x, self.w = x, w


def bag(x):
    b = Bag()
    for i, v in enumerate(x):
        b.put(v, i)
        if len(b) > 10 and v > 0.8:
            b = Bag()
            b.put(v * v, 1.0)
    t = 0.0
    for it in b:
        t += it.x * it.w
    for i, it in enumerate(b):
        t += it.x * i
    for it in b:
        if it.w > 5:
            break
        t *= 1 + it.x
    t += sum(it.x**2 for it in b)
    for i in range(len(b)):
        t += b[i].w * b[i].x
    return t


class Vec:
    def __init__(self, *c):
        self.c = list(c)

    def __iter__(self):
        yield from self.c

    def __add__(self, o):
        return Vec(*[a + b for a, b in zip(self.c, o.c, strict=False)])

    def __mul__(self, k):
        return Vec(*[a * k for a in self.c])

    def __len__(self):
        return len(self.c)

    def __getitem__(self, i):
        return self.c[i]

    def __bool__(self):
        return any(v > 0.0 for v in self.c)


def vecs(a, b):
    v = Vec(a, b, 1.0)
    for _i in range(100):
        v = v + Vec(b, -a, 0.1) * 0.01
        if v:
            v = v * 0.999
    return sum(q * q for q in v) + v[0] * len(v)


class Ring:
    def __init__(self, n):
        self.buf = [0.0] * n
        self.i = 0
        self.n = n

    def push(self, v):
        self.buf[self.i] = v
        self.i = (self.i + 1) % self.n

    def __iter__(self):
        for k in range(self.n):
            yield self.buf[(self.i + k) % self.n]

    def __contains__(self, k):
        return k < self.n

    def mean(self):
        return sum(self) / self.n


def ring(a, b):
    r = Ring(5)
    s = 0.0
    for i in range(100):
        r.push(a * math.sin(b * i))
        s += r.mean() ** 2
        if 3 in r:
            s *= 0.99
    return s


@functools.total_ordering
class Card:
    __slots__ = ("n", "v")

    def __init__(self, v, n):
        self.v = v
        self.n = n

    def __eq__(self, o):
        return self.v == o.v

    def __le__(self, o):
        return self.v <= o.v


def cards(x):
    best = Card(0.0, -1)
    tot = 0.0
    for k in range(20):
        for i in range(len(x)):
            c = Card(x[i] * math.cos(k * i), i)
            if c > best:
                best = c
            elif not (c >= best):
                tot += 0.1 * c.v
        best = Card(best.v * 0.5, best.n)
    return tot + best.v


@functools.total_ordering
class Prio:
    def __init__(self, t, name):
        self.t = t
        self.name = name

    def __lt__(self, o):
        return (self.t, self.name) < (o.t, o.name)

    def __eq__(self, o):
        return self.t == o.t


def prios(x):
    items = []
    for i, v in enumerate(x):
        items.append(Prio(math.sin(5 * v), i))
    m = max(items)
    for q in items:
        if q > m:
            m = q
        if q <= items[3]:
            m.t += 0.01
    return m.t + min(items).t


class Celsius:
    def __init__(self, t):
        self.t = t

    def __float__(self):
        return self.t


def floats(a, k):
    s = 0.0
    for i in range(100):
        c = Celsius(a * math.exp(-k * 0.01 * i))
        s += float(c)
    return s


class A:
    def __init__(self, x):
        self.x = x

    def __len__(self):
        return 3

    def __bool__(self):
        return True

    def __contains__(self, v):
        return v == self.x or v > 1.0


def lits(a, b):
    s = 0.0
    q = A(a)
    for i in range(50):
        if q:
            s += a * len(q)
        if a in q:
            s += b
        if b * i not in q:
            s += b * b
    return s


class F:
    def __init__(self, x):
        self.x = x

    def __len__(self):
        return self.x


class G:
    def __init__(self, x):
        self.x = x

    def __float__(self):
        return self.x

    def __bool__(self):
        return self.x > 0


class Many:
    def __init__(self):
        self.xs = []

    def __iter__(self):
        it = iter(self.xs)
        return it


class Empty:
    def __init__(self):
        self.n = 0

    def __len__(self):
        return 0

    def __iter__(self):
        yield from range(3)


class Other(Empty):
    def __init__(self, y):
        self.n = y

    def __len__(self):
        return 2


def sorts(a):
    s = 0.0
    things = []
    for k in range(20):
        things.append(Other(a[0] * k) if k % 3 else Empty())
    for t in things:
        if t:
            s += t.n
        else:
            s += a[1]
        for q in t:
            s += q * a[0]
        s += len(t)
    cur = None
    for t in things:
        if cur:
            s += cur.n
        cur = t if t.n > 3 else None
    return s


class Tup:
    def __init__(self, a, b):
        self.k = (a, b)

    def __lt__(self, o):
        return self.k < o.k


def tups(x):
    best = Tup(x[0], x[1])
    s = 0.0
    for i in range(8):
        for j in range(8):
            t = Tup(x[i], x[j])
            if t < best:
                best = t
            s += best.k[1]
            if (x[i], i) >= (x[j], j):
                s += x[i]
            if (i, x[i]) <= (i, x[j]):
                s += x[j] * 0.3
    return s


PROGRAMS = [
    (bag, (np.linspace(0.1, 1, 30),)),
    (
        vecs,
        (
            0.3,
            0.4,
        ),
    ),
    (
        ring,
        (
            0.3,
            0.4,
        ),
    ),
    (cards, (np.array([0.3, 0.1, 0.9, 0.5, 0.7, 0.2, 0.4, 0.8]),)),
    (prios, (np.linspace(0.1, 1, 20),)),
    (
        floats,
        (
            3.0,
            0.5,
        ),
    ),
    (
        lits,
        (
            0.5,
            0.7,
        ),
    ),
    (sorts, (np.array([0.5, 1.0]),)),
    (tups, (np.array([0.5, 0.7, 0.2, 0.5, 0.9, 0.1, 0.5, 0.3]),)),
]


@pytest.mark.parametrize(("f", "args"), PROGRAMS)
def test_static(f, args):
    check_static(f, args)
