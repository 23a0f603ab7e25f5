"""Arrays continued beyond their boundaries, as filters see them, and the adjoint of that."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from ...rules import rrule
from ..forward import forward
from ..numpy.shared import as_array

ALIASES = {"grid-mirror": "reflect", "grid-wrap": "wrap", "grid-constant": "constant"}


def unless_empty(impl: Callable[..., Any], active: int = 1) -> Callable[..., Any]:
    """A rule whose pullback gives zeros for the first ``active`` arguments where one of them has no elements."""

    @wraps(impl)
    def rule(*args: Any, **kwargs: Any) -> Any:
        answer = impl(*args, **kwargs)
        if answer is NotImplemented or all(as_array(a).size for a in args[:active]):
            return answer
        zeros = [np.zeros(np.shape(a)) for a in args[:active]]
        return answer[0], lambda y_bar: tuple(zeros) if active > 1 else zeros[0]

    return rule


def places(n: int, left: int, right: int, mode: str) -> Any:
    """Which of ``n`` elements stand at the positions ``-left .. n + right - 1``; -1 where none does.

    >>> [places(3, 2, 2, mode).tolist() for mode in ("reflect", "mirror", "nearest")]
    [[1, 0, 0, 1, 2, 2, 1], [2, 1, 0, 1, 2, 1, 0], [0, 0, 0, 1, 2, 2, 2]]
    """
    return found_at(np.arange(-left, n + right), n, mode)


def found_at(at: Any, n: int, mode: str) -> Any:
    """Which of ``n`` elements stand at any positions; -1 where none does."""
    mode = ALIASES.get(mode, mode)
    if mode == "nearest":
        return np.clip(at, 0, n - 1)
    if mode == "wrap":
        return at % n
    if mode == "reflect":
        at = at % (2 * n)
        return np.where(at < n, at, 2 * n - 1 - at)
    if mode == "mirror":
        at = at % max(2 * n - 2, 1)
        return np.where(at < n, at, 2 * n - 2 - at)
    if mode == "constant":
        return np.where((at < 0) | (at >= n), -1, at)
    raise NotImplementedError(f"the rules for filters have no derivative for the boundary mode {mode!r}")


def extended(x: Any, axis: int, left: int, right: int, mode: str, value: Any = 0.0) -> Any:
    """An array with so many elements more before and after those along an axis.

    >>> extended(np.array([1.0, 2.0, 3.0]), 0, 1, 2, "reflect").tolist()
    [1.0, 1.0, 2.0, 3.0, 3.0, 2.0]
    """
    mode = ALIASES.get(mode, mode)
    if not left and not right:
        return x
    if mode == "constant" and isinstance(value, (int, float)) and value == 0:
        ends = [np.zeros((*x.shape[:axis], n, *x.shape[axis + 1 :]), x.dtype) for n in (left, right)]
        return np.concatenate((ends[0], x, ends[1]), axis)
    at = places(x.shape[axis], left, right, mode)
    if mode != "constant":
        return np.take(x, at, axis)
    there = np.reshape(at >= 0, [-1 if k == axis else 1 for k in range(x.ndim)])
    return np.where(there, np.take(x, np.maximum(at, 0), axis), value)


def folded(g: Any, axis: int, left: int, right: int, mode: str) -> Any:
    """The adjoint of `extended`: what stands beyond the boundaries is added to where it came from.

    >>> folded(np.array([1.0, 10.0, 20.0, 30.0, 2.0, 3.0]), 0, 1, 2, "reflect").tolist()
    [11.0, 23.0, 32.0]
    """
    mode = ALIASES.get(mode, mode)
    n = g.shape[axis] - left - right
    if n < 0:
        raise ValueError(f"an axis of {g.shape[axis]} elements cannot have {left + right} beyond its boundaries")
    along = np.moveaxis(g, axis, 0) if axis else g
    total = along[left : left + n]
    if mode != "constant" and left + right:
        at = places(n, left, right, mode)
        total = total.copy()
        np.add.at(total, at[:left], along[:left])
        np.add.at(total, at[left + n :], along[left + n :])
    return np.moveaxis(total, 0, axis) if axis else total


@rrule(folded)
def folded_rule(g: Any, axis: int, left: int, right: int, mode: str) -> Any:
    """The seed continued."""
    return folded(g, axis, left, right, mode), lambda y_bar: (extended(y_bar, axis, left, right, mode), *[None] * 4)


@forward(folded)
def folded_forward(y: Any, dots: Any, g: Any, axis: int, left: int, right: int, mode: str) -> Any:
    """Linear."""
    return folded(dots[0], axis, left, right, mode)
