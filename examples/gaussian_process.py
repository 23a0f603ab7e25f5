"""A Gaussian process learns how smooth, how periodic and how noisy a signal is.

    python examples/gaussian_process.py [plot.png]

Six hyperparameters of a composed kernel are found by maximising the marginal likelihood, through a Cholesky
factorisation. Rasmussen and Williams (Gaussian Processes for Machine Learning, 2006, eq. 5.9) give the derivative with
respect to each of them by hand, 1/2 tr((a a' - K^-1) dK), which checks it.
"""

import sys
from pathlib import Path

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import minimize

import morula

RNG = np.random.default_rng(3)
TIMES = np.sort(RNG.uniform(0, 9, 70))
SIGNAL = 0.12 * (TIMES - 4) ** 2 + np.sin(2 * np.pi * TIMES) + 0.2 * RNG.normal(size=len(TIMES))
NAMES = ["trend size", "trend length", "cycle size", "cycle smoothness", "period", "noise"]


def kernel(a, b, theta):
    trend_size, trend_length, cycle_size, smoothness, period, _ = np.exp(theta)
    apart = a[:, None] - b[None, :]
    trend = trend_size**2 * np.exp(-0.5 * (apart / trend_length) ** 2)
    cycle = cycle_size**2 * np.exp(-2 * (np.sin(np.pi * apart / period) / smoothness) ** 2)
    return trend + cycle


def covariance(theta):
    return kernel(TIMES, TIMES, theta) + np.exp(theta[-1]) ** 2 * np.eye(len(TIMES))


def negative_log_likelihood(theta):
    factor = cho_factor(covariance(theta), lower=True)
    weights = cho_solve(factor, SIGNAL)
    return 0.5 * SIGNAL @ weights + np.log(np.diag(factor[0])).sum() + 0.5 * len(TIMES) * np.log(2 * np.pi)


def by_the_book(theta, h=1e-5):
    """Equation 5.9, with dK by differences of the kernel, which is cheap; the likelihood is not differentiated."""
    inverse = np.linalg.inv(covariance(theta))
    weights = inverse @ SIGNAL
    slopes = [(covariance(theta + h * e) - covariance(theta - h * e)) / (2 * h) for e in np.eye(len(theta))]
    return np.array([-0.5 * np.trace((np.outer(weights, weights) - inverse) @ dk) for dk in slopes])


def predict(times, theta):
    factor = cho_factor(covariance(theta), lower=True)
    across = kernel(times, TIMES, theta)
    mean = across @ cho_solve(factor, SIGNAL)
    spread = np.diag(kernel(times, times, theta)) - np.sum(across * cho_solve(factor, across.T).T, axis=1)
    return mean, np.sqrt(np.maximum(spread, 0))


def main(path="gaussian_process.png"):
    start = np.log([2.0, 3.0, 1.0, 1.5, 1.03, 0.3])
    exact, book = morula.grad(negative_log_likelihood)(start), by_the_book(start)
    found = minimize(morula.value_and_grad(negative_log_likelihood), start, jac=True, method="BFGS")

    print("Hyperparameters by the marginal likelihood, 70 observations\n")
    for name, value in zip(NAMES, np.exp(found.x), strict=True):
        print(f"  {name:<18}{value:8.3f}")
    print(f"\n  likelihood at the start {-negative_log_likelihood(start):8.2f}, at the end {-found.fun:8.2f}")
    print(f"  largest relative difference from equation 5.9: {np.max(np.abs(exact / book - 1)):.1e}")
    plot(found.x, path)


def plot(theta, path):
    import matplotlib.pyplot as plt

    plt.style.use(Path(__file__).with_name("gallery.mplstyle"))
    figure, axes = plt.subplots()
    times = np.linspace(-0.5, 12, 500)
    mean, spread = predict(times, theta)
    for width, shade in ((2, 0.15), (1, 0.25)):
        axes.fill_between(times, mean - width * spread, mean + width * spread, color="#2f6f8f", alpha=shade, lw=0)
    axes.plot(times, mean, label="prediction, with one and two standard deviations")
    axes.plot(TIMES, SIGNAL, ".", color="#222222", markersize=5, label="observations")
    axes.axvline(9, color="#999999", linestyle=":", linewidth=1)
    axes.set(xlabel="time", ylabel="signal", xlim=(-0.5, 12))
    axes.set_title(f"A trend and a cycle of period {np.exp(theta[4]):.3f}, continued beyond the data")
    axes.legend(loc="upper left")
    figure.savefig(path)
    plt.close(figure)


if __name__ == "__main__":
    main(*sys.argv[1:2])
