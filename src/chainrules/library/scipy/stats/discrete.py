"""Discrete distributions: the methods of `scipy.stats.rv_discrete`, with respect to their real parameters.

In the points, the location and whatever counts, there is no derivative: mass sits on integers. The quantile functions
are steps.

Source: Johnson, Kemp, Kotz, Univariate Discrete Distributions, 2005; the parametrisation is SciPy's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special as sp  # type: ignore[import-untyped]
from scipy import stats as st

from ....declarations import constant_instances
from ....patterns import pattern
from ....products import strong_mul
from ....rules import rrule
from ....tangents import NoTangent
from ...numpy.patterns import joined
from ..special.betainc_shape import betainc_da, density
from ..special.shared import over
from .calls import alive, later, parameters_of, signature_of

Formula = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Mass:
    """The derivatives of a discrete distribution, by each shape; ``None`` for one that counts.

    Attributes:
        scores: those of the logarithm of the mass, of ``(k, *shapes)``.
        flows: those of the distribution function.
        inside: a point of the support, which stands in for those outside.
    """

    scores: tuple[Formula | None, ...]
    flows: tuple[Formula | None, ...]
    inside: float = 0.0


def _binom_flow(k: Any, n: Any, p: Any) -> Any:
    """``-n`` times the mass of one trial less."""
    return -n * st.binom.pmf(k, np.maximum(n - 1.0, 0.0), p)


MASSES: dict[type, Mass] = {
    type(st.poisson): Mass(
        (lambda k, mu: over(k, mu) - 1.0,),
        (lambda k, mu: -st.poisson.pmf(k, mu),),
    ),
    type(st.binom): Mass(
        (None, lambda k, n, p: over(k, p) - over(n - k, 1.0 - p)),
        (None, _binom_flow),
    ),
    type(st.nbinom): Mass(
        (
            lambda k, n, p: sp.digamma(k + n) - sp.digamma(n) + np.log(p),
            lambda k, n, p: n / p - over(k, 1.0 - p),
        ),
        (
            lambda k, n, p: betainc_da(n, k + 1.0, p),
            lambda k, n, p: density(n, k + 1.0, p),
        ),
    ),
    type(st.geom): Mass(
        (lambda k, p: 1.0 / p - over(k - 1.0, 1.0 - p),),
        (lambda k, p: k * (1.0 - p) ** (k - 1.0),),
        inside=1.0,
    ),
}  # fmt: skip


def _by_shapes(formulas: Any, weight: Any, k: Any, shapes: Any, g: Any) -> tuple[Any, ...]:
    """Cotangents of the points, the shapes and the location."""

    def across(formula: Any) -> Any:
        return strong_mul(weight * formula(k, *shapes), g)

    return (
        NoTangent(),
        *[NoTangent() if formula is None else later(across, formula) for formula in formulas],
        NoTangent(),
    )


def _declare(name: str, pullback_of: Callable[..., tuple[Any, ...]]) -> None:
    """A rule for one method. ``pullback_of(known, y, k, shapes, y_bar)`` gives all cotangents."""
    method = getattr(st.rv_discrete, name)

    @rrule(method, signature=signature_of("q" if name in ("ppf", "isf") else "k"))
    def rule(dist: Any, k: Any, *args: Any, **kwds: Any) -> Any:
        mass = MASSES.get(type(dist))
        if mass is None:
            return NotImplemented  # SciPy's source can be followed
        y = method(dist, k, *args, **kwds)

        def pullback(y_bar: Any) -> Any:
            shapes, loc, _ = parameters_of(dist, args, kwds)
            with np.errstate(all="ignore"):
                bars = pullback_of(mass, y, np.asarray(k) - loc, shapes, y_bar)
            return (None, *bars)[: 2 + len(args)]

        return y, pullback

    rule.__name__ = f"{name}_rule"
    pattern(method)(joined("smooth"))


def _of_logpmf(mass: Mass, y: Any, k: Any, shapes: Any, g: Any) -> Any:
    k, g = alive(y == -np.inf, y, k, g, mass.inside)
    return _by_shapes(mass.scores, 1.0, k, shapes, g)


def _of_pmf(mass: Mass, y: Any, k: Any, shapes: Any, g: Any) -> Any:
    k, g = alive(y == 0, y, k, strong_mul(y, g), mass.inside)
    return _by_shapes(mass.scores, 1.0, k, shapes, g)


def _of_cdf(mass: Mass, y: Any, k: Any, shapes: Any, g: Any) -> Any:
    k, g = alive((y <= 0) | (y >= 1), y, np.floor(k), g, mass.inside)
    return _by_shapes(mass.flows, 1.0, k, shapes, g)


def _of_logcdf(mass: Mass, y: Any, k: Any, shapes: Any, g: Any) -> Any:
    none = (y == -np.inf) | (y >= 0)
    k, g = alive(none, y, np.floor(k), g, mass.inside)
    return _by_shapes(mass.flows, np.exp(-np.where(none, 0.0, y)), k, shapes, g)


def _of_sf(mass: Mass, y: Any, k: Any, shapes: Any, g: Any) -> Any:
    return _of_cdf(mass, y, k, shapes, -g)


def _of_logsf(mass: Mass, y: Any, k: Any, shapes: Any, g: Any) -> Any:
    return _of_logcdf(mass, y, k, shapes, -g)


def _of_steps(mass: Mass, y: Any, k: Any, shapes: Any, g: Any) -> Any:
    nothing = 0.0 * g
    return (nothing, *[nothing] * len(shapes), g)


constant_instances(*MASSES)
_declare("logpmf", _of_logpmf)
_declare("pmf", _of_pmf)
_declare("cdf", _of_cdf)
_declare("logcdf", _of_logcdf)
_declare("sf", _of_sf)
_declare("logsf", _of_logsf)
_declare("ppf", _of_steps)
_declare("isf", _of_steps)
