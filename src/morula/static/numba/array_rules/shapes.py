"""Functions that rearrange an array, taken as copies: the adjoint rearranges back.

What is a view is mirrored by generated code on the cotangent itself; these rules are for the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from morula.static.numba.array_rules.registry import array_rule
from morula.static.numba.array_rules.shared import like
from morula.static.numba.generated import defined


def copy_tangent(y: Any, a: Any, a_dot: Any) -> Any:
    """A copy."""
    return a_dot.copy()


@array_rule(np.copy, np.ndarray.copy, np.ascontiguousarray, np.asfortranarray, tangent=copy_tangent, linear=True)
def copy_adjoint(y: Any, y_bar: Any, a: Any, a_bar: Any) -> None:
    """The seed."""
    a_bar += y_bar


_VIEW = """def {name}_tangent(y, {parameters}, {x}_dot):
    '''The same of the tangent.'''
    return np.{name}({x}_dot{rest}).copy()
def {name}_adjoint(y, y_bar, {parameters}, {x}_bar):
    '''The seed, added through the view.'''
    view = np.{name}({x}_bar{rest})
    view += y_bar
"""
_VIEWS: dict[Callable[..., Any], tuple[str, dict[str, Any]]] = {
    np.swapaxes: ("a, axis1, axis2", {}),
    np.moveaxis: ("a, source, destination", {}),
    np.expand_dims: ("a, axis", {}),
    np.rot90: ("m, k", {"k": 1}),
    np.flip: ("m", {}),
    np.fliplr: ("m", {}),
    np.flipud: ("m", {}),
    np.atleast_1d: ("arys", {}),  # one array each; generated code takes several one by one
    np.atleast_2d: ("arys", {}),
    np.atleast_3d: ("arys", {}),
}
for _f, (_parameters, _defaults) in _VIEWS.items():
    _x, _, _ = _parameters.partition(",")
    _name, _space = _f.__name__, dict[str, Any](np=np)
    _text = _VIEW.format(name=_name, parameters=_parameters, x=_x, rest=_parameters[len(_x) :])
    _adjoint = defined(_text, f"{_name}_adjoint", f"<views by {_name}>", _space)
    array_rule(_f, tangent=_space[f"{_name}_tangent"], linear=True, **_defaults)(_adjoint)


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


@array_rule(np.tril, linear=True, k=0)
def tril_adjoint(y: Any, y_bar: Any, m: Any, k: Any, m_bar: Any) -> None:
    """The same triangle of the seed; a vector was every row of a square matrix."""
    for i in range(y_bar.shape[0]):
        for j in range(min(y_bar.shape[1], max(0, i + k + 1))):
            if m.ndim == 1:
                m_bar[j] += y_bar[i, j]
            else:
                m_bar[i, j] += y_bar[i, j]


@array_rule(np.triu, linear=True, k=0)
def triu_adjoint(y: Any, y_bar: Any, m: Any, k: Any, m_bar: Any) -> None:
    """The same triangle of the seed; a vector was every row of a square matrix."""
    for i in range(y_bar.shape[0]):
        for j in range(max(0, i + k), y_bar.shape[1]):
            if m.ndim == 1:
                m_bar[j] += y_bar[i, j]
            else:
                m_bar[i, j] += y_bar[i, j]


@array_rule(np.diag, linear=True, k=0)
def diag_adjoint(y: Any, y_bar: Any, v: Any, k: Any, v_bar: Any) -> None:
    """Of a vector the diagonal of the seed, of a matrix the seed on the diagonal."""
    low, right = max(0, -k), max(0, k)
    if v.ndim == 1:
        for i in range(len(v)):
            v_bar[i] += y_bar[i + low, i + right]
    else:
        for i in range(len(y_bar)):
            v_bar[i + low, i + right] += y_bar[i]


@array_rule(np.diagflat, linear=True, k=0)
def diagflat_adjoint(y: Any, y_bar: Any, v: Any, k: Any, v_bar: Any) -> None:
    """The diagonal of the seed."""
    i = 0
    for at in np.ndindex(v.shape):
        v_bar[at] += y_bar[i + max(0, -k), i + max(0, k)]
        i += 1
