"""State in loops: arrays that are rebound, swapped, written through views of each turn; loops that are left."""

import math

import numpy as np
from native_helpers import A, Programs
from numba import njit

PROGRAMS = Programs()
x4, y4 = A(0.3, -0.7, 1.1, 0.4), A(1.2, 0.5, -0.3, 0.8)
M = np.sin(np.arange(16.0)).reshape(4, 4)


@PROGRAMS(M, x4)
@njit
def array_returned_early(W, x):
    s = 0.1
    for i in range(len(x)):
        s += x[i]
        for j in range(i):
            if x[j] > 1.0:
                return s * W
        if x[i] > 2.0:
            return s * W
    return W * (s + 1.0)


@PROGRAMS(M, x4)
@njit
def rebound_to_a_row_in_a_nested_loop(W, x):
    w = x * 2.0
    for r in range(3):
        w[::2] *= 0.5
        for i in range(1, 4):
            w[i] = math.sin(w[i - 1])
            w = W[i]
    return w.sum() + (W * W).sum()


@PROGRAMS(M, x4)
@njit
def rebound_to_a_row(W, x):
    w = x * 2.0
    for i in range(4):
        w[i] = math.sin(w[i - 1]) * x[i]
        w = W[i]
    return w.sum() + (W * W).sum()


@PROGRAMS(x4, y4)
@njit
def rebound_fresh(x, y):
    u = x * 1.0
    for i in range(4):
        u[i] += y[i] * u[i - 1]
        u = np.sin(u) * y
    return (u * x).sum()


@PROGRAMS(x4, y4)
@njit
def rebound_in_a_branch(x, y):
    u = x * 1.0
    for i in range(4):
        if x[i] > 0.35:
            u = y * x[i]
        u[i] = u[i - 1] * x[i]
    return (u * x).sum()


@PROGRAMS(x4, y4)
@njit
def three_buffers(x, y):
    u, v, w = x * 1.0, y * 2.0, x * y
    for i in range(5):
        for j in range(4):
            w[j] = u[j] * v[j - 1] + math.sin(w[j])
        u, v, w = v, w, u
    return (u * x).sum() + v[1] * w[2]


@PROGRAMS(x4, y4)
@njit
def break_after_writes(x, y):
    u = x * 1.0
    for i in range(4):
        u[i] = u[i] * y[i] + u[i - 1]
        if u[i] < -0.6:
            u[0] = u[i] * u[1]
            break
        u[i] *= u[i]
        if i == 2:
            continue
        u[i - 1] += x[i]
    return (u * x).sum()


@PROGRAMS(x4, y4)
@njit
def while_with_writes(x, y):
    u = x * 1.0
    i = 0
    t = 0.3
    while t < 2.0:
        t = t * 1.4 + 0.1 * abs(u[i % 4])
        u[i % 4] = u[i % 4] * t + y[i % 4]
        i += 1
        if i > 5:
            break
    return (u * u).sum() * t


@PROGRAMS(x4, y4)
@njit
def early_return_of_numbers(x, y):
    u = x * 1.0
    s = 0.0
    for i in range(4):
        for j in range(4):
            u[j] = u[j] * y[i] + s
            s += u[j] * u[j]
            if s > 1.5:
                return s * u[i]
    return s


@PROGRAMS(x4, np.array([1, 0, 3, 1]))
@njit
def scatter_in_nested_loops(x, idx):
    u = np.zeros(4)
    for i in range(4):
        for j in range(i, 4):
            u[idx[j]] += x[i] * x[j] + u[idx[i]]
            u[idx[i]] *= x[j]
    return (u * x).sum()


@PROGRAMS(M.copy(), x4)
@njit
def views_in_loops_written(W, x):
    s = 0.0
    for i in range(4):
        r = W[i]
        c = W[:, i]
        r[1:] += c[:-1] * x[i]
        c[i] = r[0] * x[i]
        d = r[::-1]
        d[0] *= c[1]
        s += r[i] * d[i]
    return s


@PROGRAMS(x4, 0.3)
@njit
def conditionally_defined_array(x, a):
    u = x * a
    if a > 0.1:
        v = u
    else:
        v = x * 2.0
    v[0] = 3.0 * a
    for i in range(1, 4):
        w = v if i % 2 == 0 else u
        w[i] += w[i - 1] * x[i]
        v = u * 1.0 if i == 2 else v
    return (u * x).sum() + (v * v).sum()


@PROGRAMS(x4, 0.3)
@njit
def maximum(x, a):
    best = -9.0
    k = 0
    for i in range(4):
        if x[i] * a > best:
            best = x[i] * a
            k = i
    return best * x[k] + max(best, a) * min(x[0], x[1])


@PROGRAMS(x4, 0.3, 0)
@PROGRAMS(x4, 0.3, 2)
@njit
def arrays_made_in_loops_that_may_not_run(x, a, n):
    u = x * a
    s = a
    for i in range(n):
        for j in range(i, n):
            u = np.sin(u) * x[j] + s
            s += u[i]
        if s > 50.0:
            u = u * 2.0
    return s + (u * x).sum()
