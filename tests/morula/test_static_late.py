"""Static adjoints of objects that get attributes in loops and branches only, after they were made."""

import math
import sys
from pathlib import Path

import numpy as np
import pytest
from static_checks import check_static, found_by

import morula
from morula.static.python.pairs import record_of

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests.fuzz import plain, plain_members

# a text computes small arrays as numbers, unless the program wants to hear of overflow
pytestmark = pytest.mark.filterwarnings("default::RuntimeWarning")


class Dense:
    """A layer that keeps its input for the way back."""

    def __init__(self, n, m, seed):
        rng = np.random.default_rng(seed)
        self.W, self.b = rng.standard_normal((n, m)) / math.sqrt(n), np.zeros(m)

    def forward(self, x):
        self.x = x
        return x @ self.W + self.b

    def backward(self, g, rate):
        back = g @ self.W.T
        self.W -= rate * np.outer(self.x, g)
        self.b -= rate * g
        return back


class Tanh:
    def forward(self, x):
        self.y = np.tanh(x)
        return self.y

    def backward(self, g, rate):
        return g * (1 - self.y**2)


def trained(rate, scale):
    layers, loss = [Dense(2, 6, 0), Tanh(), Dense(6, 1, 1)], 0.0
    for k in range(20):
        x, target = np.array([math.sin(k), math.cos(k)]), math.sin(k) * scale
        for layer in layers:
            x = layer.forward(x)
        g = 2 * (x - target)
        loss += float((g**2).sum())
        for layer in reversed(layers):
            g = layer.backward(g, 0.1 * rate)
    return loss


class Cell:
    def __init__(self, u):
        self.u = u

    def see(self, x):
        self.last = x
        return x * self.u

    def back(self):
        return self.last * 2


class Slim:
    __slots__ = ("u", "v")

    def __init__(self, u):
        self.u = u

    def put(self, x):
        self.v = x + self.u


def kept_number(x, y):
    c, t = Cell(x), 0.0
    for k in range(30):
        t += c.see(y * k) + c.back()
    return t + c.last


def kept_at_times(x, y):
    c, t = Cell(x), 0.0
    for k in range(30):
        if k > 3:
            t += c.see(y * k)
        if k > 4:
            t += c.back()
    return t + c.last


def kept_in_slots(x, y):
    c, t = Slim(x), 0.0
    for k in range(30):
        c.put(y * k)
        t += c.v * x
    return t


def kept_tuple(x, y):
    c, t = Cell(x), 0.0
    for k in range(30):
        c.last = (x, y * k)
        t += c.last[0] * c.last[1]
    return t


def kept_by_a_branch(x, y):
    c = Cell(x)
    if x > y:
        c.last = y
    elif x * y > 1.0:
        c.last = y * y
    else:
        c.last = 3.0
    return c.last * x


def kept_array_of_another(x, y):
    c, t, u = Cell(x), 0.0, np.array([x, y, x * y])
    for k in range(30):
        c.last = u
        u[1] = c.last[0] * k
        t += c.last.sum()
    return t + c.last[1]


def kept_array_written_into(x, y):
    c, t = Cell(x), 0.0
    for k in range(26):
        t += float(c.see(np.array([x, y * k, 1.0])).sum())
        c.last[0] = 1.0
        t += float(c.last.sum())
    return t


def kept_by_two(x, y):
    b, c, t = Cell(x), Cell(y), 0.0
    for k in range(26):
        t += b.see(x * k)
        if k % 2:
            c.last = b.last
        b, c = c, b
        b.see(t * 1e-3)
    return t + c.last


def asked_for(x, y):
    c, t = Cell(x), 0.0
    for _ in range(26):
        t += getattr(c, "last", y)
        c.see(t * 0.1)
    return t


def none_at_times(x, y):
    c, t = Cell(x), 0.0
    for k in range(26):
        c.last = x if k % 2 else None
        if c.last is not None:
            t += c.last * y
    return t


LATE = [trained, kept_number, kept_at_times, kept_in_slots, kept_tuple, kept_by_a_branch, kept_array_of_another,
        kept_array_written_into, kept_by_two, asked_for, none_at_times]  # fmt: skip


@pytest.mark.parametrize("f", LATE, ids=lambda f: f.__name__)
def test_attributes_that_an_object_gets_later(f):
    check_static(f, (0.8, 0.6))
    check_static(f, (0.3, 0.9))


def test_an_attribute_that_is_read_too_early():
    def f(x, y):
        c, t = Cell(x), 0.0
        for k in range(30):
            if x > 0.5 or k > 3:
                t += c.see(y * k)
            t += c.back()
        return t

    check_static(f, (0.8, 0.6))
    for tier in ("eager", "static", "static"):
        assert found_by(tier, f, (0.3, 0.6)) is AttributeError
    check_static(f, (0.8, 0.6))


def test_a_long_loop_is_none_of_the_text():
    with morula.tier("static"):
        morula.gradient(trained, 0.8, 0.6)
    (pair,) = [pair for pair in record_of(trained).all_pairs if pair.calls]
    assert len(pair.text.splitlines()) < 200


@pytest.mark.parametrize("seed", range(6))
def test_random_programs(seed):
    _, verdict = plain.check(seed, plain_members.MembersWriter)
    assert verdict.kind != "wrong", verdict
