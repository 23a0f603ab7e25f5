"""Lists of arrays that compiled functions fill: what is translated, what is refused."""

import numpy as np
import pytest

numba = pytest.importorskip("numba")

from native_helpers import check
from numba import njit
from numba.typed import List

from morula.static.numba.kernels import kernels_of
from morula.static.unsupported import Unsupported

X = np.array([0.3, -0.7, 1.1, 0.4, 0.2])


@njit
def trajectory(x, a):
    x = x.copy()
    path = [x.copy()]
    for _ in range(6):
        x += 0.1 * a * np.sin(x[::-1])
        path.append(x.copy())
    s = 0.0
    for t in path:
        s += (t * t).sum() * t[0]
    return s + path[-1][1] * path[2][0] * len(path)


@njit
def of_several_lengths(x, a):
    parts = [x[:2] * a]
    for i in range(len(x)):
        row = np.empty(i + 1)
        for j in range(i + 1):
            row[j] = x[j] * a + i
        parts.append(row)
        if i % 2:
            parts.append(parts[-1] * 0.5 + parts[0][0])
    s = 0.0
    for k, p in enumerate(parts):
        s += p.sum() * (k + 1) + p[-1] ** 2
    return s + parts[3][1] * parts[-2][0]


@njit
def matrices(x, a):
    ms = []
    m = np.outer(x, x)
    for i in range(3):
        m = np.tanh(m * a + i)
        ms.append(m)
        ms.append(m.T.copy())
    s = 0.0
    for i in range(len(ms)):
        s += (ms[i] @ x).sum() * ms[-1 - i][0, 1] + ms[i].shape[1]
    return s


@njit
def put(xs, v):
    xs.append(v)


@njit
def until_it_is_long(x, a):
    """Arguments that are not written, and arrays that were before, may be items."""
    weights = x * a
    weights[1] = a * a
    held = List()
    held.append(x)
    while len(held) < 9:
        put(held, weights)
        weights = weights * 0.5 + held[0]
        others = held
        others.append(x[len(held) // 2 :])
    held.clear()
    for _ in range(2):
        put(held, weights * a)
    return (held[0] * held[-1]).sum() + len(held)


@njit
def last_one(x, a):
    xs = [x * a]
    for k in range(3):
        xs.append(xs[k] * xs[0] + a)
    return xs[-1]


@pytest.mark.parametrize("f", [trajectory, of_several_lengths, matrices, last_one])
def test_lists_of_arrays(f):
    check(f, X, 0.8)


def test_typed_lists_of_arrays():
    check(until_it_is_long, X, 0.8, eager=False)


# -- what may be written into is the same array as the one in the list ----------


@njit
def one_array_in_all_places(x, a):
    xs = []
    y = x * a
    for _ in range(3):
        y[0] += a
        xs.append(y)
    return xs[0][0] * a


@njit
def written_afterwards(x, a):
    xs = []
    for _ in range(3):
        y = x * a
        xs.append(y)
        y[0] += 1.0
    return xs[0][0]


@njit
def written_in_the_next_iteration(x, a):
    xs = []
    y = x * a
    for _ in range(3):
        z = y.copy()
        y[0] = a * a
        xs.append(z)
        y = z
    return xs[0][0] * xs[1][0]


@njit
def items_are_written(x, a):
    xs = [x * a]
    xs.append(xs[0] * a)
    y = xs[1]
    y[0] = a
    return xs[1][0] * xs[0][1]


@njit
def items_are_replaced(x, a):
    xs = [x * a]
    xs.append(xs[0] * a)
    xs[0] = xs[1]
    return xs[0][0]


@njit
def an_argument_is_returned(x, a):
    xs = [x]
    xs.append(x * a)
    return xs[0]


REFUSED = [
    one_array_in_all_places, written_afterwards, written_in_the_next_iteration, items_are_written, items_are_replaced,
    an_argument_is_returned,
]  # fmt: skip


@pytest.mark.parametrize("f", REFUSED)
def test_arrays_that_may_be_told_from_items_are_refused(f):
    with pytest.raises(Unsupported, match="list"):
        kernels_of(f, (X, 0.8), (True, True))
    check(f, X, 0.8, native=False)
