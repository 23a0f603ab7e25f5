"""Rules and programs for `scipy.sparse.linalg`: solutions are differentiated, never the iterations that found them."""

from . import iterative, names, solving, spectra

__all__ = ["iterative", "names", "solving", "spectra"]
