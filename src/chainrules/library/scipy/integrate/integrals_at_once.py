"""Integrals with their first derivatives in one step, see `RuleConfig.at_once`."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from scipy import integrate  # type: ignore[import-untyped]

from ....tangents import NotImplementedDerivative
from .intervals import TIGHT, chosen, converged, intervals_of, segments
from .sums import nodes_of

TOLERANCES = ("epsabs", "epsrel")


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

    def find(low: Any, high: Any) -> Any:  # what a tighter tolerance would find, if it stopped at once, too
        is_found = found[2]["last"] == 1 and len(given) == 2 and found[1] <= max(1e-13, 1e-12 * abs(found[0]))
        return intervals_of(found, low, high) if is_found and a < b else chosen(f, TIGHT, low, high)

    jacobians = derived(f, ways.slopes, given, find, len(args))
    return None if jacobians is None else ((found[0], found[1:]), jacobians)


def double_at_once(config: Any, func: Any, ways: Any, args: Any, given: Any, *tolerances: Any) -> Any:
    """The same for an integral of integrals.

    Args:
        given: the limits of the outer integral, then those of the inner ones: numbers, or functions of its variable.
    """
    a, b, *limits = given
    functions = [g for g in limits if callable(g)]
    if len(ways.others) < len(functions) or not all(way.reach(1, many=True) for way in (ways, *ways.others)):
        return None
    ends = [g if callable(g) else lambda x, g=g: g for g in limits]
    f = lambda x: integrate.quad(func, ends[0](x), ends[1](x), (x, *args), 0, *tolerances)[0]
    found = converged(f, a, b, None, *tolerances, 50)

    def slopes(xs: list) -> Any:
        of_functions = iter(ways.others)
        moved = [next(of_functions).slopes(xs)[1] if callable(g) else None for g in limits]
        inner = [
            integral_at_once(
                config, func, ways.beside(x), (x, *args), (ends[0](x), ends[1](x)), None, *tolerances, 50
            ) for x in xs
        ]  # fmt: skip
        if any(one is None for one in inner):
            raise NotImplementedDerivative("the integrand is not smooth")
        bars = [np.array(bars) for bars in zip(*[one[1] for one in inner], strict=True)]
        n = len(args) + 1
        by_place, by_limits = bars[0], []
        for bar, own in zip(bars[n : n + 2], moved, strict=True):
            if own is None:
                by_limits.append(bar)
                continue
            by_place = by_place + bar * own[0]
            by_limits += [scaled(bar, by_other) for by_other in own[1:]]
        return np.array([one[0][0] for one in inner]), [by_place, *bars[1:n], *by_limits, *bars[n + 2 :]]

    find = partial(chosen, f, dict(zip(TOLERANCES, tolerances, strict=True)))
    jacobians = derived(f, slopes, (a, b), find, len(args))
    return None if jacobians is None else ((found[0], found[1:]), jacobians)


def scaled(factors: Any, rows: Any) -> Any:
    """Each of some numbers or arrays times a number of its own."""
    return factors.reshape(-1, *[1] * (rows.ndim - 1)) * rows


def derived(f: Any, slopes: Any, given: Any, find: Any, n: int) -> list | None:
    """The derivatives of an integral by `n` arguments of the integrand, by what is `given`, and by all else.

    None where the integrand is too rough.

    Args:
        slopes: gives the values at many places, and the derivatives there: by the place, the arguments, and all else.
        given: the limits, and the points between them.
    """
    a, b = given[:2]
    by_given = [0.0] * len(given)
    by_others: list = []
    taken: Any = None  # the last sum that was taken

    def summed(a: Any, b: Any, intervals: Any) -> tuple[Any, list]:
        nonlocal taken
        nodes = nodes_of(intervals, a, b)
        values, bars = slopes(nodes.x.tolist())
        taken = nodes, bars
        return float(np.dot(nodes.w, values)), values

    for i, j, _, _, values, rough in segments(f, given, find, 1, summed):
        if rough:
            return None
        nodes, (by_place, *others) = taken
        sign = -1.0 if b < a else 1.0
        more = [sign * nodes.summed(bars) for bars in others]
        by_others = [old + new for old, new in zip(by_others, more, strict=True)] if by_others else more
        for k, (by_x, by_w) in zip((i, j), nodes.by_limits, strict=True):
            by_given[k] += sign * (np.dot(nodes.w * by_place, by_x) + np.dot(values, by_w))
    return [*by_others[:n], *by_given, *by_others[n:]]
