"""Morula: gradients of the Python you already have.

>>> import numpy as np, morula
>>> morula.gradient(lambda x: np.sin(x) ** 2, 0.5)
(0.8414709848078965,)
"""

import importlib
import sys
from functools import partial
from typing import TYPE_CHECKING, Any

from chainrules import when_loaded
from morula import warned  # noqa: F401  (it registers itself)
from morula.diagnostics.verbs import errstate, explain, explaining
from morula.eager.calls.rule_config import ReverseMode
from morula.errors import (
    AliasedArgumentsError,
    MorulaError,
    NativeFallbackWarning,
    NonFiniteError,
    NonFiniteWarning,
    NotDifferentiable,
    NotNative,
    ResultError,
    RuleError,
    SeedError,
    SourceNotFound,
    StaleMemoryError,
)
from morula.static.python import callees  # noqa: F401  (it registers itself)
from morula.static.python.choice import tier
from morula.static.tiers.fallback import native_mode
from morula.verbs import at_once, nested, outside_pullbacks, programs, transposed_again  # noqa: F401  (they register themselves)
from morula.verbs.checkpoint_loops import checkpoint_loop
from morula.verbs.checkpoints import checkpoint
from morula.verbs.directional import jvp, pushforward
from morula.verbs.gradients import WithGradient, grad, gradient, pullback, value_and_grad, withgradient
from morula.verbs.hessians import HessianOperator, diaghessian, hessian, hvp, laplacian
from morula.verbs.jacobians import Wirtinger, WithJacobian, jacobian, wirtinger, withjacobian
from morula.verbs.structure import ravel
from morula.verbs.tools import (
    adjoint,
    code_adjoint,
    hook,
    ignore_derivatives,
    isderiving,
    means,
    refresh,
    showgrad,
    stop_gradient,
)

if TYPE_CHECKING:  # loaded when one of them is asked for, as most programs ask for none
    from morula.interop.maps import remote_map
    from morula.verbs.linear import as_linear_operator, linearize, taylor
    from morula.verbs.scipy_problem import ScipyProblem, for_scipy
    from morula.verbs.sparse import SparseHessian, SparseJacobian, sparse_hessian, sparse_jacobian
    from morula.verbs.sparsity import hessian_sparsity, jacobian_sparsity

__version__ = "0.1.0"

__all__ = [
    "AliasedArgumentsError",
    "HessianOperator",
    "MorulaError",
    "NativeFallbackWarning",
    "NonFiniteError",
    "NonFiniteWarning",
    "NotDifferentiable",
    "NotNative",
    "ResultError",
    "ReverseMode",
    "RuleError",
    "ScipyProblem",
    "SeedError",
    "SourceNotFound",
    "SparseHessian",
    "SparseJacobian",
    "StaleMemoryError",
    "Wirtinger",
    "WithGradient",
    "WithJacobian",
    "adjoint",
    "as_linear_operator",
    "checkpoint",
    "checkpoint_loop",
    "code_adjoint",
    "diaghessian",
    "errstate",
    "explain",
    "explaining",
    "for_scipy",
    "grad",
    "gradient",
    "hessian",
    "hessian_sparsity",
    "hook",
    "hvp",
    "ignore_derivatives",
    "isderiving",
    "jacobian",
    "jacobian_sparsity",
    "jvp",
    "laplacian",
    "linearize",
    "means",
    "native_mode",
    "pullback",
    "pushforward",
    "ravel",
    "refresh",
    "remote_map",
    "showgrad",
    "sparse_hessian",
    "sparse_jacobian",
    "stop_gradient",
    "taylor",
    "tier",
    "value_and_grad",
    "wirtinger",
    "withgradient",
    "withjacobian",
]

_LATER = {
    "interop.maps": ("remote_map",),
    "verbs.linear": ("as_linear_operator", "linearize", "taylor"),
    "verbs.scipy_problem": ("ScipyProblem", "for_scipy"),
    "verbs.sparse": ("SparseHessian", "SparseJacobian", "sparse_hessian", "sparse_jacobian"),
    "verbs.sparsity": ("hessian_sparsity", "jacobian_sparsity"),
}


def __getattr__(name: str) -> Any:
    for module, names in _LATER.items():
        if name in names:
            found = globals()[name] = getattr(importlib.import_module(f"morula.{module}"), name)
            return found
    raise AttributeError(f"module 'morula' has no attribute {name!r}")


def _with_pyplot() -> None:
    if "matplotlib.axes" in sys.modules:  # it is not what a test has put in its place
        importlib.import_module("morula.interop.matplotlib_calls").with_pyplot()


when_loaded("concurrent.futures.thread", partial(importlib.import_module, "morula.interop.executors"))
when_loaded("concurrent.futures.process", partial(importlib.import_module, "morula.interop.processes"))
when_loaded("multiprocessing.pool", partial(importlib.import_module, "morula.interop.pools"))
when_loaded("matplotlib.axes", partial(importlib.import_module, "morula.interop.matplotlib_calls"))
when_loaded("matplotlib.pyplot", _with_pyplot)
when_loaded("pandas", partial(importlib.import_module, "morula.interop.pandas_calls"))
when_loaded("wrapt", partial(importlib.import_module, "morula.interop.wrapt_calls"))
when_loaded("mygrad", partial(importlib.import_module, "morula.interop.mygrad_calls"))
when_loaded("joblib", partial(importlib.import_module, "morula.interop.joblib"))
when_loaded("distributed", partial(importlib.import_module, "morula.interop.distributed"))
when_loaded("dask.delayed", partial(importlib.import_module, "morula.interop.delayed"))
when_loaded("dask.bag", partial(importlib.import_module, "morula.interop.bags"))
when_loaded("ray", partial(importlib.import_module, "morula.interop.ray_calls"))
when_loaded("mpi4py.MPI", partial(importlib.import_module, "morula.interop.mpi_calls"))


def __dir__() -> list[str]:
    return sorted([*__all__, *(name for name in globals() if name.startswith("__"))])


def load_ipython_extension(shell: object) -> None:
    """What ``%load_ext morula`` calls: the cell magic ``%%morula`` explains the derivatives that a cell takes."""
    from morula.diagnostics.notebook import load

    load(shell)
