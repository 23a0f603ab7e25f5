"""Rules for `scipy.sparse`."""
from . import calls, kernels, products
__all__ = ["kernels", "products"]
