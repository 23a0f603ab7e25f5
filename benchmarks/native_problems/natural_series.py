"""Natural programs over series and grids: a volatility's likelihood, an alignment, light, a sparse matrix."""

import math

import numpy as np
from numba import njit

from native_problems.problem import Problem

# -- GARCH(1, 1): the likelihood of returns whose variance follows from those before ----------


@njit
def garch(omega, alpha, beta, returns):
    variance = 1.0
    total = 0.0
    for t in range(returns.size):
        if t > 0:
            variance = omega + alpha * returns[t - 1] ** 2 + beta * variance
        total += 0.5 * (math.log(variance) + returns[t] ** 2 / variance)
    return total


@njit
def garch_by_hand(omega, alpha, beta, returns):
    n = returns.size
    variances = np.empty(n)
    variance = 1.0
    for t in range(n):
        if t > 0:
            variance = omega + alpha * returns[t - 1] ** 2 + beta * variance
        variances[t] = variance
    omega_bar = alpha_bar = beta_bar = 0.0
    v_bar = 0.0
    for t in range(n - 1, 0, -1):
        v = variances[t]
        v_bar = v_bar * beta + 0.5 * (1.0 - returns[t] ** 2 / v) / v
        omega_bar += v_bar
        alpha_bar += v_bar * returns[t - 1] ** 2
        beta_bar += v_bar * variances[t - 1]
    return omega_bar, alpha_bar, beta_bar


def market(n: int) -> tuple:
    return 0.1, 0.1, 0.8, np.random.default_rng(3).normal(size=n)


# -- Needleman and Wunsch's alignment of two sequences, whose scores are given ----------


@njit
def alignment(scores, gap):
    n, m = scores.shape
    best = np.zeros((n + 1, m + 1))
    for i in range(n + 1):
        best[i, 0] = -gap * i
    for j in range(m + 1):
        best[0, j] = -gap * j
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            best[i, j] = max(best[i - 1, j - 1] + scores[i - 1, j - 1], best[i - 1, j] - gap, best[i, j - 1] - gap)
    return best[n, m]


@njit
def alignment_by_hand(scores, gap):
    """Only the cells on the best path have a cotangent, and it is 1."""
    n, m = scores.shape
    best = np.zeros((n + 1, m + 1))
    for i in range(n + 1):
        best[i, 0] = -gap * i
    for j in range(m + 1):
        best[0, j] = -gap * j
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            best[i, j] = max(best[i - 1, j - 1] + scores[i - 1, j - 1], best[i - 1, j] - gap, best[i, j - 1] - gap)
    scores_bar = np.zeros((n, m))
    gap_bar = 0.0
    i, j = n, m
    while i > 0 and j > 0:
        match = best[i - 1, j - 1] + scores[i - 1, j - 1]
        if max(match, best[i - 1, j] - gap) <= best[i, j - 1] - gap:
            gap_bar -= 1.0
            j -= 1
        elif match <= best[i - 1, j] - gap:
            gap_bar -= 1.0
            i -= 1
        else:
            scores_bar[i - 1, j - 1] = 1.0
            i, j = i - 1, j - 1
    return scores_bar, gap_bar - i - j


def sequences(n: int) -> tuple:
    return np.random.default_rng(5).normal(size=(n, n + 10)), 0.5


# -- light in a medium, by finite differences in the time domain ----------


@njit
def light(medium, pulse, steps):
    n = medium.size
    electric, magnetic = np.zeros(n), np.zeros(n)
    total = 0.0
    for t in range(steps):
        for k in range(1, n):
            electric[k] += medium[k] * (magnetic[k - 1] - magnetic[k])
        electric[5] += pulse * math.exp(-0.5 * ((t - 30.0) / 8.0) ** 2)
        for k in range(n - 1):
            magnetic[k] += 0.5 * (electric[k] - electric[k + 1])
        total += electric[n // 2] ** 2
    return total


@njit
def light_by_hand(medium, pulse, steps):
    n = medium.size
    electric, magnetic = np.zeros(n), np.zeros(n)
    slopes, seen = np.empty((steps, n)), np.empty(steps)
    for t in range(steps):
        for k in range(1, n):
            slopes[t, k] = magnetic[k - 1] - magnetic[k]
            electric[k] += medium[k] * slopes[t, k]
        electric[5] += pulse * math.exp(-0.5 * ((t - 30.0) / 8.0) ** 2)
        for k in range(n - 1):
            magnetic[k] += 0.5 * (electric[k] - electric[k + 1])
        seen[t] = electric[n // 2]
    medium_bar, electric_bar, magnetic_bar = np.zeros(n), np.zeros(n), np.zeros(n)
    pulse_bar = 0.0
    for t in range(steps - 1, -1, -1):
        electric_bar[n // 2] += 2.0 * seen[t]
        electric_bar[0] += 0.5 * magnetic_bar[0]
        for k in range(1, n - 1):
            electric_bar[k] += 0.5 * (magnetic_bar[k] - magnetic_bar[k - 1])
        electric_bar[n - 1] -= 0.5 * magnetic_bar[n - 2]
        pulse_bar += electric_bar[5] * math.exp(-0.5 * ((t - 30.0) / 8.0) ** 2)
        before = 0.0
        for k in range(1, n):
            medium_bar[k] += electric_bar[k] * slopes[t, k]
            flow = medium[k] * electric_bar[k]
            magnetic_bar[k - 1] += flow - before
            before = flow
        magnetic_bar[n - 1] -= before
    return medium_bar, pulse_bar


def medium_of(n: int) -> tuple:
    return 0.5 / (1.5 + 0.1 * np.random.default_rng(7).uniform(size=n)), 0.5, 300


# -- a sparse matrix in compressed rows, applied again and again ----------


@njit
def repeated(data, indices, starts, x, steps):
    n = x.size
    for _ in range(steps):
        y = np.zeros(n)
        for i in range(n):
            total = 0.0
            for k in range(starts[i], starts[i + 1]):
                total += data[k] * x[indices[k]]
            y[i] = total + x[i]
        x = y
    return (x * x).sum()


@njit
def repeated_by_hand(data, indices, starts, x, steps):
    n = x.size
    xs = np.empty((steps + 1, n))
    xs[0] = x
    for t in range(steps):
        for i in range(n):
            total = 0.0
            for k in range(starts[i], starts[i + 1]):
                total += data[k] * xs[t, indices[k]]
            xs[t + 1, i] = total + xs[t, i]
    data_bar, y_bar = np.zeros(data.size), 2.0 * xs[steps]
    for t in range(steps - 1, -1, -1):
        x_bar = y_bar.copy()
        for i in range(n):
            for k in range(starts[i], starts[i + 1]):
                data_bar[k] += y_bar[i] * xs[t, indices[k]]
                x_bar[indices[k]] += y_bar[i] * data[k]
        y_bar = x_bar
    return data_bar, y_bar


def graph(n: int) -> tuple:
    rng = np.random.default_rng(9)
    return 0.1 * rng.normal(size=8 * n), rng.integers(0, n, 8 * n), np.arange(0, 8 * n + 1, 8), rng.normal(size=n), 5


PROBLEMS = (
    Problem(
        name="garch",
        title="likelihood of GARCH(1, 1)",
        primal=garch,
        by_hand=garch_by_hand,
        wrt=(0, 1, 2),
        arguments=market,
        size=10_000,
        sizes=(100, 1000, 10_000, 100_000),
        goal=2.0,  # by hand, no logarithm is taken: the value is not asked for
        call=1e-5,
    ),
    Problem(
        name="alignment",
        title="alignment of two sequences",
        primal=alignment,
        by_hand=alignment_by_hand,
        wrt=(0, 1),
        arguments=sequences,
        size=80,
        sizes=(20, 80, 200, 500),
        goal=4.0,  # by hand, the path alone is walked back
        call=1e-5,
    ),
    Problem(
        name="light",
        title="light by finite differences",
        primal=light,
        by_hand=light_by_hand,
        wrt=(0, 1),
        arguments=medium_of,
        size=200,
        sizes=(50, 200, 1000, 5000),
        goal=1.1,
        call=1e-5,
    ),
    Problem(
        name="graph",
        title="sparse matrix in compressed rows",
        primal=repeated,
        by_hand=repeated_by_hand,
        wrt=(0, 3),
        arguments=graph,
        size=2000,
        sizes=(100, 1000, 10_000, 50_000),
        goal=1.1,
        call=1e-5,
    ),
)
