"""Interpolators of `scipy.interpolate`: programs for their constructors and calls, over a few rules for values."""

from . import (
    basis,
    cubic,
    fitpack,
    fits,
    grids,
    linear,
    names,
    natural,
    patterns,
    piecewise,
    scattered,
    smooth_fits,
    splines,
)

__all__ = [
    "basis",
    "cubic",
    "fitpack",
    "fits",
    "grids",
    "linear",
    "names",
    "natural",
    "patterns",
    "piecewise",
    "scattered",
    "smooth_fits",
    "splines",
]
