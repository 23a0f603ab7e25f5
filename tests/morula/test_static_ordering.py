"""Sorting of tuples, objects and dicts, and the largest and smallest of them, in the static tier."""

import itertools
import sys
from collections import namedtuple
from dataclasses import dataclass

import numpy as np
import pytest
from static_checks import alike, check_programs, check_static, found_by
from tests.fuzz.plain_records import RecordsWriter

import morula

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

X = np.array([0.3, 0.9, 0.1, 0.6])
# From Python 3.12 on, sums of floats are compensated and those of NumPy's numbers are not: the latter stay eager.
taken = np.copy if sys.version_info < (3, 12) else np.ndarray.tolist
Entry = namedtuple("Entry", "name score weight")


@dataclass
class Individual:
    genes: float
    fitness: float
    tag: str = "a"


def pairs(x):
    return sum(v * (k + 1) for v, k in sorted((v * (1 + 0.1 * i), i) for i, v in enumerate(x)))


def by_name(x):
    ranked = sorted(zip(["a", "b", "c", "d"], x, strict=True), key=lambda p: -p[1])
    return ranked[0][1] * 2 + ranked[1][1] * (ranked[0][0] == "b")


def records(x):
    items = [{"id": i, "s": v * (1 + 0.1 * i)} for i, v in enumerate(x)]
    items.sort(key=lambda d: d["s"], reverse=True)
    return sum(d["s"] / (r + 1) * d["id"] for r, d in enumerate(items[:3]))


def entries(x):
    given = [Entry("u", x[0], 1.0), Entry("v", x[1], x[2]), Entry("w", x[2], x[3])]
    total = 0.0
    for k, t in enumerate(sorted(given, key=lambda t: (t.score, t.name))):
        total += t.score * t.weight * (k + 1)
        if t.name == "v":
            total += x[3]
    return total


def evolved(x):
    people = [Individual(v, v**2 - v) for v in x]
    for _ in range(3):
        best = sorted(people, key=lambda p: p.fitness)[:2]
        people = best + [Individual(p.genes * 1.1, p.fitness * 0.9) for p in best]
    people.sort(key=lambda p: p.genes)
    return sum(p.genes * p.fitness * (i + 1) for i, p in enumerate(people))


def points(x):
    found = [(x[0], x[1]), (x[1], x[2]), (x[2], x[0])]
    found.sort()
    return sum(x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in itertools.pairwise(found))


def between_equals(x):
    found = sorted([(1.0, x[1]), (1.0, x[2]), (1.0, x[0])], key=lambda p: (p[0], -p[1]))
    return found[0][1] * 2 + found[2][1]


def foremost(x):
    largest = max([(v, i) for i, v in enumerate(x)])
    smallest = min([(v * v, v) for v in x])
    items = {"a": x[0], "b": x[1], "c": x[2]}
    best = sorted(items.items(), key=lambda kv: kv[1], reverse=True)
    return largest[0] * largest[1] + smallest[0] + best[0][1] * 3 + best[1][1]


PROGRAMS = [pairs, by_name, records, entries, evolved, points, between_equals, foremost]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_in_order(f):
    check_static(f, (taken(X),))
    with morula.tier("static"):
        for x in (taken(X[::-1]), taken(np.array([0.5, 0.5, 0.2, 0.5]))):
            found = morula.withgradient(f, x)
            assert repr(found.value) == repr(f(x))
            assert alike(found.gradient, found_by("eager", f, (x,)).gradient)


def written_after(x):
    people = [Individual(v, v**2 - v) for v in x]
    ranked = sorted(people, key=lambda p: p.fitness)
    ranked[0].genes = 5.0
    people[1].fitness = 3.0
    return sum(p.genes for p in people) + sum(p.fitness * (i + 1) for i, p in enumerate(ranked)) + x[0]


def with_a_nan(x):
    found = sorted([(x[0], x[1]), (x[2] - x[2] + float("nan"), x[3]), (x[1], x[0])])
    return found[0][1] + 2 * found[1][1] + 3 * found[2][1]


@pytest.mark.parametrize("f", [written_after, with_a_nan], ids=lambda f: f.__name__)
def test_what_is_left_to_the_eager_tier(f):
    with morula.tier("static"):
        for _ in range(2):
            assert alike(morula.gradient(f, X), found_by("eager", f, (X,)).gradient)


@pytest.mark.parametrize("start", [0, 6])
def test_random_programs(start):
    """Programs of records, random numbers and calls of libraries: no wrong one, and some that are compared."""
    pytest.importorskip("scipy")
    check_programs(RecordsWriter, range(start, start + 6), 0)


class Item:
    def __init__(self, name, value):
        self.name, self.value = name, value


def first_of_generators(x):
    rows = [{"n": n, "v": v} for n, v in zip("abcd", x, strict=True)]
    grid = np.linspace(0.0, 3.0, 40)
    i = next(i for i, g in enumerate(grid) if g > x[0])
    found = next(r["v"] for r in rows if r["n"] == "c") + next((r["v"] for r in rows if r["n"] == "z"), x[1])
    return found + grid[i] * x[1] + next((k for k in range(50) if x[0] * k > 3.05), 50) * x[2]


def first_calls_nothing_more(x):
    seen = []

    def noted(v):
        seen.append(1)
        return v * 2

    rows = [{"v": v} for v in x]
    return next(noted(r["v"]) for r in rows) + len(seen) * x[1]


def first_of_a_list(x):
    values, t = [x[k % 4] * k for k in range(30)], 0.0
    for j in range(14):
        t += next((v for v in values if v > j * 0.517), -1.0)
    return t


def best_of_pairs(x):
    value, k = max((v * k, k) for k, v in enumerate(x))
    low, j = min((np.sin(v), j) for j, v in enumerate([x[0], x[1], x[2]]))
    place, largest = max(enumerate(x), key=lambda pair: pair[1])
    return value * k + low * j + place * largest


def best_of_records(x):
    rows = [{"n": n, "v": v} for n, v in zip("abcd", x, strict=True)]
    items = [Item(n, v) for n, v in zip("abcd", x, strict=True)]
    by_name = {item.name: item for item in items}
    best = max(items, key=lambda item: item.value)
    return max(rows, key=lambda r: r["v"])["v"] + best.value * by_name["b"].value * (2.0 if best.name == "b" else 3.0)


def pairs_of_an_array(x):
    t = sum(a * b for a, b in itertools.combinations(x, 2))
    for (i, a), (j, b) in itertools.combinations(enumerate(x), 2):
        t += (i + 1) * a * b * j
    for (i, a), b in zip(enumerate(x), reversed(x), strict=True):
        t += i * a * b
    return t


FIRST = [first_of_generators, first_calls_nothing_more, first_of_a_list, best_of_pairs, best_of_records,
         pairs_of_an_array]  # fmt: skip


@pytest.mark.parametrize("f", FIRST, ids=lambda f: f.__name__)
def test_first_ones_and_best_ones(f):
    check_static(f, (X,))
    check_static(f, (X[::-1] + 0.1,))


def test_a_first_one_that_is_not_there():
    def f(x):
        return next(v for v in [x, x * 2] if v > 5.0)

    check_static(f, (3.0,))
    for tier in ("eager", "static"):
        assert found_by(tier, f, (1.0,)) is StopIteration


def test_the_best_one_beside_a_nan():
    def f(x, y):
        return max([{"v": x}, {"v": y}, {"v": 0.3}], key=lambda r: r["v"])["v"]

    check_static(f, (0.8, 0.5))
    for args in ((float("nan"), 0.5), (0.5, float("nan"))):
        assert repr(found_by("static", f, args)) == repr(found_by("eager", f, args))
