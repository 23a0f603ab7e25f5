"""A blurred, noisy picture is made sharp again: 4,096 unknowns.

    python examples/deblurring.py [plot.png]

The blur is a convolution by Fourier transforms; the penalty is the total variation, which likes flat areas and edges.
Central differences would take 8,193 evaluations for one gradient; the exact one takes a few times one evaluation. It
is checked against the adjoint of the blur and of the differences, worked out by hand.
"""

import sys
from pathlib import Path

import numpy as np
from scipy import fft
from scipy.optimize import minimize

import morula

N, STRENGTH, ROUNDING, NOISE = 64, 0.0015, 1e-4, 0.01


def scene():
    y, x = np.mgrid[:N, :N]
    picture = np.full((N, N), 0.1)
    picture[(x - 22) ** 2 + (y - 24) ** 2 < 180] = 0.95
    picture[(x - 27) ** 2 + (y - 20) ** 2 < 60] = 0.45
    picture[44:56, 8:56] = 0.7
    picture[47:53, 12:52:4] = 0.2
    picture[(np.abs(x - 47) + np.abs(y - 22)) < 11] = 0.6
    return picture


def response(width):
    """The transform of a Gaussian spot."""
    frequencies = fft.fftfreq(N)
    return np.exp(-2 * (np.pi * width) ** 2 * (frequencies[:, None] ** 2 + frequencies**2))


SCENE, BLUR = scene(), response(1.6)


def blurred(picture):
    return fft.ifft2(BLUR * fft.fft2(picture)).real


OBSERVED = blurred(SCENE) + NOISE * np.random.default_rng(0).normal(size=(N, N))


def objective(pixels):
    picture = pixels.reshape(N, N)
    down = np.roll(picture, -1, axis=0) - picture
    right = np.roll(picture, -1, axis=1) - picture
    variation = np.sqrt(down**2 + right**2 + ROUNDING).sum()
    return 0.5 * np.sum((blurred(picture) - OBSERVED) ** 2) + STRENGTH * variation


def gradient_by_hand(pixels):
    """The blur is its own adjoint; that of a forward difference is a backward one, with the sign turned."""
    picture = pixels.reshape(N, N)
    down = np.roll(picture, -1, axis=0) - picture
    right = np.roll(picture, -1, axis=1) - picture
    steep = np.sqrt(down**2 + right**2 + ROUNDING)
    p, q = down / steep, right / steep
    divergence = p - np.roll(p, 1, axis=0) + q - np.roll(q, 1, axis=1)
    return (blurred(blurred(picture) - OBSERVED) - STRENGTH * divergence).ravel()


def decibels(picture):
    return 10 * np.log10(1 / np.mean((picture - SCENE) ** 2))


def main(path="deblurring.png"):
    start = OBSERVED.ravel()
    exact, by_hand = morula.grad(objective)(start), gradient_by_hand(start)
    options = {"maxiter": 250, "maxfun": 400}
    found = minimize(morula.value_and_grad(objective), start, jac=True, method="L-BFGS-B", options=options)
    restored = found.x.reshape(N, N)

    print("A picture of 64 by 64 pixels, blurred and noisy\n")
    print(f"  largest difference from the gradient by hand {np.max(np.abs(exact - by_hand)):.1e}")
    print(f"  evaluations of value and gradient            {found.nfev}")
    print(f"  signal to noise, observed (dB)               {decibels(OBSERVED):.2f}")
    print(f"  signal to noise, restored (dB)               {decibels(restored):.2f}")
    plot(restored, path)


def plot(restored, path):
    import matplotlib.pyplot as plt

    plt.style.use(Path(__file__).with_name("gallery.mplstyle"))
    figure, panels = plt.subplots(1, 3, figsize=(7.2, 2.9))
    pictures = {"observed": OBSERVED, "restored": restored, "truth": SCENE}
    for axes, (title, picture) in zip(panels, pictures.items(), strict=True):
        axes.imshow(picture, cmap="magma", vmin=0, vmax=1)
        axes.set(xticks=[], yticks=[])
        axes.set_title(title if picture is SCENE else f"{title}, {decibels(picture):.1f} dB")
        axes.spines[:].set_visible(False)
    figure.savefig(path)
    plt.close(figure)


if __name__ == "__main__":
    main(*sys.argv[1:2])
