"""Eigenvalues and eigenvectors.

Exact where the spectrum is separated. Where values repeat, the cotangent of the block of that value is known as far as
the seeds tell: of the values alone it is finite; of the vectors alone, whose values then have ``None`` for a seed, it
is 0 for a loss that does not depend on a rotation of them; otherwise it is lost and NaN. Seeds of zeros for the vectors
say that they are not used; zeros for the values do not, as they may be a coincidence.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import register_jitable

from morula.static.numba.array_rules.blocks import (
    add_triangle,
    closed_below,
    felt_from,
    from_triangle,
    is_lost,
    largest,
    seed_of,
    seeds_of,
    turned_over,
)
from morula.static.numba.array_rules.registry import array_rule
from morula.static.numba.array_rules.shared import dot


@register_jitable
def eigh_inner(w: Any, v: Any, w_bar: Any, v_bar: Any) -> Any:
    """The cotangent of ``V^H A V``."""
    m = dot(turned_over(v), seeds_of(v_bar, v))
    level, near = largest(m), closed_below(w)
    bound = felt_from(m, level)
    inner = np.zeros(v.shape, v.dtype)
    for i in range(len(w)):
        for j in range(len(w)):
            skew = 0.5 * (m[i, j] - np.conj(m[j, i]))
            gap = w[j] - w[i]
            if abs(gap) > near:
                inner[i, j] = skew / gap
            elif not abs(skew) <= bound or (i != j and is_lost(m, i, j, bound, level, w_bar)):
                inner[i, j] = np.nan
        inner[i, i] += seed_of(w_bar, i)
    return inner


def eigh_tangent(y: Any, a: Any, a_dot: Any) -> Any:
    """``w_dot = diag(M)`` with ``M = V^H A_dot V``, and ``V_dot = V (M/(w_j - w_i))``; NaN at repeated values."""
    w, v = y[0], np.ascontiguousarray(y[1])
    m = dot(dot(turned_over(v), from_triangle(a_dot)), v)
    w_dot = np.empty_like(w)
    near = closed_below(w)
    for i in range(len(w)):
        w_dot[i] = m[i, i].real
        for j in range(len(w)):
            gap = w[j] - w[i]
            m[i, j] = 0 if i == j else m[i, j] / gap if abs(gap) > near else np.nan
    return w_dot, dot(v, m)


@array_rule(np.linalg.eigh, tangent=eigh_tangent, reads="y")
def eigh_adjoint(y: Any, y_bar: Any, a: Any, a_bar: Any) -> None:
    """``V (diag(w_bar) + F * skew(V^H v_bar)) V^H`` with ``F[i,j] = 1/(w[j] - w[i])``, in the lower triangle."""
    v = np.ascontiguousarray(y[1])
    add_triangle(a_bar, dot(dot(v, eigh_inner(y[0], v, y_bar[0], y_bar[1])), turned_over(v)))


def eigvalsh_tangent(y: Any, a: Any, a_dot: Any) -> Any:
    """``diag(V^H A_dot V)``."""
    v = np.ascontiguousarray(np.linalg.eigh(a)[1])
    moved = dot(from_triangle(a_dot), v)
    y_dot = np.zeros_like(y)
    for i in range(len(y)):
        for k in range(len(y)):
            y_dot[i] += (np.conj(v[k, i]) * moved[k, i]).real
    return y_dot


@array_rule(np.linalg.eigvalsh, tangent=eigvalsh_tangent, reads="a")
def eigvalsh_adjoint(y: Any, y_bar: Any, a: Any, a_bar: Any) -> None:
    """``V diag(w_bar) V^H``, in the lower triangle; finite at repeated values."""
    v = np.ascontiguousarray(np.linalg.eigh(a)[1])
    scaled = turned_over(v)
    for i in range(len(y)):
        for j in range(len(y)):
            scaled[i, j] *= y_bar[i]
    add_triangle(a_bar, dot(v, scaled))
