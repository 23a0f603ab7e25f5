"""The cofactors of a matrix, which are the derivatives of its determinant, and their own derivatives.

Where a matrix is well conditioned they are ``det(A) A^-T``. Near a singular one that product is finite, but its
derivatives cancel, so that they come from the singular values there, without a division: with ``A = U S V^H`` the
cofactors are those of ``U``, ``S`` and ``V^H``, one after the other, and those of a diagonal matrix, and the change of
these, are products of all but one or two of its elements. All functions give conjugates, and work on stacks.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...declarations import non_differentiable
from ...rules import rrule
from ...tangents import Thunk
from .linear import _h

WELL = 1e4  # the condition up to which derivatives of ``det(A) A^-T`` keep half of the digits


def cofactors(a: Any, y: Any) -> Any:
    """The conjugate cofactors of ``a``, whose determinant is ``y``.

    >>> cofactors(np.array([[1.0, 2.0], [2.0, 4.0]]), 0.0).round(12)
    array([[ 4., -2.],
           [-2.,  1.]])
    """
    if np.all(np.not_equal(y, 0)) and np.all(np.isfinite(y)):
        try:
            inverse = np.linalg.inv(a)
            if is_well_conditioned(a, inverse):
                return np.conj(y)[..., None, None] * _h(inverse)
        except np.linalg.LinAlgError:
            pass
    return of_singular(a)


def is_well_conditioned(a: Any, inverse: Any) -> bool:
    """Whether the condition of each matrix is small in the norm of Frobenius."""
    squares = [np.sum(np.real(x * np.conj(x)), axis=(-2, -1)) for x in (a, inverse)]
    return bool(np.all(squares[0] * squares[1] < WELL**2))


non_differentiable(is_well_conditioned)


def of_singular(a: Any) -> Any:
    """The conjugate cofactors of any matrix."""
    u, s, vh = np.linalg.svd(a)
    without = np.where(np.eye(s.shape[-1], dtype=bool), 1.0, s[..., None, :]).prod(axis=-1)
    turn = np.conj(np.linalg.det(u) * np.linalg.det(vh))
    return turn[..., None, None] * ((u * without[..., None, :]) @ vh)


def change(a: Any, e: Any) -> Any:
    """The change of the conjugate cofactors of ``a`` along ``e``, which is symmetric as a bilinear form."""
    u, s, vh = np.linalg.svd(a)
    inner = _h(u) @ e @ _h(vh)
    products = without_two(s)
    diagonal = np.eye(s.shape[-1], dtype=bool)
    along = np.einsum("...ij,...j->...i", products, np.einsum("...jj->...j", inner))
    moved = np.where(diagonal, along[..., None], -products * np.swapaxes(inner, -2, -1))
    turn = np.conj(np.linalg.det(u) * np.linalg.det(vh))
    return turn[..., None, None] * (u @ np.conj(moved) @ vh)


def without_two(s: Any) -> Any:
    """The products of all numbers but the i-th and the j-th; 0 where these are one.

    >>> without_two(np.array([2.0, 3.0, 0.0]))
    array([[0., 0., 3.],
           [0., 0., 2.],
           [3., 2., 0.]])
    """
    n = s.shape[-1]
    diagonal = np.eye(n, dtype=bool)
    rows = np.where(diagonal, 1.0, s[..., None, :])
    one = np.ones((*rows.shape[:-1], 1))
    before = np.concatenate([one, np.cumprod(rows, axis=-1)[..., :-1]], axis=-1)
    behind = np.concatenate([np.cumprod(rows[..., ::-1], axis=-1)[..., -2::-1], one], axis=-1)
    return np.where(diagonal, 0.0, before * behind)


@rrule(of_singular)
def of_singular_rule(a: Any) -> Any:
    return of_singular(a), lambda y_bar: Thunk(change, a, y_bar)


@rrule(change)
def change_rule(a: Any, e: Any) -> Any:
    """By minors: a cofactor is the determinant of one, and its change is linear in that of the minor's cofactors.

    It takes n^2 times as long, and is asked for by third derivatives alone.
    """

    def a_bar(y_bar: Any) -> Any:
        n = a.shape[-1]
        total = np.zeros(a.shape)
        for i in range(n):
            for j in range(n):
                minor, moved = (np.delete(np.delete(x, i, -2), j, -1) for x in (a, e))
                seed = (-1.0) ** (i + j) * np.conj(y_bar[..., i, j])
                bar = seed[..., None, None] * change(minor, moved)
                total = total + np.insert(np.insert(bar, i, 0.0, axis=-2), j, 0.0, axis=-1)
        return total

    return change(a, e), lambda y_bar: (Thunk(a_bar, y_bar), Thunk(change, a, y_bar))
