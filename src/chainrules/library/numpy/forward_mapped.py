"""Forward rules for functions that call a function: each call with the tangents of its arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...config import RuleConfig, frule_via
from ...rules import frule
from ...tangents import NoTangent, ZeroTangent, is_absent, unthunk
from ..forward import array_dot
from .shared import refuse

_np: Any = np
# As in `mapped`: only engines that do not look into Python themselves need these.
NEEDS = ("forward", "iterators")


def _along(
    config: RuleConfig, f: Callable[..., Any], f_dot: Any, args: Any, dots: Any, found: list[Any], **options: Any
) -> Any:
    y, y_dot = frule_via(config, f, tuple(args), (f_dot, *dots), **options)
    found.append(np.zeros(np.shape(y)) if is_absent(y_dot) else np.asarray(unthunk(y_dot)))
    return y


@frule(np.apply_along_axis, needs=NEEDS)
def apply_along_axis_forward(config: RuleConfig, primals: Any, tangents: Any, **options: Any) -> Any:
    """Row by row."""
    (f, axis, arr, *args), (f_dot, _, arr_dot, *dots) = primals, tangents
    found: list[Any] = []
    rows = iter(np.moveaxis(array_dot(arr, arr_dot), axis, -1).reshape(-1, np.shape(arr)[axis]))

    def called(row: Any, *more: Any, **named: Any) -> Any:
        move = NoTangent() if is_absent(arr_dot) else next(rows)
        return _along(config, f, f_dot, (row, *more), (move, *dots), found, **named)

    y = _np.apply_along_axis(called, axis, arr, *args, **options)
    if is_absent(list(tangents)) or y.dtype.kind not in "fcO":
        return y, ZeroTangent()
    moves = iter(found)
    return y, _np.apply_along_axis(lambda row: next(moves), axis, arr)


@frule(np.apply_over_axes, needs=NEEDS)
def apply_over_axes_forward(config: RuleConfig, primals: Any, tangents: Any) -> Any:
    """One call after the other."""
    (f, a, axes), (f_dot, a_dot, _) = primals, tangents
    found = [a_dot]

    def called(x: Any, axis: Any) -> Any:
        dot = found[-1] if is_absent(found[-1]) else np.reshape(found[-1], np.shape(x))
        return _along(config, f, f_dot, (x, axis), (dot, None), found)

    y = np.apply_over_axes(called, a, axes)
    return y, ZeroTangent() if is_absent([f_dot, a_dot]) else np.reshape(found[-1], np.shape(y))


@frule(np.fromfunction, needs=("forward",))
def fromfunction_forward(config: RuleConfig, primals: Any, tangents: Any, *, dtype: Any = float, **options: Any) -> Any:
    """Through the function, which is called once with the coordinates: constants."""
    refuse("numpy.fromfunction", like=options.pop("like", None))
    function, shape = primals
    grid = tuple(np.indices(shape, dtype=dtype))
    return frule_via(config, function, grid, (tangents[0], *(NoTangent(),) * len(grid)), **options)
