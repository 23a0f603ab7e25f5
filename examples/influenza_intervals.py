"""How sure is the influenza fit? Confidence intervals from the exact Hessian of the likelihood.

    python examples/influenza_intervals.py [plot.png]

The model and the data are those of influenza.py. At the maximum of the likelihood the inverse Hessian of its
negative logarithm is the covariance of the parameters (Wald). The profile likelihood, which takes a fit for each
value that it tries, tells whether to believe it. The band around the curve is the same covariance, carried through
the epidemic by its Jacobian.
"""

import math
import sys
import time

import numpy as np
from influenza import DAYS, IN_BED, NAMES, STEPS_PER_DAY, epidemic, negative_log_likelihood
from scipy.optimize import brentq, minimize

import morula

SURE = 1.959964  # standard deviations to either side that hold 95 %
ROWS = [*NAMES, "R0"]


def infectives(theta):
    """Boys in bed on each day, for the logarithms of the parameters."""
    beta, gamma, first = math.exp(theta[0]), math.exp(theta[1]), math.exp(theta[2])
    return epidemic(beta, gamma, first)[::STEPS_PER_DAY, 1]


def difference_hessian(f, x, h=2e-4):
    """From values alone, as one would without derivatives."""
    e = h * np.eye(len(x))
    return np.array(
        [
            [(f(x + a + b) - f(x + a - b) - f(x - a + b) + f(x - a - b)) / (4 * h * h) for b in e]
            for a in e
        ]
    )  # fmt: skip


def profile_interval(problem, best, direction, width):
    """Where the best fit with a fixed value of ``direction @ theta`` is less likely than 95 % intervals allow."""
    fixed = np.argmax(abs(direction))
    free = [i for i in range(3) if i != fixed]
    middle = direction @ best.x

    def excess(value):
        def theta_of(rest):
            theta = np.zeros(3)
            theta[free] = rest
            theta[fixed] = (value - direction @ theta) / direction[fixed]
            return theta

        def reduced(rest):
            theta = theta_of(rest)
            g = problem.jac(theta)
            return problem.fun(theta), g[free] - g[fixed] * direction[free] / direction[fixed]

        found = minimize(reduced, best.x[free], jac=True, method="BFGS", options={"gtol": 1e-2})
        return found.fun - best.fun - SURE**2 / 2

    return [brentq(excess, middle, middle + side * 2.0 * width, xtol=1e-3 * width) for side in (-1, 1)]


def main(path="influenza_intervals.png"):
    problem = morula.for_scipy(negative_log_likelihood)
    best = minimize(problem.fun, np.log([2.0, 0.5, 1.0]), jac=problem.jac, hess=problem.hess, method="trust-exact")

    start = time.perf_counter()
    information = morula.hessian(negative_log_likelihood, best.x)
    seconds = time.perf_counter() - start
    differences = difference_hessian(negative_log_likelihood, best.x)
    covariance = np.linalg.inv(information)

    directions = [*np.eye(3), np.array([1.0, -1.0, 0.0])]  # the last is log R0 = log beta - log gamma
    wald, profile = [], []
    for direction in directions:
        middle, width = direction @ best.x, SURE * math.sqrt(direction @ covariance @ direction)
        wald.append(np.exp([middle, middle - width, middle + width]))
        profile.append(np.exp(profile_interval(problem, best, direction, width)))

    print("Influenza in an English boarding school, 1978: how sure is the fit?\n")
    print("             fitted   95 % interval, Hessian   95 % interval, profile likelihood")
    for name, (value, low, high), (lower, upper) in zip(ROWS, wald, profile, strict=True):
        print(f"  {name:<8}{value:10.3f}{low:14.3f} ..{high:7.3f}{lower:19.3f} ..{upper:7.3f}")
    spread = np.sqrt(np.diag(covariance))
    correlation = covariance / np.outer(spread, spread)
    print("\nCorrelations of the logarithms")
    for name, row in zip(NAMES, correlation, strict=True):
        print(f"  {name:<8}" + "".join(f"{c:8.3f}" for c in row))
    apart = np.max(abs(information - differences)) / np.max(abs(information))
    print(f"\nTrust-region fit with the exact Hessian: {best.nit} iterations, {best.nfev} evaluations")
    print(f"Hessian: {seconds:.3f} seconds; from the one of second differences it has a largest")
    print(f"  relative difference {apart:.1e}")
    plot(best.x, covariance, path)
    print(f"Plot of the band and the likelihood: {path}")


def plot(theta, covariance, path):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    curve, (by_theta,) = morula.withjacobian(infectives, theta)
    of_mean = SURE * np.sqrt(np.einsum("ti,ij,tj->t", by_theta, covariance, by_theta))
    noise = math.sqrt(np.mean((curve - IN_BED) ** 2))
    of_data = SURE * np.sqrt((of_mean / SURE) ** 2 + noise**2)

    figure, (left, right) = plt.subplots(1, 2, figsize=(10.5, 4.4), layout="constrained")
    bands = ((of_data, "#f2d7d3", "for a count"), (of_mean, "#d98880", "for the curve"))
    for half, colour, label in bands:
        left.fill_between(DAYS, curve - half, curve + half, color=colour, label=f"95 % {label}", linewidth=0)
    left.plot(DAYS, curve, color="#c0392b", linewidth=1.8)
    left.plot(DAYS, IN_BED, "o", color="#222222", markersize=5, label="boys in bed (data)", zorder=3)
    left.set(xlabel="day", ylabel="boys", xticks=DAYS, title="The curve and its band")
    left.legend(frameon=False)

    spread = np.sqrt(np.diag(covariance))
    a = theta[0] + np.linspace(-3.4, 3.4, 13) * spread[0]
    b = theta[1] + np.linspace(-3.4, 3.4, 13) * spread[1]

    def best_first(u, v):
        """The least value over the third parameter: of a parabola through three, twice."""
        middle, step = theta[2] + slope @ (np.array([u, v]) - theta[:2]), 0.2 * spread[2]
        for _ in range(2):
            low, here, high = (negative_log_likelihood(np.array([u, v, middle + d])) for d in (-step, 0.0, step))
            middle -= step * (high - low) / (2 * (high - 2 * here + low))
        return here - (high - low) ** 2 / (8 * (high - 2 * here + low))

    slope = np.linalg.solve(covariance[:2, :2], covariance[:2, 2])
    lowest = negative_log_likelihood(theta)
    rise = np.array([[best_first(u, v) - lowest for u in a] for v in b])
    levels = [-math.log(1 - p) for p in (0.5, 0.95)]  # of a chi-squared variable with two degrees of freedom, halved
    right.contour(np.exp(a), np.exp(b), rise, levels=levels, colors="#7a9cc6", linewidths=2)
    circle = np.stack([np.cos(np.linspace(0, 2 * np.pi, 200)), np.sin(np.linspace(0, 2 * np.pi, 200))])
    for level in levels:
        ellipse = np.exp(theta[:2, None] + math.sqrt(2 * level) * np.linalg.cholesky(covariance[:2, :2]) @ circle)
        right.plot(*ellipse, color="#222222", linewidth=1.1, linestyle="--")
    right.plot(*np.exp(theta[:2]), "o", color="#c0392b")
    right.plot([], [], color="#7a9cc6", linewidth=2, label="profile likelihood")
    right.plot([], [], color="#222222", linewidth=1.1, linestyle="--", label="Hessian")
    right.set(xlabel=r"$\beta$ per day", ylabel=r"$\gamma$ per day", title="50 % and 95 % regions")
    right.legend(frameon=False, loc="lower right")
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=150)
    plt.close(figure)


if __name__ == "__main__":
    main(*sys.argv[1:2])
