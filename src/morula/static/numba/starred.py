"""Compiled functions with ``*args``: the same function with a tuple in the place of these arguments.

def f(x, *rest): ...        # f(x, y, z)
def f(x, rest): ...         # f(x, (y, z))
"""

import inspect
import weakref
from types import FunctionType
from typing import Any

import numba

from morula.static.numba.compiled_in import refuse_stale
from morula.static.tiers.kernel_table import STARS
from morula.static.unsupported import Unsupported

_made: "weakref.WeakKeyDictionary[Any, Any]" = weakref.WeakKeyDictionary()


def with_tuple(f: Any) -> Any:
    """A function under `numba.njit` whose last parameter is the tuple of what `f` takes by a star.

    Raises:
        Unsupported: `f` takes other arguments by keyword only.
        NotDifferentiable: Numba has compiled `f` for other values than those that stand there now.
    """
    refuse_stale(f)
    found = _made.get(f)
    if found is None:
        function: FunctionType = f.py_func
        code = function.__code__
        if code.co_flags & inspect.CO_VARKEYWORDS or code.co_kwonlyargcount:
            raise Unsupported(STARS, function=function.__qualname__)
        flags = code.co_flags & ~inspect.CO_VARARGS
        code = code.replace(co_flags=flags, co_argcount=code.co_argcount + 1)
        plain = FunctionType(code, function.__globals__, function.__name__, None, function.__closure__)
        plain.__qualname__, plain.__module__ = function.__qualname__, function.__module__
        found = _made[f] = numba.jit(**f.targetoptions)(plain)
    return found


def in_tuple(f: Any, given: tuple) -> tuple:
    """The arguments of `with_tuple`'s function from those of `f`.

    Raises:
        Unsupported: some have their defaults.
    """
    n = f.py_func.__code__.co_argcount
    if len(given) < n:
        raise Unsupported(STARS, function=f.py_func.__qualname__)
    return (*given[:n], given[n:])
