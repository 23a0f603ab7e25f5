"""Sixty-four loudspeakers on a circle play until the waves form a heart.

    python examples/wave_focus.py [plot.png]

The wave equation on a grid, stepped in place. The unknowns are the signals of all speakers at all times, some thousands
of numbers; the loss is how far the field at the end is from a wanted picture. The misfit is quadratic, so that a single
central difference along any direction is exact, whatever its step: that checks the gradient.
"""

import sys
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

import morula

N, STEPS, SPEAKERS = 72, 100, 64
Y, X = np.mgrid[1 : -1 : N * 1j, -1 : 1 : N * 1j]
ANGLES = np.linspace(0, 2 * np.pi, SPEAKERS, endpoint=False)
ROWS = np.round(N / 2 + 0.42 * N * np.sin(ANGLES)).astype(int)
COLUMNS = np.round(N / 2 + 0.42 * N * np.cos(ANGLES)).astype(int)
HEART = ((1.9 * X) ** 2 + (1.9 * Y - 0.1) ** 2 - 0.7) ** 3 - (1.9 * X) ** 2 * (1.9 * Y - 0.1) ** 3 < 0
DAMPING = 1 - 0.12 * np.clip(np.maximum(np.abs(X), np.abs(Y)) - 0.86, 0, 1) / 0.14


def waves(signals, watch=()):
    """The field after all steps; with copies of the field at the steps to be watched."""
    before, now, seen = np.zeros((N, N)), np.zeros((N, N)), []
    for step in range(STEPS):
        after = np.zeros((N, N))
        after[1:-1, 1:-1] = 2 * now[1:-1, 1:-1] - before[1:-1, 1:-1] + 0.45 * (
            now[2:, 1:-1] + now[:-2, 1:-1] + now[1:-1, 2:] + now[1:-1, :-2] - 4 * now[1:-1, 1:-1]
        )  # fmt: skip
        after[ROWS, COLUMNS] += signals[step]
        after *= DAMPING
        now *= DAMPING
        before, now = now, after
        if step in watch:
            seen.append(now.copy())
    return (now, seen) if watch else now


def misfit(numbers):
    signals = numbers.reshape(STEPS, SPEAKERS)
    return np.sum((waves(signals) - HEART) ** 2) + 1e-3 * np.sum(signals**2)


def main(path="wave_focus.png"):
    start = np.zeros(STEPS * SPEAKERS)
    direction = np.random.default_rng(0).normal(size=start.shape)
    slope = morula.grad(misfit)(start) @ direction
    difference = (misfit(start + direction) - misfit(start - direction)) / 2
    options = {"maxiter": 25}
    found = minimize(morula.value_and_grad(misfit), start, jac=True, method="L-BFGS-B", options=options)

    print(f"Waves from {SPEAKERS} speakers, {STEPS} steps, {start.size:,} unknowns\n")
    print(f"  slope along a random direction {slope:.10f}, by an exact difference {difference:.10f}")
    print(f"  evaluations of value and gradient {found.nfev}; by differences one gradient takes {2 * start.size:,}")
    print(f"  misfit without sound {misfit(start):.1f}, with the signals found {found.fun:.1f}")
    plot(found.x.reshape(STEPS, SPEAKERS), path)


def plot(signals, path):
    import matplotlib.pyplot as plt

    plt.style.use(Path(__file__).with_name("gallery.mplstyle"))
    watch = (STEPS - 60, STEPS - 40, STEPS - 20, STEPS - 1)
    _, seen = waves(signals, watch)
    figure, panels = plt.subplots(1, 4, figsize=(7.2, 2.2))
    for axes, step, field in zip(panels, watch, seen, strict=True):
        axes.imshow(field, cmap="RdBu_r", vmin=-1.2, vmax=1.2)
        axes.plot(COLUMNS, ROWS, ".", color="#333333", markersize=1.5)
        axes.set(xticks=[], yticks=[])
        axes.set_title(f"step {step + 1}")
        axes.spines[:].set_visible(False)
    figure.savefig(path)
    plt.close(figure)


if __name__ == "__main__":
    main(*sys.argv[1:2])
