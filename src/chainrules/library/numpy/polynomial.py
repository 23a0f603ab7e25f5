"""Rules for `numpy.polynomial`, loaded when the program has imported it."""

from . import forward_series, series_algebra, series_domains, series_values

__all__ = ["forward_series", "series_algebra", "series_domains", "series_values"]
