"""`numpy.fft`: linear maps, whose adjoints are the transforms the other way with the other normalisation.

Loaded when the program has imported `numpy.fft`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...rules import rrule
from ...tangents import Thunk
from ..forward import forward
from .forward_linalg import multilinear
from .shared import as_array, conj, leading, refuse

# The forward transform scales by 1/n under "forward", the inverse under "backward"; adjoints keep the scale.
_ADJOINT = {None: "forward", "backward": "forward", "forward": "backward", "ortho": "ortho"}
_OTHER = {None: "forward", "backward": "forward", "forward": "backward", "ortho": "ortho"}
_fft: Any = np.fft


def _fitted(x: Any, shape: tuple[int, ...]) -> Any:
    """``x`` cut to ``shape``, or filled up with zeros: the adjoint of filling up and cutting."""
    if x.shape == shape:
        return x
    x = x[tuple(slice(0, n) for n in shape)]
    if x.shape == shape:
        return x
    return np.pad(x, [(0, n - m) for n, m in zip(shape, x.shape, strict=True)])


def _along_one(name: str, inverse: str) -> None:
    f, g = getattr(_fft, name), getattr(_fft, inverse)

    def rule(a: Any, n: Any = None, axis: int = -1, norm: Any = None, out: Any = None) -> Any:
        """The inverse transform of the seed."""
        refuse(f"numpy.fft.{name}", out=out)
        shape = np.shape(a)
        y = f(a, n, axis, norm)
        return y, lambda y_bar: Thunk(lambda: _fitted(g(y_bar, None, axis, _ADJOINT[norm]), shape))

    rrule(f)(leading(rule))


def _axes(a: Any, s: Any, axes: Any, twice: bool = False) -> tuple[int, ...]:
    if axes is None:
        return tuple(range(a.ndim)) if s is None else tuple(range(a.ndim - len(s), a.ndim))
    along = tuple(k % a.ndim for k in axes)
    if len(set(along)) < len(along) and not (twice and s is None):
        raise NotImplementedError(
            "the rules for numpy.fft have no derivative for repeated axes with s, or of real data"
        )
    return along


def _along_many(name: str, inverse: str, default: Any) -> None:
    f, g = getattr(_fft, name), getattr(_fft, inverse)

    def rule(a: Any, s: Any = None, axes: Any = default, norm: Any = None, out: Any = None) -> Any:
        """The inverse transform of the seed."""
        refuse(f"numpy.fft.{name}", out=out)
        a = as_array(a)
        along = _axes(a, s, axes, twice=True)
        y = f(a, s, along, norm)
        return y, lambda y_bar: Thunk(lambda: _fitted(g(y_bar, None, along, _ADJOINT[norm]), a.shape))

    rrule(f)(leading(rule))


for pair in (("fft", "ifft"), ("ifft", "fft")):
    _along_one(*pair)
for name, inverse, default in (
    ("fft2", "ifftn", (-2, -1)), ("ifft2", "fftn", (-2, -1)),
    ("fftn", "ifftn", None), ("ifftn", "fftn", None),
):  # fmt: skip
    _along_many(name, inverse, default)


def _rfft_adjoint(g: Any, n: int, axis: int, norm: Any) -> Any:
    """The half spectrum filled up with zeros, transformed back; the signal is real."""
    full = list(g.shape)
    full[axis] = n
    return np.real(_fft.ifft(_fitted(g, tuple(full)), None, axis, _ADJOINT[norm]))


def _irfft_adjoint(g: Any, m: int, axis: int, norm: Any) -> Any:
    """Each frequency between the ends stands for two."""
    n = g.shape[axis]
    spectrum = _fft.rfft(g, None, axis, _ADJOINT[norm])
    k = np.arange(spectrum.shape[axis])
    weight = np.where((k == 0) | (2 * k == n), 1.0, 2.0)
    spectrum = spectrum * weight.reshape([-1 if i == axis else 1 for i in range(g.ndim)])
    return _fitted(spectrum, tuple(m if i == axis else w for i, w in enumerate(spectrum.shape)))


@rrule(np.fft.rfft)
@leading
def rfft_rule(a: Any, n: Any = None, axis: int = -1, norm: Any = None, out: Any = None) -> Any:
    """The real part of the transform back."""
    refuse("numpy.fft.rfft", out=out)
    a = as_array(a)
    along = axis % a.ndim
    size = a.shape[along] if n is None else n
    y = _fft.rfft(a, n, axis, norm)
    return y, lambda y_bar: Thunk(lambda: _fitted(_rfft_adjoint(y_bar, size, along, norm), a.shape))


@rrule(np.fft.irfft)
@leading
def irfft_rule(a: Any, n: Any = None, axis: int = -1, norm: Any = None, out: Any = None) -> Any:
    """The transform of the seed, twice what is not at an end."""
    refuse("numpy.fft.irfft", out=out)
    a = as_array(a)
    along = axis % a.ndim
    y = _fft.irfft(a, n, axis, norm)
    return y, lambda y_bar: Thunk(lambda: _irfft_adjoint(y_bar, a.shape[along], along, norm))


@rrule(np.fft.hfft)
@leading
def hfft_rule(a: Any, n: Any = None, axis: int = -1, norm: Any = None, out: Any = None) -> Any:
    """``irfft`` of the conjugate, scaled as the transform the other way."""
    refuse("numpy.fft.hfft", out=out)
    a = as_array(a)
    along = axis % a.ndim
    y = _fft.hfft(a, n, axis, norm)
    return y, lambda y_bar: Thunk(lambda: conj(_irfft_adjoint(y_bar, a.shape[along], along, _OTHER[norm])))


@rrule(np.fft.ihfft)
@leading
def ihfft_rule(a: Any, n: Any = None, axis: int = -1, norm: Any = None, out: Any = None) -> Any:
    """The conjugate of ``rfft``, scaled as the transform the other way."""
    refuse("numpy.fft.ihfft", out=out)
    a = as_array(a)
    along = axis % a.ndim
    size = a.shape[along] if n is None else n
    y = _fft.ihfft(a, n, axis, norm)
    return y, lambda y_bar: Thunk(lambda: _fitted(_rfft_adjoint(conj(y_bar), size, along, _OTHER[norm]), a.shape))


def _frequencies(f: Any) -> None:
    def rule(n: Any, d: Any = 1.0, device: Any = None) -> Any:
        """Inversely proportional to ``d``."""
        y = f(n, d, device)

        def frequencies_pullback(y_bar: Any) -> Any:
            return None, Thunk(lambda: -np.sum(conj(y / d) * y_bar))

        return y, frequencies_pullback

    rrule(f)(leading(rule, active=2))

    @forward(f, 1)
    def frequencies_forward(y: Any, dots: Any, n: Any, d: Any = 1.0, device: Any = None) -> Any:
        """``-y d_dot/d``."""
        return -y * (dots[0] / d)


_frequencies(np.fft.fftfreq)
_frequencies(np.fft.rfftfreq)


def _real_many(name: str, default: Any) -> None:
    f = getattr(_fft, name)
    back = name.startswith("i")

    def rule(a: Any, s: Any = None, axes: Any = default, norm: Any = None, out: Any = None) -> Any:
        """The last axis as `rfft` or `irfft`, the others as `fft`."""
        refuse(f"numpy.fft.{name}", out=out)
        a = as_array(a)
        along = _axes(a, s, axes)
        y = f(a, s, along, norm)
        last, others = along[-1], along[:-1]
        half = np.shape(a)[last]

        def pullback(y_bar: Any) -> Any:
            if back:
                g = _irfft_adjoint(y_bar, half, last, norm)
                g = _fft.fftn(g, None, others, _ADJOINT[norm]) if others else g
            else:
                g = _fft.ifftn(y_bar, None, others, _ADJOINT[norm]) if others else y_bar
                g = _rfft_adjoint(g, half if s is None or s[-1] in (-1, None) else s[-1], last, norm)
            return _fitted(g, a.shape)

        return y, lambda y_bar: Thunk(pullback, y_bar)

    rrule(f)(leading(rule))


for name, default in (("rfft2", (-2, -1)), ("irfft2", (-2, -1)), ("rfftn", None), ("irfftn", None)):
    _real_many(name, default)


@rrule(np.fft.fftshift)
@leading
def fftshift_rule(x: Any, axes: Any = None) -> Any:
    """The shift back."""
    return _fft.fftshift(x, axes), lambda y_bar: _fft.ifftshift(y_bar, axes)


@rrule(np.fft.ifftshift)
@leading
def ifftshift_rule(x: Any, axes: Any = None) -> Any:
    """The shift back."""
    return _fft.ifftshift(x, axes), lambda y_bar: _fft.fftshift(y_bar, axes)


for name in (
    "fft ifft rfft irfft hfft ihfft fft2 ifft2 fftn ifftn rfft2 irfft2 rfftn irfftn fftshift ifftshift"
).split():
    multilinear(getattr(_fft, name), 1)
