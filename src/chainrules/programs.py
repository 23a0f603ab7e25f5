"""Rules over functions that are written as programs: what an engine follows in place of a function.

A solver's derivative is that of its solution, not of its iterations. A program says so: it has the value found
plainly, and corrects it by steps that change nothing but the derivatives. An engine that follows programs needs no
other rule, in no mode and at no order, and what the given function has captured takes part as in any call.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any, TypeVar

from .registry import PROGRAMS, SHORTCUTS
from .tables import entering, entry_of

__all__ = ["followed", "program", "program_of", "shortcut", "shortcut_of"]

F = TypeVar("F", bound=Callable[..., Any])


def program(*fs: Any) -> Callable[[F], F]:
    """Declare what an engine with the trait ``"programs"`` follows where something active reaches a call of ``fs``.

    Args:
        fs: the functions. The program is called with the engine's `chainrules.RuleConfig`, then with their arguments.

    >>> def settle(g, x):
    ...     for _ in range(100):
    ...         x = g(x)
    ...     return x
    >>> @program(settle)
    ... def settle_program(config, g, x):
    ...     x = config.plainly(settle, g, x)
    ...     for _ in range(config.orders()):
    ...         x = g(x)  # of a contraction
    ...     return x
    >>> program_of(settle) is settle_program
    True
    """
    return entering(PROGRAMS, fs)


def followed(*fs: Any) -> None:
    """Declare that a function's own code is its program: engines follow that where something active reaches a call.

    Without it an engine does the same, and follows calls that nothing active reaches as well.

    Args:
        fs: functions written in Python, or methods bound to an object.

    >>> def double(x):
    ...     return x + x
    >>> followed(double)
    >>> program_of(double)(None, 2.0)
    4.0
    """
    for f in fs:
        own = FunctionType(f.__code__, f.__globals__, f.__name__, f.__defaults__, f.__closure__)
        own.__kwdefaults__ = f.__kwdefaults__
        program(f)(_calling(MethodType(own, f.__self__) if isinstance(f, MethodType) else own))


def _calling(own: Callable[..., Any]) -> Callable[..., Any]:
    def body(config: Any, *args: Any, **kwargs: Any) -> Any:
        return own(*args, **kwargs)

    return body


def program_of(f: Any) -> Callable[..., Any] | None:
    """The program that was declared for ``f`` by `program`, or None.

    >>> program_of(len) is None
    True
    """
    return entry_of(PROGRAMS, f)


def shortcut(*fs: Any) -> Callable[[F], F]:
    """Declare what a call comes to where plain numbers and arrays of floats are active, and arrays in its objects.

    Args:
        fs: functions and methods that have a program. The shortcut is called as they are. It returns a function that
            has a rule, and its arguments, in which all that may be active are the very objects that it was given or
            that these hold; or None, and then the program is followed.

    >>> import numpy as np
    >>> class Scale:
    ...     def __init__(self, k):
    ...         self.k = k
    ...     def __call__(self, x):
    ...         return self.k * x
    >>> @shortcut(Scale.__call__)
    ... def scaled(scale, x):
    ...     return np.multiply, (scale.k, x)
    >>> shortcut_of(Scale.__call__)(Scale(2.0), 3.0)
    (<ufunc 'multiply'>, (2.0, 3.0))
    """
    return entering(SHORTCUTS, fs)


def shortcut_of(f: Any) -> Callable[..., Any] | None:
    """The shortcut that was declared for ``f`` by `shortcut`, or None.

    >>> shortcut_of(len) is None
    True
    """
    return entry_of(SHORTCUTS, f)
