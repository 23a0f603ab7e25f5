"""Rules and programs for `scipy.spatial`."""

from . import distances, geometry, names, neighbours, patterns, rotations

__all__ = ["distances", "geometry", "names", "neighbours", "patterns", "rotations"]
