"""Rules for `scipy.linalg`; the formulas that `numpy.linalg` shares are stated there.

No rule lets SciPy overwrite its arguments: ``overwrite_a=True`` allows it, and changes no result.
"""

from . import (
    banded,
    composed,
    equations,
    factorizations,
    functions,
    names,
    patterns,
    schur,
    solving,
    spectral,
    structured,
)

__all__ = [
    "banded", "composed", "equations", "factorizations", "functions", "names", "patterns", "schur", "solving",
    "spectral", "structured",
]  # fmt: skip
