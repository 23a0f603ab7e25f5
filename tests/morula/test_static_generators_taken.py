"""Generators, and objects that yield their items, of which everything is taken at once: `f(*g)`, `tuple(g)`, `zip`."""

import math

import numpy as np
import pytest
from static_checks import alike, check_programs, check_static, found_by
from tests.fuzz.plain_yielded import YieldedWriter

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

X = np.array([0.7, 0.3, -0.4, 1.1])
STATE = {"k": 1.0}
K = 1.0


class Vector:
    __slots__ = ("x", "y", "z")

    def __init__(self, x, y, z):
        self.x, self.y, self.z = x, y, z

    def __iter__(self):
        yield self.x
        yield self.y
        yield self.z

    def __mul__(self, k):
        return Vector(*(c * k for c in self))


class Counting:
    """Its property has an effect."""

    def __init__(self, x):
        self.v, self.read = x, 0.0

    @property
    def x(self):
        self.read += 1.0
        return self.v

    def __iter__(self):
        yield self.x
        yield self.x * 2.0
        yield self.x * 3.0


def pairs(x):
    yield x[0]
    yield x[1] * x[2]
    yield x[3]


def counted(x, n):
    for i in range(n):
        yield x[i] * 2.0


def changing(x, log):
    for v in x:
        log.append(1.0)
        yield v


def by_global(x):
    for v in x:
        yield v * K


def combined(p, q, r):
    return p * q - r


def spread(x):
    v = Vector(x[0], x[1], x[2])
    return combined(*v) + combined(*pairs(x)) * math.hypot(*Vector(x[1], x[2], x[3])) + sum([*v, *counted(x, 3)])


def listed(x):
    v = Vector(x[0], x[1], x[2])
    t, u = tuple(v), tuple(counted(x, 4))
    return t[0] * u[3] + max(pairs(x)) + min(v) + np.array([*v]) @ np.array(list(pairs(x)))


def zipped(x):
    v, s = Vector(x[0], x[1], x[2]), 0.0
    for _ in range(3):
        s += sum(p * k for p, k in zip(v, (1.0, 2.0, 3.0), strict=False))
        for p, q in zip(counted(x, 4), v, strict=False):
            s += p * q
            if s > 3.0:
                break
        v = v * 0.9
    return s


def of_other_lengths(x):
    n, s = 0, 0.0
    for p, q in zip([1.0, 2.0], counted(x, 4), strict=False):
        s += p * q
        n += 1
    for p, q in zip(counted(x, 1), pairs(x), strict=False):
        s += p * q
        n += 1
    return s * n


@pytest.mark.parametrize("f", [spread, listed, zipped, of_other_lengths])
def test_static(f):
    check_static(f, (X,))


def changed_meanwhile(x):
    v, s = Vector(x[0], x[1], x[2]), 0.0
    for p, q in zip(v, [1.0, 2.0, 3.0], strict=False):
        v.z = v.z + p
        s += p * q
    return s


def items_written(x):
    y, s = x.copy(), 0.0
    for p, q in zip(pairs(y), [1.0, 2.0, 3.0], strict=False):
        y[3] = p * 2.0
        s += p * q
    return s


def with_a_log(x):
    log, s = [], 0.0
    for p, q in zip([1.0, 2.0], changing(x, log), strict=False):
        s += p * q * len(log)
    return s + len(log)


def by_property(x):
    c, s = Counting(x[0]), 0.0
    for p, q in zip(c, [1.0, 2.0], strict=False):
        s += p * q * c.read
    return s + c.read


def of_a_global(x):
    global K
    K, s = 1.0, 0.0
    for p, q in zip(by_global(x), [1.0, 2.0, 3.0], strict=False):
        K = K + 1.0
        s += p * q
    return s


def of_a_variable(x):
    k, s = 1.0, 0.0

    def each():
        for v in x:
            yield v * k

    for p, q in zip(each(), [1.0, 2.0, 3.0], strict=False):
        k = k + 1.0
        s += p * q
    return s


def by_a_call(x):
    y, s = x.copy(), 0.0

    def change():
        y[3] += 1.0

    for p, q in zip(pairs(y), [1.0, 2.0, 3.0], strict=False):
        change()
        s += p * q
    return s


def adding_to(o):
    def change(k):
        o.y = o.y + k
        return k

    return change


def beside_an_object(x):
    v = Vector(x[0], x[1], x[2])
    change = adding_to(v)
    return sum(p * q for p, q in zip(v, (change(k) for k in (1.0, 2.0)), strict=False))


def beside_a_map(x):
    v = Vector(x[0], x[1], x[2])
    return sum(p * q for p, q in zip(v, map(adding_to(v), (1.0, 2.0)), strict=False))


def beside_a_list_that_is_made(x):
    v, s = Vector(x[0], x[1], x[2]), 0.0
    change = adding_to(v)
    for p, q in zip(v, [change(1.0), change(2.0)], strict=False):
        s += p * q
    return s


def scaling(items):
    def change(k):
        items[1] = items[1] * k
        return k

    return change


def beside_a_list(x):
    items = [x[0], x[1], x[2]]
    change = scaling(items)
    return sum(p * q for p, q in zip(items, (change(k) for k in (1.0, 2.0, 3.0)), strict=False))


def beside_an_array(x):
    y = x.copy()
    change = scaling(y)
    return sum([p * q for p, q in zip(y, (change(k) for k in (1.0, 2.0, 3.0)), strict=False)])


def before_what_the_loop_reads(x):
    v, s = Vector(x[0], x[1], x[2]), 0.0
    change = adding_to(v)
    for i, k in enumerate(change(k) for k in (1.0, 2.0)):
        s += v.y * k * (i + 1)
    for k, q in zip((change(k) for k in (1.0, 2.0)), (3.0, 4.0), strict=False):
        s += v.y * k * q
    return s


class Listed:
    def __init__(self, x):
        self.items = list(x)

    def __iter__(self):
        return iter(self.items)


def of_an_object_with_a_list(x):
    y, s = x.copy(), 0.0
    change = scaling(y)
    for v in (change(v) for v in Listed(x)):
        s += v * 2.0 + y[1]
    return s


def draws_by_turns(x):
    rng, s = np.random.default_rng(3), 0.0
    for p, q in zip((rng.normal() for _ in x), (rng.uniform() for _ in x), strict=False):
        s += p * q * x[0]
    return s


BESIDE = [beside_an_object, beside_a_map, beside_a_list_that_is_made, beside_a_list, beside_an_array,
          before_what_the_loop_reads, of_an_object_with_a_list,
          draws_by_turns]  # fmt: skip


@pytest.mark.parametrize(
    "f", [changed_meanwhile, items_written, with_a_log, by_property, of_a_global, of_a_variable, by_a_call, *BESIDE]
)
def test_what_a_loop_changes_meanwhile(f):
    eager, static = found_by("eager", f, (X,)), found_by("static", f, (X,))
    assert repr(static.value) == repr(eager.value) == repr(f(X.copy()))
    assert alike(static.gradient, eager.gradient)


def test_random_programs():
    check_programs(YieldedWriter, range(24), 3)
