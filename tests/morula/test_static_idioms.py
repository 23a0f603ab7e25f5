"""Programs as scientists write them: which the static tier takes, and what it finds there."""

import copy
import math
from abc import ABC, abstractmethod
from collections import namedtuple
from enum import Enum
from typing import NamedTuple

import numpy as np
import pytest
from static_checks import alike, check_static, found_by

import morula

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

RNG = np.random.default_rng(0)
XS = [float(v) for v in RNG.normal(size=80)]
YS = [2 * x + 0.1 * i for i, x in enumerate(XS)]
PAIRS = [(0.1 * i, math.sin(0.1 * i)) for i in range(30)]
LABELS = [i % 2 for i in range(80)]
ROWS = [[float(v) for v in row] for row in RNG.normal(size=(20, 3))]
VERBOSE = False


class Layer(ABC):
    @abstractmethod
    def __call__(self, x): ...


class Affine(Layer):
    def __init__(self, a, b):
        self.a, self.b = a, b

    def __call__(self, x):
        return self.a * x + self.b


class Chain(Layer):
    def __init__(self, *layers):
        self.layers = layers

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


def chained(a, b):
    net = Chain(Affine(a, b), Affine(b, a), *[Affine(a, 1.0)] * 2)
    return sum(net(0.1 * i) ** 2 for i in range(5))


def growth(t, *, r, k=3.0, n=2):
    return k * n / (1 + math.exp(-r * t))


def by_keywords(p):
    return sum((growth(t, **p) - y) ** 2 for t, y in [(0.1, 0.4), (0.7, 0.6)]) + growth(1.0, r=p["r"])


def newton(a, b):
    x = 1.0
    for _ in range(50):
        step = (x**3 - a * x - b) / (3 * x * x - a)
        x -= step
        if abs(step) < 1e-12:
            break
    else:
        raise RuntimeError("no root")
    return x


class Wave:
    def __init__(self, u, c):
        self.u, self.v, self.c = u.copy(), np.zeros_like(u), c

    def step(self):
        bend = np.zeros_like(self.u)
        bend[1:-1] = self.u[2:] - 2 * self.u[1:-1] + self.u[:-2]
        self.v += self.c * bend
        self.u = self.u + 0.1 * self.v
        self.u[0] = 0.0


def wave(u, c):
    w = Wave(u, c)
    for _ in range(6):
        w.step()
    return np.sum(w.u**2)


def shapes(weights):
    h = np.ones((4, 3))
    for w, b in weights[:-1]:
        h = np.tanh(h @ w + b)
    w, b = weights[-1]
    return np.mean((h @ w + b) ** 2)


def regression(a, b):
    return sum((a * x + b - y) ** 2 for x, y in zip(XS, YS, strict=False)) / len(XS)


def of_pairs(a, b):
    total = 0.0
    for i, (t, y) in enumerate(PAIRS, start=1):
        total += (a * math.sin(t + b) - y) ** 2 / i
    return total


def logistic(w, b):
    total = 0.0
    for i, row in enumerate(ROWS):
        z = sum(p * q for p, q in zip(w, row, strict=True)) + b
        total += math.log(1 + math.exp(-z if LABELS[i] == 1 else z))
    return total


def neighbours(xs, phi):
    return sum((q - phi * p) ** 2 for p, q in zip(xs, xs[1:], strict=False)) + xs[3] * max(xs)  # noqa: RUF007


def not_all_of_them(xs, k):
    return sum(x * k for x in xs[2:7]) + xs[0]


def of_rows(rows, w):
    return sum(sum(p * q for p, q in zip(row, w, strict=True)) ** 2 for row in rows)


def history(a, x):
    seen = [x]
    for v in XS[:40]:
        seen.append(seen[-1] * a + v)
    h = np.array(seen[1:])
    return np.sum((h - np.array(YS[:40])) ** 2) + h.max()


def growing(x, n):
    values, others = [x, x * n], [x]
    for v in values:
        others.append(v * v)
        same = others if n < 3 else values
        if len(same) < 6:
            same.append(v * x)
    return sum(values) * sum(others)


Point = namedtuple("Point", "x y")


class Method(Enum):
    EULER = 1
    MIDPOINT = "m"


class Setting(NamedTuple):
    k: float
    method: Method = Method.MIDPOINT
    steps: int = 4

    def rate(self, x):
        return -self.k * x


def settings(k, x):
    s, p = Setting(k), Point(x, y=k)
    for i in range(s.steps):
        match s.method:
            case Method.EULER:
                x = x + 0.1 * s.rate(x)
            case Method.MIDPOINT | "other":
                x = x + 0.1 * s.rate(x + 0.05 * s.rate(x))
        s = s._replace(k=s.k * 1.1, method=Method.EULER if i == 1 else s.method)
        p = Point(p.y, p.x * s.k)
    return x * p.x + p[1]


def seldom(a, b):
    for i in range(20):
        a = a - 0.1 * math.sin(a * b)
        if VERBOSE:
            print(f"{i}: {a}")
    return a


def stack(x, y):
    values = []
    for op, *rest in [("push", x), ("push", y), ("mul",), ("push", 2.0), ("add",)]:
        if op == "push":
            values.append(rest[0])
        else:
            q, p = values.pop(), values.pop()
            values.append(p * q if op == "mul" else p + q)
    return values.pop()


def warping(g):
    d = [[1e10] * (len(YS[:9]) + 1) for _ in range(len(XS[:7]) + 1)]
    d[0][0] = 0.0
    for i in range(1, 8):
        for j in range(1, 10):
            d[i][j] = g * (XS[i - 1] - YS[j - 1]) ** 2 + min(d[i - 1][j], d[i][j - 1], d[i - 1][j - 1])
    return d[7][9]


def path_of_pairs(a, x):
    t, path = 0.0, [(0.0, x)]
    while t < 2.0:
        x, t = x - 0.1 * a * x, t + 0.1
        path.append((t, x))
    return sum(t * v * v for t, v in path) + path[-1][1] * len(path)


def path_of_lists(a, x):
    path, v = [], 0.0
    for _ in range(20):
        v = v - 0.1 * a * x
        x = x + 0.1 * v
        path.append([x, v])
    path[3][0] = a
    path[-1][1] += x
    states = np.array(path)
    return np.sum(states[:, 0] ** 2) + states[:, 1].max()


def path_of_arrays(a, x):
    states = [np.array([x, 0.0])]
    for _ in range(20):
        y = states[-1]
        states.append(y + 0.1 * np.array([y[1], -a * y[0]]))
    states = np.array(states)
    return np.sum(states[:, 0] ** 2) + states[3, 1]


def one_array_many_times(a, x):
    y, seen = np.array([x, 0.0]), []
    for _ in range(10):
        y += 0.1 * np.array([y[1], -a * y[0]])
        seen.append(y)
    return sum(s[0] ** 2 for s in seen) + seen[0][1]


def one_row_many_times(a, b):
    row, rows = [a, b, a * b], []
    for i in range(10):
        rows.append(row)
        if i % 3 == 0:
            row = [a * i, b, 1.0]
        row[1] = row[1] * b
    rows[0][0] = 3.0 * b
    return sum(sum(r) for r in rows) + row[0]


def squared(a, b):
    t = [[math.exp(-a * (i - j) ** 2) * b for j in range(9)] for i in range(9)]
    r = [[sum(t[i][k] * t[k][j] for k in range(9)) for j in range(9)] for i in range(9)]
    return sum(r[i][i] for i in range(9)) + max(r[0])


def by_masks(x, k):
    y = x * k
    y[y < 0] = 0.0
    large = y > 1.0
    y[large] += k
    y[~(x > 0.5)] = k * 0.1
    return np.sum(y**2)


def by_several_indices(x, k):
    upper, places = np.triu_indices(4, 1), np.array([0, 1, 1, 3])
    return np.sum(x[upper] ** 2) * k + np.mean(x[np.arange(4), places]) + np.sum(x[:, places] * x[places])


def logistic_map(r, x, n):
    for _ in range(n):
        x = r * x * (1 - x)
        yield x


def in_turns(r, x):
    yield x
    for v in logistic_map(r, x, 5):
        if v > 0.5:
            yield v * 2
        else:
            yield v
    yield from logistic_map(x, r * 0.1, 4)


def improved(f, x):
    while True:
        x = x - f(x) / (2 * x)
        yield x


class Decay:
    def __init__(self, k):
        self.k, self.x = k, 1.0

    def run(self, n):
        for i in range(n):
            self.x = self.x - 0.1 * self.k * self.x
            yield i, self.x


def over_generators(r, x):
    total = sum((v - 0.5) ** 2 for v in logistic_map(r, x, 20)) + sum(logistic_map(r, x, 3))
    for i, v in enumerate(in_turns(r, x), start=1):
        if i % 3 == 0:
            continue
        total = total * 0.9 + v / i
    last = 1.0
    for y in improved(lambda y: y * y - r, 1.5):
        if abs(y - last) < 1e-10:
            break
        last = y
    decay = Decay(x)
    for i, v in decay.run(10):
        total += v * i
    values = list(logistic_map(r, x, 6))
    return total * last + decay.x * values[-1] * max(values)


def first_large(r, x):
    for i, v in enumerate(logistic_map(r, x, 30)):
        if v > 0.62:
            return v * i
    return x


def inner_recursion(a, b):
    f = lambda x: math.exp(-a * x) * math.sin(b * x + 1)

    def area(low, high, depth):
        middle = (low + high) / 2
        rough, fine = f(middle) * (high - low), (f(low) + f(high)) * (high - low) / 2
        if depth == 0 or abs(rough - fine) < 1e-3:
            return fine
        return area(low, middle, depth - 1) + area(middle, high, depth - 1)

    def make(c):
        def power(n):
            return c if n == 0 else power(n - 1) * c

        return power

    return area(0.0, 2.0, 6) + make(a)(3) * make(a * b)(2)


def folded(xs, a):
    assert all(x > 0 for x in xs)
    if any(x > 10 * a for x in xs):
        return 0.0
    return math.prod(x + a for x in xs)


def elimination(d, e):
    d, x = list(d), [0.0] * len(d)
    for i in range(1, len(d)):
        d[i] = d[i] - e * e / d[i - 1]
    for i in reversed(range(len(d) - 1)):
        x[i] = (1.0 - e * x[i + 1]) / d[i]
    return sum(v * v for v in x) * d[-1]


def spread_displays(x, p):
    inner = np.array([0.5, *x, p])
    for _ in range(5):
        inner = np.array([0.1, *np.tanh(inner[1:-1] * p), inner[-1] * p])
    (c, *more), t = [*x, p], (p, *x[:1], 2)
    return inner @ inner + c * sum(float(v * v) for v in more) * t[0] ** t[2]


def repeated_pattern(x, p):
    observed, weights = [0, 1, 1, 0] * 6, [1.0, 2.5, 0.5] * 4
    levels = [p, p * p]
    return sum(levels[o] for o in observed[1:]) + sum(v * p for v in weights) * x[1]


def imports_inside(x, p):
    from math import exp

    import numpy.linalg as la

    best = float("inf")
    for v in x:
        d = (v - p) ** 2
        if d < best:
            best = d
    return la.norm(x * p) * exp(p) + best * np.sqrt(6) + np.hypot(3, p) * np.arctan2(len(x), p)


def joined_along_columns(x, p):
    design = np.stack([x, x * p, np.ones_like(x)], 1)
    step = np.linalg.solve(design.T @ design + p * np.eye(3), design.T @ (x - p))
    table = np.concatenate((np.outer(x, x), np.eye(len(x)) * p), 1)
    return (
        step @ step + (np.column_stack((x, x**2)) * p).sum() + (table**2).sum() + np.column_stack((table, table))[1, 3]
    )


STATIC = [
    (spread_displays, (np.array([0.4, 0.2, 0.7]), 0.9)), (repeated_pattern, (np.array([0.4, 0.2, 0.7]), 0.9)),
    (imports_inside, (np.array([0.4, 0.2, 0.7]), 0.9)), (joined_along_columns, (np.array([0.4, 0.2, 0.7]), 0.9)),
    (over_generators, (2.7, 0.3)), (first_large, (2.7, 0.3)), (inner_recursion, (1.3, 0.7)),
    (folded, ([0.5, 0.1, 0.9], 0.2)), (elimination, ([2.1] * 10, 0.5)),
    (warping, (0.5,)), (path_of_pairs, (0.5, 1.2)), (path_of_lists, (0.5, 1.2)), (path_of_arrays, (0.5, 1.2)),
    (one_array_many_times, (0.5, 1.2)), (one_row_many_times, (0.5, 1.2)), (squared, (0.5, 1.2)),
    (by_masks, (RNG.normal(size=30), 2.0)), (by_several_indices, (RNG.normal(size=(4, 4)), 2.0)),
    (chained, (0.7, 0.2)), (by_keywords, ({"r": 0.6, "k": 2.0},)), (newton, (2.0, 0.5)),
    (wave, (np.sin(np.arange(12.0)), 0.3)),
    (shapes, ([(RNG.normal(size=(3, 5)), np.zeros(5)), (np.eye(5) + 0.1, np.ones(5)), (np.ones((5, 1)), 1.0)],)),
    (regression, (0.5, 0.1)), (of_pairs, (0.5, 0.1)), (logistic, ([0.1, 0.2, 0.3], 0.5)),
    (neighbours, (XS[:20], 0.4)), (not_all_of_them, (tuple(XS[:12]), 0.4)), (of_rows, (ROWS, [0.1, 0.2, 0.3])),
    (history, (0.4, 1.5)), (settings, (1.5, 0.3)), (seldom, (0.5, 0.1)), (stack, (1.5, 0.4)),
]  # fmt: skip


@pytest.mark.parametrize("f, args", STATIC, ids=lambda v: getattr(v, "__name__", ""))
def test_the_static_tier_finds_what_the_eager_one_does(f, args):
    check_static(f, args)


class Held:
    def __init__(self, x):
        self.x = x


def kept_and_returned(held, a, b):
    found = a * b
    held.x = found
    return found


def returned_array_that_is_kept(a, b):
    held = Held(a)
    w = kept_and_returned(held, a, b)
    w += b
    return np.sum(held.x * w)


def one_array_in_two_objects(a, b):
    one = Held(a * b)
    other = Held(one.x)
    other.x += b
    return np.sum(one.x * other.x)


def one_array_in_two_attributes(a, b):
    held = Held(a * b)
    held.y = held.x
    held.x += 1.0
    held.x[0] = b
    return np.sum(held.y * held.x)


def view_of_an_attribute(a, b):
    held = Held(a * b)
    part = held.x[1:3]
    held.x *= b
    return np.sum(part) * held.x[0]


def the_argument_itself(a, b):
    held = Held(a)
    held.x += b
    return np.sum(held.x * a)


def attribute_that_a_list_holds(a, b):
    held = Held(a * b)
    values = [held.x, a]
    held.x *= b
    return np.sum(values[0] * values[1])


@pytest.mark.parametrize("n", [3, 12])
@pytest.mark.parametrize("f", [returned_array_that_is_kept, one_array_in_two_objects, one_array_in_two_attributes,
                               view_of_an_attribute, the_argument_itself, attribute_that_a_list_holds])  # fmt: skip
def test_arrays_of_several_names_that_are_written_into(f, n):
    args = (np.arange(1.0, n + 1), 2.0)
    eager, static = found_by("eager", f, args), found_by("static", f, args)
    assert repr(static.value) == repr(eager.value)
    assert alike(static.gradient, eager.gradient)


def weighed(xs, k):
    return sum(x * k for x in xs)


@pytest.mark.parametrize("xs", [
    [0.5] * 9 + ["a"], [1] * 10, [True] * 10, [np.float64(0.5)] * 10, (0.5,) * 10, [0.5] * 9 + [0.0],
    [0.5] * 9 + [math.inf], [0.5] * 9 + [1], [0.5, None] * 5, [], [0.5] * 200,
])  # fmt: skip
def test_lists_of_other_things_than_before(xs):
    found_by("static", weighed, ([0.5] * 10, 2.0))
    eager, static = found_by("eager", weighed, (xs, 2.0)), found_by("static", weighed, (xs, 2.0))
    assert repr(static) == repr(eager)


def written_into(xs, k):
    xs[0] = k
    return sum(x * x for x in xs)


def given_twice(xs, ys):
    return sum(x * y for x, y in zip(xs, ys, strict=True))


def also_read_as_a_global(xs, k):
    return sum(x * k for x in xs) + sum(x * x for x in XS)


@pytest.mark.parametrize("f, args", [
    (written_into, (XS, 2.0)), (growing, (1.5, 2)), (growing, (1.5, 3)), (given_twice, (XS, XS)),
    (also_read_as_a_global, (XS, 2.0)),
    (of_rows, ([ROWS[0]] * 12, [0.1, 0.2, 0.3])),
], ids=lambda v: getattr(v, "__name__", ""))  # fmt: skip
def test_lists_of_several_names(f, args):
    before = copy.deepcopy(args)
    found = []
    for tier in ("eager", "static", "static"):
        with morula.tier(tier):
            try:
                found.append(morula.gradient(f, *args))
            except morula.AliasedArgumentsError as error:
                found.append(str(error))
        assert args == before
        assert found[-1] == found[0] or alike(found[-1], found[0])


def clipped(x, low, high):
    return np.sum(np.clip(x, low, high) ** 2) * np.linspace(low, high, 4)[1]


class Counter:
    n = 0


def counting(x):
    Counter.now.n += 1
    if x > 1e6:
        print(sorted([x]))
    return x * Counter.now.n


def test_integers_that_are_differentiated_by_are_no_constants():
    x = np.linspace(-3.0, 3.0, 11)
    for args in ((x, -1, 2), (x, -1.0, 2), (x, -1.0, 2.0)):
        assert alike(found_by("static", clipped, args).gradient, found_by("eager", clipped, args).gradient)


def test_what_a_program_writes_is_written_once():
    values = []
    for tier in ("eager", "static"):
        Counter.now = Counter()
        values += [found_by(tier, counting, (2.0,)).value for _ in range(3)]
    assert values[:3] == values[3:] == [2.0, 4.0, 6.0]
