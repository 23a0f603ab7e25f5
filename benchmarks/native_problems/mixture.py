"""The log-likelihood of a Gaussian mixture with a Wishart prior, one of the objectives of ADBench.

The inverse covariance of component i is ``Q.T @ Q``, where Q is lower triangular. A row of `factors` holds the
logarithms of Q's diagonal and then, column by column, what is below it.

Source: Srajer, Kukelova, Fitzgibbon, "A benchmark of selected algorithmic differentiation tools on some problems in
computer vision and machine learning" (2018).
"""

import math

import numpy as np
from numba import njit

from native_problems.problem import Problem

POINTS, COMPONENTS = 1000, 25


@njit
def log_sum_exp(n, x):
    largest = x[0]
    for i in range(1, n):
        if largest < x[i]:
            largest = x[i]
    total = 0.0
    for i in range(n):
        total += math.exp(x[i] - largest)
    return math.log(total) + largest


@njit
def log_likelihood(alphas, means, factors, points, gamma, m):
    """Of `points`, shape (n, d), for weights `alphas` (k,), `means` (k, d) and `factors` (k, d * (d + 1) / 2)."""
    n, d = points.shape
    k = alphas.shape[0]
    diagonal = np.empty((k, d))
    log_det = np.empty(k)
    for c in range(k):
        total = 0.0
        for j in range(d):
            total += factors[c, j]
            diagonal[c, j] = math.exp(factors[c, j])
        log_det[c] = total
    centred = np.empty(d)
    scaled = np.empty(d)
    terms = np.empty(k)
    likelihood = 0.0
    for p in range(n):
        for c in range(k):
            for j in range(d):
                centred[j] = points[p, j] - means[c, j]
            for j in range(d):
                scaled[j] = diagonal[c, j] * centred[j]
            at = d
            for i in range(d):
                for j in range(i + 1, d):
                    scaled[j] += factors[c, at] * centred[i]
                    at += 1
            square = 0.0
            for j in range(d):
                square += scaled[j] * scaled[j]
            terms[c] = alphas[c] + log_det[c] - 0.5 * square
        likelihood += log_sum_exp(k, terms)
    freedom = d + m + 1
    log_gamma = 0.25 * d * (d - 1) * math.log(math.pi)
    for j in range(1, d + 1):
        log_gamma += math.lgamma(0.5 * freedom + 0.5 * (1 - j))
    constant = freedom * d * (math.log(gamma) - 0.5 * math.log(2.0)) - log_gamma
    prior = 0.0
    for c in range(k):
        frobenius = 0.0
        for j in range(d):
            frobenius += diagonal[c, j] ** 2
        for j in range(d, factors.shape[1]):
            frobenius += factors[c, j] ** 2
        prior += 0.5 * gamma * gamma * frobenius - m * log_det[c]
    return -n * d * 0.5 * math.log(2 * math.pi) + likelihood - n * log_sum_exp(k, alphas) + prior - k * constant


@njit
def log_likelihood_by_hand(alphas, means, factors, points, gamma, m):
    """Forward and backward for a point after another, so that nothing but a point's own values is kept."""
    n, d = points.shape
    k = alphas.shape[0]
    width = factors.shape[1]
    diagonal = np.empty((k, d))
    log_det = np.empty(k)
    for c in range(k):
        total = 0.0
        for j in range(d):
            total += factors[c, j]
            diagonal[c, j] = math.exp(factors[c, j])
        log_det[c] = total
    alphas_bar = np.zeros(k)
    means_bar = np.zeros((k, d))
    factors_bar = np.zeros((k, width))
    diagonal_bar = np.zeros((k, d))
    log_det_bar = np.zeros(k)
    centred = np.empty((k, d))
    scaled = np.empty((k, d))
    terms = np.empty(k)
    centred_bar = np.empty(d)
    scaled_bar = np.empty(d)
    for p in range(n):
        for c in range(k):
            for j in range(d):
                centred[c, j] = points[p, j] - means[c, j]
            for j in range(d):
                scaled[c, j] = diagonal[c, j] * centred[c, j]
            at = d
            for i in range(d):
                factor = centred[c, i]
                for j in range(i + 1, d):
                    scaled[c, j] += factors[c, at] * factor
                    at += 1
            square = 0.0
            for j in range(d):
                square += scaled[c, j] * scaled[c, j]
            terms[c] = alphas[c] + log_det[c] - 0.5 * square
        largest = terms[0]
        for c in range(1, k):
            if largest < terms[c]:
                largest = terms[c]
        total = 0.0
        for c in range(k):
            terms[c] = math.exp(terms[c] - largest)
            total += terms[c]
        for c in range(k):
            term_bar = terms[c] / total
            alphas_bar[c] += term_bar
            log_det_bar[c] += term_bar
            for j in range(d):
                scaled_bar[j] = -term_bar * scaled[c, j]
            for j in range(d):
                diagonal_bar[c, j] += centred[c, j] * scaled_bar[j]
                centred_bar[j] = diagonal[c, j] * scaled_bar[j]
            at = d
            for i in range(d):
                factor = centred[c, i]
                factor_bar = 0.0
                for j in range(i + 1, d):
                    factors_bar[c, at] += factor * scaled_bar[j]
                    factor_bar += factors[c, at] * scaled_bar[j]
                    at += 1
                centred_bar[i] += factor_bar
            for j in range(d):
                means_bar[c, j] -= centred_bar[j]
    largest = alphas[0]
    for c in range(1, k):
        if largest < alphas[c]:
            largest = alphas[c]
    total = 0.0
    for c in range(k):
        total += math.exp(alphas[c] - largest)
    for c in range(k):
        alphas_bar[c] -= n * math.exp(alphas[c] - largest) / total
        log_det_bar[c] -= m
        for j in range(d):
            diagonal_bar[c, j] += gamma * gamma * diagonal[c, j]
        for j in range(d, width):
            factors_bar[c, j] += gamma * gamma * factors[c, j]
        for j in range(d):
            factors_bar[c, j] += diagonal_bar[c, j] * diagonal[c, j] + log_det_bar[c]
    return alphas_bar, means_bar, factors_bar


def places(d: int) -> np.ndarray:
    """Where in (0, a row of `factors`) the elements of the transposed factor stand: 0 above the diagonal."""
    table = np.zeros((d, d), int)
    at = d + 1
    for i in range(d):
        table[i, i] = i + 1
        for j in range(i + 1, d):
            table[j, i] = at
            at += 1
    return table


def vectorised(xp):
    """With matrix products, as one writes it for a library of arrays."""

    def log_sum_exp(x, axis):
        largest = xp.amax(x, axis=axis, keepdims=True)
        return (largest + xp.log(xp.sum(xp.exp(x - largest), axis=axis, keepdims=True))).sum()

    def objective(alphas, means, factors, points, gamma, m):
        n, d = points.shape
        k = alphas.shape[0]
        log_det = xp.sum(factors[:, :d], axis=1)
        diagonal, below = xp.exp(factors[:, :d]), factors[:, d:]
        row = xp.concatenate([xp.zeros((k, 1)), diagonal, below], axis=1)
        factor = row[:, places(d)]
        along_points = xp.reshape(points @ xp.reshape(factor, (k * d, d)).T, (n, k, d))
        scaled = along_points - xp.reshape(factor @ xp.reshape(means, (k, d, 1)), (k, d))
        terms = alphas + log_det - 0.5 * xp.sum(scaled**2, axis=2)
        freedom = d + m + 1
        log_gamma = 0.25 * d * (d - 1) * math.log(math.pi)
        log_gamma += sum(math.lgamma(0.5 * freedom + 0.5 * (1 - j)) for j in range(1, d + 1))
        constant = freedom * d * (math.log(gamma) - 0.5 * math.log(2.0)) - log_gamma
        frobenius = xp.sum(diagonal**2) + xp.sum(below**2)
        prior = 0.5 * gamma * gamma * frobenius - m * xp.sum(log_det)
        likelihood = log_sum_exp(terms, 1) - n * log_sum_exp(alphas, 0)
        return -n * d * 0.5 * math.log(2 * math.pi) + likelihood + prior - k * constant

    return objective


def data(d: int, n: int = POINTS) -> tuple:
    rng = np.random.default_rng(0)
    k = COMPONENTS
    alphas, means = rng.normal(size=k), rng.normal(size=(k, d))
    factors = 0.1 * rng.normal(size=(k, d * (d + 1) // 2))
    return alphas, means, factors, rng.normal(size=(n, d)), 1.0, 0


PROBLEMS = tuple(
    Problem(
        name=f"mixture{d}",
        title=f"Gaussian mixture, {POINTS} points, d = {d}",
        primal=log_likelihood,
        by_hand=log_likelihood_by_hand,
        wrt=(0, 1, 2),
        arguments=(lambda n, d=d: data(d, n)),
        size=POINTS,
        sizes=(1000, 2000, 4000, 8000),
        goal=1.3,
        peers=dict.fromkeys(("JAX", "PyTorch", "HIPS autograd"), vectorised),
    )
    for d in (2, 10, 32)
)
