"""Programs for `scipy.optimize`: each has its solution found plainly, and makes it depend on the data as it does."""

from . import fits, linear, minima, names, older, roots

__all__ = ["fits", "linear", "minima", "names", "older", "roots"]
