"""The problems of `benchmarks/native.py`, a module for each family: primal, hand-written adjoint, other libraries."""

from native_problems import (
    diffusion,
    lstm,
    mixture,
    natural,
    natural_chains,
    natural_fields,
    natural_models,
    natural_series,
    natural_vision,
    nbody,
    small,
    ufuncs,
)
from native_problems.problem import Problem

FAMILIES = (
    small, mixture, lstm, diffusion, nbody, ufuncs, natural, natural_chains, natural_fields, natural_models,
    natural_series, natural_vision,
)  # fmt: skip
PROBLEMS: dict[str, Problem] = {problem.name: problem for family in FAMILIES for problem in family.PROBLEMS}
