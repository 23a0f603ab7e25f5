"""Forward rules for functions of numbers: Python's builtins, `math` and `cmath`."""

from __future__ import annotations

import cmath
import math
import operator
from typing import Any

import numpy as np

from ...products import strong_mul
from ...rules import frule
from ...tangents import ZeroTangent, is_absent
from ..forward import by_gradient, filled, forward
from ..partials import leg, phase, power_dp, power_dx, reciprocal, remainder_dy
from . import builtins  # noqa: F401  (the reverse rules)
from . import cmath as _of_cmath  # noqa: F401
from . import math as _of_math  # noqa: F401
from .operator import COMPLEX

by_gradient(math.nextafter)
by_gradient(cmath.phase)


@forward(pow, 0, 1)
def pow_forward(y: Any, dots: Any, base: Any, exp: Any, mod: Any = None) -> Any:
    """As the operator; with a modulus it is arithmetic of integers."""
    if mod is not None:
        return ZeroTangent()
    base_dot, exp_dot = dots
    if exp_dot is None:
        return strong_mul(power_dx(y, base, exp), base_dot)
    by_exp = strong_mul(power_dp(y, base, exp), exp_dot)
    return by_exp if base_dot is None else strong_mul(power_dx(y, base, exp), base_dot) + by_exp


@forward(float)
def float_forward(y: Any, dots: Any, x: Any) -> Any:
    """The tangent, which is a decimal number where `x` is one."""
    return float(dots[0])


@forward(complex, 0, 1)
def complex_forward(y: Any, dots: Any, real: Any = 0, imag: Any = None) -> Any:
    """``real_dot + i imag_dot``."""
    real_dot, imag_dot = dots
    if imag_dot is None:
        return real_dot
    return 1j * imag_dot if real_dot is None else real_dot + 1j * imag_dot


def _logarithm(f: Any) -> None:
    @forward(f, 0, 1)
    def log_forward(y: Any, dots: Any, x: Any, base: Any = None) -> Any:
        """``x_dot/(x log base) - y base_dot/(base log base)``."""
        x_dot, base_dot = dots
        if base is None:
            return strong_mul(reciprocal(x), x_dot)
        scale = f(base)
        y_dot = 0.0 if x_dot is None else strong_mul(reciprocal(x * scale), x_dot)
        return y_dot if base_dot is None else y_dot - strong_mul(y / (base * scale), base_dot)


_logarithm(math.log)
_logarithm(cmath.log)


@forward(math.hypot, *range(1000))
def hypot_forward(y: Any, dots: Any, *xs: Any) -> Any:
    """``sum(x x_dot)/y``, 0 at the origin."""
    y_dot = 0.0
    for x, x_dot in zip(xs, dots, strict=False):
        if x_dot is not None:
            y_dot = y_dot + strong_mul(leg(y, x), x_dot)
    return y_dot


@forward(math.dist, 0, 1)
def dist_forward(y: Any, dots: Any, p: Any, q: Any) -> Any:
    """``sum((p - q) (p_dot - q_dot))/y``, 0 where the points coincide."""
    y_dot = 0.0
    for a, b, a_dot, b_dot in zip(p, q, filled(p, dots[0]), filled(q, dots[1]), strict=True):
        y_dot = y_dot + strong_mul(leg(y, a - b), a_dot - b_dot)
    return y_dot


@forward(math.fsum)
def fsum_forward(y: Any, dots: Any, xs: Any) -> Any:
    """The sum of the tangents."""
    return math.fsum(filled(xs, dots[0]))


@forward(math.prod)
def prod_forward(y: Any, dots: Any, xs: Any, *, start: Any = 1) -> Any:
    """Factor by factor: ``y_dot x + y x_dot``."""
    y, y_dot = start, 0.0
    for x, x_dot in zip(xs, filled(xs, dots[0]), strict=True):
        y_dot = strong_mul(x, y_dot) + strong_mul(y, x_dot)
        y = y * x
    return y_dot


if hasattr(math, "sumprod"):

    @forward(math.sumprod, 0, 1)
    def sumprod_forward(y: Any, dots: Any, p: Any, q: Any) -> Any:
        """One factor after the other."""
        y_dot = 0.0
        for a, b, a_dot, b_dot in zip(p, q, filled(p, dots[0]), filled(q, dots[1]), strict=True):
            y_dot = y_dot + strong_mul(a, b_dot) + strong_mul(b, a_dot)
        return y_dot


@forward(round)
def round_forward(y: Any, dots: Any, *args: Any, **options: Any) -> Any:
    """Zero."""
    return 0.0


@forward(divmod, 0, 1)
def divmod_forward(y: Any, dots: Any, a: Any, b: Any) -> Any:
    """Zero to the quotient; to the remainder ``a_dot - floor(a / b) b_dot``."""
    a_dot, b_dot = dots
    r_dot = 0 * y[1] if a_dot is None else a_dot
    return 0 * y[0], r_dot if b_dot is None else r_dot + remainder_dy(None, a, b) * b_dot


@forward(math.modf)
def modf_forward(y: Any, dots: Any, x: Any) -> Any:
    """The fractional part moves with ``x``, the integer part does not."""
    return dots[0], 0.0


@forward(math.frexp)
def frexp_forward(y: Any, dots: Any, x: Any) -> Any:
    """``x_dot 2**-e``; in two steps, for the power alone may leave the range."""
    e = y[1]
    return dots[0] / math.ldexp(1.0, e // 2) / math.ldexp(1.0, e - e // 2), None


# -- complex numbers --------------------------------------------------------------------------------------


for f in (abs, operator.abs):

    @frule(f, COMPLEX, given_value=True)
    def modulus_forward(y: Any, primals: Any, tangents: Any) -> Any:
        """``Re(conj(z) z_dot)/|z|``, 0 at 0."""
        (z,), (z_dot,) = primals, tangents
        if isinstance(z, np.ndarray) and z.dtype.kind != "c":
            return NotImplemented
        if is_absent(z_dot):
            return ZeroTangent()
        return (np.conj(phase(y, z)) * filled(z, z_dot)).real


def _turned(z: Any, z_dot: Any) -> float:
    """``Im(z_dot / z)``, 0 at 0."""
    r = abs(z)
    return (z_dot * complex(z).conjugate() / r / r).imag if r else 0.0


@forward(cmath.polar)
def polar_forward(y: Any, dots: Any, z: Any) -> Any:
    """``Re(conj(z) z_dot)/|z|`` and ``Im(z_dot/z)``."""
    turn = phase(y[0], z)
    return (complex(turn).conjugate() * dots[0]).real, _turned(z, dots[0])


@forward(cmath.rect, 0, 1)
def rect_forward(y: Any, dots: Any, r: Any, angle: Any) -> Any:
    """``(r_dot + i r angle_dot) exp(i angle)``."""
    r_dot, angle_dot = [0.0 if t is None else t for t in dots]
    return cmath.rect(1.0, angle) * complex(r_dot, r * angle_dot)
