"""Making arrays out of active values: `array` and its kin, `full`, `arange`, conversions, copies."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from ...declarations import needs_no_rule, unsupported
from ...derived import by_operand
from ...rules import rrule
from ...tangents import is_absent
from .join import layers
from .shared import NO_VALUE, as_array, given, leading, scatter

_np: Any = np


def _seed(y_bar: Any) -> Any:
    return y_bar


def _cut_off(y_bar: Any) -> Any:
    """Nothing gets through a conversion to integers."""
    return None


def _is_cut_off(y: Any, x: Any) -> bool:
    """Whether ``y`` was made of ``x`` by a conversion that no derivative gets through."""
    return y.dtype.kind not in "fcO" and y.dtype.kind != as_array(x).dtype.kind


def _refuse_records(y: Any) -> None:
    if y.dtype.kind == "V":
        raise NotImplementedError("arrays of records have no derivative; use one array for each field")


def _of_arrays(f: Any) -> Any:
    """An array of a list of arrays, all of one shape, and what gives the cotangent of each."""

    def forward(obj: Any, *rest: Any) -> Any:
        if rest or type(obj) is not list or not all(isinstance(a, np.ndarray) for a in obj):
            return None
        shapes = {a.shape for a in obj}
        return (f(obj), (len(obj),), (layers,)) if len(shapes) == 1 else None

    return forward


# The cotangent of ``np.array(obj)`` is that of ``obj``: projection splits it for nested lists.
CONVERSIONS = (
    np.array, np.asarray, np.asanyarray, np.ascontiguousarray, np.asfortranarray, np.asarray_chkfinite,
    np.copy, np.ndarray.copy, np.require, np.astype,
)  # fmt: skip
for f in CONVERSIONS:

    def _conversion(*args: Any, f: Any = f, **kwargs: Any) -> Any:
        """The seed."""
        y = f(*args, **kwargs)
        if y.dtype.kind not in "fcO":
            _refuse_records(y)
            if y.dtype.kind not in "iub" or (("dtype" in kwargs or len(args) > 1) and _is_cut_off(y, args[0])):
                return y, _cut_off
        if "ndmin" in kwargs or not isinstance(args[0], (list, tuple)):
            shape = args[0].shape if isinstance(args[0], np.ndarray) else np.shape(args[0])
            if shape != y.shape:
                if y.dtype.kind == "O":
                    return NotImplemented
                return y, lambda y_bar: y_bar.reshape(shape)
        return y, _seed

    rule = leading(_conversion)
    rrule(f)(by_operand(_of_arrays(f))(rule) if f in (np.array, np.asarray) else rule)


@rrule(np.ndarray.astype)
@leading
def astype_rule(a: Any, dtype: Any, *args: Any, **kwargs: Any) -> Any:
    """The seed; a numeric zero where the new type has no derivative."""
    y = a.astype(dtype, *args, **kwargs)
    _refuse_records(y)
    if y.dtype.kind not in "fcO":
        return y, lambda y_bar: np.zeros(a.shape)
    return y, _seed


@rrule(np.ndarray.__copy__)
@rrule(np.ndarray.__deepcopy__)
@leading
def copy_rule(a: Any, *args: Any) -> Any:
    """The seed."""
    return (a.__deepcopy__(*args) if args else a.__copy__()), _seed


@rrule(np.ndarray.tolist)
def tolist_rule(a: Any) -> Any:
    """The seed, as an array; numbers that were not used have none."""
    return a.tolist(), lambda y_bar: _array_of(y_bar, a.shape)


def _array_of(bars: Any, shape: tuple[int, ...]) -> Any:
    """An array of nested lists of cotangents, some of which may be absent."""
    if is_absent(bars):
        return np.zeros(shape)
    if not shape:
        return bars
    return np.array([_array_of(bar, shape[1:]) for bar in bars])


@rrule(np.ndarray.item)
@leading
def item_rule(a: Any, *index: Any) -> Any:
    """The seed in its cell."""
    y = a.item(*index)
    _refuse_records(a)
    shape = a.shape

    def item_pullback(y_bar: Any) -> Any:
        at: Any = index[0] if len(index) == 1 else index
        cell = at % a.size if isinstance(at, (int, np.integer)) else _flat_index(at, shape)
        return scatter(np.array([cell]), np.reshape(y_bar, 1), a.size).reshape(shape)

    return y, item_pullback


def _flat_index(index: Any, shape: tuple[int, ...]) -> int:
    at = 0
    for i, n in zip(index, shape, strict=False):
        at = at * n + i % n
    return at


for t in (np.float64, np.float32, np.float16, np.longdouble, np.complex128, np.complex64, np.clongdouble):

    def _scalar(*args: Any, t: Any = t) -> Any:
        """The seed."""
        return (t(*args), _seed) if len(args) == 1 else NotImplemented

    rrule(t, (float, int, complex, np.number, np.ndarray))(_scalar)


def full_rule(shape: Any, fill_value: Any, *args: Any, **kwargs: Any) -> Any:
    """The seed: projection sums it."""
    return _filled(np.full(shape, fill_value, *args, **kwargs), fill_value)


def _filled(y: Any, fill_value: Any) -> Any:
    _refuse_records(y)
    if _is_cut_off(y, fill_value):
        return y, lambda y_bar: (None, None)
    return y, lambda y_bar: (None, y_bar)


rrule(np.full)(leading(full_rule, active=2))


def full_like_rule(a: Any, fill_value: Any, *args: Any, **kwargs: Any) -> Any:
    """The seed to the value; ``a`` gives only its shape."""
    return _filled(np.full_like(a, fill_value, *args, **kwargs), fill_value)


rrule(np.full_like)(leading(full_like_rule, active=2))


def arange_rule(start: Any = NO_VALUE, stop: Any = None, step: Any = None, dtype: Any = None, **options: Any) -> Any:
    """``start + i step``; where it stops decides only how many there are."""
    if start is NO_VALUE:
        y = _np.arange(stop=stop, dtype=dtype, **given(step=step), **options)
    else:
        y = _np.arange(start, stop, step, dtype=dtype, **options)
    if y.dtype.kind not in "fcO":
        return y, lambda y_bar: (None, None, None)

    def arange_pullback(y_bar: Any) -> Any:
        start_bar = 0.0 if stop is None else np.sum(y_bar)
        step_bar = None if step is None else np.sum(np.arange(len(y_bar)) * y_bar)
        return start_bar, None if stop is None else 0.0, step_bar

    return y, arange_pullback


# NumPy says the names of the parameters from 2.4 on, and `start` not at all.
_ARANGE = inspect.signature(arange_rule)
rrule(np.arange, signature=lambda *args: _ARANGE)(leading(arange_rule, active=3))


@rrule(np.ix_)
def ix_rule(*args: Any) -> Any:
    """The seeds in the old shapes; of a mask there is none."""
    shapes = [None if as_array(a).dtype.kind == "b" else np.shape(a) for a in args]

    def ix_pullback(y_bar: Any) -> Any:
        return tuple(None if g is None or s is None else np.reshape(g, s) for g, s in zip(y_bar, shapes, strict=True))

    return np.ix_(*args), ix_pullback


@rrule(np.vander)
@leading
def vander_rule(x: Any, N: Any = None, increasing: bool = False) -> Any:
    """``k x**(k-1)`` in each column."""
    y = np.vander(x, N, increasing)
    x = as_array(x)

    def vander_pullback(y_bar: Any) -> Any:
        n = y.shape[1]
        k = np.arange(n) if increasing else np.arange(n)[::-1]
        lower = np.vander(x, n, True)[:, np.maximum(k - 1, 0)]
        return np.sum(np.conj(k * lower) * y_bar, axis=1)

    return y, vander_pullback


# They call functions of Python, which engines follow.
needs_no_rule(np.apply_along_axis, np.apply_over_axes, np.fromfunction, np.fromiter, np.piecewise, np.vectorize)
unsupported("calls a Python function for each element; use numpy.vectorize", np.frompyfunc)
