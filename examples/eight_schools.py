"""Eight schools, by Hamiltonian Monte Carlo.

    python examples/eight_schools.py [plot.png]

Coaching for a test was tried at eight schools (Rubin, Journal of Educational Statistics 6, 1981): how much did it help,
and how much do schools differ? The posterior of ten parameters is sampled along trajectories that follow its gradient.
The model is short enough for a second way: given the spread between schools everything is normal, and an integral over
that one number (Gelman et al., Bayesian Data Analysis, section 5.4) has the means that the samples must show.
"""

import sys
from pathlib import Path

import numpy as np
from scipy.integrate import quad

import morula

EFFECT = np.array([28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0])
ERROR = np.array([15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0])
SCALE = 10.0  # of the half-normal prior of the spread; the mean has a normal prior of 20


def log_posterior(position):
    mean, log_spread, offsets = position[0], position[1], position[2:]
    spread = np.exp(log_spread)
    schools = mean + spread * offsets
    likelihood = -0.5 * np.sum(((EFFECT - schools) / ERROR) ** 2)
    prior = -0.5 * (mean / 20) ** 2 - 0.5 * (spread / SCALE) ** 2 + log_spread
    return likelihood + prior - 0.5 * np.sum(offsets**2)


def sample(draws, seed, steps=6, size=0.5):
    """Leapfrog trajectories, each accepted by Metropolis' rule."""
    rng = np.random.default_rng(seed)
    value_and_slope = morula.value_and_grad(log_posterior)
    mass = np.array([1 / 25, 1.0, *[1.0] * 8])
    position = np.array([8.0, 1.0, *[0.0] * 8])
    value, slope = value_and_slope(position)
    samples, accepted = np.zeros((draws, 10)), 0
    for draw in range(draws):
        momentum = np.sqrt(mass) * rng.normal(size=10)
        energy = value - 0.5 * np.sum(momentum**2 / mass)
        step = size * rng.uniform(0.8, 1.2)
        x, x_value, x_slope = position, value, slope
        for _ in range(steps):
            momentum = momentum + 0.5 * step * x_slope
            x = x + step * momentum / mass
            x_value, x_slope = value_and_slope(x)
            momentum = momentum + 0.5 * step * x_slope
        if np.log(rng.random()) < x_value - 0.5 * np.sum(momentum**2 / mass) - energy:
            position, value, slope = x, x_value, x_slope
            accepted += 1
        samples[draw] = position
    return samples, accepted / draws


def by_quadrature():
    """Posterior means of the mean and of the spread, by integrals over the spread alone."""

    def given(spread):
        precision = 1 / (ERROR**2 + spread**2)
        total = precision.sum() + 1 / 20**2
        mean = np.sum(precision * EFFECT) / total
        density = np.sqrt(np.prod(precision) / total)
        exponent = 0.5 * mean**2 * total - 0.5 * np.sum(precision * EFFECT**2) - 0.5 * (spread / SCALE) ** 2
        return density * np.exp(exponent), mean

    integral = lambda weigh: quad(lambda t: given(t)[0] * weigh(t), 0, 80)[0]
    norm = integral(lambda t: 1.0)
    return integral(lambda t: given(t)[1]) / norm, integral(lambda t: t) / norm


def main(path="eight_schools.png"):
    samples, accepted = sample(1100, seed=1)
    kept = samples[100:]
    mean, spread = by_quadrature()

    print("Eight schools, 1,000 samples\n")
    print("                        sampled   by quadrature")
    print(f"  mean effect        {kept[:, 0].mean():10.2f}{mean:16.2f}")
    print(f"  spread of schools  {np.exp(kept[:, 1]).mean():10.2f}{spread:16.2f}")
    print(f"\n  accepted {accepted:.0%} of the trajectories")
    plot(kept, path)


def plot(samples, path):
    import matplotlib.pyplot as plt

    plt.style.use(Path(__file__).with_name("gallery.mplstyle"))
    figure, (left, right) = plt.subplots(1, 2, gridspec_kw={"width_ratios": [3, 2]})
    schools = samples[:, :1] + np.exp(samples[:, 1:2]) * samples[:, 2:]
    low, middle, high = np.quantile(schools, [0.1, 0.5, 0.9], axis=0)
    rows = np.arange(8)
    left.hlines(rows - 0.15, EFFECT - 1.28 * ERROR, EFFECT + 1.28 * ERROR, color="#bbbbbb", linewidth=2.5)
    left.plot(EFFECT, rows - 0.15, "o", color="#999999", markersize=5, label="each school by itself")
    left.hlines(rows + 0.15, low, high, linewidth=2.5, color="#2f6f8f")
    left.plot(middle, rows + 0.15, "o", color="#2f6f8f", markersize=5, label="all schools together")
    left.axvline(samples[:, 0].mean(), color="#c0392b", linestyle=":", linewidth=1)
    left.set(yticks=rows, yticklabels="ABCDEFGH", xlabel="points gained, with 80 % intervals", ylim=(9.2, -0.6))
    left.legend(loc="lower left", ncols=2, fontsize=8, columnspacing=1)
    left.set_title("Schools borrow strength")
    right.scatter(samples[:, 2], samples[:, 1], s=6, alpha=0.35, color="#2f6f8f", linewidth=0)
    right.set(xlabel="offset of school A", ylabel="log of the spread")
    right.set_title("The samples")
    figure.savefig(path)
    plt.close(figure)


if __name__ == "__main__":
    main(*sys.argv[1:2])
