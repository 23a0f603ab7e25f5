"""Products of known lengths as loops, rows and windows seen through, loops inside fused loops."""

import math

import numpy as np
from native_helpers import Programs
from numba import njit

PROGRAMS = Programs()

_RNG = np.random.default_rng(1)
LEFT, RIGHT = _RNG.normal(size=(5, 4)), _RNG.normal(size=(4, 6))
FOUR, FIVE, SIX = _RNG.normal(size=4), _RNG.normal(size=5), _RNG.normal(size=6)
SQUARE, ROWS = _RNG.normal(size=(6, 6)), _RNG.normal(size=(7, 3))
ANGLES = _RNG.normal(size=14)


@PROGRAMS(LEFT, RIGHT, FOUR)
@njit
def products_and_writes(A, B, v):
    C = A @ B
    C2 = C.copy()
    C[0, 0] = v[0] * C[1, 1]
    return np.sum(C * C2) + np.sum((A @ v) ** 2)


@PROGRAMS(SQUARE, SIX, 4)
@njit
def power_iteration(A, v, n):
    x = v.copy()
    t = 0.0
    for i in range(n):
        y = A @ x
        x = y / np.sqrt(y @ y)
        A = A * 0.99
        t += x @ (A @ x)
    return t


@PROGRAMS(SQUARE, SIX, 5)
@njit
def matrix_that_is_written(A, v, n):
    x = v.copy()
    t = 0.0
    A = A.copy()
    for i in range(n):
        y = A @ x
        A[i % 6, 0] = y[0] * 0.1
        x[i % 6] = y[i % 6] * 0.5
        t += y @ y
    return t


@PROGRAMS(LEFT, FIVE)
@njit
def transposed_products(A, v):
    return np.sum((A.T @ A) ** 2) + np.sum((v @ A) * 2)


@PROGRAMS(SQUARE, 4)
@njit
def matrix_carried(A, n):
    P = np.eye(6)
    for _ in range(n):
        P = A @ P * 0.5 + P
    return np.sum(P * P)


@PROGRAMS(SQUARE, SIX, 4)
@njit
def vectors_exchanged(A, v, n):
    u = v
    w = v * 2
    t = 0.0
    for i in range(n):
        u, w = w, A @ u
        t += u @ w
    return t


@PROGRAMS(ROWS)
@njit
def rows_from_the_end(V):
    t = 0.0
    for i in range(len(V)):
        a = V[-1 - i]
        b = V[i][::-1]
        t += a[0] * b[0] + a[-1] * b[-1] + V[i, 1:][1] * V.T[0][i]
    return t


@PROGRAMS(ROWS)
@njit
def windows_of_rows(V):
    t = 0.0
    for i in range(len(V) - 1):
        r = V[i : i + 2]
        for k in range(3):
            t += r[0][k] * r[1, k] * r[-1, k]
        c = V[:, 1]
        t += c[i] * c[-1] + V[..., 2][i]
    return t


@PROGRAMS(ROWS)
@njit
def rows_written(V):
    W = V.copy()
    t = 0.0
    for i in range(len(V)):
        row = W[i]
        for k in range(3):
            row[k] = row[k] * row[(k + 1) % 3] + W[i - 1, k]
        t += row[0] * row[2]
    return t + W.sum()


@PROGRAMS(ANGLES)
@njit
def windows_that_move(th):
    t = 0.0
    for f in range(4):
        s = th[2 + 3 * f : 5 + 3 * f]
        t += s[0] * s[1] + np.sum(s * s) * s[-1]
    return t


@PROGRAMS(ANGLES[:13])
@njit
def windows_at_the_end(th):
    t = 0.0
    for f in range(4):
        s = th[2 + 3 * f : 5 + 3 * f]
        if len(s) == 3:
            t += np.sum(s * s * s)
        else:
            t += np.sum(s) * len(s)
    return t


@PROGRAMS(ANGLES, 0)
@njit
def windows_before_the_start(th, k):
    t = 0.0
    for f in range(k, k + 3):
        s = th[f - 1 : f + 1]
        t += np.sum(s * s)
    return t


@PROGRAMS(ROWS)
@njit
def pairs_with_scratch(V):
    e = 0.0
    w = np.empty(3)
    for i in range(len(V)):
        for k in range(3):
            w[k] = V[i, k] ** 2
        for j in range(i):
            s = 0.0
            for k in range(3):
                s += w[k] * V[j, k]
            e += math.sin(s)
        e -= w[0]
    return 3 * e


@PROGRAMS(ROWS)
@njit
def scratch_that_stays(V):
    e = 0.0
    w = np.zeros(3)
    for i in range(len(V)):
        for j in range(i):
            w[j % 3] += V[i, 0] * V[j, 1]
            e += w[j % 3]
    return e


@PROGRAMS(ROWS)
@njit
def sums_inside_of_sums(V):
    e = 0.0
    for i in range(len(V)):
        s = 0.0
        for j in range(i):
            s += V[i, 0] * V[j, 1]
        e += 2 * s - V[i, 2]
        q = 0.0
        for j in range(3):
            q -= V[i, j] ** 3
        e = e + q * 0.5
    return e / 7


@PROGRAMS(ROWS)
@njit
def largest_of_running_sums(V):
    t = 0.0
    for i in range(len(V)):
        m = 0.0
        x = np.zeros(3)
        for j in range(len(V)):
            x += V[j] * V[i]
            if x[0] > m:
                m = x[0]
        t += m * x[1]
    return t


@PROGRAMS(ROWS)
@njit
def rows_of_scratch(V):
    t = 0.0
    buf = np.empty((2, 3))
    for i in range(len(V) - 1):
        buf[0] = V[i]
        buf[1] = V[i + 1]
        y = buf @ V[i]
        t += y[0] * y[1]
        z = buf.T @ y
        t += z @ V[0]
    return t


@PROGRAMS(ROWS, FOUR[:3])
@njit
def columns_gathered(V, x):
    out = np.zeros(len(V))
    for i in range(len(V)):
        acc = np.zeros(3)
        for j in range(3):
            acc[j] = V[i, j] * x[j]
        for k in range(2):
            for j in range(3):
                acc[j] = acc[j] * acc[(j + 1) % 3]
            out[i] += acc[k]
    return np.sum(out * out)


@PROGRAMS(ROWS)
@njit
def normalised_rows(V):
    t = 0.0
    for i in range(len(V)):
        y = np.empty(3)
        for j in range(3):
            y[j] = math.exp(V[i, j])
        s = 0.0
        for j in range(3):
            s += y[j]
        for j in range(3):
            t += y[j] / s * V[i - 1, j]
        y[1] = 0.0
        t += y[0] * y[1]
        for j in range(3):
            t += y[j] * s
    return t


@PROGRAMS(SQUARE[:4, :4] * 0.3, RIGHT[:2, :4].copy(), ROWS[:4, :2].copy())
@njit
def kalman_filter(F, H, seen):
    x, P = np.zeros(4), np.eye(4)
    t = 0.0
    for k in range(len(seen)):
        x = F @ x
        P = F @ P @ F.T + 0.1 * np.identity(4)
        S = H @ P @ H.T + 0.5 * np.eye(2)
        e = seen[k] - H @ x
        K = P @ H.T @ np.linalg.inv(S)
        x = x + K @ e
        P = (np.eye(4) - K @ H) @ P
        t += e @ np.linalg.solve(S, e) + np.log(np.linalg.det(S))
    return t


@PROGRAMS(SQUARE, SIX)
@njit
def unit_matrices(A, v):
    n = len(v)
    E = np.eye(n)
    E[0, n - 1] = v[0]
    wide = np.eye(2, 6)
    B = A + np.identity(n) * v[1]
    return np.sum((E @ B) ** 2) + np.sum((wide @ B) * 0.3) + np.sum(E * A)
