"""Static adjoints of lists that grow, shrink and are joined, and of lists of rows, whose rows change places."""

import math
import sys
from collections import deque
from copy import deepcopy
from pathlib import Path

import numpy as np
import pytest
from scipy import special
from static_checks import alike, check_programs, check_static, found_by

import morula
from morula.static.python.pairs import INTERNAL, record_of

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests.fuzz import plain_lists

POINTS = [(0.0, 0.5), (1.0, 2.0), (3.0, 3.0), (4.0, 1.0)]


def stack(x):
    s = []
    for i in range(20):
        s.append(x * i)
        if i % 3 == 2:
            a = s.pop()
            s.append(a * s.pop() + 0.1)
    return sum(s)


def queue(x):
    q, t = [x, 2 * x, x * x], 0.0
    for i in range(25):
        v = q.pop(0)
        t += v * math.sin(v)
        q.append(v * 0.9 + 0.01 * i)
    return t + sum(q)


def shifted(x):
    q = [x, 2 * x, x * x]
    for _ in range(25):
        q.insert(0, 0.5 * q[0] + 0.1 * q[1])
        q.pop()
    return q[0] + q[2]


def from_the_middle(x):
    q = [x, x * x, 0.5, 3 * x]
    for i in range(3):
        q.append(q.pop(1) * q.pop(i % 2) + i)
    return sum(q)


def extended(x):
    q = []
    for i in range(12):
        q += [x * i, x + i]
        q.extend((x, 0.5))
    q += q[:3]
    return sum(v * v for v in q)


def joined(x):
    a = [x] * 4
    b = a + [1.0, x * x]
    b[2] = 5.0 * x
    c = b + a
    for i in range(4):
        c = c + [c[i] * c[-1]]
    return sum(c) + sum(b)


def relaxed(w):
    dist = [0.0] + [1e9] * 3
    for u, v, c in [(0, 1, w), (1, 2, 2.0), (0, 2, 3.0 * w), (2, 3, 1.0)]:
        if dist[u] + c < dist[v]:
            dist[v] = dist[u] + c
    return dist[3]


def pairs(x):
    q, t = [(0.1, x), (x, 0.3)], 0.0
    for _ in range(20):
        a, b = q.pop(0)
        t += a * b
        q.append((b * 0.5, a + 0.1))
    return t


def swapped(x):
    m = [[x * (i + 2 * j) for j in range(i + 1)] for i in range(11)]
    for i in range(10):
        if m[i][0] + i % 3 > m[i + 1][0] - 1:
            m[i], m[i + 1] = m[i + 1], m[i]
    r = m.pop()
    r[0] = 3 * x
    m.append(r)
    m[2] = [x, x * x]
    return sum(sum(v * v for v in row) for row in m)


def swapped_few(x):
    m = [[x, 1.0], [x * x, 2.0]]
    m[0][0] = 4 * x
    m[1], m[0] = m[0], m[1]
    return m[0][0] + 3 * m[1][0]


def determinant(a):
    n, m, d = len(a), [row[:] for row in a], 1.0
    for k in range(n):
        p = max(range(k, n), key=lambda i: abs(m[i][k]))
        if p != k:
            m[k], m[p] = m[p], m[k]
            d = -d
        d *= m[k][k]
        for i in range(k + 1, n):
            f = m[i][k] / m[k][k]
            for j in range(k, n):
                m[i][j] -= f * m[k][j]
    return d


def diffused(x):
    g = [[x * (i + j) for j in range(9)] for i in range(9)]
    for _ in range(3):
        new = [row[:] for row in g]
        for i in range(1, 8):
            for j in range(1, 8):
                new[i][j] = 0.25 * (g[i - 1][j] + g[i + 1][j] + g[i][j - 1] + g[i][j + 1])
        g = new
    return sum(sum(row) for row in g)


def times(a, b):
    out = [[0.0 for _ in range(len(b[0]))] for _ in range(len(a))]
    for i in range(len(a)):
        for j in range(len(b[0])):
            for k in range(len(b)):
                out[i][j] += a[i][k] * b[k][j]
    return out


def power(a):
    p = a
    for _ in range(4):
        p = times(p, a)
    return p[0][0] + sum(p[-1])


def along(t):
    total = 0.0
    for i in range(len(POINTS) - 1):
        (x0, y0), (x1, y1) = POINTS[i], POINTS[i + 1]
        total += t * (x1 - x0) + t * t * y0 * y1
    return total


def rows_of_few(x):
    """Rows that a loop goes through are those of the list."""
    m = [[x * (i + j) for j in range(3)] for i in range(3)]
    for row in m:
        row[0] += x
    return x * m[0][0] + sum([sum(row) for row in m])


def scale_row(row, v):
    row[0] *= v


def rows_of_names(x):
    m = [[x, 1.0], [x * x, 2.0]]
    r = m[1]
    r[1] += x
    scale_row(m[0], 3.0)
    n = [m[0], m[0], m[1]]
    n[0][0] += 4 * x
    n[2].append(x)
    return m[0][0] + 3 * n[1][0] + sum(m[1])


def rows_in_tuples(x):
    t = ([x], [2 * x])
    for r in t:
        r[0] *= x
    pairs = [(x, [1.0, x]), (2.0, [x, x])]
    for v, r in pairs:
        r[0] += v * x
    return t[0][0] + t[1][0] + pairs[0][1][0] * pairs[1][1][0]


def moving_average(gain, decay):
    window, y, loss = deque(maxlen=5), 0.0, 0.0
    for t in range(40):
        window.append(gain * math.sin(0.1 * t) + decay * y)
        y = sum(window) / len(window)
        loss += (y - 0.5) ** 2
    return loss


def emptied(x):
    q, t = deque([x, 2 * x, 0.5]), 0.0
    while q:
        v = q.popleft()
        t += v * v
        if v > 0.3 and len(q) < 5:
            q.append(v * 0.4)
            q.appendleft(v * 0.2)
    return t


class Controller:
    def __init__(self, k):
        self.k, self.past, self.recent, self.pairs = k, [], deque(maxlen=4), []

    def step(self, e):
        self.past.append(e)
        self.recent.append(e)
        self.pairs.append((e, len(self.past)))
        return self.k * sum(self.recent) / len(self.recent)


def controlled(k, x):
    c, log = Controller(k), {"x": [x]}
    for _ in range(20):
        log["x"].append(log["x"][-1] + 0.1 * c.step(1.0 - log["x"][-1]))
    return sum(e * e for e in c.past) + sum(e * n for e, n in c.pairs) + c.recent[0] * log["x"][-1]


def fill(lst, v, n):
    for i in range(n):
        lst.append(v + i)
    return len(lst)


def rows_of_two_lists(x):
    r = [x, 2.0]
    a, b = [], []
    for _ in range(10):
        a.append(r)
        b.append(r)
    row = a.pop()
    row[0] = x * x
    b[3][1] += row[0]
    return a[0][0] + b[5][1]


def filled(x):
    a = []
    n = fill(a, x, 10)
    n += fill(a, x * x, 3)
    return sum(a) * n


def of_two_names(x):
    a = b = []
    for i in range(10):
        a.append(x * i)
    b[0] = 5 * x
    return sum(a) + len(b)


def tree(x):
    st = [(x, 1)]
    t = 0.0
    while st:
        v, d = st.pop()
        t += v
        if d < 4:
            st.append((v * 0.5, d + 1))
            st.append((v * v, d + 1))
    return t


def rows_shared(x):
    g = [[0.0] * 3 for _ in range(3)]
    h = g
    k = [g[0], g[1], g[2]]
    g[0][0] = x
    k[1] = [x, x, x]
    h[1][1] = 2 * x
    k[1][0] = 7.0
    return g[0][0] + g[1][1] + k[0][0] * k[1][0] + g[1][0]


def repeated_row(x):
    g = [[x] * 3] * 3
    g[0][1] = 5 * x
    return g[2][1] + g[1][0]


def extended_name(x):
    a = [1.0, x]
    b = a
    a += [x * x]
    a = a + [3.0]
    b[0] = x
    return len(b) * b[2] + a[0] + b[0] + len(a)


def queue_of_two_names(x):
    q = deque([x, 2.0, 3.0 * x])
    r = q
    r.append(x)
    s = q.copy()
    s.popleft()
    return sum(q) + 2 * sum(s) + len(r)


def rotated(x):
    m = [[x, 1.0], [2.0, x]]
    for _ in range(9):
        m.append([m[-1][0] * 0.5 + x, m[-2][1]])
        m[0], m[-1] = m[-1], m[0]
    del_row = m.pop(2)
    return m[0][0] + m[-1][1] + del_row[0]


def rebound(x):
    p = [x * i for i in range(10)]
    q = p
    p = p + [x]
    p.insert(0, 4.0 * x)
    q[0] = 9 * x
    return p[0] + p[1] + q[0] + len(p)


def shortened(x):
    a = [x * i for i in range(10)]
    for i in range(len(a)):
        if a[i] > 2.0:
            a.pop()
            break
        a[i], a[-1] = a[-1], a[i]
    return a[0] + a[-1] * len(a)


MATRIX = [[math.sin(3.0 * i + j * j) + 2.0 * (i == j) for j in range(6)] for i in range(6)]
LARGE = [[math.cos(3.0 * i + j * j) for j in range(9)] for i in range(9)]
OF_ONE = [stack, queue, shifted, from_the_middle, extended, joined, relaxed, pairs, swapped, swapped_few,
          diffused, along, rows_of_few, rows_of_names, rows_in_tuples, rows_of_two_lists, filled, of_two_names,
          tree, rows_shared, repeated_row, extended_name, queue_of_two_names, rotated, rebound, shortened]  # fmt: skip
PROGRAMS = [*[(f, (0.7,)) for f in OF_ONE], (determinant, (MATRIX,)), (power, (LARGE,)),
            (moving_average, (1.0, 0.3)), (emptied, (0.7,)), (controlled, (0.4, 0.2))]  # fmt: skip


@pytest.mark.parametrize("f, args", PROGRAMS, ids=lambda x: getattr(x, "__name__", ""))
def test_lists(f, args):
    check_static(f, args)


def test_lists_that_loops_go_through_may_grow():
    def f(x):
        q = [x, 0.5]
        for v in q:
            if len(q) < 5:
                q.append(v * x)
        return sum(q)

    def g(x):
        q = [x, 0.5, 1.0]
        for _ in q:
            q.pop()
        return sum(q) * x

    for h in (f, g):
        assert found_by("static", h, (0.7,)) == found_by("eager", h, (0.7,))


def test_queues_are_no_lists():
    def sliced(x):
        q = deque([x, 0.5])
        return q[0:1][0]

    def joined(x):
        q = deque([x, 0.5])
        return ([x] + q)[0]

    def inserted(x):
        q = deque([x, 0.5], maxlen=2)
        q.insert(0, x)
        return q[0]

    def returned(x):
        return deque([x, 0.5])

    def changed(x):
        q = deque([x, 0.5, 1.0])
        for v in q:
            q.append(q.popleft() * v)
        return q[0]

    for f in (sliced, joined, inserted, changed):
        eager, static = found_by("eager", f, (0.7,)), found_by("static", f, (0.7,))
        assert isinstance(eager, type)
        assert static is eager
    with morula.tier("static"):
        assert type(morula.pullback(returned, 0.7)[0]) is deque


def test_tuples_are_no_lists():
    given = tuple([0.1 * k for k in range(12)])

    def copied(p):
        return p.copy()[0]

    def joined(p):
        return (p + [1.0])[0]

    def written(p):
        p[0] = 2.0
        return p[0] * p[1]

    def listed(p):
        q = list(p)
        q[0] = 3.0 * p[1]
        q.append(p[2])
        return sum(q) + q[0] * len(q + q)

    for f in (copied, joined, written):
        assert found_by("static", f, (given,)) is found_by("eager", f, (given,))
    eager, static = found_by("eager", listed, (given,)), found_by("static", listed, (given,))
    assert static.value == eager.value
    assert alike(static.gradient, eager.gradient)


def test_an_argument_of_rows_is_given_back():
    def f(a):
        for row in a:
            row[0] *= 2.0
        a[0], a[1] = a[1], a[0]
        return a[0][0] * a[1][0] + sum(a[-1])

    a = [row[:] for row in LARGE]
    eager, static = found_by("eager", f, (a,)), found_by("static", f, (a,))
    assert repr(eager) == repr(static)
    assert a == LARGE
    assert found_by("static", f, ([a[0], a[0], *a[2:]],)) is found_by("eager", f, ([a[0], a[0], *a[2:]],))


def test_random_programs_of_lists():
    check_programs(plain_lists.ListWriter, range(40), 15)


def read_by_two(rows):
    return rows[-1, 0] * 2.0


def written_by_two(x):
    rows = [[0.0] * 3 for _ in range(12)]
    for i in range(12):
        rows[i, 1] = x * i
    return rows[3][1]


def added_by_two(x):
    rows = [[x] * 3 for _ in range(12)]
    rows[0, 1] += x
    return rows[0][1]


def read_by_an_array(values):
    return sum(values[np.arange(2)])


@pytest.mark.parametrize(
    ("f", "x"), [(read_by_two, LARGE), (written_by_two, 0.7), (added_by_two, 0.7), (read_by_an_array, [0.5] * 12)]
)
def test_an_index_that_no_list_takes_is_an_error_in_all_tiers(f, x):
    for tier in ("eager", "static"):
        for _ in range(2):
            with morula.tier(tier), pytest.raises(TypeError):
                morula.gradient(f, x)


def with_note(x, notes):
    notes.append(x[0] * 2.0)
    notes[0] = 5.0
    return notes[-1] * notes[0] + x[1]


def with_rows(x, rows):
    for row in rows:
        row.append(x[0])
    return rows[0][-1] * rows[-1][0] + x[1]


def with_first(x, notes):
    notes[0] = x[1]
    return notes[0] * x[0] + sum(notes)


@pytest.mark.parametrize(("f", "notes"), [(with_note, [1.0]), (with_rows, [[1.0], [2.0]]), (with_first, [0.5, 2.0])])
def test_what_is_written_into_other_arguments_stays(f, notes):
    x = [0.7, 1.3]
    wanted, plainly = deepcopy(notes), [*x]
    f(plainly, wanted)
    for tier in ("eager", "static"):
        with morula.tier(tier):
            for _ in range(2):
                given = deepcopy(notes)
                morula.grad(f, 0)(x, given)
                assert given == wanted
                given = deepcopy(notes)
                morula.gradient(f, x, given)
                assert given == notes
                assert x == [0.7, 1.3]


def into_a_dict(x, notes):
    notes["first"] = x[0] * 2.0
    notes["n"] = 2
    return notes["first"] * x[1]


@pytest.mark.parametrize(
    ("f", "notes"),
    [(with_note, [1.0]), (with_rows, [[1.0], [2.0]]), (with_first, [0.5, 2.0]), (into_a_dict, {"first": 1.0, "n": 1})],
)
def test_pullback_leaves_arguments_as_the_program_does(f, notes):
    wanted = deepcopy(notes)
    f([0.7, 1.3], wanted)
    for tier in ("eager", "static"):
        with morula.tier(tier):
            for _ in range(2):
                given = deepcopy(notes)
                morula.pullback(f, [0.7, 1.3], given)
                assert given == wanted


def doubled(xs):
    s = 0.1 - np.mean(xs)
    xs = xs + xs
    xs = np.square(np.concatenate((special.xlogy(xs, 1.5)[:1], (s - xs)[1:])))
    return s + xs @ xs


def test_lists_that_are_joined_with_themselves():
    """How long such a list is does not depend on how long it is."""
    assert alike(found_by("static", doubled, ([0.4, -0.7],)), found_by("eager", doubled, ([0.4, -0.7],)))
    assert INTERNAL not in str(record_of(doubled).why)
