"""A filter of coils and capacitors is fitted to a wanted response, by nodal analysis with complex numbers.

    python examples/ladder_filter.py [plot.png]

A ladder of five elements between a voltage source and a load of 1 ohm shall pass low frequencies as a Butterworth
filter does. The circuit is solved at each frequency by a linear system of complex numbers; the loss is real. The
elements are known in closed form, by Cauer's continued fraction of the Butterworth polynomial, and the fit must find
them.
"""

import sys
from pathlib import Path

import numpy as np
from scipy.optimize import least_squares

import morula

FREQUENCIES = np.geomspace(0.15, 5.0, 40)
WANTED = 1 / np.sqrt(1 + FREQUENCIES**10)
NAMES = ["L1 (H)", "C2 (F)", "L3 (H)", "C4 (F)", "L5 (H)"]


def cauer():
    """Elements from the source to the load: the continued fraction of odd over even part, from the load on."""
    roots = np.exp(1j * np.pi * (0.5 + (np.arange(5) + 0.5) / 5))
    polynomial = np.poly(roots).real
    high, low = polynomial * [1, 0, 1, 0, 1, 0], polynomial * [0, 1, 0, 1, 0, 1]
    values = []
    for k in range(5):
        values.append(high[k] / low[k + 1])
        high, low = low, high - values[-1] * np.append(low[1:], 0.0)
    return np.array(values[::-1])


def transfer(values, frequencies):
    """Voltage of the load for 1 volt of the source, at each frequency."""
    l1, c2, l3, c4, l5 = values
    s = 1j * frequencies
    first, middle, last = 1 / (s * l1), 1 / (s * l3), 1 / (s * l5)
    admittances = np.zeros((len(frequencies), 3, 3), complex)
    admittances[:, 0, 0] = first + s * c2 + middle
    admittances[:, 1, 1] = middle + s * c4 + last
    admittances[:, 2, 2] = last + 1
    admittances[:, 0, 1] = admittances[:, 1, 0] = -middle
    admittances[:, 1, 2] = admittances[:, 2, 1] = -last
    current = np.zeros((len(frequencies), 3, 1), complex)
    current[:, 0, 0] = first
    return np.linalg.solve(admittances, current)[:, 2, 0]


def decibels(values, frequencies=FREQUENCIES):
    return 20 * np.log10(np.abs(transfer(values, frequencies)))


def misfit(logarithms):
    return decibels(np.exp(logarithms)) - 20 * np.log10(WANTED)


def main(path="ladder_filter.png"):
    start = np.log([1.0, 1.2, 1.0, 1.2, 1.0])
    problem = morula.for_scipy(misfit)
    found = least_squares(problem.fun, start, problem.jac, xtol=1e-14, ftol=1e-14, gtol=1e-14)
    values, textbook = np.exp(found.x), cauer()

    (slopes,) = morula.jacobian(decibels, values)  # dB for each farad or henry
    drift = 0.05 * values * slopes
    spread = np.sqrt(np.sum(drift**2, axis=1))  # elements that are 5 % off, independently

    print("A ladder of five elements, fitted to Butterworth's response\n")
    print("            fitted    textbook")
    for name, value, known in zip(NAMES, values, textbook, strict=True):
        print(f"  {name:<8}{value:10.6f}{known:12.6f}")
    print(f"\n  largest difference from the closed form {np.max(np.abs(values - textbook)):.1e}")
    print(f"  spread at the corner with 5 % elements: {np.interp(1.0, FREQUENCIES, spread):.2f} dB")
    plot(np.exp(start), values, spread, path)


def plot(start, values, spread, path):
    import matplotlib.pyplot as plt

    plt.style.use(Path(__file__).with_name("gallery.mplstyle"))
    figure, axes = plt.subplots()
    fitted = decibels(values)
    axes.semilogx(FREQUENCIES, decibels(start), color="#999999", label="first guess")
    axes.fill_between(FREQUENCIES, fitted - 2 * spread, fitted + 2 * spread, alpha=0.25, lw=0)
    axes.semilogx(FREQUENCIES, fitted, label="fitted, with elements of 5 % tolerance")
    axes.semilogx(FREQUENCIES, 20 * np.log10(WANTED), ".", color="#c0392b", label="wanted")
    axes.set_xticks([0.2, 0.5, 1, 2, 5], ["0.2", "0.5", "1", "2", "5"])
    axes.minorticks_off()
    axes.set(xlabel="angular frequency (1/s)", ylabel="gain (dB)", ylim=(-75, 5))
    axes.set_title("A low-pass filter, and what its tolerances do to it")
    axes.legend(loc="lower left")
    figure.savefig(path)
    plt.close(figure)


if __name__ == "__main__":
    main(*sys.argv[1:2])
