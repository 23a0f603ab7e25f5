"""Named tuples in lists and attributes that the text has as the program does."""

import math
from collections import namedtuple
from typing import NamedTuple

import numpy as np
import pytest
from static_checks import check_static

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


class P(NamedTuple):
    x: float
    v: float

    def step(self, dt, f):
        return P(self.x + dt * self.v, self.v + dt * f)


def springs(x):
    ps = [P(float(i) + 0.1 * xi, 0.0) for i, xi in enumerate(x)]
    for _ in range(30):
        fs = []
        for i, a in enumerate(ps):
            f = 0.0
            if i > 0:
                f -= a.x - ps[i - 1].x - 1.0
            if i < len(ps) - 1:
                f += ps[i + 1].x - a.x - 1.0
            fs.append(f)
        ps = [a.step(0.05, f) for a, f in zip(ps, fs, strict=False)]
    return sum(a.x * a.x + a.v**2 for a in ps)


class V2(NamedTuple):
    x: float
    y: float

    def __add__(self, o):
        return V2(self.x + o.x, self.y + o.y)

    def __sub__(self, o):
        return V2(self.x - o.x, self.y - o.y)

    def __mul__(self, k):
        return V2(self.x * k, self.y * k)

    @property
    def r(self):
        return math.hypot(self.x, self.y)


class Part(NamedTuple):
    q: V2
    v: V2
    m: float = 1.0


def flock(x):
    parts = [Part(V2(x[2 * i], x[2 * i + 1]), V2(0.1 * i, -0.05 * i), 1.0 + i) for i in range(6)]
    for _t in range(12):
        new = []
        for i, a in enumerate(parts):
            f = V2(0.0, 0.0)
            for j, b in enumerate(parts):
                if i != j:
                    d = b.q - a.q
                    f = f + d * (b.m / (d.r + 0.3) ** 2)
            v = a.v + f * 0.01
            new.append(a._replace(q=a.q + v * 0.05, v=v))
        parts = new
    return sum(a.q.x * a.v.y + a.m * a.q.r for a in parts)


Event = namedtuple("Event", "t kind size")


def events(a, b):
    log = []
    for i in range(40):
        log.append(Event(a * i, "in" if i % 3 else "out", b * math.sin(i)))
    tot = 0.0
    for e in log:
        if e.kind == "in":
            tot += e.size * e.t
        else:
            tot -= e.size
    last = log[-1]
    big = max(log, key=lambda e: e.size)
    log.sort(key=lambda e: e.size)
    t, _kind, size = log[3]
    return tot + last.t * big.size + t * size + log[0][2] + len(log)


class Holder:
    def __init__(self, e):
        self.e = e


def held(a, b):
    hs = []
    for i in range(20):
        hs.append(Holder(V2(a * i, b)))
    for h in hs:
        h.e = h.e + V2(0.1, a)
    return sum(h.e.x * h.e.r for h in hs)


def mixed(a, b):
    made = []
    for i in range(10):
        made.append(V2(a * i, b) if i % 2 else (a, b))
    return sum(v[0] * v[1] for v in made)


PROGRAMS = [
    (springs, (np.linspace(0.1, 1.0, 10),)),
    (flock, (np.linspace(-1, 1, 12),)),
    (
        events,
        (
            0.3,
            0.7,
        ),
    ),
    (
        held,
        (
            0.3,
            0.7,
        ),
    ),
    (
        mixed,
        (
            0.3,
            0.7,
        ),
    ),
]


@pytest.mark.parametrize(("f", "args"), PROGRAMS)
def test_static(f, args):
    check_static(f, args)
