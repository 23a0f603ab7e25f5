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
