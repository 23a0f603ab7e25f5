"""The functions ``1F1`` and ``2F1`` by their parameters, for real arguments: the derivatives of their series.

From one term to the next, ``t_(k+1) = t_k r_k`` with ``r_k = prod(a + k) / prod(b + k) z / (k + 1)``, so that the
derivative with respect to a parameter follows ``d_(k+1) = d_k r_k + t_k dr_k``, also where a parameter is no more than
an integer that ends the series. Where terms of both signs cancel, the transformations of Kummer and Pfaff give another
series. Of the two the one is taken whose rounding errors are the smaller ones, and neither where these are too large.

Source: NIST Digital Library of Mathematical Functions, 13.2.2, 13.2.39, 15.2.1, 15.8.1.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
from scipy import special as sp  # type: ignore[import-untyped]

from ....declarations import unsupported
from ....scalar import scalar_rule
from ....tangents import NotImplementedDerivative
from .shared import by_elements

TERMS = 5000
CLOSE = 0.99  # to the edge of the disc in which the series of 2F1 converges
PRECISION = 1e-9  # beside the function or its derivative, whichever is larger


def summed(upper: list[Any], lower: list[Any], z: Any, by: tuple[int, ...]) -> tuple[Any, Any, Any]:
    """The derivative of a series by parameters, the series itself, and the size of the errors of the derivative.

    Args:
        upper, lower: parameters.
        z: arguments.
        by: the numbers of at most two parameters, of `upper` and then `lower`.
    """
    n = len(upper)
    t = np.ones_like(z)
    y, moved, sums = t.copy(), [np.zeros_like(z) for _ in range(3)], [np.zeros_like(z) for _ in range(3)]
    largest = t.copy()
    risen = max([float(np.max(-b, initial=0.0, where=np.isfinite(b))) for b in lower])  # terms may grow up to here
    i, j = (*by, 0, 0)[:2]
    small: Any = False
    for k in range(TERMS):
        tops, bottoms = [a + k for a in upper], [b + k for b in lower]
        step = z / ((k + 1) * prod(bottoms))
        without = lambda gone, tops=tops, step=step: prod([a for m, a in enumerate(tops) if m not in gone]) * step
        r = without(())
        first = [without((m,)) if m < n else -r / bottoms[m - n] for m in (i, j)][: len(by)]
        d, e, both = moved
        if len(by) == 2:
            if i < n and j < n:
                second = 0.0 if i == j else without((i, j))
            elif i >= n and j >= n:
                second = r * (1 + (i == j)) / (bottoms[i - n] * bottoms[j - n])
            else:
                second = -first[i >= n] / bottoms[max(i, j) - n]
            both = both * r + d * first[1] + e * first[0] + t * second
            e = e * r + t * first[1]
        if by:
            d = d * r + t * first[0]
        t, moved = t * r, [d, e, both]
        y, sums = y + t, [total + more for total, more in zip(sums, moved, strict=True)]
        size = np.maximum.reduce([np.abs(x) for x in (t, *moved)])
        largest = np.maximum(largest, size)
        small = ~(size > 1e-18 * largest)
        if k % 8 == 7 and k > risen and np.all(small):
            break
    error = np.where(small & (risen < TERMS), 1e-15 * largest, np.inf)
    return (y, sums[0], sums[2])[len(by)], y, error


# A derivative with respect to a parameter in terms of another function: sums of factors times derivatives with respect
# to the parameters of that one.
Terms = list[tuple[Any, tuple[int, ...]]]


def derived(ways: list[Terms], upper: list[Any], lower: list[Any], w: Any, factor: Any) -> tuple[Any, Any, Any]:
    """As `summed`, of ``factor`` times another function, derived in these ways, one after the other."""
    terms: Terms = [(1.0, ())]
    for way in ways:
        terms = [(c * more, by + next_by) for c, by in terms for more, next_by in way]
    found: Any = 0.0
    error: Any = 0.0
    y: Any = 0.0
    for c, by in terms:
        part, y, lost = summed(upper, lower, w, by)
        found, error = found + c * part, error + np.abs(c) * lost
    return factor * found, factor * y, np.abs(factor) * error


def chosen(name: str, given: list[Any], *ways: tuple[Any, Any, Any]) -> Any:
    """Of several the one with the smallest errors.

    Raises:
        NotImplementedDerivative: none of them is precise enough.
    """
    found, y, error = ways[0]
    for other, other_y, other_error in ways[1:]:
        better = ~(other_error >= error)
        found, y, error = (
            np.where(better, new, old) for new, old in ((other, found), (other_y, y), (other_error, error))
        )
    scale = np.maximum(np.abs(found), np.abs(y))
    lost = ~(np.isfinite(found) & (error <= PRECISION * scale)) & np.all(np.isfinite(given), axis=0)
    if np.any(lost):
        raise NotImplementedDerivative(
            f"the derivative of scipy.special.{name} with respect to its parameters is implemented where its series "
            f"keeps its digits, unlike at {', '.join(f'{x[lost][0]:.6g}' for x in given)}"
        )
    return found


def kummer(*by: int) -> Callable[[Any, Any, Any], Any]:
    def slope(a: Any, b: Any, z: Any) -> Any:
        ways: list[Terms] = [[(-1.0, (0,))], [(1.0, (0,)), (1.0, (1,))]]
        turned = derived([ways[i] for i in by], [b - a], [b], -z, np.exp(z))
        return chosen("hyp1f1", [a, b, z], summed([a], [b], z, by), turned)

    return slope


def gauss(*by: int) -> Callable[[Any, Any, Any, Any], Any]:
    def slope(a: Any, b: Any, c: Any, z: Any) -> Any:
        base, w = 1.0 - z, z / (z - 1.0)
        near, turned_near = np.abs(z) <= CLOSE, np.abs(w) <= CLOSE
        ways: list[Terms] = [[(-np.log(base), ()), (1.0, (0,))], [(-1.0, (1,))], [(1.0, (1,)), (1.0, (2,))]]
        inside = np.where(turned_near, w, 0.0)
        turned = derived([ways[i] for i in by], [a, c - b], [c], inside, base**-a)
        direct = summed([a, b], [c], np.where(near, z, 0.0), by)
        return chosen("hyp2f1", [a, b, c, z], within(near, direct), within(turned_near, turned))

    return slope


def within(near: Any, found: tuple[Any, Any, Any]) -> tuple[Any, Any, Any]:
    """The same, with infinite errors where the series does not converge."""
    return found[0], found[1], np.where(near, found[2], np.inf)


def named(slope: Any, name: str) -> Any:
    """A partial of numbers and arrays that broadcast, under a name."""
    slope.__name__ = name
    return by_elements(slope)


hyp1f1_da, hyp1f1_db = (named(kummer(i), f"hyp1f1_d{x}") for i, x in enumerate("ab"))
hyp2f1_da, hyp2f1_db, hyp2f1_dc = (named(gauss(i), f"hyp2f1_d{x}") for i, x in enumerate("abc"))


def shifted1(f: Any, a: Any, b: Any, z: Any) -> Any:
    """``a/b f(a + 1, b + 1, z)``: the derivative with respect to z."""
    return a / b * f(a + 1.0, b + 1.0, z)


def shifted2(f: Any, a: Any, b: Any, c: Any, z: Any) -> Any:
    """``ab/c f(a + 1, b + 1, c + 1, z)``: the derivative with respect to z."""
    return a * b / c * f(a + 1.0, b + 1.0, c + 1.0, z)


def second(way: Callable[..., Any], name: str, i: int, n: int) -> list[Any]:
    """The partials of the one by the parameter `i` by all `n` parameters."""
    found = []
    for j in range(n):
        f = named(way(*sorted((i, j))), f"{name}_d{'abc'[i]}{'abc'[j]}")
        unsupported(f"is a second derivative of scipy.special.{name}, and those of third order are not implemented", f)
        found.append(lambda y, *args, f=f: f(*args))
    return found


scalar_rule(
    hyp1f1_da,
    *second(kummer, "hyp1f1", 0, 2),
    lambda y, a, b, z: shifted1(hyp1f1_da, a, b, z) + sp.hyp1f1(a + 1.0, b + 1.0, z) / b,
    real=True,
)
scalar_rule(
    hyp1f1_db,
    *second(kummer, "hyp1f1", 1, 2),
    lambda y, a, b, z: shifted1(hyp1f1_db, a, b, z) - a / (b * b) * sp.hyp1f1(a + 1.0, b + 1.0, z),
    real=True,
)
for _f, _i, _factor in (
    (hyp2f1_da, 0, lambda a, b, c: b / c),
    (hyp2f1_db, 1, lambda a, b, c: a / c),
    (hyp2f1_dc, 2, lambda a, b, c: -a * b / (c * c)),
):
    scalar_rule(
        _f,
        *second(gauss, "hyp2f1", _i, 3),
        lambda y, a, b, c, z, f=_f, factor=_factor: (
            shifted2(f, a, b, c, z) + factor(a, b, c) * sp.hyp2f1(a + 1.0, b + 1.0, c + 1.0, z)
        ),
        real=True,
    )
