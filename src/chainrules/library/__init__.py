"""The rules themselves, by library and topic."""

from . import numpy, python

__all__ = ["numpy", "python"]
