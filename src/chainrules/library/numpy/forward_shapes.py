"""Forward rules for what is linear: the tangent goes through the function itself. One table."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib import stride_tricks

from ...lookup import frules_for
from ...rules import frule
from ...tangents import ZeroTangent, is_absent, unthunk
from ..forward import array_dot, filled, takes_tangents
from .padding import STATISTICS, _core, _pairs, _part
from .shared import as_array, numbered

_nd = np.ndarray
_np: Any = np

# Linear in the first argument, whatever the others are.
FIRST: tuple[Any, ...] = (
    np.squeeze, _nd.squeeze, np.expand_dims, np.transpose, _nd.transpose, np.matrix_transpose,
    np.linalg.matrix_transpose, np.swapaxes, _nd.swapaxes, np.moveaxis, np.rollaxis, np.flip, np.fliplr, np.flipud,
    np.rot90, np.roll, np.broadcast_to, np.tile, np.repeat, _nd.repeat, np.resize, np.diag, np.diagflat, np.diagonal,
    _nd.diagonal, np.linalg.diagonal, np.tril, np.triu, np.delete, np.split, np.array_split, np.hsplit, np.vsplit,
    np.dsplit, stride_tricks.sliding_window_view, np.copy, _nd.copy, _nd.__copy__, _nd.tolist, _nd.item,
    np.ascontiguousarray, np.asfortranarray, np.array, np.asarray, np.asanyarray, np.asarray_chkfinite, np.require,
    np.astype, _nd.astype, *([np.unstack] if hasattr(np, "unstack") else []),
)  # fmt: skip
# Linear in the first arguments together; how many of them, None for all.
TOGETHER: dict[Any, int | None] = {
    np.concatenate: 1, np.stack: 1, np.hstack: 1, np.vstack: 1, np.dstack: 1, np.column_stack: 1, np.block: 1,
    np.append: 2, np.atleast_1d: None, np.atleast_2d: None, np.atleast_3d: None, np.broadcast_arrays: None,
    np.meshgrid: None, np.linspace: 2,
}  # fmt: skip


def _linear(f: Any, active: int | None) -> Any:
    def rule(primals: Any, tangents: Any, **options: Any) -> Any:
        """The function of the tangents."""
        n = len(primals) if active is None else active
        y = f(*primals, **options)
        if all(map(is_absent, tangents[:n])) or not takes_tangents(y):
            return y, ZeroTangent()
        moved = map(filled, primals[:n], tangents[:n])
        return y, f(*moved, *primals[n:], **options)

    return rule


for f in FIRST:
    frule(f)(_linear(f, 1))
for f, active in TOGETHER.items():
    frule(f)(_linear(f, active))


def _read(f: Any) -> Any:
    def rule(primals: Any, tangents: Any, **options: Any) -> Any:
        """The tangent, read in the order in which the argument was."""
        y = f(*primals, **options)
        if is_absent(tangents[0]):
            return y, ZeroTangent()
        a, a_dot = as_array(primals[0]), as_array(filled(primals[0], tangents[0]))
        # Orders "A" and "K" are of the memory of the argument; that of its tangent is somebody else's.
        index = f(_numbers_in_place(a), *primals[1:], **options)
        return y, np.ravel(a_dot)[index]

    return rule


def _numbers_in_place(a: Any) -> Any:
    """`numbered`, with gaps where ``a`` has some: order "A" asks whether there are any."""
    numbers = numbered(a)
    if a.flags.forc:
        return numbers
    apart = np.empty_like(a, [("number", np.intp), ("gap", np.intp)], subok=False)["number"]
    apart[...] = numbers
    return apart


for f in (np.ravel, _nd.ravel, _nd.flatten, np.reshape, _nd.reshape):
    frule(f)(_read(f))


@frule(_nd.T)
def transpose_attribute_forward(primals: Any, tangents: Any) -> Any:
    """The transpose of the tangent."""
    (a,), (a_dot,) = primals, tangents
    return a.T, ZeroTangent() if is_absent(a_dot) else unthunk(a_dot).T


@frule(_nd.mT)
def matrix_transpose_attribute_forward(primals: Any, tangents: Any) -> Any:
    """The matrix transpose of the tangent."""
    (a,), (a_dot,) = primals, tangents
    return a.mT, ZeroTangent() if is_absent(a_dot) else unthunk(a_dot).mT


def _filling(f: Any) -> Any:
    def rule(primals: Any, tangents: Any, **options: Any) -> Any:
        """An array full of the tangent."""
        like, value, *rest = primals
        y = f(like, value, *rest, **options)
        if is_absent(tangents[1]) or not takes_tangents(y):
            return y, ZeroTangent()
        return y, np.broadcast_to(filled(value, tangents[1]), y.shape).astype(y.dtype)

    return rule


for f in (np.full, np.full_like):
    frule(f)(_filling(f))


@frule(np.insert)
def insert_forward(primals: Any, tangents: Any, **options: Any) -> Any:
    """The tangent of the values put into that of the array."""
    y = np.insert(*primals, **options)
    arr, obj, values, *rest = primals
    if (is_absent(tangents[0]) and is_absent(tangents[2])) or not takes_tangents(y):
        return y, ZeroTangent()
    return y, np.insert(filled(as_array(arr), tangents[0]), obj, filled(values, tangents[2]), *rest, **options)


@frule(np.pad)
def pad_forward(primals: Any, tangents: Any, **options: Any) -> Any:
    """The tangent padded, with zeros where the array was padded with constants."""
    array, pad_width, mode = (*primals, "constant")[:3]
    mode = options.get("mode", mode)
    if callable(mode):
        return NotImplemented
    y = np.pad(*primals, **options)
    if is_absent(tangents[0]) or not takes_tangents(y):
        return y, ZeroTangent()
    zeroed = {k: v for k, v in options.items() if k not in ("constant_values", "end_values", "mode")}
    x_dot = array_dot(array, tangents[0])
    if mode in ("maximum", "minimum", "median"):
        return y, _statistics_around(y, x_dot, pad_width, STATISTICS[mode], **zeroed)
    return y, np.pad(x_dot, pad_width, mode, **zeroed)


def _statistics_around(y: Any, x_dot: Any, pad_width: Any, f: Any, stat_length: Any = None) -> Any:
    """One axis after the other: at each end the tangent of the statistic of what stands there."""
    (rule,) = frules_for(f)
    widths, lengths = _pairs(pad_width, y.ndim), _pairs(stat_length, y.ndim)
    for axis in range(y.ndim):
        x, n = _core(y, widths, axis), x_dot.shape[axis]
        borders = []
        for side in (0, 1):
            length = n if lengths[axis][side] is None else min(lengths[axis][side], n)
            start = 0 if side == 0 else n - length
            near, near_dot = (_part(v, axis, start, start + length) for v in (x, x_dot))
            _, end_dot = rule.function((near,), (near_dot,), axis=axis, keepdims=True)
            borders.append(np.repeat(end_dot, widths[axis][side], axis))
        x_dot = np.concatenate((borders[0], x_dot, borders[1]), axis=axis)
    return x_dot


@frule(np.fromiter)
def fromiter_forward(primals: Any, tangents: Any, **options: Any) -> Any:
    """The tangents of the items; of an iterator nobody knows them."""
    items, *rest = primals
    if not isinstance(items, (list, tuple, np.ndarray)):
        return NotImplemented
    y = np.fromiter(items, *rest, **options)
    if is_absent(tangents[0]) or not takes_tangents(y):
        return y, ZeroTangent()
    return y, np.fromiter(filled(items, tangents[0]), *rest, **options)
