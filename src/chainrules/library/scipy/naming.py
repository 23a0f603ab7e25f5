"""Functions of a module of SciPy's: by name, without their programs, refused. Declares nothing by itself."""

from __future__ import annotations

from types import FunctionType
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


def itself(f: Any) -> Any:
    """A function that is the same, and has no program."""
    copy = FunctionType(f.__code__, f.__globals__, f.__name__, f.__defaults__, f.__closure__)
    copy.__kwdefaults__ = f.__kwdefaults__
    return copy


def refuse(reason: str, *fs: Any) -> None:
    """Refuse functions in Python whose steps an engine could follow, to a derivative of the steps."""
    unsupported(reason, *fs)
    for f in fs:
        program(f)(_refusal(reason))


def refuse_whole(reason: str, *fs: Any) -> None:
    """Refuse compiled functions, which engines do not follow, and those in Python by `refuse`."""
    refuse(reason, *[f for f in fs if hasattr(f, "__code__")])
    unsupported(reason, *[f for f in fs if not hasattr(f, "__code__")])


def _refusal(reason: str) -> Any:
    def refused(config: Any, *args: Any, **named: Any) -> Any:
        raise NotImplementedDerivative(f"it {reason}")

    return refused
