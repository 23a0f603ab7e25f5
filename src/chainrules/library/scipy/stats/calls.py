"""Calls of distributions: where shapes, ``loc`` and ``scale`` stand, by position or by name."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from scipy import stats as st  # type: ignore[import-untyped]

from ....tangents import NotImplementedDerivative, NotImplementedTangent, Thunk
from ...numpy.shared import as_array


def parameter_names(dist: Any) -> tuple[str, ...]:
    """The names of shapes, location and scale, in the order in which they are given by position.

    >>> parameter_names(st.gamma), parameter_names(st.poisson)
    (('a', 'loc', 'scale'), ('mu', 'loc'))
    """
    ends = ("loc", "scale") if isinstance(dist, st.rv_continuous) else ("loc",)
    return (*dist.shapes.split(", "), *ends) if dist.shapes else ends


def signature_of(point: str | None) -> Callable[..., inspect.Signature]:
    """`chainrules.Rule.signature` of a method whose first argument is called ``point``, or that has none."""

    def signature(dist: Any, *_: Any) -> inspect.Signature:
        return _signature(parameter_names(dist), point)

    return signature


@cache
def _signature(names: tuple[str, ...], point: str | None) -> inspect.Signature:
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter(name, kind) for name in ("self", point, *names) if name is not None]
    defaults = {"loc": 0, "scale": 1}
    return inspect.Signature([p.replace(default=defaults.get(p.name, p.empty)) for p in parameters])


def parameters_of(dist: Any, args: tuple[Any, ...], kwds: dict[str, Any]) -> tuple[list[Any], Any, Any]:
    """Shapes, location and scale of a call that SciPy has taken, as NumPy has them; the scale is 1 without one."""
    names = parameter_names(dist)
    given = [*args, *[kwds.get(name, 1.0 if name == "scale" else 0.0) for name in names[len(args) :]]]
    *shapes, loc, scale = [as_numbers(v) for v in given] + ([] if names[-1] == "scale" else [1.0])
    return shapes, loc, scale


def as_numbers(x: Any) -> Any:
    """``x`` as NumPy computes with it: a number of its own, or an array."""
    return np.float64(x) if type(x) is float or type(x) is int else x if type(x) is np.float64 else as_array(x)


def all_within(y: Any, low: float, high: float) -> bool:
    """Whether all numbers lie between two bounds, and none on a bound."""
    if type(y) is not np.ndarray:
        return bool(low < y < high)
    if low == -np.inf and high == np.inf:
        return bool(np.vdot(y, y) < np.inf)  # infinite by an overflow, too, and then the answer is a careful no
    return bool(y.size and low < y.min() and y.max() < high)


def alive(dead: Any, y: Any, z: Any, g: Any, inside: Any) -> tuple[Any, Any]:
    """Points and cotangents for formulas that hold inside the support: 0 comes back from outside, NaN for NaN.

    Args:
        dead: where nothing depends on anything; ``None`` for nowhere.
        y: the value, NaN where the parameters are invalid.
        z: the standardised points.
        g: the cotangent of the value.
        inside: a point at which the formulas are finite.
    """
    if dead is not None and dead.any():
        z, g = np.where(dead, inside, z), np.where(dead, 0.0, g)
    invalid = y != y
    return z, np.where(invalid, np.nan, g) if invalid.any() else g


def later(part: Callable[..., Any], *args: Any) -> Any:
    """``part(*args)``, a cotangent that is worked out when it is needed, and says so where a formula is missing."""
    return Thunk(_quietly, part, args)


def _quietly(part: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    with np.errstate(all="ignore"):
        try:
            return part(*args)
        except NotImplementedDerivative as missing:
            return NotImplementedTangent(str(missing))
