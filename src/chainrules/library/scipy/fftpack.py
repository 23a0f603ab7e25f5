"""`scipy.fftpack`: the older names of the transforms of `scipy.fft`, and derivatives of periodic sequences."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import fft  # type: ignore[import-untyped]
from scipy import fftpack as sp

from ...declarations import non_differentiable
from ...programs import program
from ...tangents import NotImplementedDerivative

OF_INVERSE = {1: 1, 2: 3, 3: 2, 4: 4}


def _complex(name: str) -> None:
    transform = getattr(fft, name)

    if name.endswith("t"):

        @program(getattr(sp, name))
        def along_one(config: Any, x: Any, n: Any = None, axis: int = -1, overwrite_x: Any = False) -> Any:
            return transform(x, n, axis)

    else:
        usual = (-2, -1) if name.endswith("2") else None

        @program(getattr(sp, name))
        def along_many(config: Any, x: Any, shape: Any = None, axes: Any = usual, overwrite_x: Any = False) -> Any:
            return transform(x, shape, axes)


def _trigonometric(name: str) -> None:
    """Inverses are those up to a factor: the transform of the type that belongs to it."""
    transform, types = (
        getattr(fft, name.removeprefix("i")),
        OF_INVERSE if name[0] == "i" else {k: k for k in OF_INVERSE},
    )

    @program(getattr(sp, name))
    def any_of_them(
        config: Any, x: Any, type: int = 2, size: Any = None, axis: Any = None if name[-1] == "n" else -1,
        norm: Any = None, overwrite_x: Any = False, **named: Any,
    ) -> Any:  # fmt: skip
        size, axis = named.get("n", named.get("shape", size)), named.get("axes", axis)
        return transform(x, types[type], size, axis, norm)


for ending in ("fft", "ifft", "fft2", "ifft2", "fftn", "ifftn"):
    _complex(ending)
for ending in ("dct", "idct", "dst", "idst", "dctn", "idctn", "dstn", "idstn"):
    _trigonometric(ending)


@program(sp.rfft)
def rfft_program(config: Any, x: Any, n: Any = None, axis: int = -1, overwrite_x: Any = False) -> Any:
    """Real and imaginary parts in turn, without those that are 0."""
    n = np.shape(x)[axis] if n is None else n
    y = np.moveaxis(fft.rfft(x, n, axis), axis, -1)
    pairs = np.stack((y.real, y.imag), axis=-1).reshape(*y.shape[:-1], -1)
    return np.moveaxis(np.concatenate((pairs[..., :1], pairs[..., 2 : n + 1]), axis=-1), -1, axis)


@program(sp.irfft)
def irfft_program(config: Any, x: Any, n: Any = None, axis: int = -1, overwrite_x: Any = False) -> Any:
    """The half of a spectrum that these numbers stand for, transformed."""
    x = np.moveaxis(np.asarray(x), axis, -1)
    n = x.shape[-1] if n is None else n
    zero = 0.0 * x[..., :1]
    missing = max(n - x.shape[-1], 0) + (n % 2 == 0)
    parts = np.concatenate((x[..., :1], zero, x[..., 1:n], *[zero] * missing), axis=-1)
    return np.moveaxis(fft.irfft(parts[..., ::2] + 1j * parts[..., 1::2], n), -1, axis)


def filtered(x: Any, factors: Any) -> Any:
    """A sequence with the modes of its spectrum multiplied by `factors`."""
    x = np.asarray(x)
    if x.ndim != 1:
        raise NotImplementedDerivative("it is implemented for one sequence")
    y = fft.ifft(factors * fft.fft(x))
    return y if x.dtype.kind == "c" else y.real


def modes(n: int) -> Any:
    """The frequencies of the spectrum of `n` numbers; the one that two signs share is 0."""
    k = np.fft.fftfreq(n, 1.0 / n)
    return np.where(2 * np.abs(k) == n, 0.0, k)


non_differentiable(modes)


@program(sp.diff)
def diff_program(config: Any, x: Any, order: Any = 1, period: Any = None, _cache: Any = None) -> Any:
    """Powers of the frequencies."""
    k = modes(len(x)) * (1.0 if period is None else 2 * np.pi / period)
    zero = k == 0
    return filtered(x, np.where(zero, float(order == 0), (1j * np.where(zero, 1.0, k)) ** order))


@program(sp.hilbert)
def hilbert_program(config: Any, x: Any, _cache: Any = None) -> Any:
    """Signs of the frequencies."""
    return filtered(x, 1j * np.sign(modes(len(x))))


@program(sp.ihilbert)
def ihilbert_program(config: Any, x: Any, _cache: Any = None) -> Any:
    """The inverse, but for the mean."""
    return filtered(x, -1j * np.sign(modes(len(x))))
