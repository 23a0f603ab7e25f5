"""HIPS autograd's interface over Morula: programs written for autograd run on plain NumPy.

Replace ``import autograd`` by ``import morula.autograd_compat as autograd``, and ``import autograd.numpy as np`` by
``import numpy as np``. A package that imports ``autograd`` itself is served after `install`.

>>> import morula.autograd_compat as autograd
>>> np = autograd.numpy
>>> autograd.grad(lambda x: np.tanh(x) ** 2)(0.5)
0.7268619813835873
"""

from morula.autograd_compat import builtins, extend, misc, numpy, scipy, test_util
from morula.autograd_compat.builtins import dict, isinstance, list, tuple, type
from morula.autograd_compat.installing import install
from morula.autograd_compat.operators import (
    checkpoint,
    deriv,
    elementwise_grad,
    grad,
    grad_and_aux,
    grad_named,
    hessian,
    hessian_tensor_product,
    hessian_vector_product,
    holomorphic_grad,
    jacobian,
    make_ggnvp,
    make_hvp,
    make_jvp,
    make_vjp,
    multigrad_dict,
    tensor_jacobian_product,
    value_and_grad,
    vector_jacobian_product,
)

__all__ = [
    "builtins",
    "checkpoint",
    "deriv",
    "dict",
    "elementwise_grad",
    "extend",
    "grad",
    "grad_and_aux",
    "grad_named",
    "hessian",
    "hessian_tensor_product",
    "hessian_vector_product",
    "holomorphic_grad",
    "install",
    "isinstance",
    "jacobian",
    "list",
    "make_ggnvp",
    "make_hvp",
    "make_jvp",
    "make_vjp",
    "misc",
    "multigrad_dict",
    "numpy",
    "scipy",
    "tensor_jacobian_product",
    "test_util",
    "tuple",
    "type",
    "value_and_grad",
    "vector_jacobian_product",
]
