"""Functions that rearrange an array, taken as copies: the adjoint rearranges back.

What is a view is mirrored by generated code on the cotangent itself; these rules are for the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from morula.static.numba.array_rules.registry import array_rule
from morula.static.numba.array_rules.shared import like


def reshape_tangent(y: Any, a: Any, shape: Any, a_dot: Any) -> Any:
    """The tangent in the new shape."""
    return np.ascontiguousarray(a_dot).reshape(y.shape)


@array_rule(np.reshape, tangent=reshape_tangent, linear=True)
def reshape_adjoint(y: Any, y_bar: Any, a: Any, shape: Any, a_bar: Any) -> None:
    """The seed in the old shape."""
    a_bar += np.ascontiguousarray(y_bar).reshape(a.shape)


def ravel_tangent(y: Any, a: Any, a_dot: Any) -> Any:
    """The tangent, flat."""
    return a_dot.flatten()


@array_rule(np.ravel, np.ndarray.flatten, tangent=ravel_tangent, linear=True)
def ravel_adjoint(y: Any, y_bar: Any, a: Any, a_bar: Any) -> None:
    """The seed in the old shape."""
    a_bar += np.ascontiguousarray(y_bar).reshape(a.shape)


def copy_tangent(y: Any, a: Any, a_dot: Any) -> Any:
    """A copy."""
    return a_dot.copy()


@array_rule(np.copy, np.ndarray.copy, np.ascontiguousarray, np.asfortranarray, tangent=copy_tangent, linear=True)
def copy_adjoint(y: Any, y_bar: Any, a: Any, a_bar: Any) -> None:
    """The seed."""
    a_bar += y_bar


def transpose_tangent(y: Any, a: Any, axes: Any, a_dot: Any) -> Any:
    """The same of the tangent."""
    if axes is None:
        return np.ascontiguousarray(np.transpose(a_dot))
    else:
        return np.ascontiguousarray(np.transpose(a_dot, axes))


@array_rule(np.transpose, tangent=transpose_tangent, linear=True, axes=None)
def transpose_adjoint(y: Any, y_bar: Any, a: Any, axes: Any, a_bar: Any) -> None:
    """The seed, added through the transposed view."""
    if axes is None:
        view = np.transpose(a_bar)
        view += y_bar
    else:
        turned = np.transpose(a_bar, axes)
        turned += y_bar


def swapaxes_tangent(y: Any, a: Any, axis1: Any, axis2: Any, a_dot: Any) -> Any:
    """The same of the tangent."""
    return np.ascontiguousarray(np.swapaxes(a_dot, axis1, axis2))


@array_rule(np.swapaxes, tangent=swapaxes_tangent, linear=True)
def swapaxes_adjoint(y: Any, y_bar: Any, a: Any, axis1: Any, axis2: Any, a_bar: Any) -> None:
    """The seed, added through the view."""
    view = np.swapaxes(a_bar, axis1, axis2)
    view += y_bar


def moveaxis_tangent(y: Any, a: Any, source: Any, destination: Any, a_dot: Any) -> Any:
    """The same of the tangent."""
    return np.ascontiguousarray(np.moveaxis(a_dot, source, destination))


@array_rule(np.moveaxis, tangent=moveaxis_tangent, linear=True)
def moveaxis_adjoint(y: Any, y_bar: Any, a: Any, source: Any, destination: Any, a_bar: Any) -> None:
    """The seed, added through the view."""
    view = np.moveaxis(a_bar, source, destination)
    view += y_bar


def expand_dims_tangent(y: Any, a: Any, axis: Any, a_dot: Any) -> Any:
    """The same of the tangent."""
    return np.ascontiguousarray(np.expand_dims(a_dot, axis))


@array_rule(np.expand_dims, tangent=expand_dims_tangent, linear=True)
def expand_dims_adjoint(y: Any, y_bar: Any, a: Any, axis: Any, a_bar: Any) -> None:
    """The seed, added through the view."""
    view = np.expand_dims(a_bar, axis)
    view += y_bar


def rot90_tangent(y: Any, m: Any, k: Any, m_dot: Any) -> Any:
    """The same of the tangent."""
    return np.ascontiguousarray(np.rot90(m_dot, k))


@array_rule(np.rot90, tangent=rot90_tangent, linear=True, k=1)
def rot90_adjoint(y: Any, y_bar: Any, m: Any, k: Any, m_bar: Any) -> None:
    """The seed, added through the view."""
    view = np.rot90(m_bar, k)
    view += y_bar


def flip_tangent(y: Any, m: Any, m_dot: Any) -> Any:
    """The same of the tangent."""
    return np.ascontiguousarray(np.flip(m_dot))


@array_rule(np.flip, tangent=flip_tangent, linear=True)
def flip_adjoint(y: Any, y_bar: Any, m: Any, m_bar: Any) -> None:
    """The seed, added through the view."""
    view = np.flip(m_bar)
    view += y_bar


def fliplr_tangent(y: Any, m: Any, m_dot: Any) -> Any:
    """The same of the tangent."""
    return np.ascontiguousarray(np.fliplr(m_dot))


@array_rule(np.fliplr, tangent=fliplr_tangent, linear=True)
def fliplr_adjoint(y: Any, y_bar: Any, m: Any, m_bar: Any) -> None:
    """The seed, added through the view."""
    view = np.fliplr(m_bar)
    view += y_bar


def flipud_tangent(y: Any, m: Any, m_dot: Any) -> Any:
    """The same of the tangent."""
    return np.ascontiguousarray(np.flipud(m_dot))


@array_rule(np.flipud, tangent=flipud_tangent, linear=True)
def flipud_adjoint(y: Any, y_bar: Any, m: Any, m_bar: Any) -> None:
    """The seed, added through the view."""
    view = np.flipud(m_bar)
    view += y_bar


def _at_least(f: Callable[..., Any]) -> None:
    # One array each; generated code takes several one by one.
    def at_least_tangent(y: Any, arys: Any, arys_dot: Any) -> Any:
        """The tangent in the new shape."""
        return np.ascontiguousarray(arys_dot).reshape(y.shape)

    @array_rule(f, tangent=at_least_tangent, linear=True)
    def at_least_adjoint(y: Any, y_bar: Any, arys: Any, arys_bar: Any) -> None:
        """The seed in the old shape."""
        arys_bar += np.ascontiguousarray(y_bar).reshape(arys.shape)


for _f in (np.atleast_1d, np.atleast_2d, np.atleast_3d):
    _at_least(_f)


def broadcast_to_tangent(y: Any, array: Any, shape: Any, array_dot: Any) -> Any:
    """The same of the tangent."""
    return np.broadcast_to(array_dot, shape).copy()


@array_rule(np.broadcast_to, tangent=broadcast_to_tangent, linear=True)
def broadcast_to_adjoint(y: Any, y_bar: Any, array: Any, shape: Any, array_bar: Any) -> None:
    """The seed, summed over the copies."""
    skipped = y_bar.ndim - array.ndim
    for at in np.ndindex(y_bar.shape):
        k = 0
        for axis in range(array.ndim):
            n = array.shape[axis]
            k = k * n + (at[axis + skipped] if n > 1 else 0)
        array_bar.flat[k] += like(array, y_bar[at])


def tril_tangent(y: Any, m: Any, k: Any, m_dot: Any) -> Any:
    """The same triangle."""
    return np.tril(m_dot, k)


@array_rule(np.tril, tangent=tril_tangent, linear=True, k=0)
def tril_adjoint(y: Any, y_bar: Any, m: Any, k: Any, m_bar: Any) -> None:
    """The same triangle of the seed; a vector was every row of a square matrix."""
    for i in range(y_bar.shape[0]):
        for j in range(min(y_bar.shape[1], max(0, i + k + 1))):
            if m.ndim == 1:
                m_bar[j] += y_bar[i, j]
            else:
                m_bar[i, j] += y_bar[i, j]


def triu_tangent(y: Any, m: Any, k: Any, m_dot: Any) -> Any:
    """The same triangle."""
    return np.triu(m_dot, k)


@array_rule(np.triu, tangent=triu_tangent, linear=True, k=0)
def triu_adjoint(y: Any, y_bar: Any, m: Any, k: Any, m_bar: Any) -> None:
    """The same triangle of the seed; a vector was every row of a square matrix."""
    for i in range(y_bar.shape[0]):
        for j in range(max(0, i + k), y_bar.shape[1]):
            if m.ndim == 1:
                m_bar[j] += y_bar[i, j]
            else:
                m_bar[i, j] += y_bar[i, j]


def diag_tangent(y: Any, v: Any, k: Any, v_dot: Any) -> Any:
    """The same of the tangent."""
    return np.diag(v_dot, k)


@array_rule(np.diag, tangent=diag_tangent, linear=True, k=0)
def diag_adjoint(y: Any, y_bar: Any, v: Any, k: Any, v_bar: Any) -> None:
    """Of a vector the diagonal of the seed, of a matrix the seed on the diagonal."""
    low, right = max(0, -k), max(0, k)
    if v.ndim == 1:
        for i in range(len(v)):
            v_bar[i] += y_bar[i + low, i + right]
    else:
        for i in range(len(y_bar)):
            v_bar[i + low, i + right] += y_bar[i]


def diagflat_tangent(y: Any, v: Any, k: Any, v_dot: Any) -> Any:
    """The same of the tangent."""
    return np.diagflat(v_dot, k)


@array_rule(np.diagflat, tangent=diagflat_tangent, linear=True, k=0)
def diagflat_adjoint(y: Any, y_bar: Any, v: Any, k: Any, v_bar: Any) -> None:
    """The diagonal of the seed."""
    i = 0
    for at in np.ndindex(v.shape):
        v_bar[at] += y_bar[i + max(0, -k), i + max(0, k)]
        i += 1
