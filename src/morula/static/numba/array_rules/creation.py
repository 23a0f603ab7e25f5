"""Arrays made of numbers: the cotangents of the numbers are sums over the cells they went to."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba.extending import register_jitable

from morula.static.numba.array_rules.registry import array_rule
from morula.static.numba.array_rules.shared import dot_of, like


@register_jitable
def ends(g: Any) -> Any:
    """The sums of ``g``, weighted for the start and for the stop of evenly spaced points."""
    first, last = g.dtype.type(0), g.dtype.type(0)
    for i in range(len(g)):
        t = i / max(len(g) - 1, 1)
        first += (1 - t) * g[i]
        last += t * g[i]
    return first, last


@array_rule(np.linspace, numbers="start stop", linear=True, num=50)
def linspace_adjoint(y: Any, y_bar: Any, start: Any, stop: Any, num: Any, start_bar: Any, stop_bar: Any) -> Any:
    """Points are ``start (1 - t) + stop t``."""
    first, last = ends(y_bar)
    return like(start, first), like(stop, last)


def logspace_tangent(y: Any, start: Any, stop: Any, num: Any, start_dot: Any, stop_dot: Any) -> Any:
    """Of the evenly spaced exponents."""
    first, last = dot_of(start, start_dot), dot_of(stop, stop_dot)
    y_dot = np.zeros(y.shape, y.dtype)
    for i in range(len(y)):
        t = i / max(len(y) - 1, 1)
        y_dot[i] = y[i] * math.log(10.0) * ((1 - t) * first + t * last)
    return y_dot


@array_rule(np.logspace, tangent=logspace_tangent, reads="y", numbers="start stop", num=50)
def logspace_adjoint(y: Any, y_bar: Any, start: Any, stop: Any, num: Any, start_bar: Any, stop_bar: Any) -> Any:
    """Through the exponents."""
    first, last = ends(np.conj(y) * math.log(10.0) * y_bar)
    return like(start, first), like(stop, last)


def geomspace_tangent(y: Any, start: Any, stop: Any, num: Any, start_dot: Any, stop_dot: Any) -> Any:
    """Of the evenly spaced logarithms."""
    first, last = dot_of(start, start_dot) / start, dot_of(stop, stop_dot) / stop
    y_dot = np.zeros(y.shape, y.dtype)
    for i in range(len(y)):
        t = i / max(len(y) - 1, 1)
        y_dot[i] = y[i] * ((1 - t) * first + t * last)
    return y_dot


@array_rule(np.geomspace, tangent=geomspace_tangent, reads="y start stop", numbers="start stop", num=50)
def geomspace_adjoint(y: Any, y_bar: Any, start: Any, stop: Any, num: Any, start_bar: Any, stop_bar: Any) -> Any:
    """Through the logarithms."""
    first, last = ends(np.conj(y) * y_bar)
    return like(start, first / np.conj(start)), like(stop, last / np.conj(stop))


def arange_tangent(
    y: Any, start: Any, stop: Any, step: Any, dtype: Any, start_dot: Any, stop_dot: Any, step_dot: Any
) -> Any:
    """``start + i step``; where it stops decides only how many there are."""
    y_dot = np.zeros(y.shape, y.dtype)
    for i in range(len(y)):
        if stop is not None:
            y_dot[i] += dot_of(start, start_dot)
        if step is not None:
            y_dot[i] += i * dot_of(step, step_dot)
    return y_dot


@array_rule(np.arange, tangent=arange_tangent, numbers="start stop step", stop=None, step=None, dtype=None)
def arange_adjoint(
    y: Any, y_bar: Any, start: Any, stop: Any, step: Any, dtype: Any, start_bar: Any, stop_bar: Any, step_bar: Any
) -> Any:
    """The sum of the seed to the start, weighted by the places to the step."""
    first, by = y_bar.dtype.type(0), y_bar.dtype.type(0)
    for i in range(len(y_bar)):
        if stop is not None:
            first += y_bar[i]
        by += i * y_bar[i]
    return first, 0.0, by


def vander_tangent(y: Any, x: Any, N: Any, increasing: Any, x_dot: Any) -> Any:
    """``k x**(k-1) x_dot`` in each column."""
    y_dot = np.zeros(y.shape, y.dtype)
    n = y.shape[1]
    for i in range(len(x)):
        power = x_dot[i]
        for k in range(1, n):
            y_dot[i, k if increasing else n - 1 - k] = k * power
            power = power * x[i]
    return y_dot


@array_rule(np.vander, tangent=vander_tangent, reads="x", N=None, increasing=False)
def vander_adjoint(y: Any, y_bar: Any, x: Any, N: Any, increasing: Any, x_bar: Any) -> None:
    """``k x**(k-1)`` in each column."""
    n = y_bar.shape[1]
    for i in range(len(x)):
        # Horner's scheme for the derivative of the polynomial whose coefficients are the seeds.
        slope = y_bar.dtype.type(0)
        for k in range(n - 1, 0, -1):
            slope = slope * np.conj(x[i]) + k * y_bar[i, k if increasing else n - 1 - k]
        x_bar[i] += slope
