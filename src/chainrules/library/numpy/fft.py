"""Fourier transforms: linear maps, whose adjoints are the transforms the other way with the other normalisation.

The rules are stated for any module that has the transforms, and declared for `numpy.fft`, when the program has imported
that.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ...patterns import pattern
from ...rules import rrule
from ...tangents import Thunk
from ..forward import forward
from .forward_linalg import multilinear
from .patterns import mixed, rearranged
from .shared import as_array, conj, leading, refuse

# The forward transform scales by 1/n under "forward", the inverse under "backward"; adjoints keep the scale.
ADJOINT = {None: "forward", "backward": "forward", "forward": "backward", "ortho": "ortho"}
# `hfft` is `irfft` of the conjugate with the scale of the transform the other way, and `ihfft` likewise.
_OTHER = ADJOINT
Options = Callable[..., dict[str, Any]]
Declare = Callable[[Any, Any, Any], None]


def fitted(x: Any, shape: tuple[int, ...]) -> Any:
    """``x`` cut to ``shape``, or filled up with zeros: the adjoint of filling up and cutting."""
    if x.shape == shape:
        return x
    x = x[tuple(slice(0, n) for n in shape)]
    if x.shape == shape:
        return x
    return np.pad(x, [(0, n - m) for n, m in zip(shape, x.shape, strict=True)])


def axes_along(a: Any, s: Any, axes: Any, twice: bool = False) -> tuple[int, ...]:
    """The axes of a transform along several, as numbers from 0 on."""
    if axes is None:
        return tuple(range(a.ndim)) if s is None else tuple(range(a.ndim - np.size(s), a.ndim))
    along = tuple(k % a.ndim for k in (axes if np.ndim(axes) else (axes,)))
    if len(set(along)) < len(along) and not (twice and s is None):
        raise NotImplementedError(
            "the rules for numpy.fft have no derivative for repeated axes with s, or of real data"
        )
    return along


def declare_transforms(lib: Any, options: Options, declare: Declare) -> None:
    """Declare the rules for the transforms of a module.

    Args:
        lib: the module.
        options: called with the name of a transform and what it was given after ``norm``: refuses what has no
            derivative, returns keywords of the call.
        declare: called with a function, its reverse rule, and the function without such options.
    """
    for name, inverse in (("fft", "ifft"), ("ifft", "fft")):
        _along_one(lib, name, partial(_complex_adjoint, getattr(lib, inverse)), partial(options, name), declare)
    for name, back in (("rfft", False), ("irfft", True), ("hfft", True), ("ihfft", False)):
        adjoint = partial(_irfft_adjoint if back else _rfft_adjoint, lib)
        if name in ("hfft", "ihfft"):
            adjoint = partial(_conjugated, adjoint, back)
        _along_one(lib, name, adjoint, partial(options, name), declare)
    for name, inverse in (("fft", "ifftn"), ("ifft", "fftn")):
        for ending, default in (("2", (-2, -1)), ("n", None)):
            _along_many(lib, name + ending, inverse, default, partial(options, name + ending), declare)
    for name in ("rfft", "irfft", "hfft", "ihfft"):
        for ending, default in (("2", (-2, -1)), ("n", None)):
            if hasattr(lib, name + ending):
                _real_many(lib, name + ending, default, partial(options, name + ending), declare)
    for name, inverse in (("fftshift", "ifftshift"), ("ifftshift", "fftshift")):
        _shift(getattr(lib, name), getattr(lib, inverse), declare)
    for name in ("fftfreq", "rfftfreq"):
        _frequencies(getattr(lib, name))


def _along_one(lib: Any, name: str, adjoint: Any, options: Options, declare: Declare) -> None:
    """A transform along one axis; ``adjoint`` is called with seed, lengths before and in the transform, axis, norm."""
    f = getattr(lib, name)

    def transform(a: Any, n: Any = None, axis: int = -1, norm: Any = None, *more: Any, **named: Any) -> Any:
        return f(a, n, axis, norm, **options(*more, **named))

    def rule(a: Any, n: Any = None, axis: int = -1, norm: Any = None, *more: Any, **named: Any) -> Any:
        """The transform of the seed the other way."""
        shape = np.shape(a)
        y = f(a, n, axis, norm, **options(*more, **named))
        along = axis % len(shape)
        size = shape[along] if n is None else n
        return y, lambda y_bar: Thunk(lambda: fitted(adjoint(y_bar, shape[along], size, along, norm), shape))

    declare(f, rule, transform)


def _complex_adjoint(inverse: Any, g: Any, m: int, n: int, axis: int, norm: Any) -> Any:
    return inverse(g, None, axis, ADJOINT[norm])


def between_ends(factor: float, g: Any, n: int, axis: int) -> Any:
    """1 for the frequencies of a half spectrum that are their own negative, and a factor for the others."""
    weight = np.full(g.shape[axis], factor, g.real.dtype)
    weight[0] = 1.0
    if n % 2 == 0:
        weight[n // 2 :] = 1.0
    return weight.reshape([-1 if i == axis else 1 for i in range(g.ndim)])


def _rfft_adjoint(lib: Any, g: Any, m: int, n: int, axis: int, norm: Any) -> Any:
    """Half of each frequency between the ends, transformed back: the other half is that of the negative one."""
    return lib.irfft(g * between_ends(0.5, g, n, axis), n, axis, ADJOINT[norm])


def _irfft_adjoint(lib: Any, g: Any, m: int, n: int, axis: int, norm: Any) -> Any:
    """Each frequency between the ends stands for two."""
    n = g.shape[axis]
    spectrum = lib.rfft(g, None, axis, ADJOINT[norm])
    spectrum = spectrum * between_ends(2.0, spectrum, n, axis)
    return fitted(spectrum, tuple(m if i == axis else w for i, w in enumerate(spectrum.shape)))


def _conjugated(adjoint: Any, back: bool, g: Any, m: int, n: int, axis: int, norm: Any) -> Any:
    """The conjugate of what goes in (``back``), or of what comes out."""
    if back:
        return conj(adjoint(g, m, n, axis, _OTHER[norm]))
    return adjoint(conj(g), m, n, axis, _OTHER[norm])


def _along_many(lib: Any, name: str, inverse: str, default: Any, options: Options, declare: Declare) -> None:
    f, g = getattr(lib, name), getattr(lib, inverse)

    def transform(a: Any, s: Any = None, axes: Any = default, norm: Any = None, *more: Any, **named: Any) -> Any:
        return f(a, s, axes, norm, **options(*more, **named))

    def rule(a: Any, s: Any = None, axes: Any = default, norm: Any = None, *more: Any, **named: Any) -> Any:
        """The transform of the seed the other way."""
        kept = options(*more, **named)
        a = as_array(a)
        along = axes_along(a, s, axes, twice=True)
        y = f(a, s, along if axes is None else axes, norm, **kept)
        return y, lambda y_bar: Thunk(lambda: fitted(g(y_bar, None, along, ADJOINT[norm]), a.shape))

    declare(f, rule, transform)


def _real_many(lib: Any, name: str, default: Any, options: Options, declare: Declare) -> None:
    f = getattr(lib, name)
    hermitian = name.startswith(("h", "ih"))
    back = name.startswith(("ir", "h"))

    def transform(a: Any, s: Any = None, axes: Any = default, norm: Any = None, *more: Any, **named: Any) -> Any:
        return f(a, s, axes, norm, **options(*more, **named))

    def rule(a: Any, s: Any = None, axes: Any = default, norm: Any = None, *more: Any, **named: Any) -> Any:
        """The last axis as of a transform along one, the others as `fft`."""
        kept = options(*more, **named)
        a = as_array(a)
        along = axes_along(a, s, axes)
        y = f(a, s, along if axes is None else axes, norm, **kept)
        last, others = along[-1], along[:-1]
        half = np.shape(a)[last]
        length = half if s is None else s if np.ndim(s) == 0 else s[-1]
        length = half if length in (-1, None) else length
        scale = _OTHER[norm] if hermitian else norm

        def pullback(y_bar: Any) -> Any:
            if back:
                g = _irfft_adjoint(lib, y_bar, half, length, last, scale)
                g = lib.fftn(g, None, others, ADJOINT[scale]) if others else g
                return fitted(conj(g) if hermitian else g, a.shape)
            g = conj(y_bar) if hermitian else y_bar
            g = lib.ifftn(g, None, others, ADJOINT[scale]) if others else g
            return fitted(_rfft_adjoint(lib, g, half, length, last, scale), a.shape)

        return y, lambda y_bar: Thunk(pullback, y_bar)

    declare(f, rule, transform)


def _shift(f: Any, inverse: Any, declare: Declare) -> None:
    def rule(x: Any, axes: Any = None) -> Any:
        """The shift back."""
        return f(x, axes), lambda y_bar: inverse(y_bar, axes)

    declare(f, rule, f)


def _frequencies(f: Any) -> None:
    def rule(n: Any, d: Any = 1.0, *where: Any, **named: Any) -> Any:
        """Inversely proportional to ``d``."""
        y = f(n, d, *where, **named)

        def frequencies_pullback(y_bar: Any) -> Any:
            return None, Thunk(lambda: -np.sum(conj(y / d) * y_bar))

        return y, frequencies_pullback

    rrule(f)(leading(rule, active=2))

    @forward(f, 1)
    def frequencies_forward(y: Any, dots: Any, n: Any, d: Any = 1.0, *where: Any, **named: Any) -> Any:
        """``-y d_dot/d``."""
        return -y * (dots[0] / d)


def _without_output(name: str, out: Any = None) -> dict[str, Any]:
    refuse(f"numpy.fft.{name}", out=out)
    return {}


def along_axes(f: Any, at: int) -> None:
    """Declare the pattern of a transform, whose axes are the argument `at`, or of a shift."""
    if "shift" in f.__name__:
        rearranged(f, 1)
        return
    default = {"2": (-2, -1), "n": None}.get(f.__name__[-1], -1)
    pattern(f)(mixed("linear", default, at))


def _declare_numpy(f: Any, rule: Any, transform: Any) -> None:
    rrule(f)(leading(rule))
    multilinear(f, 1)
    along_axes(f, 2)


declare_transforms(np.fft, _without_output, _declare_numpy)
