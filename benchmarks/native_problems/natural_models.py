"""Natural programs of statistics and learning: a mixture with small helpers, one with `@`, an LSTM with `@`."""

import math

import numpy as np
from numba import njit

from native_problems.problem import Problem

# -- a Gaussian mixture in the plane, with helpers ----------


@njit
def log_sum(x):
    largest = x.max()
    return largest + math.log(np.sum(np.exp(x - largest)))


@njit
def lower(factor):
    return np.array([[math.exp(factor[0]), 0.0], [factor[2], math.exp(factor[1])]])


@njit
def squared(q, x):
    y = q @ x
    return y @ y


@njit
def mixture(alphas, means, factors, points):
    k = alphas.shape[0]
    likelihood = 0.0
    for i in range(points.shape[0]):
        terms = np.empty(k)
        for c in range(k):
            q = lower(factors[c])
            terms[c] = alphas[c] + factors[c, 0] + factors[c, 1] - 0.5 * squared(q, points[i] - means[c])
        likelihood += log_sum(terms)
    return likelihood - points.shape[0] * log_sum(alphas)


@njit
def mixture_by_hand(alphas, means, factors, points):
    n, k = points.shape[0], alphas.shape[0]
    alphas_bar, means_bar, factors_bar = np.zeros_like(alphas), np.zeros_like(means), np.zeros_like(factors)
    terms, kept = np.empty(k), np.empty((k, 6))
    for i in range(n):
        for c in range(k):
            a, b, e, f = (
                points[i, 0] - means[c, 0],
                points[i, 1] - means[c, 1],
                math.exp(factors[c, 0]),
                math.exp(factors[c, 1]),
            )
            u, v = e * a, factors[c, 2] * a + f * b
            kept[c, 0], kept[c, 1], kept[c, 2], kept[c, 3], kept[c, 4], kept[c, 5] = a, b, e, f, u, v
            terms[c] = alphas[c] + factors[c, 0] + factors[c, 1] - 0.5 * (u * u + v * v)
        largest = terms.max()
        total = 0.0
        for c in range(k):
            terms[c] = math.exp(terms[c] - largest)
            total += terms[c]
        for c in range(k):
            w = terms[c] / total
            a, b, e, f, u, v = kept[c, 0], kept[c, 1], kept[c, 2], kept[c, 3], kept[c, 4], kept[c, 5]
            alphas_bar[c] += w
            factors_bar[c, 0] += w - w * u * e * a
            factors_bar[c, 1] += w - w * v * f * b
            factors_bar[c, 2] -= w * v * a
            means_bar[c, 0] += w * (u * e + v * factors[c, 2])
            means_bar[c, 1] += w * v * f
    weights = np.exp(alphas - alphas.max())
    alphas_bar -= n * weights / weights.sum()
    return alphas_bar, means_bar, factors_bar


def mixture_of(np):
    def log_sum(x):
        largest = x.max(axis=-1, keepdims=True)
        return largest[..., 0] + np.log(np.sum(np.exp(x - largest), axis=-1))

    def f(alphas, means, factors, points):
        x = points[:, None] - means
        u = np.exp(factors[:, 0]) * x[..., 0]
        v = factors[:, 2] * x[..., 0] + np.exp(factors[:, 1]) * x[..., 1]
        terms = alphas + factors[:, 0] + factors[:, 1] - 0.5 * (u * u + v * v)
        return np.sum(log_sum(terms)) - points.shape[0] * log_sum(alphas)

    return f


def planar(n: int) -> tuple:
    rng = np.random.default_rng(0)
    return rng.normal(size=10), rng.normal(size=(10, 2)), 0.3 * rng.normal(size=(10, 3)), rng.normal(size=(n, 2))


# -- a Gaussian mixture whose factors are matrices ----------


@njit
def matrices(alphas, means, factors, points):
    likelihood = 0.0
    for i in range(points.shape[0]):
        terms = np.empty(alphas.shape[0])
        for c in range(alphas.shape[0]):
            y = factors[c] @ (points[i] - means[c])
            terms[c] = alphas[c] - 0.5 * y @ y
        likelihood += log_sum(terms)
    return likelihood


@njit
def matrices_by_hand(alphas, means, factors, points):
    n, d, k = points.shape[0], points.shape[1], alphas.shape[0]
    alphas_bar, means_bar, factors_bar = np.zeros_like(alphas), np.zeros_like(means), np.zeros_like(factors)
    terms, xs, ys = np.empty(k), np.empty((k, d)), np.empty((k, d))
    for i in range(n):
        for c in range(k):
            for j in range(d):
                xs[c, j] = points[i, j] - means[c, j]
            square = 0.0
            for a in range(d):
                y = 0.0
                for b in range(d):
                    y += factors[c, a, b] * xs[c, b]
                ys[c, a] = y
                square += y * y
            terms[c] = alphas[c] - 0.5 * square
        largest = terms.max()
        total = 0.0
        for c in range(k):
            terms[c] = math.exp(terms[c] - largest)
            total += terms[c]
        for c in range(k):
            w = terms[c] / total
            alphas_bar[c] += w
            for a in range(d):
                y_bar = w * ys[c, a]
                for b in range(d):
                    factors_bar[c, a, b] -= y_bar * xs[c, b]
                    means_bar[c, b] += y_bar * factors[c, a, b]
    return alphas_bar, means_bar, factors_bar


def matrices_of(np):
    def f(alphas, means, factors, points):
        y = np.einsum("cab,icb->ica", factors, points[:, None] - means)
        terms = alphas - 0.5 * np.sum(y * y, axis=-1)
        largest = terms.max(axis=-1, keepdims=True)
        return np.sum(largest[:, 0] + np.log(np.sum(np.exp(terms - largest), axis=-1)))

    return f


def dense(n: int) -> tuple:
    rng = np.random.default_rng(0)
    return rng.normal(size=10), rng.normal(size=(10, 8)), rng.normal(size=(10, 8, 8)) / 3, rng.normal(size=(n, 8))


# -- an LSTM with `@` ----------


@njit
def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


@njit
def network(inner, outer, bias, head, text):
    h = np.zeros(head.shape[0])
    c = np.zeros(head.shape[0])
    m = head.shape[0]
    loss = 0.0
    for t in range(text.shape[0] - 1):
        z = outer @ text[t] + inner @ h + bias
        c = sigmoid(z[:m]) * c + sigmoid(z[m : 2 * m]) * np.tanh(z[2 * m : 3 * m])
        h = sigmoid(z[3 * m :]) * np.tanh(c)
        loss += (h @ head - text[t + 1, 0]) ** 2
    return loss


@njit
def network_by_hand(inner, outer, bias, head, text):
    n, b, m = text.shape[0] - 1, text.shape[1], head.shape[0]
    hs, cs, gates, tanhs, errors = (
        np.zeros((n + 1, m)),
        np.zeros((n + 1, m)),
        np.empty((n, 4 * m)),
        np.empty((n, m)),
        np.empty(n),
    )
    for t in range(n):
        z = gates[t]
        np.dot(inner, hs[t], z)
        for i in range(4 * m):
            s = bias[i]
            for j in range(b):
                s += outer[i, j] * text[t, j]
            z[i] += s
        error = -text[t + 1, 0]
        for i in range(m):
            z[i] = 1.0 / (1.0 + math.exp(-z[i]))
            z[m + i] = 1.0 / (1.0 + math.exp(-z[m + i]))
            z[2 * m + i] = math.tanh(z[2 * m + i])
            z[3 * m + i] = 1.0 / (1.0 + math.exp(-z[3 * m + i]))
            cs[t + 1, i] = z[i] * cs[t, i] + z[m + i] * z[2 * m + i]
            tanhs[t, i] = math.tanh(cs[t + 1, i])
            hs[t + 1, i] = z[3 * m + i] * tanhs[t, i]
            error += hs[t + 1, i] * head[i]
        errors[t] = error
    inner_bar, outer_bar, bias_bar, head_bar = (
        np.zeros_like(inner),
        np.zeros_like(outer),
        np.zeros_like(bias),
        np.zeros_like(head),
    )
    h_bar, c_bar, z_bar = np.zeros(m), np.zeros(m), np.empty(4 * m)
    for t in range(n - 1, -1, -1):
        z = gates[t]
        e = 2.0 * errors[t]
        for i in range(m):
            head_bar[i] += e * hs[t + 1, i]
            g = h_bar[i] + e * head[i]
            own = c_bar[i] + g * z[3 * m + i] * (1.0 - tanhs[t, i] * tanhs[t, i])
            z_bar[3 * m + i] = g * tanhs[t, i] * z[3 * m + i] * (1.0 - z[3 * m + i])
            z_bar[i] = own * cs[t, i] * z[i] * (1.0 - z[i])
            z_bar[m + i] = own * z[2 * m + i] * z[m + i] * (1.0 - z[m + i])
            z_bar[2 * m + i] = own * z[m + i] * (1.0 - z[2 * m + i] * z[2 * m + i])
            c_bar[i] = own * z[i]
        h_bar[:] = 0.0
        for i in range(4 * m):
            g = z_bar[i]
            bias_bar[i] += g
            for j in range(b):
                outer_bar[i, j] += g * text[t, j]
            for j in range(m):
                inner_bar[i, j] += g * hs[t, j]
                h_bar[j] += g * inner[i, j]
    return inner_bar, outer_bar, bias_bar, head_bar


def network_of(np):
    from jax import lax

    def f(inner, outer, bias, head, text):
        def sigmoid(x):
            return 1.0 / (1.0 + np.exp(-x))

        def step(state, seen):
            h, c = state
            z = np.split(outer @ seen[0] + inner @ h + bias, 4)
            c = sigmoid(z[0]) * c + sigmoid(z[1]) * np.tanh(z[2])
            h = sigmoid(z[3]) * np.tanh(c)
            return (h, c), (h @ head - seen[1][0]) ** 2

        start = np.zeros(head.shape[0])
        return np.sum(lax.scan(step, (start, start), (text[:-1], text[1:]))[1])

    return f


def series(n: int) -> tuple:
    rng = np.random.default_rng(0)
    parts = [rng.normal(size=shape) / 4 for shape in ((64, 16), (64, 4), (64,), (16,))]
    return *parts, rng.normal(size=(n, 4))


PROBLEMS = (
    Problem(
        name="helpers",
        title="Gaussian mixture with helpers, d = 2",
        primal=mixture,
        by_hand=mixture_by_hand,
        wrt=(0, 1, 2),
        arguments=planar,
        size=200,
        sizes=(20, 200, 2000, 20_000),
        goal=1.1,
        call=1e-5,
        peers={"JAX": mixture_of},
    ),
    Problem(
        name="matrices",
        title="Gaussian mixture with @, d = 8",
        primal=matrices,
        by_hand=matrices_by_hand,
        wrt=(0, 1, 2),
        arguments=dense,
        size=100,
        sizes=(20, 200, 2000, 20_000),
        goal=1.1,
        call=1e-5,
        peers={"JAX": matrices_of},
    ),
    Problem(
        name="network",
        title="LSTM with @, 16 cells",
        primal=network,
        by_hand=network_by_hand,
        wrt=(0, 1, 2, 3),
        arguments=series,
        size=100,
        sizes=(10, 100, 1000, 10_000),
        goal=1.1,
        call=1e-5,
        peers={"JAX": network_of},
    ),
)
