"""Places that are computed: lists and tuples of integers for indices, tables of neighbours, `numpy.ix_`."""

import numpy as np
import pytest
from static_checks import check_static, found_by

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

M = np.arange(1.0, 26.0).reshape(5, 5)
X = np.arange(10.0) ** 2


def grown_list(x, y):
    u, at = x * X, []
    for i in range(4):
        at.append(2 * i)
    return (u[at] * y).sum() + u[list(range(3))].sum()


def assembled(x, y):
    k = x * M
    for i in range(3):
        t = (i, i + 2)
        k[np.ix_(t, t)] += y * np.ones((2, 2))
        k[np.ix_([i, i + 1], [i + 2])] *= x
    return np.linalg.slogdet(k + np.eye(5) * 90)[1]


def finite_elements(x, y):
    n = 4
    nodes = np.array([[i, j] for j in range(n) for i in range(n)], float)
    triangles = []
    for j in range(n - 1):
        for i in range(n - 1):
            a = j * n + i
            triangles += [(a, a + 1, a + n), (a + 1, a + n + 1, a + n)]
    k, f = np.zeros((n * n, n * n)), np.zeros(n * n)
    for t in triangles:
        p = nodes[list(t)]
        jac = np.array([p[1] - p[0], p[2] - p[0]]).T
        area = 0.5 * abs(np.linalg.det(jac))
        g = np.linalg.inv(jac).T @ np.array([[-1, 1, 0], [-1, 0, 1.0]])
        k[np.ix_(t, t)] += x * (1 + y * p.mean(0)[0]) * area * g.T @ g
        for a in t:
            f[a] += area / 3
    free = [k for k in range(n * n) if k % n not in (0, n - 1) and n <= k < n * n - n]
    u = np.zeros(n * n)
    u[free] = np.linalg.solve(k[np.ix_(free, free)], f[free])
    return float(f @ u)


def filtered(x, y):
    free = [k for k in range(10) if k % 3]
    u, v = x * X, np.zeros(10)
    v[free] = u[free] * y
    return (v**2).sum()


def added_at(x, y):
    out = np.zeros(6)
    for i in range(4):
        np.add.at(out, [i, i + 1, i], x * np.array([1.0, y, 2.0]))
    return (out**2).sum()


def arrays_of_places(x, y):
    u, s = x * X, 0.0
    for i in range(1, 8):
        at = np.array([i - 1, i, i + 1])
        s += (u[at] ** 1.5).sum() * y
    return s


def pairs_of_lists(x, y):
    u, s = x * M, 0.0
    for i in range(4):
        s += u[[i, i + 1], [0, i]].sum() * y + u[:, [i, 0]].sum() + u[[0, 2], i].sum()
    return s


def edges(x, y):
    pairs = [(0, 1), (1, 2), (2, 4)]
    start, end = [e[0] for e in pairs], [e[1] for e in pairs]
    u, out = x * np.arange(1.0, 6.0), np.zeros(5)
    np.add.at(out, end, (u[end] - u[start]) * y)
    np.subtract.at(out, start, u[end] ** 2)
    return (out**2).sum()


def lower_triangle(x, y):
    at = [(i, j) for i in range(5) for j in range(i)]
    a = np.zeros((5, 5))
    a[[i for i, j in at], [j for i, j in at]] = x * np.arange(10.0)
    return np.linalg.slogdet(a @ a.T + y * np.eye(5) * 9)[1]


def table(x, y):
    triangles, u, s = np.array([[i, i + 1, i + 3] for i in range(4)]), x * X, 0.0
    for t in triangles:
        s += np.prod(u[t]) * y + u[t[0]]
    return s + u[triangles].sum()


def neighbours(x, y):
    nodes, s = np.array([(i, j) for i in range(3) for j in range(2)], dtype=float) * x, 0.0
    for i, near in enumerate([[1, 2], [0, 3], [0, 3, 4], [1, 2, 5], [2, 5], [3, 4]]):
        s += ((nodes[near] - nodes[i]) ** 2).sum() * y
    return s


def changing_list(x, y):
    u, at, s = X * x, [3, 1, 5], 0.0
    for k in range(3):
        at[k] = (at[k] * 2) % 7
        s += u[at].sum() * k
        u[at] += y
    return s + (u**2).sum()


def labels(x, y):
    found = []
    for i in range(5):
        found.append(i % 2)
    found, u = np.array(found), M * x
    centres = np.array([u[found == k].mean(axis=0) for k in range(2)])
    return ((u - y * centres[found]) ** 2).sum()


def row_of_a_list(x, y):
    a = np.zeros((4, 4))
    for i in range(1, 3):
        a[i, i - 1 : i + 2] = [x * i, 2, y]
    return (a**2).sum() + a[1] @ a[2]


def without_some(x, y):
    fixed = [0, 1]
    free = np.setdiff1d(np.arange(6), fixed)
    u = np.zeros(6)
    u[free] = x * np.arange(4.0) + y
    return (u**2).sum()


@pytest.mark.parametrize(
    "f", [grown_list, assembled, finite_elements, filtered, added_at, arrays_of_places, pairs_of_lists, edges,
          lower_triangle, table, neighbours, changing_list, labels, row_of_a_list, without_some]
)  # fmt: skip
def test_computed_places(f):
    check_static(f, (0.8, 1.5))


def by_size(x, n):
    at = [k for k in range(10) if k % n]
    return (np.sin(x * X)[at] ** 2).sum()


def truth_values(x, n):
    at = [k < n for k in range(3)] if n < 2 else [n, 0, 2]
    return (np.sin(x * X[:3])[at] ** 2).sum()


def repeated(x, n):
    u, at = x * X, [1, n]
    u[at] = u[at] * np.array([2.0, 3.0])
    return (u**2).sum()


@pytest.mark.parametrize("f", [by_size, truth_values, repeated])
def test_other_places_in_a_later_call(f):
    """Lists of other lengths, lists of truth values, a place that comes twice."""
    for n in (2, 2, 1, 3, 1, 2):
        static, eager = found_by("static", f, (0.7, n)), found_by("eager", f, (0.7, n))
        if isinstance(eager, type):
            assert static is eager
        else:
            assert repr(static.value) == repr(eager.value)
            assert static.gradient[0] == pytest.approx(eager.gradient[0], rel=1e-12)
