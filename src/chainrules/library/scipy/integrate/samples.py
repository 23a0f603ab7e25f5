"""Integrals of samples that users call in loops, without what SciPy does to find the library of the arrays."""

from __future__ import annotations

from functools import partial
from types import FunctionType
from typing import Any

import numpy as np
from scipy import integrate  # type: ignore[import-untyped]

from ....programs import program
from ....rules import rrule
from ...numpy.differences import trapezoid_rule
from ...numpy.shared import leading


def itself(f: Any) -> Any:
    """A function that is the same, and has no program."""
    copy = FunctionType(f.__code__, f.__globals__, f.__name__, f.__defaults__, f.__closure__)
    copy.__kwdefaults__ = f.__kwdefaults__
    return copy


def fits(y: Any, x: Any, axis: Any) -> bool:
    """Whether these are arrays of doubles, with a point for each sample along an axis."""
    if type(y) is not np.ndarray or y.dtype != float or type(axis) is not int or not -y.ndim <= axis < y.ndim:
        return False
    if y.size == 0 or x is None:
        return y.size > 0
    return type(x) is np.ndarray and x.dtype == float and x.shape in ((y.shape[axis],), y.shape)


def trapezoids(f: Any, short: Any) -> None:
    """Declare the program of a trapezoidal rule, whose `short` form is for arrays that fit."""
    whole = itself(f)

    @program(f)
    def trapezoidal(config: Any, y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1, *rest: Any, **named: Any) -> Any:
        if fits(y, x, axis) and not rest and not named:
            return short(y, x, dx, axis)
        return whole(y, x, dx, axis, *rest, **named)


def cumulated(y: Any, x: Any, dx: Any, axis: int) -> Any:
    if x is not None:
        dx = np.diff(x) if x.ndim == 1 else np.diff(x, axis=axis)
        dx = np.reshape(dx, [-1 if k == axis % y.ndim else 1 for k in range(y.ndim)]) if x.ndim == 1 else dx
    before = (slice(None),) * (axis % y.ndim)
    return np.cumsum(dx * (y[(*before, slice(1, None))] + y[(*before, slice(None, -1))]) / 2.0, axis=axis)


@rrule(integrate.trapezoid)
@partial(leading, active=3)
def integral_rule(y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1, *rest: Any) -> Any:
    """As `numpy.trapezoid`; for everything else there is the program."""
    return trapezoid_rule(y, x, dx, axis) if fits(y, x, axis) and not rest else NotImplemented


trapezoids(integrate.trapezoid, np.trapezoid)
trapezoids(integrate.cumulative_trapezoid, cumulated)
