"""Patterns of functions of matrices: those of each matrix of a stack apart, and columns of right-hand sides."""

from __future__ import annotations

from typing import Any

from scipy import linalg as la  # type: ignore[import-untyped]

from ....patterns import pattern
from ...numpy.patterns import rearranged, reduced
from ...numpy.stack_patterns import each, each_part, solution, solved

for _f in (la.block_diag, la.circulant, la.toeplitz, la.hankel):
    rearranged(_f)
pattern(la.inv, la.cholesky, la.pinv, la.pinvh)(each(2))
pattern(la.eigvalsh, la.svdvals)(each(1))
pattern(la.det)(each(0))
pattern(la.eigh)(each_part(1, 2))
pattern(la.norm)(reduced("smooth", 2))
pattern(la.solve)(solved)
pattern(la.solve_triangular, la.cho_solve, la.lu_solve, la.solveh_banded, la.solve_toeplitz)(solution)


@pattern(la.solve_banded)
def solved_banded(joining: Any, y: Any, args: Any, marks: Any, kwargs: Any) -> Any:
    """The whole matrix, and a column of the right-hand sides."""
    return solution(joining, y, args, marks, kwargs, 2) if len(args) > 2 else NotImplemented
