"""Rules for `scipy.special`, by kinds of functions.

The partials are written in functions that have rules themselves, so that derivatives of any order follow; those by
parameters that need a method of their own (`gammainc_shape`, `betainc_shape`, ...) have rules of second order.
"""

from . import (
    bessel,
    betainc,
    elliptic,
    errors,
    gamma,
    gammainc,
    harmonics,
    hypergeometric,
    integrals,
    kolmogorov,
    logarithms,
    noncentral_tails,
    patterns,
    polynomials,
    spherical,
    sums,
    unsupported,
    zeta,
)

__all__ = [
    "bessel",
    "betainc",
    "elliptic",
    "errors",
    "gamma",
    "gammainc",
    "harmonics",
    "hypergeometric",
    "integrals",
    "kolmogorov",
    "logarithms",
    "noncentral_tails",
    "patterns",
    "polynomials",
    "spherical",
    "sums",
    "unsupported",
    "zeta",
]
