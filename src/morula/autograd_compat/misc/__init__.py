"""``autograd.misc``: structures as vectors, and the optimisers of autograd's examples."""

from morula.autograd_compat.misc import optimizers
from morula.autograd_compat.misc.flatten import flatten, flatten_func

__all__ = ["flatten", "flatten_func", "optimizers"]
