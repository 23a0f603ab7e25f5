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
from ...rules import frule
from ...tangents import ZeroTangent, is_absent, unthunk
from ..forward import missing
from .einsum import check_einsum_keywords
from .linalg import _cofactors
from .linear import _h
from .norms import norm_rule
from .pseudo import _cut, _truncated_bar
from .reductions import check_dtype
from .shared import NO_VALUE, as_array, conj
from .spectral import is_closed, quotients

_np: Any = np


def varying(tangents: tuple[Any, ...], active: int) -> list[Any]:
    """The tangents of the first ``active`` arguments, ``None`` for constants."""
    return [None if is_absent(t) else unthunk(t) for t in tangents[:active]]


def multilinear(f: Any, operands: int, *types: tuple[Any, ...]) -> None:
    """Declare the forward rule of a function that is linear in each of its first arguments, for these ``types``."""
    name = getattr(f, "__name__", str(f))

    def rule(primals: Any, tangents: Any, **kwargs: Any) -> Any:
        """The sum of the values with one operand replaced."""
        check_ufunc_keywords(f, kwargs)
        check_dtype(name, kwargs.get("dtype"), primals[0])
        y = f(*primals, **kwargs)
        parts = [
            f(*primals[:i], t, *primals[i + 1 :], **kwargs)
            for i, t in enumerate(varying(tangents, operands))
            if t is not None
        ]
        y_dot = sum(parts[1:], parts[0]) if parts else ZeroTangent()
        return y, missing(name, tangents, *range(operands)) or y_dot

    for given in types or ((),):
        frule(f, *given)(rule)


def of_matrix(f: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare a forward rule from ``rule(a, a_dot, *rest, **options)``; ``a_dot`` is an array."""

    def declare(impl: Callable[..., Any]) -> Callable[..., Any]:
        def rule(primals: Any, tangents: Any, **kwargs: Any) -> Any:
            a = as_array(primals[0])
            (a_dot,) = varying(tangents, 1)
            answer = impl(a, np.zeros(a.shape) if a_dot is None else as_array(a_dot), *primals[1:], **kwargs)
            if answer is NotImplemented:
                return answer
            y, y_dot = answer
            y_dot = ZeroTangent() if a_dot is None else project(y_dot, y)
            return y, missing(f.__name__, tangents, 0) or y_dot

        frule(f)(rule)
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


@frule(np.einsum)
def einsum_frule(primals: Any, tangents: Any, **kwargs: Any) -> Any:
    """One operand after the other."""
    check_einsum_keywords(kwargs)
    places = range(1, len(primals)) if isinstance(primals[0], str) else range(0, len(primals) - 1, 2)
    y = np.einsum(*primals, **kwargs)
    parts = [
        np.einsum(*primals[:i], unthunk(tangents[i]), *primals[i + 1 :], **kwargs)
        for i in places
        if not is_absent(tangents[i])
    ]
    return y, sum(parts[1:], parts[0]) if parts else ZeroTangent()


@frule(np.linalg.multi_dot)
def multi_dot_frule(primals: Any, tangents: Any, **kwargs: Any) -> Any:
    """One factor after the other."""
    (arrays,), (dots,) = primals, tangents
    y = np.linalg.multi_dot(arrays, **kwargs)
    if is_absent(dots):
        return y, ZeroTangent()
    parts = [
        np.linalg.multi_dot([*arrays[:i], unthunk(t), *arrays[i + 1 :]]) for i, t in enumerate(dots) if not is_absent(t)
    ]
    return y, sum(parts[1:], parts[0]) if parts else ZeroTangent()


@of_matrix(np.linalg.inv)
def inv_frule(a: Any, a_dot: Any) -> Any:
    """``-Y A_dot Y``."""
    y = np.linalg.inv(a)
    return y, -(y @ a_dot @ y)


@frule(np.linalg.solve)
def solve_frule(primals: Any, tangents: Any) -> Any:
    """``A^-1 (b_dot - A_dot y)``."""
    a, b = primals
    a_dot, b_dot = varying(tangents, 2)
    y = np.linalg.solve(a, b)
    column = np.ndim(b) == 1
    right: Any = 0.0
    if a_dot is not None:
        right = -(a_dot @ (y[..., None] if column else y))
    if b_dot is not None:
        right = right + (as_array(b_dot)[..., None] if column else b_dot)
    if a_dot is None and b_dot is None:
        return y, ZeroTangent()
    y_dot = np.linalg.solve(a, right)
    return y, y_dot[..., 0] if column else y_dot


@of_matrix(np.linalg.det)
def det_frule(a: Any, a_dot: Any) -> Any:
    """``tr(adj(A) A_dot)``."""
    y = np.linalg.det(a)
    return y, np.sum(conj(_cofactors(a, y)) * a_dot, axis=(-2, -1))


@of_matrix(np.linalg.slogdet)
def slogdet_frule(a: Any, a_dot: Any) -> Any:
    """``tr(A^-1 A_dot)``: its real part to the logarithm, its imaginary part turns the sign."""
    y = np.linalg.slogdet(a)
    change = np.trace(np.linalg.solve(a, a_dot), axis1=-2, axis2=-1)
    return y, (1j * np.imag(change) * y[0] if np.iscomplexobj(y[0]) else np.zeros_like(y[0]), np.real(change))


def from_triangle(a: Any, upper: bool) -> Any:
    """The Hermitian matrix of which NumPy reads one triangle."""
    half = np.triu(a, 1) if upper else np.tril(a, -1)
    return half + _h(half) + np.real(a) * np.eye(a.shape[-1])


@of_matrix(np.linalg.cholesky)
def cholesky_frule(a: Any, a_dot: Any, /, *, upper: bool = False) -> Any:
    """``L phi(L^-1 A_dot L^-H)``, ``phi`` the lower triangle with half the diagonal."""
    y = _np.linalg.cholesky(a, upper=upper)
    low = _h(y) if upper else y
    inner = np.linalg.solve(low, _h(np.linalg.solve(low, from_triangle(a_dot, upper))))
    low_dot = low @ (np.tril(inner) * (1.0 - 0.5 * np.eye(a.shape[-1])))
    return y, _h(low_dot) if upper else low_dot


@of_matrix(np.linalg.eigh)
def eigh_frule(a: Any, a_dot: Any, UPLO: str = "L") -> Any:
    """``w_dot = diag(V^H A_dot V)`` and ``V_dot = V (F * V^H A_dot V)``; NaN where repeated values leave it open."""
    y = _np.linalg.eigh(a, UPLO)
    w, v = y
    inner = _h(v) @ from_triangle(a_dot, UPLO.upper() == "U") @ v
    gap = w[..., None, :] - w[..., :, None]
    off = inner * (1.0 - np.eye(w.shape[-1]))
    closed = is_closed(gap, np.max(np.abs(w), axis=-1, initial=0.0)[..., None, None])
    undefined = closed & ~np.eye(w.shape[-1], dtype=bool)
    return y, (np.real(np.diagonal(inner, axis1=-2, axis2=-1)), v @ quotients(off, gap, closed, undefined))


@of_matrix(np.linalg.eigvalsh)
def eigvalsh_frule(a: Any, a_dot: Any, UPLO: str = "L") -> Any:
    """``diag(V^H A_dot V)``."""
    v = _np.linalg.eigh(a, UPLO)[1]
    inner = _h(v) @ from_triangle(a_dot, UPLO.upper() == "U") @ v
    return _np.linalg.eigvalsh(a, UPLO), np.real(np.diagonal(inner, axis1=-2, axis2=-1))


@of_matrix(np.linalg.svdvals)
def svdvals_frule(a: Any, a_dot: Any) -> Any:
    """``re diag(U^H A_dot V)``."""
    u, _, vh = np.linalg.svd(a, full_matrices=False)
    return np.linalg.svdvals(a), np.real(np.diagonal(_h(u) @ a_dot @ _h(vh), axis1=-2, axis2=-1))


@of_matrix(np.linalg.qr)
def qr_frule(a: Any, a_dot: Any, mode: str = "reduced") -> Any:
    """``Q_dot = Q O + (I - Q Q^H) A_dot R^-1``, ``O`` skew with the lower triangle of ``Q^H A_dot R^-1``; a wide
    matrix and the complete form as in `qr_rule`.
    """
    if mode not in ("reduced", "complete", "r"):
        raise NotImplementedError(f"the forward rule for numpy.linalg.qr has no derivative for mode={mode!r}")
    y = _np.linalg.qr(a, mode)
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
        return y, r_dot
    if rest.shape[-1]:
        q_dot = np.concatenate((q_dot, -(q @ (_h(q_dot) @ rest))), axis=-1)
        r_dot = np.concatenate((r_dot, np.zeros((*r_dot.shape[:-2], rest.shape[-1], r_dot.shape[-1]))), axis=-2)
    return y, (q_dot, r_dot)


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
def pinv_frule(a: Any, a_dot: Any, rcond: Any = None, hermitian: bool = False, **options: Any) -> Any:
    """As `pinv_dot`."""
    y = _np.linalg.pinv(a, rcond, hermitian, **options)
    if hermitian:
        a, a_dot = from_triangle(a, False), from_triangle(a_dot, False)
    return y, pinv_dot(a, y, a_dot, _cut(a, rcond, options.get("rtol", NO_VALUE)))


@of_matrix(np.linalg.matrix_power)
def matrix_power_frule(a: Any, a_dot: Any, n: int) -> Any:
    """``sum_k A^k A_dot A^(n-1-k)``."""
    y = np.linalg.matrix_power(a, n)
    base = np.linalg.inv(a) if n < 0 else a
    step = -(base @ a_dot @ base) if n < 0 else a_dot
    power, total = np.broadcast_to(np.eye(a.shape[-1]), a.shape), np.zeros_like(a * a_dot)
    for _ in range(abs(n)):
        total = total @ base + power @ step
        power = power @ base
    return y, total


@of_matrix(np.linalg.norm)
def norm_frule(x: Any, x_dot: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """The inner product with the gradient: each norm is of entries of its own."""
    answer = norm_rule(x, ord, axis, keepdims)
    if answer is NotImplemented:
        return answer
    y, back = answer
    gradient = back(np.ones_like(y))[0]
    return y, np.sum(np.real(conj(unthunk(gradient)) * x_dot), axis=axis, keepdims=keepdims)
