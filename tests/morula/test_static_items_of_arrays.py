"""Static adjoints of programs that take arrays apart: as lists, tuples and arguments; and unions of dicts."""

import math
from collections import deque

import numpy as np
import pytest
from static_checks import check_static, found_by

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def swapped(a):
    b = list(a)
    for _ in range(20):
        b[0], b[1] = b[1], b[0]
        b[2] -= 0.1 * b[0]
    return sum(b)


def to_list(a):
    b = a.tolist()
    for k in range(20):
        b[k % 4] -= 0.1 * b[0]
    return sum(x * x for x in b)


def grown(a):
    b = (a * 2).tolist()
    c = b
    c.append(a[0])
    t = 0.0
    for x in b:
        t += x
    return t * len(b) + b[-1]


def lists_of_lists(a):
    out = []
    for k in range(5):
        out.append((a * k).tolist())
    return sum(sum(row) for row in out) + out[2][1]


def sorted_items(a):
    return sum(x * w for x, w in zip(sorted(a, reverse=True), sorted(a * a, key=lambda x: -x), strict=True))


def taken_before_a_write(a):
    u = a.copy()
    b, c, d = u.tolist(), list(u), tuple(u)
    u[0] = 5.0
    return b[0] + c[0] * 2 + d[0] * d[1] + u[0]


def of_integers(a):
    i = list(a * 0 + 1.0)
    return np.array(i) @ np.array(a.tolist())


def scaled(x, *rest, k=1.0):
    return x * sum(rest) * k


def as_arguments(a):
    return scaled(*a) + scaled(*a[1:], k=a[0]) + scaled(*(a * 2), *a[:2]) + scaled(*np.abs(a[:3]))


def beside_known_things(a):
    t = 0.0
    for k in range(15):
        for q, (d, w) in zip(a + 0.1 * k, [(0.3, 0.0), (0.0, 0.5), (0.0, 0.4), (0.1, 0.1)], strict=True):
            t += math.sin(q + d) * w
    for i, (row, w) in enumerate(zip(a.reshape(2, 2) * 2, (1.0, 2.0), strict=True)):
        t += w * row.sum() * i
    return t


def beside_known_things_with_effects(a):
    net, t = [], 0.0
    for line, k in zip(["a+b", "c", "b"], a, strict=False):
        net.append((line.split("+"), k * k))
    for names, k in net:
        t += k * len(names)
    return t


def rows_written_meanwhile(a):
    u, t = a.copy(), 0.0
    for x, w in zip(u, [1.0, 2.0, 3.0, 4.0], strict=True):
        u[1:] = u[1:] * 0.5
        t += x * w
    return t


def items_written_meanwhile(a):
    u, t = a.copy(), 0.0
    for x, w in zip(u, [1.0, 2.0, 3.0, 4.0], strict=True):
        u[3] += x
        t += x * w
    return t


def items_written_twice(a):
    u, z = np.array([a[0], 0.4, a[1]]), 0.1
    for c, h in zip(u, (0.5, 1.5, 2.5), strict=True):
        z += c * h
        u[2] = z
    for c, h in zip(u, (0.5, 1.5, 2.5), strict=True):
        z += c * h
        u[2] = z
    return z + u.sum()


def counted_items_written_meanwhile(a):
    u, z = a * 1.0, 0.1
    for (i, c), h in zip(enumerate(u), [0.5, 1.5, 2.5, 1.0], strict=True):
        z += c * h * i
        u[2] = z
    for c, h in zip(reversed(u), [0.5, 1.5, 2.5, 1.0], strict=True):
        z += c * h
        u[0] = z
    return z + u.sum()


def items_written_by_a_callee(a):
    u, z = a * 1.0, 0.1

    def bump(k):
        u[k] += z

    for c, h in zip(u, (0.5, 1.5, 2.5, 2.0), strict=True):
        z += c * h
        bump(3)
    return z + u.sum()


def snapshots(a):
    u = a * 1.0
    t, b, s, w, e, r = tuple(u), list(u), sorted(u), u.tolist(), list(enumerate(u)), list(reversed(u))
    x, *m, y = u
    u[1] = 9.0
    u[0] *= 2
    return t[1] + b[1] * 2 + s[1] + w[1] + e[1][1] * 3 + r[2] * 5 + x * m[0] + y + u.sum()


def window(a):
    w, x, t = deque(maxlen=5), a[0], 0.0
    for k in range(60):
        x = 0.9 * x + a[1] * math.sin(k * a[2])
        w.append(x)
        if len(w) == w.maxlen:
            t += sum(w) / len(w)
    return t


def union(a):
    d, e = dict(zip("abcd", a, strict=True)), dict(zip("abcd", a * 2, strict=True))
    d |= {"e": a[0]}
    f = d | e
    return f["a"] * d["e"] + sum(f.values())


def union_of_comprehensions(a):
    p = {f"W{g}": np.ones(4) * 0.3 for g in "if"} | {f"b{g}": np.zeros(4) for g in "if"}
    h = a
    for _ in range(20):
        h = np.tanh(p["Wi"] * h + p["bf"]) + p["Wf"]
    return float(h @ a)


PROGRAMS = [swapped, to_list, grown, lists_of_lists, sorted_items, taken_before_a_write, of_integers, as_arguments,
            beside_known_things, beside_known_things_with_effects, window, union, union_of_comprehensions]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_items_of_arrays(f):
    check_static(f, (np.array([0.7, 0.3, -0.4, 1.1]),))
    check_static(f, (np.array([0.2, 0.9, 0.5, -0.3]),))


MEANWHILE = [rows_written_meanwhile, items_written_meanwhile, items_written_twice, counted_items_written_meanwhile,
             items_written_by_a_callee, snapshots]  # fmt: skip


@pytest.mark.parametrize("f", MEANWHILE, ids=lambda f: f.__name__)
def test_arrays_that_a_loop_over_them_changes(f):
    from test_static_sharing import test_what_is_read_later_sees_the_write as check

    check(lambda x, y: f(np.array([x, y, 0.5, -0.3])))


def pairs(u, names):
    return list(zip(names, u, strict=True))[1][1]


def items(u, names):
    return dict(zip(names, u, strict=True))[names[0]]


def listed(u, names):
    return [(name, v) for name, v in zip(names, u, strict=True)][1][1]


def looped(u, names):
    t = 0.0
    for name, v in zip(names, u, strict=True):
        t += v * len(name)
    return t


@pytest.mark.parametrize("g", [pairs, items, listed, looped], ids=lambda g: g.__name__)
@pytest.mark.parametrize("made", [lambda a: a, lambda a: a * 1.0, lambda a: np.tanh(a @ np.eye(4))])
def test_a_strict_zip_of_other_lengths(g, made):
    """One that is longer or shorter than what is written out is the program's error."""
    check_static(lambda a: g(made(a), "abcd"), (np.array([0.7, 0.3, -0.4, 1.1]),))
    for names in ("abc", "abcde"):
        for tier in ("eager", "static", "static"):
            assert found_by(tier, lambda a, names=names: g(made(a), names), (np.ones(4),)) is ValueError
