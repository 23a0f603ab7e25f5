"""Rules for `scipy.sparse`."""
from . import calls, kernels, lists, products
__all__ = ["calls", "kernels", "lists", "products"]
