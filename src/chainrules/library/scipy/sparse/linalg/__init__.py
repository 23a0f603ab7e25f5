"""Rules and programs for `scipy.sparse.linalg`: solutions are differentiated, never the iterations that found them."""

from . import iterative, solving

__all__ = ["iterative", "solving"]
