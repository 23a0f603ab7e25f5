"""Rules for `scipy.signal`. What SciPy composes of functions that have rules, an engine follows."""

from . import convolution, filters

__all__ = ["convolution", "filters"]
