"""Largest and smallest: the seed to the first element that has the extreme value."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import register_jitable

from morula.static.numba.array_rules.registry import array_rule


@register_jitable
def first_of(a: Any, y: Any) -> int:
    """The flat position of the first element equal to ``y``; the first NaN where ``y`` is one."""
    k = 0
    for at in np.ndindex(a.shape):
        if a[at] == y or (y != y and a[at] != a[at]):
            break
        k += 1
    return min(k, a.size - 1)  # never outside, whatever fast mathematics makes of a NaN


def extremum_tangent(y: Any, a: Any, a_dot: Any) -> Any:
    """That of the element."""
    return a_dot.flat[first_of(a, y)]


@array_rule(np.max, np.amax, np.min, np.amin, np.nanmax, np.nanmin, tangent=extremum_tangent, reads="y a")
def extremum_adjoint(y: Any, y_bar: Any, a: Any, a_bar: Any) -> None:
    """The seed to the first that equals the value."""
    a_bar.flat[first_of(a, y)] += y_bar


def ptp_tangent(y: Any, a: Any, a_dot: Any) -> Any:
    """That of the first largest, minus that of the first smallest."""
    return a_dot.flat[first_of(a, np.max(a))] - a_dot.flat[first_of(a, np.min(a))]


@array_rule(np.ptp, tangent=ptp_tangent, reads="a")
def ptp_adjoint(y: Any, y_bar: Any, a: Any, a_bar: Any) -> None:
    """The seed to the first largest, minus the seed to the first smallest."""
    a_bar.flat[first_of(a, np.max(a))] += y_bar
    a_bar.flat[first_of(a, np.min(a))] -= y_bar
