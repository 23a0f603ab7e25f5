"""Rules for `scipy.sparse`."""
from . import calls, kernels, lists, names, products

__all__ = ["calls", "kernels", "lists", "names", "products"]
