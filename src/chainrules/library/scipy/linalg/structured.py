"""Matrices made of vectors and blocks, and systems of Toeplitz and banded matrices."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from scipy import linalg as la  # type: ignore[import-untyped]

from ....rules import rrule
from ....tangents import Thunk
from ...numpy.shared import as_array, conj, leading, scatter
from .solving import outer


@rrule(la.block_diag)
def block_diag_rule(*arrs: Any) -> Any:
    """To each block its own part."""
    y = la.block_diag(*arrs)
    shapes = [np.atleast_2d(a).shape for a in arrs]

    def block_diag_pullback(y_bar: Any) -> Any:
        bars, i, j = [], 0, 0
        for a, (m, n) in zip(arrs, [s[-2:] for s in shapes], strict=True):
            part = y_bar[..., i : i + m, j : j + n]
            bars.append(part.reshape(np.shape(a)) if np.ndim(a) < 2 else part)
            i, j = i + m, j + n
        return tuple(bars)

    return y, block_diag_pullback


def _numbers(x: Any, start: int = 0) -> Any:
    return start + np.arange(np.size(x)).reshape(np.shape(x))


def _pair_rule(f: Any, mirrored: bool) -> Any:
    """`scipy.linalg.toeplitz` and `scipy.linalg.hankel`: every element goes to the place that it came from."""

    def rule(c: Any, r: Any = None) -> Any:
        y = f(c, r)
        c = as_array(c)
        n = c.size

        def pullback(y_bar: Any) -> Any:
            if r is None and mirrored:  # r is the conjugate of c
                total = scatter(f(_numbers(c), _numbers(c, n)), y_bar, 2 * n)
                return (total[:n] + conj(total[n:])).reshape(c.shape), None
            if r is None:  # r is zeros, which are no elements of c
                total = scatter(f(_numbers(c), np.full(c.shape, n)), y_bar, n + 1)
                return total[:n].reshape(c.shape), None
            size = n + np.size(r)
            total = scatter(f(_numbers(c), _numbers(r, n)), y_bar, size)
            return total[:n].reshape(c.shape), total[n:].reshape(np.shape(r))

        return y, pullback

    rule.__name__ = f"{f.__name__}_rule"
    return leading(rule, active=2)


rrule(la.toeplitz)(_pair_rule(la.toeplitz, True))
rrule(la.hankel)(_pair_rule(la.hankel, False))


@rrule(la.circulant)
def circulant_rule(c: Any) -> Any:
    """Every element goes to the place that it came from."""
    return la.circulant(c), lambda y_bar: scatter(la.circulant(_numbers(c)), y_bar, np.size(c)).reshape(np.shape(c))


@rrule(la.solve_toeplitz)
@partial(leading, active=2)
def solve_toeplitz_rule(c_or_cr: Any, b: Any, check_finite: bool = True) -> Any:
    """As `scipy.linalg.solve`, along the diagonals."""
    if np.ndim(b) > 2:
        raise NotImplementedError("the rule for scipy.linalg.solve_toeplitz is for one system")
    y = la.solve_toeplitz(c_or_cr, b, check_finite)
    given = isinstance(c_or_cr, tuple)
    c, r = map(as_array, c_or_cr) if given else (as_array(c_or_cr), conj(as_array(c_or_cr)))
    if c.ndim > 1 or r.ndim > 1:
        raise NotImplementedError("the rule for scipy.linalg.solve_toeplitz is for one matrix")

    def b_bar(y_bar: Any) -> Any:
        # the element that is read is the first of c
        bar = la.solve_toeplitz((np.concatenate((conj(c[:1]), conj(r[1:]))), conj(c)), y_bar, check_finite)
        return np.reshape(bar, np.shape(b))  # of no rows SciPy drops the columns

    def bars(y_bar: Any) -> Any:
        n = c.size
        places = la.toeplitz(np.arange(n), n + np.arange(n))
        total = scatter(places, -outer(b_bar(y_bar), np.reshape(y, np.shape(b)), np.ndim(b) == 1), 2 * n)
        return total[:n], total[n:]

    def solve_toeplitz_pullback(y_bar: Any) -> Any:
        if given:
            return (Thunk(lambda: bars(y_bar)[0]), Thunk(lambda: bars(y_bar)[1])), Thunk(b_bar, y_bar)

        def c_bar() -> Any:
            first, second = bars(y_bar)
            return first + conj(second)

        return Thunk(c_bar), Thunk(b_bar, y_bar)

    return y, solve_toeplitz_pullback


@rrule(la.solve_banded)
@partial(leading, active=3)
def solve_banded_rule(
    l_and_u: Any, ab: Any, b: Any, overwrite_ab: bool = False, overwrite_b: bool = False, check_finite: bool = True
) -> Any:
    """As `scipy.linalg.solve`, in the band: ``ab[u + i - j, j]`` is ``a[i, j]``."""
    if np.ndim(b) > 2:
        raise NotImplementedError("the rule for scipy.linalg.solve_banded is for one system")
    low, up = l_and_u
    y = la.solve_banded(l_and_u, ab, b, check_finite=check_finite)
    ab = as_array(ab)
    if ab.ndim > 2:
        raise NotImplementedError("the rule for scipy.linalg.solve_banded is for one matrix")
    k, j = np.indices(ab.shape)
    i = k + j - up  # the row of what stands in the band's row k and column j
    inside = (i >= 0) & (i < ab.shape[1])
    i = np.where(inside, i, 0)

    def b_bar(y_bar: Any) -> Any:
        rows, columns = np.indices(ab.shape)
        # of the conjugate transpose, with the bands exchanged: its element (p, q) is that of (q, p)
        p = rows + columns - low
        there = (p >= 0) & (p < ab.shape[1])
        turned = np.where(there, conj(ab)[up + columns - np.where(there, p, columns), np.where(there, p, 0)], 0.0)
        return la.solve_banded((up, low), turned, y_bar, check_finite=check_finite)

    def ab_bar(y_bar: Any) -> Any:
        left = b_bar(y_bar)
        product = left[i] * conj(y)[j]
        return -np.where(inside, product if product.ndim == 2 else np.sum(product, axis=-1), 0.0)

    return y, lambda y_bar: (None, Thunk(ab_bar, y_bar), Thunk(b_bar, y_bar))


@rrule(la.solveh_banded)
@partial(leading, active=2)
def solveh_banded_rule(
    ab: Any, b: Any, overwrite_ab: bool = False, overwrite_b: bool = False, lower: bool = False,
    check_finite: bool = True,
) -> Any:  # fmt: skip
    """As `solve_banded_rule`, in the half of the band that is read: an element stands for its mirror image too."""
    if np.ndim(b) > 2 or np.ndim(ab) > 2:
        raise NotImplementedError("the rule for scipy.linalg.solveh_banded is for one system")
    y = la.solveh_banded(ab, b, lower=lower, check_finite=check_finite)
    ab = as_array(ab)
    k, j = np.indices(ab.shape)
    i = k + j if lower else k + j - (len(ab) - 1)
    inside = (i >= 0) & (i < ab.shape[1])
    i = np.where(inside, i, 0)

    def b_bar(y_bar: Any) -> Any:
        return la.solveh_banded(ab, y_bar, lower=lower, check_finite=check_finite)

    def ab_bar(y_bar: Any) -> Any:
        left = b_bar(y_bar)
        product = left[i] * conj(y)[j] + y[i] * conj(left)[j]
        product = product if product.ndim == 2 else np.sum(product, axis=-1)
        return -np.where(inside, np.where(i == j, 0.5 * np.real(product), product), 0.0)

    return y, lambda y_bar: (Thunk(ab_bar, y_bar), Thunk(b_bar, y_bar))
