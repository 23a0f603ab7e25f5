"""Small programs that engines answer wrongly without a word, as Numba has them; gradients known exactly."""

import math
from collections import namedtuple

import numpy as np
from native_helpers import A, Programs
from numba import njit

PROGRAMS = Programs()


@PROGRAMS(A(1, 2, 3), want=(A(2, 4, 6),))
@njit
def t1_written_after_use(x):
    y = x * x
    x[:] = 1
    return y.sum()


@PROGRAMS(A(1, 2, 3), want=(A(2, 16, 24),))
@njit
def t3_augmented_view(x):
    v = x[1:]
    v *= 2
    return (x * x).sum()


@PROGRAMS(A(1, 2, 3), want=(A(11, 100, 0),))
@njit
def t5_shifted_in_place(x):
    x[1:] = x[:-1]
    return x @ np.array([1.0, 10.0, 100.0])


@PROGRAMS(A(1, 2), want=(A(3, 3),))
@njit
def t9_repeated_index(x):
    return x[np.array([0, 0, 1])] @ np.array([1.0, 2.0, 3.0])


@PROGRAMS(A(1, 2, 3), want=(A(5, 0, 3),))
@njit
def t11_index_written_after_use(x):
    i = np.array([2, 0])
    y = x[i]
    i[0] = 1
    return y @ np.array([3.0, 5.0])


@PROGRAMS(A(1, 2, 3), want=(A(0, 5, 3),))
@njit
def t11_index_of_loops_written_after_use(x):
    i = np.array([2, 0])
    s = 0.0
    for k in range(2):
        s += x[i[k]] * (3.0 + 2.0 * k)
        i[1] = 1
    i[:] = 0
    return s


@PROGRAMS(np.arange(6.0).reshape(2, 3) + 1, want=(8 * (np.arange(6.0).reshape(2, 3) + 1),))
@njit
def t15_rows(X):
    for r in X:
        r *= 2
    return (X**2).sum()


@PROGRAMS(2.0, want=(7.0,))
@njit
def t17_integer_memory_cuts(x):
    z = np.zeros(1, np.int64)
    z[0] = x * 3.7
    return z[0] * x


@PROGRAMS(A(2, 3))
@njit
def t19_swap(x):
    x[0] *= x[1]
    return x


@PROGRAMS(1.5, want=(2.0,))
@njit
def t23_swapped_numbers(x):
    a, b = 1.0, x
    for _ in range(3):
        a, b = b, 2 * a
    return a + 10 * b


@PROGRAMS(A(0, 4), want=(A(0, 0.25),), fd=False)
@njit
def t35_where(x):
    return np.where(x > 0, np.sqrt(x), 0.0).sum()


@PROGRAMS(A(0, 4), want=(A(0, 0.25),), fd=False)
@njit
def t35_branch(x):
    s = 0.0
    for v in x:
        r = math.sqrt(v)
        if v > 0.0:
            s += r
    return s


@PROGRAMS(0.0, want=(0.0,), fd=False)
@njit
def root_of_a_square(x):
    return math.sqrt(x * x)


@PROGRAMS(0.5, want=(9.15,))
@njit
def t39_recurrence(a):
    X = 1.0
    ll = 0.0
    for t in range(4):
        X = a * X + 0.1
        ll += (t + 1) * X
    return ll


@PROGRAMS(A(1, 2, 3))
@njit
def overwritten_before_use(x):
    x[0] = 2.0
    x[0] = x[1]
    x[1] = 3.0
    return (x**2).sum()


@PROGRAMS(A(1, 2, 3))
@njit
def swap_of_elements(x):
    x[0], x[2] = x[2], x[0]
    return x @ np.array([1.0, 10.0, 100.0])


@PROGRAMS(A(1, 2, 3))
@njit
def a_buffer_used_again(x):
    s = 0.0
    buffer = np.zeros(2)
    for i in range(3):
        buffer[0] = x[i] * (i + 1)
        buffer[1] = buffer[0] * x[0]
        s += buffer.sum()
    return s


@PROGRAMS(A(1, 2, 3))
@njit
def aliased_names(x):
    y = x
    y += 1
    z = x
    return (z * y).sum()


@PROGRAMS(A(1, 3, 3), want=(A(0, 1, 0),), fd=False)
@njit
def a_tie_goes_to_the_first(x):
    return np.max(x)


@PROGRAMS(A(0.5, 0.0, 3.0), want=(A(0.0, 1.5, 0.0),))
@njit
def product_with_a_zero(x):
    return np.prod(x)


@PROGRAMS(0.0, 2.0, want=(0.0, 0.0), fd=False)
@njit
def power_at_zero(x, p):
    return x**p


@PROGRAMS(A(0.0, 0.0), want=(A(0.0, 0.0),), fd=False)
@njit
def norm_at_zero(x):
    return np.sqrt((x * x).sum()) * 0.0 + np.linalg.norm(x) + abs(x[0]) + math.hypot(x[0], x[1])


@PROGRAMS(-7.5, 2.0, want=(1.0, 4.0))
@njit
def remainder_of_negatives(x, y):
    return x % y


@PROGRAMS(A(1.0, -2.0, 4.0), want=(A(1.0, 0.0, 1.0),))
@njit
def a_view_written_in_a_branch(x):
    s = 0.0
    for i in range(3):
        v = x[i : i + 1]
        if v[0] < 0.0:
            v[0] = 0.0
        s += x[i]
    return s


@PROGRAMS(A(1.0, 2.0, 3.0), np.array([0, 1, 1]))
@njit
def repeated_index_in_an_array_write(x, index):
    y = np.zeros(3)
    y[index] = x
    y[index] += x * x
    return y @ np.array([1.0, 10.0, 100.0])


# -- variables that are called what the cotangents and tangents of others would be called ----------


@PROGRAMS(1.5, want=(27.0,))
@njit
def a_bar_of_its_own(x):
    x_bar = 2.0 * x
    return x_bar * x_bar * x


@PROGRAMS(0.4, 1.3)
@njit
def a_bar_given(x_bar, x):
    x_bar_bar = np.sin(x_bar) * x
    return x_bar_bar * x_bar * x


@PROGRAMS(A(1, 2, 4))
@njit
def bars_in_loops(x):
    x_bar = np.cos(x)
    seed = 0.0
    tape = 1.0
    for i in range(len(x)):
        seed_bar = x_bar[i] * tape + seed
        tape = tape * x[i] + np.exp(-seed_bar)
        seed += seed_bar * tape
    return seed * tape


@PROGRAMS(0.3, 0.7)
@njit
def dots_and_helpers(x, x_dot):
    y_dot = x * x_dot
    times = y_dot / (1.0 + x)
    y = np.arctan2(times, y_dot)
    ratio = y * times**2
    return ratio / x_dot + y


# -- found by the fuzzer ----------

Body = namedtuple("Body", "mass place")
TABLE = np.array([0.5, -1.5, 0.8])


@PROGRAMS(A(0.3, -0.2, 0.9), 0.5, Body(0.6, A(1.0, -0.4, 0.2)))
@PROGRAMS(A(0.3, -0.2, 0.9), 5.5, Body(0.6, A(1.0, -0.4, 0.2)))
@njit
def rebinds_an_array_of_a_tuple(x, b, body):
    u = np.sin(x)
    if b > 5.0:
        body = Body(body.mass * 0.5, body.place + x)
    else:
        u[:] = math.sin(b)
    s = 0.0
    for i in range(len(body.place)):
        s += body.place[i] * (i + 1.0)
    return s + body.mass, 1.0 * u


@PROGRAMS(0.5, 2, want=(0.1, None))
@PROGRAMS(0.5, 1, want=(1.0, None))
@PROGRAMS(0.05, 2, want=(1.0, None))
@njit
def returns_in_a_loop_in_a_branch(a, k):
    s = a
    if k > 1:
        for _ in range(k):
            if s > 0.1:
                return 0.1 * s * k * 0.5
    return s


@PROGRAMS(A(0.3, -0.2, 0.9), 0.4)
@PROGRAMS(A(0.3, 0.2, 0.9), 0.4)
@njit
def jumps_in_the_else_of_a_loop(x, a):
    s = 0.0
    for k in range(3):
        for v in x:
            if v < 0.1 * k - 0.15:
                break
            s += v * a
        else:
            s *= a
            continue
        s = s * s + a
    return s


@PROGRAMS(A(0.3, -0.2, 0.9), 2)
@PROGRAMS(A(0.3, -0.2, 0.9), 0)
@njit
def a_global_array_first_read_in_a_branch(x, k):
    t = x
    if k > 1:
        if k > 5:
            t = TABLE
        else:
            t = x * TABLE
    return (t * TABLE).sum()


@PROGRAMS(A(0.3, -0.2, 0.9), 0.5)
@PROGRAMS(A(0.3, -0.2, 0.9), 1.5)
@njit
def views_of_one_length_in_two_branches(x, a):
    u = x.copy()
    w = x * x
    if a > 1.0:
        w[:-1] = np.sin(u[1:])
    else:
        u[1:] = w[:-1] * a
        w[:-1] += u[1:]
    return (u * w).sum()


@PROGRAMS(A(0.3, -0.4, 1.2))
@njit
def constant_arrays_that_are_written(x):
    s = 0.0
    for k in range(2):
        u = np.arange(3.0)
        u[k] = x[k + 1] * x[0]
        u *= x
        s += (u * u * u).sum() * s + u[1]
    return s + (np.eye(3) @ x)[np.nonzero(x > 0.0)[0]].sum()


@PROGRAMS(A(0.3, -0.2, 0.9), np.array([1, 1, 2]))
@njit
def overwritten_several_times(x, places):
    w = x * 2.0
    u = x.copy()
    for _ in range(2):
        for i in range(3):
            u[i] = np.sin(w[1])
        for k in range(3):
            w[places[0]] += 0.3
    return (u * w).sum()


@PROGRAMS(A(0.3, -0.2, 0.9))
@njit
def written_through_what_a_loop_left(x):
    u = x.copy()
    w = np.outer(u, u)
    v = u
    for i in range(3):
        v = w[i]
    v *= 0.5
    return (w * u).sum()


@PROGRAMS(1.23, want=(1.2,))
@njit
def rounded_to_digits(x):
    return round(x, 1) * x


@PROGRAMS(A(-1.3 + 0.2j, 1.4 - 0.3j))
@njit
def left_of_the_imaginary_axis(z):
    return np.arccosh(z).imag.sum() + (np.arccosh(z).real * z.real).sum()


@PROGRAMS(0.0, 0.0, fd=False, want=(0.0, 0.0))
@PROGRAMS(0.3, -0.4)
@PROGRAMS(0.0, -0.4, fd=False)
@njit
def angles(y, x):
    return np.arctan2(y, x) + math.atan2(2.0 * y, x)


@PROGRAMS(0.3, 0.7)
@PROGRAMS(0.3, 0.7j)
@PROGRAMS(0.3 - 0.5j, 0.7)
@njit
def parts_of_numbers(x, imag):
    conj = x.imag * 1.5 + np.imag(x) * imag.real
    return conj * x.real + (x * imag).real + np.sin(x * np.conj(imag)).imag + x.conjugate().real * imag.imag


@PROGRAMS(A(0.3, -0.4, 0.9))
@njit
def decided_by_literals(x):
    """Numba drops what literals decide against, and then does not know what would have been kept there."""
    s, k = 0.0, 0
    for i in range(len(x)):
        if x[i] > 0.8:
            return x * s
        if k % 3 == 1:
            return x[i:] * 2.0
        s += x[i] * x[i] if 0.5 * 3 > 1 else x[0]
    return x * s


@PROGRAMS(A(0.3, -0.4, 0.9), A([0.7, 0.2, 0.1], [-0.4, 1.1, 0.6], [0.2, -0.3, 0.5]), 0.4)
@njit
def decided_by_lengths(x, K, a):
    """The side that the lengths rule out goes, although the other one compares lengths at run time and may raise."""
    s = 0.3
    w = x * 2.0
    if len(x) > 2:
        w *= np.where((K * x).sum(axis=1) > np.zeros_like(x), 1.5, x)
    else:
        e = np.sin(np.array([x[0] * a, 0.2]))
        s = np.sum(e * e)
    return a + s * w.sum()


@PROGRAMS(A([0.7, 0.2], [-0.4, 1.1]))
@njit
def power_of_a_matrix(x):
    """Numba types it as what may be None; nothing with a derivative may have such a type."""
    return np.sum(np.linalg.matrix_power(2.0 * x, 3) * x)
