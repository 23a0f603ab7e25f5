"""Elliptic integrals and functions, in the parameter ``m = k^2``.

Source: NIST Digital Library of Mathematical Functions, 19.4, 19.18, 19.25, 22.13.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special as sp  # type: ignore[import-untyped]

from ....scalar import scalar_rule
from .shared import by_elements, gauss_legendre, missing

_NODES, _WEIGHTS = gauss_legendre(24)


def _hyp2f1(a: float, b: float, m: Any) -> Any:
    return sp.hyp2f1(a, b, 2.0, m).astype(m.dtype)  # SciPy takes constants for doubles


def k_slope(m: Any) -> Any:
    """``dK/dm = (E - (1-m) K) / (2 m (1-m))``, near 0 by the series ``pi/8 F(3/2, 3/2; 2; m)``.

    >>> round(float(k_slope(0.0)), 12), round(float(k_slope(0.5)), 12)
    (0.392699081699, 0.847213084794)
    """
    small = np.abs(m) < 0.3
    inside, safe = np.where(small, m, 0.0), np.where(small, 0.5, m)
    far = (sp.ellipe(safe) - (1.0 - safe) * sp.ellipk(safe)) / (2.0 * safe * (1.0 - safe))
    return np.where(small, math.pi / 8.0 * _hyp2f1(1.5, 1.5, inside), far)


def e_slope(m: Any) -> Any:
    """``dE/dm = (E - K) / (2 m)``, near 0 by the series ``-pi/8 F(1/2, 3/2; 2; m)``."""
    small = np.abs(m) < 0.3
    inside, safe = np.where(small, m, 0.0), np.where(small, 0.5, m)
    far = (sp.ellipe(safe) - sp.ellipk(safe)) / (2.0 * safe)
    return np.where(small, -math.pi / 8.0 * _hyp2f1(0.5, 1.5, inside), far)


def km1_slope(p: Any) -> Any:
    """The derivative of ``K(1 - p)``, which is exact for small p too."""
    near = np.less(p, 0.5)
    inside, safe = np.where(near, p, 0.25), np.where(near, 0.75, p)
    q = 1.0 - inside
    pole = -(sp.ellipe(q) - inside * sp.ellipkm1(inside)) / (2.0 * inside * q)
    return np.where(near, pole, -k_slope(1.0 - safe))


def _root(phi: Any, m: Any) -> Any:
    """``sqrt(1 - m sin(phi)^2)``."""
    return np.sqrt(1.0 - m * np.square(np.sin(phi)))


def _quadratic(phi: Any, m: Any) -> Any:
    """The integral of ``sin^2/root`` over an angle of at most a quarter turn: ``(F - E)/m`` without a difference."""
    s, c = np.sin(phi), np.cos(phi)
    return s**3 / 3.0 * sp.elliprd(c * c, 1.0 - m * s * s, 1.0)


@by_elements
def sine_square(phi: Any, m: Any) -> Any:
    """The integral of ``sin(t)^2 / sqrt(1 - m sin(t)^2)`` from 0 to ``phi``, ``(F - E) / m``.

    >>> float(round(sine_square(1.0, 0.0), 12)), float(round(0.5 - np.sin(2.0) / 4.0, 12))
    (0.272675643294, 0.272675643294)
    """
    half_turns = np.round(phi / math.pi)
    y = _quadratic(phi - math.pi * half_turns, m)
    if not half_turns.any():
        return y
    return np.where(half_turns == 0, y, y + 2.0 * half_turns * _quadratic(np.full_like(m, math.pi / 2), m))


@by_elements
def _sine_fourth(phi: Any, m: Any) -> Any:
    """Half of the integral of ``sin^4 / root^3``, the derivative of `sine_square` by ``m``."""
    safe = np.where(np.abs(m) < 0.1, 0.5, m)
    large = (f_slope(phi, safe) - 0.5 * sine_square(phi, safe)) / safe
    # For small m the integrand is smooth: quadrature over each quarter turn would do, and one over all of few.
    pieces = np.maximum(np.ceil(np.abs(phi) / math.pi), 1.0).max(initial=1.0)
    t = phi[:, None] * np.concatenate([(i + _NODES) / pieces for i in range(int(pieces))])
    square = np.square(np.sin(t))
    values = 0.5 * square * square / (1.0 - np.where(np.abs(m) < 0.1, m, 0.0)[:, None] * square) ** 1.5
    return np.where(np.abs(m) < 0.1, phi * (values @ np.tile(_WEIGHTS / pieces, int(pieces))), large)


scalar_rule(
    sine_square,
    lambda y, phi, m: np.square(np.sin(phi)) / _root(phi, m),
    lambda y, phi, m: _sine_fourth(phi, m),
    real=True,
)
scalar_rule(
    _sine_fourth,
    lambda y, phi, m: 0.5 * np.sin(phi) ** 4 / _root(phi, m) ** 3,
    missing("ellipkinc", "its parameter, of third order,"),
    real=True,
)


def f_slope(phi: Any, m: Any, y: Any = None) -> Any:
    """``dF/dm``: with ``B`` the `sine_square` it is ``(F - B - sin cos/root) / (2 (1-m))``; ``y`` is ``F``."""
    wave = np.sin(phi) * np.cos(phi) / _root(phi, m)
    return ((sp.ellipkinc(phi, m) if y is None else y) - sine_square(phi, m) - wave) / (2.0 * (1.0 - m))


def _ellipj_du(y: Any, u: Any, m: Any) -> Any:
    sn, cn, dn, _ = y
    return cn * dn, -sn * dn, -m * sn * cn, dn


def _ellipj_dm(y: Any, u: Any, m: Any) -> Any:
    """The amplitude is held by ``F(phi, m) = u``."""
    sn, cn, dn, phi = y
    phi_m = -dn * f_slope(phi, m)
    return cn * phi_m, -sn * phi_m, -(0.5 * sn * sn + m * sn * cn * phi_m) / dn, phi_m


scalar_rule(sp.ellipj, _ellipj_du, _ellipj_dm, real=True, outputs=4)


def _agm_da(y: Any, a: Any, b: Any) -> Any:
    """``agm = pi (a + b) / (4 K(m))`` with ``m = ((a - b)/(a + b))^2``."""
    total, ratio = a + b, (a - b) / (a + b)
    m = ratio * ratio
    return y / total - y / sp.ellipk(m) * k_slope(m) * 2.0 * ratio * (1.0 - ratio) / total


for f, *partials in [
    (sp.ellipk, lambda y, m: k_slope(m)),
    (sp.ellipkm1, lambda y, p: km1_slope(p)),
    (sp.ellipe, lambda y, m: e_slope(m)),
    (sp.ellipkinc, lambda y, phi, m: 1.0 / _root(phi, m), lambda y, phi, m: f_slope(phi, m, y)),
    (sp.ellipeinc, lambda y, phi, m: _root(phi, m), lambda y, phi, m: -0.5 * sine_square(phi, m)),
    (sp.agm, _agm_da, lambda y, a, b: _agm_da(y, b, a)),
]:
    scalar_rule(f, *partials, real=True)
