"""Spherical harmonics, by their angles.

The ladder operators give the derivative with respect to the polar angle, also at the poles. Source: NIST Digital
Library of Mathematical Functions, 14.30; Edmonds, Angular Momentum in Quantum Mechanics (1957), 2.5.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special as sp  # type: ignore[import-untyped]

from ....declarations import reason_unsupported
from ....programs import program
from ....scalar import scalar_rule
from ....tangents import NotImplementedDerivative
from .shared import missing


def spherical_harmonic(n: Any, m: Any, theta: Any, phi: Any) -> Any:
    """``sph_harm_y(n, m, theta, phi)``."""
    return sp.sph_harm_y(n, m, theta, phi)


def _by_theta(y: Any, n: Any, m: Any, theta: Any, phi: Any) -> Any:
    turn = np.exp(1j * phi)
    up, down = np.sqrt((n - m) * (n + m + 1.0)), np.sqrt((n + m) * (n - m + 1.0))
    above = spherical_harmonic(n, np.minimum(m + 1, n), theta, phi)  # of no weight where there is none
    below = spherical_harmonic(n, np.maximum(m - 1, -n), theta, phi)
    side = np.where(np.sin(theta) < 0.0, -1.0, 1.0)  # SciPy takes cos(theta), and so folds other angles into [0, pi]
    return side * 0.5 * (up * above / turn - down * below * turn)


scalar_rule(
    spherical_harmonic,
    missing("sph_harm_y", "its degree"),
    missing("sph_harm_y", "its order"),
    _by_theta,
    lambda y, n, m, theta, phi: 1j * m * y,
)


if hasattr(sp, "sph_harm_y"):

    @program(type(sp.sph_harm_y).__call__)
    def family_program(config: Any, family: Any, *args: Any, diff_n: int = 0, **options: Any) -> Any:
        """The values of spherical harmonics; other families of ufuncs have no rule."""
        if family is not sp.sph_harm_y:
            raise NotImplementedDerivative(f"scipy.special.{family.__name__} {reason_unsupported(family)}")
        if diff_n or options:
            raise NotImplementedDerivative(
                f"scipy.special.{family.__name__}(diff_n=...) has no rule; use derivatives of its values"
            )
        return spherical_harmonic(*args)
