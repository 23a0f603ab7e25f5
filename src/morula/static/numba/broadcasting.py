"""Broadcasting at run time: operands of equal shape are used as they are, an axis of length 1 is repeated.

`fit` brings an operand to the shape of the result; `fit_shadow` gives the shadow of what `fit` returned, and `unfit`
adds that shadow back. Where the shapes agree, all of them cost one comparison.
"""

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload

from morula.static.numba.compiling import helper

__all__ = [
    "bdim", "fit1", "fit2", "fit3", "fit_shadow1", "fit_shadow2", "fit_shadow3", "unfit1", "unfit2", "unfit3",
]  # fmt: skip


@helper()
def bdim(n: int, m: int) -> int:
    """The common length of two axes."""
    if n == m or m == 1:
        return n
    if n == 1:
        return m
    raise ValueError("operands could not be broadcast together")


def _same_layout(made: Any, like: Any) -> Any:
    """A fresh array under the type of `like`."""
    raise NotImplementedError


@overload(_same_layout, strict=False)
def _same_layout_overload(made: Any, like: Any) -> Any:
    if isinstance(like, types.Array) and like.layout == "C":
        return lambda made, like: made
    if isinstance(like, types.Array) and like.layout == "F":
        return lambda made, like: np.asfortranarray(made)
    if like.ndim == 1:
        return lambda made, like: made[::1]
    if like.ndim == 2:
        return lambda made, like: made[::1, ::1]
    return lambda made, like: made[::1, ::1, ::1]


@helper()
def _length(n: int, wanted: int) -> int:
    if n != wanted and n != 1:
        raise ValueError("operands could not be broadcast together")
    return 0 if n == 1 else 1


@helper()
def fit1(a: Any, n: int) -> Any:
    if a.shape[0] == n:
        return a
    made = np.empty(n, a.dtype)
    s = _length(a.shape[0], n)
    for i in range(n):
        made[i] = a[i * s]
    return _same_layout(made, a)


@helper()
def fit2(a: Any, n: int, m: int) -> Any:
    if a.shape[0] == n and a.shape[1] == m:
        return a
    made = np.empty((n, m), a.dtype)
    s, t = _length(a.shape[0], n), _length(a.shape[1], m)
    for i in range(n):
        for j in range(m):
            made[i, j] = a[i * s, j * t]
    return _same_layout(made, a)


@helper()
def fit3(a: Any, n: int, m: int, l: int) -> Any:  # noqa: E741
    if a.shape[0] == n and a.shape[1] == m and a.shape[2] == l:
        return a
    made = np.empty((n, m, l), a.dtype)
    s, t, r = _length(a.shape[0], n), _length(a.shape[1], m), _length(a.shape[2], l)
    for i in range(n):
        for j in range(m):
            for k in range(l):
                made[i, j, k] = a[i * s, j * t, k * r]
    return _same_layout(made, a)


@helper()
def fit_shadow1(a_bar: Any, n: int) -> Any:
    return a_bar if a_bar.shape[0] == n else _same_layout(np.zeros(n, a_bar.dtype), a_bar)


@helper()
def fit_shadow2(a_bar: Any, n: int, m: int) -> Any:
    if a_bar.shape[0] == n and a_bar.shape[1] == m:
        return a_bar
    return _same_layout(np.zeros((n, m), a_bar.dtype), a_bar)


@helper()
def fit_shadow3(a_bar: Any, n: int, m: int, l: int) -> Any:  # noqa: E741
    if a_bar.shape[0] == n and a_bar.shape[1] == m and a_bar.shape[2] == l:
        return a_bar
    return _same_layout(np.zeros((n, m, l), a_bar.dtype), a_bar)


@helper()
def unfit1(a_bar: Any, fit_bar: Any) -> None:
    if a_bar.shape[0] != fit_bar.shape[0]:
        for i in range(fit_bar.shape[0]):
            a_bar[0] += fit_bar[i]


@helper()
def unfit2(a_bar: Any, fit_bar: Any) -> None:
    n, m = fit_bar.shape
    if a_bar.shape[0] != n or a_bar.shape[1] != m:
        s, t = _length(a_bar.shape[0], n), _length(a_bar.shape[1], m)
        for i in range(n):
            for j in range(m):
                a_bar[i * s, j * t] += fit_bar[i, j]


@helper()
def unfit3(a_bar: Any, fit_bar: Any) -> None:
    n, m, l = fit_bar.shape  # noqa: E741
    if a_bar.shape[0] != n or a_bar.shape[1] != m or a_bar.shape[2] != l:
        s, t, r = _length(a_bar.shape[0], n), _length(a_bar.shape[1], m), _length(a_bar.shape[2], l)
        for i in range(n):
            for j in range(m):
                for k in range(l):
                    a_bar[i * s, j * t, k * r] += fit_bar[i, j, k]
