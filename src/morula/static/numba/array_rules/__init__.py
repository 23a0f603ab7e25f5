"""Adjoints and tangents of whole-array functions, in Numba's subset: what generated code calls, or has inlined."""

from morula.static.numba.array_rules import (  # noqa: F401  (they register themselves)
    choosing,
    covariances,
    creation,
    eigen,
    extrema,
    factorizations,
    linalg,
    moments,
    multiplied,
    norms,
    ordering,
    picking,
    products,
    reductions,
    shapes,
    signals,
    singular,
    spectral,
)
from morula.static.numba.array_rules.constants import NON_DIFFERENTIABLE as NON_DIFFERENTIABLE
from morula.static.numba.array_rules.registry import RULES as RULES
from morula.static.numba.array_rules.registry import ArrayRule as ArrayRule
from morula.static.numba.array_rules.registry import array_rule as array_rule
