"""Values of continuous distributions, straight from the methods that make them one: ``_logpdf``, ``_cdf`` ...

SciPy's public methods find out where each point lies, and gather those at which the formula holds; for arrays of 1,000
that takes longer than most formulas, for a number ten times as long. Where all points lie inside, and all parameters
are good, nothing is to be gathered: the formula's values are the method's, to the last bit. Everything else is left to
the public method.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from scipy import stats as st  # type: ignore[import-untyped]

from .calls import all_within, parameter_names

ndarray = np.ndarray
_NUMBERS = frozenset({float, int, np.float64})
_QUANTILES = ("ppf", "isf")
_proven: dict[tuple[type, str], bool] = {}  # whether the first value of a method was the public one


def value_of(name: str) -> Callable[..., Any]:
    """The method ``name`` as a function of the distribution and the arguments of the method."""
    method = getattr(st.rv_continuous, name)

    def value(dist: Any, x: Any, *args: Any, **kwds: Any) -> Any:
        key = type(dist), name
        proven = _proven.get(key)
        if proven is False:
            return method(dist, x, *args, **kwds)
        y = _inside(dist, name, x, args, kwds)
        if y is None:
            return method(dist, x, *args, **kwds)
        if proven is None:
            public = method(dist, x, *args, **kwds)
            _proven[key] = type(public) is type(y) and np.array_equal(public, y)
            return public
        return y

    value.__name__ = value.__qualname__ = f"{name}_value"
    value.__doc__ = f"``dist.{name}(x, *args, **kwds)``."
    return value


def _inside(dist: Any, name: str, x: Any, args: tuple[Any, ...], kwds: dict[str, Any]) -> Any:
    """The value where all points lie inside the support, and the shapes are numbers that are allowed."""
    if kwds:
        left = dict(kwds)
        defaults = {"loc": 0.0, "scale": 1.0}
        args = (*args, *[left.pop(n, defaults.get(n)) for n in parameter_names(dist)[len(args) :]])
        if left:
            return None
    n = dist.numargs
    if not n <= len(args) <= n + 2:
        return None
    shapes = args[:n]
    loc = args[n] if len(args) > n else 0.0
    scale = args[n + 1] if len(args) > n + 1 else 1.0
    if not (_NUMBERS.issuperset(map(type, shapes)) and all(map(_is_double, (x, loc, scale)))):
        return None
    ends = _ends(dist, shapes)
    if ends is None or not (scale.size and scale.min() > 0 if type(scale) is ndarray else scale > 0):
        return None
    if name in _QUANTILES:
        if type(loc) is ndarray or type(scale) is ndarray:
            return None
        z, low, high = x, 0.0, 1.0
    else:
        z, (low, high) = (x - loc) / scale, ends
    flat = z.reshape(-1) if type(z) is ndarray else np.array([z])
    if not all_within(flat, low, high):
        return None
    y = getattr(dist, "_" + name)(flat, *[np.full(flat.shape, a) for a in shapes])
    if type(y) is not ndarray or y.shape != flat.shape or y.dtype != np.float64:
        return None
    if type(z) is not ndarray:
        y = y[0]
    elif z.ndim != 1:
        y = y.reshape(z.shape)
    if name == "pdf":
        y = y / scale
    elif name == "logpdf":
        y = y - np.log(scale)
    elif name in _QUANTILES:
        y = y * scale + loc
    if not y.ndim:
        return y[()]
    return y if y.base is None and y is not x else y.copy()


def _is_double(x: Any) -> bool:
    return type(x) in _NUMBERS or (type(x) is ndarray and x.dtype == np.float64)


@lru_cache(512)
def _ends(dist: Any, shapes: tuple[float, ...]) -> tuple[float, float] | None:
    """The support for these shapes; None where they are not allowed."""
    arrays = [np.asarray(a) for a in shapes]
    if not np.all(dist._argcheck(*arrays)):
        return None
    low, high = dist._get_support(*arrays)
    return float(low), float(high)


VALUES = {name: value_of(name) for name in "logpdf pdf cdf logcdf sf logsf ppf isf".split()}
