"""Morula: gradients of the Python you already have.

>>> import numpy as np, morula
>>> morula.gradient(lambda x: np.sin(x) ** 2, 0.5)
(0.8414709848078965,)
"""

from morula import nested  # noqa: F401  (registers itself)
from morula.api import WithGradient, grad, gradient, pullback, value_and_grad, withgradient
from morula.checkpointing import checkpoint
from morula.directional import jvp, pushforward
from morula.errors import (
    AliasedArgumentsError,
    MorulaError,
    NotDifferentiable,
    ResultError,
    RuleError,
    SeedError,
    SourceNotFound,
    StaleMemoryError,
)
from morula.jacobians import Wirtinger, WithJacobian, jacobian, wirtinger, withjacobian
from morula.rule_config import ReverseMode
from morula.structure import ravel
from morula.tools import (
    adjoint,
    code_adjoint,
    hook,
    ignore_derivatives,
    isderiving,
    refresh,
    showgrad,
    stop_gradient,
)

__version__ = "0.1.0"

__all__ = [
    "AliasedArgumentsError",
    "MorulaError",
    "NotDifferentiable",
    "ResultError",
    "ReverseMode",
    "RuleError",
    "SeedError",
    "SourceNotFound",
    "StaleMemoryError",
    "Wirtinger",
    "WithGradient",
    "WithJacobian",
    "adjoint",
    "checkpoint",
    "code_adjoint",
    "grad",
    "gradient",
    "hook",
    "ignore_derivatives",
    "isderiving",
    "jacobian",
    "jvp",
    "pullback",
    "pushforward",
    "ravel",
    "refresh",
    "showgrad",
    "stop_gradient",
    "value_and_grad",
    "wirtinger",
    "withgradient",
    "withjacobian",
]
