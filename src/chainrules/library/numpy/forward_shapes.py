"""Forward rules for what is linear: the tangent goes through the function itself. One table."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib import stride_tricks

from ...lookup import frules_for
from ...rules import Rule, add_rule, frule, where_written
from ...tangents import ZeroTangent, is_absent, unthunk
from ..forward import array_dot, filled, stays_integral, takes_tangents
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
# Those that may be told of another dtype: a tangent of integers would be rounded.
CONVERTING = {
    np.array, np.asarray, np.asanyarray, np.asarray_chkfinite, np.require, np.astype, _nd.astype, np.ascontiguousarray,
    np.asfortranarray,
}  # fmt: skip
# Linear in the first arguments together; how many of them, None for all.
TOGETHER: dict[Any, int | None] = {
    np.concatenate: 1, np.stack: 1, np.hstack: 1, np.vstack: 1, np.dstack: 1, np.column_stack: 1, np.block: 1,
    np.append: 2, np.atleast_1d: None, np.atleast_2d: None, np.atleast_3d: None, np.broadcast_arrays: None,
    np.meshgrid: None, np.linspace: 2,
}  # fmt: skip


def linear(f: Any, active: int | None, indices: bool = False) -> None:
    """Declare the forward rule of a function that is linear in its first arguments together; ``None`` for all.

    ``indices``: integers that it gives are places, and constant.
    """

    def tangent(y: Any, primals: Any, tangents: Any, kwargs: Any) -> Any:
        """The function of the tangents."""
        x_dot = tangents[0]
        if active == 1 and isinstance(y, _nd) and y.dtype.kind in "fc" and _is_filled(x_dot):
            if kwargs:
                return f(x_dot, *primals[1:], **kwargs)
            return f(x_dot, *primals[1:]) if len(primals) > 1 else f(x_dot)
        n = len(primals) if active is None else active
        if is_absent(tangents[:n]):
            return ZeroTangent()
        if not takes_tangents(y):
            if indices or "dtype" in kwargs or not stays_integral(y, range(n), primals, tangents):
                return ZeroTangent()
            if f in CONVERTING:
                return np.reshape(filled(primals[0], tangents[0]), np.shape(y))
        moved = [filled(x, x_dot) for x, x_dot in zip(primals[:n], tangents[:n], strict=True)]
        return f(*moved, *primals[n:], **kwargs)

    add_with_tangent(f, tangent)


def _is_filled(x_dot: Any) -> bool:
    """Whether a tangent is an array, or a list of them, without gaps."""
    if isinstance(x_dot, _nd):
        return True
    if not isinstance(x_dot, (list, tuple)):
        return False
    for t in x_dot:
        if not isinstance(t, _nd):
            return False
    return len(x_dot) > 0


def add_with_tangent(f: Any, tangent: Any) -> None:
    """Declare a forward rule from its ``tangent``, see `chainrules.Rule`."""

    def rule(primals: Any, tangents: Any, **options: Any) -> Any:
        y = f(*primals, **options)
        y_dot = tangent(y, primals, tangents, options)
        return y_dot if y_dot is NotImplemented else (y, y_dot)

    rule.__doc__, rule.__wrapped__ = tangent.__doc__, tangent  # type: ignore[attr-defined]
    add_rule(f, Rule(rule, (), *where_written(tangent), tangent=tangent), forward=True)


for f in FIRST:
    linear(f, 1)
for f, active in TOGETHER.items():
    linear(f, active)


def _read(f: Any) -> None:
    plain = 2 if f is np.reshape else 99 if f is _nd.reshape else 1  # arguments that leave the order to be "C"

    def tangent(y: Any, primals: Any, tangents: Any, kwargs: Any) -> Any:
        """The tangent, read in the order in which the argument was."""
        x_dot = tangents[0]
        if x_dot is None or is_absent(x_dot):
            return ZeroTangent()
        if isinstance(x_dot, _nd) and not kwargs and len(primals) <= plain:
            return x_dot.reshape(y.shape)
        a, a_dot = as_array(primals[0]), as_array(filled(primals[0], x_dot))
        # Orders "A" and "K" are of the memory of the argument; that of its tangent is somebody else's.
        index = f(_numbers_in_place(a), *primals[1:], **kwargs)
        return np.ravel(a_dot)[index]

    add_with_tangent(f, tangent)


def _numbers_in_place(a: Any) -> Any:
    """`numbered`, with gaps where ``a`` has some: order "A" asks whether there are any."""
    numbers = numbered(a)
    if a.flags.forc:
        return numbers
    apart = np.empty_like(a, [("number", np.intp), ("gap", np.intp)], subok=False)["number"]
    apart[...] = numbers
    return apart


for f in (np.ravel, _nd.ravel, _nd.flatten, np.reshape, _nd.reshape):
    _read(f)


@frule(_nd.T, given_value=True)
def transpose_attribute_forward(y: Any, primals: Any, tangents: Any) -> Any:
    """The transpose of the tangent."""
    (a_dot,) = tangents
    return ZeroTangent() if is_absent(a_dot) else unthunk(a_dot).T


@frule(_nd.mT, given_value=True)
def matrix_transpose_attribute_forward(y: Any, primals: Any, tangents: Any) -> Any:
    """The matrix transpose of the tangent."""
    (a_dot,) = tangents
    return ZeroTangent() if is_absent(a_dot) else unthunk(a_dot).mT


for f in (np.full, np.full_like):

    @frule(f, given_value=True)
    def filling_forward(y: Any, primals: Any, tangents: Any, **options: Any) -> Any:
        """An array full of the tangent."""
        if is_absent(tangents[1]):
            return ZeroTangent()
        if not takes_tangents(y):
            moves = stays_integral(y, (1,), primals, tangents[1:])
            return np.broadcast_to(filled(primals[1], tangents[1]), y.shape) if moves else ZeroTangent()
        return np.broadcast_to(filled(primals[1], tangents[1]), y.shape).astype(y.dtype)


@frule(np.insert, given_value=True)
def insert_forward(y: Any, primals: Any, tangents: Any, **options: Any) -> Any:
    """The tangent of the values put into that of the array."""
    arr, obj, values, *rest = primals
    if is_absent(tangents[0]) and is_absent(tangents[2]):
        return ZeroTangent()
    if not takes_tangents(y) and not stays_integral(y, (0, 2), (arr, None, values), (tangents[0], tangents[2])):
        return ZeroTangent()
    return np.insert(filled(as_array(arr), tangents[0]), obj, filled(values, tangents[2]), *rest, **options)


@frule(np.pad, given_value=True)
def pad_forward(y: Any, primals: Any, tangents: Any, **options: Any) -> Any:
    """The tangent padded, with zeros where the array was padded with constants."""
    given = {"mode": "constant", **options, **dict(zip(("array", "pad_width", "mode"), primals, strict=False))}
    array, pad_width, mode = given["array"], given["pad_width"], given["mode"]
    if callable(mode):
        return NotImplemented
    if is_absent(tangents[0]) or not takes_tangents(y):
        return ZeroTangent()
    zeroed = {k: v for k, v in options.items() if k not in ("constant_values", "end_values", "mode", "pad_width")}
    x_dot = array_dot(array, tangents[0])
    if mode in ("maximum", "minimum", "median"):
        return _statistics_around(y, x_dot, pad_width, STATISTICS[mode], **zeroed)
    return np.pad(x_dot, pad_width, mode, **zeroed)


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


def fromiter_tangent(y: Any, primals: Any, tangents: Any, options: Any) -> Any:
    """The tangents of the items."""
    if is_absent(tangents[0]) or not takes_tangents(y):
        return ZeroTangent()
    return np.fromiter(filled(primals[0], tangents[0]), *primals[1:], **options)


def fromiter_forward(primals: Any, tangents: Any, **options: Any) -> Any:
    """The tangents of the items; of an iterator nobody knows them."""
    if not isinstance(primals[0], (list, tuple, np.ndarray)):
        return NotImplemented
    y = np.fromiter(*primals, **options)
    return y, fromiter_tangent(y, primals, tangents, options)


add_rule(np.fromiter, Rule(fromiter_forward, (), *where_written(fromiter_forward), tangent=fromiter_tangent), True)
