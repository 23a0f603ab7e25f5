"""The name ``autograd`` for packages that import it themselves."""

import importlib
import importlib.util
import sys

from morula.autograd_compat.scipy import PARTS

__all__ = ["install"]


def install() -> None:
    """Let ``import autograd`` give this interface, for packages written for HIPS autograd.

    Call it before such a package is imported. SciPy's modules stand under ``autograd.scipy`` where SciPy is installed.

    Raises:
        ImportError: autograd itself has been imported already.

    >>> import sys
    >>> names = lambda: [name for name in sys.modules if name.split(".")[0] == "autograd"]
    >>> before = {name: sys.modules.pop(name) for name in names()}
    >>> install()
    >>> import autograd
    >>> import autograd.numpy.random as npr
    >>> autograd.grad(lambda x: autograd.numpy.sin(x) * x)(0.0), autograd.__name__
    (0.0, 'morula.autograd_compat')
    >>> for name in names():
    ...     del sys.modules[name]
    >>> sys.modules.update(before)
    """
    here = sys.modules["morula.autograd_compat"]
    loaded = sys.modules.get("autograd")
    if loaded is not None and loaded is not here:
        raise ImportError("autograd has been imported already: call morula.autograd_compat.install() before")
    modules = {"autograd": here}
    for name in ("builtins", "extend", "misc", "scipy", "test_util", "misc.flatten", "misc.optimizers"):
        modules[f"autograd.{name}"] = importlib.import_module(f"morula.autograd_compat.{name}")
    modules["autograd.differential_operators"] = importlib.import_module("morula.autograd_compat.operators")
    for name in ("", ".fft", ".linalg", ".random"):
        modules[f"autograd.numpy{name}"] = importlib.import_module(f"numpy{name}")
    if importlib.util.find_spec("scipy") is not None:
        for name in PARTS:
            modules[f"autograd.scipy.{name}"] = importlib.import_module(f"scipy.{name}")
    sys.modules.update(modules)
