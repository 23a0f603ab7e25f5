"""`scipy.sparse`: SciPy's Python is followed, and its compiled functions have programs; see `kernels`."""

from . import calls, compressing, kernels, lists, names, pairs, products

__all__ = ["calls", "compressing", "kernels", "lists", "names", "pairs", "products"]
