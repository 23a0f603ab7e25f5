"""Arrays made anew in each iteration: rows of slabs, what the iterations before have left, rooms for all of them."""

import math

import numpy as np
from native_helpers import A, Programs
from numba import njit

PROGRAMS = Programs()
x9 = A(0.3, -0.7, 1.1, 0.4, 0.9, -0.2, 0.6, 0.1, -0.5)
M9 = 0.4 * np.sin(np.arange(81.0)).reshape(9, 9)


@PROGRAMS(M9**2 + 0.1, x9**2, M9[:, :4] ** 2 + 0.1, np.array([0, 3, 1, 1, 2]))
@njit
def hidden_states(a, alpha, b, seen):
    likelihood = 0.0
    for t in range(len(seen)):
        alpha = (alpha @ a) * b[:, seen[t]]
        c = alpha.sum()
        likelihood += math.log(c)
        alpha = alpha / c
    return likelihood


@PROGRAMS(x9, x9 + 0.2, 4, 0.1)
@PROGRAMS(x9, x9 + 0.2, 1, 0.1)
@PROGRAMS(x9, x9 + 0.2, 0, 0.1)
@njit
def two_before(u, v, n, c):
    before = u.copy()
    now = v.copy()
    for _ in range(n):
        new = np.zeros(now.shape[0])
        for i in range(1, now.shape[0] - 1):
            new[i] = 2.0 * now[i] - before[i] + c * (now[i + 1] - 2.0 * now[i] + now[i - 1]) * now[i]
        before = now
        now = new
    return np.sum(now * now) + np.sum(before * u)


@PROGRAMS(M9, x9, 3)
@njit
def begun_again(a, x, n):
    total = 0.0
    for s in range(2):
        y = x * (s + 1.0)
        for _ in range(n):
            y = np.sin(a @ y)
            y[0] *= 0.5
        total += y.sum() ** 2
    return total


@PROGRAMS(M9, x9, 3)
@njit
def views_of_rooms(a, x, n):
    s = 0.0
    for t in range(n):
        z = a @ x * (t + 1)
        w = z[1:]
        half = np.zeros(x.shape[0] - 4)
        half[::2] += w[: half.size : 2]
        s += np.max(w) * np.dot(w, w) + np.sum(half * half)
    return s


@PROGRAMS(M9, x9, 4)
@njit
def one_of_two(a, x, n):
    y = x
    s = 0.0
    for t in range(n):
        z = a @ y
        if z[0] > 0.0:
            y = z
        else:
            y = -z * z
        if t % 2 == 0:
            own = y * y
            s += own[1]
    return np.sum(y) + s


@PROGRAMS(M9, M9 + 0.1, 2)
@njit
def covariance(p, f, n):
    for _ in range(n):
        p = f @ p @ f.T + 0.1 * p
    return np.trace(p)


@PROGRAMS(x9, -1)
@PROGRAMS(x9, 3)
@njit
def as_long_as_asked(x, n):
    s = x[0]
    for i in range(n):
        own = np.ones(n)
        own[i] = x[i]
        s += np.sum(own * x[i])
    return s


@njit
def spread(u, n, m):
    if n == 0:
        u[m] = u[m] * u[0]
        return u[m]
    found = 0.0
    for k in range(m):
        found += spread(u, n - 1, k) * u[n]
    return found


@PROGRAMS(np.sin(np.arange(12.0)).reshape(4, 3))
@njit
def rows_of_a_length_from_inside(x):
    """The loop that keeps rows stands in one that needs no tape, in which their length is known first."""
    s = 0.0
    for i in range(4):
        row = x[i].copy()
        s += spread(row, 1, 2) * x[i, 0]
    return s
