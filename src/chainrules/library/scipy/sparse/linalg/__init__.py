"""Rules and programs for `scipy.sparse.linalg`: solutions are differentiated, never the iterations that found them."""

from . import iterative, refused, solving, spectra

__all__ = ["iterative", "refused", "solving", "spectra"]
