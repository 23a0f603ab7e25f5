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

from ....programs import program
from ....rules import rrule
from ....tangents import Thunk
from ...forward import forward
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
from ...numpy.forward_spectral import eig_forward, eigvals_forward
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


@forward(la.svd)
def svd_forward(y: Any, dots: Any, a: Any, *args: Any, **how: Any) -> Any:
    """As `numpy.linalg.svd`."""
    a, a_dot = as_array(a), as_array(dots[0])
    if isinstance(y, tuple):
        return singular_pair_dots(a, y[0], y[1], y[2], a_dot)
    return singular_values_dot(a, la.svd(a, full_matrices=False), a_dot)


@rrule(la.svdvals)
@leading
def svdvals_rule(a: Any, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    """As `numpy.linalg.svdvals`."""
    return la.svdvals(a, check_finite=check_finite), lambda y_bar: Thunk(of_values, as_array(a), y_bar)


@forward(la.svdvals)
def svdvals_forward(y: Any, dots: Any, a: Any, *args: Any, **how: Any) -> Any:
    """As `numpy.linalg.svdvals`."""
    a = as_array(a)
    return singular_values_dot(a, la.svd(a, full_matrices=False), as_array(dots[0]))


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


def _standard_only(name: str, type: int) -> None:
    if type != 1:
        raise NotImplementedError(f"the rule for scipy.linalg.{name} has no derivative for type={type!r}")


def _hermitian(name: str, f: Any, a: Any, b: Any, lower: bool, values_only: bool, type: int, subset: Any) -> Any:
    if any(s is not None for s in subset):
        return NotImplemented  # there is the program

    def bars(y_bar: Any) -> Any:
        _standard_only(name, type)
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


@forward(la.eigh, 0, 1)
def eigh_forward(
    y: Any, dots: Any, a: Any, b: Any = None, *, lower: bool = True, eigvals_only: bool = False, type: int = 1,
    **how: Any,
) -> Any:  # fmt: skip
    """As said above; by the pullback, second derivatives would depend on the phases of complex vectors."""
    if type != 1:
        return NotImplemented
    w, v = (la.eigh(a, lower=lower) if b is None else la.eigh(a, b, lower=lower)) if eigvals_only else y
    if b is None:
        a, a_dot = (from_triangle(as_array(x), not lower) for x in (a, dots[0]))
        return (value_dots if eigvals_only else pair_dots)(a, w, v, a_dot)
    inner: Any = 0.0
    scaled: Any = 0.0
    for i, x_dot in enumerate(dots):
        if x_dot is not None:
            part = _h(v) @ from_triangle(as_array(x_dot), not lower) @ v
            inner = inner - part * w[..., None, :] if i else inner + part
            scaled = 0.5 * np.diagonal(part, axis1=-2, axis2=-1) if i else scaled
    w_dot = np.real(general_value_dots(w, inner))
    if eigvals_only:
        return w_dot
    gap, closed = gaps(w)
    itself = np.eye(w.shape[-1], dtype=bool)
    turn = quotients(inner * ~itself, gap, closed, closed & ~itself)
    return w_dot, v @ (turn - diagonal_of(scaled) if np.ndim(scaled) else turn)


@forward(la.eigvalsh, 0, 1)
def eigvalsh_forward(y: Any, dots: Any, a: Any, b: Any = None, **how: Any) -> Any:
    """As `eigh_forward`."""
    return eigh_forward(y, dots, a, b, eigvals_only=True, **how)


@program(la.eigh)
def eigh_program(
    config: Any, a: Any, b: Any = None, *, lower: Any = True, eigvals_only: Any = False, subset_by_index: Any = None,
    subset_by_value: Any = None, **how: Any,
) -> Any:  # fmt: skip
    """Some of the pairs, chosen among all, with the phases that their vectors have alone."""
    subset = {"subset_by_index": subset_by_index, "subset_by_value": subset_by_value}
    found = config.plainly(partial(la.eigh, lower=lower, eigvals_only=eigvals_only, **subset, **how), a, b)
    _standard_only("eigh", how.get("type", 1))
    w, v = la.eigh(a, b, lower=lower)
    if eigvals_only:
        return w[config.plainly(places_among, found, w)]
    places = config.plainly(places_among, found[0], w)
    return w[places], v[:, places] * config.plainly(phases_between, v[:, places], found[1])


@program(la.eigvalsh)
def eigvalsh_program(config: Any, a: Any, b: Any = None, **how: Any) -> Any:
    """As `eigh_program`."""
    return eigh_program(config, a, b, eigvals_only=True, **how)


def places_among(some: Any, w: Any) -> slice:
    """Where some of the eigenvalues, which follow one another, stand among all."""
    first = int(np.argmin(np.abs(w - some[0]))) if len(some) else 0
    return slice(min(first, len(w) - len(some)), first + len(some))


def phases_between(v: Any, found: Any) -> Any:
    """What turns vectors into those that are the same but for their phase."""
    return np.sign(np.sum(np.conj(v) * found, axis=0))


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


@forward(la.eig)
def eig_dots(
    y: Any, dots: Any, a: Any, b: Any = None, left: Any = False, right: Any = True, *args: Any, **how: Any
) -> Any:
    """As `numpy.linalg.eig`."""
    return eig_forward(y, dots, as_array(a)) if right else eigvals_forward(y, dots, as_array(a))


@forward(la.eigvals)
def eigvals_dots(y: Any, dots: Any, a: Any, *args: Any, **how: Any) -> Any:
    """As `numpy.linalg.eigvals`."""
    return eigvals_forward(y, dots, as_array(a))
