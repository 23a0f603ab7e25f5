"""Forward rules for products of arrays and for `numpy.linalg`.

A multilinear function has the sum of its values with one operand replaced by its tangent. The rest is from M. Giles,
"Collected matrix derivative results for forward and reverse mode algorithmic differentiation" (2008).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...derived import check_ufunc_keywords
from ...projection import project
from ...rules import Rule, add_rule, frule, where_written
from ...tangents import ZeroTangent, is_absent, unthunk
from ..forward import PLAIN, unfollowed
from .cofactors import change, cofactors, of_singular
from .eigenpairs import pair_dots, value_dots
from .einsum import check_einsum_keywords
from .linalg import from_triangle
from .linear import _h
from .norms import norm_rule
from .pseudo import _cut, _truncated_bar
from .reductions import check_dtype
from .shared import NO_VALUE, as_array, conj
from .singular_pairs import singular_value_dots

_np: Any = np


def varying(tangents: tuple[Any, ...], active: int) -> list[Any]:
    """The tangents of the first ``active`` arguments, ``None`` for constants."""
    return [None if is_absent(t) else unthunk(t) for t in tangents[:active]]


def multilinear(f: Any, operands: int, *types: tuple[Any, ...]) -> None:
    """Declare the forward rule of a function that is linear in each of its first arguments, for these ``types``."""
    name, active = getattr(f, "__name__", str(f)), range(operands)

    def tangent(y: Any, primals: Any, tangents: Any, kwargs: Any) -> Any:
        """The sum of the values with one operand replaced."""
        if operands == 2 and len(primals) == 2 and not kwargs:
            a_dot, b_dot = tangents
            if isinstance(a_dot, PLAIN):
                if b_dot is None:
                    return f(a_dot, primals[1])
                if isinstance(b_dot, PLAIN):
                    return f(a_dot, primals[1]) + f(primals[0], b_dot)
            elif a_dot is None and isinstance(b_dot, PLAIN):
                return f(primals[0], b_dot)
        if kwargs:
            check_ufunc_keywords(f, kwargs)
            check_dtype(name, kwargs.get("dtype"), primals[0])
        lost = unfollowed(name, tangents, active)
        if lost is not None:
            return lost
        y_dot = None
        for i, t in enumerate(tangents[:operands]):
            if t is None or is_absent(t):
                continue
            part = f(*primals[:i], unthunk(t), *primals[i + 1 :], **kwargs)
            y_dot = part if y_dot is None else y_dot + part
        return ZeroTangent() if y_dot is None else y_dot

    def rule(primals: Any, tangents: Any, **kwargs: Any) -> Any:
        """The sum of the values with one operand replaced."""
        check_ufunc_keywords(f, kwargs)
        check_dtype(name, kwargs.get("dtype"), primals[0])
        return f(*primals, **kwargs), tangent(None, primals, tangents, kwargs)

    place = where_written(rule)
    for given in types or ((),):
        add_rule(f, Rule(rule, given, *place, tangent=tangent), forward=True)


def of_matrix(f: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare a forward rule from ``tangent(y, a, a_dot, *rest, **options)``; ``a_dot`` is an array."""
    name = f.__name__

    def declare(impl: Callable[..., Any]) -> Callable[..., Any]:
        def tangent(y: Any, primals: Any, tangents: Any, kwargs: Any) -> Any:
            lost = unfollowed(name, tangents, (0,))
            if lost is not None:
                return lost
            a, a_dot = as_array(primals[0]), tangents[0]
            if a_dot is None or is_absent(a_dot):
                return ZeroTangent()
            if len(primals) == 1 and not kwargs:
                y_dot = impl(y, a, as_array(unthunk(a_dot)))
            else:
                y_dot = impl(y, a, as_array(unthunk(a_dot)), *primals[1:], **kwargs)
            if isinstance(y_dot, np.ndarray) and isinstance(y, np.ndarray):
                if y_dot.shape == y.shape and y_dot.dtype == y.dtype:
                    return y_dot
            return project(y_dot, y)

        def rule(primals: Any, tangents: Any, **kwargs: Any) -> Any:
            y = f(as_array(primals[0]), *primals[1:], **kwargs)
            y_dot = tangent(y, primals, tangents, kwargs)
            return y_dot if y_dot is NotImplemented else (y, y_dot)

        rule.__doc__, rule.__wrapped__ = impl.__doc__, impl  # type: ignore[attr-defined]
        add_rule(f, Rule(rule, (), *where_written(impl), tangent=tangent), forward=True)
        return impl

    return declare


for product in ("matmul dot inner vdot outer kron cross tensordot vecdot matvec vecmat").split():
    for module in (np, np.linalg):
        if hasattr(module, product) and (module is np or getattr(np, product) is not getattr(module, product)):
            multilinear(getattr(module, product), 2)
multilinear(np.ndarray.dot, 2)
for name in ("trace", "diagonal", "matrix_transpose"):
    if hasattr(np.linalg, name):
        multilinear(getattr(np.linalg, name), 1)


@frule(np.einsum, given_value=True)
def einsum_frule(y: Any, primals: Any, tangents: Any, **kwargs: Any) -> Any:
    """One operand after the other."""
    if kwargs:
        check_einsum_keywords(kwargs)
    elif len(primals) == 3 and isinstance(tangents[1], np.ndarray) and isinstance(tangents[2], np.ndarray):
        return np.einsum(primals[0], tangents[1], primals[2]) + np.einsum(primals[0], primals[1], tangents[2])
    y_dot = None
    for i in range(1, len(primals)) if isinstance(primals[0], str) else range(0, len(primals) - 1, 2):
        t = tangents[i]
        if t is None or is_absent(t):
            continue
        part = np.einsum(*primals[:i], unthunk(t), *primals[i + 1 :], **kwargs)
        y_dot = part if y_dot is None else y_dot + part
    return ZeroTangent() if y_dot is None else y_dot


@frule(np.linalg.multi_dot, given_value=True)
def multi_dot_frule(y: Any, primals: Any, tangents: Any, **kwargs: Any) -> Any:
    """One factor after the other."""
    (arrays,), (dots,) = primals, tangents
    if is_absent(dots):
        return ZeroTangent()
    y_dot = None
    for i, t in enumerate(dots):
        if t is None or is_absent(t):
            continue
        part = np.linalg.multi_dot([*arrays[:i], unthunk(t), *arrays[i + 1 :]])
        y_dot = part if y_dot is None else y_dot + part
    return y_dot


@of_matrix(np.linalg.inv)
def inv_frule(y: Any, a: Any, a_dot: Any) -> Any:
    """``-Y A_dot Y``."""
    return -(y @ a_dot @ y)


@frule(np.linalg.solve, given_value=True)
def solve_frule(y: Any, primals: Any, tangents: Any) -> Any:
    """``A^-1 (b_dot - A_dot y)``."""
    a, b = primals
    a_dot, b_dot = varying(tangents, 2)
    column = b.ndim == 1 if isinstance(b, np.ndarray) else np.ndim(b) == 1
    right: Any = 0.0
    if a_dot is not None:
        right = -(as_array(a_dot) @ (y[..., None] if column else y))
    if b_dot is not None:
        b_dot = as_array(b_dot)
        right = right + (b_dot[..., None] if column else b_dot)
    if a_dot is None and b_dot is None:
        return ZeroTangent()
    y_dot = np.linalg.solve(a, right)
    return y_dot[..., 0] if column else y_dot


@of_matrix(np.linalg.det)
def det_frule(y: Any, a: Any, a_dot: Any) -> Any:
    """``tr(adj(A) A_dot)``."""
    return np.sum(conj(cofactors(a, y)) * a_dot, axis=(-2, -1))


@of_matrix(of_singular)
def of_singular_frule(y: Any, a: Any, a_dot: Any) -> Any:
    return change(a, a_dot)


@of_matrix(np.linalg.slogdet)
def slogdet_frule(y: Any, a: Any, a_dot: Any) -> Any:
    """``tr(A^-1 A_dot)``: its real part to the logarithm, its imaginary part turns the sign."""
    change = np.trace(np.linalg.solve(a, a_dot), axis1=-2, axis2=-1)
    return 1j * np.imag(change) * y[0] if np.iscomplexobj(y[0]) else np.zeros_like(y[0]), np.real(change)


@of_matrix(np.linalg.cholesky)
def cholesky_frule(y: Any, a: Any, a_dot: Any, /, *, upper: bool = False) -> Any:
    """``L phi(L^-1 A_dot L^-H)``, ``phi`` the lower triangle with half the diagonal."""
    low = _h(y) if upper else y
    inner = np.linalg.solve(low, _h(np.linalg.solve(low, from_triangle(a_dot, upper))))
    low_dot = low @ (np.tril(inner) * (1.0 - 0.5 * np.eye(a.shape[-1])))
    return _h(low_dot) if upper else low_dot


@of_matrix(np.linalg.eigh)
def eigh_frule(y: Any, a: Any, a_dot: Any, UPLO: str = "L") -> Any:
    """As `pair_dots`."""
    upper = UPLO.upper() == "U"
    return pair_dots(from_triangle(a, upper), y[0], y[1], from_triangle(a_dot, upper))


@of_matrix(np.linalg.eigvalsh)
def eigvalsh_frule(y: Any, a: Any, a_dot: Any, UPLO: str = "L") -> Any:
    """As `value_dots`."""
    upper = UPLO.upper() == "U"
    w, v = _np.linalg.eigh(a, UPLO)
    return value_dots(from_triangle(a, upper), w, v, from_triangle(a_dot, upper))


@of_matrix(np.linalg.svdvals)
def svdvals_frule(y: Any, a: Any, a_dot: Any) -> Any:
    """As `singular_value_dots`."""
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    return singular_value_dots(a, u, s, vh, a_dot)


@of_matrix(np.linalg.qr)
def qr_frule(y: Any, a: Any, a_dot: Any, mode: str = "reduced") -> Any:
    """``Q_dot = Q O + (I - Q Q^H) A_dot R^-1``, ``O`` skew with the lower triangle of ``Q^H A_dot R^-1``; a wide
    matrix and the complete form as in `qr_rule`.
    """
    if mode not in ("reduced", "complete", "r"):
        raise NotImplementedError(f"the forward rule for numpy.linalg.qr has no derivative for mode={mode!r}")
    k = min(a.shape[-2:])
    whole, r = y if mode != "r" else (_np.linalg.qr(a)[0], y)
    q, rest, r = whole[..., :k], whole[..., k:], r[..., :k, :]
    first, other, other_dot = r[..., :k], a[..., k:], a_dot[..., k:]
    m = _h(np.linalg.solve(_h(first), _h(a_dot[..., :k])))
    inner = _h(q) @ m
    low = np.tril(inner, -1)
    turn = low - _h(low) + 1j * np.imag(inner) * np.eye(k) if np.iscomplexobj(inner) else low - _h(low)
    q_dot = q @ turn + m - q @ inner
    r_dot = np.concatenate(((inner - turn) @ first, _h(q_dot) @ other + _h(q) @ other_dot), axis=-1)
    if mode == "r":
        return r_dot
    if rest.shape[-1]:
        q_dot = np.concatenate((q_dot, -(q @ (_h(q_dot) @ rest))), axis=-1)
        r_dot = np.concatenate((r_dot, np.zeros((*r_dot.shape[:-2], rest.shape[-1], r_dot.shape[-1]))), axis=-2)
    return q_dot, r_dot


def pinv_dot(a: Any, y: Any, a_dot: Any, cut: Any = None) -> Any:
    """``-Y A_dot Y + Y Y^H A_dot^H (I - A Y) + (I - Y A) A_dot^H Y^H Y``: Golub and Pereyra (1973). Where singular
    values were cut off, ``Y^H`` is a function of them, whose derivative is a symmetric map: that of the reverse rule.
    """
    if cut is not None:
        return _h(_truncated_bar(a, _h(a_dot), cut))
    d, yh = _h(a_dot), _h(y)
    left, right = y @ yh @ d, d @ yh @ y
    return -(y @ a_dot @ y) + left - (left @ a) @ y + right - y @ (a @ right)


@of_matrix(np.linalg.pinv)
def pinv_frule(y: Any, a: Any, a_dot: Any, rcond: Any = None, hermitian: bool = False, **options: Any) -> Any:
    """As `pinv_dot`."""
    if hermitian:
        a, a_dot = from_triangle(a, False), from_triangle(a_dot, False)
    return pinv_dot(a, y, a_dot, _cut(a, rcond, options.get("rtol", NO_VALUE)))


@of_matrix(np.linalg.matrix_power)
def matrix_power_frule(y: Any, a: Any, a_dot: Any, n: int) -> Any:
    """``sum_k A^k A_dot A^(n-1-k)``."""
    base = np.linalg.inv(a) if n < 0 else a
    step = -(base @ a_dot @ base) if n < 0 else a_dot
    power, total = np.broadcast_to(np.eye(a.shape[-1]), a.shape), np.zeros_like(a * a_dot)
    for _ in range(abs(n)):
        total = total @ base + power @ step
        power = power @ base
    return total


@of_matrix(np.linalg.norm)
def norm_frule(
    y: Any, x: Any, x_dot: Any, ord: Any = None, axis: Any = None, keepdims: bool = False
) -> Any:  # fmt: skip
    """The inner product with the gradient: each norm is of entries of its own."""
    if ord is None and axis is None and not keepdims:
        if y == 0:
            return np.zeros_like(y)
        return np.sum(np.real(conj(x / y) * x_dot)) if np.iscomplexobj(x) else np.sum(x / y * x_dot)
    answer = norm_rule(x, ord, axis, keepdims)
    if answer is NotImplemented:
        return answer
    _, back = answer
    gradient = back(np.ones_like(y))[0]
    return np.sum(np.real(conj(unthunk(gradient)) * x_dot), axis=axis, keepdims=keepdims)
