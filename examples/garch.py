"""Volatility of returns: GARCH(1, 1), its parameters and their standard errors.

    python examples/garch.py [plot.png]

Two years of daily returns are simulated from known parameters. The likelihood is a loop over days. Standard errors come
in the two ways that textbooks know: from the inverse of the Hessian, and from the outer products of the scores, the
rows of a Jacobian. Both need derivatives that econometrics packages take by differences; Fiorentini, Calzolari and
Panattoni (Journal of Applied Econometrics 11, 1996) worked them out by hand, which checks the gradient here.
"""

import math
import sys
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

import morula

DAYS = 500
TRUE = {"mu": 0.05, "omega": 0.08, "alpha": 0.15, "beta": 0.78}


def simulated(mu, omega, alpha, beta):
    rng = np.random.default_rng(7)
    returns, variance = np.zeros(DAYS), omega / (1 - alpha - beta)
    for day in range(DAYS):
        shock = math.sqrt(variance) * rng.normal()
        returns[day] = mu + shock
        variance = omega + alpha * shock**2 + beta * variance
    return returns


RETURNS = simulated(**TRUE)


def variances(theta, returns=RETURNS):
    mu, omega, alpha, beta = theta
    result = np.zeros(len(returns))
    result[0] = np.var(returns)
    for day in range(1, len(returns)):
        result[day] = omega + alpha * (returns[day - 1] - mu) ** 2 + beta * result[day - 1]
    return result


def log_densities(theta):
    variance = variances(theta)
    return -0.5 * (np.log(2 * np.pi * variance) + (RETURNS - theta[0]) ** 2 / variance)


def negative_log_likelihood(theta):
    return -np.sum(log_densities(theta))


def score_by_hand(theta):
    """The gradient of the likelihood by the recursions of Fiorentini, Calzolari and Panattoni."""
    mu, _, alpha, beta = theta
    variance, shocks = variances(theta), RETURNS - mu
    slope, total = np.zeros(4), np.zeros(4)
    for day in range(DAYS):
        if day:
            before = shocks[day - 1]
            slope = np.array([-2 * alpha * before, 1.0, before**2, variance[day - 1]]) + beta * slope
        excess = shocks[day] ** 2 / variance[day]
        total += 0.5 * slope / variance[day] * (1 - excess)
        total[0] -= shocks[day] / variance[day]
    return total


def main(path="garch.png"):
    start = np.array([0.0, 0.1, 0.1, 0.7])
    exact, by_hand = morula.grad(negative_log_likelihood)(start), score_by_hand(start)
    bounds = [(-1, 1), (1e-4, 5), (1e-4, 0.99), (1e-4, 0.99)]
    found = minimize(morula.value_and_grad(negative_log_likelihood), start, jac=True, bounds=bounds, method="L-BFGS-B")

    from_hessian = np.sqrt(np.diag(np.linalg.inv(morula.hessian(negative_log_likelihood, found.x))))
    (scores,) = morula.jacobian(log_densities, found.x, mode="forward")
    from_scores = np.sqrt(np.diag(np.linalg.inv(scores.T @ scores)))

    print("GARCH(1, 1), 500 simulated daily returns\n")
    print("            true  estimate  error by Hessian  by scores")
    for i, (name, value) in enumerate(TRUE.items()):
        print(f"  {name:<6}{value:8.3f}{found.x[i]:10.3f}{from_hessian[i]:18.3f}{from_scores[i]:11.3f}")
    print(f"\n  largest relative difference from the recursions by hand: {np.max(np.abs(exact / by_hand - 1)):.1e}")
    plot(found.x, path)


def plot(theta, path):
    import matplotlib.pyplot as plt

    plt.style.use(Path(__file__).with_name("gallery.mplstyle"))
    figure, axes = plt.subplots()
    days, spread = np.arange(DAYS), 2 * np.sqrt(variances(theta))
    axes.fill_between(days, theta[0] - spread, theta[0] + spread, color="#d98e04", alpha=0.25, lw=0)
    axes.plot(days, theta[0] + spread, color="#d98e04", linewidth=1, label="two standard deviations, fitted")
    axes.plot(days, theta[0] - spread, color="#d98e04", linewidth=1)
    axes.vlines(days, 0, RETURNS, color="#2f6f8f", linewidth=0.9, label="daily returns (%)")
    axes.set(xlabel="trading day", ylabel="return (%)", xlim=(0, DAYS))
    axes.set_title("Volatility comes in clusters, and the model follows")
    axes.legend(loc="upper left", ncols=2)
    figure.savefig(path)
    plt.close(figure)


if __name__ == "__main__":
    main(*sys.argv[1:2])
