"""How long children with leukaemia stayed in remission: a Weibull model of censored times.

    python examples/censored_weibull.py [plot.png]

The data are the weeks in remission of 21 children who were given 6-mercaptopurine and of 21 who were given a
placebo; a child still in remission when the study ended is censored (Freireich et al., Blood 21, 1963, 699-716).
Both groups have one shape and each its own scale, fitted by maximum likelihood. The model is written with
`scipy.stats` as one writes it.
"""

import math
import sys

import numpy as np
from scipy.optimize import minimize
from scipy.stats import norm, weibull_min

import morula

WEEKS = np.array([
    6, 6, 6, 7, 10, 13, 16, 22, 23, 6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35,
    1, 1, 2, 2, 3, 4, 4, 5, 5, 8, 8, 8, 8, 11, 11, 12, 12, 15, 17, 22, 23,
])  # fmt: skip
TREATED = np.arange(42) < 21
ENDED = (np.arange(42) < 9) | ~TREATED  # the others are censored
NAMES = ["shape", "scale, 6-MP", "scale, placebo"]


def negative_log_likelihood(theta):
    """Of the logarithms of the shape and of the scales in weeks."""
    shape, treated, placebo = np.exp(theta)
    scale = np.where(TREATED, treated, placebo)
    ended = weibull_min.logpdf(WEEKS[ENDED], shape, scale=scale[ENDED])
    censored = weibull_min.logsf(WEEKS[~ENDED], shape, scale=scale[~ENDED])
    return -np.sum(ended) - np.sum(censored)


def central_differences(f, x, h=1e-4):
    steps = h * np.eye(len(x))
    return np.array([(8 * (f(x + e) - f(x - e)) - (f(x + 2 * e) - f(x - 2 * e))) / (12 * h) for e in steps])


def main(path="censored_weibull.png"):
    start = np.log([1.0, 20.0, 20.0])
    exact = morula.gradient(negative_log_likelihood, start)[0]
    differences = central_differences(negative_log_likelihood, start)
    problem = morula.for_scipy(negative_log_likelihood)
    found = minimize(problem.fun, start, jac=problem.jac, method="BFGS")
    errors = np.sqrt(np.diag(np.linalg.inv(morula.hessian(negative_log_likelihood, found.x))))
    quantile = norm.ppf(0.975)

    print("Weeks in remission: 42 children, 12 of them censored\n")
    print("                       estimate      95 % interval")
    for name, value, error in zip(NAMES, found.x, errors, strict=True):
        low, high = math.exp(value - quantile * error), math.exp(value + quantile * error)
        print(f"  {name:<16} {math.exp(value):14.3f} {low:9.3f} to {high:6.3f}")
    print(f"  log-likelihood   {-found.fun:14.3f}\n")
    print("Gradient at the start" + "".join(f"{'d/d log ' + name.split(',')[0]:>18}" for name in NAMES))
    print("  morula             " + "".join(f"{g:18.9f}" for g in exact))
    print("  central differences" + "".join(f"{g:18.9f}" for g in differences))
    print(f"  largest relative difference {np.max(np.abs(exact / differences - 1)):.1e}\n")
    plot(np.exp(found.x), path)
    print(f"Plot of data and fit: {path}")


def remaining(weeks, ended):
    """Kaplan and Meier's estimate of the fraction in remission, at the weeks at which some ended."""
    times = np.unique(weeks[ended])
    at_risk = np.array([np.sum(weeks >= t) for t in times])
    ends = np.array([np.sum((weeks == t) & ended) for t in times])
    return times, np.cumprod(1 - ends / at_risk)


def plot(parameters, path):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    shape, *scales = parameters
    weeks = np.linspace(0, 36, 200)
    figure, axes = plt.subplots(figsize=(7.2, 4.4), layout="constrained")
    groups = [
        ("6-MP", TREATED, "#7aa874", scales[0], (24, 0.62)),
        ("placebo", ~TREATED, "#c0392b", scales[1], (13, 0.3)),
    ]
    for name, group, colour, scale, place in groups:
        times, fraction = remaining(WEEKS[group], ENDED[group])
        axes.step([0, *times, 35 if name == "6-MP" else 23], [1, *fraction, fraction[-1]], where="post", color=colour)
        axes.plot(weeks, weibull_min.sf(weeks, shape, scale=scale), color=colour, linewidth=2.4, alpha=0.6)
        axes.text(*place, name, color=colour, fontweight="bold")
    axes.set(xlabel="week", ylabel="fraction in remission", xlim=(0, 36), ylim=(0, 1.02))
    axes.set_title("Remission of acute leukaemia: Kaplan-Meier steps and the Weibull fit", fontsize=11)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=150)
    plt.close(figure)


if __name__ == "__main__":
    main(*sys.argv[1:2])
