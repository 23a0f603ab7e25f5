"""Random draws are constants; loaded when the program has imported `numpy.random`.

Not those that return or move what they are given (``permutation``, ``permuted``, ``choice``, ``shuffle``):
the data goes through them.
"""

from __future__ import annotations

import numpy as np

from ...declarations import non_differentiable
from .nondiff import words

DRAWS = words("""
beta binomial bytes chisquare dirichlet exponential f gamma geometric gumbel hypergeometric integers laplace
logistic lognormal logseries multinomial multivariate_hypergeometric multivariate_normal negative_binomial
noncentral_chisquare noncentral_f normal pareto poisson power random rayleigh rand randint random_integers
random_sample ranf randn sample seed set_state get_state spawn standard_cauchy standard_exponential
standard_gamma standard_normal standard_t triangular tomaxint uniform vonmises wald weibull zipf
""")

non_differentiable(np.random.default_rng, np.random.Generator, np.random.RandomState, np.random.SeedSequence)
# `np.random.normal` is a method bound to the global state.
for owner in (np.random.Generator, np.random.RandomState, np.random):
    non_differentiable(*[getattr(owner, n) for n in DRAWS if hasattr(owner, n)])
