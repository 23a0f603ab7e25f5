"""A gradient penalty: a small network that is fitted to few noisy points and must not be steep.

    python examples/gradient_penalty.py [plot.png]

The loss contains the network's own slope, the derivative of its output by its input. So its gradient by the weights
is a derivative of a derivative: `gradient` is called inside a function that is differentiated.
"""

import sys
import time

import numpy as np
from scipy.optimize import minimize

import morula

WIDTH = 16
STRENGTHS = [0.0, 1e-3, 1e-2, 5e-2]


def truth(x):
    return np.sin(3 * x) * np.exp(-0.3 * x**2)


def points(rng, n=16):
    x = np.sort(rng.uniform(-3, 3, n))
    return x, truth(x) + 0.15 * rng.normal(size=n)


def network(weights, x):
    """One number for each number of `x`."""
    hidden = np.tanh(x[:, None] * weights["into"] + weights["shift"])
    hidden = np.tanh(hidden @ weights["between"] + weights["second"])
    return hidden @ weights["out"]


def slopes(weights, x):
    """The derivative of the network by its input, at each of `x`: every output depends on one input."""
    (x_bar,) = morula.gradient(lambda x: network(weights, x).sum(), x)
    return x_bar


def loss(weights, x, y, grid, strength):
    misfit = np.mean((network(weights, x) - y) ** 2)
    return misfit + strength * np.mean(slopes(weights, grid) ** 2)


def start(rng):
    return {
        "into": 2.0 * rng.normal(size=WIDTH),
        "shift": rng.normal(size=WIDTH),
        "between": rng.normal(size=(WIDTH, WIDTH)) / np.sqrt(WIDTH),
        "second": np.zeros(WIDTH),
        "out": rng.normal(size=WIDTH) / np.sqrt(WIDTH),
    }


def main(path="gradient_penalty.png"):
    rng = np.random.default_rng(2)
    x, y = points(rng)
    weights = start(rng)
    grid = np.linspace(-3, 3, 241)
    fine = np.linspace(-3, 3, 1001)  # other points than those of the penalty
    problem = morula.for_scipy(loss, weights)

    rows, curves = [], []
    for strength in STRENGTHS:
        begin = time.perf_counter()
        args = (x, y, grid, strength)
        found = minimize(problem.fun, problem.x0, args, "L-BFGS-B", problem.jac, options={"maxiter": 250})
        seconds = time.perf_counter() - begin
        fitted = problem.unravel(found.x)
        curve = network(fitted, fine)
        misfit = np.mean((network(fitted, x) - y) ** 2)
        error = np.mean((curve - truth(fine)) ** 2)
        rows.append((strength, misfit, error, np.sqrt(np.mean(slopes(fitted, fine) ** 2)), found.nit, seconds))
        curves.append(curve)

    v = rng.normal(size=len(problem.x0))
    h, args = 1e-6, (x, y, grid, 1e-2)
    exact = problem.jac(problem.x0, *args) @ v
    differences = (problem.fun(problem.x0 + h * v, *args) - problem.fun(problem.x0 - h * v, *args)) / (2 * h)

    print(f"A network of {len(problem.x0)} weights, {len(x)} noisy points, and a penalty on its slope\n")
    print("  penalty    misfit of the points    error of the curve    typical slope    steps    seconds")
    for strength, misfit, error, slope, steps, seconds in rows:
        print(f"  {strength:7.0e}{misfit:24.4f}{error:22.4f}{slope:17.2f}{steps:9d}{seconds:11.2f}")
    apart = abs(exact - differences) / abs(exact)
    print(f"\nThe gradient of the penalised loss and differences of the loss: relative difference {apart:.1e}")
    plot(x, y, fine, curves, path)
    print(f"Plot of the curves: {path}")


def plot(x, y, grid, curves, path):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7.2, 4.2), layout="constrained")
    axes.plot(grid, truth(grid), color="#999999", linestyle="--", linewidth=1.4, label="truth")
    for strength, curve, colour in zip(STRENGTHS, curves, ("#c0392b", "#e59866", "#7a9cc6", "#7aa874"), strict=True):
        axes.plot(grid, curve, color=colour, linewidth=2, label=f"penalty {strength:g}")
    axes.plot(x, y, "o", color="#222222", markersize=5, label="points")
    axes.set(xlabel="x", ylabel="y", title="A network that must not be steep", ylim=(-1.6, 1.6))
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, ncols=2, loc="lower right", fontsize=9)
    figure.savefig(path, dpi=150)
    plt.close(figure)


if __name__ == "__main__":
    main(*sys.argv[1:2])
