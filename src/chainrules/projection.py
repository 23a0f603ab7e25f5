"""Bringing a cotangent back into the space of its primal: shape, dtype, real or complex, container.

Rules return the natural cotangent; what broadcasting, dtype promotion and mixed real/complex arithmetic did
on the way forward is undone here, once, for all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Number
from typing import Any

import numpy as np

from .tangents import AbstractTangent, NoTangent, NotImplementedDerivative, Tangent, Thunk, unthunk

__all__ = ["ProjectTo", "project", "project_to", "unbroadcast"]

_ndarray = np.ndarray
_sum: Any = np.add.reduce
_float64 = np.dtype(np.float64)
_complex = (complex, np.complexfloating)


def project(x_bar: Any, x: Any) -> Any:
    """Project the cotangent ``x_bar`` onto the space of the primal ``x``.

    Broadcast axes are summed, the imaginary part is dropped for a real ``x``, float32 stays float32, an
    integer gives a float, a Python number gives a Python number; lists, tuples and dictionaries go element
    by element, and an array that is the cotangent of a list is split along its first axis.

    Args:
        x_bar: a cotangent of any allowed form.
        x: the value it belongs to. Only its type, shape and dtype are read.

    Returns:
        The projected cotangent; ``x_bar`` itself where it fits already. Absent ones pass unchanged.

    Raises:
        NotImplementedDerivative: for a `NotImplementedTangent`.
        ValueError: where the shapes cannot belong together.
        TypeError: for the `Tangent` of an object where ``x`` is a number or an array.

    >>> project(np.ones((3, 2)), np.zeros(2)).tolist(), project(np.float64(2.0), 1)
    ([3.0, 3.0], 2.0)
    """
    if type(x_bar) is _ndarray and type(x) is _ndarray:
        if x_bar.shape == x.shape and (x_bar.dtype is x.dtype or x_bar.dtype == x.dtype):
            return x_bar
        return _to_array(x_bar, x.shape, x.dtype)
    if x_bar is None:
        return None
    tx = type(x)
    if tx is float:
        tb = type(x_bar)
        if tb is float:
            return x_bar
        return float(x_bar) if tb is np.float64 else _to_number(x_bar, float)
    if isinstance(x_bar, (AbstractTangent, Thunk)):
        forced = unthunk(x_bar)
        return _fitting(forced, tx) if isinstance(forced, AbstractTangent) else project(forced, x)
    if isinstance(x, _ndarray):
        return _to_array(x_bar, x.shape, x.dtype)
    number = _number_type(tx)
    if number is not None:
        return _to_number(x_bar, number)
    if isinstance(x, (list, tuple)):
        return _to_sequence(x_bar, x)
    if isinstance(x, dict) and isinstance(x_bar, dict):
        return {k: project(x_bar.get(k), v) for k, v in x.items()}
    if isinstance(x, Number) and isinstance(x_bar, _ndarray):
        return _sum(x_bar, axis=None)  # a fraction or a decimal that was broadcast
    return x_bar


@dataclass(frozen=True, slots=True)
class ProjectTo:
    """The space of a value, without the value: made by `project_to`, called with a cotangent.

    >>> to_real = project_to(np.float32(2.0))
    >>> to_real(1.0 + 3.0j), project_to(np.zeros((2, 1)))(np.array([[1j], [2.0]])).tolist()
    (np.float32(1.0), [[0.0], [2.0]])
    """

    kind: type
    shape: tuple[int, ...] = ()
    dtype: Any = None
    inner: Any = None

    def __call__(self, x_bar: Any) -> Any:
        """``x_bar`` brought into this space, as `project` does."""
        x_bar = unthunk(x_bar)
        if x_bar is None or isinstance(x_bar, AbstractTangent):
            return _fitting(x_bar, self.kind)
        if self.dtype is not None:
            return _to_array(x_bar, self.shape, self.dtype)
        number = _number_type(self.kind)
        if number is not None:
            return _to_number(x_bar, number)
        if issubclass(self.kind, dict) and self.inner is not None:
            return {k: p(x_bar.get(k)) for k, p in self.inner.items()}
        if self.inner is not None:
            return _rebuild(self.kind, [p(v) for p, v in zip(self.inner, _split(x_bar, self.shape), strict=True)])
        if issubclass(self.kind, Number) and isinstance(x_bar, _ndarray):
            return _sum(x_bar, axis=None)
        return x_bar


def project_to(x: Any) -> ProjectTo:
    """Return a projection onto the space of ``x`` that does not keep ``x`` alive.

    Args:
        x: a primal value.

    Returns:
        A frozen callable: ``project_to(x)(x_bar)`` equals ``project(x_bar, x)``.

    >>> project_to(np.zeros(2))(np.ones((3, 2)))
    array([3., 3.])
    """
    if isinstance(x, _ndarray):
        return ProjectTo(type(x), x.shape, x.dtype)
    if isinstance(x, dict):
        return ProjectTo(type(x), inner={k: project_to(v) for k, v in x.items()})
    if isinstance(x, (list, tuple)):
        return ProjectTo(type(x), _shape_of(x), inner=tuple(map(project_to, x)))
    return ProjectTo(type(x))


def unbroadcast(x_bar: Any, shape: tuple[int, ...]) -> Any:
    """Undo broadcasting from ``shape``: sum over the axes that were added or stretched.

    Args:
        x_bar: an array whose shape ``shape`` broadcasts to, or from.
        shape: the shape to come back to.

    Returns:
        An array of that shape; ``x_bar`` itself where it has it already.

    Raises:
        ValueError: where the shapes do not broadcast.

    >>> unbroadcast(np.ones((4, 3, 2)), (3, 1)).tolist()
    [[8.0], [8.0], [8.0]]
    """
    have = np.shape(x_bar)
    if have == shape:
        return x_bar
    extra = len(have) - len(shape)
    if extra >= 0:
        stretched = [i + extra for i, n in enumerate(shape) if n == 1 and have[i + extra] != 1]
        axes = (*range(extra), *stretched)
        if axes:
            x_bar = _sum(x_bar, axis=axes, keepdims=bool(stretched))
        if stretched and extra:
            x_bar = x_bar.reshape(x_bar.shape[extra:])
        if np.shape(x_bar) == shape:
            return x_bar
    try:
        return np.broadcast_to(x_bar, shape)
    except ValueError:
        raise ValueError(f"a cotangent of shape {have} cannot belong to a value of shape {shape}") from None


def _to_array(x_bar: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    kind = dtype.kind
    if kind == "O":
        return unbroadcast(x_bar, shape)
    if kind not in "fciub":
        if kind == "V":
            raise NotImplementedDerivative(
                f"an array of records ({dtype}) has no cotangent; use one array for each field"
            )
        return NoTangent()  # text, dates
    if not isinstance(x_bar, _ndarray):
        x_bar = _from_nested(x_bar, shape) if isinstance(x_bar, (list, tuple)) else np.asarray(x_bar)
    if kind != "c" and x_bar.dtype.kind == "c":
        x_bar = x_bar.real
    if x_bar.shape != shape:
        x_bar = unbroadcast(x_bar, shape)
    if kind in "iub":
        dtype = _float64
    if not isinstance(x_bar, _ndarray) or x_bar.dtype != dtype:
        x_bar = np.asarray(x_bar, dtype) if x_bar.dtype.kind != "O" else x_bar
    return x_bar


def _from_nested(x_bar: Any, shape: tuple[int, ...]) -> np.ndarray:
    """An array from a list of cotangents, where ``None`` and the zeros stand for zero."""
    if not shape:
        return np.asarray(x_bar)
    rows = [_row(v, shape[1:]) for v in x_bar]
    return np.stack(rows) if rows else np.zeros(shape)


def _fitting(x_bar: Any, kind: type) -> Any:
    """A special tangent as it is; that of an object cannot belong to a number or an array."""
    if type(x_bar) is Tangent and not issubclass(kind, x_bar.primal_type):
        if issubclass(kind, _ndarray) or _number_type(kind) is not None:
            raise TypeError(f"a cotangent {x_bar!r:.60} cannot belong to a {kind.__name__}")
    return x_bar


def _row(v: Any, shape: tuple[int, ...]) -> Any:
    v = unthunk(v)
    if v is None or isinstance(v, AbstractTangent):
        return np.zeros(shape)
    if isinstance(v, (list, tuple)):
        return _from_nested(v, shape)
    return np.broadcast_to(v, shape)


def _number_type(t: type) -> Any:
    """The type a cotangent of a number of type ``t`` has; ``None`` where ``t`` is no machine number."""
    if t is float or t is complex:
        return t
    if issubclass(t, np.generic):
        if issubclass(t, np.inexact):
            return t
        return float if issubclass(t, (np.integer, np.bool_)) else None
    if issubclass(t, int):
        return float
    if issubclass(t, float):
        return float
    return complex if issubclass(t, complex) else None


def _to_number(x_bar: Any, number: type) -> Any:
    if isinstance(x_bar, (AbstractTangent, Thunk)):
        x_bar = unthunk(x_bar)
        if isinstance(x_bar, AbstractTangent):
            return _fitting(x_bar, number)
    if isinstance(x_bar, (list, tuple)):
        x_bar = np.asarray(x_bar)
    if isinstance(x_bar, _ndarray):
        if x_bar.dtype.kind == "O":
            return x_bar.item() if x_bar.size == 1 else x_bar.sum()
        x_bar = x_bar.item() if x_bar.size == 1 else np.add.reduce(x_bar, axis=None)
    if isinstance(x_bar, _complex) and not issubclass(number, _complex):
        x_bar = x_bar.real
    try:
        return number(x_bar)
    except TypeError:
        return x_bar


def _shape_of(x: Any) -> tuple[int, ...]:
    try:
        return np.shape(x)
    except ValueError:
        return (len(x),)


def _split(x_bar: Any, shape: tuple[int, ...]) -> Any:
    """The parts of ``x_bar``, one for each element of a sequence of the given shape."""
    if isinstance(x_bar, (list, tuple)):
        return x_bar
    if isinstance(x_bar, dict):
        return [x_bar.get(i) for i in range(shape[0])]
    x_bar = np.asarray(x_bar)
    if len(shape) > 1 or x_bar.ndim != 1 or x_bar.shape[0] != shape[0]:
        x_bar = unbroadcast(x_bar, shape) if x_bar.ndim >= len(shape) or x_bar.size == 1 else x_bar
    if x_bar.ndim == 0 or x_bar.shape[0] != shape[0]:
        raise ValueError(f"a cotangent of shape {x_bar.shape} cannot belong to a sequence of shape {shape}")
    return x_bar


def _rebuild(kind: type, values: list[Any]) -> Any:
    if kind is list or issubclass(kind, list):
        return values
    return kind._make(values) if hasattr(kind, "_make") else tuple(values)


def _to_sequence(x_bar: Any, x: Any) -> Any:
    shape = (len(x),) if isinstance(x_bar, (list, tuple)) else _shape_of(x)
    parts = _split(x_bar, shape)
    if len(parts) != len(x):
        raise ValueError(f"a cotangent of {len(parts)} parts cannot belong to a sequence of {len(x)}")
    return _rebuild(type(x), [project(v, e) for v, e in zip(parts, x, strict=True)])
