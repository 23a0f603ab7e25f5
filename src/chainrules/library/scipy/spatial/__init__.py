"""Rules and programs for `scipy.spatial`."""

from . import distances, geometry, neighbours, rotations

__all__ = ["distances", "geometry", "neighbours", "rotations"]
