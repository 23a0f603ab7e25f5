"""Filters that call a Python function for every element, or every line: here from a loop that engines follow."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import LowLevelCallable  # type: ignore[import-untyped]
from scipy import ndimage as nd

from ....programs import program
from ....tangents import NotImplementedDerivative
from ..boundaries import extended
from .composed import axes_of, each


def refuse_unless_plain(function: Any, output: Any) -> None:
    if isinstance(function, LowLevelCallable):
        raise NotImplementedDerivative("a LowLevelCallable has no derivative; pass a Python function")
    if isinstance(output, np.ndarray):
        raise NotImplementedDerivative("an array for the output is not implemented; use the returned value")


@program(nd.generic_filter)
def generic_filter_program(
    config: Any, input: Any, function: Any, size: Any = None, footprint: Any = None, output: Any = None,
    mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0, extra_arguments: Any = (), extra_keywords: Any = None,
    **named: Any,
) -> Any:  # fmt: skip
    refuse_unless_plain(function, output)
    constant = lambda *_, **__: 0.0
    given = (size, footprint, output, mode, cval, origin, extra_arguments, extra_keywords)
    found = config.plainly(nd.generic_filter, input, constant, *given, **named)  # it raises what is to be raised
    x = np.asarray(input)
    axes = axes_of(named.get("axes"), x.ndim)
    if footprint is None:
        footprint = np.ones([int(n) for n in each(size, len(axes))], bool)
    footprint = np.asarray(footprint, bool)
    modes, origins = each(mode, len(axes)), each(origin, len(axes))
    x = x * 1.0
    for axis, n, how, shift in zip(axes, footprint.shape, modes, origins, strict=True):
        left = n // 2 + shift
        x = extended(x, axis, left, n - 1 - left, how, cval)
    windows = np.lib.stride_tricks.sliding_window_view(x, footprint.shape, axes)
    rows = np.reshape(windows, (found.size, footprint.size))[:, np.flatnonzero(footprint)]
    values = [function(rows[i], *extra_arguments, **(extra_keywords or {})) for i in range(found.size)]
    return np.reshape(np.asarray(values).astype(found.dtype), found.shape)


@program(nd.generic_filter1d)
def generic_filter1d_program(
    config: Any, input: Any, function: Any, filter_size: Any, axis: Any = -1, output: Any = None,
    mode: Any = "reflect", cval: Any = 0.0, origin: Any = 0, extra_arguments: Any = (), extra_keywords: Any = None,
) -> Any:  # fmt: skip
    refuse_unless_plain(function, output)
    nothing = lambda *_, **__: None
    given = (filter_size, axis, output, mode, cval, origin, extra_arguments, extra_keywords)
    found = config.plainly(nd.generic_filter1d, input, nothing, *given)  # it raises what is to be raised
    x = np.asarray(input) * 1.0
    axis, left = axis % x.ndim, filter_size // 2 + origin
    x = np.moveaxis(extended(x, axis, left, filter_size - 1 - left, mode, cval), axis, -1)
    n, lines = found.shape[axis], np.reshape(x, (-1, x.shape[-1]))
    filtered = np.zeros((len(lines), n))
    for i in range(len(lines)):
        function(lines[i], filtered[i], *extra_arguments, **(extra_keywords or {}))
    y = np.reshape(filtered, (*x.shape[:-1], n))
    return np.moveaxis(y, -1, axis).astype(found.dtype)
