"""Interpolators of `scipy.interpolate`: programs for their constructors and calls, over a few rules for values."""

from . import basis, cubic, fitpack, fits, grids, names, patterns, piecewise, scattered, splines

__all__ = ["basis", "cubic", "fitpack", "fits", "grids", "names", "patterns", "piecewise", "scattered", "splines"]
