"""Sorting and what needs an order: medians, quantiles. Equal elements keep their order."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types
from numba.extending import overload, register_jitable

from morula.static.numba.array_rules.picking import add_cells
from morula.static.numba.array_rules.registry import array_rule
from morula.static.numba.helpers import list_sorted


def flat(x: Any) -> Any:
    """The elements of an array or a number, as a vector."""
    return np.ravel(x)


@overload(flat, strict=False)
def _flat(x: Any) -> Any:
    if isinstance(x, types.Array):
        return lambda x: x.flatten()
    return lambda x: np.full(1, x)


def sort_tangent(y: Any, a: Any, a_dot: Any) -> Any:
    """The tangents in the order of the elements."""
    y_dot = np.empty(a.shape, a.dtype)
    for row in np.ndindex(a.shape[:-1]):
        order = np.argsort(a[row], kind="mergesort")
        for k in range(len(order)):
            y_dot[row][k] = a_dot[row][order[k]]
    return y_dot


@array_rule(np.sort, list_sorted, tangent=sort_tangent, reads="a")
def sort_adjoint(y: Any, y_bar: Any, a: Any, a_bar: Any) -> None:
    """The seed back to where each element came from, along the last axis."""
    for row in np.ndindex(a.shape[:-1]):
        order = np.argsort(a[row], kind="mergesort")
        for k in range(len(order)):
            a_bar[row][order[k]] += y_bar[row][k]


@register_jitable
def first_ones(x: Any, count: int) -> Any:
    """The places of the distinct elements of a vector, in their order: each where it stands first."""
    order = np.argsort(x, kind="mergesort")
    found = np.empty(count, np.intp)
    k = 0
    for i in range(len(order)):
        if i == 0 or x[order[i]] != x[order[i - 1]]:
            found[k] = order[i]
            k += 1
    return found


def unique_tangent(y: Any, ar: Any, ar_dot: Any) -> Any:
    """The tangents of the elements that come first."""
    return ar_dot.flatten()[first_ones(ar.flatten(), len(y))]


@array_rule(np.unique, tangent=unique_tangent, reads="ar")
def unique_adjoint(y: Any, y_bar: Any, ar: Any, ar_bar: Any) -> None:
    """The seed to the first of equal elements."""
    places = first_ones(ar.flatten(), len(y))
    for k in range(len(places)):
        ar_bar.flat[places[k]] += y_bar[k]


def partition_tangent(y: Any, a: Any, kth: Any, a_dot: Any) -> Any:
    """The tangents of the elements of equal rank."""
    y_dot = np.empty(a.shape, a.dtype)
    for row in np.ndindex(a.shape[:-1]):
        order, there = np.argsort(a[row], kind="mergesort"), np.argsort(y[row], kind="mergesort")
        for k in range(len(order)):
            y_dot[row][there[k]] = a_dot[row][order[k]]
    return y_dot


@array_rule(np.partition, tangent=partition_tangent, reads="y a")
def partition_adjoint(y: Any, y_bar: Any, a: Any, kth: Any, a_bar: Any) -> None:
    """As `numpy.sort`, for the order that the partition has: those of equal rank belong together."""
    for row in np.ndindex(a.shape[:-1]):
        order, there = np.argsort(a[row], kind="mergesort"), np.argsort(y[row], kind="mergesort")
        for k in range(len(order)):
            a_bar[row][order[k]] += y_bar[row][there[k]]


@register_jitable
def ordered(a: Any, skip: bool) -> Any:
    """The flat positions of the elements in order, and how many there are; NaNs come last and do not count if
    ``skip``.
    """
    x = a.flatten()
    n = len(x)
    if skip:
        for i in range(len(x)):
            if x[i] != x[i]:
                n -= 1
    return np.argsort(x, kind="mergesort"), n


def _median(f: Callable[..., Any], skip: bool) -> None:
    def median_tangent(y: Any, a: Any, a_dot: Any) -> Any:
        """That of the middle element, or the mean of those of the two middle ones."""
        order, n = ordered(a, skip)
        return 0.5 * (a_dot.flat[order[max(n - 1, 0) // 2]] + a_dot.flat[order[min(n // 2, len(order) - 1)]])

    @array_rule(f, tangent=median_tangent, reads="a")
    def median_adjoint(y: Any, y_bar: Any, a: Any, a_bar: Any) -> None:
        """To the middle element, or half each to the two middle ones."""
        order, n = ordered(a, skip)
        if n:
            a_bar.flat[order[(n - 1) // 2]] += 0.5 * y_bar
            a_bar.flat[order[n // 2]] += 0.5 * y_bar


_median(np.median, False)
_median(np.nanmedian, True)


def _quantile(f: Callable[..., Any], scale: float, skip: bool) -> None:
    def quantile_tangent(y: Any, a: Any, q: Any, a_dot: Any, q_dot: Any) -> Any:
        """Between those of the two neighbours; the level moves along their distance."""
        order, n = ordered(a, skip)
        levels = flat(q)
        y_dot = np.zeros(len(levels))
        for k in range(len(levels)):
            place = levels[k] / scale * (n - 1)
            low = min(int(math.floor(place)), max(n - 2, 0))
            high = min(low + 1, n - 1)
            if a_dot is not None:
                y_dot[k] += (1 - place + low) * a_dot.flat[order[low]] + (place - low) * a_dot.flat[order[high]]
            if q_dot is not None and levels[k] < scale:
                y_dot[k] += (a.flat[order[high]] - a.flat[order[low]]) * (n - 1) / scale * flat(q_dot)[k]
        return shaped(y_dot, y)

    @array_rule(f, tangent=quantile_tangent, reads="a q", numbers="q")
    def quantile_adjoint(y: Any, y_bar: Any, a: Any, q: Any, a_bar: Any, q_bar: Any) -> Any:
        """To the two neighbours, in proportion; their distance, on the right of an element, to the level."""
        order, n = ordered(a, skip)
        levels, seeds = flat(q), flat(y_bar)
        slopes = np.zeros(len(levels))
        if n:
            for k in range(len(levels)):
                place = levels[k] / scale * (n - 1)
                low = min(int(math.floor(place)), max(n - 2, 0))
                high = min(low + 1, n - 1)
                if a_bar is not None:
                    a_bar.flat[order[low]] += (1 - place + low) * seeds[k]
                    a_bar.flat[order[high]] += (place - low) * seeds[k]
                if levels[k] < scale:
                    slopes[k] = (a.flat[order[high]] - a.flat[order[low]]) * (n - 1) / scale * seeds[k]
        return (add_cells(q_bar, q, slopes),)


def shaped(x: Any, y: Any) -> Any:
    """A vector, or its only element where ``y`` is a number."""
    return x.reshape(y.shape) if isinstance(y, np.ndarray) else x[0]


@overload(shaped, strict=False)
def _shaped(x: Any, y: Any) -> Any:
    if isinstance(y, types.Array):
        return lambda x, y: x.reshape(y.shape)
    return lambda x, y: x[0]


_quantile(np.quantile, 1.0, False)
_quantile(np.nanquantile, 1.0, True)
_quantile(np.percentile, 100.0, False)
_quantile(np.nanpercentile, 100.0, True)
