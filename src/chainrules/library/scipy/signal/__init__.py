"""Rules for `scipy.signal`. What SciPy composes of functions that have rules, an engine follows."""

from . import composed, convolution, filters, patterns, spectra, unruled

__all__ = ["composed", "convolution", "filters", "patterns", "spectra", "unruled"]
