"""Quadrature: `scipy.integrate.quad` and kin.

The derivative of an integral is the integral of the derivative. It is taken on the subintervals that QUADPACK chooses
at a tight tolerance, by Gauss's formula on each, whose points move with the limits: so the limits, finite or not, need
nothing of their own, and derivatives of any order are those of one finite sum. The value is SciPy's.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import integrate  # type: ignore[import-untyped]

from ....programs import program
from ....tangents import NotImplementedDerivative
from ..solutions import tuple_of

POINTS, WEIGHTS = np.polynomial.legendre.leggauss(20)
TIGHT = {"epsabs": 1e-13, "epsrel": 1e-12, "limit": 200}


def gauss(config: Any, f: Any, a: Any, b: Any, intervals: Any) -> Any:
    """The integral of `f` as a sum; `intervals` are those of the unit variable that `quad` integrates over."""
    kind = config.plainly(kind_of, a, b)
    nodes, weights = config.plainly(rule_on, intervals, kind, a, b)
    total = 0.0
    for t, w in zip(nodes, weights, strict=True):
        if kind == "finite":
            total = total + f(a + (b - a) * t) * (w * (b - a))
        elif kind == "upper":
            total = total + f(a + (1 - t) / t) * (w / t**2)
        elif kind == "lower":
            total = total + f(b - (1 - t) / t) * (w / t**2)
        elif t < 0:  # of a variable in -1 .. 1
            total = total + f((1 + t) / t) * (w / t**2)
        else:
            total = total + f((1 - t) / t) * (w / t**2)
    return total


def kind_of(a: Any, b: Any) -> str:
    if not np.isfinite(a) and not np.isfinite(b):
        return "both"
    return "finite" if np.isfinite(a) and np.isfinite(b) else "upper" if np.isfinite(a) else "lower"


def rule_on(intervals: Any, kind: str, a: Any, b: Any) -> Any:
    """Points and weights of Gauss's formula on all intervals; finite limits are 0 and 1."""
    edges = np.asarray(intervals, float)
    if kind == "finite":
        edges = (edges - a) / (b - a) if a != b else edges * 0 + [0.0, 1.0]
    low, high = edges[:, :1], edges[:, 1:]
    half = (high - low) / 2
    return ((low + high) / 2 + half * POINTS).ravel().tolist(), (half * WEIGHTS).ravel().tolist()


def chosen(f: Any, a: Any, b: Any, points: Any) -> Any:
    """The subintervals that QUADPACK chooses, in its variable."""
    kind = kind_of(a, b)
    if kind == "finite" and a == b:
        return [[a, b]]
    info = integrate.quad(f, a, b, full_output=1, points=points, **TIGHT)[2]
    k = info["last"]
    found = np.stack([info["alist"][:k], info["blist"][:k]], axis=1)
    return np.concatenate([found, -found[:, ::-1]]) if kind == "both" else found


def reordered(a: Any, b: Any) -> bool:
    return bool(b < a)


def sufficient(config: Any, f: Any, a: Any, b: Any, intervals: Any, y: Any, error: Any) -> Any:
    """Intervals on which the sum is the integral that was found, and the sum.

    QUADPACK extrapolates at singular ends: these are approached by intervals whose lengths are halved.

    Raises:
        NotImplementedDerivative: there are none, so that the derivative would not be right either.
    """
    bound = 100 * error + 1e-7 * np.max(np.abs(y), initial=0.0) + 1e-12
    for tried in (intervals, graded(np.asarray(intervals, float))):
        summed = gauss(config, f, a, b, tried)
        if np.max(np.abs(summed - y), initial=0.0) <= bound:
            return tried, summed
    raise NotImplementedDerivative(
        "the integrand is singular, so that its derivative cannot be integrated by Gauss's formula; substitute a "
        "variable in which it is smooth"
    )


def graded(intervals: Any) -> Any:
    """Intervals, the first of which is divided towards its lower end, and the last towards its upper end."""
    ordered = intervals[np.argsort(intervals[:, 0])]
    (low, first), (last, high) = ordered[0], ordered[-1]
    if len(ordered) == 1:
        first = last = (low + high) / 2
    down = np.concatenate([[low], low + (first - low) * 0.5 ** np.arange(60, -1, -1)])
    up = np.concatenate([high - (high - last) * 0.5 ** np.arange(0, 30), [high]])
    ends = [np.stack([edges[:-1], edges[1:]], axis=1) for edges in (down, up)]
    return np.concatenate([ends[0], ordered[1:-1], ends[1]])


def integral(config: Any, f: Any, a: Any, b: Any, intervals: Any, y: Any, error: Any) -> Any:
    """The value `y` that was found, with its derivatives."""
    intervals, plain = config.plainly(sufficient, config, f, a, b, intervals, y, error)
    return y + (gauss(config, f, a, b, intervals) - plain)


@program(integrate.quad)
def quad_program(
    config: Any, func: Any, a: Any, b: Any, args: Any = (), full_output: Any = 0, epsabs: Any = 1.49e-8,
    epsrel: Any = 1.49e-8, limit: Any = 50, points: Any = None, weight: Any = None, *options: Any,
    complex_func: Any = False, **named: Any,
) -> Any:  # fmt: skip
    if weight is not None:
        raise NotImplementedDerivative("weight= is not implemented: write the weight into the integrand")
    if complex_func:
        raise NotImplementedDerivative("complex_func=True is not implemented: integrate the parts on their own")
    args = tuple_of(args)
    f = lambda x: func(x, *args)
    found = config.plainly(integrate.quad, f, a, b, (), True, epsabs, epsrel, limit, points)
    if len(found) > 3:
        raise NotImplementedDerivative(f"the quadrature did not converge: {found[3]}")
    if config.plainly(reordered, a, b):
        intervals = config.plainly(chosen, f, b, a, points)
        y = -integral(config, f, b, a, intervals, -found[0], found[1])
    else:
        y = integral(config, f, a, b, config.plainly(chosen, f, a, b, points), found[0], found[1])
    return (y, *found[1:]) if full_output else (y, found[1])


@program(integrate.dblquad)
def dblquad_program(
    config: Any, func: Any, a: Any, b: Any, gfun: Any, hfun: Any, args: Any = (), epsabs: Any = 1.49e-8,
    epsrel: Any = 1.49e-8,
) -> Any:  # fmt: skip
    args = tuple_of(args)

    def inner(x: Any) -> Any:
        low = gfun(x) if callable(gfun) else gfun
        high = hfun(x) if callable(hfun) else hfun
        return integrate.quad(lambda y: func(y, x, *args), low, high, epsabs=epsabs, epsrel=epsrel)[0]

    return integrate.quad(inner, a, b, epsabs=epsabs, epsrel=epsrel)


@program(integrate.tplquad)
def tplquad_program(
    config: Any, func: Any, a: Any, b: Any, gfun: Any, hfun: Any, qfun: Any, rfun: Any, args: Any = (),
    epsabs: Any = 1.49e-8, epsrel: Any = 1.49e-8,
) -> Any:  # fmt: skip
    args = tuple_of(args)

    def inner(y: Any, x: Any) -> Any:
        low = qfun(x, y) if callable(qfun) else qfun
        high = rfun(x, y) if callable(rfun) else rfun
        return integrate.quad(lambda z: func(z, y, x, *args), low, high, epsabs=epsabs, epsrel=epsrel)[0]

    return integrate.dblquad(inner, a, b, gfun, hfun, (), epsabs, epsrel)


@program(integrate.nquad)
def nquad_program(
    config: Any, func: Any, ranges: Any, args: Any = None, opts: Any = None, full_output: Any = False
) -> Any:
    if full_output or not (opts is None or isinstance(opts, dict)):
        raise NotImplementedDerivative("full_output=True and a list of opts are not implemented for nquad")
    options = opts or {}
    args = () if args is None else tuple_of(args)

    def level(i: Any, later: Any) -> Any:
        limits = ranges[i](*later, *args) if callable(ranges[i]) else ranges[i]
        if i == 0:
            return integrate.quad(lambda x: func(x, *later, *args), limits[0], limits[1], **options)
        return integrate.quad(lambda x: level(i - 1, (x, *later))[0], limits[0], limits[1], **options)

    return level(len(ranges) - 1, ())


@program(integrate.quad_vec)
def quad_vec_program(
    config: Any, f: Any, a: Any, b: Any, epsabs: Any = 1e-200, epsrel: Any = 1e-8, *options: Any,
    full_output: Any = False, args: Any = (), **named: Any,
) -> Any:  # fmt: skip
    args = tuple_of(args)
    g = lambda x: f(x, *args)
    found = config.plainly(integrate.quad_vec, g, a, b, epsabs, epsrel, *options, full_output=True, **named)
    if not found[2].success:
        raise NotImplementedDerivative("the quadrature did not converge")
    y = integral(config, g, a, b, found[2].intervals, found[0], found[1])
    return (y, *found[1:]) if full_output else (y, found[1])
