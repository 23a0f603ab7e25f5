"""The rules themselves, by library and topic."""

from . import numpy, protocol, python

__all__ = ["numpy", "protocol", "python"]
