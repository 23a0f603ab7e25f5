"""Rules for `scipy.sparse`."""
from . import calls, kernels, lists, names, pairs, products

__all__ = ["calls", "kernels", "lists", "names", "pairs", "products"]
