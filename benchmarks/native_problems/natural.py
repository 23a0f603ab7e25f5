"""Programs as Numba's users write them: vectors of three, states of two, early exits, slices that change places."""

import math

import numpy as np
from numba import njit

from native_problems.problem import Problem

# -- Lennard-Jones: differences of 3-vectors ----------


@njit
def pairs(x):
    energy = 0.0
    for i in range(x.shape[0]):
        for j in range(i):
            d = x[i] - x[j]
            s = 1.0 / np.sum(d * d) ** 3
            energy += 4.0 * (s * s - s)
    return energy


@njit
def pairs_by_hand(x):
    x_bar = np.zeros_like(x)
    for i in range(x.shape[0]):
        for j in range(i):
            a, b, c = x[i, 0] - x[j, 0], x[i, 1] - x[j, 1], x[i, 2] - x[j, 2]
            r2 = a * a + b * b + c * c
            s = 1.0 / r2**3
            weight = -24.0 * (2.0 * s * s - s) / r2
            for k, d in enumerate((a, b, c)):
                x_bar[i, k] += weight * d
                x_bar[j, k] -= weight * d
    return (x_bar,)


def particles(n: int) -> tuple[np.ndarray]:
    return (np.random.default_rng(0).uniform(0.0, 3.0, (n, 3)),)


# -- predator and prey by Runge and Kutta: states of two ----------


@njit
def rates(y, p):
    return np.array([p[0] * y[0] - p[1] * y[0] * y[1], -p[2] * y[1] + p[3] * y[0] * y[1]])


@njit
def orbit(y, p, steps):
    h = 0.01
    for _ in range(steps):
        k1 = rates(y, p)
        k2 = rates(y + h / 2 * k1, p)
        k3 = rates(y + h / 2 * k2, p)
        k4 = rates(y + h * k3, p)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return y[0] * y[1]


@njit
def slope(u, v, p):
    return p[0] * u - p[1] * u * v, -p[2] * v + p[3] * u * v


@njit
def slope_bar(u, v, p, f, g, p_bar):
    p_bar[0] += f * u
    p_bar[1] -= f * u * v
    p_bar[2] -= g * v
    p_bar[3] += g * u * v
    return f * (p[0] - p[1] * v) + g * p[3] * v, -f * p[1] * u + g * (p[3] * u - p[2])


@njit
def orbit_by_hand(y, p, steps):
    h = 0.01
    us, vs = np.empty(steps), np.empty(steps)
    u, v = y[0], y[1]
    for t in range(steps):
        us[t], vs[t] = u, v
        a1, b1 = slope(u, v, p)
        a2, b2 = slope(u + h / 2 * a1, v + h / 2 * b1, p)
        a3, b3 = slope(u + h / 2 * a2, v + h / 2 * b2, p)
        a4, b4 = slope(u + h * a3, v + h * b3, p)
        u, v = u + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4), v + h / 6 * (b1 + 2 * b2 + 2 * b3 + b4)
    u_bar, v_bar = v, u
    p_bar = np.zeros(4)
    for t in range(steps - 1, -1, -1):
        u, v = us[t], vs[t]
        a1, b1 = slope(u, v, p)
        u2, v2 = u + h / 2 * a1, v + h / 2 * b1
        a2, b2 = slope(u2, v2, p)
        u3, v3 = u + h / 2 * a2, v + h / 2 * b2
        a3, b3 = slope(u3, v3, p)
        f, g = slope_bar(u + h * a3, v + h * b3, p, h / 6 * u_bar, h / 6 * v_bar, p_bar)
        du, dv = u_bar + f, v_bar + g
        f, g = slope_bar(u3, v3, p, h / 3 * u_bar + h * f, h / 3 * v_bar + h * g, p_bar)
        du, dv = du + f, dv + g
        f, g = slope_bar(u2, v2, p, h / 3 * u_bar + h / 2 * f, h / 3 * v_bar + h / 2 * g, p_bar)
        du, dv = du + f, dv + g
        f, g = slope_bar(u, v, p, h / 6 * u_bar + h / 2 * f, h / 6 * v_bar + h / 2 * g, p_bar)
        u_bar, v_bar = du + f, dv + g
    return np.array([u_bar, v_bar]), p_bar


def populations(steps: int) -> tuple:
    return np.array([1.0, 0.5]), np.array([0.7, 0.3, 0.4, 0.2]), steps


# -- a barrier option: an early exit ----------


@njit
def barrier(start, vol, z):
    total = 0.0
    for i in range(z.shape[0]):
        s, alive = start, True
        for j in range(z.shape[1]):
            s = s * math.exp(-0.025 * vol * vol + vol * 0.2236 * z[i, j])
            if s < 0.7:
                alive = False
                break
        if alive:
            total += max(s - 1.0, 0.0)
    return total / z.shape[0]


@njit
def barrier_by_hand(start, vol, z):
    start_bar = vol_bar = 0.0
    for i in range(z.shape[0]):
        s, alive, factor_bar = start, True, 0.0
        for j in range(z.shape[1]):
            s = s * math.exp(-0.025 * vol * vol + vol * 0.2236 * z[i, j])
            factor_bar += -0.05 * vol + 0.2236 * z[i, j]  # of the logarithm of s
            if s < 0.7:
                alive = False
                break
        if alive and s > 1.0:
            start_bar += s / start
            vol_bar += s * factor_bar
    return start_bar / z.shape[0], vol_bar / z.shape[0]


def paths(n: int) -> tuple:
    return 1.0, 0.2, np.random.default_rng(0).normal(size=(n, 20))


# -- k-means, array style ----------


@njit
def clusters(points, centres):
    total = 0.0
    for i in range(points.shape[0]):
        best = np.inf
        for k in range(centres.shape[0]):
            d = points[i] - centres[k]
            squared = d @ d
            if squared < best:
                best = squared
        total += best
    return total


@njit
def clusters_by_hand(points, centres):
    centres_bar = np.zeros_like(centres)
    for i in range(points.shape[0]):
        best, nearest = np.inf, 0
        for k in range(centres.shape[0]):
            a, b = points[i, 0] - centres[k, 0], points[i, 1] - centres[k, 1]
            squared = a * a + b * b
            if squared < best:
                best, nearest = squared, k
        for j in range(2):
            centres_bar[nearest, j] -= 2.0 * (points[i, j] - centres[nearest, j])
    return (centres_bar,)


def clouds(n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, 2)), rng.normal(size=(5, 2))


# -- a hidden Markov model: `alpha @ A` ----------


@njit
def markov(a, alpha, b, seen):
    likelihood = 0.0
    for t in range(len(seen)):
        alpha = (alpha @ a) * b[:, seen[t]]
        c = alpha.sum()
        likelihood += math.log(c)
        alpha = alpha / c
    return likelihood


@njit
def markov_by_hand(a, alpha, b, seen):
    n, m = len(seen), len(alpha)
    alphas, cs, before = np.empty((n + 1, m)), np.empty(n), np.empty((n, m))
    alphas[0] = alpha
    for t in range(n):
        for j in range(m):
            s = 0.0
            for i in range(m):
                s += alphas[t, i] * a[i, j]
            before[t, j] = s
            alphas[t + 1, j] = s * b[j, seen[t]]
        cs[t] = alphas[t + 1].sum()
        for j in range(m):
            alphas[t + 1, j] /= cs[t]
    a_bar, b_bar, alpha_bar, own = np.zeros_like(a), np.zeros_like(b), np.zeros(m), np.empty(m)
    for t in range(n - 1, -1, -1):
        c_bar = 1.0 / cs[t]
        for j in range(m):
            c_bar -= alpha_bar[j] * alphas[t + 1, j] / cs[t]
        for j in range(m):
            v_bar = alpha_bar[j] / cs[t] + c_bar
            b_bar[j, seen[t]] += v_bar * before[t, j]
            own[j] = v_bar * b[j, seen[t]]
        for i in range(m):
            s = 0.0
            for j in range(m):
                a_bar[i, j] += alphas[t, i] * own[j]
                s += a[i, j] * own[j]
            alpha_bar[i] = s
    return a_bar, alpha_bar, b_bar


def chain(n: int) -> tuple:
    rng = np.random.default_rng(0)
    return rng.random((8, 8)) / 8, rng.random(8), rng.random((8, 4)), rng.integers(0, 4, n)


PROBLEMS = (
    Problem(
        name="pairs",
        title="Lennard-Jones with 3-vectors",
        primal=pairs,
        by_hand=pairs_by_hand,
        wrt=(0,),
        arguments=particles,
        size=60,
        sizes=(15, 30, 60, 120),
        goal=1.1,
        call=1e-5,
    ),
    Problem(
        name="orbit",
        title="Runge-Kutta, a state of two",
        primal=orbit,
        by_hand=orbit_by_hand,
        wrt=(0, 1),
        arguments=populations,
        size=500,
        sizes=(50, 500, 5000, 50_000),
        goal=1.1,
        call=1e-5,
    ),
    Problem(
        name="barrier",
        title="barrier option, early exit",
        primal=barrier,
        by_hand=barrier_by_hand,
        wrt=(0, 1),
        arguments=paths,
        size=2000,
        sizes=(20, 200, 2000, 20_000),
        goal=1.1,
        call=1e-5,
    ),
    Problem(
        name="clusters",
        title="k-means, array style",
        primal=clusters,
        by_hand=clusters_by_hand,
        wrt=(1,),
        arguments=clouds,
        size=2000,
        sizes=(20, 200, 2000, 20_000),
        goal=1.1,
        call=1e-5,
    ),
    Problem(
        name="markov",
        title="hidden Markov model with @",
        primal=markov,
        by_hand=markov_by_hand,
        wrt=(0, 1, 2),
        arguments=chain,
        size=200,
        sizes=(20, 200, 2000, 20_000),
        goal=1.1,
        call=1e-5,
    ),
)
