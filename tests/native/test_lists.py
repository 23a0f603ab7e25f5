"""Lists of numbers in compiled functions, and tuples indexed by variables: what is translated, what is refused."""

import math

import numpy as np
import pytest

numba = pytest.importorskip("numba")

from native_helpers import check, twin
from numba import float64, int64, njit
from numba.typed import List

import morula
from morula.static.numba.kernels import kernels_of
from morula.static.unsupported import Unsupported

X = np.array([0.3, -0.7, 1.1, 0.4, 0.2])


@njit
def grows(x, a):
    ys = []
    for i in range(len(x)):
        if x[i] > 0.0:
            ys.append(x[i] * a)
        for j in range(i):
            ys.append(x[j] * math.sin(x[i]))
    s = 0.0
    for y in ys:
        s += y * y * a
    for k in range(len(ys)):
        s += ys[k] * ys[-1 - k]
    return s + ys[-1] + ys[2] * len(ys) + sum(ys) * max(ys)


@njit
def written_and_shared(x, a):
    zs = [v * a for v in x if v > -0.5]
    ws = zs
    ws.append(a * a)
    ws[0] = zs[1] * ws[-1]
    ws[1] += 2.0 * a
    r = [0.0] * 3
    for i in range(3):
        r[i] = zs[i] * a + r[i - 1]
    p = ws.pop()
    u = np.array(zs)
    m = np.array([a, x[0], 2.0])
    g = np.array([[a, 1.0], [x[1], a * a]])
    for b in [x, u]:
        p += b.sum() * p
    return (u * u).sum() + (m * m).sum() + p * len(ws) + r[2] + g[0, 0] * g[1, 0] + g[1, 1]


@njit
def nothing_but_arrays(x, a):
    """Numba compiles no list where one is filled, made into an array, and read nowhere else."""
    zs = []
    for v in x:
        zs.append(v * a)
    us = np.array(zs)
    ws = np.array([v * v - a for v in x if v > 0.0])
    return us.std() + (us * x).sum() + (ws**3).sum() * a


@njit
def inside_of_a_loop(x, a):
    s = 0.0
    for i in range(len(x)):
        ts = [a * x[i]]
        while len(ts) < 12:
            ts.append(ts[-1] * 0.9 + x[i])
        s += ts[10] * ts[3] + min(ts)
    return s


@njit
def with_room(x, a):
    """How often each loop runs is known when it begins."""
    xs = [a]
    others = xs
    ys = []
    for i in range(len(x) - 1, -3, -2):
        ys.append(a * i)
        if i % 3 == 0:
            xs.append(x[i] * a)
            xs.append(ys[-1] * xs[0])
    for i, v in enumerate(x):
        for j in range(i):
            xs.append(v * x[j])
        ys.append(xs[-1] * a)
        if i == 2:
            ys.pop()
    for v in x:
        row = [v]
        for k in range(2, 9, 3):
            row.append(row[-1] * a + k)
        others.append(row[-1] - v)
        for _ in range(0):
            others.append(0.0)
    s = 0.0
    for k in range(len(xs)):
        s += xs[k] * math.cos(xs[-k]) * (k + 1)
    return s + sum(ys) * len(ys) + max(xs)


@njit
def left_early(x, a):
    zs = [x[0]]
    for i in range(1_000_000_000):  # there is no room for all of these
        zs.append(zs[-1] * a + x[i % len(x)])
        if len(zs) > 11:
            break
    return zs[-1] * zs[3]


@pytest.mark.parametrize("f", [grows, written_and_shared, nothing_but_arrays, inside_of_a_loop, with_room, left_early])
def test_lists(f):
    check(f, X, 0.8)


@njit
def in_order(x, a):
    xs = [a]
    for v in x:
        xs.append(v * v - a * v)
    others = xs
    others.sort()
    s = 0.0
    for k in range(len(xs)):
        s += xs[k] * k
    for i in range(3):
        xs[i] = math.sin(xs[i] * xs[-1]) + a * i
        xs.append(s * x[i])
        xs.reverse()
        s += xs[1] * xs[-2]
        if i % 2:
            xs.sort()
    ys, zs = sorted(x), sorted(xs[1:5])
    zs.append(list(x)[1])
    places = [3, 0, 2]
    places.sort()
    return s + ys[1] * ys[-1] * zs[0] + zs[-1] * places[1] + x[0] * xs[places[2]]


def test_lists_are_ordered():
    check(in_order, X, 0.8)


def test_equal_items_keep_their_order():
    x = np.array([0.2, 0.2, -0.5, 1.0, 0.2])
    wanted = morula.grad(twin(in_order), (0, 1))(x, 0.7)
    for mine, plain in zip(morula.grad(in_order, (0, 1))(x, 0.7), wanted, strict=True):
        np.testing.assert_allclose(mine, plain, rtol=1e-12)


def test_ordered_lists_have_second_derivatives():
    def wanted(x):
        xs = np.sort(x * x)
        return xs[0] * xs[3] + np.sin(xs[1] * xs[2])

    @njit
    def loss(x):
        xs = [v * v for v in x]
        xs.sort()
        return xs[0] * xs[3] + math.sin(xs[1] * xs[2])

    np.testing.assert_allclose(morula.hessian(loss, X), morula.hessian(wanted, X), rtol=1e-12)


def test_lists_with_nan_are_ordered_as_numba_does():
    @njit
    def first(x, a):
        xs = [v * a for v in x]
        xs.sort()
        return xs[0]

    x = np.array([0.3, np.nan, -0.7, 1.1, -0.2])
    bars = [np.zeros(5)]
    value, *_ = kernels_of(first, (x, 0.8), (True, True)).joint((x, 0.8), bars, (1.0,))
    assert value == first(x, 0.8) or (np.isnan(value) and np.isnan(first(x, 0.8)))


@njit
def reads_beside(x, k):
    ys = [x[0], x[1]]
    return ys[k] * 2.0


@njit
def collects(x, out):
    for v in x:
        if v > 0.0:
            out.append(v * v)


@njit
def typed(x, a):
    ys = List()
    for v in x:
        ys.append(v * a)
    zs, places = List.empty_list(float64), numba.typed.List.empty_list(int64)
    collects(x, zs)
    for i in range(len(zs)):
        places.append(len(zs) - 1 - i)
    ws = List(x)
    ws.append(zs[0] * a)
    ys[1] = ws[-1] * ys[2]
    us = List([a, 2.0 * x[0]])
    s = us[0] * us[1] + ys.pop()
    for i in places:
        s += zs[i] * ys[i] * (i + 1)
    return s + sum(ws) * len(ys)


@njit
def visited(x, a):
    seen, marks = [0], np.array([1, 3])
    s = 0.0
    for i in range(12):
        k = (i * i + 1) % 5
        if k in seen:
            continue
        seen.append(k)
        s += x[k] ** 2 * (a if k in marks else 0.5)
        if i not in seen:
            s *= a
    return s * len(seen) if a in x else s * a


@pytest.mark.parametrize("f", [typed, visited])
def test_typed_lists_and_membership(f):
    check(f, X, 0.8, eager=f is visited, twin_value=f is visited)
    check(f, X, X[2], eager=f is visited, fd=f is not visited, twin_value=f is visited)


@njit
def pops_too_much(x, k):
    ys = [x[0]]
    for _ in range(k):
        ys.pop()
    return x[0]


@pytest.mark.parametrize(("f", "k"), [(reads_beside, 2), (reads_beside, -3), (pops_too_much, 2)])
def test_lists_raise_as_they_would_plainly(f, k):
    with pytest.raises(IndexError) as plain:
        f(X, k)
    with pytest.raises(IndexError) as mine:
        kernels_of(f, (X, k), (True, False)).joint((X, k), [np.zeros(5)], (1.0,))
    assert str(mine.value) == str(plain.value)


@njit
def one_or_another(x, a):
    ys = [a]
    for i in range(3):
        zs = [x[i]]
        if x[i] > 0.0:
            ys = zs
    return ys[0]


@njit
def is_returned(x, a):
    return [a * x[0], a]


@njit
def grows_while_it_is_read(x, a):
    ys = [a]
    for y in ys:
        if len(ys) < 4:
            ys.append(y * x[0])
    return ys[-1]


@njit
def backwards(x, a):
    ys = [a, x[0]]
    ys.append(x[1])
    ys.sort(reverse=True)
    return ys[0]


@pytest.mark.parametrize("f", [one_or_another, is_returned, grows_while_it_is_read, backwards])
def test_what_is_refused(f):
    with pytest.raises(Unsupported, match="list"):
        kernels_of(f, (X, 0.8), (True, True))


# -- tuples that are indexed by a variable ----------


@njit
def chosen(x, a):
    t = (a, x[0], 2.0 * a)
    s = 0.0
    for i in range(-3, 3):
        s += t[i] * (i + 5) * a
    return s


@njit
def reads_beside_a_tuple(x, k):
    t = (x[0], x[1])
    return t[k]


def test_tuples_indexed_by_a_variable():
    check(chosen, X, 0.8)
    for k in (2, -3):
        with pytest.raises(IndexError, match="tuple index out of range"):
            kernels_of(reads_beside_a_tuple, (X, k), (True, False)).joint((X, k), [np.zeros(5)], (1.0,))


# -- lists of tuples ----------


@njit
def stack_of_ranges(x, a):
    """An explicit stack in the place of a recursion."""
    stack = [(0, len(x), a)]
    s = 0.0
    while stack:
        low, high, w = stack.pop()
        if high - low < 2:
            s += math.sin(w * x[low]) * (low + 1)
            continue
        middle = (low + high) // 2
        stack.append((low, middle, w * x[middle]))
        if not stack or w > 0.1:
            stack.append((middle, high, w + a * x[low]))
    return s


@njit
def queue_of_pairs(x, a):
    queue = [(0, 1.0)]
    weights = [a]
    s = 0.0
    while True:
        if not queue:
            break
        k, w = queue.pop(0)
        v = weights.pop(0)
        s += w * x[k] + math.cos(v)
        for c in range(2 * k + 1, min(2 * k + 3, len(x))):
            queue.append((c, w * a * x[k]))
            weights.append(v * x[c])
    return s * len(queue) + s


@njit
def put_into(rows, v, k):
    rows.append((v, (k, v > 0.3)))


@njit
def rows_that_are_written(x, a):
    rows = [(x[-1], (4, True))]
    for k in range(len(x)):
        put_into(rows, x[k] * a, k)
    rows[1] = (rows[0][0] * a, (7, False))
    others = rows
    v, (k, is_large) = others.pop(-2)
    s = v * k if is_large else 0.5 * v
    for n, (v, (k, is_large)) in enumerate(rows):
        s += v * v * (k + n) + (a if is_large else 0.1 * v)
    rows.clear()
    put_into(rows, s, 3)
    return rows[0][0] * a + rows[-1][1][0]


@njit
def typed_rows(x, a):
    rows = List()
    for k in range(len(x)):
        rows.append((k, x[k] * a))
    s = 0.0
    while len(rows) > 1:
        k, v = rows.pop()
        s += v * x[k - 1] * rows[0][1]
    return s


ROWS = [stack_of_ranges, queue_of_pairs, rows_that_are_written]


@pytest.mark.parametrize("f", [*ROWS, typed_rows])
def test_lists_of_tuples(f):
    check(f, X, 0.7, eager=f in ROWS, twin_value=f in ROWS)


@njit
def pops_beyond(x, k):
    rows = [(x[0], 1)]
    rows.append((x[1], 2))
    return rows.pop(k)[0] * rows.pop()[0] + rows.pop()[0]


@pytest.mark.parametrize("k", [0, 2, -3])
def test_lists_of_tuples_raise_as_they_would_plainly(k):
    with pytest.raises(IndexError) as want:
        pops_beyond(X, k)
    with pytest.raises(IndexError) as found:
        kernels_of(pops_beyond, (X, k), (True, False)).joint((X, k), [np.zeros(5)], (1.0,))
    assert str(found.value) == str(want.value)
