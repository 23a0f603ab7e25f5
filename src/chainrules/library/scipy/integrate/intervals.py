"""On which intervals a sum is an integral, and how smooth the integrand must be for its derivatives to be those."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import integrate  # type: ignore[import-untyped]

from ....tangents import NotImplementedDerivative
from .roughness import Rough, exact, jumps_between, rough_places, roughness, stays
from .sums import POINTS, bisected, divided, graded, kind_of, place, unit

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


def segments(f: Any, given: Any, find: Any, order: int, summed: Callable) -> Iterator[tuple]:
    """What lies between adjacent places of ``a, b, *points``: the indices of two of them, and what `smooth` returns."""
    ordered = between(given[0], given[1], given[2:])
    last = len(ordered) - 2
    for k, (i, j) in enumerate(pairwise(ordered)):
        yield (i, j, *smooth(summed, f, given[i], given[j], find, (int(k > 0), -int(k < last)), order))


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
