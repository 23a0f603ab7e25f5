"""Functions that pick elements of an array: the seed is added up where each came from.

Where that is, the function says itself, of the numbers of the elements.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload, register_jitable

from morula.static.numba.array_rules.registry import array_rule
from morula.static.numba.array_rules.shared import like


@register_jitable
def numbered(a: Any) -> Any:
    """The flat positions of the elements, in the shape of the array."""
    return np.arange(a.size).reshape(a.shape)


def scatter(a_bar: Any, at: Any, y_bar: Any) -> None:
    """Add numbers to the elements at flat positions."""
    for k in np.ndindex(np.shape(y_bar)):
        a_bar.flat[np.asarray(at)[k]] += np.asarray(y_bar)[k]


@overload(scatter, strict=False)
def _scatter(a_bar: Any, at: Any, y_bar: Any) -> Any:
    if isinstance(at, types.Integer):

        def scatter_one(a_bar: Any, at: Any, y_bar: Any) -> None:
            a_bar.flat[at] += y_bar

        return scatter_one

    def scatter_all(a_bar: Any, at: Any, y_bar: Any) -> None:
        for k in np.ndindex(y_bar.shape):
            a_bar.flat[at[k]] += y_bar[k]

    return scatter_all


@array_rule(np.take, linear=True, axis=None)
def take_adjoint(y: Any, y_bar: Any, a: Any, indices: Any, axis: Any, a_bar: Any) -> None:
    """The seed added up where it was taken from."""
    scatter(a_bar, np.take(numbered(a), indices, axis), y_bar)


@array_rule(np.take_along_axis, linear=True)
def take_along_axis_adjoint(y: Any, y_bar: Any, arr: Any, indices: Any, axis: Any, arr_bar: Any) -> None:
    """The seed added up where it was taken from."""
    scatter(arr_bar, np.take_along_axis(numbered(arr), indices, axis), y_bar)


@array_rule(np.repeat, linear=True)
def repeat_adjoint(y: Any, y_bar: Any, a: Any, repeats: Any, a_bar: Any) -> None:
    """The sum over the copies."""
    scatter(a_bar, np.repeat(numbered(a), repeats), y_bar)


@array_rule(np.roll, linear=True)
def roll_adjoint(y: Any, y_bar: Any, a: Any, shift: Any, a_bar: Any) -> None:
    """The other way."""
    a_bar += np.roll(y_bar, -shift)


@array_rule(np.resize, linear=True)
def resize_adjoint(y: Any, y_bar: Any, a: Any, new_shape: Any, a_bar: Any) -> None:
    """The sum over the copies."""
    if a.size:
        k = 0
        for at in np.ndindex(y_bar.shape):
            a_bar.flat[k % a.size] += y_bar[at]
            k += 1


@array_rule(np.delete, linear=True)
def delete_adjoint(y: Any, y_bar: Any, arr: Any, obj: Any, arr_bar: Any) -> None:
    """The seed where it was kept."""
    scatter(arr_bar, np.delete(numbered(arr), obj), y_bar)


@array_rule(np.extract, linear=True)
def extract_adjoint(y: Any, y_bar: Any, condition: Any, arr: Any, arr_bar: Any) -> None:
    """The seed where it was kept."""
    k = 0
    for i in range(min(condition.size, arr.size)):
        if condition.flat[i]:
            arr_bar.flat[i] += y_bar[k]
            k += 1


@array_rule(np.bincount, linear=True, weights=None, minlength=0)
def bincount_adjoint(y: Any, y_bar: Any, a: Any, weights: Any, minlength: Any, weights_bar: Any) -> None:
    """To each weight the seed of its bin; a count without weights is a constant."""
    if weights_bar is not None:
        for i in range(len(a)):
            weights_bar[i] += y_bar[a[i]]


@register_jitable
def zeros_in_front(filt: Any, trim: Any) -> int:
    """How many zeros were cut off in front."""
    k = 0
    if "f" in trim.lower():
        while k < len(filt) and filt[k] == 0:
            k += 1
    return k


def trim_zeros_tangent(y: Any, filt: Any, trim: Any, filt_dot: Any) -> Any:
    """What was kept."""
    k = zeros_in_front(filt, trim)
    return filt_dot[k : k + len(y)].copy()


@array_rule(np.trim_zeros, tangent=trim_zeros_tangent, reads="filt", trim="fb")
def trim_zeros_adjoint(y: Any, y_bar: Any, filt: Any, trim: Any, filt_bar: Any) -> None:
    """The seed where it was kept; what counts as zero is fixed by the values."""
    k = zeros_in_front(filt, trim)
    for i in range(len(y_bar)):
        filt_bar[k + i] += y_bar[i]


def numbers_after(values: Any, n: Any) -> Any:
    """The numbers ``n``, ``n + 1``, ... in place of the elements; ``n`` in place of a number."""
    return n + numbered(values) if isinstance(values, np.ndarray) else n


@overload(numbers_after, strict=False)
def _numbers_after(values: Any, n: Any) -> Any:
    if isinstance(values, types.Array):
        return lambda values, n: n + numbered(values)
    return lambda values, n: n


def add_cells(x_bar: Any, x: Any, cells: Any) -> Any:
    """Add flat ``cells`` to the cotangent of an array; return that of a number."""
    if isinstance(x_bar, np.ndarray):
        x_bar += like(x, cells.reshape(x.shape))
        return 0.0
    return 0.0 if x_bar is None else like(x, cells[0])


@overload(add_cells, strict=False)
def _add_cells(x_bar: Any, x: Any, cells: Any) -> Any:
    if isinstance(x_bar, types.NoneType):
        return lambda x_bar, x, cells: 0.0
    if not isinstance(x, types.Array):
        return lambda x_bar, x, cells: like(x, cells[0])

    def add_to_array(x_bar: Any, x: Any, cells: Any) -> Any:
        x_bar += like(x, cells.reshape(x.shape))
        return 0.0

    return add_to_array


@register_jitable
def summed(at: Any, y_bar: Any, n: int) -> Any:
    """``n`` cells, with the elements of a seed added up at their places."""
    found = np.zeros(n, y_bar.dtype)
    for k in np.ndindex(y_bar.shape):
        found[at[k]] += y_bar[k]
    return found


def size_of(x: Any) -> int:
    """The number of elements; 1 for a number."""
    return np.size(x)


@overload(size_of, strict=False)
def _size_of(x: Any) -> Any:
    if isinstance(x, types.Array):
        return lambda x: x.size
    return lambda x: 1


@array_rule(np.append, numbers="arr values", linear=True, axis=None)
def append_adjoint(y: Any, y_bar: Any, arr: Any, values: Any, axis: Any, arr_bar: Any, values_bar: Any) -> Any:
    """The two pieces."""
    n = size_of(arr)
    at = np.append(numbers_after(arr, 0), numbers_after(values, n), axis)
    cells = summed(at, y_bar, n + size_of(values))
    return add_cells(arr_bar, arr, cells[:n]), add_cells(values_bar, values, cells[n:])


@array_rule(np.insert, numbers="values", linear=True, axis=None)
def insert_adjoint(
    y: Any, y_bar: Any, arr: Any, obj: Any, values: Any, axis: Any, arr_bar: Any, values_bar: Any
) -> Any:
    """To each cell what became of its number; values that repeat add up."""
    n = arr.size
    at = np.insert(numbered(arr), obj, numbers_after(values, n), axis)
    cells = summed(at, y_bar, n + size_of(values))
    add_cells(arr_bar, arr, cells[:n])
    return (add_cells(values_bar, values, cells[n:]),)
