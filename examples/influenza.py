"""Fit an epidemic model to the influenza outbreak in an English boarding school, January 1978.

    python examples/influenza.py [plot.png]

The data are the boys confined to bed on 14 days, of 763 (British Medical Journal, 4 March 1978, p. 587).
The model is the SIR model of Kermack and McKendrick; beta, gamma and the infectives of the first day are
fitted by maximum likelihood. The model knows nothing of derivatives.
"""

import math
import sys
import time

import numpy as np
from scipy.optimize import minimize

import morula

BOYS = 763
IN_BED = np.array([3, 8, 26, 76, 225, 298, 258, 233, 189, 128, 68, 29, 14, 4])
DAYS = np.arange(1, 15)
STEPS_PER_DAY = 10
NAMES = ["beta", "gamma", "first"]


# The model, as one writes it ------------------------------------------------------------


def rates(state, beta, gamma):
    susceptible, infective, _ = state
    infections = beta * susceptible * infective / BOYS
    recoveries = gamma * infective
    return np.array([-infections, infections - recoveries, recoveries])


def epidemic(beta, gamma, first):
    """Susceptible, infective and recovered boys at every step: one row each, by the Runge-Kutta method."""
    steps = (len(DAYS) - 1) * STEPS_PER_DAY
    states = np.zeros((steps + 1, 3))
    states[0] = BOYS - first, first, 0.0
    h = 1 / STEPS_PER_DAY
    for i in range(steps):
        x = states[i]
        k1 = rates(x, beta, gamma)
        k2 = rates(x + h / 2 * k1, beta, gamma)
        k3 = rates(x + h / 2 * k2, beta, gamma)
        k4 = rates(x + h * k3, beta, gamma)
        states[i + 1] = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return states


def negative_log_likelihood(theta):
    """Of the logarithms of beta, gamma and first; normal errors of unknown size, which is profiled out."""
    beta, gamma, first = math.exp(theta[0]), math.exp(theta[1]), math.exp(theta[2])
    if first >= BOYS:  # an optimiser may try anything
        return math.inf
    in_bed = epidemic(beta, gamma, first)[::STEPS_PER_DAY, 1]
    return len(DAYS) / 2 * math.log(np.mean((in_bed - IN_BED) ** 2))


# The fit, with the exact gradient and without -------------------------------------------


def central_differences(f, x, h=1e-6):
    return np.array([(f(x + h * e) - f(x - h * e)) / (2 * h) for e in np.eye(len(x))])


def seconds_of(f, *args, repeats=5):
    def once():
        start = time.perf_counter()
        f(*args)
        return time.perf_counter() - start

    return min(once() for _ in range(repeats))


def fit(f, jac):
    """The fit, and the seconds that the quickest of several takes."""

    def once():
        return minimize(f, np.log([2.0, 0.5, 1.0]), jac=jac, method="BFGS")

    return once(), seconds_of(once, repeats=3)


def main(path="influenza.png"):
    loss = negative_log_likelihood
    loss_and_gradient = morula.value_and_grad(loss)

    theta = np.log([2.0, 0.5, 1.0])
    exact, differences = loss_and_gradient(theta)[1], central_differences(loss, theta)
    disagreement = np.max(np.abs(exact - differences) / np.abs(exact))

    found, seconds = fit(loss_and_gradient, True)
    rival, rival_seconds = fit(loss, None)
    beta, gamma, first = np.exp(found.x)
    ratio = seconds_of(loss_and_gradient, theta) / seconds_of(loss, theta)

    print("Influenza in an English boarding school, 1978: SIR model, 763 boys, 14 days\n")
    print("                        fitted   textbook*")
    print(f"  beta   (per day)      {beta:6.3f}   1.66")
    print(f"  gamma  (per day)      {gamma:6.3f}   0.44")
    print(f"  R0 = beta / gamma     {beta / gamma:6.2f}   3.8")
    print(f"  infectives on day 1   {first:6.2f}   (not fitted)")
    print(f"  typical error {math.sqrt(math.exp(found.fun * 2 / len(DAYS))):.0f} boys"
          "             * J. D. Murray, Mathematical Biology\n")  # fmt: skip
    print("Gradient at the start" + "".join(f"{'d/d log ' + n:>18}" for n in NAMES))
    print("  morula             " + "".join(f"{g:18.9f}" for g in exact))
    print("  central differences" + "".join(f"{g:18.9f}" for g in differences))
    print(f"  largest relative difference {disagreement:.1e}\n")
    print("BFGS from the same start    evaluations of the model    seconds    iterations")
    print(f"  exact gradient            {found.nfev:10d}{seconds:25.3f}{found.nit:14d}")
    print(f"  SciPy's differences       {rival.nfev:10d}{rival_seconds:25.3f}{rival.nit:14d}")
    compared = "quicker" if rival_seconds < seconds else "slower"
    print(f"Value and exact gradient take {ratio:.1f} times as long as the value, however many parameters there")
    print(f"are; differences take one evaluation more for each. With 3 parameters they are {compared}.\n")
    plot(np.exp(found.x), path)
    print(f"Plot of data and fit: {path}")


def plot(parameters, path):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    states = epidemic(*parameters)
    days = np.linspace(DAYS[0], DAYS[-1], len(states))
    beta, gamma, _ = parameters
    figure, axes = plt.subplots(figsize=(7.2, 4.4), layout="constrained")
    curves = [("susceptible", "#7a9cc6", 0), ("infective", "#c0392b", 1), ("recovered", "#7aa874", 2)]
    for name, colour, i in curves:
        wide = 2.4 if name == "infective" else 1.4
        axes.plot(days, states[:, i], color=colour, linewidth=wide)
    for name, colour, day, boys in (
        ("susceptible", "#7a9cc6", 4.65, 560),
        ("infective (fit)", "#c0392b", 7.3, 275),
        ("recovered", "#7aa874", 11.2, 590),
    ):
        axes.text(day, boys, name, color=colour, fontweight="bold")
    axes.plot(DAYS, IN_BED, "o", color="#222222", markersize=6, label="boys in bed (data)", zorder=3, clip_on=False)
    axes.set(xlabel="day", ylabel="boys", xlim=(0.7, 14.3), ylim=(0, 790), xticks=DAYS)
    axes.set_title(
        "Influenza in an English boarding school, 1978\n"
        rf"$\beta={beta:.2f}$ per day, $\gamma={gamma:.2f}$ per day, $R_0={beta / gamma:.2f}$",
        fontsize=11,
    )
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="center right", bbox_to_anchor=(1, 0.45))
    figure.savefig(path, dpi=150)
    plt.close(figure)


if __name__ == "__main__":
    main(*sys.argv[1:2])
