"""Programs for `scipy.integrate`: quadrature on the points that were chosen, and the steps that a solver took."""

from . import initial_values, quadrature

__all__ = ["initial_values", "quadrature"]
