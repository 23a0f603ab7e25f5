"""Rules for `numpy.polynomial`, loaded when the program has imported it."""

from . import series_algebra, series_domains, series_values

__all__ = ["series_algebra", "series_domains", "series_values"]
