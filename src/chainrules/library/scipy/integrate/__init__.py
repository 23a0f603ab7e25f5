"""Programs for `scipy.integrate`: quadrature on the points that were chosen, and the steps that a solver took."""

from . import boundary_values, initial_values, names, patterns, quadrature, samples, stepping

__all__ = ["boundary_values", "initial_values", "names", "patterns", "quadrature", "samples", "stepping"]
