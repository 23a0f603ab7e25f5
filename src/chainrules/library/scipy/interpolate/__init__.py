"""Interpolators of `scipy.interpolate`: programs for their constructors and calls, over a few rules for values."""

from . import cubic, piecewise

__all__ = ["cubic", "piecewise"]
