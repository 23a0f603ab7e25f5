"""Rules for NumPy, by topic."""

from . import (
    complexes,
    creation,
    differences,
    einsum,
    extrema,
    join,
    linalg,
    linear,
    nondiff,
    reductions,
    select,
    shape,
    spectral,
    statistics,
    ufuncs,
)

__all__ = [
    "complexes",
    "creation",
    "differences",
    "einsum",
    "extrema",
    "join",
    "linalg",
    "linear",
    "nondiff",
    "reductions",
    "select",
    "shape",
    "spectral",
    "statistics",
    "ufuncs",
]
