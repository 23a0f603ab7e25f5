"""Lengths that a static adjoint finds by running, and what holds None, lists or arrays of several names at times."""

import bisect
import itertools
import math
from collections import defaultdict, deque
from copy import deepcopy

import numpy as np
import pytest
from static_checks import check_static, check_tiers, found_by

import morula
from morula.static.python.pairs import record_of

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

X = np.linspace(0.2, 1.4, 12).reshape(6, 2)


class Model:
    def __init__(self, beta, gamma):
        if beta < 0:
            raise ValueError("beta is negative")
        self.beta, self.gamma = beta, gamma
        self.y, self.t, self.log = np.array([99.0, 1.0, 0.0]), 0.0, []

    def step(self, dt):
        s, i, _ = self.y
        new = self.beta * s * i / 100.0
        self.y = self.y + dt * np.array([-new, new - self.gamma * i, self.gamma * i])
        self.t += dt
        self.log.append(self.y.copy())


def epidemic(beta, gamma):
    m = Model(beta, gamma)
    while m.t < 6.0:
        m.step(0.5)
    seen = np.array(m.log)
    return seen[:, 1].max() + 0.01 * seen[-1, 2] + np.sum(np.diff(seen[:, 0]) ** 2)


def until(x, step):
    found = []
    while x > 0.1:
        x = x * step
        found.append(x)
    v = np.array(found)
    return np.sum(np.diff(v) ** 2) + np.mean(found) + np.std(found)


def grid(x, width):
    n = int(width / 0.3)
    a = np.zeros((n, n))
    for i in range(n):
        a[i, i] = 2.0 + x
        if i > 0:
            a[i, i - 1] = a[i - 1, i] = -x
    return np.sum(np.linalg.solve(a, np.linspace(0.0, 1.0, n)))


class Table:
    def __init__(self, x, y):
        self.x, self.y = x, y
        h = np.diff(x)
        if np.any(h <= 0):
            raise ValueError("x must increase")
        self.slopes = []
        for i in range(len(x) - 1):
            self.slopes.append((y[i + 1] - y[i]) / h[i])

    def __call__(self, t):
        if t < self.x[0] or t > self.x[-1]:
            return None
        i = min(bisect.bisect(self.x, t) - 1, len(self.slopes) - 1)
        return self.y[i] + self.slopes[i] * (t - self.x[i])


def interpolated(y, a):
    table = Table([0.0, 1.0, 2.0, 3.5], y)
    found = [table(a * t) for t in np.arange(0.0, 4.0, 0.5)]
    return sum(v**2 for v in found if v is not None)


def arcs(x, y):
    s = [0]
    s.extend(np.cumsum(np.hypot(np.diff(x), np.diff(y))))
    h = np.diff(s)
    return np.sum(np.array([s]) * 0.5) + h[0] * s[-1]


class Portfolio:
    def __init__(self, cash):
        self.cash, self.held, self.history = cash, {}, []

    def buy(self, name, n, price):
        if n * price > self.cash:
            raise ValueError(f"not enough cash for {name}")
        self.cash -= n * price
        self.held[name] = self.held.get(name, 0.0) + n

    def value(self, prices):
        found = self.cash + sum(n * prices[name] for name, n in self.held.items())
        self.history.append(found)
        return found


def returns(cash, n, drift):
    p = Portfolio(cash)
    p.buy("a", n, 10.0)
    p.buy("b", 2 * n, 5.0)
    p.buy("a", 1.0, 11.0)
    for t in range(12):
        p.value({"a": 10.0 + drift * math.sin(t), "b": 5.0 + drift * t})
    r = np.diff(p.history) / np.array(p.history[:-1])
    return np.mean(r) / np.std(r)


def folded(angle):
    x = np.asarray(angle).flatten()
    return ((x + np.pi) % (2 * np.pi) - np.pi).item() * np.atleast_1d(angle)[0]


class Adam:
    def __init__(self):
        self.m, self.v, self.t = None, None, 0

    def step(self, w, g):
        if self.m is None:
            self.m, self.v = np.zeros_like(w), np.zeros_like(w)
        self.t += 1
        self.m = 0.9 * self.m + 0.1 * g
        self.v = 0.999 * self.v + 0.001 * g**2
        return w - 0.05 * (self.m / (1 - 0.9**self.t)) / (np.sqrt(self.v / (1 - 0.999**self.t)) + 1e-8)


def trained(w, rate):
    opt = Adam()
    for _ in range(15):
        w = opt.step(w, rate * X.T @ (X @ w - 1.0))
    return np.mean((X @ w - 1.0) ** 2)


def smoothed(x):
    before, total = None, 0.0
    for k in range(40):
        y = np.sin(x * (1.0 + 0.1 * k))
        if before is not None:
            total += np.sum((y - before) ** 2)
        before = y
    return total


def either(x, is_large):
    y = x * 2.0 if is_large > 0.5 else np.sqrt(x)
    z = None if is_large > 2.0 else y
    return np.sum(y * y) if z is None else np.sum(z)


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (epidemic, (0.9, 0.2)), (until, (2.0, 0.8)), (grid, (0.7, 2.0)), (interpolated, ([0.0, 1.0, -0.5, 0.3], 0.9)),
        (arcs, ([0.0, 1.0, 2.5], [0.3, 1.1, 0.7])), (returns, (1000.0, 3.0, 0.2)), (folded, (4.0,)),
        (folded, (np.float64(4.0),)), (trained, (np.array([1.0, -2.0]), 0.5)), (smoothed, (np.linspace(0.1, 1.0, 9),)),
        (smoothed, (np.linspace(0.1, 1.0, 3),)), (either, (np.linspace(0.1, 1.0, 9), 1.0)),
        (either, (np.linspace(0.1, 1.0, 9), 0.1)), (either, (np.linspace(0.1, 1.0, 9), 3.0)),
    ],
)  # fmt: skip
def test_programs_are_static(f, args):
    check_static(f, args) if f is not either else check_tiers(f, args)


def test_other_lengths_are_left_to_the_eager_tier():
    for x in (2.0, 1.0, 4.0, 2.0):
        eager, static = found_by("eager", until, (x, 0.7)), found_by("static", until, (x, 0.7))
        assert static.value == eager.value
        assert np.allclose(static.gradient, eager.gradient, rtol=1e-12)


def test_integers_of_integers_stay_integers():
    def f(n):
        return np.sum(np.asarray(n).flatten() ** 2) * 0.5

    for n in (3, 3.0):
        assert repr(found_by("static", f, (n,))) == repr(found_by("eager", f, (n,)))


class Holder:
    def __init__(self, xs):
        self.xs = xs


def by_the_object(x):
    xs = [x, 2.0, 3.0]
    h = Holder(xs)
    h.xs[1] = x * x
    return sum(xs)


def by_the_variable(x):
    xs = [x, 2.0, 3.0]
    h = Holder(xs)
    xs[1] = x * x
    return sum(h.xs)


def by_a_callee(x):
    def change(ys):
        ys.append(x * x)

    xs = [x, 2.0, 3.0]
    h = Holder(xs)
    change(h.xs)
    return sum(xs)


def of_two(x):
    xs = [x, 2.0, 3.0]
    h, g = Holder(xs), Holder(xs)
    return x * x if h.xs is g.xs else x


class Kept:
    def __init__(self):
        self.last = None


def kept_array(x):
    k = Kept()
    for i in range(20):
        y = x * float(i)
        if k.last is not None:
            y = y + k.last
        k.last = y
        y[0] = 1.0
    return np.sum(k.last) + np.sum(y)


def kept_in_place(x):
    before, y = None, x * 1.0
    for _ in range(20):
        if before is not None:
            before += 0.1 * y
        before = y
    return np.sum(before * y)


@pytest.mark.parametrize("f", [by_the_object, by_the_variable, by_a_callee, of_two])
def test_lists_of_several_names(f):
    assert repr(found_by("static", f, (0.7,))) == repr(found_by("eager", f, (0.7,)))


@pytest.mark.parametrize("f", [kept_array, kept_in_place])
@pytest.mark.parametrize("n", [3, 12])
def test_arrays_of_several_names(f, n):
    x = np.linspace(0.1, 0.9, n)
    eager, static = found_by("eager", f, (x,)), found_by("static", f, (x,))
    assert static.value == eager.value
    assert np.allclose(static.gradient[0], eager.gradient[0], rtol=1e-12)


def test_what_raises_after_a_while_raises():
    with morula.tier("static"), pytest.raises(ValueError, match="not enough cash for b"):
        morula.gradient(returns, 35.0, 3.0, 0.2)
    assert record_of(returns).all_pairs


class Flow:
    def __init__(self, source, target, rate):
        self.source, self.target, self.rate = source, target, rate


class Compartment:
    def __init__(self, value):
        self.value = value


def flows(beta, gamma):
    parts = {"s": Compartment(0.9), "i": Compartment(0.1), "r": Compartment(0.0)}
    every = [Flow("s", "i", lambda c: beta * c["s"].value * c["i"].value), Flow("i", "r", gamma)]
    history, total, t = defaultdict(list), defaultdict(float), 0.0
    while t < 2.0:
        steps = [f.rate(parts) if callable(f.rate) else f.rate * parts[f.source].value for f in every]
        for f, step in zip(every, steps, strict=True):
            parts[f.source].value -= 0.1 * step
            parts[f.target].value += 0.1 * step
        for name, part in parts.items():
            history[name].append(part.value)
            total[name] += part.value
        t += 0.1
    return history["r"][-1] + max(history["i"]) + total["s"] * 0.1


def patches(c, e):
    near = {"a": ["b", "c"], "b": ["a"], "c": ["a", "d"], "d": ["c"]}
    p = {k: 0.1 * (i + 1) for i, k in enumerate(sorted(near))}
    for _ in range(100):
        new = {}
        for k, others in near.items():
            new[k] = p[k] + 0.1 * (c * sum(p[n] for n in others) * (1 - p[k]) - e * p[k])
        p = new
    return sum(p.values()) + p["b"]


def lagged(r, b, lag=5):
    before = deque([0.5] * lag, maxlen=lag)
    n = total = 0.5
    for _ in range(30):
        n = n * math.exp(0.1 * r * (1 - b * before[0]))
        before.append(n)
        total += n
    return total


def levinson(r):
    p = len(r) - 1
    a, e = np.zeros(p + 1), r[0]
    a[0] = 1.0
    for i in range(1, p + 1):
        k = -np.dot(a[:i], r[i:0:-1]) / e
        a[1 : i + 1] = a[1 : i + 1] + k * a[i - 1 :: -1][:i]
        e *= 1 - k**2
    return e + a.sum()


def masked(x):
    scores = np.outer(x, x)
    mask = np.triu(np.ones_like(scores), k=1).astype(bool)
    scores = np.where(mask, -1.0, scores)
    w = np.array(x, copy=True)
    w -= 0.1 * w
    assert np.isclose(w[0], 0.9 * x[0], atol=1e-6) and np.allclose(1.0, 1.0)
    return np.sum(scores) + np.sum(w**2)


def layers(ws, bs):
    def net(h):
        for i, (w, b) in enumerate(zip(ws, bs, strict=True)):
            h = h @ w + b
            if i < len(ws) - 1:
                h = np.tanh(h)
        return h

    h = np.array([1.0, -0.5])
    for _ in range(5):
        h = h + 0.1 * net(h)
    return h @ h


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (flows, (0.5, 0.2)), (patches, (0.4, 0.1)), (lagged, (1.0, 0.3)), (levinson, (np.array([1.0, 0.5, 0.2, 0.1]),)),
        (masked, (np.linspace(0.2, 1.0, 9),)), (layers, ([X[:2], X[2:4] * 0.5], [np.zeros(2), np.ones(2)])),
    ],
)  # fmt: skip
def test_more_programs_are_static(f, args):
    check_static(f, args) if f is not layers else check_tiers(f, args)


def counted_keys(x):
    found = defaultdict(float)
    for i in range(3):
        if x > 0.5 * i:
            found["much"] += x
    return x * len(found) + found["much"]


def keys_later(x):
    found, names = defaultdict(list), []
    for i in range(100):
        found["first" if i < 50 else "second"].append(x * i)
        names.append(1.0 * ("second" in found))
    return sum(names) + found["second"][3]


@pytest.mark.parametrize("f", [counted_keys, keys_later])
@pytest.mark.parametrize("x", [0.7, -0.5])
def test_keys_of_dicts_with_defaults(f, x):
    assert repr(found_by("static", f, (x,))) == repr(found_by("eager", f, (x,)))


def order_of_keys(x):
    p = {"b": 0.1 * x, "a": 1e16, "c": -1e16}
    for _ in range(100):
        p = {"a": p["a"], "c": p["c"], "b": p["b"] * 1.01}
    return sum(p.values()) * x


def order_of_written_keys(x):
    p = {"b": 0.1 * x, "a": 1e16, "c": -1e16}
    for _ in range(100):
        new = {}
        for k in ("a", "c", "b"):
            new[k] = p[k] * 1.0
        p = new
    return sum(p.values()) * x


@pytest.mark.parametrize("f", [order_of_keys, order_of_written_keys])
def test_the_order_of_keys_shows(f):
    for _ in range(3):
        assert repr(found_by("static", f, (0.7,))) == repr(found_by("eager", f, (0.7,)))


def test_astype_to_integers_is_zero_and_not_absent():
    def f(x):
        return np.sum((x * 3.0).astype(int) * 0.5)

    x = np.linspace(0.2, 1.0, 9)
    assert repr(found_by("static", f, (x,))) == repr(found_by("eager", f, (x,)))


def queued(between, service):
    arrivals, served = list(itertools.accumulate(between)), iter(service)
    finish, waits = 0.0, []
    for a in arrivals:
        start = max(a, finish)
        waits.append(start - a)
        finish = start + next(served)
    return sum(waits) / len(waits) + finish


def paired(x, y):
    turns = iter([x, y, x * y])
    first = next(turns)
    return first * next(turns) + 2.0 * sum(turns) + next(iter((y,)), 0.0)


def valued(p, discount):
    memo = {}

    def value(n, k):
        if n == 0:
            return max(k - 2.0, 0.0) + 0.01 * k
        if (n, k) in memo:
            return memo[n, k]
        memo[n, k] = found = (p * value(n - 1, k + 1) + (1 - p) * value(n - 1, k - 1)) / discount
        return found

    return value(7, 3) + len(memo)


def spread(x):
    found = []
    while x > 0.2:
        found.append(x)
        x *= 0.6
    return math.hypot(*found) + max(*found, 0.1)


def extremes(x):
    return max(x) * min(x * x) + max(x[1:3])


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (queued, ([0.5, 0.7, 0.2, 1.1, 0.4], [0.6, 0.65, 0.3, 0.5, 0.9])), (paired, (0.7, 0.4)), (valued, (0.3, 1.1)),
        (spread, (1.3,)), (extremes, (np.array([0.3, 1.2, -0.4, 0.8]),)), (extremes, (np.linspace(-0.5, 1.0, 11),)),
    ],
)  # fmt: skip
def test_iterators_and_notes(f, args):
    check_static(f, args)


def exhausted(x):
    turns = iter([x, x * x])
    total = 0.0
    for _ in range(40):
        try:
            total += next(turns)
        except StopIteration:
            break
    return total


def changed_meanwhile(x):
    xs = [x, x * x, 0.5]
    turns = iter(xs)
    first = next(turns)
    xs[1] = 7.0 * x
    xs.append(x)
    return first + next(turns) + sum(turns)


def after_a_break(x):
    turns = iter([x, 2.0 * x, 3.0 * x])
    for v in turns:
        if v > 0.0:
            break
    return next(turns) * v


@pytest.mark.parametrize("f", [exhausted, changed_meanwhile, after_a_break])
def test_iterators_that_end_or_go_on(f):
    assert repr(found_by("static", f, (0.7,))) == repr(found_by("eager", f, (0.7,)))


WAYS = {"plain": lambda x: 2.0 * x, "square": lambda x: x * x}


def by_views(x, ways=None):
    every = WAYS.values() if ways is None else [WAYS[name] for name in ways]
    d = {"a": x, "b": 2.0}
    values, items = d.values(), d.items()
    d["b"] = x * x
    d["c"] = 0.5 * x
    return sum(f(x) for f in every) + sum(values) * sum(v for k, v in items if k != "a") + sum(values)


def made_anew(x):
    w = [x]
    for i in range(4):
        w.append(x * i)
    w = np.array([w])
    w = w.reshape(-1)
    w = np.tanh(w * 0.5)
    return np.sum(w**2) + w[1]


@pytest.mark.parametrize("f", [by_views, made_anew])
def test_views_of_dicts_and_names_for_several_things(f):
    check_static(f, (0.7,))


def either_of_two(x, y, t):
    z = x if t > 0.5 else y
    return np.sum(z * z) + z[0] * t + np.sum(x * y)


@pytest.mark.parametrize("n", [3, 12])
@pytest.mark.parametrize("t", [0.2, 0.9])
def test_one_of_two_arrays(n, t):
    check_tiers(either_of_two, (np.linspace(0.1, 0.9, n), np.linspace(1.0, 2.0, n), t))


def of_numbers(x):
    y = np.sin(x)
    return (np.real(x), np.real(y), np.clip(x, 0.0, 1.0), np.round(y, 2))


def test_numbers_that_functions_of_arrays_give_have_the_type_that_they_have():
    for i in range(4):

        def f(x, i=i):
            return of_numbers(x)[i] * 1.0

        for x in (0.7, np.float64(0.7)):
            assert repr(found_by("static", f, (x,))) == repr(found_by("eager", f, (x,)))


def shapes(x):
    n = 3
    y = np.tile(x, (n, 1)) * np.ones((n, len(x)))
    return (
        np.sum(np.broadcast_to(x, (n, len(x))) * y)
        + np.percentile(x, [25, 50])[1]
        + np.interp(0.3, [0.1, x[1]], [x[0], 2.0])
    )


def test_shapes_and_places_are_no_arrays():
    check_tiers(shapes, (np.linspace(0.1, 0.9, 9),))


def product(a, b):
    return [[sum(u * v for u, v in zip(row, column)) for column in zip(*b)] for row in a]  # noqa: B905


def with_rows_swapped(m):
    m[0], m[1] = m[1], m[0]
    k = product(m, m)
    return sum([sum(row) for row in k]) + k[0][0] * k[-1][1]


def with_a_row_moved(m):
    row = m.pop()
    m.insert(0, row)
    return sum([sum(row) for row in product(m, m)]) + m[0][0] * m[-1][1]


def with_more_rows(m):
    m += [[0.5, -0.3, 0.2]]
    m[0][0] = 2.0 * m[0][0]
    return sum([sum(row) for row in product(m, turned(m))])


def turned(a):
    return [[a[j][i] for j in range(len(a))] for i in range(len(a[0]))]


@pytest.mark.parametrize("f", [with_rows_swapped, with_a_row_moved, with_more_rows])
def test_a_run_for_a_number_changes_no_argument(f):
    rows = [[-0.618, 0.997, 0.216], [-0.145, -0.191, 0.593], [-0.441, -0.907, 0.931]]
    m = deepcopy(rows)
    wanted = f(deepcopy(rows))
    for tier in ("static", "eager"):
        with morula.tier(tier):
            value, m_bar = morula.value_and_grad(f)(m)
        assert m == rows
        assert value == wanted
        np.testing.assert_allclose(m_bar, by_differences(f, rows), rtol=1e-6, atol=1e-8)


def by_differences(f, rows, h=1e-6):
    found = deepcopy(rows)
    for i, row in enumerate(rows):
        for j in range(len(row)):
            sides = []
            for sign in (h, -h):
                moved = deepcopy(rows)
                moved[i][j] += sign
                sides.append(f(moved))
            found[i][j] = (sides[0] - sides[1]) / (2 * h)
    return found
