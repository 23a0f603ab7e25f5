"""Spherical Bessel functions, and the derivatives of Bessel functions that SciPy offers by name.

Second derivatives from the differential equation ``y'' = -2/z y' -+ (1 -+ n(n+1)/z^2) y``, the upper signs for j and y.
Source: NIST Digital Library of Mathematical Functions, 10.47.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from scipy import special as sp  # type: ignore[import-untyped]

from ....derived import chain
from ....rules import rrule
from ....scalar import scalar_rule
from ....tangents import NotImplementedTangent, Thunk
from ...numpy.shared import as_array, leading
from .shared import missing


def _order_missing(name: str, n: Any) -> Any:
    """An integer order has no derivative, one that is a float is not implemented."""
    if np.asarray(n).dtype.kind in "iub":
        return None
    return NotImplementedTangent(missing(name, "its order").reason)  # type: ignore[attr-defined]


def second(f: Any, sign: float, n: Any, z: Any) -> Any:
    """The second derivative of a spherical Bessel function, at 0 its limit."""
    at = np.equal(z, 0)
    safe = np.where(at, 1.0, z)
    turn = n * (n + 1.0) / (safe * safe)
    y, slope = f(n, safe), f(n, safe, True)
    # of j_n and i_n at 0: -+1/3 of order 0, 2/15 of order 2, else nothing
    limit = np.where(np.equal(n, 0), -sign / 3.0, np.where(np.equal(n, 2), 2.0 / 15.0, 0.0))
    return np.where(at, limit, -2.0 * slope / safe - (sign - turn) * y)


def _spherical(f: Any, sign: float) -> None:
    @rrule(f)
    @partial(leading, active=3)
    def spherical_rule(n: Any, z: Any, derivative: Any = False) -> Any:
        """``f'``, or ``f''`` by the differential equation."""
        n, z = (as_array(v) if isinstance(v, (list, tuple)) else v for v in (n, z))
        y = f(n, z, derivative)

        def z_bar(y_bar: Any) -> Any:
            return chain(second(f, sign, n, z) if derivative else f(n, z, True), y_bar)

        return y, lambda y_bar: (_order_missing(f.__name__, n), Thunk(z_bar, y_bar), None)


for f, sign in [(sp.spherical_jn, 1.0), (sp.spherical_yn, 1.0), (sp.spherical_in, -1.0), (sp.spherical_kn, -1.0)]:
    _spherical(f, sign)


for f in (sp.jvp, sp.yvp, sp.ivp, sp.kvp, sp.h1vp, sp.h2vp):
    scalar_rule(f, missing(f.__name__, "its order"), partial(lambda f, y, v, z, n: f(v, z, n + 1), f), 0)
