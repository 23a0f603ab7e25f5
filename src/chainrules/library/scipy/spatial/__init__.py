"""Rules and programs for `scipy.spatial`."""

from . import distances, rotations

__all__ = ["distances", "rotations"]
