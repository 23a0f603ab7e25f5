"""The `cmath` module: holomorphic functions, and the few that take a number apart."""

from __future__ import annotations

import cmath
import math
from typing import Any

from ...accumulate import accumulate
from ...declarations import non_differentiable
from ...products import strong_mul
from ...rules import rrule
from ...scalar import scalar_rule
from ..partials import phase, reciprocal
from .items import parts


def roots(a: complex, b: complex) -> complex:
    """``1 / (sqrt(a) sqrt(b))``, an infinity where one of them is 0."""
    return reciprocal(cmath.sqrt(a) * cmath.sqrt(b))


# On the cuts the sign of a zero decides the side, and 1 - z would lose it: the parts are written one by one.


def asin_dz(y: Any, z: Any) -> Any:
    """``1 / sqrt(1 - z**2)``, on the side of the cut where ``z`` is (Kahan 1987, "Branch cuts")."""
    z = complex(z)
    return roots(complex(1 - z.real, -z.imag), complex(1 + z.real, z.imag))


def asinh_dz(y: Any, z: Any) -> Any:
    """``1 / sqrt(1 + z**2)``, as ``asinh(z) = asin(iz) / i``."""
    z = complex(z)
    return roots(complex(1 + z.imag, -z.real), complex(1 - z.imag, z.real))


def acosh_dz(y: Any, z: Any) -> Any:
    """``1 / (sqrt(z - 1) sqrt(z + 1))``."""
    z = complex(z)
    return roots(complex(z.real - 1, z.imag), complex(z.real + 1, z.imag))


non_differentiable(cmath.isnan, cmath.isinf, cmath.isfinite, cmath.isclose)

for f, *partials in [
    (cmath.sin, lambda y, z: cmath.cos(z)),
    (cmath.cos, lambda y, z: -cmath.sin(z)),
    (cmath.tan, lambda y, z: 1 + y * y),
    (cmath.asin, asin_dz),
    (cmath.acos, lambda y, z: -asin_dz(y, z)),
    (cmath.atan, lambda y, z: reciprocal(1 + z * z)),
    (cmath.sinh, lambda y, z: cmath.cosh(z)),
    (cmath.cosh, lambda y, z: cmath.sinh(z)),
    (cmath.tanh, lambda y, z: 1 - y * y),
    (cmath.asinh, asinh_dz),
    (cmath.acosh, acosh_dz),
    (cmath.atanh, lambda y, z: reciprocal(1 - z * z)),
    (cmath.exp, lambda y, z: y),
    (cmath.log10, lambda y, z: reciprocal(z * math.log(10.0))),
    (cmath.sqrt, lambda y, z: reciprocal(2 * y) if y else math.inf),
]:
    scalar_rule(f, *partials)


@rrule(cmath.log)
def log_rule(z: Any, base: Any = None) -> Any:
    """As `math.log`, with conjugated partials."""
    if base is None:
        return cmath.log(z), lambda y_bar: strong_mul(complex(reciprocal(z)).conjugate(), y_bar)
    y = cmath.log(z, base)
    log_base = cmath.log(base)

    def log_pullback(y_bar: Any) -> Any:
        dz, db = reciprocal(z * log_base), -y / (base * log_base)
        return strong_mul(dz.conjugate(), y_bar), strong_mul(db.conjugate(), y_bar)

    return y, log_pullback


def _angle_bar(z: Any, y_bar: Any) -> Any:
    """``angle = atan2(im, re)``: the cotangent is ``i z / |z|**2 * y_bar``, 0 at 0."""
    r = abs(z)
    return 1j * (z / r / r) * y_bar if r else 0j


@rrule(cmath.phase)
def phase_rule(z: Any) -> Any:
    """The angle of ``z``."""
    return cmath.phase(z), lambda y_bar: _angle_bar(z, y_bar)


@rrule(cmath.polar)
def polar_rule(z: Any) -> Any:
    """Modulus and angle."""
    r, angle = cmath.polar(z)

    def polar_pullback(y_bar: Any) -> Any:
        r_bar, angle_bar = parts(y_bar, 2)
        z_bar = None if r_bar is None else strong_mul(phase(r, z), r_bar)
        return accumulate(z_bar, None if angle_bar is None else _angle_bar(z, angle_bar))

    return (r, angle), polar_pullback


@rrule(cmath.rect)
def rect_rule(r: Any, angle: Any) -> Any:
    """``r (cos a + i sin a)``: real arguments, so the real part of ``conj(partial) * y_bar``."""
    direction = cmath.rect(1.0, angle)

    def rect_pullback(y_bar: Any) -> Any:
        return (direction.conjugate() * y_bar).real, ((1j * r * direction).conjugate() * y_bar).real

    return cmath.rect(r, angle), rect_pullback
