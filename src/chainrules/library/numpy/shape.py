"""Functions that rearrange an array: the pullback rearranges back."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...rules import rrule
from .shared import as_array, leading, ndarray, numbered, scatter


def _reshaped(y: Any, a: Any, order: Any = "C") -> Any:
    shape = a.shape if isinstance(a, ndarray) else np.shape(a)
    if order == "C":
        return y, lambda y_bar: as_array(y_bar).reshape(shape)
    read = (order or "C").upper()
    if read in "AK":
        flags = np.asarray(a).flags
        if read == "K" and not flags.forc:
            return _reread(y, as_array(a))
        read = "F" if flags.fnc else "C"
    return y, lambda y_bar: as_array(y_bar).reshape(shape, order=read)


def _reread(y: Any, a: Any) -> Any:
    """The elements of ``a`` in the order of its strides: the numbers of an array that lies as it does."""
    index, shape = np.ravel(numbered(a), "K"), a.shape
    return y, lambda y_bar: scatter(index, y_bar, len(index)).reshape(shape)


@rrule(np.reshape)
@leading
def reshape_rule(a: Any, /, shape: Any, order: Any = "C", *, copy: Any = None) -> Any:
    """The seed in the old shape."""
    if copy is not None:
        return _reshaped(np.reshape(a, shape, order, copy=copy), a, order)
    y = a.reshape(shape, order=order) if type(a) is ndarray else np.reshape(a, shape, order)
    return _reshaped(y, a, order)


@rrule(np.ndarray.reshape)
@leading
def reshape_method_rule(a: Any, *shape: Any, order: Any = "C", copy: Any = None) -> Any:
    """The seed in the old shape."""
    keywords = {} if copy is None else {"copy": copy}
    return _reshaped(a.reshape(*shape, order=order, **keywords), a, order)


@rrule(np.ndarray.flatten)
@leading
def flatten_rule(a: Any, order: Any = "C") -> Any:
    """The seed in the old shape; unlike `ravel` always a copy."""
    return _reshaped(a.flatten(order), a, order)


@rrule(np.ravel)
@rrule(np.ndarray.ravel)
@leading
def ravel_rule(a: Any, order: Any = "C") -> Any:
    """The seed in the old shape."""
    return _reshaped(np.ravel(a, order), a, order)


@rrule(np.squeeze)
@rrule(np.ndarray.squeeze)
@leading
def squeeze_rule(a: Any, axis: Any = None) -> Any:
    """The seed in the old shape."""
    return _reshaped(np.squeeze(a, axis), a)


@rrule(np.expand_dims)
@leading
def expand_dims_rule(a: Any, axis: Any) -> Any:
    """The seed in the old shape."""
    return _reshaped(np.expand_dims(a, axis), a)


def _at_least(f: Any) -> Any:
    def rule(*arys: Any) -> Any:
        """The seeds in the old shapes."""
        shapes = [np.shape(a) for a in arys]
        y = f(*arys)
        if len(arys) == 1:
            return y, lambda y_bar: y_bar.reshape(shapes[0])
        return y, lambda y_bar: tuple(None if g is None else g.reshape(s) for g, s in zip(y_bar, shapes, strict=True))

    return rule


for f in (np.atleast_1d, np.atleast_2d, np.atleast_3d):
    rrule(f)(_at_least(f))


def _transposed(a: Any, axes: Any) -> Any:
    y = np.transpose(a, axes)
    if axes is None:
        return y, lambda y_bar: np.transpose(y_bar)
    n = np.ndim(a)
    back = [0] * n
    for i, k in enumerate(axes):
        back[k % n] = i
    return y, lambda y_bar: np.transpose(y_bar, back)


@rrule(np.transpose)
@leading
def transpose_rule(a: Any, axes: Any = None) -> Any:
    """The inverse permutation."""
    return _transposed(a, axes)


@rrule(np.ndarray.transpose)
@leading
def transpose_method_rule(a: Any, *given: Any) -> Any:
    """The inverse permutation."""
    axes: Any = given
    if len(given) == 1 and (given[0] is None or isinstance(given[0], (tuple, list, range))):
        axes = given[0]
    return _transposed(a, axes or None)


@rrule(np.ndarray.T)
def transpose_attribute_rule(a: Any) -> Any:
    """The transpose of the seed."""
    return a.T, lambda y_bar: y_bar.T


@rrule(np.ndarray.mT)
@rrule(np.matrix_transpose)
@rrule(np.linalg.matrix_transpose)
def matrix_transpose_rule(x: Any, /) -> Any:
    """The matrix transpose of the seed."""
    return np.matrix_transpose(x), lambda y_bar: y_bar.mT


@rrule(np.swapaxes)
@rrule(np.ndarray.swapaxes)
@leading
def swapaxes_rule(a: Any, axis1: Any, axis2: Any) -> Any:
    """The same again."""
    return np.swapaxes(a, axis1, axis2), lambda y_bar: np.swapaxes(y_bar, axis1, axis2)


@rrule(np.moveaxis)
@leading
def moveaxis_rule(a: Any, source: Any, destination: Any) -> Any:
    """The move back."""
    return np.moveaxis(a, source, destination), lambda y_bar: np.moveaxis(y_bar, destination, source)


@rrule(np.rollaxis)
@leading
def rollaxis_rule(a: Any, axis: Any, start: Any = 0) -> Any:
    """The move back."""
    n = np.ndim(a)
    axis, start = axis % n, start + n if start < 0 else start
    end = start - 1 if axis < start else start
    return np.rollaxis(a, axis, start), lambda y_bar: np.moveaxis(y_bar, end, axis)


@rrule(np.flip)
@leading
def flip_rule(m: Any, axis: Any = None) -> Any:
    """The same again."""
    return np.flip(m, axis), lambda y_bar: np.flip(y_bar, axis)


@rrule(np.fliplr)
def fliplr_rule(m: Any) -> Any:
    """The same again."""
    return np.fliplr(m), lambda y_bar: np.fliplr(y_bar)


@rrule(np.flipud)
def flipud_rule(m: Any) -> Any:
    """The same again."""
    return np.flipud(m), lambda y_bar: np.flipud(y_bar)


@rrule(np.rot90)
@leading
def rot90_rule(m: Any, k: int = 1, axes: Any = (0, 1)) -> Any:
    """The other way round."""
    return np.rot90(m, k, axes), lambda y_bar: np.rot90(y_bar, -k, axes)


@rrule(np.roll)
@leading
def roll_rule(a: Any, shift: Any, axis: Any = None) -> Any:
    """The other way."""
    back = tuple(-s for s in shift) if isinstance(shift, (tuple, list)) else -shift
    return np.roll(a, shift, axis), lambda y_bar: np.roll(y_bar, back, axis)


@rrule(np.broadcast_to)
@leading
def broadcast_to_rule(array: Any, shape: Any, subok: bool = False) -> Any:
    """The seed: projection sums it."""
    return np.broadcast_to(array, shape, subok), lambda y_bar: y_bar


@rrule(np.broadcast_arrays)
def broadcast_arrays_rule(*args: Any, subok: bool = False) -> Any:
    """The seeds."""
    return np.broadcast_arrays(*args, subok=subok), lambda y_bar: tuple(y_bar)
