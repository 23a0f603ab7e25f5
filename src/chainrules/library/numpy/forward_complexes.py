"""Forward rules for what takes numbers apart: into parts, modulus and angle, quotient and remainder, mantissa."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...products import strong_mul
from ..forward import filled, forward
from ..partials import phase
from . import complexes, creation, methods  # noqa: F401  (the reverse rules)
from .shared import as_array

_nd: Any = np.ndarray
_np: Any = np

for f in (_np.conjugate, _nd.conj, _nd.conjugate):

    @forward(f)
    def conjugate_forward(y: Any, dots: Any, x: Any, *args: Any, **options: Any) -> Any:
        """The conjugate of the tangent."""
        return np.conj(dots[0])


for f in (np.real, _nd.real):

    @forward(f)
    def real_forward(y: Any, dots: Any, x: Any) -> Any:
        """The real part."""
        return np.real(dots[0])


for f in (np.imag, _nd.imag):

    @forward(f)
    def imag_forward(y: Any, dots: Any, x: Any) -> Any:
        """The imaginary part; a real number has none."""
        return np.imag(dots[0]) if np.iscomplexobj(x) else np.zeros_like(y)


@forward(np.absolute)
def absolute_forward(y: Any, dots: Any, x: Any, *args: Any, **options: Any) -> Any:
    """``sign(x) x_dot``, for complex ``x`` ``Re(conj(x) x_dot)/|x|``; 0 at 0."""
    x = as_array(x)
    if np.iscomplexobj(x):
        return np.real(np.conj(phase(y, x)) * as_array(dots[0]))
    return strong_mul(np.sign(x), as_array(dots[0]))


@forward(np.sign)
def sign_forward(y: Any, dots: Any, x: Any, *args: Any, **options: Any) -> Any:
    """Zero; for complex ``x`` the part of ``x_dot`` across it, over ``|x|``."""
    x_dot = as_array(dots[0])
    if not np.iscomplexobj(x):
        return np.zeros(np.shape(y))
    r = np.abs(x)
    across = x_dot - y * np.real(np.conj(y) * x_dot)
    return np.where(r == 0, 0, across / np.where(r == 0, 1, r))


@forward(np.angle)
def angle_forward(y: Any, dots: Any, z: Any, deg: bool = False) -> Any:
    """``Im(conj(z) z_dot)/|z|**2``, 0 at 0."""
    z = as_array(z)
    square = np.real(z) ** 2 + np.imag(z) ** 2
    turn = np.imag(np.conj(z) * dots[0]) * (180 / np.pi if deg else 1.0)
    return np.where(square == 0, 0, turn / np.where(square == 0, 1, square))


for f in (np.round, np.around, _nd.round):

    @forward(f)
    def round_forward(y: Any, dots: Any, *args: Any, **options: Any) -> Any:
        """Zero."""
        return np.zeros(np.shape(y))


@forward(np.modf)
def modf_forward(y: Any, dots: Any, x: Any, *args: Any, **options: Any) -> Any:
    """The fractional part moves with ``x``, the integer part does not."""
    return dots[0], np.zeros(np.shape(y[1]))


@forward(np.divmod, 0, 1)
def divmod_forward(y: Any, dots: Any, a: Any, b: Any, *args: Any, **options: Any) -> Any:
    """Zero to the quotient; to the remainder ``a_dot - floor(a / b) b_dot``."""
    r_dot = np.zeros(np.shape(y[1]))
    if dots[0] is not None:
        r_dot = r_dot + as_array(dots[0])
    if dots[1] is not None:
        r_dot = r_dot - strong_mul(y[0], as_array(dots[1]))
    return np.zeros(np.shape(y[0])), r_dot


@forward(np.frexp)
def frexp_forward(y: Any, dots: Any, x: Any, *args: Any, **options: Any) -> Any:
    """``x_dot 2**-e``; the exponent is constant."""
    return np.ldexp(1.0, -y[1]) * as_array(dots[0]), None


@forward(np.nan_to_num, 0, 2, 3, 4)
def nan_to_num_forward(
    y: Any, dots: Any, x: Any, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None
) -> Any:
    """The tangent where ``x`` is finite, else that of what took its place; part by part for complex numbers."""
    x_dot, *others = dots
    x, x_dot = as_array(x), as_array(filled(as_array(x), x_dot))
    nan_dot, high_dot, low_dot = [0.0 if t is None else t for t in others]

    def part(p: Any, p_dot: Any) -> Any:
        beyond = np.where(np.isnan(p), nan_dot, np.where(p > 0, high_dot, low_dot))
        return np.where(np.isfinite(p), p_dot, beyond)

    real = part(np.real(x), np.real(x_dot))
    return real + 1j * part(np.imag(x), np.imag(x_dot)) if np.iscomplexobj(x) else real


for f in (np.float64, np.float32, np.float16, np.longdouble, np.complex128, np.complex64, np.clongdouble):

    @forward(f)
    def number_forward(y: Any, dots: Any, x: Any) -> Any:
        """The tangent."""
        return dots[0]


for f in (_nd.__array__, _nd.__deepcopy__, *([_nd.to_device] if hasattr(_nd, "to_device") else [])):

    @forward(f)
    def same_forward(y: Any, dots: Any, a: Any, *args: Any, **options: Any) -> Any:
        """A copy of the tangent: what is done to the value does nothing to it."""
        return np.array(dots[0])
