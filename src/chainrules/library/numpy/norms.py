"""Norms of vectors and matrices: ``x/|x|`` and its kin, 0 where there is no direction."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...derived import by_operand
from ...products import strong_div
from ...rules import rrule
from ...tangents import Thunk
from .linear import _h
from .reductions import _space
from .shared import DOUBLE, as_array, leading, ndarray, normal_axes, refuse, spread


def _vector_norm_bar(x: Any, p: Any, y: Any, g: Any) -> Any:
    """The cotangent of a vector norm; ``y`` and ``g`` have the shape of ``x`` or broadcast to it."""
    size = np.abs(x)
    direction = np.where(size == 0, 0, x / np.where(size == 0, 1, size))
    if p == 2:
        return x * strong_div(np.where(y == 0, 0.0, g), np.where(y == 0, 1.0, y))
    if p == 1:
        return direction * g
    if p == 0:
        return np.zeros_like(x * g)
    safe = np.where(y == 0, 1.0, y)
    ratio = np.where(size == 0, 0.0, np.where(size == 0, 1.0, size) / safe)
    powered = np.where(ratio == 0, 0.0, np.where(ratio == 0, 1.0, ratio) ** (p - 1))
    return direction * np.where(y == 0, 0.0, powered) * g


def _extreme_bar(values: Any, largest: bool, g: Any, axes: tuple[int, ...]) -> Any:
    """The seed to the first of the values that equal the extreme one, along the axes together."""
    if not values.size:
        return np.zeros(values.shape)
    extreme = np.max(values, axis=axes, keepdims=True) if largest else np.min(values, axis=axes, keepdims=True)
    hit = np.equal(values, extreme)
    others = tuple(i for i in range(values.ndim) if i not in axes)
    order = others + axes
    moved = np.transpose(hit, order)
    flat = moved.reshape(*moved.shape[: len(others)], -1)
    first = flat & (np.cumsum(flat, axis=-1) == 1)
    return np.where(np.transpose(first.reshape(moved.shape), np.argsort(order)), g, 0.0)


def _lengths(x: Any, *rest: Any) -> Any:
    """The Euclidean norm of all elements of an array of doubles, and what gives its cotangent."""
    if rest or type(x) is not ndarray or x.dtype is not DOUBLE:
        return None
    y = np.linalg.norm(x)
    return y, (x, y), (_along,)


def _along(x: Any, y: Any, y_bar: Any) -> Any:
    return x * (y_bar / y if y != 0 else 0.0)


@rrule(np.linalg.norm)
@by_operand(_lengths)
@leading
def norm_rule(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """``x/|x|`` and its kin; 0 at 0. Matrix norms 2 and 'nuc' from the singular vectors."""
    y = np.linalg.norm(x, ord, axis, keepdims)
    x = as_array(x)
    x = x if x.dtype.kind in "fc" else x.astype(np.float64)
    if axis is None and x.ndim > 2 and ord is not None:
        return NotImplemented
    matrix = ord is not None and (
        (isinstance(axis, (tuple, list)) and len(axis) == 2) or (axis is None and x.ndim == 2)
    )

    def norm_pullback(y_bar: Any) -> Any:
        if ord is None and axis is None and np.ndim(y_bar) == 0:
            return _along(x, y, y_bar)
        shape, space, axes = _space(x, axis)
        full, g = spread(y, shape, space), spread(y_bar, shape, space)
        if matrix and ord not in ("fro", "f"):
            pair = tuple(k % x.ndim for k in axis) if axis is not None else (0, 1)
            return _matrix_norm_bar(x, ord, pair, full, g)
        if ord is None or matrix:
            return _vector_norm_bar(x, 2, full, g)
        if ord in (np.inf, -np.inf):
            size = np.abs(x)
            direction = np.where(size == 0, 0, x / np.where(size == 0, 1, size))
            return direction * _extreme_bar(size, ord == np.inf, g, axes)
        return _vector_norm_bar(x, ord, full, g)

    return y, norm_pullback


def _matrix_norm_bar(x: Any, ord: Any, pair: tuple[int, int], full: Any, g: Any) -> Any:
    if not x.size:
        return np.zeros(x.shape)
    if ord in (1, -1, np.inf, -np.inf):
        # 1: the column with the largest sum of sizes; inf: the row.
        along, across = pair if ord in (1, -1) else pair[::-1]
        size = np.abs(x)
        direction = np.where(size == 0, 0, x / np.where(size == 0, 1, size))
        sums = np.sum(size, axis=along, keepdims=True)
        chosen = _extreme_bar(sums, ord in (1, np.inf), 1.0, (across,))
        return direction * chosen * g
    m = np.moveaxis(x, pair, (-2, -1))
    u, s, vh = np.linalg.svd(m, full_matrices=False)
    if ord == "nuc":
        # Singular values that vanish have no direction of their own: 0 by convention.
        weight = np.where(s > s[..., :1] * np.finfo(s.dtype).eps * max(m.shape[-2:]), 1.0, 0.0)
    elif ord in (2, -2):
        weight = np.zeros_like(s)
        weight[..., 0 if ord == 2 else -1] = 1.0
        weight = np.where(s == 0, 0.0, weight)
    else:
        return refuse("numpy.linalg.norm", ord=ord)
    return np.moveaxis((u * weight[..., None, :]) @ vh, (-2, -1), pair) * g


def _renamed_norm(f: Any, axes: Any) -> Any:
    def rule(x: Any, /, *, axis: Any = None, keepdims: bool = False, ord: Any = None) -> Any:
        """As `numpy.linalg.norm`."""
        options = {} if ord is None else {"ord": ord}
        x = as_array(x)
        return axes(f, x, axis, keepdims, options)

    return rule


def _vector_norm(f: Any, x: Any, axis: Any, keepdims: bool, options: Any) -> Any:
    y = f(x, axis=axis, keepdims=keepdims, **options)
    order = options.get("ord", 2)

    def vector_norm_pullback(y_bar: Any) -> Any:
        shape, space, _ = _space(x, axis)
        full, g = spread(y, shape, space), spread(y_bar, shape, space)
        if order in (np.inf, -np.inf):
            size = np.abs(x)
            direction = np.where(size == 0, 0, x / np.where(size == 0, 1, size))
            return direction * _extreme_bar(size, order == np.inf, g, normal_axes(axis, x.ndim))
        return _vector_norm_bar(x, order, full, g)

    return y, vector_norm_pullback


def _matrix_norm(f: Any, x: Any, axis: Any, keepdims: bool, options: Any) -> Any:
    y = f(x, keepdims=keepdims, **options)
    order = options.get("ord", "fro")
    pair = (x.ndim - 2, x.ndim - 1)

    def matrix_norm_pullback(y_bar: Any) -> Any:
        shape, space, _ = _space(x, pair)
        full, g = spread(y, shape, space), spread(y_bar, shape, space)
        return _vector_norm_bar(x, 2, full, g) if order in ("fro", "f") else _matrix_norm_bar(x, order, pair, full, g)

    return y, matrix_norm_pullback


if hasattr(np.linalg, "vector_norm"):
    rrule(np.linalg.vector_norm)(_renamed_norm(np.linalg.vector_norm, _vector_norm))
    rrule(np.linalg.matrix_norm)(_renamed_norm(np.linalg.matrix_norm, _matrix_norm))


@rrule(np.linalg.cond)
@leading
def cond_rule(x: Any, p: Any = None) -> Any:
    """``s[0]/s[-1]`` of the singular values, or the other way round for -2; in other norms that of the matrix times
    that of its inverse. NaN where it is infinite.
    """
    y = np.linalg.cond(x, p)
    x = as_array(x)

    def of_extremes(y_bar: Any) -> Any:
        u, s, vh = np.linalg.svd(x, full_matrices=False)
        big, small = (s[..., :1], s[..., -1:]) if p != -2 else (s[..., -1:], s[..., :1])
        n = s.shape[-1]
        first, last = np.eye(n)[0], np.eye(n)[-1]
        if p == -2:
            first, last = last, first
        with np.errstate(all="ignore"):
            weight = first / small - last * (big / small**2)
        return np.asarray(y_bar)[..., None, None] * ((u * weight[..., None, :]) @ vh)

    def of_norms(y_bar: Any) -> Any:
        inverse = np.linalg.inv(x)
        size, back = norm_rule(x, p, (-2, -1))
        inverse_size, inverse_back = norm_rule(inverse, p, (-2, -1))
        inverse_h = _h(inverse)
        return back(y_bar * inverse_size)[0] - inverse_h @ inverse_back(y_bar * size)[0] @ inverse_h

    return y, lambda y_bar: Thunk(of_extremes if p in (None, 2, -2) else of_norms, y_bar)
