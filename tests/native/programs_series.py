"""Series: recurrences, and likelihoods that are computed from them, in loops that are split or must not be."""

import math

import numpy as np
from native_helpers import A, Programs
from numba import njit

PROGRAMS = Programs()
x4, y4 = A(0.3, -0.7, 1.1, 0.4), A(1.2, 0.5, -0.3, 0.8)
M23 = A((0.3, -0.7, 1.1), (0.4, 0.9, -0.2))
NONE = np.zeros(0)


@PROGRAMS(0.2, 0.1, 0.7, x4)
@PROGRAMS(0.2, 0.1, 0.7, NONE)
@PROGRAMS(0.2, 0.1, 0.7, x4[:1])
@PROGRAMS(0.2, 0.1, 0.7, x4[::-2])
@njit
def variance_of_returns(omega, alpha, beta, returns):
    variance = 1.0
    total = 0.0
    for t in range(returns.size):
        if t > 0:
            variance = omega + alpha * returns[t - 1] ** 2 + beta * variance
        total += 0.5 * (math.log(variance) + returns[t] ** 2 / variance)
    return total


@PROGRAMS(0.2, 0.1, 0.7, x4)
@njit
def variances_in_an_array(omega, alpha, beta, returns):
    h = np.empty(returns.size)
    h[0] = omega / (1.0 - beta)
    total = 0.0
    for t in range(1, returns.size):
        h[t] = omega + alpha * returns[t - 1] ** 2 + beta * h[t - 1]
        total -= 0.5 * (np.log(h[t]) + returns[t] ** 2 / h[t])
    return total * h[-1]


@PROGRAMS(0.7, x4, 4)
@PROGRAMS(0.7, x4, 0)
@PROGRAMS(0.7, x4, -3)
@njit
def for_so_many_steps(a, x, n):
    v, total = 0.5, 0.0
    for t in range(n):
        v = a * v + x[t] ** 2
        total += math.log(v)
    return total + v


@PROGRAMS(0.7, x4, np.zeros(5))
@njit
def stores_what_it_computes(a, x, out):
    v = 0.3
    for t in range(x.size):
        v = a * v + x[t]
        out[t + 1] = math.exp(-v * v) * out[0]
    return v


@PROGRAMS(0.7, x4)
@njit
def swaps_what_it_stores(a, x):
    v, w = np.cos(x), np.zeros(x.size)
    for t in range(x.size):
        v[t], w[t - 1] = w[t - 1], math.sin(w[t]) + a * x[t]
    return v.sum() - w.sum()


@PROGRAMS(0.7, x4)
@njit
def overwrites_what_it_stores(a, x):
    h, total = np.ones(2), 0.0
    for t in range(x.size):
        h[t - 2] = a * h[t - 2] + x[t]
        total += math.exp(-h[t - 2])
    return total


@PROGRAMS(0.7, x4)
@njit
def reads_the_state_before_and_after(a, x):
    v, total = 0.5, 0.0
    for t in range(2, x.size):
        before = math.exp(-v)
        v = a * v + x[t]
        total += before * math.sin(v) - math.log(2.0 + v * v)
    return total


@PROGRAMS(0.7, x4)
@njit
def a_product_of_two_sums(a, x):
    v, low, one, two = 0.5, 9.0, 0.0, 1.0
    for t in range(x.size):
        v = a * v + x[t]
        one += -math.exp(-v)
        two += math.log(2.0 + v * v) / -x[t]
        if v < low:
            low = v
    return one * two + low


@PROGRAMS(0.7, M23)
@PROGRAMS(0.7, M23[:, :0])
@njit
def several_series(a, xs):
    total = 0.0
    for i in range(xs.shape[0]):
        v = 0.1
        for t in range(xs.shape[1]):
            v = a * v + xs[i, t]
            total -= math.log(1.0 + v * v)
    return total


@PROGRAMS(0.7, x4)
@njit
def stops_where_it_grows(a, x):
    v, total = 0.5, 0.0
    for t in range(x.size):
        v = a * v + x[t]
        if v > 10.0:
            raise ValueError("too large")
        total += math.exp(v) / (v + 3.0)
    return total


@PROGRAMS(0.7, x4)
@njit
def sums_of_terms_with_signs(a, x):
    one = two = three = 0.0
    for t in range(x.size):
        one -= math.log(2.0 + x[t])
        two += -2 * math.exp(a * x[t])
        three -= (-0.5 * math.sin(x[t])) * (x[t] / -3.0)
    return one * two - three
