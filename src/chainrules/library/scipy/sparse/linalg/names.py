"""What of `scipy.sparse.linalg` is followed as Python, is constant, or is refused, and what to call instead."""

from __future__ import annotations

from scipy.sparse import linalg as sla  # type: ignore[import-untyped]
from scipy.sparse.linalg import _expm_multiply  # type: ignore[import-untyped]

from .....declarations import needs_no_rule, non_differentiable, unsupported
from ..refusing import named, refuse

REASONS = {
    "lobpcg": "finds eigenvalues by iterations, which are no part of the derivative; use eigsh",
    "funm_multiply_krylov": "approximates a function of a matrix in a Krylov space; use expm_multiply, or a dense one",
    "onenormest": "estimates a norm by choosing columns; use norm(A, 1)",
}
for _name, _reason in REASONS.items():
    for _f in named(sla, _name):
        refuse(_f, _reason)
unsupported("is what splu makes of a matrix", sla.SuperLU)
non_differentiable(*named(sla, "is_sptriangular spbandwidth use_solver"))
# how often to multiply, and how far to take the series
non_differentiable(*named(_expm_multiply, "_fragment_3_1"))
needs_no_rule(*named(sla, "LaplacianNd LinearOperator aslinearoperator expm expm_multiply inv matrix_power norm"))
