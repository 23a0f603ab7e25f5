"""Functions of which one or another is called: out of tables and lists, from attributes and variables."""

import math

import numpy as np
import pytest
from static_checks import check_static

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def sq(x):
    return x * x


def cube(x):
    return x**3 * 0.1


OPS = [sq, cube, math.sin]
TABLE = {"sq": sq, "cube": cube, "tanh": math.tanh}


def ops_list(x):
    s = x
    for i in range(60):
        s = 0.5 * s + 0.1 * OPS[i % 3](s + i * 0.01)
    return s


def ops_dict(x):
    s = x
    keys = ["sq", "cube", "tanh", "sq"]
    for i in range(60):
        s = 0.5 * s + 0.1 * TABLE[keys[i % 4]](s + i * 0.01)
    return s


def chosen(x, k):
    act = math.tanh
    for _i in range(60):
        x = 0.9 * x + k * act(x)
        act = math.tanh if x < 0.8 else math.cos
    return x


def chosen2(x, k):
    s = 0.0
    for i in range(60):
        f = sq if i % 2 else (lambda v: k * v)
        s += f(x + i)
    return s


class Agent:
    def __init__(self, x, policy):
        self.x = x
        self.policy = policy

    def act(self, t):
        self.x = self.policy(self.x, t)


def lazy(x, t):
    return 0.99 * x


def eager_(x, t):
    return x + 0.01 * math.sin(t)


def agents(x):
    ag = []
    for i, v in enumerate(x):
        ag.append(Agent(v, lazy if i % 3 else eager_))
    for t in range(20):
        for a in ag:
            a.act(t)
        ag.sort(key=lambda a: a.x)
        if ag[0].x > 0.2:
            ag[0].policy = lazy
    return sum(a.x * i for i, a in enumerate(ag))


class Sched:
    def __init__(self):
        self.q = []

    def at(self, t, f, arg):
        self.q.append((t, f, arg))

    def run(self):
        s = 0.0
        while self.q:
            self.q.sort(key=lambda e: e[0])
            t, f, arg = self.q.pop(0)
            s += f(arg) * t
        return s


def sched(a, b):
    q = Sched()
    for i in range(20):
        q.at(math.sin(i), sq if i % 2 else cube, a + b * i)
    return q.run()


class Robot:
    def __init__(self, x):
        self.x = x
        self.do = self.left

    def left(self):
        self.x *= 0.9
        if self.x < 0.3:
            self.do = self.right

    def right(self):
        self.x += 0.1
        if self.x > 1.0:
            self.do = self.left


def robot(x):
    r = Robot(x)
    s = 0.0
    for _ in range(100):
        r.do()
        s += r.x
    return s


class Model:
    def __init__(self, cb=None):
        self.cb = cb
        self.y = 0.0

    def step(self, x):
        self.y = 0.9 * self.y + x
        if self.cb is not None:
            self.y = self.cb(self.y)


def optional_cb(x):
    ms = [Model(), Model(math.tanh), Model(lambda v: v * x)]
    for i in range(60):
        m = ms[i % 3]
        m.step(x)
    return sum(m.y for m in ms)


def adder(n):
    def f(v):
        return v + n

    return f


def stale(x):
    f = sq
    s = 0.0
    for i in range(30):
        if i % 3 == 0:
            f = adder(x * i)
        elif i % 7 == 0:
            f = sq
        s += f(x)
    return s


def stale2(x):
    f = sq
    s = 0.0
    for i in range(30):
        if i % 3 == 0:
            f = lambda v, k=i: v * k
        elif i % 7 == 0:
            f = sq
        s += f(x)
    return s


class Box_:
    def __init__(self, k):
        self.k = k

    def f(self, v):
        return v * self.k


def stale3(x):
    f = sq
    s = 0.0
    for i in range(30):
        if i % 3 == 0:
            f = Box_(x + i).f
        elif i % 7 == 0:
            f = sq
        s += f(x)
    return s


def factories(x):
    fs = [adder(x), adder(2.0), sq]
    s = 0.0
    for i in range(30):
        s += fs[i % 3](x + i)
    return s


def rules(x, r):
    # cellular: pick rule by state
    moves = {0: lambda v: v * r, 1: lambda v: v + r, 2: math.sin}
    for i in range(90):
        x = moves[(i * i) % 3](x)
    return x


PROGRAMS = [
    (ops_list, (0.5,)),
    (ops_dict, (0.5,)),
    (
        chosen,
        (
            0.5,
            0.1,
        ),
    ),
    (
        chosen2,
        (
            0.5,
            0.1,
        ),
    ),
    (agents, (np.linspace(0.1, 1, 10),)),
    (
        sched,
        (
            0.5,
            0.2,
        ),
    ),
    (robot, (0.8,)),
    (optional_cb, (0.8,)),
    (stale, (0.8,)),
    (stale2, (0.8,)),
    (stale3, (0.8,)),
    (factories, (0.8,)),
    (
        rules,
        (
            0.8,
            0.3,
        ),
    ),
]


@pytest.mark.parametrize(("f", "args"), PROGRAMS)
def test_static(f, args):
    check_static(f, args)
