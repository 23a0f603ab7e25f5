"""Static adjoints of objects and dicts that get attributes and items in loops and branches only."""

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


class Adam:
    def __init__(self, rate):
        self.rate, self.t, self.m, self.v = rate, 0, {}, {}

    def update(self, params, grads):
        self.t += 1
        for k in params:
            if k not in self.m:
                self.m[k], self.v[k] = np.zeros_like(params[k]), np.zeros_like(params[k])
            self.m[k] = 0.9 * self.m[k] + 0.1 * grads[k]
            self.v[k] = 0.999 * self.v[k] + 0.001 * grads[k] ** 2
            m, v = self.m[k] / (1 - 0.9**self.t), self.v[k] / (1 - 0.999**self.t)
            params[k] = params[k] - self.rate * m / (np.sqrt(v) + 1e-8)


def fitted(x, y):
    inputs = np.random.default_rng(0).normal(size=(20, 3))
    targets = inputs @ np.array([1.0, -2.0, 0.5])
    params, adam, loss = {"w": np.zeros(3), "b": np.zeros(1)}, Adam(0.1 * x), 0.0
    for _ in range(30):
        rest = inputs @ params["w"] + params["b"] - targets
        loss = float(np.mean(rest**2)) + y * float(params["w"] @ params["w"])
        adam.update(params, {"w": inputs.T @ rest / 10 + 2 * y * params["w"], "b": np.array([2 * rest.mean()])})
    return loss


def made_at_times(x, y):
    c, t = {}, 0.0
    for k in range(30):
        if x * k > 11.3:
            c["big"] = y * k
        if "big" in c:
            t += c["big"]
        t += x if "big" not in c else y
    return t


def made_by_a_branch(x, y):
    c, t = {}, 0.0
    if x > 0.5:
        c["x"] = y
    elif x > 0.25:
        c["y"] = x * y
    for _ in range(20):
        t += c["x"] * y if "x" in c else x
    return t + ("y" in c) * x


def caught_before_it_is_made(x, y):
    c, t = {}, 0.0
    for _ in range(30):
        try:
            t += c["x"]
        except KeyError:
            t += y
        c["x"] = t * x
    return t


def by_a_second_name(x, y):
    c, t = {}, 0.0
    d = c
    for k in range(30):
        c["x"] = np.array([x, y]) * k
        t += float(d["x"] @ d["x"])
        d["x"] = d["x"] * 2
    return t + float(c["x"].sum())


def made_by_a_callee(x, y):
    def cached(v, cache):
        if "y" in cache and v < 5:
            return cache["y"]
        cache["y"] = v * y
        return v

    c = {}
    return sum(cached(x * k, c) for k in range(30))


def in_order_of_making(x, y):
    c, t = {}, 0.0
    for k in range(30):
        c["b"] = x * k
        c["a"] = y * k
        t += len(c)
    for i, (k, v) in enumerate(c.items()):
        t += i * v + (k == "a")
    d = {**c, "c": x}
    c["a"] = 5.0
    return t + sum(d.values()) + c.get("z", y)


def none_in_a_dict(x, y):
    c, t = {}, 0.0
    for k in range(30):
        c["x"] = x if k % 2 else None
        if c["x"] is not None:
            t += c["x"] * y
    return t


ITEMS = [fitted, made_at_times, made_by_a_branch, caught_before_it_is_made, by_a_second_name, made_by_a_callee,
         in_order_of_making, none_in_a_dict]  # fmt: skip


@pytest.mark.parametrize("f", ITEMS, ids=lambda f: f.__name__)
def test_items_that_a_dict_gets_later(f):
    check_static(f, (0.8, 0.6))
    check_static(f, (0.3, 0.9))


def test_an_item_that_is_read_too_early():
    def f(x):
        c, t = {}, 0.0
        for k in range(30):
            if x > 0.5 or k > 3:
                c["x"] = x * k
            t += c["x"]
        return t

    check_static(f, (0.8,))
    for tier in ("eager", "static", "static"):
        assert found_by(tier, f, (0.3,)) is KeyError
