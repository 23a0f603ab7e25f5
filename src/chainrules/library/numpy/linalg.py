"""`numpy.linalg`: solving, inverting, determinants, norms. All work on stacks of matrices.

Formulas: M. Giles, "Collected matrix derivative results for forward and reverse mode algorithmic
differentiation" (2008); for complex matrices the transpose becomes the conjugate transpose.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...rules import rrule
from ...tangents import Thunk
from .cofactors import cofactors
from .linear import _h
from .reductions import check_dtype
from .shared import as_array, conj, leading


@rrule(np.linalg.inv)
def inv_rule(a: Any) -> Any:
    """``-Y^H G Y^H``."""
    y = np.linalg.inv(a)
    return y, lambda y_bar: Thunk(lambda: -(_h(y) @ y_bar @ _h(y)))


@rrule(np.linalg.solve)
def solve_rule(a: Any, b: Any) -> Any:
    """``b_bar = A^-H G`` and ``a_bar = -b_bar y^H``."""
    y = np.linalg.solve(a, b)
    a, b = as_array(a), as_array(b)
    vector = b.ndim == 1

    def solve_pullback(y_bar: Any) -> Any:
        def b_bar() -> Any:
            if vector and a.ndim > 2:
                return np.linalg.solve(_h(a), y_bar[..., None])[..., 0]
            return np.linalg.solve(_h(a), y_bar)

        def a_bar() -> Any:
            if vector:
                return -b_bar()[..., :, None] * conj(y)[..., None, :]
            return -(b_bar() @ _h(y))

        return Thunk(a_bar), Thunk(b_bar)

    return y, solve_pullback


@rrule(np.linalg.det)
def det_rule(a: Any) -> Any:
    """The cofactors: ``det(A) A^-H`` without dividing by a determinant that may be 0."""
    y = np.linalg.det(a)
    a = as_array(a)

    def a_bar(y_bar: Any) -> Any:
        return np.asarray(y_bar)[..., None, None] * cofactors(a, y)

    return y, lambda y_bar: Thunk(a_bar, y_bar)


@rrule(np.linalg.slogdet)
def slogdet_rule(a: Any) -> Any:
    """``A^-H`` to the logarithm; the sign turns only where it is complex."""
    y = np.linalg.slogdet(a)
    sign = y[0]
    a = as_array(a)

    def slogdet_pullback(y_bar: Any) -> Any:
        sign_bar, log_bar = y_bar
        scale: Any = 0.0 if log_bar is None else log_bar
        if sign_bar is not None and np.iscomplexobj(sign):
            scale = scale - 1j * np.imag(np.conj(sign_bar) * sign)
        return Thunk(lambda: np.asarray(scale)[..., None, None] * _h(np.linalg.inv(a)))

    return y, slogdet_pullback


def from_triangle(a: Any, upper: bool) -> Any:
    """The Hermitian matrix of which NumPy reads one triangle."""
    half = np.triu(a, 1) if upper else np.tril(a, -1)
    return half + _h(half) + np.real(a) * np.eye(a.shape[-1])


def _one_triangle(s: Any, upper: bool) -> Any:
    """The cotangent of a Hermitian matrix of which one triangle is read, from the cotangent ``s`` of all of
    it.
    """
    whole = s + _h(s)
    half = np.triu(whole) if upper else np.tril(whole)
    n = s.shape[-1]
    return half * (1.0 - 0.5 * np.eye(n))


@rrule(np.linalg.cholesky)
@leading
def cholesky_rule(a: Any, /, *, upper: bool = False) -> Any:
    """``L^-H phi(L^H G) L^-1``, ``phi`` the lower triangle with half the diagonal; in the triangle that is
    read.

    I. Murray, "Differentiation of the Cholesky decomposition" (2016).
    """
    y = np.linalg.cholesky(a, upper=upper)
    return y, lambda y_bar: Thunk(cholesky_bar, y, upper, y_bar)


def cholesky_bar(y: Any, upper: bool, y_bar: Any) -> Any:
    """The cotangent of a matrix from that of its Cholesky factor ``y``."""
    low = _h(y) if upper else y
    p = _h(low) @ np.tril(_h(y_bar) if upper else y_bar)
    p = np.tril(p) * (1.0 - 0.5 * np.eye(low.shape[-1]))
    right = np.linalg.solve(_h(low), p)
    return _one_triangle(_h(np.linalg.solve(_h(low), _h(right))), upper)


@rrule(np.linalg.matrix_power)
@leading
def matrix_power_rule(a: Any, n: int) -> Any:
    """``sum_k (A^H)^k G (A^H)^(n-1-k)``; a negative power is that of the inverse."""
    y = np.linalg.matrix_power(a, n)
    a = as_array(a)

    def matrix_power_pullback(y_bar: Any) -> Any:
        def a_bar() -> Any:
            base = _h(np.linalg.inv(a) if n < 0 else a)
            total = np.zeros_like(base * y_bar)
            left, rights = y_bar, [np.broadcast_to(np.eye(a.shape[-1]), a.shape)]
            for _ in range(abs(n) - 1):
                rights.append(rights[-1] @ base)
            for right in rights[::-1] if n else []:
                total = total + left @ right
                left = base @ left
            return -(base @ total @ base) if n < 0 else total

        return Thunk(a_bar)

    return y, matrix_power_pullback


@rrule(np.linalg.trace)
@leading
def trace_rule(x: Any, /, *, offset: int = 0, dtype: Any = None) -> Any:
    """The seed on the diagonal."""
    check_dtype("numpy.linalg.trace", dtype, x)
    y = np.linalg.trace(x, offset=offset, dtype=dtype)
    n, m = np.shape(x)[-2:]
    return y, lambda y_bar: np.asarray(y_bar)[..., None, None] * np.eye(n, m, offset)


def tensorsolve_rule(a: Any, b: Any, axes: Any = None) -> Any:
    """As `numpy.linalg.solve`, of the matrix that the tensor is when its axes are taken together."""
    y = np.linalg.tensorsolve(a, b, axes)
    a, b = as_array(a), as_array(b)
    last = [] if axes is None else [k % a.ndim for k in axes]
    order = [k for k in range(a.ndim) if k not in last] + last
    moved = tuple(a.shape[k] for k in order)

    def tensorsolve_pullback(y_bar: Any) -> Any:
        def b_bar() -> Any:
            matrix = np.transpose(a, order).reshape(b.size, b.size)
            return np.linalg.solve(_h(matrix), np.reshape(y_bar, -1))

        def a_bar() -> Any:
            matrix_bar = -(b_bar()[:, None] * conj(np.reshape(y, -1)))
            return np.transpose(matrix_bar.reshape(moved), np.argsort(order))

        return Thunk(a_bar), Thunk(lambda: b_bar().reshape(b.shape))

    return y, tensorsolve_pullback


rrule(np.linalg.tensorsolve)(leading(tensorsolve_rule, active=2))


@rrule(np.linalg.tensorinv)
@leading
def tensorinv_rule(a: Any, ind: int = 2) -> Any:
    """As `numpy.linalg.inv`, of the tensor as a matrix."""
    y = np.linalg.tensorinv(a, ind)
    shape = np.shape(a)

    def tensorinv_pullback(y_bar: Any) -> Any:
        def a_bar() -> Any:
            rows = int(np.prod(shape[:ind]))
            inverse_h = _h(y.reshape(-1, rows))
            return -(inverse_h @ np.reshape(y_bar, (-1, rows)) @ inverse_h).reshape(shape)

        return Thunk(a_bar)

    return y, tensorinv_pullback
