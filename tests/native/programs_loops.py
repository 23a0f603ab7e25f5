"""Loops: `range` with any step, nested, triangular, left early; `while`; iteration over arrays and tuples."""

import math

import numpy as np
from native_helpers import A, Programs
from numba import njit

PROGRAMS = Programs()
x4, y4 = A(0.3, -0.7, 1.1, 0.4), A(1.2, 0.5, -0.3, 0.8)
M23 = A((0.3, -0.7, 1.1), (0.4, 0.9, -0.2))
NONE = np.zeros(0)


@PROGRAMS(x4, y4)
@PROGRAMS(NONE, NONE)
@PROGRAMS(x4[:1], y4[::-1][:1])
@njit
def steps_of_every_kind(x, y):
    s = 0.0
    n = len(x)
    for i in range(n):
        s += math.sin(x[i]) * y[i]
    for i in range(1, n):
        s += x[i] * x[i - 1]
    for i in range(0, n, 2):
        s *= 1.0 + 0.1 * y[i]
    for i in range(n - 1, -1, -1):
        s = 0.5 * s + x[i] * s * y[i]
    for i in range(n - 1, 0, -2):
        s += math.cos(s) * x[i]
    for i in range(3, 3):
        s *= y[i]
    for i in range(2, 5, -1):
        s += y[i]
    return s


@PROGRAMS(x4, 3)
@PROGRAMS(x4, -1)
@PROGRAMS(x4, -3)
@njit
def step_that_is_an_argument(x, step):
    s = 0.1
    start, stop = (0, len(x)) if step > 0 else (len(x) - 1, -1)
    for i in range(start, stop, step):
        s = math.tanh(s + x[i]) * (i + 1)
    return s


@PROGRAMS(M23 @ M23.T, x4[:2])
@njit
def triangular(m, v):
    n = len(v)
    s = 0.0
    for i in range(n):
        for j in range(i):
            s += m[i, j] * v[j]
        for j in range(i, n):
            s += math.sin(m[i, j]) * v[i] * s
        for k in range(n - i):
            for j in range(k, i + 1):
                s += 0.1 * m[k, j] * s
    return s


@PROGRAMS(x4, 0.9)
@PROGRAMS(x4, 100.0)
@PROGRAMS(NONE, 0.9)
@njit
def left_by_break(x, limit):
    s = 1.0
    t = 0.0
    for i in range(len(x)):
        s += x[i] * x[i]
        if s > limit + 0.5:
            t += 3.0 * s
            break
        t += math.exp(-s)
    return s * t


@PROGRAMS(x4)
@njit
def continues(x):
    s = 0.5
    for i in range(len(x)):
        if x[i] < 0.0:
            continue
        s *= x[i] + 1.0
        if i == 2:
            s = math.sin(s)
            continue
        s += x[i]
    return s


@PROGRAMS(x4, 0.9)
@PROGRAMS(x4, -9.0)
@PROGRAMS(x4, 99.0)
@njit
def returns_from_inside(x, limit):
    s = 0.0
    for i in range(len(x)):
        for j in range(i + 1):
            s += x[i] * x[j]
            if s > limit:
                return s * limit
            if j == 3:
                return math.sin(s) * x[j]
        if s < -5.0:
            break
    return s * s


@PROGRAMS(A((0.1, 0.5), (0.7, 0.2), (0.4, 0.9)), 0.65)
@njit
def break_of_the_inner_loop_only(m, limit):
    s = 0.0
    for i in range(m.shape[0]):
        p = 1.0
        for j in range(m.shape[1]):
            if m[i, j] > limit:
                break
            p *= m[i, j] + p
        else:
            p += s
        s += p * limit
    return s


@PROGRAMS(x4, 0.3)
@njit
def loop_with_else(x, a):
    s = a
    for i in range(len(x)):
        if x[i] > 5.0:
            break
        s += x[i] * s
    else:
        s *= a
    for v in x:
        if v < 0.0:
            break
        s *= v
    else:
        s = 0.0
    return s


@PROGRAMS(2.0, 1e-12, want=(0.5 / math.sqrt(2.0), 0.0), fd=False)
@PROGRAMS(0.3, 1e-12, want=(0.5 / math.sqrt(0.3), 0.0), fd=False)
@njit
def newton(a, tol):
    r = a
    k = 0
    while abs(r * r - a) > abs(tol) and k < 40:
        r = 0.5 * (r + a / r)
        k += 1
    if k >= 40:
        r = 0.0
    return r


@PROGRAMS(0.3, x4)
@njit
def while_true(a, x):
    s = a
    i = 0
    while True:
        if i >= len(x):
            break
        s = math.sin(s) + x[i]
        i += 1
        if s < -0.3:
            s += 2.0 * a
            continue
        s *= 0.9
    return s


@PROGRAMS(0.9)
@njit
def collatz(a):
    n = 7
    while n != 1:
        if n % 2 == 0:
            n //= 2
            a = a * 0.9 + 0.1
        else:
            n = 3 * n + 1
            a = math.sin(a) + 0.01 * n
    return a


@PROGRAMS(x4, y4)
@njit
def while_inside_of_for(x, y):
    s = 0.0
    for i in range(len(x)):
        t = x[i] * x[i] + 0.2
        while t < 3.0:
            t = t * 1.7 + 0.1 * y[i]
            s += t
        s *= 0.9
    return s


@PROGRAMS(x4, M23)
@njit
def over_arrays(x, m):
    s = 0.0
    for v in x:
        s += v * v
    for row in m:
        p = 1.0
        for v in row:
            p *= v + s
        s += p + row[0]
    for i, v in enumerate(x):
        s += i * math.sin(v)
    for i, v in enumerate(x, 2):
        s += v / i
    for a, b in zip(x, m[0]):
        s += a * b * s
    for i, (a, b) in enumerate(zip(x, x[1:])):
        s += a * b * (i + 1)
    return s


@PROGRAMS((0.3, -0.8, 1.2), (0.5, 2))
@njit
def over_tuples(t, mixed):
    s = 0.0
    for v in t:
        s += math.sin(v) * s + v
    for i in range(len(t)):
        s *= t[i] + 1.5
    a, k = mixed
    for i in range(k):
        s += a * i
    for a, b in zip(t, (1.0, 2.0, 3.0)):
        s += a * b
    return s


@PROGRAMS(A((0.3, -0.7, 1.1), (0.4, 0.9, -0.2)))
@njit
def over_ndindex_and_flat(m):
    s = 0.0
    for i, j in np.ndindex(m.shape):
        s += m[i, j] * (i + 2 * j)
    for v in m.flat:
        s = math.sin(s) + v
    for (i, j), v in np.ndenumerate(m):
        s += v * v * i
    return s


@PROGRAMS(x4)
@njit
def rows_written_while_iterated(x):
    m = np.zeros((3, 4))
    for i, row in enumerate(m):
        row[:] = x * (i + 1)
        row[0] *= x[1]
    for row in m:
        row *= 2.0
    s = 0.0
    for row in m:
        s += (row * row).sum()
    return s


@PROGRAMS(0.5, 1.0, 3)
@PROGRAMS(0.5, 1.0, 0)
@njit
def values_swapped_in_a_loop(a, b, n):
    for _ in range(n):
        a, b = b, 2.0 * a + math.sin(b)
    return a + 10.0 * b


@PROGRAMS(x4)
@njit
def counters(x):
    L = 0
    s = 0.0
    w = np.zeros(10)
    for i in range(len(x)):
        for j in range(i):
            w[L] = x[i] * x[j]
            L += 1
    while L > 0:
        L -= 1
        s = 0.5 * s + w[L] * (L + 1)
    return s


@PROGRAMS(x4)
@njit
def loop_variable_after_the_loop(x):
    i = -1
    s = 0.0
    for i in range(len(x) - 1):
        s += x[i]
    s *= x[i] * i
    for i in range(3, 0, -1):
        i += 1
        s += x[i - 2] * i
    return s * i


@PROGRAMS(x4, 2)
@njit
def bound_changed_in_the_loop(x, n):
    s = 0.0
    for i in range(n):
        n = 0
        s += x[i]
    m = len(x)
    for i in range(m):
        m -= 1
        s = s * x[i] + m
    return s


@PROGRAMS(x4)
@njit
def defined_in_some_iterations(x):
    s = 0.0
    t = 0.0
    for i in range(len(x)):
        if x[i] > 0.0:
            t = x[i] * x[i]
        s += t * (i + 1)
    return s


@PROGRAMS(x4)
@njit
def maximum_and_where(x):
    best = x[0]
    at = 0
    for i in range(1, len(x)):
        if x[i] > best:
            best = x[i]
            at = i
    low = min(x[0], x[1])
    high = max(low, x[2], x[3])
    return best * best + at * x[at] + low * high


@PROGRAMS(x4, 0.2)
@njit
def fisher(u, r):
    u = u.copy()
    for _ in range(6):
        old = u[0]
        for i in range(1, len(u) - 1):
            new = u[i] + r * (old - 2.0 * u[i] + u[i + 1]) + 0.1 * u[i] * (1.0 - u[i])
            old = u[i]
            u[i] = new
    return u.sum() * u[1]


@PROGRAMS(x4, 0.2)
@njit
def two_buffers(u, r):
    v = np.empty_like(u)
    n = len(u)
    w = u.copy()
    for _ in range(5):
        for i in range(n):
            v[i] = w[i] + r * (w[(i + 1) % n] - 2.0 * w[i] + w[i - 1])
        w, v = v, w
    return (w * w).sum() + v[0]


@PROGRAMS(A(0.1, 0.2, 0.3), np.array([2, 0, 2, 1, 2]))
@njit
def scatter(x, index):
    s = np.zeros(len(x))
    for i in range(len(index)):
        s[index[i]] += x[i % 3] * x[index[i]]
    for i in range(len(index)):
        s[index[i]] *= 1.0 + x[0]
    for i in range(len(index)):
        s[index[i]] = s[index[i] - 1] + x[i % 3]
    return s[0] + s[1] * s[2]


@PROGRAMS(x4, 0.5)
@njit
def three_deep(x, a):
    s = 0.0
    n = len(x)
    for i in range(n):
        r = a
        for j in range(0, n, 2):
            q = x[j]
            for k in range(j, i, -1):
                q = q * x[k] + r
            r += math.sin(q)
        s += r * r * x[i]
    return s


@PROGRAMS(x4, 3)
@njit
def iterations_that_do_not_run(x, n):
    s = x[0]
    for i in range(n - 3):
        s *= x[i]
    for i in range(n, 1):
        s *= 2.0
    while n > 10:
        s *= 3.0
        n -= 1
    for _ in range(0):
        s = 0.0
    return s


@PROGRAMS(A(0.3, 1.4, -0.7, 0.9))
@PROGRAMS(A(0.3, 0.4, -0.7, 0.9))
@njit
def while_else(x):
    i, s = 0, x[0] * x[1]
    while i < len(x):
        if x[i] > 1.0:
            break
        s += x[i] ** 3
        if i not in (0, 2):
            s *= x[i]
        i += 1
    else:
        s *= 2.0
    while i in (2, 3, 4):
        i += 1
    else:
        s += x[i - 4]
    return s


@PROGRAMS(A((0.3, -0.7, 1.1), (0.4, 0.9, -0.2)))
@njit
def rows_from_tuples(m):
    m = np.asarray(m)
    out = np.zeros((2, 3))
    best = np.argmax(m, axis=1)
    for i in range(2):
        out[i] = (m[i, 0] ** 2, m[i, best[i]] * 3.0, 1.0)
        out[i, 1:] = (m[i, 1], m[i, 2] * out[i, 0])
    return np.sum(out * out)


@PROGRAMS(A((0.3, -0.7, 1.1), (0.4, 0.9, -0.2), (0.8, -0.5, 0.6)), 0.7)
@njit
def tables_and_recurrences(m, w):
    """What a load found stays there, or is overwritten by a later iteration, a negative index or a later loop."""
    n = m.shape[0]
    t = np.ones((n + 1, n + 1))
    for i in range(1, n + 1):
        for j in range(1, i + 1):
            t[i, j] = math.sin(t[i - 1, j] * t[i, j - 1] + m[i - 1, j - 1]) * t[i - 1, j - 1] * w
    y = m[0] * w
    for i in range(n):
        y[i] = y[i - 1] * y[i] + math.sin(y[i])
    z = np.cos(m[1])
    for i in range(n - 2, -1, -1):
        z[i] = math.tanh(z[i + 1] * z[i]) * w
    s = z @ z
    for k in range(1, n):
        for i in range(n - k):
            z[i] = (z[i + 1] - z[i]) * math.cos(z[i] * k)
    d = np.zeros(2 * n)
    for i in range(1, 2 * n - 1, 2):
        d[i] = d[i - 1] * m[2, i // 2] + 1.0
        d[i + 1] = d[i] ** 2 - d[i - 1]
        d[i] *= 0.5
    return s + t[n, n] + t[n, 1] ** 2 + np.sum(y * y) + z[0] * z[1] + np.sum(d * d)


@PROGRAMS(A(0.3, -0.7, 1.1, 0.4, 0.9, 0.2), 0.7)
@njit
def values_that_were_stored(x, w):
    """What was stored stays there, or is overwritten in the same iteration, in a later one or by a later loop."""
    n = x.shape[0]
    t, c = np.zeros((n, 3)), np.zeros(n)
    t[0] = x[:3]
    for i in range(1, n):
        for j in range(3):
            t[i, j] = math.sin(t[i - 1, j] * x[i]) + w * t[i - 1, 0]
            c[i] += t[i, j] ** 2
        r = math.sqrt(c[i] + 1.0)
        for j in range(3):
            t[i, j] /= r
    y = np.zeros(n + 2)
    for i in range(n):
        y[i] = math.sin(y[i + 1] + x[i])
        y[i + 1] = y[i] * w / (1.0 + y[i] ** 2)
        y[(i * i) % n] = math.exp(y[i] * y[i - 1])
    z = x * w
    for _ in range(2):
        for i in range(1, n, 2):
            z[i] = math.tanh(z[i - 1] * z[i])
            z[i - 1] = z[i] ** 2 / (w + z[i])
    k = 0
    found = np.ones(n)
    for i in range(n):
        a = math.sin(x[i] * w) / (1.0 + found[k])
        if a > 0.1:
            k += 1
            found[k] = a * a + w
        found[0] = a / found[k]
    u, v = x.copy(), np.cos(x)
    for i in range(1, n):
        u[i] = math.sin(u[i - 1] * v[i]) / (1.5 + v[i - 1])
        u, v = v, u
    return np.sum(t * t) + y @ y + z @ z + np.sum(c) + found @ found + u @ v


@PROGRAMS(A(0.3, -0.7, 1.1, 0.4, 0.9, 0.2), 0.7)
@njit
def arrays_that_change_places(x, w):
    """A write shares the loop of what it reads where both are apart: not where another name has one of them."""
    u, v, r = x.copy(), np.cos(x), np.zeros(x.shape[0])
    for _ in range(3):
        r[1:-1] = u[2:] * w + np.sin(u[:-2]) - v[1:-1]
        v, u, r = u, r, v
    held, a, b = x * w, np.sin(x), x.copy()
    same = a
    for i in range(3):
        b[1:] = np.tanh(a[:-1]) * w + same[1:] * held[:-1]
        a, b = b, a
        held[:-1] = a[1:] + held[1:] * b[:-1]
    part, rest = held[:3], held[3:]
    for _ in range(2):
        part[1:] = np.sin(rest[:-1]) + part[:-1]
        part, rest = rest, part
    both = x * 1.0
    left, right = both[:4], both[1:5]
    for _ in range(3):
        left[:] = np.sin(right) * w + left
        left, right = right, left
    return np.sum(u * v + r) + np.sum(a * b) + same @ held + part @ rest + both @ both


@PROGRAMS(0.4, 0.7)
@njit
def elements_at_numbers(a, b):
    """What stands at a place that a number says is known until this place, or any place of a view, is written."""
    x, m = np.array([a, b, a * b, 0.5]), np.ones((2, 2))
    total = 0.0
    for i in range(4):
        x[0] = math.sin(x[0] * x[1])
        x[1] = x[0] * b
        x[-1] = x[1] + x[3]
        total += x[3] * x[0]
        x[i] = total * x[2]
        x[2] += x[0] * x[3]
        part = x[1:]
        part[0] = x[1] * x[2]
        total += x[1] * x[2]
        m[0, 1] = x[1] * a
        m[1, 0] = m[0, 1] * m[0, 0]
        m[0] *= b
        m[i % 2, 1] = m[0, 1] + m[1, 0]
        total += m[0, 1] * m[1, 1]
    return total + np.sum(x) + np.sum(m * m)


@PROGRAMS(A(0.3, -0.7, 1.1, 0.4, 0.9))
@PROGRAMS(A(0.3, -0.7, 1.1))
@njit
def ends_overwritten_by_numbers(x):
    """What is read of a cotangent that the same loop sets to zero, which LLVM vectorises under a mask."""
    u = np.sin(x)
    s = 0.2
    for i in range(len(x) - 1, -1, -1):
        for j in range(1, len(x)):
            s = s * 0.7 + math.tanh(0.2 * np.sum(u * x[i]))
            u[i:] = math.sin(x[j] * s)
    for i in range(min(len(x), 7)):
        if x[i] > 0.0:
            u[i] = s * x[i]
    return s + u @ u


@PROGRAMS(A((4.0, 1.0, 0.5), (1.0, 3.0, 0.2), (0.5, 0.2, 2.0)))
@njit
def cholesky_in_place(m):
    low = m.copy()
    n = low.shape[0]
    for j in range(n):
        low[j, j] = math.sqrt(low[j, j])
        for i in range(j + 1, n):
            low[i, j] = low[i, j] / low[j, j]
        for k in range(j + 1, n):
            for i in range(k, n):
                low[i, k] -= low[i, j] * low[k, j]
    s = 0.0
    for i in range(n):
        for j in range(i + 1):
            s += math.sin(low[i, j]) * (i + 2 * j)
    return s


@PROGRAMS(x4)
@PROGRAMS(NONE)
@PROGRAMS(np.sin(np.arange(300.0)))
@njit
def runs_of_one_sign(x):
    s = 0.0
    i = 0
    while i < len(x):
        r = 0.1
        j = i
        while j < len(x) and (x[j] > 0.0) == (x[i] > 0.0):
            r += math.sin(x[j]) * r
            j += 1
        s += r * r
        i = j
    return s


@PROGRAMS(x4, 1)
@PROGRAMS(x4, -2)
@PROGRAMS(NONE, 3)
@njit
def counts_in_while_loops(x, n):
    s = 0.3
    i = n
    while i <= len(x) - 1:
        s = math.sin(s) + x[i]
        i += 2
    s *= 1.0 + 0.1 * i
    i = len(x) - 1
    while n < i:
        s += x[i] * s
        i -= 1
    k = 0
    while 3 > k:
        s = math.cos(s)
        k += 1
    return s + 0.1 * i


@PROGRAMS(A(0.3, -0.7, 1.1, 0.4, -0.2), A(0.9, 0.1, 0.5, -0.3, 1.2))
@njit
def insertion_sort(x, w):
    y = x.copy()
    for i in range(1, len(y)):
        v = y[i]
        j = i - 1
        while j >= 0 and y[j] > v:
            y[j + 1] = y[j]
            j -= 1
        y[j + 1] = v
    s = 0.0
    for i in range(len(y)):
        s += w[i] * y[i] ** 2
    return s


@PROGRAMS(A(0.3, 0.9, -0.7), A(0.1, 0.5), A(0.2, 0.3, 0.4, 0.5, 0.6))
@njit
def merges(x, y, w):
    i, j, k = 0, 0, 0
    s = 0.2
    while i < len(x) and j < len(y):
        if x[i] < y[j]:
            s = math.sin(s + w[k] * x[i])
            i += 1
        else:
            s += w[k] * y[j]
            j += 1
        k += 1
    while i < len(x):
        s += w[k] * x[i]
        i += 1
        k += 1
    while j < len(y):
        s += w[k] * y[j]
        j += 1
        k += 1
    return s


@PROGRAMS(A((0.3, -0.7, 1.1), (0.4, 0.9, -0.2)), 0.4)
@PROGRAMS(A((0.3,)), 0.4)
@njit
def neighbours_on_a_torus(m, c):
    n, k = m.shape
    u, new = m.copy(), np.empty_like(m)
    for _ in range(3):
        for i in range(n):
            for j in range(k):
                around = u[(i - 1) % n, j] + u[(i + 1) % n, j] + u[i, (1 + j) % k] + u[i, (j - 1) % k]
                new[i, j] = math.tanh(u[i, j] + c * around)
        u, new = new, u
    s = 0.0
    for i in range(1, n):
        s += u[(i + 2) % n, 0] * u[i, (i - 1) % k]
    for i in range(n - 1):
        s += math.sin(u[(i + 1) % n, 0]) * u[(i - 1) % n, k - 1]
    for i in range(2):
        s += u[0, (i + 1) % 2 % k] * u[0, (i - 1) % 2 % k]
    return s + u[0, 0]


@PROGRAMS(x4, y4)
@njit
def remainders_of_other_ranges(x, y):
    n = len(x)
    s = 0.0
    for i in range(-2, n):
        s += x[(i + 1) % n] * y[(i - 1) % n]
    for i in range(n + 1):
        s += x[(i + 1) % n] * y[(i - 1) % n] * s
    for i in range(n - 1, -1, -1):
        s += math.sin(x[(i + 1) % n]) * y[(i - 1) % n]
    for i in range(n):
        s += x[(i + 1) % 3] * y[(i - 1) % 3] * (i - 1) % 3
    for i in range(3):
        s += x[i] * ((i + 1) % 3.0) / ((i - 1) % 3.0 + 1)
    return s


@PROGRAMS(np.array([0.3 + 0.2j, -0.4 + 0.1j, 0.0j]), x4[:3], 0.5)
@PROGRAMS(np.array([0.3 + 0.2j, -0.4 + 0.1j, 0.1j], np.complex64), x4[:3], 0.5)
@njit
def powers_and_multiples_of_complex_elements(z, x, a):
    w, u = z.copy(), np.zeros_like(z)
    s = 0.0
    for _ in range(2):
        for i in range(len(z)):
            w[i] = w[i] ** 2 + 0.3 * z[i] ** 3 - z[i] ** 2.0 * x[i]
            w[i] += (w[i] / (1.5 + a) + w[i] * (0.5 + 0.2j)) * x[i] + 1j * (-2.0) * z[i]
        for i in range(1, len(z) - 1):
            u[i] = w[i + 1] - 2.0 * w[i] + w[i - 1] / a
    for i in range(len(z)):
        s += abs(w[i] + 0.7) + (u[i] ** 5 + u[i] ** 4).real + u[i].imag
    return s
