"""Joining arrays: each gets its piece of the seed.

The arrays stand in a tuple, their cotangents and tangents in tuples of the same length, with ``None`` where none is
wanted. Tuples of different types are taken apart one by one, at compile time.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload, register_jitable

from morula.static.numba.array_rules.registry import array_rule
from morula.static.numba.array_rules.shared import like


def add_piece(bar: Any, x: Any, piece: Any) -> None:
    """Add a piece of a seed to the cotangent of ``x``, unless it is ``None``."""
    if bar is not None:
        bar += like(x, piece)


@overload(add_piece, strict=False)
def _add_piece(bar: Any, x: Any, piece: Any) -> Any:
    if isinstance(bar, types.NoneType):
        return lambda bar, x, piece: None

    def add_here(bar: Any, x: Any, piece: Any) -> None:
        bar += like(x, piece)

    return add_here


def along_first(x: Any, axis: Any) -> Any:
    """A view with ``axis`` in front; a vector, where a matrix was joined, as its column."""
    return None if x is None else np.swapaxes(x, 0, axis)


@overload(along_first, strict=False)
def _along_first(x: Any, axis: Any) -> Any:
    if isinstance(x, types.NoneType):
        return lambda x, axis: None
    if x.ndim == 1:
        return lambda x, axis: x
    return lambda x, axis: np.swapaxes(x, 0, axis)


def cut(seeds: Any, start: Any, axis: Any, arrays: Any, bars: Any) -> None:
    """Each array's piece of ``seeds``, whose first axis is the one along which they were joined."""
    for x, bar in zip(arrays, bars, strict=True):
        n = x.shape[axis]
        add_piece(along_first(bar, axis), x, seeds[start : start + n])
        start += n


@overload(cut, strict=False)
def _cut(seeds: Any, start: Any, axis: Any, arrays: Any, bars: Any) -> Any:
    if len(arrays) == 0 or isinstance(bars, types.NoneType):
        return lambda seeds, start, axis, arrays, bars: None

    def cut_first(seeds: Any, start: Any, axis: Any, arrays: Any, bars: Any) -> None:
        n = arrays[0].shape[axis]
        add_piece(along_first(bars[0], axis), arrays[0], seeds[start : start + n])
        cut(seeds, start + n, axis, arrays[1:], bars[1:])

    return cut_first


def layers(seeds: Any, i: Any, arrays: Any, bars: Any) -> None:
    """Each array's layer of ``seeds``, whose first axis is the one along which they were stacked."""
    for k in range(len(arrays)):
        add_piece(bars[k], arrays[k], seeds[i + k])


@overload(layers, strict=False)
def _layers(seeds: Any, i: Any, arrays: Any, bars: Any) -> Any:
    if len(arrays) == 0:
        return lambda seeds, i, arrays, bars: None

    def first_layer(seeds: Any, i: Any, arrays: Any, bars: Any) -> None:
        add_piece(bars[0], arrays[0], seeds[i])
        layers(seeds, i + 1, arrays[1:], bars[1:])

    return first_layer


@array_rule(np.concatenate, linear=True, axis=0)
def concatenate_adjoint(y: Any, y_bar: Any, arrays: Any, axis: Any, arrays_bar: Any) -> None:
    """The pieces of the seed."""
    cut(along_first(y_bar, axis), 0, axis, arrays, arrays_bar)


@array_rule(np.stack, linear=True, axis=0)
def stack_adjoint(y: Any, y_bar: Any, arrays: Any, axis: Any, arrays_bar: Any) -> None:
    """The layers of the seed."""
    layers(np.moveaxis(y_bar, axis, 0), 0, arrays, arrays_bar)


@array_rule(np.hstack, linear=True)
def hstack_adjoint(y: Any, y_bar: Any, tup: Any, tup_bar: Any) -> None:
    """The pieces of the seed."""
    axis = 0 if y_bar.ndim == 1 else 1
    cut(along_first(y_bar, axis), 0, axis, tup, tup_bar)


@array_rule(np.vstack, linear=True)
def vstack_adjoint(y: Any, y_bar: Any, tup: Any, tup_bar: Any) -> None:
    """The pieces of the seed; of vectors its rows."""
    if tup[0].ndim == 1:
        layers(y_bar, 0, tup, tup_bar)
    else:
        cut(y_bar, 0, 0, tup, tup_bar)


@array_rule(np.dstack, linear=True)
def dstack_adjoint(y: Any, y_bar: Any, tup: Any, tup_bar: Any) -> None:
    """The pieces of the seed along its third axis."""
    if tup[0].ndim == 1:
        layers(np.swapaxes(y_bar[0], 0, 1), 0, tup, tup_bar)
    elif tup[0].ndim == 2:
        layers(np.moveaxis(y_bar, 2, 0), 0, tup, tup_bar)
    else:
        cut(along_first(y_bar, 2), 0, 2, tup, tup_bar)


@register_jitable
def as_columns(x: Any) -> Any:
    """A vector as a matrix of one column; a matrix itself."""
    if x.ndim == 1:
        return np.expand_dims(x, 1)
    return x


def column_pieces(y_bar: Any, start: Any, arrays: Any, bars: Any) -> None:
    """Each array's columns of the seed."""
    for x, bar in zip(arrays, bars, strict=True):
        n = as_columns(x).shape[1]
        add_piece(None if bar is None else as_columns(bar), x, y_bar[:, start : start + n])
        start += n


@overload(column_pieces, strict=False)
def _column_pieces(y_bar: Any, start: Any, arrays: Any, bars: Any) -> Any:
    if len(arrays) == 0:
        return lambda y_bar, start, arrays, bars: None
    if isinstance(bars[0], types.NoneType):

        def pass_over(y_bar: Any, start: Any, arrays: Any, bars: Any) -> None:
            column_pieces(y_bar, start + as_columns(arrays[0]).shape[1], arrays[1:], bars[1:])

        return pass_over

    def first_columns(y_bar: Any, start: Any, arrays: Any, bars: Any) -> None:
        n = as_columns(arrays[0]).shape[1]
        add_piece(as_columns(bars[0]), arrays[0], y_bar[:, start : start + n])
        column_pieces(y_bar, start + n, arrays[1:], bars[1:])

    return first_columns


@array_rule(np.column_stack, linear=True)
def column_stack_adjoint(y: Any, y_bar: Any, tup: Any, tup_bar: Any) -> None:
    """The columns of the seed."""
    column_pieces(y_bar, 0, tup, tup_bar)
