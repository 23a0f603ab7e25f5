"""Natural programs that go along a chain and keep what is needed on the way back: what they hold in memory counts."""

import math

import numpy as np
from numba import njit

from native_problems.problem import Problem

# -- a hidden Markov model whose probabilities are scaled at each step ----------


@njit
def scaled(start, moves, shows, seen):
    alpha = start * shows[:, seen[0]]
    c = alpha.sum()
    likelihood = math.log(c)
    alpha = alpha / c
    for t in range(1, seen.shape[0]):
        alpha = (alpha @ moves) * shows[:, seen[t]]
        c = alpha.sum()
        alpha = alpha / c
        likelihood += math.log(c)
    return likelihood


@njit
def scaled_by_hand(start, moves, shows, seen):
    """Keeps the scaled probabilities and the scales of every step."""
    n, k = seen.shape[0], start.shape[0]
    alphas, scales = np.empty((n, k)), np.empty(n)
    for t in range(n):
        total = 0.0
        for j in range(k):
            reached = start[j]
            if t > 0:
                reached = 0.0
                for i in range(k):
                    reached += alphas[t - 1, i] * moves[i, j]
            alphas[t, j] = reached * shows[j, seen[t]]
            total += alphas[t, j]
        scales[t] = total
        for j in range(k):
            alphas[t, j] /= total
    start_bar, moves_bar, shows_bar = np.zeros_like(start), np.zeros_like(moves), np.zeros_like(shows)
    alpha_bar, before_bar = np.zeros(k), np.zeros(k)
    for t in range(n - 1, -1, -1):
        along = 0.0
        for j in range(k):
            along += alpha_bar[j] * alphas[t, j]
        before_bar[:] = 0.0
        for j in range(k):
            own = (alpha_bar[j] + 1.0 - along) / scales[t]
            show = shows[j, seen[t]]
            if t == 0:
                start_bar[j] += own * show
                shows_bar[j, seen[0]] += own * start[j]
                continue
            reached = 0.0
            for i in range(k):
                reached += alphas[t - 1, i] * moves[i, j]
                moves_bar[i, j] += own * show * alphas[t - 1, i]
                before_bar[i] += own * show * moves[i, j]
            shows_bar[j, seen[t]] += own * reached
        alpha_bar, before_bar = before_bar, alpha_bar
    return start_bar, moves_bar, shows_bar


def scaled_of(np):
    from jax import lax

    def f(start, moves, shows, seen):
        def step(state, now):
            alpha, likelihood = state
            alpha = (alpha @ moves) * shows[:, now]
            c = alpha.sum()
            return (alpha / c, likelihood + np.log(c)), None

        alpha = start * shows[:, seen[0]]
        c = alpha.sum()
        return lax.scan(step, (alpha / c, np.log(c)), seen[1:])[0][1]

    return f


def observed(n: int) -> tuple:
    rng = np.random.default_rng(0)
    parts = [rng.uniform(0.1, 1.0, shape) for shape in ((8,), (8, 8), (8, 6))]
    return *[p / p.sum(axis=-1, keepdims=True) for p in parts], rng.integers(0, 6, n)


# -- a tridiagonal system by Thomas's algorithm ----------


@njit
def thomas(lower, diagonal, upper, right):
    n = diagonal.shape[0]
    c, d = np.empty(n), np.empty(n)
    c[0] = upper[0] / diagonal[0]
    d[0] = right[0] / diagonal[0]
    for i in range(1, n):
        m = diagonal[i] - lower[i] * c[i - 1]
        c[i] = upper[i] / m
        d[i] = (right[i] - lower[i] * d[i - 1]) / m
    x = np.empty(n)
    x[n - 1] = d[n - 1]
    for i in range(n - 2, -1, -1):
        x[i] = d[i] - c[i] * x[i + 1]
    return np.sum(x * x)


@njit
def thomas_by_hand(lower, diagonal, upper, right):
    """Keeps the eliminated system, whose rows make the pivots anew, and the solution."""
    n = diagonal.shape[0]
    c, d, x = np.empty(n), np.empty(n), np.empty(n)
    c[0] = upper[0] / diagonal[0]
    d[0] = right[0] / diagonal[0]
    for i in range(1, n):
        m = diagonal[i] - lower[i] * c[i - 1]
        c[i] = upper[i] / m
        d[i] = (right[i] - lower[i] * d[i - 1]) / m
    x[n - 1] = d[n - 1]
    for i in range(n - 2, -1, -1):
        x[i] = d[i] - c[i] * x[i + 1]
    lower_bar, diagonal_bar, upper_bar, right_bar = np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n)
    x_bar = 2.0 * x[0]
    for i in range(n - 1):
        right_bar[i] = x_bar  # of d, at first
        upper_bar[i] = -x_bar * x[i + 1]  # of c
        x_bar = 2.0 * x[i + 1] - x_bar * c[i]
    right_bar[n - 1] = x_bar
    for i in range(n - 1, 0, -1):
        m = diagonal[i] - lower[i] * c[i - 1]
        e, f = right_bar[i] / m, upper_bar[i] / m
        m_bar = -e * d[i] - f * c[i]
        right_bar[i], upper_bar[i], diagonal_bar[i] = e, f, m_bar
        lower_bar[i] = -e * d[i - 1] - m_bar * c[i - 1]
        right_bar[i - 1] -= e * lower[i]
        upper_bar[i - 1] -= m_bar * lower[i]
    e, f = right_bar[0] / diagonal[0], upper_bar[0] / diagonal[0]
    right_bar[0], upper_bar[0], diagonal_bar[0] = e, f, -e * d[0] - f * c[0]
    return lower_bar, diagonal_bar, upper_bar, right_bar


def thomas_of(np):
    from jax import lax

    def f(lower, diagonal, upper, right):
        def eliminate(before, row):
            lower, diagonal, upper, right = row
            c, d = before
            m = diagonal - lower * c
            now = upper / m, (right - lower * d) / m
            return now, now

        def solve(after, row):
            x = row[1] - row[0] * after
            return x, x

        rows = lax.scan(eliminate, (0.0, 0.0), (lower.at[0].set(0.0), diagonal, upper, right))[1]
        x = lax.scan(solve, 0.0, (rows[0].at[-1].set(0.0), rows[1]), reverse=True)[1]
        return np.sum(x * x)

    return f


def band(n: int) -> tuple:
    rng = np.random.default_rng(0)
    lower, upper = -rng.uniform(0.2, 1.0, n), -rng.uniform(0.2, 1.0, n)
    return lower, 2.5 + rng.uniform(0.0, 0.5, n), upper, rng.normal(size=n)


PROBLEMS = (
    Problem(
        name="hmm_scaled",
        title="hidden Markov model, scaled at each step",
        primal=scaled,
        by_hand=scaled_by_hand,
        wrt=(0, 1, 2),
        arguments=observed,
        size=200,
        sizes=(1000, 10_000, 100_000, 1_000_000),
        goal=1.1,
        call=1e-5,
        peers={"JAX": scaled_of},
    ),
    Problem(
        name="thomas",
        title="tridiagonal system, Thomas's algorithm",
        primal=thomas,
        by_hand=thomas_by_hand,
        wrt=(0, 1, 2, 3),
        arguments=band,
        size=1000,
        sizes=(1000, 10_000, 100_000, 1_000_000),
        goal=1.1,
        call=1e-5,
        peers={"JAX": thomas_of},
    ),
)
