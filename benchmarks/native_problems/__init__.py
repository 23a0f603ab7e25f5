"""The problems of `benchmarks/native.py`, a module for each family: primal, hand-written adjoint, other libraries."""

from native_problems import diffusion, lstm, mixture, natural, nbody, small, ufuncs
from native_problems.problem import Problem

PROBLEMS: dict[str, Problem] = {
    problem.name: problem
    for family in (small, mixture, lstm, diffusion, nbody, ufuncs, natural)
    for problem in family.PROBLEMS
}
