"""Continuous distributions: the methods of `scipy.stats.rv_continuous`, for all that `densities` knows.

The value is SciPy's own. With ``z = (x - loc)/scale`` the derivatives follow from those of the standard form; the
quantile functions are inverses, so that theirs are quotients by the density.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import stats as st  # type: ignore[import-untyped]

from ....declarations import constant_instances
from ....derived import is_complex
from ....patterns import pattern
from ....products import strong_mul
from ....rules import rrule
from ...numpy.patterns import joined
from .calls import alive, all_within, as_numbers, later, parameters_of, signature_of
from .densities import DENSITIES, Density
from .values import VALUES

_pdf, _logpdf = VALUES["pdf"], VALUES["logpdf"]


def _by_scores(density: Density, z: Any, shapes: Any, scale: Any, g: Any) -> tuple[Any, ...]:
    """Cotangents of x, the shapes, location and scale, by the derivatives of the logarithm of the density."""

    def along() -> Any:
        return strong_mul(density.score(z, *shapes), g) / scale

    def across(score: Any) -> Any:
        return strong_mul(score(z, *shapes), g)

    return (
        later(along),
        *[later(across, score) for score in density.shape_scores],
        later(lambda: -along()),
        later(lambda: -(strong_mul(strong_mul(z, density.score(z, *shapes)), g) + g) / scale),
    )


def _by_flows(density: Density, p: Any, r: Any, ends: Any, z: Any, shapes: Any, scale: Any, g: Any) -> tuple[Any, ...]:
    """The same by those of the distribution function; beyond its ``ends``, if any, it does not depend on the shapes."""
    z_in, g_in = (z, g) if ends is None else (np.where(ends, density.inside, z), np.where(ends, 0.0, g))

    def across(flow: Any) -> Any:
        return strong_mul(flow(p, r, z_in, *shapes), g_in)

    return (
        later(lambda: strong_mul(p, g) / scale),
        *[later(across, flow) for flow in density.flows],
        later(lambda: -strong_mul(p, g) / scale),
        later(lambda: -strong_mul(strong_mul(p, z), g) / scale),
    )


def _by_quantiles(density: Density, p: Any, z: Any, shapes: Any, scale: Any, g: Any, up: bool) -> tuple[Any, ...]:
    """The same of a quantile function, where ``p`` is the standard density at its value."""
    sign = 1.0 if up else -1.0
    z_in, g_in = z, g
    if not all_within(z, -np.inf, np.inf):
        endless = np.isinf(z)
        p = np.where(endless, 0.0, p)
        z_in, g_in = np.where(np.isfinite(z), z, density.inside), np.where(endless, 0.0, g)

    def across(flow: Any) -> Any:
        return strong_mul(-scale * flow(1.0, 1.0 / p, z_in, *shapes), g_in)

    return (
        later(lambda: strong_mul(sign * scale / p, g)),
        *[later(across, flow) for flow in density.flows],
        later(lambda: g + 0.0 * z_in),
        later(lambda: strong_mul(z, g)),
    )


def _declare(name: str, pullback_of: Callable[..., tuple[Any, ...]]) -> None:
    """A rule for one method. ``pullback_of(known, dist, y, x, shapes, loc, scale, y_bar)`` gives all cotangents."""
    value = VALUES[name]
    signature = signature_of("q" if name in ("ppf", "isf") else "x")

    @rrule(value, signature=signature)
    @rrule(getattr(st.rv_continuous, name), signature=signature)
    def rule(dist: Any, x: Any, *args: Any, **kwds: Any) -> Any:
        density = DENSITIES.get(type(dist))
        if density is None or any(map(is_complex, (x, *args, *kwds.values()))):
            return NotImplemented  # SciPy's source can be followed
        y = value(dist, x, *args, **kwds)

        def pullback(y_bar: Any) -> Any:
            shapes, loc, scale = parameters_of(dist, args, kwds)
            with np.errstate(all="ignore"):
                bars = pullback_of(density, dist, y, as_numbers(x), shapes, loc, scale, y_bar)
            return (None, *bars)[: 2 + len(args)]

        return y, pullback

    rule.__name__ = f"{name}_rule"
    pattern(value, getattr(st.rv_continuous, name))(joined("smooth"))


def _of_logpdf(density: Any, dist: Any, y: Any, x: Any, shapes: Any, loc: Any, scale: Any, g: Any) -> Any:
    z = (x - loc) / scale
    if not all_within(y, -np.inf, np.inf):
        z, g = alive(y == -np.inf, y, z, g, density.inside)
    return _by_scores(density, z, shapes, scale, g)


def _of_pdf(density: Any, dist: Any, y: Any, x: Any, shapes: Any, loc: Any, scale: Any, g: Any) -> Any:
    z, g = (x - loc) / scale, strong_mul(y, g)
    if not all_within(y, 0.0, np.inf):
        z, g = alive(y == 0, y, z, g, density.inside)
    return _by_scores(density, z, shapes, scale, g)


def _of_cdf(density: Any, dist: Any, y: Any, x: Any, shapes: Any, loc: Any, scale: Any, g: Any) -> Any:
    p = scale * _pdf(dist, x, *shapes, loc, scale)
    z = (x - loc) / scale
    if all_within(y, 0.0, 1.0) and all_within(p, 0.0, np.inf):
        return _by_flows(density, p, 1.0, None, z, shapes, scale, g)
    z, g = alive(None, y, z, g, 0.0)
    return _by_flows(density, p, 1.0, (p == 0) | (y <= 0) | (y >= 1), z, shapes, scale, g)


def _of_logcdf(density: Any, dist: Any, y: Any, x: Any, shapes: Any, loc: Any, scale: Any, g: Any) -> Any:
    """The density over the distribution function, as a difference of logarithms."""
    log_p = _logpdf(dist, x, *shapes, loc, scale)
    z = (x - loc) / scale
    if all_within(y, -np.inf, 0.0) and all_within(log_p, -np.inf, np.inf):
        return _by_flows(density, scale * np.exp(log_p - y), np.exp(-y), None, z, shapes, scale, g)
    none = (log_p == -np.inf) | (y == -np.inf)
    p = scale * np.exp(np.where(none, -np.inf, log_p) - np.where(none, 0.0, y))
    z, g = alive(None, y, z, g, 0.0)
    return _by_flows(density, p, np.exp(-np.where(none, 0.0, y)), none | (y >= 0), z, shapes, scale, g)


def _of_sf(density: Any, dist: Any, y: Any, x: Any, shapes: Any, loc: Any, scale: Any, g: Any) -> Any:
    return _of_cdf(density, dist, y, x, shapes, loc, scale, -g)


def _of_logsf(density: Any, dist: Any, y: Any, x: Any, shapes: Any, loc: Any, scale: Any, g: Any) -> Any:
    return _of_logcdf(density, dist, y, x, shapes, loc, scale, -g)


def _of_ppf(density: Any, dist: Any, y: Any, q: Any, shapes: Any, loc: Any, scale: Any, g: Any) -> Any:
    z, g = alive(None, y, (y - loc) / scale, g, 0.0)
    return _by_quantiles(density, scale * _pdf(dist, y, *shapes, loc, scale), z, shapes, scale, g, True)


def _of_isf(density: Any, dist: Any, y: Any, q: Any, shapes: Any, loc: Any, scale: Any, g: Any) -> Any:
    z, g = alive(None, y, (y - loc) / scale, g, 0.0)
    return _by_quantiles(density, scale * _pdf(dist, y, *shapes, loc, scale), z, shapes, scale, g, False)


constant_instances(*DENSITIES)
_declare("logpdf", _of_logpdf)
_declare("pdf", _of_pdf)
_declare("cdf", _of_cdf)
_declare("logcdf", _of_logcdf)
_declare("sf", _of_sf)
_declare("logsf", _of_logsf)
_declare("ppf", _of_ppf)
_declare("isf", _of_isf)
