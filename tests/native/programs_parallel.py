"""Loops that run in parallel, and the options that adjoints inherit."""

import math

import numpy as np
from native_helpers import A, Programs
from numba import njit, prange

PROGRAMS = Programs()
RACES = Programs()
x4, y4 = A(0.3, -0.7, 1.1, 0.4), A(1.2, 0.5, -0.3, 0.8)
x500 = np.sin(np.arange(500.0))
few = np.arange(500) % 3
M = np.cos(np.arange(40.0)).reshape(8, 5)


@RACES(x500, x500[::-1].copy())
@njit(parallel=True)
def own_elements(x, y):
    u = np.zeros_like(x)
    for i in prange(len(x)):
        u[i] = math.sin(x[i]) * y[i]
    s = 0.0
    for i in prange(len(x)):
        s += u[i] * x[i]
    return s


@RACES(x500, few)
@njit(parallel=True)
def many_read_the_same_elements(x, index):
    """Its adjoint scatters: a plain ``+=`` from two threads loses updates."""
    u = np.empty(len(x))
    for i in prange(len(x)):
        u[i] = x[index[i]] * x[0] + x[i - 1] * x[(i + 1) % len(x)]
    return u


@RACES(x500, 0.7)
@njit(parallel=True)
def all_read_one_number(x, a):
    u = np.empty(len(x))
    b = a * a
    for i in prange(len(x)):
        t = x[i] * b
        for _ in range(3):
            t = math.sin(t) + a
        u[i] = t
    return u.sum() * b


@RACES(M, M[0].copy())
@njit(parallel=True)
def rows(m, v):
    out = np.zeros(m.shape[0])
    for i in prange(m.shape[0]):
        r = np.zeros(m.shape[1])
        for j in range(m.shape[1]):
            if m[i, j] < -0.9:
                continue
            r[j] = m[i, j] * v[j]
        out[i] = (r * r).sum() * v[0]
    return out


@RACES(x500.copy(), 3)
@njit(parallel=True)
def in_place_steps(u, n):
    for k in range(n):
        old = u.copy()
        for i in prange(1, len(u) - 1):
            u[i] = old[i] + 0.1 * (old[i - 1] - 2.0 * old[i] + old[i + 1]) * old[0]


@RACES(M, M[0].copy(), 0.4)
@RACES(np.asfortranarray(M), M[1].copy(), 0.4)
@RACES(M[::-1, ::2], M[2, ::2].copy(), 0.4)
@njit(parallel=True)
def log_likelihood(data, mean, scale):
    """What data are split for: all iterations read the parameters, one number is summed."""
    total = 0.0
    for i in prange(len(data)):
        r = data[i] - mean
        q = 0.0
        for j in range(len(mean)):
            q += r[j] * r[j] * math.exp(-scale * mean[j])
        total -= 0.5 * q / scale + math.log(1.0 + q)
    return total


@RACES(M.copy(), np.arange(8) % 3)
@njit(parallel=True)
def columns_and_rows(m, k):
    u = np.empty(m.shape)
    w = m.T.copy()
    c = w * 1.1
    for j in prange(m.shape[1]):
        for i in range(m.shape[0]):
            u[i, j] = m[i, j] * m[i, j - 1] + w[j, i]
    for i in prange(1, m.shape[0]):
        row = u[i]
        row *= c[:, k[i]]
        row[0] = row[1] * w[0, i] + row.sum()
        for n in range(k[i]):
            w[:, i] *= row[n]
    return u, w


@RACES(x500 + 0.5j * x500[::-1], 0.3 - 0.2j)
@njit(parallel=True)
def complex_numbers(z, c):
    s = 0.0
    w = z * c
    for i in prange(2, len(z)):
        t = w[i] * c + z[i - 2]
        w[i] = t * t
        if t.real > 0:
            s += t.imag * w[i].real
    return s, w[3]


@RACES(x4, y4, 0.3)
@njit(parallel=True)
def sums_inside_of_branches(x, w, a):
    total = a
    for b in range(len(w)):
        t = 0.0
        for i in prange(len(x)):
            t += math.sin(x[i] * w[b]) * a * total if x[i] > w[b] else math.sin(x[i] * w[b]) * a
        total += math.sin(t) * a
    return total


@RACES(x500.astype(np.float32), np.float32(0.3), rtol=2e-4)
@njit(parallel=True)
def single_precision(x, a):
    s = np.float32(0)
    u = x.copy()
    for i in prange(x.size):
        u[i] = x[i] * a * u[i]
        s += u[i] * a
    return s


@RACES(x500, 7)
@njit(parallel=True)
def stays_in_one_thread(x, n):
    """Not all loops have parts: values stand between iterations, or tapes grow."""
    u = np.zeros(n)
    v = x.copy()
    worst = 0.0
    for i in prange(n):
        k = 0
        t = x[i]
        while t < 2.0:
            t += 0.4 + x[k] * x[k]
            k += 1
        u[i] = t
    for i in prange(len(x)):
        worst = max(worst, x[i])
    for i in prange(1, 20):
        v[2 * i] = v[2 * i] * x[i]
        t = 0.0
        for j in prange(i):
            t += x[j] * v[2 * i]
        v[2 * i + 1] = t
    return u, worst * v[4]


@RACES(np.vstack([x500, x500 * 0.5, np.cos(x500)])[:, :40])
@njit(parallel=True)
def functions_of_arrays_in_parts(m):
    s = np.zeros(3)
    scale = np.ones(40)
    scale[3:] += m[0, :-3]
    for i in prange(3):
        u = np.sin(m[i]) * scale
        s[i] = np.dot(u, scale) + np.linalg.norm(m[i] - scale) + np.sort(u)[5] + u[u > 0.1].sum()
    return s


@PROGRAMS(x4, 0.7)
@njit(parallel=True)
def returns_one_array_or_another(x, a):
    """Numba does not know how long what comes out of a branch is."""
    u = np.empty(len(x))
    for i in prange(len(x)):
        u[i] = x[i] * a
    for i in range(1, len(x)):
        if x[i] > 1.5:
            return (i, 1.0 * x)
        u[i] += 0.5 * u[i - 1] * math.sin(x[i])
    return (0, 2.0 * u)


@PROGRAMS(x4, M, 0.7)
@njit(parallel=True)
def several_that_come_out_of_branches(x, m, a):
    if a > 0.5:
        u, w = np.sin(x), m * a
    else:
        u, w = m[0, :4] * 2.0, np.cos(m)
    for i in prange(4):
        u[i] += x[i] * a
        w[i, 0] *= u[i]
    return u, (w, u * a)


@PROGRAMS(x4, y4)
@njit(fastmath=True, nogil=True)
def fast(x, y):
    s = 0.0
    for i in range(len(x)):
        s += x[i] * y[i] * math.exp(-x[i])
    return s


@PROGRAMS(x4, 0.5)
@njit(error_model="numpy", boundscheck=True)
def with_the_error_model_of_numpy(x, a):
    s = 0.0
    for i in range(len(x)):
        s += x[i] / (a + i)
    return s


@njit(inline="always")
def inlined(a, b):
    c = a * b
    return c + math.sin(c)


@PROGRAMS(x4, 0.5)
@njit
def calls_what_is_inlined(x, a):
    s = a
    for v in x:
        s = inlined(s, v) + inlined(v, a)
    return s
