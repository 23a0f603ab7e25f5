"""Quadrature: `scipy.integrate.quad` and kin.

The derivative of an integral is the integral of the derivative. It is taken on the subintervals that QUADPACK chooses
at a tight tolerance, by Gauss's formula on each, whose points move with the limits: so the limits, finite or not, need
nothing of their own, and derivatives of any order are those of one finite sum. The value is SciPy's.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import integrate  # type: ignore[import-untyped]

from ....declarations import constant_instances
from ....programs import program
from ....rules import rrule
from ....tangents import NoTangent, NotImplementedDerivative, Thunk
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


def found_on(config: Any, f: Any, a: Any, b: Any, points: Any, *tolerances: Any) -> Any:
    """What `quad` finds, whether the limits are in reverse, and what `sufficient` finds for limits that are not.

    Raises:
        NotImplementedDerivative: the quadrature did not converge, or as `sufficient`.
    """
    found = integrate.quad(f, a, b, (), True, *tolerances, points)
    if len(found) > 3:
        raise NotImplementedDerivative(f"the quadrature did not converge: {found[3]}")
    turned = bool(b < a)
    low, high, y = (b, a, -found[0]) if turned else (a, b, found[0])
    return found, turned, *sufficient(config, f, low, high, chosen(f, low, high, points), y, found[1])


def sufficient(config: Any, f: Any, a: Any, b: Any, intervals: Any, y: Any, error: Any) -> Any:
    """Intervals on which the sum is the integral that was found, the sum, and the values at the points.

    QUADPACK extrapolates at singular ends: these are approached by intervals whose lengths are halved.

    Raises:
        NotImplementedDerivative: there are none, so that the derivative would not be right either.
    """
    bound = 100 * error + 1e-7 * np.max(np.abs(y), initial=0.0) + 1e-12
    for divided in (np.asarray, graded):
        tried = divided(np.asarray(intervals, float))
        values: list[Any] = []
        total = gauss(config, lambda x, values=values: values.append(f(x)) or values[-1], a, b, tried)
        if np.max(np.abs(total - y), initial=0.0) <= bound:
            return tried, total, values
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


def integral(
    config: Any, f: Any, a: Any, b: Any, intervals: Any, y: Any, plain: Any, values: Any, func: Any = None,
    args: Any = (),
) -> Any:  # fmt: skip
    """The value `y` that was found, with its derivatives: those of a sum that is `plain`, of weighted `values`.

    `f` is `func` with its `args`, if that is an integrand of numbers.
    """
    quick = None if func is None else config.quick_pullback(func, (0.5, *args), (), 1)
    if quick is None:
        return y + (gauss(config, f, a, b, intervals) - plain)
    start, captured = quick
    return summed(config.plainly(Nodes, intervals, a, b, values, y, start), a, b, *args, *captured)


class Nodes:
    """A sum ``sum(w_i f(x_i))`` in place of an integral.

    Attributes:
        y: the integral.
        x: points.
        w: their weights.
        by_limits: for each limit, the derivatives of points and weights with respect to it.
        values: those of the integrand there.
        start: gives ``pullback(x, y_bar)``: the cotangents of `x`, the arguments, and what the integrand captures.
    """

    def __init__(self, intervals: Any, a: Any, b: Any, values: Any, y: Any, start: Any):
        kind = kind_of(a, b)
        t, w = map(np.asarray, rule_on(intervals, kind, a, b))
        still = np.zeros(len(t))
        self.y, self.values, self.start = y, values, start
        self.by_limits = [(still, still), (still, still)]
        if kind == "finite":
            self.x, self.w = a + (b - a) * t, w * (b - a)
            self.by_limits = [(1 - t, -w), (t, w)]
            return
        self.w = w / t**2
        part = (1 - t) / t
        if kind == "upper":
            self.x = a + part
            self.by_limits[0] = (still + 1, still)
        elif kind == "lower":
            self.x = b - part
            self.by_limits[1] = (still + 1, still)
        else:
            self.x = np.where(t < 0, (1 + t) / t, part)


constant_instances(Nodes)


def summed(nodes: Nodes, a: Any, b: Any, *args: Any) -> Any:
    """The integral; `args` are those of the integrand, and what it captures."""
    return nodes.y


@rrule(summed)
def summed_rule(nodes: Nodes, a: Any, b: Any, *args: Any) -> Any:
    """By the derivatives of the integrand at the points."""

    def summed_pullback(y_bar: Any) -> Any:
        pullback = nodes.start()
        totals: list[Any] = [0.0] * len(args)
        slopes = []
        for x, w in zip(nodes.x.tolist(), nodes.w.tolist(), strict=True):
            x_bar, *bars = pullback(x, np.array([w * y_bar]))
            slopes.append(x_bar)
            for i, bar in enumerate(bars):
                totals[i] = totals[i] + bar

        def limit_bar(k: int) -> Any:
            by_x, by_w = nodes.by_limits[k]
            if not by_w.any():
                return np.dot(slopes, by_x)
            return np.dot(slopes, by_x) + np.dot(nodes.values, by_w) * y_bar

        return NoTangent(), Thunk(limit_bar, 0), Thunk(limit_bar, 1), *totals

    return summed(nodes, a, b, *args), summed_pullback


def weighted(config: Any, func: Any, a: Any, b: Any, args: Any, weight: str, wvar: Any) -> Any:
    """The integrand with its weight.

    Raises:
        NotImplementedDerivative: the integral is a principal value.
    """
    if weight == "cauchy":
        raise NotImplementedDerivative('weight="cauchy" is not implemented: subtract the pole from the integrand')
    if weight in ("cos", "sin"):
        wave = np.cos if weight == "cos" else np.sin
        return lambda x: func(x, *args) * wave(wvar * x)
    alpha, beta = wvar

    def algebraic(x: Any) -> Any:
        y = func(x, *args) * (x - a) ** alpha * (b - x) ** beta
        if weight in ("alg-loga", "alg-log"):
            y = y * np.log(x - a)
        if weight in ("alg-logb", "alg-log"):
            y = y * np.log(b - x)
        return y

    return algebraic


@program(integrate.quad)
def quad_program(
    config: Any, func: Any, a: Any, b: Any, args: Any = (), full_output: Any = 0, epsabs: Any = 1.49e-8,
    epsrel: Any = 1.49e-8, limit: Any = 50, points: Any = None, weight: Any = None, *options: Any,
    complex_func: Any = False, **named: Any,
) -> Any:  # fmt: skip
    if weight is not None:
        given = (func, a, b, args, full_output, epsabs, epsrel, limit, points, weight, *options)
        found = config.plainly(integrate.quad, *given, complex_func=complex_func, **named)
        whole = weighted(config, func, a, b, tuple_of(args), weight, options[0] if options else named.get("wvar"))
        y = integrate.quad(whole, a, b, points=points, complex_func=complex_func)[0]
        return (found[0] + (y - config.plainly(np.positive, y)), *found[1:])
    if complex_func:
        found = config.plainly(
            integrate.quad, func, a, b, args, full_output, epsabs, epsrel, limit, points, complex_func=True, **named
        )
        args = tuple_of(args)
        real = integrate.quad(lambda x: np.real(func(x, *args)), a, b, (), 0, epsabs, epsrel, limit, points)[0]
        imag = integrate.quad(lambda x: np.imag(func(x, *args)), a, b, (), 0, epsabs, epsrel, limit, points)[0]
        return (real + 1j * imag, *found[1:])
    args = tuple_of(args)
    f = lambda x: func(x, *args)
    found, turned, intervals, plain, values = config.plainly(found_on, config, f, a, b, points, epsabs, epsrel, limit)
    if turned:
        y = -integral(config, f, b, a, intervals, -found[0], plain, values, func, args)
    else:
        y = integral(config, f, a, b, intervals, found[0], plain, values, func, args)
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
    intervals, plain, values = config.plainly(sufficient, config, g, a, b, found[2].intervals, found[0], found[1])
    y = integral(config, g, a, b, intervals, found[0], plain, values)
    return (y, *found[1:]) if full_output else (y, found[1])
