"""A picture sharpened: convolution by Fourier transforms, and a penalty."""

import numpy as np
import scipy.fft
from scipy import fft as sfft
from scipy import ndimage, signal

rng = np.random.default_rng(4)
n = 8
SCENE = np.zeros((n, n))
SCENE[2:5, 3:6] = 1.0
SCENE[5, 1:7] = 0.5


def gaussian_psf(width):
    x = np.fft.fftfreq(n) * n
    psf = np.exp(-(x[:, None] ** 2 + x[None, :] ** 2) / (2 * width**2))
    return psf / psf.sum()


BLURRED = sfft.ifft2(sfft.fft2(SCENE) * sfft.fft2(gaussian_psf(1.2))).real + 0.01 * rng.normal(size=(n, n))


def objective(image, lam=0.05, eps=1e-2):
    image = image.reshape(n, n)
    otf = sfft.fft2(gaussian_psf(1.2))
    blurred = np.real(sfft.ifft2(otf * sfft.fft2(image)))
    dx = np.diff(image, axis=0, append=image[:1])
    dy = np.diff(image, axis=1, append=image[:, :1])
    total_variation = np.sqrt(dx**2 + dy**2 + eps).sum()
    return 0.5 * np.sum((blurred - BLURRED) ** 2) + lam * total_variation


class WienerFilter:
    """Its width and strength are looked for."""

    def __init__(self, shape):
        self.shape = shape
        self.frequencies = sfft.fftfreq(shape[0])[:, None] ** 2 + sfft.rfftfreq(shape[1])[None, :] ** 2

    def transfer(self, width, noise):
        H = np.exp(-2 * (np.pi * width) ** 2 * self.frequencies)
        return np.conj(H) / (np.abs(H) ** 2 + noise)

    def __call__(self, image, width, noise):
        with sfft.set_workers(1):
            spectrum = scipy.fft.rfftn(image)
            spectrum *= self.transfer(width, noise)
            return scipy.fft.irfftn(spectrum, s=self.shape)


def restoration_error(params):
    width, log_noise = params
    restored = WienerFilter((n, n))(BLURRED, width, 10**log_noise)
    coefficients = sfft.dctn(restored, norm="ortho")
    coefficients[4:, 4:] *= 0.5
    smooth = ndimage.gaussian_filter(sfft.idctn(coefficients, norm="ortho"), sigma=0.7, mode="wrap")
    shaped = signal.fftconvolve(smooth, np.outer([1, 2, 1], [1, 2, 1]) / 16, mode="same")
    return np.mean((shaped - SCENE) ** 2)


PROGRAMS = [
    (objective, SCENE.ravel() + 0.1 * rng.normal(size=n * n)),
    (restoration_error, np.array([1.1, -2.0])),
]
