"""Error functions, the normal distribution, and integrals of the same kind."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special as sp  # type: ignore[import-untyped]

from ....scalar import scalar_rule
from .shared import power_series

_SLOPE = 2.0 / math.sqrt(math.pi)  # of erf at 0
_ROOT_2 = math.sqrt(2.0)
_ROOT_TAU = math.sqrt(2.0 * math.pi)
# erfcx(x) = 1/(sqrt(pi) x) sum_n (2n-1)!! (-2 x^2)^-n, and of its derivative the coefficients: Abramowitz and Stegun
# 7.1.23. From 12 on nine terms are exact to rounding, while 2 x y - 2/sqrt(pi) loses digits like x^2.
_FAR = 12.0
_ODD = [float(math.prod(range(1, 2 * n + 2, 2))) for n in range(9)]


def _far_slope(q: Any) -> Any:
    """``sum_n (2n+1)!! q^n``."""
    return power_series(_ODD, q)


def erfcx_dx(y: Any, x: Any) -> Any:
    """``2 x y - 2/sqrt(pi)``; where that cancels the asymptotic series."""
    near = 2.0 * x * y - _SLOPE
    far = np.real(x) > _FAR
    if not np.any(far):
        return near
    z = np.where(far, x, _FAR)
    return np.where(far, -0.5 * _SLOPE / z / z * _far_slope(-0.5 / z / z), near)


def dawsn_dx(y: Any, x: Any) -> Any:
    """``1 - 2 x y``; where that cancels the asymptotic series."""
    far = (np.abs(np.real(x)) > _FAR) & (np.imag(x) == 0)
    near = 1.0 - 2.0 * x * y
    if not np.any(far):
        return near
    z = np.where(far, x, _FAR)
    return np.where(far, -0.5 / z / z * _far_slope(0.5 / z / z), near)


def wofz_dx(y: Any, z: Any) -> Any:
    """``2i/sqrt(pi) - 2 z y``; where that cancels the asymptotic series."""
    far = (np.abs(z) > _FAR) & (np.imag(z) >= 0)
    near = 1j * _SLOPE - 2.0 * z * y
    if not np.any(far):
        return near
    w = np.where(far, z, _FAR)
    return np.where(far, -0.5j * _SLOPE / w / w * _far_slope(0.5 / w / w), near)


def hazard(x: Any) -> Any:
    """The density of the normal distribution over its distribution function, without a quotient of small numbers.

    >>> round(float(hazard(0.0)), 12)
    0.797884560803
    """
    return 2.0 / _ROOT_TAU / sp.erfcx(-x / _ROOT_2)


def _voigt(x: Any, sigma: Any, gamma: Any) -> Any:
    """The argument ``z`` of the Faddeeva function ``w``, and ``w'(z)``, for widths that are not 0."""
    z = (x + 1j * gamma) / (sigma * _ROOT_2)
    return z, wofz_dx(sp.wofz(z), z)


def _unless_lorentz(sigma: Any) -> Any:
    return np.equal(sigma, 0), np.where(np.equal(sigma, 0), 1.0, sigma)


def voigt_dx(y: Any, x: Any, sigma: Any, gamma: Any) -> Any:
    sharp, width = _unless_lorentz(sigma)
    slope = np.real(_voigt(x, width, gamma)[1]) / (width * width * _ROOT_2 * _ROOT_TAU)
    return np.where(sharp, -2.0 * x * gamma / math.pi / (x * x + gamma * gamma) ** 2, slope) if np.any(sharp) else slope


def voigt_dgamma(y: Any, x: Any, sigma: Any, gamma: Any) -> Any:
    sharp, width = _unless_lorentz(sigma)
    slope = -np.imag(_voigt(x, width, gamma)[1]) / (width * width * _ROOT_2 * _ROOT_TAU)
    lorentz = (x * x - gamma * gamma) / math.pi / (x * x + gamma * gamma) ** 2
    return np.where(sharp, lorentz, slope) if np.any(sharp) else slope


def voigt_dsigma(y: Any, x: Any, sigma: Any, gamma: Any) -> Any:
    """For a small width: ``sigma`` times the second derivative in x, as the profile is a heat kernel's work."""
    sharp, width = _unless_lorentz(sigma)
    z, slope = _voigt(x, width, gamma)
    square = x * x + gamma * gamma
    curvature = 2.0 * gamma * (3.0 * x * x - gamma * gamma) / (math.pi * square**3)
    return np.where(sharp, sigma * curvature, -(y + np.real(z * slope) / (width * _ROOT_TAU)) / width)


f: Any
partials: Any
for f, *partials in [  # holomorphic
    (sp.erf, lambda y, x: _SLOPE * np.exp(-x * x)),
    (sp.erfc, lambda y, x: -_SLOPE * np.exp(-x * x)),
    (sp.erfi, lambda y, x: _SLOPE * np.exp(x * x)),
    (sp.erfcx, erfcx_dx),
    (sp.dawsn, dawsn_dx),
    (sp.wofz, wofz_dx),
    (sp.ndtr, lambda y, x: np.exp(-0.5 * x * x) / _ROOT_TAU),
    (sp.log_ndtr, lambda y, x: hazard(x)),
]:
    scalar_rule(f, *partials)

for f, *partials in [
    (sp.erfinv, lambda y, x: np.exp(y * y) / _SLOPE),
    (sp.erfcinv, lambda y, x: -np.exp(y * y) / _SLOPE),
    (sp.ndtri, lambda y, x: _ROOT_TAU * np.exp(0.5 * y * y)),
    (sp.ndtri_exp, lambda y, x: 0.5 * _ROOT_TAU * sp.erfcx(-y / _ROOT_2)),
    (
        sp.owens_t,
        lambda y, h, a: -0.5 / _ROOT_TAU * np.exp(-0.5 * h * h) * sp.erf(a * h / _ROOT_2),
        lambda y, h, a: np.exp(-0.5 * h * h * (1.0 + a * a)) / (2.0 * math.pi * (1.0 + a * a)),
    ),
    (sp.voigt_profile, voigt_dx, voigt_dsigma, voigt_dgamma),
]:
    scalar_rule(f, *partials, real=True)

scalar_rule(sp.fresnel, lambda y, x: (np.sin(0.5 * math.pi * x * x), np.cos(0.5 * math.pi * x * x)), outputs=2)

# nrdtrimn(p, sd, x) = x - sd ndtri(p), nrdtrisd(mn, p, x) = (x - mn) / ndtri(p).
scalar_rule(
    sp.nrdtrimn,
    lambda y, p, sd, x: -sd * _ROOT_TAU * np.exp(0.5 * sp.ndtri(p) ** 2),
    lambda y, p, sd, x: -sp.ndtri(p),
    1,
    real=True,
)
scalar_rule(
    sp.nrdtrisd,
    lambda y, mn, p, x: -1.0 / sp.ndtri(p),
    lambda y, mn, p, x: -y * _ROOT_TAU * np.exp(0.5 * sp.ndtri(p) ** 2) / sp.ndtri(p),
    lambda y, mn, p, x: 1.0 / sp.ndtri(p),
    real=True,
)
