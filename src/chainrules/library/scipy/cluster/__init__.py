"""Programs for `scipy.cluster`."""

from . import hierarchy

__all__ = ["hierarchy"]
