"""Exponential, sine and cosine integrals, Lambert's W, the dilogarithm."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from scipy import special as sp  # type: ignore[import-untyped]

from ....derived import chain
from ....rules import rrule
from ....scalar import scalar_rule
from ....tangents import Thunk
from ...numpy.shared import as_array, leading
from .logarithms import log1prel
from .shared import missing


def over(f: Any, x: Any, limit: float) -> Any:
    """``f / x``, which at 0 has a limit."""
    at = np.equal(x, 0)
    return np.where(at, limit, f / np.where(at, 1.0, x))


def _sinhc(x: Any) -> Any:
    """``sinh(x) / x``: `numpy.sinc` of an imaginary number, of which the second derivative is known at 0 too."""
    if np.iscomplexobj(x):
        return np.sinc(1j * x / np.pi)
    return np.real(np.sinc(1j * x / np.pi))


def _expn_dx(y: Any, n: Any, x: Any) -> Any:
    first = np.equal(n, 0)
    return np.where(first, -y * (1.0 + over(1.0, x, np.inf)), -sp.expn(np.where(first, 1, np.subtract(n, 1)), x))


for f, *partials in [  # holomorphic
    (sp.exp1, lambda y, x: -np.exp(-x) / x),
    (sp.expi, lambda y, x: np.exp(x) / x),
    (sp.spence, lambda y, z: -log1prel(z - 1.0)),
    (sp.wrightomega, lambda y, z: y / (1.0 + y)),
]:
    scalar_rule(f, *partials)

scalar_rule(sp.expn, missing("expn", "its order"), _expn_dx, real=True)
scalar_rule(sp.sici, lambda y, x: (np.sinc(x / np.pi), np.cos(x) / x), outputs=2)
scalar_rule(sp.shichi, lambda y, x: (_sinhc(x), np.cosh(x) / x), outputs=2)


@rrule(sp.lambertw)
@partial(leading, active=3)
def lambertw_rule(z: Any, k: Any = 0, tol: Any = 1e-8) -> Any:
    """``1 / (e^w (1 + w))``, finite at 0."""
    z = as_array(z) if isinstance(z, (list, tuple)) else z
    w = sp.lambertw(z, k, tol)
    return w, lambda w_bar: (Thunk(lambda: chain(np.exp(-w) / (1.0 + w), w_bar)), None, None)
