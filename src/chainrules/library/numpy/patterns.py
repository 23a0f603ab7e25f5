"""Patterns of NumPy's functions: which numbers of a value depend on which of the arguments. One table."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib import stride_tricks

from ...lookup import frules_for
from ...patterns import MOVING, mark_leaves, pattern
from .forward_shapes import CONVERTING, FIRST, TOGETHER, filled
from .shared import NO_VALUE, scatter

_np: Any = np
LONG = 2000  # elements of which sums are accumulated one by one
FEW_TERMS = 10_000  # of a sum of products, that are looked at one by one
_nd = np.ndarray

# -- numbers that only move: the forward rule moves marks as it moves tangents ----------------------------------

MOVES: tuple[Any, ...] = (
    *(f for f in FIRST if f not in CONVERTING),
    *(f for f in TOGETHER if f is not np.linspace), np.reshape, _nd.reshape, np.ravel, _nd.ravel, _nd.flatten, _nd.T,
    _nd.mT, np.take, _nd.take, np.take_along_axis, np.compress, _nd.compress, np.extract, np.full, np.full_like,
    np.insert, stride_tricks.as_strided, np.trim_zeros, np.unwrap,
)  # fmt: skip
NARROWING = ("dtype", "casting", "like")  # keywords that would round marks, or make objects of them


def _moving(f: Any) -> None:
    @pattern(f)
    def moved(joining: Any, y: Any, args: Any, marks: Any, kwargs: Any) -> Any:
        """The marks of the elements that were moved."""
        options = {k: v for k, v in kwargs.items() if k not in NARROWING}
        tangent = frules_for(f)[0].tangent
        return NotImplemented if tangent is None else tangent(y, args, marks, options)


for f in MOVES:
    _moving(f)
MOVING.update(MOVES)


@pattern(*CONVERTING)
def converted(joining: Any, y: Any, args: Any, marks: Any, kwargs: Any) -> Any:
    """The same marks, whatever the dtype."""
    return np.reshape(filled(args[0], marks[0]), np.shape(y))


@pattern(np.pad)
def padded(joining: Any, y: Any, args: Any, marks: Any, kwargs: Any) -> Any:
    """Elements that are repeated at the ends; statistics and ramps are dense."""
    given = {"mode": "constant", **kwargs, **dict(zip(("array", "pad_width", "mode"), args, strict=False))}
    mode = given["mode"]
    if mode not in ("constant", "edge", "reflect", "symmetric", "wrap", "empty") or "reflect_type" in kwargs:
        return NotImplemented
    options = {"constant_values": 0} if mode == "constant" else {}
    return np.pad(np.reshape(filled(args[0], marks[0]), np.shape(args[0])), given["pad_width"], mode, **options)


def rearranged(f: Any, arrays: int | None = None) -> None:
    """Declare the pattern of a function that moves numbers of any kind: it moves the marks of its first `arrays`."""

    @pattern(f)
    def moved(joining: Any, y: Any, args: Any, marks: Any, kwargs: Any) -> Any:
        """The marks of the elements that were moved, and none for what is new."""
        n = len(args) if arrays is None else arrays
        if mark_leaves(marks[n:]):
            return NotImplemented
        given = [
            np.zeros(np.shape(x), np.int64) if m is None else array_marks(x, m)
            for x, m in zip(args[:n], marks[:n], strict=True)
        ]
        return f(*given, *args[n:], **kwargs)


# -- element by element -----------------------------------------------------------------------------------------


def joined(kind: Any) -> Any:
    """The pattern of a function that works element by element, all of its arguments broadcast."""

    def body(joining: Any, y: Any, args: Any, marks: Any, kwargs: Any) -> Any:
        """Those of the arguments at the place."""
        leaves, shape = mark_leaves(marks), np.shape(y)
        if any(np.broadcast_shapes(np.shape(m), shape) != shape for m in leaves):
            return NotImplemented
        return joining.join(shape, leaves, kind)

    return body


# What a selection does not choose here it may choose at the next point: both branches count.
pattern(
    np.where, np.select, np.choose, _nd.choose, np.clip, _nd.clip, np.real, np.imag, np.conjugate, _nd.conjugate,
    _nd.conj, np.nan_to_num, np.real_if_close,
)(joined("linear"))  # fmt: skip
pattern(np.angle, np.sinc, np.i0)(joined("smooth"))


# -- along axes -------------------------------------------------------------------------------------------------


def axes_of(axis: Any, ndim: int) -> tuple[int, ...]:
    """Axes as NumPy is told of them, counted from the front."""
    if axis is None:
        return tuple(range(ndim))
    return tuple(int(k) % max(ndim, 1) for k in (axis if isinstance(axis, (tuple, list)) else (axis,)))


def reduced(kind: Any, at: int = 1, default: Any = None) -> Any:
    """The pattern of a reduction, whose axis is the argument `at`."""

    def body(joining: Any, y: Any, args: Any, marks: Any, kwargs: Any) -> Any:
        """All along the axis."""
        axis = args[at] if len(args) > at else kwargs.get("axis", default)
        x = marks_of_first(args, marks)
        if x is None or (axis is not None and not isinstance(axis, (int, tuple, np.integer))):
            return NotImplemented
        found = joining.grouped(x, axes_of(axis, x.ndim), kind)
        return np.broadcast_to(found, np.shape(y)) if np.size(y) != np.size(found) else np.reshape(found, np.shape(y))

    return body


def mixed(kind: Any, default: Any = -1, at: int = 1) -> Any:
    """The pattern of a function that mixes what lies along axes, and returns as much or another number of it."""

    def body(joining: Any, y: Any, args: Any, marks: Any, kwargs: Any) -> Any:
        """All along the axes, in each place."""
        axis = args[at] if len(args) > at else kwargs.get("axis", kwargs.get("axes", default))
        x = marks_of_first(args, marks)
        if x is None or isinstance(y, tuple):
            return NotImplemented
        axes = axes_of(axis, x.ndim)
        found = joining.grouped(x, axes, kind)
        if axis is None or x.ndim == 0:
            return np.broadcast_to(found, np.shape(y))
        return np.broadcast_to(np.expand_dims(found, axes), np.shape(y))

    return body


def accumulated(kind: Any, default: Any = None, at: int = 1) -> Any:
    """The pattern of a function each of whose values takes in one element more along an axis."""
    all_of_it = mixed(kind, default, at)

    def body(joining: Any, y: Any, args: Any, marks: Any, kwargs: Any) -> Any:
        """Those up to the place; of long arrays all along the axis."""
        axis = args[at] if len(args) > at else kwargs.get("axis", default)
        x = marks_of_first(args, marks)
        if x is None:
            return NotImplemented
        x = np.ravel(x) if axis is None else x
        if not x.ndim or not x.size or x.shape[axis or 0] > LONG or np.shape(y) != x.shape:
            return all_of_it(joining, y, args, marks, kwargs)
        x = np.moveaxis(x, axis or 0, 0)
        found = [x[0]]
        for k in range(1, len(x)):
            found.append(joining.join(x.shape[1:], [found[-1], x[k]], kind))
        return np.moveaxis(np.stack(found), 0, axis or 0)

    return body


def marks_of_first(args: Any, marks: Any) -> Any:
    """The marks of the first argument as an array; None where another one varies."""
    if mark_leaves(marks[1:]):
        return None
    return np.reshape(filled(args[0], marks[0]), np.shape(args[0])).astype(np.int64)


pattern(
    np.sum, _nd.sum, np.nansum, np.mean, _nd.mean, np.nanmean, np.max, _nd.max, np.min, _nd.min, np.nanmax, np.nanmin,
    np.ptp, np.median, np.nanmedian,
)(reduced("linear"))  # fmt: skip
pattern(
    np.prod, _nd.prod, np.nanprod, np.var, _nd.var, np.nanvar, np.std, _nd.std, np.nanstd,
)(reduced("smooth"))  # fmt: skip
pattern(np.linalg.norm)(reduced("smooth", 2))
pattern(np.cumsum, _nd.cumsum, np.nancumsum)(accumulated("linear"))
pattern(np.cumprod, _nd.cumprod, np.nancumprod)(accumulated("product"))
pattern(np.sort)(mixed("linear"))
STRAIGHT = (np.add, np.maximum, np.minimum, np.fmax, np.fmin)
KINDS: dict[Any, str] = {np.multiply: "product", np.true_divide: "quotient"}


def _pairs(f: Any, kind: Any) -> None:
    @pattern(f)
    def paired(joining: Any, y: Any, args: Any, marks: Any, kwargs: Any) -> Any:
        """One element of each operand."""
        if kwargs or len(args) != 2:
            return NotImplemented
        a, b = (0 if m is None else array_marks(x, m) for x, m in zip(args, marks, strict=True))
        parts = [np.reshape(a, np.shape(a) + (1,) * np.ndim(args[1])) if marks[0] is not None else 0, b]
        if kind not in ("product", "quotient"):
            parts = [p for p, m in zip(parts, marks, strict=True) if m is not None]
        return joining.join(np.shape(y), parts, kind)


for _ufunc in {id(f): f for f in vars(np).values() if isinstance(f, np.ufunc)}.values():
    _kind = "linear" if _ufunc in STRAIGHT else "smooth"
    pattern(_ufunc.reduce)(reduced(_kind, 1, 0))
    pattern(_ufunc.accumulate)(accumulated("product" if _ufunc is np.multiply else _kind, 0))
    if _ufunc.nin == 2 and _ufunc.nout == 1 and _ufunc.signature is None:
        _pairs(_ufunc.outer, "linear" if _ufunc in (*STRAIGHT, np.subtract) else KINDS.get(_ufunc, "smooth"))


@pattern(np.trace, _nd.trace)
def traced(joining: Any, y: Any, args: Any, marks: Any, kwargs: Any) -> Any:
    """All on the diagonals."""
    if kwargs.get("out") is not None or len(args) > 4:
        return NotImplemented
    options = {k: v for k, v in kwargs.items() if k not in NARROWING}
    diagonal = np.diagonal(array_marks(args[0], marks[0]), *args[1:], **options)
    return joining.grouped(diagonal, (diagonal.ndim - 1,), "linear")


@pattern(np.linspace)
def spread(joining: Any, y: Any, args: Any, marks: Any, kwargs: Any) -> Any:
    """Both ends everywhere."""
    if isinstance(y, tuple):  # with the step
        return NotImplemented
    ends = [array_marks(x, m) for x, m in zip(args, marks, strict=True) if m is not None]
    return joining.join(np.shape(y), ends, "linear") if all(m.ndim == 0 for m in ends) else NotImplemented


@pattern(np.diff)
def differences(
    joining: Any, y: Any, args: Any, marks: Any, kwargs: Any,
) -> Any:  # fmt: skip
    """Neighbours, as often as the difference is taken."""
    given_so_far: list[Any] = list(args[1:])
    n, axis, *ends = given_so_far + [1, -1, NO_VALUE, NO_VALUE][len(given_so_far) :]
    n, axis = kwargs.get("n", n), kwargs.get("axis", axis)
    x = np.reshape(filled(args[0], marks[0]), np.shape(args[0])).astype(np.int64)
    x = np.moveaxis(x, axis, 0)
    given = zip(("prepend", "append"), ends, (*marks[3:], None, None), strict=False)
    for name, end, mark in given:
        end = kwargs.get(name, end)
        if end is NO_VALUE:
            continue
        size = np.shape(end)[axis] if np.ndim(end) else 1
        part = np.zeros((size, *x.shape[1:]), np.int64)
        if mark is not None:
            part[...] = np.moveaxis(mark, axis, 0) if np.ndim(mark) else mark
        x = np.concatenate((part, x) if name == "prepend" else (x, part))
    for _ in range(n):
        x = joining.join((max(len(x) - 1, 0), *x.shape[1:]), [x[1:], x[:-1]], "linear")
    return np.moveaxis(x, 0, axis)


@pattern(np.gradient)
def slopes(joining: Any, y: Any, args: Any, marks: Any, kwargs: Any) -> Any:
    """The neighbours on both sides, with the point itself where distances differ; at the ends the next ones."""
    x = marks_of_first(args, marks)
    if x is None:
        return NotImplemented
    uneven = any(map(np.ndim, args[1:]))
    found = []
    for k in axes_of(kwargs.get("axis"), x.ndim):
        n = x.shape[k]
        i = np.arange(n)
        low, high = np.maximum(i - 1, 0), np.minimum(i + 1, n - 1)
        third = i.copy() if uneven else low.copy()
        if kwargs.get("edge_order", 1) == 2:
            third[0], third[-1] = 2, n - 3
        found.append(joining.join(x.shape, [np.take(x, at, k) for at in (low, high, third)], "linear"))
    return found if isinstance(y, (list, tuple)) else found[0]


@pattern(np.convolve)
def convolved(joining: Any, y: Any, args: Any, marks: Any, kwargs: Any) -> Any:
    """A window of the longer operand where the other one is constant."""
    mode = kwargs.get("mode", args[2] if len(args) > 2 else "full")
    sizes = [np.size(a) for a in args[:2]]
    if (mark_leaves(marks[:1]) and mark_leaves(marks[1:2])) or mode not in ("full", "same", "valid"):
        return NotImplemented
    at = 0 if mark_leaves(marks[:1]) else 1
    x = np.ravel(filled(args[at], marks[at])).astype(np.int64)
    n, m = sizes[at], sizes[1 - at]
    terms = [(np.arange(n) + k, x) for k in np.flatnonzero(args[1 - at])]
    full = joining.scattered((n + m - 1,), terms, "linear")
    cut = {"full": 0, "same": (min(n, m) - 1) // 2, "valid": min(n, m) - 1}[mode]
    return full[cut : cut + np.size(y)]


# -- scattered --------------------------------------------------------------------------------------------------


@pattern(scatter)
def scattered_marks(joining: Any, y: Any, args: Any, marks: Any, kwargs: Any) -> Any:
    """The sums of what goes to one place."""
    return joining.scattered(np.shape(y), [(np.ravel(args[0]), np.ravel(marks[1]))], "linear")


@pattern(np.bincount)
def counted(joining: Any, y: Any, args: Any, marks: Any, kwargs: Any) -> Any:
    """The sums of the weights in each bin."""
    if mark_leaves(marks[:1]) or marks[1] is None:
        return NotImplemented
    return joining.scattered(np.shape(y), [(np.ravel(args[0]), np.ravel(filled(args[1], marks[1])))], "linear")


# -- products ---------------------------------------------------------------------------------------------------


@pattern(np.dot, _nd.dot)
def multiplied(joining: Any, y: Any, args: Any, marks: Any, kwargs: Any) -> Any:
    """A row of the first and a column of the second operand; of a constant matrix where it is not zero."""
    a, b = np.asarray(args[0]), np.asarray(args[1])
    if kwargs or len(args) > 2 or not (0 < a.ndim < 3 and 0 < b.ndim < 3):
        return NotImplemented
    shape = np.shape(y)
    if marks[0] is not None and marks[1] is not None:
        names = {(1, 1): "j,j->", (2, 1): "ij,j->i", (1, 2): "j,jk->k", (2, 2): "ij,jk->ik"}[a.ndim, b.ndim]
        return contracted(joining, y, (names, a, b), (None, array_marks(a, marks[0]), array_marks(b, marks[1])), {})
    if marks[0] is None:
        return np.reshape(_times_constant(joining, np.atleast_2d(a), array_marks(args[1], marks[1])), shape)
    if b.ndim == 1:
        b = b[:, None]
    found = _times_constant(joining, b.T, array_marks(args[0], marks[0]).T)
    return np.reshape(found.T if a.ndim == 2 else found, shape)


def array_marks(x: Any, marks: Any) -> Any:
    """The marks of an argument as an array of its shape."""
    return np.reshape(filled(x, marks), np.shape(x)).astype(np.int64)


def _times_constant(joining: Any, a: Any, x: Any) -> Any:
    """``a @ x`` for constant `a` and the marks `x`."""
    columns = x if x.ndim == 2 else x[:, None]
    rows, inner = np.nonzero(a)
    if len(rows) * 2 > a.size:
        found = np.broadcast_to(joining.grouped(columns, (0,), "linear"), (len(a), columns.shape[1]))
    else:
        m = columns.shape[1]
        places = (rows[:, None] * m + np.arange(m)).ravel()
        found = joining.scattered((len(a), m), [(places, columns[inner].ravel())], "linear")
    return found if x.ndim == 2 else found[:, 0]


@pattern(np.outer, np.linalg.outer)
def outer_marks(joining: Any, y: Any, args: Any, marks: Any, kwargs: Any) -> Any:
    """One element of each operand."""
    parts = [None if m is None else np.ravel(filled(x, m)) for x, m in zip(args[:2], marks[:2], strict=True)]
    given = [p[:, None] if i == 0 else p[None] for i, p in enumerate(parts) if p is not None]
    return joining.join(np.shape(y), given, "product")


@pattern(_np.einsum)
def contracted(joining: Any, y: Any, args: Any, marks: Any, kwargs: Any) -> Any:
    """For each operand the union along the axes that are summed, where the letters are spelled out."""
    letters = args[0]
    if not isinstance(letters, str) or "." in letters or mark_leaves(marks[:1]):
        return NotImplemented
    letters = letters.replace(" ", "")
    inputs, _, output = letters.partition("->")
    if "->" not in letters:
        output = "".join(sorted(c for c in set(inputs) - {","} if inputs.count(c) == 1))
    sizes: dict[str, int] = {}
    for names, x in zip(inputs.split(","), args[1:], strict=True):
        for c, n in zip(names, np.shape(x), strict=True):
            sizes[c] = n if sizes.get(c, 1) == 1 else sizes[c]
    varying = [m for m in marks[1:] if m is not None]
    summed = "".join(c for c in sizes if c not in output)
    # Which elements meet in a product is known term by term; where there are many terms, only along the summed axes.
    exact = len(varying) > 1 and np.prod([float(n) for n in sizes.values()]) <= FEW_TERMS + 4 * sum(
        map(np.size, varying)
    )
    kept = output + summed if exact else output
    parts = []
    for names, x, mark in zip(inputs.split(","), args[1:], marks[1:], strict=True):
        if mark is not None:
            parts.append(_along_letters(joining, array_marks(x, mark), names, kept))
    made = joining.join(tuple(sizes[c] for c in kept), parts, "product")
    if exact:
        made = joining.grouped(made, tuple(range(len(output), len(kept))), "linear")
    return np.broadcast_to(made, np.shape(y))


def _along_letters(joining: Any, m: Any, names: str, kept: str) -> Any:
    """Marks with an axis for each letter that is kept, and the union along all others."""
    for name in {c for c in names if names.count(c) > 1}:
        while names.count(name) > 1:
            first, second = names.index(name), names.rindex(name)
            m = np.diagonal(m, 0, first, second)
            names = "".join(c for k, c in enumerate(names) if k not in (first, second)) + name
    m = joining.grouped(m, tuple(k for k, c in enumerate(names) if c not in kept), "linear")
    names = "".join(c for c in names if c in kept)
    m = np.transpose(m, [names.index(c) for c in kept if c in names])
    return m[tuple(slice(None) if c in names else None for c in kept)]
