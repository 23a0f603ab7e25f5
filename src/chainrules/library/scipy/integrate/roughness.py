"""Where an integrand is not smooth: a place that moves with a parameter adds to the derivative of the integral.

The derivative under the integral sign misses what comes from a jump that moves, its second derivative what comes from
a bend, and so on. How rough a function is at a place is read from how fast a polynomial comes near to it on windows
that shrink: with the power of the width that is the order of the first derivative that jumps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

__all__ = ["Rough", "exact", "jumps_between", "rough_places", "roughness", "stays"]

WINDOW = np.cos(np.pi * (np.arange(24) + 0.5) / 24)  # where a window is sampled
_BASIS = np.linalg.qr(np.polynomial.chebyshev.chebvander(WINDOW, 10))[0]
_REST = np.eye(24) - _BASIS @ _BASIS.T  # what is left of samples beside the polynomial that is nearest
GAUSS = np.polynomial.legendre.leggauss(20)[0]
_ENDS = np.polynomial.legendre.legvander([-1.0, 1.0], 19) @ np.linalg.inv(np.polynomial.legendre.legvander(GAUSS, 19))
NOISE = 1e-9  # of the largest value
FLOOR = 1e-5  # below which what does not shrink is noise
HALVINGS = 24
MANY = 64


class Rough(NamedTuple):
    """A place where a function is not smooth.

    Attributes:
        power: of the width, with which a polynomial comes near to the function; infinite where it is smooth.
        place: the middle of the last window.
        width: half of it.
    """

    power: float
    place: float
    width: float


def rest(f: Callable, x: float, width: float, scale: float) -> float:
    """How far a function is from a polynomial on ``x - width .. x + width``, in comparison with ``scale``."""
    samples = np.array([np.ravel(f(t)) for t in (x + width * WINDOW).tolist()])
    return float(np.max(np.abs(_REST @ samples), initial=0.0)) / (scale or 1.0)


def roughness(f: Callable, x: float, width: float, scale: float, side: int = 0) -> Rough:
    """How rough a function is where it is roughest.

    Args:
        f: the function, of a number.
        x, width: the middle of the first window, and half its width.
        scale: the size of the values, in comparison with which rounding does not count.
        side: where the windows lie that shrink towards `x`, if it is known: 1 above, -1 below.

    >>> found = roughness(lambda x: abs(x - 0.3), 0.0, 0.5, 1.0)
    >>> round(found.power, 3), round(found.place, 6)
    (1.0, 0.3)
    """
    found = [rest(f, x + side * width, width, scale)]
    while found[-1] > NOISE and len(found) <= HALVINGS:
        width /= 2
        middles = [x + side * width] if side else [x - width, x, x + width]
        tried = [rest(f, middle, width, scale) for middle in middles]
        found.append(max(tried))
        x = x if side else middles[tried.index(found[-1])]
    levels = range(len(found) - 3)
    noisy = [i for i in levels if found[i] < FLOOR and found[i + 3] > found[i] / 2]  # as an integral in the integrand
    found = found[: noisy[0]] if noisy else found
    if len(found) < 3:
        return Rough(np.inf, x, width)
    last = np.log2(np.maximum(found[-7:], 1e-300))
    return Rough(-float(np.polyfit(np.arange(len(last)), last, 1)[0]), float(x), float(width))


def places(edges: Any, inner: bool) -> Iterator[tuple[float, float]]:
    """Middles of the shortest intervals, and inner edges of long ones if asked for, with half the width of a window.

    Args:
        edges: of adjacent intervals, ascending.
        inner: whether edges count.
    """
    edges = [float(x) for x in edges]
    lengths = [high - low for low, high in pairwise(edges)]
    whole = sum(lengths)
    for i, x in enumerate(edges[1:-1]):
        room = min(lengths[i], lengths[i + 1])
        if inner and room > whole / MANY:
            yield x, room / 16
    for i in range(1, len(lengths) - 1):
        if lengths[i] < lengths[i - 1] and lengths[i] <= lengths[i + 1] and lengths[i] <= whole / MANY:
            x = (edges[i] + edges[i + 1]) / 2
            yield x, min(whole / MANY, (x - edges[0]) / 2, (edges[-1] - x) / 2)


def rough_places(f: Callable, edges: Any, scale: float, inner: bool) -> list[Rough]:
    """Where a function is not smooth inside its limits, seen from how its intervals lie; `edges`, `inner`: of `places`.

    >>> [found] = rough_places(lambda x: abs(x - 0.5), np.array([0.0, 0.5, 1.0]), 1.0, True)
    >>> round(found.power, 3), found.place
    (1.0, 0.5)
    """
    found = [roughness(f, x, width, scale) for x, width in places(edges, inner)]
    return [one for one in found if one.power < np.inf]


def jumps_between(f: Callable, intervals: Any, values: Any, scale: float) -> list[Rough]:
    """At which edges of adjacent intervals a function jumps, by its values at Gauss's points of each.

    >>> nodes = np.concatenate([GAUSS / 2 - 0.5, GAUSS / 2 + 0.5])
    >>> [jump] = jumps_between(np.sign, np.array([[-1.0, 0.0], [0.0, 1.0]]), np.sign(nodes).tolist(), 1.0)
    >>> jump.place
    0.0
    """
    order = np.argsort(intervals[:, 0])
    samples = np.reshape(np.asarray(values), (len(intervals), len(GAUSS), -1))[order]
    ends = _ENDS @ samples  # below and above
    sizes = np.abs(ends[1:, 0] - ends[:-1, 1]).max(axis=1, initial=0.0)
    found = []
    for i in np.flatnonzero(sizes > 1e-6 * scale):
        x, lengths = intervals[order[i], 1], np.diff(intervals[order[i : i + 2]], axis=1)
        found.append(roughness(f, x, np.min(lengths) / 16, scale))
    return [one for one in found if one.power < 0.75]


def exact(f: Callable, rough: Rough) -> float:
    """Where it is to the last digit, if `f` jumps there."""
    low, high = rough.place - 2 * rough.width, rough.place + 2 * rough.width
    if rough.power > 0.25:
        return rough.place
    below, above = (np.asarray(f(x)) for x in (low, high))
    while low < (x := (low + high) / 2) < high:
        y = np.asarray(f(x))
        low, high = (x, high) if np.max(np.abs(y - below)) < np.max(np.abs(y - above)) else (low, x)
    return high


def stays(f: Callable, close: Callable, rough: Rough, scale: float) -> bool:
    """Whether a place is the same for a function that differs a little, by `NEARBY` of what it depends on.

    >>> def bent(p, q):
    ...     return lambda x: p * abs(x - q)
    >>> f = bent(1.0, 0.3)
    >>> found = roughness(f, 0.0, 0.5, 1.0)
    >>> stays(f, bent(1.001, 0.3), found, 1.0), stays(f, bent(1.0, 0.301), found, 1.0)
    (True, False)
    """
    width = 4 * rough.width
    if rough.power > 1.75:
        return False  # too weak to be seen in a window that is smaller than what it would have moved
    return rest(close, rough.place, width, scale) > rest(f, rough.place, width, scale) / 2
