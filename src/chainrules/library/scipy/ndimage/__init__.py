"""Rules and programs for `scipy.ndimage`.

Linear filters continue the image beyond its boundary and are then the same everywhere: their adjoints are the turned
filters of the seed, folded back at the boundary. What is given as ``output`` is written by a program.
"""

from . import callbacks, composed, filters, patterns, selections, spectra, splines, unruled

__all__ = ["callbacks", "composed", "filters", "patterns", "selections", "spectra", "splines", "unruled"]
