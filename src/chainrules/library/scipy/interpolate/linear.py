"""`interp1d`, linear and on a line, which users call in loops: made as SciPy makes it, and evaluated by `numpy.interp`.

Everything else that the class can do is followed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import interpolate as si  # type: ignore[import-untyped]

from ....programs import program
from ..naming import itself
from ..objects import take_state

whole_init, whole_call = itself(si.interp1d.__init__), itself(si.interp1d.__call__)


def is_line(x: Any) -> bool:
    return type(x) is np.ndarray and x.dtype == float and x.ndim == 1


def order_of(x: Any) -> Any:
    """That in which points ascend; None where they do."""
    return None if np.all(x[1:] >= x[:-1]) else np.argsort(x, kind="mergesort")


def lie_within(x: Any, points: Any) -> bool:
    """Whether all points lie between the first and the last of `x`."""
    return bool(points.size and points.min() >= x[0] and points.max() <= x[-1])


@program(si.interp1d.__init__)
def interp1d_init(
    config: Any, self: Any, x: Any, y: Any, kind: Any = "linear", axis: Any = -1, copy: Any = True,
    bounds_error: Any = None, fill_value: Any = np.nan, assume_sorted: Any = False,
) -> None:  # fmt: skip
    is_plain = type(kind) is str and kind == "linear" and type(fill_value) in (str, float, int)
    if not (is_plain and copy is True and type(axis) is int and is_line(x) and is_line(y)):
        return whole_init(self, x, y, kind, axis, copy, bounds_error, fill_value, assume_sorted)
    take_state(config, self, si.interp1d, x, y, kind, axis, copy, bounds_error, fill_value, assume_sorted)
    order = None if assume_sorted else config.plainly(order_of, x)
    self.x = x.copy() if order is None else x[order]
    self.y = y.copy() if order is None else y[order]
    self._y = np.reshape(self.y, (-1, 1))
    return None


@program(si.interp1d.__call__)
def interp1d_call(config: Any, self: Any, x: Any) -> Any:
    if type(self) is si.interp1d and self._kind == "linear" and is_line(x) and is_line(self.y):
        if not self._extrapolate and config.plainly(lie_within, self.x, x):
            return np.interp(x, self.x, self.y)
    return whole_call(self, x)
