"""Rules and programs for `scipy.spatial`."""

from . import distances, geometry, names, neighbours, rotations

__all__ = ["distances", "geometry", "names", "neighbours", "rotations"]
