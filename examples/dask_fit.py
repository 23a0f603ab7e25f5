"""A fit over a Dask cluster: each patient is simulated by a worker, and the gradient comes back from there.

    python examples/dask_fit.py [plot.png]

A drug goes from the gut to the blood and is broken down by an enzyme that saturates. The patients had different
doses and weights; four numbers are the same for all of them. The loop over time is plain Python, and the map over
patients is that of `dask.distributed`. The gradient is compared with one that is computed here, and with central
differences.
"""

import sys
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

import morula

TRUTH = np.log([0.9, 14.0, 9.0, 4.0])  # absorption (1/h), volume (l), largest rate (mg/h), half saturation (mg/l)
NAMES = ["absorption (1/h)", "volume (l/70 kg)", "largest rate (mg/h)", "half saturation (mg/l)"]
HOURS = np.array([0.5, 1, 2, 3, 5, 8, 12, 18])
STEP = 0.05


def concentrations(theta, dose, weight):
    """In the blood, at the hours of the samples."""
    absorption, volume, rate, half = np.exp(theta)
    volume = volume * weight / 70
    gut, blood, found = dose, 0.0, []
    for k in range(1, round(HOURS[-1] / STEP) + 1):
        taken = absorption * gut
        level = blood / volume
        gut -= STEP * taken
        blood += STEP * (taken - rate * level / (half + level))
        if k % 10 == 0 and k * STEP in HOURS:
            found.append(blood / volume)
    return np.array(found)


def misfit(theta, patient):
    dose, weight, measured = patient
    return float(np.sum((np.log(concentrations(theta, dose, weight)) - np.log(measured)) ** 2))


def patients(count):
    rng = np.random.default_rng(0)
    found = []
    for _ in range(count):
        dose, weight = rng.choice([100.0, 200.0, 400.0]), rng.normal(72, 12)
        found.append((dose, weight, concentrations(TRUTH, dose, weight) * np.exp(0.15 * rng.normal(size=len(HOURS)))))
    return found


def central_differences(f, x, h=1e-5):
    return np.array([(f(x + e) - f(x - e)) / (2 * h) for e in h * np.eye(len(x))])


def main(path="dask_fit.png"):
    from dask.distributed import Client, LocalCluster

    people = patients(24)
    start = TRUTH + np.array([0.6, -0.5, 0.4, 0.7])
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50) as cluster,
        Client(cluster) as client,
    ):
        data = client.scatter([people[i::8] for i in range(8)])  # it stays with the workers

        def total(theta):
            return sum(client.gather(client.map(misfit_of_several, [theta] * len(data), data)))

        gradient = morula.gradient(total, start)[0]
        found = minimize(morula.value_and_grad(total), start, jac=True, method="BFGS", options={"gtol": 1e-4})
    here = morula.gradient(lambda theta: misfit_of_several(theta, people), start)[0]
    differences = central_differences(lambda theta: misfit_of_several(theta, people), start)

    print("Twenty-four patients, simulated by the workers of a Dask cluster\n")
    print(f"  gradient on the cluster and here: largest difference {np.max(np.abs(gradient - here)):.1e}")
    print(f"  and from central differences, relative: {np.max(np.abs(gradient / differences - 1)):.1e}")
    print(f"  evaluations of value and gradient: {found.nfev}\n")
    for name, fitted, true in zip(NAMES, np.exp(found.x), np.exp(TRUTH), strict=True):
        print(f"  {name:24} fitted {fitted:7.3f}   true {true:7.3f}")
    plot(found.x, people, path)


def misfit_of_several(theta, several):
    return sum([misfit(theta, patient) for patient in several])


def plot(theta, people, path):
    import matplotlib.pyplot as plt

    plt.style.use(Path(__file__).with_name("gallery.mplstyle"))
    figure, axes = plt.subplots()
    for dose, colour in ((100.0, "#2f6f8f"), (200.0, "#d98e04"), (400.0, "#c0392b")):
        for _, weight, measured in [p for p in people if p[0] == dose]:
            axes.semilogy(HOURS, measured * weight / 70, ".", color=colour, alpha=0.5)
        axes.semilogy(HOURS, concentrations(theta, dose, 70.0), color=colour, label=f"{dose:.0f} mg")
    axes.set_yticks([2, 5, 10, 20, 30], ["2", "5", "10", "20", "30"])
    axes.minorticks_off()
    axes.set(xlabel="hours after the dose", ylabel="concentration (mg/l), for 70 kg")
    axes.legend()
    axes.set_title("A drug that saturates its enzyme: 24 patients, one model")
    figure.savefig(path)
    plt.close(figure)


if __name__ == "__main__":
    main(*sys.argv[1:2])
