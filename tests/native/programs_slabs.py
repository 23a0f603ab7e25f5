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


M67 = np.sin(np.arange(42.0) ** 2).reshape(6, 7)


@PROGRAMS(M67, 0.3)
@njit
def rows_stored_at_times(x, a):
    """The rows are those of the sample before: what it left in them counts for nothing."""
    total = 0.0
    for s in range(x.shape[0]):
        u = x[s].copy()
        for _ in range(4):
            v = np.zeros(x.shape[1])
            for i in range(1, x.shape[1] - 1):
                if x[s, i] > 0.0:
                    v[i] = a * math.sin(u[i]) + u[i - 1] * u[i + 1] + 1.0
            u = v
        total += math.exp(0.1 * u.sum())
    return total


@PROGRAMS(M67, M9[:7, :7].copy())
@njit
def rows_of_products_stored_at_times(x, a):
    total = 0.0
    for s in range(x.shape[0]):
        u = x[s].copy()
        c = 1.0
        for _ in range(4):
            v = np.ones(x.shape[1])
            w = a @ u
            for i in range(1, x.shape[1] - 1):
                if x[s, i] > 0.0:
                    v[i] = math.sin(w[i] * c) + 1.0
            z = a @ v
            c = math.cos(z[3]) + (z * v * v).sum() * 0.1
            u = v
        total += math.exp(0.1 * u.sum() * c)
    return total


@PROGRAMS(M67, 0.3, 5)
@PROGRAMS(M67, 0.3, 1)
@PROGRAMS(M67, 0.3, 0)
@njit
def sweeps(u0, a, n):
    """What is read around an element stands in the row of the iteration before; shadows take turns."""
    u = u0.copy()
    for _ in range(n):
        v = u.copy()
        for i in range(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                v[i, j] = u[i, j] * (1 + a * u[i - 1, j]) + a * (u[i + 1, j] + u[i, j - 1] - u[i, j + 1] ** 2)
        u, v = v, u
    return (u * u).mean() + u[0, 0] * u[1, 1]


@PROGRAMS(x9, 0.1, 6)
@PROGRAMS(x9, 0.1, 2)
@PROGRAMS(x9, 0.1, 1)
@njit
def three_before(x, c, n):
    p, q, u = 0.5 * x, 0.8 * x, x.copy()
    for t in range(n):
        new = np.zeros(x.shape[0])
        new[0] = u[1] * p[2]
        for i in range(1, x.shape[0] - 1):
            new[i] = 2.0 * u[i] - q[i] + c * u[i - 1] * u[i + 1] * p[i] + 0.1 * u[i] ** 2
        p, q, u = q, u, new
    return np.sum(u * q * p) + u[0]


@PROGRAMS(x9, 0.1, 5)
@njit
def one_is_held(x, c, n):
    u = x * 0.9
    held = x.copy()
    for t in range(n):
        v = np.zeros(x.shape[0])
        for i in range(1, x.shape[0] - 1):
            v[i] = u[i] + c * (u[i - 1] - 2.0 * u[i] + u[i + 1]) + 0.1 * u[i] ** 2
        if t == 2:
            held = v
        u = v
    return np.sum(u * u * held)


@PROGRAMS(x9, 0.1, 5)
@njit
def written_afterwards(x, c, n):
    u = x * 0.9
    for t in range(n):
        v = np.zeros(x.shape[0])
        for i in range(1, x.shape[0] - 1):
            v[i] = u[i] + c * (u[i - 1] - 2.0 * u[i] + u[i + 1]) + 0.1 * u[i] ** 2
        u[t] = v[2] ** 2
        before = u
        u = v
        u[1] += before[t] * before[2]
    u[3] *= u[4]
    return np.sum(u * u)


@PROGRAMS(M67, 0.2, 3)
@njit
def rows_of_rows(x, c, n):
    kept = np.zeros(x.shape[1])
    for s in range(x.shape[0]):
        u = x[0]
        for _ in range(n):
            v = np.zeros(x.shape[1])
            for i in range(1, x.shape[1] - 1):
                v[i] = u[i] * u[i - 1] * c + x[s, i] * u[i + 1] ** 2
            u = v
        for i in range(x.shape[1]):
            kept[i] = kept[i] * 0.5 + u[i] * u[i] * kept[i - 1] + u[i]
    return np.sum(kept * kept)


@PROGRAMS(np.sin(np.arange(54.0) ** 2).reshape(2, 3, 9), 0.3)
@njit
def rows_stored_at_times_in_two_loops(x, a):
    total = 0.0
    for s in range(x.shape[0]):
        for r in range(x.shape[1]):
            u = x[s, r].copy()
            q = u * 0.5
            for _ in range(3):
                v = np.zeros_like(u)
                w = np.full(u.size, 0.3)
                for i in range(1, x.shape[2] - 1):
                    if x[s, r, i] > 0.0:
                        v[i] = a * math.sin(u[i]) + u[i - 1] * q[i + 1] + w[i] ** 2
                    else:
                        w[i] = q[i] * u[i] * a
                q = w
                u = v
            total += math.exp((u.sum() + q.sum()) * 0.1)
    return total


@PROGRAMS(0.3 * M67, 0.3)
@njit
def complex_rows_stored_at_times(x, a):
    total = 0.0
    for s in range(x.shape[0]):
        u = x[s] * (1.0 + 0.5j)
        for _ in range(3):
            v = np.zeros(x.shape[1], np.complex128)
            for i in range(1, x.shape[1] - 1):
                if x[s, i] > 0.0:
                    v[i] = a * u[i] ** 2 + 0.3 * u[i - 1] * u[i + 1].conjugate() + 0.2
            u = v
        total += math.exp(abs(u.sum()) * 0.1)
    return total
