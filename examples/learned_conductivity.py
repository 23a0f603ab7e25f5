"""A JAX network inside a NumPy simulation: which conductivity does a rod have, if one knows how it cools?

    python examples/learned_conductivity.py [plot.png]

Heat flows along a rod whose conductivity depends on the temperature in an unknown way. The simulation is NumPy, in
place; the conductivity is a network of JAX, by `from_jax`. Its weights are fitted to profiles of the temperature at
four times. The truth is known here, and a derivative is compared with a central difference.
"""

import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from scipy.optimize import minimize

import morula
from morula.jax import from_jax

CELLS, STEPS, WIDTH = 48, 80, 6
WATCHED = (10, 25, 50, STEPS)
START = np.exp(-60 * (np.linspace(0, 1, CELLS) - 0.35) ** 2) + 0.7 * (np.linspace(0, 1, CELLS) > 0.7)
RATE = 0.32


@jax.jit
def network(weights, u):
    """A positive function of the temperature."""
    a, b, c = weights[:WIDTH], weights[WIDTH : 2 * WIDTH], weights[2 * WIDTH :]
    return jax.nn.softplus(jnp.tanh(u[:, None] * a + b) @ c)


conductivity = from_jax(network)


def truth(u):
    return 0.25 + 1.1 * u**2 / (0.3 + u**2)


def cooling(k):
    """Profiles at the watched steps, for a conductivity that is a function of the temperature."""
    u, profiles = START.copy(), []
    for step in range(1, STEPS + 1):
        flow = k((u[1:] + u[:-1]) / 2) * np.diff(u)
        u[:-1] += RATE * flow
        u[1:] -= RATE * flow
        if step in WATCHED:
            profiles.append(u.copy())
    return profiles


MEASURED = [u + 0.002 * np.random.default_rng(k).normal(size=CELLS) for k, u in enumerate(cooling(truth))]


def misfit(weights):
    profiles = cooling(lambda u: conductivity(weights, u))
    return sum(np.sum((u - m) ** 2) for u, m in zip(profiles, MEASURED, strict=True)) + 1e-6 * np.sum(weights**2)


def main(path="learned_conductivity.png"):
    start = np.random.default_rng(0).normal(size=3 * WIDTH)
    direction, h = np.random.default_rng(1).normal(size=start.shape), 1e-5
    slope = morula.gradient(misfit, start)[0] @ direction
    difference = (misfit(start + h * direction) - misfit(start - h * direction)) / (2 * h)
    found = minimize(morula.value_and_grad(misfit), start, jac=True, method="L-BFGS-B", options={"maxiter": 80})
    u = np.linspace(0.05, 1, 60)
    error = np.max(np.abs(np.asarray(network(found.x, u)) / truth(u) - 1))
    print("The conductivity of a rod: a network of JAX in a simulation of NumPy\n")
    print(f"  slope along a random direction {slope:.8f}, by a central difference {difference:.8f}")
    print(f"  misfit before {misfit(start):.4f}, after {found.nfev} evaluations {found.fun:.6f}")
    print(f"  largest error of the conductivity: {100 * error:.1f} %")
    plot(found.x, u, path)


def plot(weights, u, path):
    import matplotlib.pyplot as plt

    plt.style.use(Path(__file__).with_name("gallery.mplstyle"))
    figure, (left, right) = plt.subplots(1, 2, figsize=(7.2, 3.0))
    place = np.linspace(0, 1, CELLS)
    left.plot(place, START, ":", color="#555555", linewidth=1.2)
    fitted = cooling(lambda u: conductivity(weights, u))
    for step, profile, measured in zip(WATCHED, fitted, MEASURED, strict=True):
        (line,) = left.plot(place, profile, label=f"step {step}")
        left.plot(place, measured, ".", color=line.get_color(), markersize=4)
    left.set(xlabel="place", ylabel="temperature")
    left.legend(fontsize=8)
    left.set_title("Profiles: measured and fitted")
    right.plot(u, truth(u), color="#333333", label="truth")
    right.plot(u, network(weights, u), "--", color="#c0392b", label="network")
    right.set(xlabel="temperature", ylabel="conductivity", ylim=(0, None))
    right.legend()
    right.set_title("What the network has learned")
    figure.savefig(path)
    plt.close(figure)


if __name__ == "__main__":
    main(*sys.argv[1:2])
