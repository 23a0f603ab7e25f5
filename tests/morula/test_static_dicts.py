"""Static adjoints of dicts with defaults and their methods, of texts that are known, and of generators handed on."""

import math
import sys
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import pytest
from static_checks import check_programs, check_static, found_by

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests.fuzz import plain_dicts

OPERATIONS = {"+": lambda a, b: a + b, "*": lambda a, b: a * b, "-": lambda a, b: a - b}


def grouped(mu, s):
    sums, counts = defaultdict(float), Counter()
    for k, v in [("a", 1.0), ("b", 2.0), ("a", 3.0), ("c", 0.5), ("b", 1.5)]:
        sums[k] += (v - mu) ** 2 / s
        counts[k] += 1
    return sum(sums[k] / counts[k] for k in sums) + math.log(s) * (len(counts) + counts["z"])


def grouped_lists(x):
    groups, others = {}, defaultdict(list)
    for i in range(9):
        groups.setdefault(i % 3, []).append(x * i)
        others[i % 2].append(x + i)
    return sum(sum(g) ** 2 / len(g) for g in groups.values()) + sum(others[1]) * len(others)


def changed(x):
    d = {"a": x}
    d.setdefault("b", 2 * x)
    d.setdefault("a", 5.0)
    d.update({"c": x * x}, e=1.0)
    v = d.pop("b") * d.pop("z", 3.0)
    return v * d["a"] + d["c"] * d["e"] + sum(d.values()) + max(d.values())


def spelled(x):
    total, rates = 0.0, dict(zip("abc", (x, x * x, 1.0), strict=True))
    for c in "abca":
        total += rates[c]
    for word in "a b a".split():
        total += rates[word] * len(word.upper())
    return total


def calculator(x, y):
    stack = []
    for token in "x y + x * y y * - x +".split():
        if token in OPERATIONS:
            b, a = stack.pop(), stack.pop()
            stack.append(OPERATIONS[token](a, b))
        else:
            stack.append({"x": x, "y": y}[token])
    return stack[0]


def sampled(n, w):
    for i in range(n):
        yield math.sin(w * i)


def smooth(values, alpha):
    s = 0.0
    for v in values:
        s = alpha * v + (1 - alpha) * s
        yield s


def doubled(values):
    for v in values:
        yield 2 * v


def pipeline(w, alpha):
    raw = sampled(12, w)
    return sum(v * v for v in smooth(raw, alpha)) + list(smooth(doubled(sampled(3, w)), alpha))[-1]


def of_one_list(x):
    shared = dict.fromkeys("ab", [1.0, x])  # noqa: RUF024 - one list that the dict has twice
    arrays = dict.fromkeys("ab", 0.5)
    shared["a"].append(x * x)
    shared["b"][0] = x
    arrays["a"] += x
    return sum(shared["a"]) * 2 + sum(shared["b"]) * len(shared["b"]) + arrays["a"] * arrays["b"]


PROGRAMS = [(of_one_list, (0.7,)), (grouped, (1.2, 0.7)), (grouped_lists, (0.7,)), (changed, (0.7,)), (spelled, (0.7,)),
            (calculator, (1.2, 0.7)), (pipeline, (0.3, 0.2))]  # fmt: skip


@pytest.mark.parametrize("f, args", PROGRAMS, ids=lambda x: getattr(x, "__name__", ""))
def test_dicts(f, args):
    check_static(f, args)


def test_arrays_that_a_dict_has_by_several_keys():
    def of_one_array(x):
        held = dict.fromkeys("ab", np.array([x, 1.0]))
        held["a"][0] = 5.0 * x
        held["b"] *= 2.0
        return held["a"].sum() + held["b"].sum()

    assert found_by("static", of_one_array, (0.7,)) == found_by("eager", of_one_array, (0.7,))


def test_generators_that_are_spent():
    def twice(x):
        raw, t = sampled(4, x), 0.0
        for v in raw:
            t += v
        for v in raw:
            t += 10 * v
        return t

    def by_and_by(x):
        raw, t = sampled(4, x), 0.0
        for i in range(3):
            for v in raw:
                t += v * i
                break
        return t

    for f in (twice, by_and_by):
        assert found_by("static", f, (0.7,)) == found_by("eager", f, (0.7,))


def test_dicts_with_defaults_are_of_their_classes():
    def f(x):
        d = defaultdict(float)
        return x if isinstance(d, defaultdict) else 2 * x

    def g(x):
        c = Counter()
        c.update({"a": 1})
        c.update({"a": 2})
        return x * c["a"]

    def h(x):
        d = {}
        d["a"] = x
        return d["b"]

    for each in (f, g, h):
        assert found_by("static", each, (0.7,)) == found_by("eager", each, (0.7,))


def test_random_programs_of_dicts():
    check_programs(plain_dicts.DictWriter, range(30), 12)
