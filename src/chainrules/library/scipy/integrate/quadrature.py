"""Quadrature: `scipy.integrate.quad` and kin.

The derivative of an integral is the integral of the derivative. It is taken on the subintervals that QUADPACK chooses
at a tight tolerance, by Gauss's formula on each, whose points move with the limits, and with the `points` where the
integrand need not be smooth: so these need nothing of their own, and derivatives of any order are those of one finite
sum. The value is SciPy's.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import integrate  # type: ignore[import-untyped]

from ....programs import program
from ....tangents import NotImplementedDerivative
from ..solutions import itself, moved_as, tuple_of
from .roughness import Rough, exact, jumps_between, rough_places, roughness, stays
from .sums import POINTS, bisected, divided, gauss, graded, kind_of, nodes_of, place, summed_on, unit

ENDS = {"finite": (0.0, 1.0), "upper": (1.0, 0.0), "lower": (0.0, 1.0), "both": (0.0, 0.0)}  # where limits lie
TIGHT = {"epsabs": 1e-13, "epsrel": 1e-12, "limit": 200}


def chosen(f: Any, tolerances: dict, a: Any, b: Any) -> Any:
    """The subintervals that QUADPACK chooses, in its variable, and what it finds."""
    if a == b and kind_of(a, b) == "finite":
        return [[a, b]], 0.0, 0.0
    return intervals_of(integrate.quad(f, a, b, full_output=1, **tolerances), a, b)


def intervals_of(found: Any, a: Any, b: Any) -> Any:
    """What `chosen` returns, from the full output of `quad`."""
    y, error, info = found[:3]
    k = info["last"]
    intervals = np.array([info["alist"][:k], info["blist"][:k]]).T
    return np.concatenate([intervals, -intervals[:, ::-1]]) if kind_of(a, b) == "both" else intervals, y, error


def converged(f: Any, a: Any, b: Any, points: Any, *tolerances: Any) -> Any:
    """What `quad` finds.

    Raises:
        NotImplementedDerivative: the quadrature did not converge.
    """
    found = integrate.quad(f, a, b, (), True, *tolerances, points)
    if len(found) > 3:
        raise NotImplementedDerivative(f"the quadrature did not converge: {found[3]}")
    return found


def between(a: Any, b: Any, points: Any) -> list[int]:
    """The order of the limits and of the points that lie between them, each once, as indices of ``[a, b, *points]``."""
    inner: dict[float, int] = {}
    for i, x in enumerate(map(float, points), 2):
        if min(a, b) < x < max(a, b):
            inner.setdefault(x, i)
    order = [inner[x] for x in sorted(inner)]
    return [1, *order, 0] if b < a else [0, *order, 1]


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


def integral_at_once(
    config: Any, func: Any, ways: Any, args: Any, given: Any, points: Any, *tolerances: Any
) -> Any:  # fmt: skip
    """An integral, what else `quad` found, and its first derivatives; see `RuleConfig.at_once`.

    Args:
        given: the limits, and the points between them.
    """
    if not ways.reach(1, many=True):
        return None
    f = (lambda x: func(x, *args)) if args else func
    a, b = given[:2]
    found = converged(f, a, b, points, *tolerances)
    by_given = [0.0] * len(given)
    by_others: list = []
    taken: Any = None  # the last sum that was taken

    def summed(a: Any, b: Any, intervals: Any) -> tuple[Any, list]:
        nonlocal taken
        nodes = nodes_of(intervals, a, b)
        values, bars = ways.slopes(nodes.x.tolist())
        taken = nodes, bars
        return float(np.dot(nodes.w, values)), values

    def find(low: Any, high: Any) -> Any:  # what a tighter tolerance would find, if it stopped at once, too
        is_found = found[2]["last"] == 1 and len(given) == 2 and found[1] <= max(1e-13, 1e-12 * abs(found[0]))
        return intervals_of(found, low, high) if is_found and a < b else chosen(f, TIGHT, low, high)

    for i, j, _, _, values, rough in segments(config, f, given, find, 1, summed):
        if rough:
            return None
        nodes, (slopes, *others) = taken
        sign = -1.0 if b < a else 1.0
        more = [sign * nodes.summed(bars) for bars in others]
        by_others = [old + new for old, new in zip(by_others, more, strict=True)] if by_others else more
        for k, (by_x, by_w) in zip((i, j), nodes.by_limits, strict=True):
            by_given[k] += sign * (np.dot(nodes.w * slopes, by_x) + np.dot(values, by_w))
    n = len(args)
    return (found[0], found[1:]), [*by_others[:n], *by_given, *by_others[n:]]


def segments(config: Any, f: Any, given: Any, find: Any, order: int, summed: Any = None) -> Iterator[tuple]:
    """What lies between adjacent places of ``a, b, *points``: the indices of two of them, and what `smooth` returns."""
    ordered = between(given[0], given[1], given[2:])
    last = len(ordered) - 2
    summed = summed or partial(summed_on, config, f)
    for k, (i, j) in enumerate(pairwise(ordered)):
        yield (i, j, *smooth(summed, f, given[i], given[j], find, (int(k > 0), -int(k < last)), order))


def listed(config: Any, f: Any, given: Any, find: Any, order: int) -> list[tuple]:
    """All `segments`."""
    return list(segments(config, f, given, find, order))


def smooth(summed: Any, f: Any, a: Any, b: Any, find: Any, rough: Any, order: int) -> Any:
    """On what to sum in place of an integral, and where the integrand is too rough for the derivatives asked for.

    Args:
        summed: gives the sum, and the values at its points, of limits and intervals; the last call is for what counts.
        rough: on which side of which limit, which is one of the `points`, the integrand need not be smooth.
        order: of the derivatives.

    Returns:
        ``(intervals, total, values, rough)``: intervals on which the sum is the integral, the sum, the values at its
        points, and places, if there are any that are too rough, for which the others do not count.

    Raises:
        NotImplementedDerivative: no sum is the integral, so that its derivative would not be right either.
    """
    found, y, error = find(a, b)
    if not size_of(y) < np.inf:
        raise NotImplementedDerivative("the integral is not finite, and so has no derivative")
    kind, intervals = kind_of(a, b), np.asarray(found, float)
    total, values = summed(a, b, intervals)
    scale = size_of(values)
    at = lambda t: f(place(kind, a, b, t))
    ends = [t for t, side in zip(ENDS[kind], rough, strict=True) if side and order > 1]
    if any(roughness(at, t, 1 / 8, scale, 1 if t == 0.0 else -1).power < np.inf for t in ends):
        intervals = graded(intervals, 30)
        total, values = summed(a, b, intervals)
    edges = unit(intervals, kind, a, b)
    bends: list[Rough] = []
    halves = [edges[:, 0] < 0, edges[:, 0] >= 0] if kind == "both" else [np.ones(len(edges), bool)]
    for half in [half for half in halves if np.count_nonzero(half) > 1]:
        bends += rough_places(at, sorted({*edges[half].ravel().tolist()}), scale, order > 1)
        bends += jumps_between(at, edges[half], np.asarray(values)[np.repeat(half, len(POINTS))], scale)
    if kind == "both":
        bends += [roughness(at, 0.0, 1 / 16, scale)]
    too_rough = [bend for bend in bends if bend.power < order - 0.25]
    if too_rough:
        return intervals, total, values, too_rough
    parted = [bend.place for bend in bends if bend.power < order + 0.75]
    if parted:
        intervals = divided(intervals, parted if kind != "finite" else [place(kind, a, b, t) for t in parted])
        total, values = summed(a, b, intervals)
    bound = 100 * error + 1e-7 * size_of(y) + 1e-12
    if size_of(total - y) > bound:  # QUADPACK extrapolates at singular ends
        intervals = graded(intervals)
        total, values = summed(a, b, intervals)
    if size_of(total - y) > bound:  # or it stops too early at a bend
        intervals = bisected(lambda each: summed(a, b, each)[0], np.asarray(found, float), 1e-3 * bound)
        total, values = summed(a, b, intervals)
        bound = 1e-6 * size_of(y)
    if size_of(total - y) > bound:
        raise NotImplementedDerivative(
            "the integrand is singular, so that its derivative cannot be integrated by Gauss's formula; substitute a "
            "variable in which it is smooth"
        )
    return intervals, total, values, []


def still(f: Any, close: Any, a: Any, b: Any, rough: list[Rough], values: Any) -> list[float]:
    """The rough places between two limits, none of which moves with anything that the integrand depends on.

    Args:
        close: the integrand with values close by; None if they are not known.

    Raises:
        NotImplementedDerivative: one of them moves, or may do so.
    """
    kind, scale = kind_of(a, b), size_of(values)
    at = lambda t: f(place(kind, a, b, t))
    found = []
    for one in rough:
        x = place(kind, a, b, exact(at, one))
        near = [end for end in (a, b) if abs(x - end) < 1e-9 * (1 + abs(x))]
        if near or close is None or not stays(at, lambda t: close(place(kind, a, b, t)), one, scale):
            raise NotImplementedDerivative(
                f"the integrand is not smooth near {x:.6g}, and its integral has a derivative from there if that place "
                "moves: give it in points=[...], as what it depends on, or make it a limit of two integrals"
            )
        found.append(float(x))
    return found


def size_of(values: Any) -> float:
    """The largest of all values of an integrand; NaN if one is."""
    if isinstance(values, float):
        return abs(values)
    return float(np.max(np.abs(values), initial=0.0))


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
