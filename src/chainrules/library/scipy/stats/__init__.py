"""Rules for `scipy.stats`: the methods of distributions, also frozen ones, whose source leads to the same methods.

A distribution that is not among those known here has no rule: SciPy's source is followed as far as it can be.
"""

from . import (
    axis_policies,
    bessel_densities,
    compiled,
    continuous,
    covariances,
    discrete,
    kernels,
    names,
    normal_boxes,
    samples,
)

__all__ = [
    "axis_policies", "bessel_densities", "compiled", "continuous", "covariances", "discrete", "kernels", "names",
    "normal_boxes", "samples",
]  # fmt: skip
