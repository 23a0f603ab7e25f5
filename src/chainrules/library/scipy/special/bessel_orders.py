"""Bessel functions J, Y and I by their order, for positive real arguments.

Schlaefli's integrals hold for every real order, and so do their derivatives by it:

    pi J_v(x) = int_0^pi cos(x sin t - v t) dt - sin(v pi) int_0^inf exp(-x sinh t - v t) dt
    pi Y_v(x) = int_0^pi sin(x sin t - v t) dt - int_0^inf (exp(v t) + exp(-v t) cos(v pi)) exp(-x sinh t) dt
    pi I_v(x) = int_0^pi exp(x cos t) cos(v t) dt - sin(v pi) int_0^inf exp(-x cosh t - v t) dt

Where J or I is small beside its integrals, the power series has the digits: of the two the one is taken whose rounding
errors are the smaller ones.

Source: NIST Digital Library of Mathematical Functions, 10.9.6, 10.9.7, 10.32.4, 10.15, 10.38.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special as sp  # type: ignore[import-untyped]

from ....scalar import scalar_rule
from ....tangents import NotImplementedDerivative
from .shared import by_elements, gauss_legendre, half_difference, half_sum, missing

LARGEST = 4000.0  # of argument and order together: the integrand turns as often
TERMS = np.arange(120.0)
DEPTH = 45.0  # what lies e^-45 below the largest value is left out


def _around(v: Any, x: Any) -> tuple[Any, Any]:
    """Nodes and weights from 0 to pi, for functions that turn x + v times as often as they can."""
    size = np.max(np.abs(v) + x, initial=0.0, where=np.isfinite(v) & np.isfinite(x))
    if size > LARGEST:
        raise NotImplementedDerivative(
            f"the derivative of a Bessel function with respect to its order is implemented for orders and arguments "
            f"that together are at most {LARGEST:.0f}"
        )
    nodes, weights = gauss_legendre(48 + int(size))
    return np.pi * nodes, weights  # over pi


def _tails(v: Any, x: Any, rise: Any, orders: int) -> list[Any]:
    """The integrals of ``(-t)**k exp(-v t - x rise(t))`` over positive t, k up to ``orders``; over pi."""
    end = np.arcsinh(2.0 * DEPTH / x)
    for _ in range(8):
        end = np.arcsinh((2.0 * DEPTH + np.maximum(-v, 0.0) * end) / x)
    end = np.where(v > 0, np.minimum(end, DEPTH / np.where(v > 0, v, 1.0)), end)
    nodes, weights = gauss_legendre(96 + int(16.0 * np.sqrt(np.max(np.abs(v), initial=0.0, where=np.isfinite(v)))))
    t = end[:, None] * nodes
    value = np.exp(-v[:, None] * t - x[:, None] * rise(t)) * weights * (end[:, None] / np.pi)
    return [np.sum((-t) ** k * value, axis=1) for k in range(orders + 1)]


def _turned(v: Any, moments: list[Any]) -> Any:
    """The derivative of ``sin(v pi)`` times an integral, whose derivatives are given from the first one on."""
    s, c = sp.sinpi(v) if hasattr(sp, "sinpi") else np.sin(np.pi * v), np.cos(np.pi * v)
    if len(moments) == 2:
        return np.pi * c * moments[0] + s * moments[1]
    return -np.pi * np.pi * s * moments[0] + 2.0 * np.pi * c * moments[1] + s * moments[2]


def _series(n: int, sign: float, v: Any, x: Any) -> tuple[Any, Any]:
    """The n-th derivative of ``sum_k sign**k (x/2)**(v+2k) / (k! Gamma(v+k+1))``, and the size of its errors."""
    u = np.maximum(v, 0.0)[:, None]  # of negative orders the gamma function has poles
    log = np.log(0.5 * x)[:, None]
    at = u + TERMS + 1.0
    # from one term to the next: what rounding does to the logarithm of the first one is the same for all
    ratios = np.square(0.5 * x)[:, None] / (np.maximum(TERMS, 1.0) * (u + np.maximum(TERMS, 1.0)))
    size = np.exp(u * log - sp.gammaln(u + 1.0)) * np.cumprod(np.where(TERMS > 0, ratios, 1.0), axis=1)
    slope = log - sp.digamma(at)
    terms = size * (slope if n == 1 else slope * slope - sp.polygamma(1, at)) * sign**TERMS
    largest = np.max(np.abs(terms), axis=1)
    is_whole = (v >= 0) & (np.abs(terms[:, -1]) <= 1e-18 * largest)
    return np.sum(terms, axis=1), np.where(is_whole & np.isfinite(largest), 1e-16 * largest, np.inf)


def _better(integral: Any, scale: Any, n: int, sign: float, v: Any, x: Any) -> Any:
    """The series where it is the more precise one."""
    series, errors = _series(n, sign, v, x)
    found = np.where(errors < 1e-16 * scale, series, integral)
    return np.where(x > 0, found, np.where((x == 0) & (v > 0), 0.0, np.nan))


def _wave(n: int, v: Any, x: Any) -> Any:
    t, weights = _around(v, x)
    phase = x[:, None] * np.sin(t) - v[:, None] * t
    inner = t * np.sin(phase) if n == 1 else -t * t * np.cos(phase)
    outer = _turned(v, _tails(v, x, np.sinh, n))
    return _better(np.sum(inner * weights, axis=1) - outer, 3.0 + np.abs(outer), n, -1.0, v, x)


def _growth(n: int, v: Any, x: Any) -> Any:
    """Of the function scaled by ``exp(-x)``."""
    t, weights = _around(v, np.sqrt(x))
    inner = -t * np.sin(v[:, None] * t) if n == 1 else -t * t * np.cos(v[:, None] * t)
    inner = np.sum(inner * np.exp(-x[:, None] * 2.0 * np.sin(0.5 * t) ** 2) * weights, axis=1)
    outer = np.exp(-2.0 * x) * _turned(v, _tails(v, x, lambda t: 2.0 * np.sinh(0.5 * t) ** 2, n))
    size = np.exp(np.minimum(x, 700.0))
    found = _better((inner - outer) * size, (1.0 + np.abs(outer)) * size, n, 1.0, v, x)
    return np.where(x < 700.0, found / size, np.where(x > 0, inner - outer, np.nan))


def _second(n: int, v: Any, x: Any) -> Any:
    t, weights = _around(v, x)
    phase = x[:, None] * np.sin(t) - v[:, None] * t
    inner = -t * np.cos(phase) if n == 1 else -t * t * np.sin(phase)
    falling, rising = _tails(v, x, np.sinh, n), _tails(-v, x, np.sinh, n)
    s, c = np.sin(np.pi * v), np.cos(np.pi * v)
    if n == 1:
        outer = -rising[1] + c * falling[1] - np.pi * s * falling[0]
    else:
        outer = rising[2] + c * falling[2] - 2.0 * np.pi * s * falling[1] - np.pi * np.pi * c * falling[0]
    return np.where(x > 0, np.sum(inner * weights, axis=1) - outer, np.nan)


@by_elements
def jv_dv(v: Any, x: Any) -> Any:
    """The derivative of ``jv(v, x)`` by the order.

    >>> float(round(jv_dv(0.5, 2.0), 8))
    0.34047509
    """
    return _wave(1, v, x)


@by_elements
def jv_dvv(v: Any, x: Any) -> Any:
    """The second derivative of ``jv(v, x)`` by the order."""
    return _wave(2, v, x)


@by_elements
def yv_dv(v: Any, x: Any) -> Any:
    """The derivative of ``yv(v, x)`` by the order."""
    return _second(1, v, x)


@by_elements
def yv_dvv(v: Any, x: Any) -> Any:
    """The second derivative of ``yv(v, x)`` by the order."""
    return _second(2, v, x)


@by_elements
def ive_dv(v: Any, x: Any) -> Any:
    """The derivative of ``ive(v, x)`` by the order."""
    return _growth(1, v, x)


@by_elements
def ive_dvv(v: Any, x: Any) -> Any:
    """The second derivative of ``ive(v, x)`` by the order."""
    return _growth(2, v, x)


def scaled_half_sum(f: Any, v: Any, x: Any) -> Any:
    """The derivative of ``ive`` by x, or of a derivative of it by the order."""
    return half_sum(f, v, x) - f(v, x)


for _first, _second_one, _name, _slope in [
    (jv_dv, jv_dvv, "jv", half_difference),
    (yv_dv, yv_dvv, "yv", half_difference),
    (ive_dv, ive_dvv, "iv", scaled_half_sum),
]:
    scalar_rule(
        _first,
        lambda y, v, x, f=_second_one: f(v, x),
        lambda y, v, x, f=_first, slope=_slope: slope(f, v, x),
        real=True,
    )
    scalar_rule(
        _second_one,
        missing(_name, "its order, of third order,"),
        lambda y, v, x, f=_second_one, slope=_slope: slope(f, v, x),
        real=True,
    )
