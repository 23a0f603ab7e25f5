"""Data: numbers of every kind; arrays of any rank and layout, views, writes, fresh arrays; tuples; lists."""

import cmath
import math
from collections import namedtuple

import numpy as np
from native_helpers import A, Programs
from numba import njit

PROGRAMS = Programs()
F32, C64 = np.float32, np.complex64
Pair = namedtuple("Pair", "mass where")
Nested = namedtuple("Nested", "pair scale count")
x4, y4 = A(0.3, -0.7, 1.1, 0.4), A(1.2, 0.5, -0.3, 0.8)
M34 = np.sin(np.arange(12.0) * 1.7 + 0.3).reshape(3, 4)
T234 = np.cos(np.arange(24.0) * 0.9 + 0.2).reshape(2, 3, 4)
NONE = np.zeros(0)


@PROGRAMS(0.7, 3, True)
@PROGRAMS(0.7, -2, False)
@njit
def numbers_of_all_kinds(a, n, flag):
    s = 0
    if flag:
        s += a
    s += n * a
    k = n // 2 + n % 3
    b = a > 0.5
    s = s * (k + 1) + b * a
    t = 1 if flag else 2
    s += a**2 + a**t + abs(a) ** 1.5 + abs(a) ** n
    s += float(n) * a / (n * n + 1)
    s -= -a if not flag else +a
    return s * int(2.7) + round(0.2) + 7 // 2 * a - (n & 3) * a + (1 << 2) * a


@PROGRAMS(2.3, 0.7, 7)
@PROGRAMS(-2.3, 0.7, -7)
@PROGRAMS(2.3, -0.7, 4)
@njit
def quotients_with_remainders(a, b, n):
    q, r = divmod(a, b)
    k, left = divmod(n, 3)
    pair = divmod(a * b, 0.3)
    return q * a + r * b * a + k * a + left * b * b + pair[1] * pair[0] * n


@PROGRAMS(x4)
@njit
def integer_becomes_a_float(x):
    s = 0
    p = 1
    for i in range(len(x)):
        s += x[i]
        p *= x[i]
    return s * s + p


@PROGRAMS(0.4 + 0.7j, 0.3)
@njit
def complex_numbers(z, a):
    w = z * z + a * z.conjugate() - 1j / z
    w = cmath.exp(w * 0.3) + cmath.sin(z) * a
    for _ in range(3):
        w = w * w * 0.3 + z
    return w.real * a + w.imag * w.imag + abs(z) + cmath.phase(z)


@PROGRAMS(A(0.4 + 0.7j, -0.2 + 0.5j, 1.1 - 0.3j), x4[:3])
@njit
def complex_arrays(z, x):
    w = np.zeros(3, np.complex128)
    for i in range(3):
        w[i] = z[i] * x[i] + z[i - 1]
    w[1:] *= z[:2]
    u = w * x + np.conj(z)
    return (u.real * u.imag).sum() + np.abs(u).sum() + np.sum(u * z).imag


@PROGRAMS(0.4 + 0.7j)
@njit
def returns_a_complex_number(z):
    return z * z * z + z.conjugate() * 0.5


@PROGRAMS(x4.astype(np.float32), 0.5)
@njit
def single_precision(x, a):
    s = F32(0.0)
    w = np.zeros(4, F32)
    for i in range(4):
        w[i] = x[i] * x[i - 1] + F32(a)
        s += w[i] * x[i]
    return s + math.sin(w.sum()) * a


@PROGRAMS(M34, T234)
@PROGRAMS(np.asfortranarray(M34), np.asfortranarray(T234))
@PROGRAMS(np.repeat(M34, 2, 1)[:, ::2], np.repeat(T234, 3, 2)[:, :, 1::3])
@njit
def ranks_and_layouts(m, t):
    s = 0.0
    for i in range(t.shape[0]):
        for j in range(t.shape[1]):
            for k in range(t.shape[2]):
                s += t[i, j, k] * m[j, k] * (i + 1)
    row = m[1]
    column = m[:, 2]
    plane = t[1, :, ::2]
    s += (row * row).sum() + (column * plane[:, 1]).sum()
    s += plane[0, 0] * t[-1, -1, -1] * m[-2, -3]
    return s + t[0].sum() * m.T[2, 1] + np.sum(t[:, 1, 2:4])


@PROGRAMS(x4, y4)
@njit
def views_of_views(x, y):
    v = x[1:]
    w = v[::2]
    r = w[::-1]
    r2 = x[::-1][1:3]
    s = 0.0
    for i in range(len(r)):
        s += r[i] * y[i] * (i + 1)
    return s + (r2 * r).sum() + v[-1] * w[0] + x[-3:-1].sum() * x[:-2][1]


@PROGRAMS(x4, y4)
@njit
def writes_through_views(x, y):
    u = x * 1.0
    v = u[1:]
    v[0] = y[0] * u[0]
    v[1:] *= 2.0
    w = v[::-2]
    w[0] += v[0]
    w[:] = w * y[:2] + u[0]
    u[0] = 5.0
    return (u * u * y).sum() + v[2]


@PROGRAMS(M34, x4)
@njit
def rows_columns_and_transposes(m, x):
    u = m.copy()
    u[0] = x
    u[:, 1] += u[:, 0]
    t = u.T
    t[2] *= t[3]
    u[1:, 2:] = u[:2, :2] * x[0]
    u[2][1] = x[3]
    t[0, 1] -= 2.0 * x[1]
    last = u[-1]
    last[...] = last * last
    return (u * m).sum() + t[1].sum() + u[2, -1] ** 2


@PROGRAMS(x4.copy(), y4)
@PROGRAMS(np.repeat(x4, 2)[::2], y4[::-1])
@njit
def writes_into_its_argument(x, y):
    s = x[0]
    x[0] = y[1] * x[2]
    x[1:3] += y[:2] * s
    x[3] *= x[0]
    x[2] = 1.0
    return s * x[3] + x[1]


@PROGRAMS(x4.copy(), y4)
@njit
def only_writes(out, y):
    for i in range(len(out)):
        out[i] = out[i] * y[i] + math.sin(y[i - 1])


@PROGRAMS(M34.copy())
@njit
def returns_its_argument(m):
    m[0] *= m[1]
    m[1, 1] = m[0, 0] * m[2, 2]
    return m


@PROGRAMS(x4.copy())
@njit
def returns_a_view(x):
    v = x[1:3]
    v[0] = v[1] * x[0]
    return v


@PROGRAMS(x4, 0.7)
@njit
def returns_a_fresh_array(x, a):
    y = np.empty((len(x), 2))
    for i in range(len(x)):
        y[i, 0] = x[i] * a
        y[i, 1] = math.exp(y[i, 0])
    return y


@PROGRAMS(x4, 0.7, 3)
@njit
def returns_a_tuple(x, a, n):
    y = x * a
    s = y.sum()
    y[0] = s * a
    return y, s, n, (a * a, y[1:])


@PROGRAMS(x4, 0.6)
@PROGRAMS(NONE, 0.6)
@njit
def fresh_arrays(x, a):
    n = len(x)
    u = np.zeros(n)
    v = np.ones(n)
    w = np.full(n, a)
    e = np.empty(n)
    for i in range(n):
        e[i] = x[i] * w[i]
        u[i] += e[i] * v[i]
        v[i] = u[i] + i
    z = np.zeros_like(x)
    o = np.ones_like(x)
    c = x.copy()
    c *= 2.0
    k = np.arange(n)
    ln = np.linspace(0.0, 1.0, 5)
    q = np.empty_like(x)
    q[:] = a
    q.fill(a * a)
    f = np.full_like(x, 2.0)
    z += o * c * k + q * f
    return (u * v).sum() + (w * w).sum() + (z * x).sum() + ln[1:3].sum() * a + np.arange(3.0)[2] * a


@PROGRAMS(x4, 0.6)
@njit
def made_of_values(x, a):
    v = np.array([a, x[0] * x[1], 2.0])
    m = np.array([[a, 1.0], [x[2], a * a]])
    line = np.linspace(a, x[3], 4)
    w = np.arange(a, 2.0, 0.5)
    return (v * v).sum() + m[1, 0] * m[0, 0] + m[1, 1] + (line * x).sum() + w[:2].sum() * v[1]


@PROGRAMS(x4, y4)
@njit
def a_copy_keeps_what_was(x, y):
    u = x * y
    keep = u.copy()
    alias = u
    u[0] = 3.0 * y[1]
    alias[1] += 1.0
    s = (keep * u).sum() + alias[0] * alias[1]
    u = y * s
    return s + (u * keep).sum() + alias.sum()


@PROGRAMS(x4, 5)
@njit
def arrays_are_swapped(x, n):
    u = np.sin(x)
    v = np.cos(x)
    for i in range(n):
        u, v = v, u
        u[i % 4] = v[i % 4] * u[i % 4] + x[i % 4]
        if i == 2:
            v = u * 0.5 + v
    return (u * x).sum() + v[1]


@PROGRAMS(x4, 4)
@PROGRAMS(x4, 0)
@njit
def an_array_is_rebound_in_a_loop(x, n):
    u = x
    v = x * 0.5
    for _ in range(n):
        u = np.sin(u) + v
        v = v * u
    u[0] = 2.0 if n else u[0]
    return u.sum() + v[1]


@PROGRAMS(x4, 1)
@PROGRAMS(x4, 2)
@njit
def one_of_two_arrays(x, n):
    u, v = x * 2.0, x + 1.0
    w = u if n == 1 else v
    w[0] = x[1] * 3.0
    if n == 2:
        w = u
    w[1] *= x[0]
    return (u * u).sum() + (v * v * x).sum()


@PROGRAMS(x4, 0.5)
@njit
def tuples(x, a):
    p = (a, a * a)
    q = (p, x, 3)
    (b, c), u, k = q
    s = 0.0
    for i in range(k):
        p = (p[1], p[0] * u[i] + c)
        s += p[0] * b
    t = p + (s,)
    return t[0] * t[2] + t[-1] + (q[1] * x).sum() + len(t) * a


@PROGRAMS((x4, 0.3), (0.5, (1.5, x4 * 2.0), 2))
@njit
def tuples_as_arguments(p, q):
    u, a = p
    b, (c, v), n = q
    s = a * b
    for i in range(n):
        s += u[i] * v[i] * c
    return s + q[1][1][3] * p[1]


@PROGRAMS(Pair(0.7, x4), Nested(Pair(0.3, y4), 2.0, 3))
@njit
def named_tuples(p, q):
    s = 0.0
    for i in range(q.count):
        s += p.mass * p.where[i] * q.pair.where[i]
    moved = Pair(p.mass * q.scale, p.where + q.pair.where)
    return s * q.pair.mass + moved.mass * moved.where.sum() + moved[0]


@PROGRAMS(Pair(0.7, x4))
@njit
def returns_a_named_tuple(p):
    return Nested(Pair(p.mass * 2.0, p.where * p.mass), math.sin(p.mass), 5)


@PROGRAMS(x4, 0.3)
@njit
def lists_of_numbers(x, a):
    held = [a, 1.0]
    for i in range(len(x)):
        held.append(x[i] * held[i])
    held[1] = a * a
    last = held.pop()
    s = 0.0
    for v in held:
        s += v * last
    squares = [v * v for v in x]
    return s + squares[2] * held[-1] + len(held) * a + sum(squares)


@PROGRAMS(x4, y4)
@njit
def lists_of_arrays(x, y):
    held = [x, x * y]
    for i in range(2):
        held.append(held[i] * held[i + 1])
    held[1][0] = 2.0 * y[0]
    s = 0.0
    for i, u in enumerate(held):
        s += u.sum() * (i + 1)
    return s + held[3][1] * held[-2][2]


@PROGRAMS(x4, np.array([2, 0, 3, 3]), M34)
@njit
def gathered(x, index, m):
    g = x[index]
    mask = x > 0.35
    positive = x[mask]
    h = m[index[0]]
    s = (g * x).sum() + (positive * positive).sum() + (h[:4] * g).sum()
    g[index] = x * 2.0
    w = x.copy()
    w[mask] = 0.5
    w[index[:2]] += x[:2]
    return s + (g * g).sum() + (w * x).sum() + np.take(x, index).sum()


@PROGRAMS(x4, 0.4)
@njit
def elements_kept_before_writes(x, a):
    u = x * a
    first = u[0]
    row = u[:1]
    u[0] = 9.0 * a
    u[1], u[2] = u[2], u[1]
    u[3] = u[3] * u[3]
    u[-1] += first
    return first * 2.0 + row[0] * u[1] + u[2] * x[1] + u[3]


@PROGRAMS(x4, 0.4)
@njit
def overlapping_slices(x, a):
    u = x * 1.0
    u[1:] = u[:-1]
    u[:] = u[::-1] * a
    u[:-1] = u[1:] * u[:-1] + a
    u[2:] = u[:2]
    return (u * x).sum() + u[1] * u[3]


@PROGRAMS(x4, 0.4)
@njit
def integers_cut(x, a):
    z = np.zeros(2, np.int64)
    z[0] = int(x[2] * 3.7)
    z[1] = 3
    k = int(a * 10.0 + 0.31)
    return z[0] * x[0] + z.sum() * a + k * x[1] + math.floor(a) * x[2]


@PROGRAMS(M34)
@njit
def reshaped(m):
    flat = m.reshape(12)
    r = flat[2:10].reshape(2, 4)
    s = (r * r).sum() + m.ravel()[3] * flat[-1]
    u = m.copy()
    v = u.reshape(4, 3)
    v[0, 1] = m[2, 2] * 3.0
    e = m[0][:, np.newaxis] * m[1]
    return s + (u * m).sum() + e[1, 2] * np.expand_dims(m[2], 0)[0, 1] + m.flatten()[5] ** 2


@PROGRAMS(M34)
@njit
def masks_of_two_axes(m):
    s = m.copy()
    s[m > 0.3] *= -0.5
    s[m < -0.5] = 0.25
    i, j = np.where(s > 0.1)
    total = 0.0
    for k in range(len(i)):
        total += s[i[k], j[k]] ** 3 * k
    return total + (s * m).sum() + (m.T[m.T > 0.2] ** 2).sum() + (m[m < 0.0] ** 3).sum()


@PROGRAMS(T234)
@njit
def places_of_three_axes(t):
    i, j, k = np.nonzero(t > 0.1)
    s = 0.0
    for n in range(len(i)):
        s += t[i[n], j[n], k[n]] ** 2 * n
    turned = t.transpose(2, 0, 1)
    turned[1] *= 2.0
    return s + (turned[1] ** 2).sum() + (np.transpose(t, (1, 0, 2))[2] ** 3).sum()


@PROGRAMS(M34, np.array([0, 2, 2]), np.array([3, 1]))
@njit
def indices_beside_others(m, rows, columns):
    u = m * 1.0
    u[rows, 1] = m[rows, 2] * 3.0
    u[1, columns] *= 2.0
    chosen = u[:, columns]
    return (u * u).sum() + (chosen**2).sum() + (u[rows, 1:3] ** 3).sum() + (u[1:, columns] * 0.5).sum()


@PROGRAMS(x4, np.array([0, 1, 1, 0]))
@njit
def sorted_chosen_and_grouped(x, group):
    u = x * 2.0
    u.sort()
    v = np.select([x < -0.5, x < 0.5], [x**2, x * 3.0], 0.1)
    s = (u * np.arange(4)).sum() + (v * x).sum() + np.sum(np.unique(x) ** 3 * np.arange(4))
    for g in np.unique(group):
        t = 0.0
        for i in range(len(x)):
            if group[i] == g:
                t += np.sinc(x[i])
        s += t * t
    return s


@PROGRAMS(x4, 0.4)
@njit
def arrays_of_lists_of_some_type(x, a):
    s = 0.0
    k = 0
    while k < len(x) - 1:
        made = np.zeros(2, np.float64)
        weights = np.array([1, 3], dtype=np.int32)
        made[0] = x[k] ** 2
        row = np.array([x[k], 2, a], dtype=np.float64)
        many = np.asarray([v * a for v in x], np.float64)
        turned = np.array([a, x[k]], dtype=np.complex128) * 1j
        chosen = x[:3][np.array([1, 0, 1], dtype=np.bool_)]
        s += (made * weights).sum() + row[0] * row[1] * row[2] + (many**2).sum() + np.abs(turned + 1.0).sum()
        s += (chosen**3).sum()
        k += 1
    return s


@PROGRAMS(M34)
@njit
def means_of_groups(m):
    middle = m[:2].copy()
    for _ in range(2):
        label = np.empty(m.shape[0], np.int64)
        for i in range(m.shape[0]):
            label[i] = 0 if ((m[i] - middle[0]) ** 2).sum() < ((m[i] - middle[1]) ** 2).sum() else 1
        for k in range(2):
            chosen = label == k
            middle[k] = m[chosen].sum(axis=0) / chosen.sum()
    return (middle**2).sum()


@PROGRAMS(x4, 0.3)
@njit
def dicts_of_literal_keys(x, rate):
    state = {"place": 0.0, "speed": rate, "a b": x[1]}
    state_place, t = 2.0, 0.0
    for i in range(len(x)):
        state["speed"] = state["speed"] - 0.1 * state["place"] * x[i]
        state["place"] += state["speed"] * state["a b"]
        now = {"left": t, "right": x[i]}
        if "left" in now and "up" not in now:
            t = math.sin(now["left"]) * now["right"] + 0.2 * now["left"]
    state["speed"] = 2
    return t + state["place"] * state_place + state["speed"] / 4


@PROGRAMS(x4, y4)
@njit
def dicts_that_are_only_read(x, y):
    sizes = {"n": 3, "power": 2}
    arrays = {"x": x, "y": y}
    mixed = {"scale": 0.7, "of": x}
    wanted = {0, 2}
    t = 0.0
    for i in range(sizes["n"]):
        if i in wanted:
            t += arrays["x"][i] ** sizes["power"] * mixed["scale"]
        elif i not in {3, 4}:
            t -= arrays["y"][i]
    arrays["y"][0] = t
    return t * mixed["of"].sum() + y[0]
