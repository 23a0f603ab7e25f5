"""The generalised inverse Gaussian and generalised hyperbolic distributions, whose densities SciPy has compiled.

Both are normalised by Bessel functions of the second kind, which have derivatives with respect to their order. The
distribution functions are integrals of the densities.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import integrate, special  # type: ignore[import-untyped]
from scipy import stats as st

from ....programs import program


@program(type(st.geninvgauss)._logpdf)
def inverse_logpdf(config: Any, self: Any, x: Any, p: Any, b: Any) -> Any:
    is_inside = np.greater(x, 0)
    z = np.where(is_inside, x, 1.0)
    found = b - np.log(2.0 * special.kve(p, b)) + (p - 1.0) * np.log(z) - 0.5 * b * (z + 1.0 / z)
    return np.where(is_inside, found, -np.inf)


@program(type(st.geninvgauss)._cdf)
def inverse_cdf(config: Any, self: Any, x: Any, p: Any, b: Any) -> Any:
    return integrals(lambda t, *shapes: np.exp(inverse_logpdf(None, None, t, *shapes)), 0.0, x, p, b)


@program(type(st.genhyperbolic)._logpdf)
def hyperbolic_logpdf(config: Any, self: Any, x: Any, p: Any, a: Any, b: Any) -> Any:
    d, r = np.sqrt((a - b) * (a + b)), np.sqrt(1.0 + x * x)
    norm = p * np.log(d) - (p - 0.5) * np.log(a) - 0.5 * np.log(2.0 * np.pi) - np.log(special.kve(p, d)) + d
    return norm + (p - 0.5) * np.log(r) + np.log(special.kve(p - 0.5, a * r)) - a * r + b * x


@program(type(st.genhyperbolic)._pdf)
def hyperbolic_pdf(config: Any, self: Any, x: Any, p: Any, a: Any, b: Any) -> Any:
    return np.exp(hyperbolic_logpdf(config, self, x, p, a, b))


@program(type(st.genhyperbolic)._cdf)
def hyperbolic_cdf(config: Any, self: Any, x: Any, p: Any, a: Any, b: Any) -> Any:
    return integrals(hyperbolic_density, -np.inf, x, p, a, b)


@program(type(st.genhyperbolic)._sf)
def hyperbolic_sf(config: Any, self: Any, x: Any, p: Any, a: Any, b: Any) -> Any:
    """From the other side: the tail keeps its digits."""
    return integrals(hyperbolic_density, -np.inf, -np.asarray(x), p, a, -np.asarray(b))


def hyperbolic_density(t: Any, *shapes: Any) -> Any:
    return np.exp(hyperbolic_logpdf(None, None, t, *shapes))


def integrals(density: Any, start: float, x: Any, *shapes: Any) -> Any:
    """The integrals of a density up to each of some places, with the shapes there."""
    places = np.broadcast_arrays(x, *shapes)
    rows = zip(*map(np.ravel, places), strict=True)
    found = [integrate.quad(density, start, row[0], row[1:], epsabs=0.0, epsrel=1e-10)[0] for row in rows]
    return np.reshape(np.stack(found), places[0].shape) if found else np.zeros(places[0].shape)
