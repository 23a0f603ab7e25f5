"""``autograd.scipy``: SciPy itself, loaded part by part."""

import importlib
from typing import Any

from morula.extras import needs

PARTS = ("integrate", "linalg", "signal", "special", "stats")


def __getattr__(name: str) -> Any:
    if name not in PARTS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    with needs("sparse", "scipy"):
        return importlib.import_module(f"scipy.{name}")
