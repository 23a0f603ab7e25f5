"""Rules and programs for `scipy.spatial`."""

from . import distances

__all__ = ["distances"]
