"""Functions that pick, repeat or place elements: the pullback adds up where each came from."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...projection import unbroadcast
from ...rules import rrule
from .shared import as_array, leading, scatter


@rrule(np.tile)
@leading
def tile_rule(A: Any, reps: Any) -> Any:
    """The sum over the copies."""
    shape = np.shape(A)

    def tile_pullback(y_bar: Any) -> Any:
        times = tuple(reps) if np.ndim(reps) else (int(reps),)
        n = max(len(times), len(shape))
        times = (1,) * (n - len(times)) + times
        full = (1,) * (n - len(shape)) + shape
        pairs = [k for pair in zip(times, full, strict=True) for k in pair]
        return np.sum(np.reshape(y_bar, pairs), axis=tuple(range(0, 2 * n, 2))).reshape(shape)

    return np.tile(A, reps), tile_pullback


def gathered(f: Any, a: Any) -> Any:
    """Value and pullback of a function that only picks elements of ``a`` (zero where it fills up).

    Args:
        f: applied to ``a``, and to the numbers of its elements counted from 1 to see where each goes.
        a: an array, or what becomes one.
    """

    def gather_pullback(y_bar: Any) -> Any:
        shape = np.shape(a)
        size = int(np.prod(shape))
        numbers = np.arange(1, size + 1).reshape(shape)
        return scatter(f(numbers), y_bar, size + 1)[1:].reshape(shape)

    return f(a), gather_pullback


@rrule(np.repeat)
@rrule(np.ndarray.repeat)
@leading
def repeat_rule(a: Any, repeats: Any, axis: Any = None) -> Any:
    """The sum over the copies."""
    return gathered(lambda v: np.repeat(v, repeats, axis), a)


@rrule(np.resize)
@leading
def resize_rule(a: Any, new_shape: Any) -> Any:
    """The sum over the copies."""
    return gathered(lambda v: np.resize(v, new_shape), a)


@rrule(np.trim_zeros)
@leading
def trim_zeros_rule(filt: Any, trim: Any = "fb", *axis: Any, **options: Any) -> Any:
    """The seed where it was kept; what counts as zero is fixed by the values."""
    y = np.trim_zeros(filt, trim, *axis, **options)
    a, kept = as_array(filt), np.shape(y)
    first = [0] * a.ndim
    if "f" in trim.lower() and np.any(a):
        nonzero = np.argwhere(a).min(axis=0)
        # an axis that was not trimmed has its length still, or nothing to trim
        first = [int(k) if m < n else 0 for k, m, n in zip(nonzero, kept, a.shape, strict=True)]
    widths = [(k, n - k - m) for k, m, n in zip(first, kept, a.shape, strict=True)]
    return y, lambda y_bar: np.pad(as_array(y_bar), widths) if widths else y_bar


@rrule(np.diag)
@leading
def diag_rule(v: Any, k: int = 0) -> Any:
    """Of a vector the diagonal of the seed, of a matrix the seed on the diagonal."""
    if np.ndim(v) == 1:
        return np.diag(v, k), lambda y_bar: np.diag(y_bar, k)
    return gathered(lambda m: np.diag(m, k), v)


@rrule(np.diagflat)
@leading
def diagflat_rule(v: Any, k: int = 0) -> Any:
    """The diagonal of the seed."""
    shape = np.shape(v)
    return np.diagflat(v, k), lambda y_bar: np.diag(y_bar, k).reshape(shape)


@rrule(np.diagonal)
@rrule(np.ndarray.diagonal)
@leading
def diagonal_rule(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """The seed on the diagonal."""
    return gathered(lambda m: np.diagonal(m, offset, axis1, axis2), a)


@rrule(np.linalg.diagonal)
@leading
def linalg_diagonal_rule(x: Any, /, *, offset: int = 0) -> Any:
    """The seed on the diagonal."""
    return gathered(lambda m: np.linalg.diagonal(m, offset=offset), x)


@rrule(np.tril)
@leading
def tril_rule(m: Any, k: int = 0) -> Any:
    """The same triangle of the seed; a vector was every row of a square matrix."""
    shape = np.shape(m)
    return np.tril(m, k), lambda y_bar: unbroadcast(np.tril(y_bar, k), shape)


@rrule(np.triu)
@leading
def triu_rule(m: Any, k: int = 0) -> Any:
    """The same triangle of the seed; a vector was every row of a square matrix."""
    shape = np.shape(m)
    return np.triu(m, k), lambda y_bar: unbroadcast(np.triu(y_bar, k), shape)
