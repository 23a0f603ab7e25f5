"""Arrays in lists that grow, in dicts with computed keys, in queues and in tuples, and what a variable hands on."""

import subprocess
import sys
from collections import defaultdict, deque

import numpy as np
import pytest
from static_checks import alike, check_static, found_by

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

A = np.arange(9.0).reshape(3, 3) * 0.1 + 0.1


def products(x, y):
    found = [A * x]
    for i in range(5):
        found.append(found[-1] @ found[i] * 0.5)
    return found[0].sum() + found[-1][1, 2] * y + (found[1] * found[2]).sum()


def smoothed_backwards(x, y):
    found, a = [], A * x
    for _ in range(20):
        a = a @ A * 0.5
        found.append(a)
    for i in range(18, -1, -1):
        found[i] = found[i] + y * found[i] @ found[i + 1]
    return found[0].sum()


def stacked(x, y):
    rows = []
    for i in range(4):
        rows.append(A * x + i)
    all_of_them = np.array(rows)
    rows[0] = A * y
    return all_of_them[:, 1, 1].sum() + np.stack(rows).mean(axis=0)[0, 1] + np.vstack(rows)[4].sum()


def summed(x, y):
    found = [np.ones((2, 3)) * x]
    while found[-1].sum() > 1:
        found.append(found[-1] * 0.7)
    return len(found) * x + sum(found)[0, 1] * y


def by_pairs(x, y):
    found = {}
    for i in range(4):
        for j in range(2):
            found[i, j] = A * x * i + j * y
    return sum(found[i, 1].sum() * i for i in range(4))


def breadth_first(x, y):
    waiting, s = deque([A * x]), 0.0
    while waiting:
        a = waiting.popleft()
        if a.sum() < 10:
            waiting.append(a * 2)
            waiting.append(a @ A * y)
        else:
            s += a[0, 1]
    return s


def depth_first(x, y):
    waiting, s = [(A * x, 0)], 0.0
    while waiting:
        a, k = waiting.pop()
        s = s + a.sum() * k
        if k < 4:
            waiting.append((a * y, k + 1))
            waiting.append((a.T, k + 2))
    return s


def memoised(x, y):
    known = {}

    def at(n):
        if n in known:
            return known[n]
        found = A * x if n < 2 else at(n - 1) @ A * 0.3 + at(n - 2) * y
        known[n] = found
        return found

    return at(8).sum()


class Log:
    def __init__(self):
        self.rows, self.last = [], {}

    def add(self, a, k):
        self.rows.append(a)
        self.last[k] = a


def in_attributes(x, y):
    log, a = Log(), A * x
    for i in range(4):
        log.add(a * i, i % 2)
        a = a + y
    log.rows[0] = a
    return log.last[0].sum() * log.rows[3].sum() + log.rows[0][1, 1]


def of_truth_values(x, y):
    masks, c = [], np.arange(6).reshape(2, 3)
    for i in range(3):
        masks.append(c > i)
    return (np.where(masks[1], x, y) * c).sum()


def handed_on(x, y):
    a, b = A * x, A * y
    both = [a, b]
    for _ in range(3):
        for k in range(2):
            both[k] -= 0.1 * both[k]
    return both[0].sum() * both[1].sum()


def handed_on_each_time(x, y):
    kept = []
    for i in range(3):
        a = A * x * i
        only = [a]
        only[0] -= y
        kept.append(only[0])
    return kept[1].sum()


@pytest.mark.parametrize(
    "f",
    [
        products, smoothed_backwards, stacked, summed, by_pairs, breadth_first, depth_first, memoised, in_attributes,
        of_truth_values, handed_on, handed_on_each_time,
    ],
    ids=lambda f: f.__name__,
)  # fmt: skip
def test_arrays_in_containers(f):
    check_static(f, (1.3, 0.7))


# -- several names for one array --------------------------------------------------------------------------


def written_after_all(x, y):
    kept, a = [], A * x
    for _ in range(5):
        a *= 0.9
        kept.append(a)
    return kept[0].sum() * y


def written_by_loop(x, y):
    kept = [A * x * i for i in range(4)]
    for a in kept:
        a += y
    return kept[2].sum()


def written_in_list(x, y):
    kept = [np.outer([x, y], [i, 1.0]) for i in range(4)]
    b = kept[1]
    b[0, 0] = 7.0
    return kept[1].sum() + kept[2].sum() * x


def increased_in_dict(x, y):
    found = defaultdict(lambda: np.zeros((2, 2)))
    for i in range(6):
        found[i % 3] += np.ones((2, 2)) * x * i
    return found[1].sum() * y + found[2][0, 1]


def view_in_list(x, y):
    kept, a = [], A * x
    for _ in range(3):
        kept.append(a[:2])
    a[0, 0] = y
    return kept[0].sum()


def twice_in_list(x, y):
    a = A * x
    both = [a, a]
    both[0] -= y
    return both[1].sum()


def still_known(x, y):
    a = A * x
    b = a
    only = [a]
    only[0] -= y
    return b.sum()


def chained(x, y):
    a = b = A * x
    only = [a]
    only[0] -= y
    return b.sum()


def each_time_the_same(x, y):
    a, s = A * x, 0.0
    for _ in range(3):
        only = [a]
        only[0] -= y
        s += only[0].sum()
    return s


def of_callee(x, y):
    def lessened(m):
        only = [m]
        only[0] -= y
        return only[0].sum()

    a = A * x
    return lessened(a) + a.sum()


def repeated(x, y):
    kept = [A * x] * 3
    kept[0] += y
    return kept[1].sum()


@pytest.mark.parametrize(
    "f",
    [
        written_after_all, written_by_loop, written_in_list, increased_in_dict, view_in_list, twice_in_list,
        still_known, chained, each_time_the_same, of_callee, repeated,
    ],
    ids=lambda f: f.__name__,
)  # fmt: skip
def test_arrays_of_several_names(f):
    eager, static = (found_by(tier, f, (1.3, 0.7)) for tier in ("eager", "static"))
    assert repr(static.value) == repr(eager.value) == repr(f(1.3, 0.7))
    assert alike(static.gradient, eager.gradient)
    h = 1e-6
    slopes = [(f(1.3 + h, 0.7) - f(1.3 - h, 0.7)) / (2 * h), (f(1.3, 0.7 + h) - f(1.3, 0.7 - h)) / (2 * h)]
    assert np.allclose([g or 0.0 for g in static.gradient], slopes, rtol=1e-6, atol=1e-8)


OF_THE_USER = """
import numpy as np
import morula

A = np.arange(4.0).reshape(2, 2)

def program(x):
    rows = []
    for i in range(3):
        rows.append(A * x * i)
    return np.stack(rows).sum()

@morula.adjoint(np.stack)
def doubled(rows):
    return np.stack(rows), lambda y_bar: (list(2 * y_bar),)

found = {}
for tier in ("eager", "static"):
    with morula.tier(tier):
        found[tier] = [morula.gradient(program, 2.0) for _ in range(2)]
assert found["static"] == found["eager"] == [(36.0,)] * 2, found
"""


def test_a_rule_of_the_user_for_stacking_is_asked():
    """In a process of its own: adjoints of NumPy's functions are not taken back."""
    subprocess.run([sys.executable, "-c", OF_THE_USER], check=True)
