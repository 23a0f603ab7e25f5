"""Names of a module of SciPy's, and functions that are refused. Declares nothing by itself."""

from __future__ import annotations

from typing import Any

from ...declarations import unsupported
from ...programs import program
from ...tangents import NotImplementedDerivative


def named(module: Any, names: str) -> list[Any]:
    """What a module has of some names; versions of SciPy differ.

    >>> import math
    >>> named(math, "sin no_such_function")
    [<built-in function sin>]
    """
    return [getattr(module, name) for name in names.split() if hasattr(module, name)]


def refuse(reason: str, *fs: Any) -> None:
    """Refuse functions in Python whose steps an engine could follow, to a derivative of the steps."""
    unsupported(reason, *fs)
    for f in fs:
        program(f)(_refusal(reason))


def _refusal(reason: str) -> Any:
    def refused(config: Any, *args: Any, **named: Any) -> Any:
        raise NotImplementedDerivative(f"it {reason}")

    return refused
