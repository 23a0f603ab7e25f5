"""Tangents of products of vectors and matrices, in lanes."""

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload, register_jitable

from morula.static.numba.lanes import lanes_at, no_lanes, set_lanes

__all__ = ["dot_lanes"]


def dot_lanes(a: Any, b: Any, a_dot: Any, b_dot: Any, width: Any) -> Any:
    """``a_dot b + a b_dot``, of a literal number of lanes."""
    raise NotImplementedError


@overload(dot_lanes, prefer_literal=True)
def dot_lanes_overload(a: Any, b: Any, a_dot: Any, b_dot: Any, width: Any) -> Any:
    if not isinstance(width, types.IntegerLiteral):
        return None
    is_a, is_b = (not isinstance(d, types.NoneType) for d in (a_dot, b_dot))
    lanes = width.literal_value

    @register_jitable
    def total(a: Any, b: Any, a_dot: Any, b_dot: Any, i: Any, j: Any, n: int) -> Any:
        """The sums that the two products are, one after the other."""
        found = no_lanes(lanes)
        if is_a:
            for k in range(n):
                found = found + lanes_at(a_dot, (*i, k), lanes) * b[(k, *j)]
        if is_b:
            other = no_lanes(lanes)
            for k in range(n):
                other = other + lanes_at(b_dot, (k, *j), lanes) * a[(*i, k)]
            found = found + other
        return found

    def vectors(a: Any, b: Any, a_dot: Any, b_dot: Any, width: Any) -> Any:
        return total(a, b, a_dot, b_dot, (), (), a.shape[0])

    def matrices(a: Any, b: Any, a_dot: Any, b_dot: Any, width: Any) -> Any:
        made = np.empty((a.shape[0], b.shape[1], lanes))
        for i in range(a.shape[0]):
            for j in range(b.shape[1]):
                set_lanes(made, (i, j), total(a, b, a_dot, b_dot, (i,), (j,), a.shape[1]))
        return made

    def matrix_vector(a: Any, b: Any, a_dot: Any, b_dot: Any, width: Any) -> Any:
        made = np.empty((a.shape[0], lanes))
        for i in range(a.shape[0]):
            set_lanes(made, (i,), total(a, b, a_dot, b_dot, (i,), (), a.shape[1]))
        return made

    def vector_matrix(a: Any, b: Any, a_dot: Any, b_dot: Any, width: Any) -> Any:
        made = np.empty((b.shape[1], lanes))
        for j in range(b.shape[1]):
            set_lanes(made, (j,), total(a, b, a_dot, b_dot, (), (j,), a.shape[0]))
        return made

    if a.ndim == 1:
        return vectors if b.ndim == 1 else vector_matrix
    return matrix_vector if b.ndim == 1 else matrices
