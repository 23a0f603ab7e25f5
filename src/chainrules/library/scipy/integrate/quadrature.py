"""Quadrature: `scipy.integrate.quad` and kin.

The derivative of an integral is the integral of the derivative. It is taken on the subintervals that QUADPACK chooses
at a tight tolerance, by Gauss's formula on each, whose points move with the limits, and with the `points` where the
integrand need not be smooth: so these need nothing of their own, and derivatives of any order are those of one finite
sum. The value is SciPy's.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from scipy import integrate  # type: ignore[import-untyped]

from ....programs import program
from ....tangents import NotImplementedDerivative
from ..solutions import itself, moved_as, tuple_of
from .integrals_at_once import double_at_once, integral_at_once
from .intervals import TIGHT, chosen, converged, segments, still
from .sums import gauss, summed_on


def moving(config: Any, f: Any, a: Any, b: Any, points: Any, find: Any) -> Any:
    """Zero, with the derivatives of an integral.

    Args:
        points: a tuple.
        find: called with limits; the intervals between these, the integral, and its error.
    """
    given = (a, b, *points)
    y = 0.0
    for i, j, intervals, plain, values, rough in config.plainly(listed, config, f, given, find, config.orders()):
        if rough:
            fixed = config.plainly(still, f, config.nearby(f), given[i], given[j], rough, values)
            return moving(config, f, a, b, (*points, *fixed), find)
        y = y + (gauss(config, f, given[i], given[j], intervals) - plain)
    return -y if j == 0 else y


def listed(config: Any, f: Any, given: Any, find: Any, order: int) -> list[tuple]:
    """All `segments`."""
    return list(segments(f, given, find, order, partial(summed_on, config, f)))


def weighted(func: Any, a: Any, b: Any, args: Any, weight: str, wvar: Any) -> list[tuple[Any, Any, Any]]:
    """Integrands with the weight, and their limits: together they are the integral.

    Where the weight has powers, the variables are the distances from the ends, over the length: that singular end is 0
    then, which does not move.

    Raises:
        NotImplementedDerivative: the integral is a principal value.
    """
    if weight == "cauchy":
        raise NotImplementedDerivative('weight="cauchy" is not implemented: subtract the pole from the integrand')
    if weight in ("cos", "sin"):
        wave = np.cos if weight == "cos" else np.sin
        return [(lambda x: func(x, *args) * wave(wvar * x), a, b)]
    alpha, beta = wvar
    width = b - a
    scale = width ** (1.0 + alpha + beta)

    def algebraic(x: Any, from_a: Any, from_b: Any) -> Any:
        y = func(x, *args) * scale * from_a**alpha * from_b**beta
        if weight in ("alg-loga", "alg-log"):
            y = y * np.log(width * from_a)
        if weight in ("alg-logb", "alg-log"):
            y = y * np.log(width * from_b)
        return y

    return [
        (lambda t: algebraic(a + width * t, t, 1.0 - t), 0.0, 0.5),
        (lambda t: algebraic(b - width * t, 1.0 - t, t), 0.0, 0.5),
    ]


@program(integrate.quad)
def quad_program(
    config: Any, func: Any, a: Any, b: Any, args: Any = (), full_output: Any = 0, epsabs: Any = 1.49e-8,
    epsrel: Any = 1.49e-8, limit: Any = 50, points: Any = None, weight: Any = None, *options: Any,
    complex_func: Any = False, **named: Any,
) -> Any:  # fmt: skip
    if weight is not None:
        given = (func, a, b, args, full_output, epsabs, epsrel, limit, points, weight, *options)
        found = config.plainly(integrate.quad, *given, complex_func=complex_func, **named)
        wvar = options[0] if options else named.get("wvar")
        parts = weighted(func, a, b, tuple_of(args), weight, wvar)
        y = sum([integrate.quad(f, *ends, points=points, complex_func=complex_func)[0] for f, *ends in parts])
        return (moved_as(config, found[0], y), *found[1:])
    if complex_func:
        found = config.plainly(
            integrate.quad, func, a, b, args, full_output, epsabs, epsrel, limit, points, complex_func=True, **named
        )
        args = tuple_of(args)
        real = integrate.quad(lambda x: np.real(func(x, *args)), a, b, (), 0, epsabs, epsrel, limit, points)[0]
        imag = integrate.quad(lambda x: np.imag(func(x, *args)), a, b, (), 0, epsabs, epsrel, limit, points)[0]
        return (real + 1j * imag, *found[1:])
    args = tuple_of(args)
    limits = () if points is None else (*points,)
    quick = config.at_once(integral_at_once, func, 0.5, args, (a, b, *limits), points, epsabs, epsrel, limit)
    if quick is not None:
        return (quick[0], *quick[1]) if full_output else (quick[0], quick[1][0])
    f = lambda x: func(x, *args)
    found = config.plainly(converged, f, a, b, points, epsabs, epsrel, limit)
    change = moving(config, f, a, b, limits, partial(chosen, f, TIGHT))
    y = changed(config, found[0], change)
    return (y, *found[1:]) if full_output else (y, found[1])


def changed(config: Any, y: Any, change: Any) -> Any:
    """What `quad` found, a float, with its derivatives: limits that are NumPy's numbers would make it one of those."""
    change = config.plainly(itself, change) - change  # a zero that is not negative, so that -0.0 stays what it is
    return float(np.float64(y) - change) if type(y) is float else y - change  # which may be in single precision


def outer(
    config: Any, f: Any, a: Any, b: Any, epsabs: Any = 1.49e-8, epsrel: Any = 1.49e-8, limit: Any = 50,
    points: Any = None,
) -> Any:  # fmt: skip
    """`quad` of an integral, which is only known to its tolerance: a tighter one would follow its noise."""
    found = config.plainly(converged, f, a, b, points, epsabs, epsrel, limit)
    find = partial(chosen, f, {"epsabs": epsabs, "epsrel": epsrel, "limit": limit})
    return changed(config, found[0], moving(config, f, a, b, () if points is None else (*points,), find)), found[1]


@program(integrate.dblquad)
def dblquad_program(
    config: Any, func: Any, a: Any, b: Any, gfun: Any, hfun: Any, args: Any = (), epsabs: Any = 1.49e-8,
    epsrel: Any = 1.49e-8,
) -> Any:  # fmt: skip
    args = tuple_of(args)
    quick = config.at_once(double_at_once, func, (0.5, 0.5), args, (a, b, gfun, hfun), epsabs, epsrel)
    if quick is not None:
        return quick[0], quick[1][0]

    def inner(x: Any) -> Any:
        low = gfun(x) if callable(gfun) else gfun
        high = hfun(x) if callable(hfun) else hfun
        return integrate.quad(lambda y: func(y, x, *args), low, high, epsabs=epsabs, epsrel=epsrel)[0]

    return outer(config, inner, a, b, epsabs, epsrel)


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
    simple = {"epsabs", "epsrel", "limit", "points"}.issuperset(options)
    args = () if args is None else tuple_of(args)

    def level(i: Any, later: Any) -> Any:
        limits = ranges[i](*later, *args) if callable(ranges[i]) else ranges[i]
        if i == 0:
            return integrate.quad(lambda x: func(x, *later, *args), limits[0], limits[1], **options)
        f = lambda x: level(i - 1, (x, *later))[0]
        if simple:
            return outer(config, f, limits[0], limits[1], **options)
        return integrate.quad(f, limits[0], limits[1], **options)

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

    def find(low: Any, high: Any) -> Any:
        y, error, info = integrate.quad_vec(g, low, high, epsabs, epsrel, *options, full_output=True, **named)
        return info.intervals, y, error

    points = named.pop("points", None)
    y = found[0] + moving(config, g, a, b, () if points is None else (*points,), find)
    return (y, *found[1:]) if full_output else (y, found[1])
