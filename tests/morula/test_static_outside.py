"""Static adjoints of programs that read dicts, lists and sets from outside at computed places."""

import heapq
import math
import sys
from collections import deque
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from static_checks import alike, check_static, found_by

import morula
from morula.static.python.pairs import record_of

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests.fuzz import plain, plain_outside

ROADS = {"a": [("b", 7.0), ("c", 9.1)], "b": [("a", 7.0), ("d", 15.0)], "c": [("d", 11.0), ("b", 1.3)], "d": []}
CODE = [("set", "i", 0), ("times", "s", 0), ("plus", "s", 1), ("count", "i", 0), ("again", "i", 6), ("end", "", 0)]
CHILDREN = {0: (1, 2), 1: (3, 4), 2: (5,), 3: (), 4: (), 5: ()}
WEIGHTS = {0: 1.0, 1: 2.0, 2: 0.5, 3: 3.0, 4: 1.5, 5: 0.7}
COSTS = [[4.0, 1.0, 3.0], [2.0, 0.5, 2.5], [3.0, 2.0, 1.0], [1.0, 4.0, 2.0]]
MAZE = ["..#.", "...#", "#...", "...."]
AROUND = {i: [(i - 1) % 6, (i + 1) % 6] for i in range(6)}


def shortest(x):
    dist, heap, done = {"a": 0.0}, [(0.0, "a")], set()
    while heap:
        d, u = heapq.heappop(heap)
        if u in done:
            continue
        done.add(u)
        for v, w in ROADS[u]:
            if v not in dist or d + w * x < dist[v]:
                dist[v] = d + w * x
                heapq.heappush(heap, (dist[v], v))
    return dist["d"]


def machine(x):
    registers, place = {"i": 0, "s": x}, 0
    while True:
        op, name, n = CODE[place]
        place += 1
        if op == "set":
            registers[name] = n
        elif op == "times":
            registers[name] = registers[name] * x * 0.9
        elif op == "plus":
            registers[name] = registers[name] + 0.1 * n
        elif op == "count":
            registers[name] = registers[name] + 1
        elif op == "again":
            place = 1 if registers[name] < n else place
        else:
            return registers["s"]


def heaviest(x):
    def best(u):
        if not CHILDREN[u]:
            return WEIGHTS[u] * x
        return WEIGHTS[u] + x * max(best(c) for c in CHILDREN[u])

    return best(0)


def cheapest(x):
    @cache
    def best(i, j):
        if i == len(COSTS) - 1:
            return COSTS[i][j] * x
        found = [best(i + 1, k) for k in (j - 1, j, j + 1) if 0 <= k < 3]
        return COSTS[i][j] + x * min(found)

    return min(best(0, j) for j in range(3))


def through_a_maze(x):
    dist, queue = {(0, 0): 0.0}, deque([(0, 0)])
    while queue:
        i, j = queue.popleft()
        for di, dj in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            a, b = i + di, j + dj
            if 0 <= a < 4 and 0 <= b < 4 and MAZE[a][b] != "#" and (a, b) not in dist:
                dist[a, b] = dist[i, j] + x * (1 + 0.1 * a)
                queue.append((a, b))
    return dist[3, 3]


def opinions(x):
    held = {i: math.sin(i + x) for i in range(6)}
    for _ in range(5):
        new = {}
        for i, v in held.items():
            new[i] = v + 0.3 * x * (sum(held[j] for j in AROUND[i]) / len(AROUND[i]) - v)
        held = new
    return sum(v * v for v in held.values())


def walk(x, n=5):
    u, s = "a", 0.0
    for i in range(n):
        steps = ROADS[u]
        if not steps:
            break
        v, w = steps[i % len(steps)]
        s = s * x + w
        u = v
    return s


@pytest.mark.parametrize("f", [shortest, machine, heaviest, cheapest, through_a_maze, opinions, walk])
def test_programs(f):
    check_static(f, (0.7,))


def agree(f, args):
    eager, static = found_by("eager", f, args), found_by("static", f, args)
    if isinstance(eager, type):
        assert static is eager
    else:
        assert repr(eager.value) == repr(static.value)
        assert alike(eager.gradient, static.gradient)


@pytest.mark.parametrize(
    "steps",
    [
        [("a", 2)], [("b", True)], [["b", 2.0]], (("b", 2.0),), [("b", 2.0, 3.0)], [("b", np.float64(2.0))],
        [("lost", 2.0)], [("b", None)], [], [("b", 0.5), ("c", 0.25), ("a", 2.0)], None, deque([("b", 0.5)]),
    ],
)  # fmt: skip
def test_other_contents(steps, monkeypatch):
    check_static(walk, (0.7,))
    monkeypatch.setitem(ROADS, "b", steps)
    agree(walk, (0.7,))
    monkeypatch.setitem(globals(), "ROADS", {"a": [("b", 1.5)], "b": [("c", 0.5), ("a", 2.0)], "c": [], "d": []})
    agree(walk, (0.7,))


NAMED = {"u": 0.5, "v": 1.5}
INNER = [0.5, 1.5]
OUTER = {0: INNER, 1: [2.0, 3.0]}


def by_name(p, x, i):
    s = 0.0
    for k in range(4):
        name = "uv"[(k + i) % 2]
        s = s * p[name] + NAMED[name] * x
    return s


def by_place(p, x, i):
    s = 0.0
    for k in range(3):
        s += OUTER[(k + i) % 2][0] * x * p[k % 2]
    return s


@pytest.mark.parametrize(
    ("f", "given"), [(by_name, [{"u": 0.2, "v": 0.3}, NAMED]), (by_place, [[0.1, 0.2], INNER, [0.1, 0.3], OUTER[1]])]
)
def test_arguments(f, given):
    """What an argument is, too, has the derivatives of the argument."""
    for p in given:
        found = []
        for tier in ("eager", "static"):
            with morula.tier(tier):
                found.append(morula.withgradient(f, p, 0.7, 1))
        assert repr(found[0].value) == repr(found[1].value)
        assert alike(found[0].gradient, found[1].gradient)
    assert any(pair.calls for pair in record_of(f).all_pairs), record_of(f).why


class Net:
    def __init__(self):
        self.w = {"a": [0.5, 0.2], "b": [1.0, 0.3]}
        self.hits = {"a": 0, "b": 0}

    def run(self, x, names):
        for name in names:
            x = math.tanh(self.w[name][0] * x + self.w[name][1])
        return x

    def counting(self, x):
        for i in range(3):
            self.hits["ab"[i % 2]] += 1
            x = x * self.w["ab"[i % 2]][0]
        return x


def test_attributes():
    net, names = Net(), ["a", "b", "b", "a", "b"]

    def f(x):
        s = 0.0
        for i in range(6):
            s += net.run(x + i, names[i % 3 :])
        return s

    check_static(lambda x: net.run(x, names), (0.3,))
    agree(f, (0.3,))
    net.w["a"][0] = 2
    agree(f, (0.3,))
    left = []
    for tier in ("eager", "static"):
        net.hits = {"a": 0, "b": 0}
        with morula.tier(tier):
            left.append((repr(morula.withgradient(net.counting, 0.7)), dict(net.hits)))
    assert left[0] == left[1]


@pytest.mark.parametrize("tier", ["eager", "static"])
def test_pullback_afterwards(tier):
    """A pullback that runs again takes what the containers were at the call."""
    table = {0: [0.5, 1.0], 1: [0.25]}

    def f(x, n):
        s = 0.0
        for i in range(4):
            for v in table[(i + n) % 2]:
                s = s * x + v
        return s, x * table[n % 2][0]

    with morula.tier(tier):
        _, back = morula.pullback(f, 0.7, 1)
        first = back((1.0, 1.0))
        table[0][0], table[1] = 9.0, [0.1, 0.2]
        assert repr(back((1.0, 1.0))) == repr(first)


def test_active_in_the_run_around():
    """A function reads a container into which the run that calls it has put a number with a derivative."""
    weights = {"a": 0.5, "b": 1.0}

    def weighted(x, i):
        return weights["ab"[i % 2]] * x

    def f(x):
        weights["a"] = x * x
        s = 0.0
        for i in range(40):
            s += weighted(x, i) * weighted(x, i + 1)
        weights["a"] = 0.5
        return s

    def g(x):
        s = 0.0
        for i in range(40):
            s += weighted(x, i)
        return s

    for h in (f, f, g, f, g, f):
        agree(h, (0.7,))


ROWS = [[0.4, 1.5, 0.1], [-0.3, 0.8, 0.6], [2.0, 0.2, 0.3]]


def writes_into_one(x, k):
    row = ROWS[k % 3]
    row[0] = 0.25
    return x * ROWS[k % 3][0] + row[1]


def adds_to_one(x, k):
    row = ROWS[k % 3]
    row += [0.25]
    return x * len(ROWS[k % 3])


def takes_from_one(x, k):
    row = ROWS[k % 3]
    del row[0]
    return x * row[0]


def sorts_one(x, k):
    ROWS[k % 3].sort(reverse=True)
    return x * ROWS[k % 3][0]


def sorts_a_copy(x, k):
    row = sorted(ROWS[k % 3])
    row.append(x)
    one = dict(enumerate(row))
    one[k] = x
    return x * row[0] + sum(one.values()) * ROWS[k % 3][0]


@pytest.mark.parametrize("f", [writes_into_one, adds_to_one, takes_from_one, sorts_one, sorts_a_copy])
@pytest.mark.parametrize("k", [0, 1])
def test_writes(f, k):
    found = []
    for tier in ("eager", "static"):
        ROWS[:] = [[0.4, 1.5, 0.1], [-0.3, 0.8, 0.6], [2.0, 0.2, 0.3]]
        with morula.tier(tier):
            for _ in range(2):
                found.append(repr(morula.withgradient(f, 0.7, k)))
            found.append(repr(ROWS))
    assert found[:3] == found[3:]
    ROWS[:] = [[0.4, 1.5, 0.1], [-0.3, 0.8, 0.6], [2.0, 0.2, 0.3]]


@pytest.mark.parametrize("seed", range(12))
def test_random_programs(seed):
    source, verdict = plain.check(38000 + seed, plain_outside.OutsideWriter)
    assert verdict.kind in ("right", "refused", "skipped"), f"{verdict.message}\n{source}"


WAYS = {0: [(0.5, 1), (1.0, 2)], 1: [(0.2, 0), (1.0, 2)], 2: [(0.7, 0), (1.0, 1)]}


def along_ways(w):
    s, total = 0, 0.0
    for k in range(10):
        for p, following in WAYS[s]:
            if p > 0.6 or k % 2:
                s = following
                total += p * math.sin(w[0] * k) * w[1] ** 2 + len(WAYS[s])
                break
    return total


def several(w):
    return np.array([along_ways(w), w[0] * WAYS[1][0][0]])


def by_rounded(w):
    table = {0: 0.5, 1: w[1], 2: 0.25}
    return table[round(w[0])] * w[0]


def rounded_outside(w):
    return sum(p for p, _ in WAYS[round(w[0])]) * w[0] * w[1] + WAYS[int(w[1]) % 3][0][0] * w[1] ** 2


@pytest.mark.filterwarnings("default")  # the eager tier answers where those about NumPy's numbers are errors
@pytest.mark.parametrize("f", [along_ways, by_rounded, rounded_outside])
def test_other_verbs(f):
    w, v = np.array([0.3, 0.8]), np.array([0.5, -1.0])
    calls = {
        "tangent": lambda: morula.jvp(f, (w,), (v,)), "product": lambda: morula.hvp(f, w, v),
        "hessian": lambda: morula.hessian(f, w),
    }  # fmt: skip
    found = {}
    for tier in ("eager", "static", "static"):  # rules may be loaded meanwhile, which has all texts made anew
        with morula.tier(tier):
            found[tier] = [call() for call in calls.values()]
    for one, other in zip(*found.values(), strict=True):
        np.testing.assert_allclose(np.hstack(one), np.hstack(other), rtol=1e-12, atol=1e-14)
    if f is along_ways:
        for verb in ("tangent", "product"):
            assert any(pair.calls for pair in record_of(f, verb).all_pairs), (verb, record_of(f, verb).why)


def test_jacobian():
    w = np.array([0.3, 0.8])
    with morula.tier("eager"):
        (expected,) = morula.jacobian(several, w)
    with morula.tier("static"):
        (found,) = morula.jacobian(several, w)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
