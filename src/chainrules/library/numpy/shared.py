"""What the rules for NumPy share: optional arguments, axes, spreading a cotangent over what was reduced."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from ...tangents import NotImplementedTangent

ndarray = np.ndarray
NO_VALUE = np._NoValue
DOUBLE = np.dtype(np.float64)


def leading(impl: Callable[..., Any], active: int = 1) -> Callable[..., Any]:
    """A rule from one whose pullback knows the first ``active`` arguments only.

    Args:
        impl: a rule whose pullback returns the bare cotangent of its first argument, or, for ``active >
            1``, a tuple.
        active: how many positional arguments the pullback is for.

    Returns:
        A rule whose pullback gives ``None`` for the further positional arguments (a `NotImplementedTangent`
        for those that are floats and could be active), and drops what was not positional.
    """

    @wraps(impl)
    def rule(*args: Any, **kwargs: Any) -> Any:
        n = len(args)
        if n == 1 and active == 1:
            return impl(*args, **kwargs) if kwargs else impl(args[0])
        answer = impl(*args, **kwargs)
        if answer is NotImplemented:
            return answer
        y, pullback = answer
        if active > 1:
            rest = _absent(args[active:])
            return y, lambda y_bar: (*pullback(y_bar), *rest)[:n]
        rest = _absent(args[1:])
        return y, lambda y_bar: (pullback(y_bar), *rest)

    return rule


_INEXACT = (float, complex, np.inexact)


_INERT = frozenset([int, bool, str, type(None)])


def _absent(args: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple([_missing() if type(a) not in _INERT and could_be_active(a) else None for a in args])


def could_be_active(x: Any) -> bool:
    """Whether `x` holds floats or complex numbers."""
    if isinstance(x, (list, tuple)):
        return not _INERT.issuperset(map(type, x)) and any(map(could_be_active, x))
    return isinstance(x, _INEXACT) or (isinstance(x, ndarray) and x.dtype.kind in "fc")


def _missing() -> NotImplementedTangent:
    return NotImplementedTangent(
        "it is not implemented; keep the argument constant (chainrules.ignore_derivatives), or write an rrule"
    )


def refuse(name: str, **options: Any) -> None:
    """Refuse options that the rule for ``name`` has no derivative for.

    Raises:
        NotImplementedError: names the first option that is given.
    """
    for option, value in options.items():
        if value is not None and value is not NO_VALUE:
            raise NotImplementedError(
                f"the rule for {name} has no derivative for the keyword {option!r}; call it without, or write a rule"
            )


def given(**options: Any) -> dict[str, Any]:
    """The options that were given: not ``None`` and not NumPy's own "no value"."""
    return {k: v for k, v in options.items() if v is not None and v is not NO_VALUE}


def normal_axes(axis: Any, ndim: int) -> tuple[int, ...]:
    """The axes as a sorted tuple of non-negative numbers; ``None`` means all. Where there are no axes NumPy lets one
    be named, and it means none.
    """
    if axis is None or not ndim:
        return tuple(range(ndim))
    if type(axis) is int:
        return (axis % ndim,)
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    return tuple(sorted(int(a) % ndim for a in axes))


def kept_shape(shape: tuple[int, ...], axes: tuple[int, ...]) -> tuple[int, ...]:
    """``shape`` with the reduced axes of length one, as ``keepdims=True`` gives it."""
    return tuple([1 if i in axes else n for i, n in enumerate(shape)])


def reduced_size(shape: tuple[int, ...], axes: tuple[int, ...]) -> int:
    """How many elements go into one element of the result."""
    size = 1
    for a in axes:
        size *= shape[a]
    return size


def first_joined(x: Any, n: int) -> Any:
    """``x`` with its first ``n`` axes as one. ``reshape`` cannot tell the length of -1 where there are no elements.

    >>> first_joined(np.zeros((2, 3, 0)), 2).shape
    (6, 0)
    """
    return x.reshape(math.prod(x.shape[:n]), *x.shape[n:])


def spread(g: Any, shape: tuple[int, ...], kept: tuple[int, ...] | None) -> Any:
    """A fresh array of ``shape`` filled with the cotangent of a reduction.

    Args:
        g: number, or array of the reduced shape with or without the kept axes.
        shape: of the array that was reduced.
        kept: its shape with the reduced axes of length one, or ``None`` where all were reduced.
    """
    if type(g) is float or type(g) is np.float64:
        spread_out = np.empty(shape)
        spread_out.fill(g)
        return spread_out
    if not isinstance(g, (ndarray, np.generic)):
        g = np.asarray(g)
    spread_out = np.empty(shape, g.dtype if g.dtype.kind in "fcO" else np.float64)
    if kept is None:
        g = g.reshape(()) if g.ndim else g
    else:
        g = g.reshape(kept)
    spread_out[...] = g
    return spread_out


def conj(x: Any) -> Any:
    """The conjugate; ``x`` itself where it is a real array, without a copy."""
    if type(x) is ndarray and x.dtype.kind != "c":
        return x
    return np.conj(x)


def as_array(x: Any) -> Any:
    """``x`` as an array; arrays as they are."""
    return x if isinstance(x, ndarray) else np.asarray(x)


def numbered(a: Any) -> Any:
    """The numbers of the elements of ``a``, in an array that lies in memory as ``a`` does.

    >>> np.ravel(numbered(np.zeros((2, 2), order="F")), "K").tolist()
    [0, 2, 1, 3]
    """
    numbers = np.empty_like(as_array(a), np.intp, subok=False)
    numbers[...] = np.arange(numbers.size).reshape(numbers.shape)
    return numbers


def scatter(index: Any, g: Any, size: int) -> Any:
    """A flat array of ``size`` into which ``g`` is added at the given flat positions; repeated ones add up.

    Args:
        index: integers from 0 to ``size - 1``, of any shape.
        g: numbers, real or complex, as many as ``index`` has.
        size: the length of the result.

    Raises:
        ValueError: ``index`` and ``g`` differ in size, or a position is negative.

    >>> scatter(np.array([0, 2, 2]), np.array([1.0, 2.0, 3.0]), 4).tolist()
    [1.0, 0.0, 5.0, 0.0]
    """
    index, g = np.ravel(index), np.ravel(g)
    if g.dtype.kind == "c":
        return scatter(index, g.real, size) + 1j * scatter(index, g.imag, size)
    if g.dtype.char in "Og":  # `bincount` knows doubles only
        total = np.zeros(size, g.dtype)
        np.add.at(total, index, g)
        return total
    return np.bincount(index, g, size)
