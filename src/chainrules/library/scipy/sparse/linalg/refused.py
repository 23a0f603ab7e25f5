"""What of `scipy.sparse.linalg` has no derivative here, and what to call instead."""

from __future__ import annotations

from typing import Any

from scipy.sparse import linalg as sla  # type: ignore[import-untyped]

from .....declarations import non_differentiable, unsupported
from .....programs import program
from .....tangents import NotImplementedDerivative

REASONS = {
    "spilu": "makes an approximation of factors that drops entries by size; a preconditioner is a constant: make it of "
    "a matrix that does not vary, or solve by splu",
    "eigs": "finds eigenvalues of a general matrix; of a symmetric one take eigsh, or numpy.linalg.eig of a dense one",
    "lobpcg": "finds eigenvalues by iterations that are no part of the derivative; take eigsh",
}


def refuse(f: Any, reason: str) -> None:
    """Refuse calls of ``f`` that something active reaches."""
    unsupported(reason, f)

    @program(f)
    def refused_program(config: Any, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedDerivative(f"it {reason}")


for _name, _reason in REASONS.items():
    if hasattr(sla, _name):
        refuse(getattr(sla, _name), _reason)
for _name in ("is_sptriangular", "spbandwidth", "use_solver", "onenormest"):
    if hasattr(sla, _name):
        non_differentiable(getattr(sla, _name))
