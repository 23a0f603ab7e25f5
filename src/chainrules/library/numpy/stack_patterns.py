"""Patterns of functions of stacks of matrices, of quantiles, and of products with constants."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...patterns import mark_leaves, pattern
from .patterns import (
    accumulated,
    array_marks,
    axes_of,
    contracted,
    joined,
    marks_of_first,
    multiplied,
    reduced,
)

_np: Any = np


def _along_stack(joining: Any, x: Any, marks: Any, axes: int) -> Any:
    """One mark for the numbers of each matrix, or vector, of a stack."""
    m = array_marks(x, marks)
    return joining.grouped(m, tuple(range(m.ndim - axes, m.ndim)), "smooth")


def each(core: int) -> Any:
    """The pattern of a function of one stack of matrices, which gives `core` axes for each of them."""

    def body(joining: Any, y: Any, args: Any, marks: Any, kwargs: Any) -> Any:
        """All numbers of the matrix."""
        if np.ndim(args[0]) < 3 or mark_leaves(marks[1:]) or isinstance(y, tuple):
            return NotImplemented
        found = _along_stack(joining, args[0], marks[0], 2)
        return np.broadcast_to(found.reshape(found.shape + (1,) * core), np.shape(y))

    return body


pattern(np.linalg.inv, np.linalg.cholesky, np.linalg.pinv, np.linalg.matrix_power)(each(2))
pattern(np.linalg.eigvalsh, np.linalg.svdvals)(each(1))
pattern(np.linalg.det)(each(0))


def each_part(*cores: int) -> Any:
    """The same for a function of several values."""

    def body(joining: Any, y: Any, args: Any, marks: Any, kwargs: Any) -> Any:
        """All numbers of the matrix."""
        if np.ndim(args[0]) < 3 or mark_leaves(marks[1:]) or not isinstance(y, tuple) or len(y) != len(cores):
            return NotImplemented
        found = _along_stack(joining, args[0], marks[0], 2)
        return tuple([
            np.broadcast_to(found.reshape(found.shape + (1,) * core), np.shape(v))
            for v, core in zip(y, cores, strict=True)
        ])  # fmt: skip

    return body


pattern(np.linalg.eigh)(each_part(1, 2))
pattern(np.linalg.slogdet)(each_part(0, 0))


@pattern(np.linalg.svd)
def decomposed(joining: Any, y: Any, args: Any, marks: Any, kwargs: Any) -> Any:
    """All numbers of the matrix."""
    return (each_part(2, 1, 2) if isinstance(y, tuple) else each(1))(joining, y, args, marks, kwargs)


@pattern(np.linalg.qr)
def factored(joining: Any, y: Any, args: Any, marks: Any, kwargs: Any) -> Any:
    """All numbers of the matrix."""
    return (each_part(2, 2) if isinstance(y, tuple) else each(2))(joining, y, args, marks, kwargs)


# -- products ---------------------------------------------------------------------------------------------------


@pattern(np.vdot)
def vectors_multiplied(joining: Any, y: Any, args: Any, marks: Any, kwargs: Any) -> Any:
    """The elements of both at a place."""
    flat = tuple([np.ravel(x) for x in args])
    return multiplied(joining, y, flat, tuple([None if m is None else np.ravel(m) for m in marks]), kwargs)


@pattern(np.inner)
def rows_multiplied(joining: Any, y: Any, args: Any, marks: Any, kwargs: Any) -> Any:
    """A row of each operand."""
    n, m = (np.ndim(x) for x in args[:2])
    if kwargs or len(args) != 2 or not 0 < min(n, m) <= max(n, m) < 10:
        return NotImplemented
    left, right = "abcdefghij"[: n - 1], "klmnopqrst"[: m - 1]
    return contracted(joining, y, (f"{left}z,{right}z->{left}{right}", *args), (None, *marks), {})


def rows_paired(joining: Any, y: Any, args: Any, marks: Any, kwargs: Any) -> Any:
    """The elements of both rows, place by place."""
    if kwargs or len(args) != 2:
        return NotImplemented
    parts = [array_marks(x, m) for x, m in zip(args, marks, strict=True) if m is not None]
    shape = np.broadcast_shapes(*map(np.shape, args))
    products = joining.join(shape, parts, "product" if len(parts) > 1 else "linear")
    return joining.grouped(products, (len(shape) - 1,), "linear")


if hasattr(np, "vecdot"):
    pattern(np.vecdot, _np.linalg.vecdot)(rows_paired)
if hasattr(np.linalg, "vector_norm"):

    @pattern(np.linalg.vector_norm)
    def normed(joining: Any, y: Any, args: Any, marks: Any, kwargs: Any) -> Any:
        """All along the axes."""
        return reduced("smooth")(joining, y, args, marks, kwargs)


def solution(joining: Any, y: Any, args: Any, marks: Any, kwargs: Any, at: int = 1) -> Any:
    """What a matrix is made of, and a column of the right-hand sides, which are the argument `at`."""
    given = mark_leaves((*marks[:at], *marks[at + 1 :]))
    if np.ndim(args[at]) not in (1, 2) or np.shape(y) != np.shape(args[at]):
        return NotImplemented
    parts = [joining.grouped(np.concatenate([np.ravel(m) for m in given]), (0,), "smooth")] if given else []
    if marks[at] is not None:
        parts.append(joining.grouped(array_marks(args[at], marks[at]), (0,), "linear"))
    return joining.join(np.shape(y), parts, "smooth" if given else "linear")


@pattern(np.linalg.solve)
def solved(joining: Any, y: Any, args: Any, marks: Any, kwargs: Any) -> Any:
    """All numbers of the matrix, and of its right-hand side."""
    a, b = args[:2]
    if np.ndim(a) < 3:
        return solution(joining, y, args, marks, kwargs)
    if np.ndim(b) < 2 or np.ndim(y) != np.ndim(b):
        return NotImplemented
    parts = []
    if marks[0] is not None:
        parts.append(_along_stack(joining, a, marks[0], 2)[..., None, None])
    if marks[1] is not None:
        found = joining.grouped(array_marks(b, marks[1]), (np.ndim(b) - 2,), "smooth")
        parts.append(np.expand_dims(found, -2))
    return joining.join(np.shape(y), parts, "smooth")


@pattern(np.matmul, np.linalg.matmul)
def multiplied_stacks(joining: Any, y: Any, args: Any, marks: Any, kwargs: Any) -> Any:
    """For stacks a row of the first and a column of the second operand."""
    a, b = args[:2]
    if np.ndim(a) < 2 or np.ndim(b) < 2 or max(np.ndim(a), np.ndim(b)) < 3:
        return multiplied(joining, y, args, marks, kwargs)
    if kwargs or len(args) > 2:
        return NotImplemented
    parts: list[Any] = [0, 0]
    if marks[0] is not None:
        parts[0] = joining.grouped(array_marks(a, marks[0]), (np.ndim(a) - 1,), "linear")[..., :, None]
    if marks[1] is not None:
        parts[1] = joining.grouped(array_marks(b, marks[1]), (np.ndim(b) - 2,), "linear")[..., None, :]
    return joining.join(np.shape(y), [p for p, m in zip(parts, marks, strict=False) if m is not None], "product")


@pattern(np.tensordot)
def summed_products(joining: Any, y: Any, args: Any, marks: Any, kwargs: Any) -> Any:
    """As the sum of products that it is."""
    axes = args[2] if len(args) > 2 else kwargs.get("axes", 2)
    a, b = np.asarray(args[0]), np.asarray(args[1])
    if a.ndim + b.ndim > 20:
        return NotImplemented
    if isinstance(axes, (int, np.integer)):
        of_a, of_b = list(range(a.ndim - int(axes), a.ndim)), list(range(int(axes)))
    else:
        of_a, of_b = ([int(k) for k in np.ravel(ks)] for ks in axes)
    left = [chr(97 + k) for k in range(a.ndim)]
    right = [chr(97 + a.ndim + k) for k in range(b.ndim)]
    for i, j in zip(of_a, of_b, strict=True):
        right[j] = left[i]
    kept = [c for c in left + right if not (c in left and c in right)]
    letters = f"{''.join(left)},{''.join(right)}->{''.join(kept)}"
    return contracted(joining, y, (letters, a, b), (None, *marks[:2]), {})


@pattern(np.kron)
def products_of_all(joining: Any, y: Any, args: Any, marks: Any, kwargs: Any) -> Any:
    """One number of each operand."""
    ones = [np.ones(np.shape(a), np.int64) for a in args]
    given = zip((0, 1), args, marks, strict=True)
    parts = [np.kron(*[array_marks(x, m) if k == i else ones[k] for k in (0, 1)]) for i, x, m in given if m is not None]
    return joining.join(np.shape(y), parts, "product")


@pattern(np.cross, np.linalg.cross)
def crossed(joining: Any, y: Any, args: Any, marks: Any, kwargs: Any) -> Any:
    """Both vectors."""
    if len(args) != 2 or kwargs.keys() - {"axis"} or kwargs.get("axis", -1) != -1 or np.shape(y)[-1:] != (3,):
        return NotImplemented
    parts = [
        joining.grouped(array_marks(x, m), (np.ndim(x) - 1,), "linear")[..., None]
        for x, m in zip(args, marks, strict=True)
        if m is not None
    ]
    return joining.join(np.shape(y), parts, "product")


# -- along axes -------------------------------------------------------------------------------------------------


@pattern(np.quantile, np.percentile, np.nanquantile, np.nanpercentile)
def quantiles(joining: Any, y: Any, args: Any, marks: Any, kwargs: Any) -> Any:
    """All along the axis, for each quantile."""
    return NotImplemented if kwargs.get("keepdims") else reduced("linear", 2)(joining, y, args, marks, kwargs)


@pattern(np.average)
def averaged(joining: Any, y: Any, args: Any, marks: Any, kwargs: Any) -> Any:
    """All along the axis."""
    return NotImplemented if isinstance(y, tuple) else reduced("linear")(joining, y, args, marks, kwargs)


@pattern(np.ediff1d)
def neighbours(joining: Any, y: Any, args: Any, marks: Any, kwargs: Any) -> Any:
    """Two neighbours; what is put before and after the differences is constant."""
    if mark_leaves(marks[1:]):
        return NotImplemented
    x = np.ravel(array_marks(args[0], marks[0]))
    found = joining.join((max(len(x) - 1, 0),), [x[1:], x[:-1]], "linear")
    end, begin = ([*args[1:], *[None] * 3][k] for k in (0, 1))
    sizes = [0 if v is None else np.size(v) for v in (kwargs.get("to_begin", begin), kwargs.get("to_end", end))]
    return np.pad(found, sizes)


@pattern(np.trapezoid if hasattr(np, "trapezoid") else _np.trapz)
def integrated(joining: Any, y: Any, args: Any, marks: Any, kwargs: Any) -> Any:
    """All along the axis."""
    return reduced("linear", 3, -1)(joining, y, args, marks, kwargs)


@pattern(np.add.reduceat)
def summed_stretches(joining: Any, y: Any, args: Any, marks: Any, kwargs: Any) -> Any:
    """A stretch each."""
    x, axis = marks_of_first(args, marks), args[2] if len(args) > 2 else kwargs.get("axis", 0)
    starts = np.asarray(args[1]) if len(args) > 1 else np.zeros(0, int)
    if x is None or x.ndim != 1 or axes_of(axis, 1) != (0,) or len(args) > 3 or not len(starts):
        return NotImplemented
    if np.any(np.diff(starts) <= 0) or starts[0] < 0:
        return NotImplemented
    places = np.searchsorted(starts, np.arange(len(x)), "right") - 1
    used = places >= 0
    return joining.scattered(np.shape(y), [(places[used], x[used])], "linear")


@pattern(np.polyval)
def polynomial(joining: Any, y: Any, args: Any, marks: Any, kwargs: Any) -> Any:
    """Its place, of a polynomial that is constant."""
    if mark_leaves(marks[:1]):
        return NotImplemented
    return joined("smooth")(joining, y, args[1:], marks[1:], kwargs)


@pattern(np.interp)
def interpolated(joining: Any, y: Any, args: Any, marks: Any, kwargs: Any) -> Any:
    """Its place, where only the points vary; the values at both sides, where only these do."""
    if not mark_leaves(marks[1:]):
        return joining.join(np.shape(y), mark_leaves(marks[:1]), "smooth")
    if len(args) != 3 or mark_leaves(marks[:2]) or kwargs.get("period") is not None:
        return NotImplemented
    values, points = array_marks(args[2], marks[2]), np.asarray(args[1])
    right = np.searchsorted(points, args[0], "right")
    last = len(points) - 1
    parts = [values[np.clip(right + k, 0, last)] for k in (-2, -1, 0)]  # on a point the one before may count, too
    if kwargs.get("left") is not None or kwargs.get("right") is not None:
        return NotImplemented
    return joining.join(np.shape(y), parts, "linear")


if hasattr(np, "cumulative_sum"):
    pattern(_np.cumulative_sum)(accumulated("linear"))
    pattern(_np.cumulative_prod)(accumulated("product"))
