"""Joining and splitting arrays. The cotangent of a list of arrays is a list."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...derived import by_operand
from ...rules import rrule
from .shared import as_array, leading, ndarray, refuse, scatter

_np: Any = np


def _cut(y_bar: Any, shapes: list[tuple[int, ...]], axis: int) -> list[Any]:
    """The seed in pieces along ``axis``, one for each shape."""
    pieces, start = [], 0
    before = (slice(None),) * (axis % y_bar.ndim)
    for shape in shapes:
        stop = start + shape[axis]
        pieces.append(y_bar[(*before, slice(start, stop))] if before else y_bar[start:stop])
        start = stop
    return pieces


def _cut_off(y_bar: Any) -> Any:
    """Nothing gets through a conversion to integers."""
    return None


def _shapes(arrays: Any) -> list[tuple[int, ...]]:
    return [a.shape if isinstance(a, ndarray) else np.shape(a) for a in arrays]


def _pieces(shapes: list[tuple[int, ...]], y_bar: Any) -> list[Any]:
    return _cut(y_bar, shapes, 0)


def _concatenated(arrays: Any, *rest: Any) -> Any:
    """Arrays joined along the first axis, and what gives the pieces of the seed."""
    return None if rest else (np.concatenate(arrays), (_shapes(arrays),), (_pieces,))


@rrule(np.concatenate)
@by_operand(_concatenated)
@leading
def concatenate_rule(
    arrays: Any, /, axis: Any = 0, out: Any = None, *, dtype: Any = None, casting: Any = "same_kind"
) -> Any:
    """The pieces of the seed."""
    if out is not None:
        refuse("numpy.concatenate", out=out)
    y = np.concatenate(arrays, axis, dtype=dtype, casting=casting)
    if dtype is not None and y.dtype.kind not in "fcO":
        return y, _cut_off
    shapes = _shapes(arrays)
    if axis is not None:
        return y, lambda y_bar: _cut(y_bar, shapes, axis)

    def concatenate_pullback(y_bar: Any) -> Any:
        ends = np.cumsum([int(np.prod(s)) for s in shapes])[:-1]
        return [p.reshape(s) for p, s in zip(np.split(y_bar, ends), shapes, strict=True)]

    return y, concatenate_pullback


def layers(n: int, y_bar: Any) -> list[Any]:
    return [y_bar[i] for i in range(n)]


def _stacked(arrays: Any, *rest: Any) -> Any:
    """Arrays put one above the other, and what gives the layers of the seed."""
    return None if rest else (np.stack(arrays), (len(arrays),), (layers,))


@rrule(np.stack)
@by_operand(_stacked)
@leading
def stack_rule(arrays: Any, axis: int = 0, out: Any = None, *, dtype: Any = None, casting: Any = "same_kind") -> Any:
    """The layers of the seed."""
    refuse("numpy.stack", out=out)
    y = np.stack(arrays, axis, dtype=dtype, casting=casting)
    if dtype is not None and y.dtype.kind not in "fcO":
        return y, _cut_off
    before = (slice(None),) * (axis % y.ndim)
    n = len(arrays)
    return y, lambda y_bar: [y_bar[(*before, i)] for i in range(n)]


def _joined(f: Any, widen: Any, axis_of: Any) -> Any:
    @leading
    def rule(tup: Any, **options: Any) -> Any:
        """The pieces of the seed, in the old shapes."""
        y = f(tup, **options)
        if options.get("dtype") is not None and y.dtype.kind not in "fcO":
            return y, _cut_off
        shapes = _shapes(tup)

        def joined_pullback(y_bar: Any) -> Any:
            wide = [widen(s) for s in shapes]
            pieces = _cut(y_bar, wide, axis_of(wide))
            return [p.reshape(s) for p, s in zip(pieces, shapes, strict=True)]

        return y, joined_pullback

    return rule


def _wide1(s: tuple[int, ...]) -> tuple[int, ...]:
    return s or (1,)


def _wide2(s: tuple[int, ...]) -> tuple[int, ...]:
    return s if len(s) > 1 else (1, *_wide1(s))


def _wide3(s: tuple[int, ...]) -> tuple[int, ...]:
    return s if len(s) > 2 else (*_wide2(s), 1)


def _column(s: tuple[int, ...]) -> tuple[int, ...]:
    return s if len(s) > 1 else (*_wide1(s), 1)


rrule(np.hstack)(_joined(np.hstack, _wide1, lambda shapes: 0 if len(shapes[0]) == 1 else 1))
rrule(np.vstack)(_joined(np.vstack, _wide2, lambda shapes: 0))
if hasattr(np, "row_stack"):  # its old name
    rrule(np.row_stack)(_joined(np.row_stack, _wide2, lambda shapes: 0))
rrule(np.dstack)(_joined(np.dstack, _wide3, lambda shapes: 2))
rrule(np.column_stack)(_joined(np.column_stack, _column, lambda shapes: 1))


@rrule(np.block)
def block_rule(arrays: Any) -> Any:
    """Each leaf gets the cells that its own number marks in a block matrix of numbers."""
    y = np.block(arrays)

    def block_pullback(y_bar: Any) -> Any:
        count = 0

        def numbered(leaf: Any) -> Any:
            nonlocal count
            if isinstance(leaf, list):
                return [numbered(v) for v in leaf]
            count += np.size(leaf)
            return np.arange(count - np.size(leaf), count).reshape(np.shape(leaf))

        index = numbered(arrays)
        flat = scatter(np.block(index), y_bar, count)

        def taken(leaf: Any) -> Any:
            return [taken(v) for v in leaf] if isinstance(leaf, list) else flat[leaf]

        return taken(index)

    return y, block_pullback


def append_rule(arr: Any, values: Any, axis: Any = None) -> Any:
    """The two pieces."""
    y = np.append(arr, values, axis)
    shapes = _shapes((arr, values))

    def append_pullback(y_bar: Any) -> Any:
        if axis is not None:
            return tuple(_cut(y_bar, shapes, axis))
        n = int(np.prod(shapes[0]))
        return y_bar[:n].reshape(shapes[0]), y_bar[n:].reshape(shapes[1])

    return y, append_pullback


rrule(np.append)(leading(append_rule, active=2))


def insert_rule(arr: Any, obj: Any, values: Any, axis: Any = None) -> Any:
    """To each cell of ``arr`` and of ``values`` what became of its number; values that repeat add up."""
    y = np.insert(arr, obj, values, axis)
    shape, fresh = np.shape(arr), np.shape(values)
    smooth = y.dtype.kind in "fcO" or as_array(values).dtype.kind not in "fc"  # integers truncate what comes in

    def insert_pullback(y_bar: Any) -> Any:
        n, m = int(np.prod(shape)), int(np.prod(fresh))
        index = np.insert(np.arange(n).reshape(shape), obj, n + np.arange(m).reshape(fresh), axis)
        cells = scatter(index, y_bar, n + m)
        return cells[:n].reshape(shape), None, cells[n:].reshape(fresh) if smooth else None

    return y, insert_pullback


rrule(np.insert)(leading(insert_rule, active=3))


@rrule(np.delete)
@leading
def delete_rule(arr: Any, obj: Any, axis: Any = None) -> Any:
    """The seed where it was kept."""
    from .pick import gathered

    return gathered(lambda v: np.delete(v, obj, axis), arr)


def _split(f: Any, ary: Any, indices_or_sections: Any, axis: int, *rest: Any) -> Any:
    """The parts joined again; where indices decrease, parts overlap and add up."""
    parts = f(ary, indices_or_sections, *rest)
    shape = np.shape(ary)

    def split_pullback(y_bar: Any) -> Any:
        filled = [np.zeros(p.shape) if g is None else g for p, g in zip(parts, y_bar, strict=True)]
        joined = np.concatenate(filled, axis=axis)
        if joined.shape == shape:
            return joined
        size = int(np.prod(shape))
        numbers = f(np.arange(size).reshape(shape), indices_or_sections, *rest)
        return scatter(np.concatenate(numbers, axis=axis), joined, size).reshape(shape)

    return parts, split_pullback


def _split_rule(f: Any) -> Any:
    @leading
    def rule(ary: Any, indices_or_sections: Any, axis: int = 0) -> Any:
        """The parts joined again."""
        return _split(f, ary, indices_or_sections, axis, axis)

    return rule


def _fixed_split_rule(f: Any, axis_of: Any) -> Any:
    @leading
    def rule(ary: Any, indices_or_sections: Any) -> Any:
        """The parts joined again."""
        return _split(f, ary, indices_or_sections, axis_of(np.ndim(ary)))

    return rule


for f in (np.split, np.array_split):
    rrule(f)(_split_rule(f))
rrule(np.hsplit)(_fixed_split_rule(np.hsplit, lambda n: 0 if n == 1 else 1))
rrule(np.vsplit)(_fixed_split_rule(np.vsplit, lambda n: 0))
rrule(np.dsplit)(_fixed_split_rule(np.dsplit, lambda n: 2))


if hasattr(np, "unstack"):

    @rrule(np.unstack)
    @leading
    def unstack_rule(x: Any, /, *, axis: int = 0) -> Any:
        """The layers stacked again."""
        parts = np.unstack(x, axis=axis)

        def unstack_pullback(y_bar: Any) -> Any:
            if not parts:
                return np.zeros(np.shape(x))
            return np.stack([np.zeros(p.shape) if g is None else g for p, g in zip(parts, y_bar, strict=True)], axis)

        return parts, unstack_pullback


@rrule(np.meshgrid)
def meshgrid_rule(*xi: Any, copy: bool = True, sparse: bool = False, indexing: str = "xy") -> Any:
    """Each grid summed over the axes it does not vary along."""
    y = _np.meshgrid(*xi, copy=copy, sparse=sparse, indexing=indexing)
    n = len(xi)

    def meshgrid_pullback(y_bar: Any) -> Any:
        bars = []
        for i, (x, g) in enumerate(zip(xi, y_bar, strict=True)):
            axis = 1 - i if indexing == "xy" and i < 2 <= n else i
            others = tuple(k for k in range(n) if k != axis)
            bars.append(None if g is None else np.sum(g, axis=others).reshape(np.shape(x)))
        return tuple(bars)

    return y, meshgrid_pullback
