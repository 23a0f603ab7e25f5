"""Eigenvalues, singular values, and their vectors.

Of the generalised problem ``A v = w B v`` with ``V^H B V = I``, ``dV = V (F * (V^H dA V - V^H dB V W)) - V diag(V^H dB
V)/2`` with ``F[i,j] = 1/(w[j] - w[i])``, and ``dw = diag(V^H dA V - V^H dB V W)``.
"""

from __future__ import annotations

from functools import partial
from inspect import signature
from typing import Any

import numpy as np
from scipy import linalg as la  # type: ignore[import-untyped]

from ....projection import project
from ....rules import frule, rrule
from ....tangents import Thunk, ZeroTangent, is_absent, unthunk
from ...numpy.eigenpairs import (
    diagonal_of,
    gaps,
    general_value_dots,
    is_felt,
    largest,
    pair_dots,
    quotients,
    value_dots,
)
from ...numpy.forward_linalg import from_triangle
from ...numpy.linalg import _one_triangle
from ...numpy.linear import _h
from ...numpy.shared import as_array, leading
from ...numpy.singular import of_values, svd_bar
from ...numpy.singular_pairs import singular_pair_dots, singular_values_dot
from ...numpy.spectral import eig_pullback_of, eigh_bar, eigvals_bar, lost_blocks


@rrule(la.svd)
@leading
def svd_rule(
    a: Any, full_matrices: bool = True, compute_uv: bool = True, overwrite_a: bool = False, check_finite: bool = True,
    lapack_driver: str = "gesdd",
) -> Any:  # fmt: skip
    """As `numpy.linalg.svd`."""
    y = la.svd(a, full_matrices, compute_uv, check_finite=check_finite, lapack_driver=lapack_driver)
    if not compute_uv:
        return y, lambda y_bar: Thunk(of_values, as_array(a), y_bar)
    return y, lambda y_bar: Thunk(svd_bar, y, y_bar)


@frule(la.svd)
def svd_forward(primals: Any, tangents: Any, **how: Any) -> Any:
    """As `numpy.linalg.svd`."""
    y = la.svd(*primals, **how)
    if is_absent(tangents[0]):
        return y, ZeroTangent()
    a, a_dot = as_array(primals[0]), as_array(unthunk(tangents[0]))
    if isinstance(y, tuple):
        return y, project(singular_pair_dots(a, y[0], y[1], y[2], a_dot), y)
    return y, project(singular_values_dot(a, la.svd(a, full_matrices=False), a_dot), y)


@rrule(la.svdvals)
@leading
def svdvals_rule(a: Any, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    """As `numpy.linalg.svdvals`."""
    return la.svdvals(a, check_finite=check_finite), lambda y_bar: Thunk(of_values, as_array(a), y_bar)


@frule(la.svdvals)
def svdvals_forward(primals: Any, tangents: Any, **how: Any) -> Any:
    """As `numpy.linalg.svdvals`."""
    y = la.svdvals(*primals, **how)
    if is_absent(tangents[0]):
        return y, ZeroTangent()
    a = as_array(primals[0])
    return y, project(singular_values_dot(a, la.svd(a, full_matrices=False), as_array(unthunk(tangents[0]))), y)


def _generalised_bars(y: Any, y_bar: Any, upper: bool) -> tuple[Any, Any]:
    (w, v), (w_bar, v_bar) = y, y_bar
    values = 0.0 if w_bar is None else diagonal_of(w_bar)
    to_a, to_b = values, values * w[..., None, :]
    if v_bar is not None:
        m = _h(v) @ v_bar
        (gap, closed), level = gaps(w), largest(m)
        diagonal = np.eye(w.shape[-1], dtype=bool)
        lost = lost_blocks(m, level, w_bar) & ~diagonal | is_felt(m - _h(m), level)  # the diagonal: a phase is felt
        turn = quotients(m, gap, closed, lost)
        to_a = to_a + turn
        to_b = to_b + turn * w[..., None, :] + 0.5 * m * diagonal
    return _one_triangle(v @ to_a @ _h(v), upper), -_one_triangle(v @ to_b @ _h(v), upper)


def _standard_only(name: str, type: int, subset: Any) -> None:
    if type != 1:
        raise NotImplementedError(f"the rule for scipy.linalg.{name} has no derivative for type={type!r}")
    if any(s is not None for s in subset):
        raise NotImplementedError(
            f"the rule for scipy.linalg.{name} has no derivative for a subset of the vectors; take all, and choose"
        )


def _hermitian(name: str, f: Any, a: Any, b: Any, lower: bool, values_only: bool, type: int, subset: Any) -> Any:
    def bars(y_bar: Any) -> Any:
        _standard_only(name, type, subset)
        whole = la.eigh(a, b, lower=lower) if values_only else y
        g = (y_bar, None) if values_only else y_bar
        if b is None:
            return eigh_bar(whole, g, not lower), None
        return _generalised_bars(whole, g, not lower)

    y = f()
    return y, lambda y_bar: (Thunk(lambda: bars(y_bar)[0]), None if b is None else Thunk(lambda: bars(y_bar)[1]))


@rrule(la.eigh)
@partial(leading, active=2)
def eigh_rule(
    a: Any, b: Any = None, *, lower: bool = True, eigvals_only: bool = False, overwrite_a: bool = False,
    overwrite_b: bool = False, type: int = 1, check_finite: bool = True, subset_by_index: Any = None,
    subset_by_value: Any = None, driver: Any = None,
) -> Any:  # fmt: skip
    """As `numpy.linalg.eigh`; of the generalised problem as above."""
    subset = (subset_by_index, subset_by_value)

    def values() -> Any:
        return la.eigh(
            a, b, lower=lower, eigvals_only=eigvals_only, type=type, check_finite=check_finite,
            subset_by_index=subset_by_index, subset_by_value=subset_by_value, driver=driver,
        )  # fmt: skip

    return _hermitian("eigh", values, a, b, lower, eigvals_only, type, subset)


@rrule(la.eigvalsh)
@partial(leading, active=2)
def eigvalsh_rule(
    a: Any, b: Any = None, *, lower: bool = True, overwrite_a: bool = False, overwrite_b: bool = False, type: int = 1,
    check_finite: bool = True, subset_by_index: Any = None, subset_by_value: Any = None, driver: Any = None,
) -> Any:  # fmt: skip
    """As `eigh_rule`."""
    subset = (subset_by_index, subset_by_value)

    def values() -> Any:
        return la.eigvalsh(
            a, b, lower=lower, type=type, check_finite=check_finite, subset_by_index=subset_by_index,
            subset_by_value=subset_by_value, driver=driver,
        )  # fmt: skip

    return _hermitian("eigvalsh", values, a, b, lower, True, type, subset)


@frule(la.eigh)
def eigh_forward(primals: Any, tangents: Any, *, eigvals_only: bool = False, lower: bool = True, **how: Any) -> Any:
    """As said above; by the pullback, second derivatives would depend on the phases of complex vectors."""
    return _hermitian_forward(la.eigh, primals, tangents, lower, {**how, "eigvals_only": eigvals_only}, eigvals_only)


@frule(la.eigvalsh)
def eigvalsh_forward(primals: Any, tangents: Any, *, lower: bool = True, **how: Any) -> Any:
    """As `eigh_forward`."""
    return _hermitian_forward(la.eigvalsh, primals, tangents, lower, how, True)


def _hermitian_forward(f: Any, primals: Any, tangents: Any, lower: bool, how: dict, values_only: bool) -> Any:
    if how.get("type", 1) != 1 or any(how.get(k) is not None for k in ("subset_by_index", "subset_by_value")):
        return NotImplemented
    y = f(*primals, lower=lower, **how)
    if all(map(is_absent, tangents)):
        return y, ZeroTangent()
    w, v = la.eigh(*primals, lower=lower) if values_only else y
    if len(primals) == 1:
        a, a_dot = (from_triangle(as_array(x), not lower) for x in (primals[0], unthunk(tangents[0])))
        return y, project((value_dots if values_only else pair_dots)(a, w, v, a_dot), y)
    inner: Any = 0.0
    scaled: Any = 0.0
    for i, x_dot in enumerate(tangents):
        if not is_absent(x_dot):
            part = _h(v) @ from_triangle(as_array(unthunk(x_dot)), not lower) @ v
            inner = inner - part * w[..., None, :] if i else inner + part
            scaled = 0.5 * np.diagonal(part, axis1=-2, axis2=-1) if i else scaled
    w_dot = np.real(general_value_dots(w, inner))
    if values_only:
        return y, project(w_dot, y)
    gap, closed = gaps(w)
    itself = np.eye(w.shape[-1], dtype=bool)
    turn = quotients(inner * ~itself, gap, closed, closed & ~itself)
    return y, project((w_dot, v @ (turn - diagonal_of(scaled) if np.ndim(scaled) else turn)), y)


@rrule(la.eig)
@leading
def eig_rule(
    a: Any, b: Any = None, left: bool = False, right: bool = True, overwrite_a: bool = False,
    overwrite_b: bool = False, check_finite: bool = True, homogeneous_eigvals: bool = False,
) -> Any:  # fmt: skip
    """As `numpy.linalg.eig`, whose vectors SciPy gives too."""
    if b is not None or left or homogeneous_eigvals:
        raise NotImplementedError(
            "the rule for scipy.linalg.eig is for right vectors of one matrix; solve B^-1 A, or write a rule"
        )
    if not right:
        return _eigvals(a, check_finite)
    y = w, v = la.eig(a, check_finite=check_finite)
    return y, eig_pullback_of(as_array(a), w if np.iscomplexobj(v) else np.real(w), v)


def _eigvals(a: Any, check_finite: bool) -> Any:
    y = la.eigvals(a, check_finite=check_finite)
    return y, lambda y_bar: Thunk(eigvals_bar, as_array(a), y, y_bar)


FLAGS = list(signature(la.eigvals).parameters)[2:]  # SciPy 1.18 has one more, in the middle


@rrule(la.eigvals)
@leading
def eigvals_rule(a: Any, b: Any = None, *flags: bool, **named: bool) -> Any:
    """As `numpy.linalg.eigvals`."""
    named |= dict(zip(FLAGS, flags, strict=False))
    if b is not None or named.get("homogeneous_eigvals"):
        raise NotImplementedError("the rule for scipy.linalg.eigvals is for one matrix; solve B^-1 A, or write a rule")
    return _eigvals(a, named.get("check_finite", True))
