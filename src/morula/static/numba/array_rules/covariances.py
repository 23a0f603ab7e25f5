"""Covariances and correlations of variables, which are rows, or columns where ``rowvar`` is false."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload, register_jitable

from morula.static.numba.array_rules.registry import array_rule
from morula.static.numba.array_rules.shared import dot, like


def count(x: Any, rowvar: Any) -> int:
    """How many variables there are; none in ``None``."""
    if x is None:
        return 0
    return 1 if np.ndim(x) == 1 else x.shape[0] if rowvar else x.shape[1]


@overload(count, strict=False)
def _count(x: Any, rowvar: Any) -> Any:
    if isinstance(x, types.NoneType):
        return lambda x, rowvar: 0
    if x.ndim == 1:
        return lambda x, rowvar: 1
    return lambda x, rowvar: x.shape[0] if rowvar else x.shape[1]


def put(rows: Any, start: int, x: Any, rowvar: Any) -> None:
    """Write the variables of ``x`` from row ``start`` on; nothing of ``None``."""
    if x is not None:
        rows[start : start + count(x, rowvar)] = x if np.ndim(x) == 1 or rowvar else x.T


@overload(put, strict=False)
def _put(rows: Any, start: Any, x: Any, rowvar: Any) -> Any:
    if isinstance(x, types.NoneType):
        return lambda rows, start, x, rowvar: None

    def put_vector(rows: Any, start: Any, x: Any, rowvar: Any) -> None:
        for j in range(rows.shape[1]):
            rows[start, j] = x[j]

    def put_matrix(rows: Any, start: Any, x: Any, rowvar: Any) -> None:
        for i in range(count(x, rowvar)):
            for j in range(rows.shape[1]):
                rows[start + i, j] = x[i, j] if rowvar else x[j, i]

    return put_vector if x.ndim == 1 else put_matrix


def give(x_bar: Any, x: Any, rows: Any, start: int, rowvar: Any) -> None:
    """Add the cotangents of the variables from row ``start`` on; nothing to ``None``."""
    if x_bar is not None:
        part = rows[start : start + count(x, rowvar)]
        x_bar += like(x, part[0] if np.ndim(x) == 1 else part if rowvar else part.T)


@overload(give, strict=False)
def _give(x_bar: Any, x: Any, rows: Any, start: Any, rowvar: Any) -> Any:
    if isinstance(x_bar, types.NoneType):
        return lambda x_bar, x, rows, start, rowvar: None

    def give_vector(x_bar: Any, x: Any, rows: Any, start: Any, rowvar: Any) -> None:
        for j in range(rows.shape[1]):
            x_bar[j] += like(x, rows[start, j])

    def give_matrix(x_bar: Any, x: Any, rows: Any, start: Any, rowvar: Any) -> None:
        for i in range(count(x, rowvar)):
            for j in range(rows.shape[1]):
                if rowvar:
                    x_bar[i, j] += like(x, rows[start + i, j])
                else:
                    x_bar[j, i] += like(x, rows[start + i, j])

    return give_vector if x.ndim == 1 else give_matrix


@register_jitable
def samples(x: Any, rowvar: Any) -> int:
    """How many samples each variable has."""
    if x.ndim == 1:
        return len(x)
    return x.shape[1] if rowvar else x.shape[0]


@register_jitable
def centred(rows: Any) -> Any:
    """The variables less their means."""
    for i in range(rows.shape[0]):
        rows[i] -= np.sum(rows[i]) / max(rows.shape[1], 1)
    return rows


@register_jitable
def variables(m: Any, y: Any, rowvar: Any, c: Any) -> Any:
    """All variables as rows, those of ``m`` above those of ``y``, of the type of ``c``."""
    rows = np.zeros((count(m, rowvar) + count(y, rowvar), samples(m, rowvar)), c.dtype)
    put(rows, 0, m, rowvar)
    put(rows, count(m, rowvar), y, rowvar)
    return rows


@register_jitable
def as_square(g: Any) -> Any:
    """A seed as a matrix, in C order; of one variable it is a number in an array."""
    if g.ndim == 0:
        return np.full((1, 1), g[()])
    return np.ascontiguousarray(g)


@register_jitable
def in_shape_of(x: Any, y: Any) -> Any:
    """A matrix, or its only element in an array without axes."""
    if y.ndim == 0:
        found = np.empty((), y.dtype)
        found[()] = x[0, 0]
        return found
    return x


def divisor(n: int, bias: Any, ddof: Any) -> float:
    """``n - ddof``, at least 0."""
    return float(max(n - ((0 if bias else 1) if ddof is None else ddof), 0))


@overload(divisor, strict=False)
def _divisor(n: Any, bias: Any, ddof: Any) -> Any:
    if isinstance(ddof, types.NoneType):
        return lambda n, bias, ddof: float(max(n - (0 if bias else 1), 0))
    return lambda n, bias, ddof: float(max(n - ddof, 0))


@register_jitable
def conj_t(x: Any) -> Any:
    """The conjugate transpose, in C order."""
    return np.ascontiguousarray(np.conj(x.T))


def cov_tangent(y: Any, m: Any, y_: Any, rowvar: Any, bias: Any, ddof: Any, m_dot: Any, y__dot: Any) -> Any:
    """``(X_dot X^H + X X_dot^H)/n`` of centred rows."""
    off = centred(variables(m, y_, rowvar, y))
    moved = np.zeros_like(off)
    put(moved, 0, m_dot, rowvar)
    put(moved, count(m, rowvar), y__dot, rowvar)
    half = dot(centred(moved), conj_t(off))
    return in_shape_of(np.divide(half + conj_t(half), divisor(off.shape[1], bias, ddof)), y)


@array_rule(np.cov, tangent=cov_tangent, reads="m y_", y_=None, rowvar=True, bias=False, ddof=None)
def cov_adjoint(
    y: Any, y_bar: Any, m: Any, y_: Any, rowvar: Any, bias: Any, ddof: Any, m_bar: Any, y__bar: Any
) -> None:
    """``C = X X^H / n`` of centred rows. The means move nothing: the rows are centred already."""
    off = centred(variables(m, y_, rowvar, y))
    g = as_square(y_bar)
    bars = np.divide(dot(g + conj_t(g), off), divisor(off.shape[1], bias, ddof))
    give(m_bar, m, bars, 0, rowvar)
    give(y__bar, y_, bars, count(m, rowvar), rowvar)


@register_jitable
def squares(off: Any) -> Any:
    """The sums of squares of the rows."""
    found = np.zeros(len(off))
    for i in range(len(off)):
        for j in range(off.shape[1]):
            found[i] += (np.conj(off[i, j]) * off[i, j]).real
    return found


def corrcoef_tangent(y: Any, x: Any, y_: Any, rowvar: Any, x_dot: Any, y__dot: Any) -> Any:
    """``R_dot[i, j] = C_dot[i, j]/(s[i] s[j]) - R[i, j] (d[i] + d[j])`` with ``d[i] = C_dot[i, i]/(2 s[i]**2)``."""
    off = centred(variables(x, y_, rowvar, y))
    moved = np.zeros_like(off)
    put(moved, 0, x_dot, rowvar)
    put(moved, count(x, rowvar), y__dot, rowvar)
    half = dot(centred(moved), conj_t(off))
    change, square, values = half + conj_t(half), squares(off), as_square(y)
    found = np.zeros_like(change)
    for i in range(len(square)):
        for j in range(len(square)):
            stretch = 0.5 * (np.divide(change[i, i].real, square[i]) + np.divide(change[j, j].real, square[j]))
            found[i, j] = np.divide(change[i, j], np.sqrt(square[i]) * np.sqrt(square[j])) - values[i, j] * stretch
    return in_shape_of(found, y)


@array_rule(np.corrcoef, tangent=corrcoef_tangent, reads="y x y_", y_=None, rowvar=True)
def corrcoef_adjoint(y: Any, y_bar: Any, x: Any, y_: Any, rowvar: Any, x_bar: Any, y__bar: Any) -> None:
    """``R[i, j] = C[i, j]/(s[i] s[j])``: to ``C`` the seed over ``s[i] s[j]``, less on the diagonal
    ``Re(sum(R_bar[i, :] R[i, :]) + sum(R_bar[:, i] R[:, i]))/(2 C[i, i])``.
    """
    off = centred(variables(x, y_, rowvar, y))
    g, values, square = as_square(y_bar), as_square(y), squares(off)
    c_bar = np.zeros_like(values)
    for i in range(len(square)):
        for j in range(len(square)):
            along = 0.5 * (np.conj(values[i, j]) * g[i, j]).real
            c_bar[i, i] -= np.divide(along, square[i])
            c_bar[j, j] -= np.divide(along, square[j])
            c_bar[i, j] += np.divide(g[i, j], np.sqrt(square[i]) * np.sqrt(square[j]))
    bars = dot(c_bar + conj_t(c_bar), off)
    give(x_bar, x, bars, 0, rowvar)
    give(y__bar, y_, bars, count(x, rowvar), rowvar)
