"""`scipy.sparse`: SciPy's Python is followed, and its compiled functions have programs; see `kernels`."""

from . import calls, kernels, lists, names, pairs, products

__all__ = ["calls", "kernels", "lists", "names", "pairs", "products"]
