"""Plain Python functions compiled together with the plain Python functions that they call.

Numba compiles a function and what is compiled already in its globals. A partial derivative or a rule calls
helpers that nobody has decorated: here they are, at every depth.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import CellType, FunctionType, ModuleType
from typing import Any

import numba
import numpy as np
from numba.core.dispatcher import Dispatcher

from morula.static.numba.frozen import MISSING, Frozen, is_fixed, read_names
from morula.static.numba.rule_helpers import helper_of

__all__ = ["compiled", "namespace_of"]


class _Mutable(Exception):
    """A name stands for something that can change in place, which compiled code would not see."""


def compiled(f: Callable[..., Any], frozen: Frozen, **options: Any) -> Dispatcher | None:
    """``f`` compiled by Numba on demand, with the plain Python functions it calls by name.

    Args:
        f: a plain Python function, or one that Numba has compiled already, which is returned as it is.
        frozen: gets the names that are taken for constants, and says which arrays may be.
        options: of `numba.njit`.

    Returns:
        The dispatcher, not compiled for any types yet; ``None`` where ``f`` is neither, or reads an array, a container
        or a module of the user by name, since those may change in place.

    >>> def double(x): return 2 * x
    >>> def f(x): return double(x) + 1
    >>> compiled(f, Frozen())(3.0)
    7.0
    """
    try:
        found = _compiled(f, frozen, options, {})
    except _Mutable:
        return None
    return found if isinstance(found, Dispatcher) else None


def namespace_of(f: FunctionType, names: Iterable[str], frozen: Frozen, **options: Any) -> dict[str, Any] | None:
    """What names mean in the code of ``f``, outside its own variables; plain functions come compiled.

    Returns:
        As for `compiled`: ``None`` where a name stands for something that can change in place.
    """
    try:
        return _outside(f, names, frozen, options, {})
    except _Mutable:
        return None


def _compiled(f: Any, frozen: Frozen, options: dict[str, Any], done: dict[Any, Any]) -> Any:
    if not isinstance(f, FunctionType):
        return f
    helper = helper_of(f)
    if helper is not None:
        return helper
    if f not in done:
        done[f] = None  # where it calls itself, by the name below
        space = _outside(f, read_names(f.__code__), frozen, options, done)
        closure = tuple(CellType(space[name]) for name in f.__code__.co_freevars)
        same = FunctionType(f.__code__, space, f.__name__, f.__defaults__, closure)
        same.__module__, same.__qualname__ = f.__module__, f.__qualname__
        made: Any = numba.njit(**options)(same)
        done[f] = made
        for name, cell in zip(f.__code__.co_freevars, closure, strict=True):
            if space[name] is f:
                cell.cell_contents = made
        space.update({name: made for name, value in space.items() if value is f})
    return done[f]


def _outside(
    f: FunctionType, names: Iterable[str], frozen: Frozen, options: dict[str, Any], done: dict[Any, Any]
) -> dict[str, Any]:
    space: dict[str, Any] = {"__builtins__": f.__globals__.get("__builtins__"), "__name__": f.__module__}
    names, cells = set(names), dict(zip(f.__code__.co_freevars, f.__closure__ or (), strict=True))
    for name in names - set(cells):
        value = f.__globals__.get(name, MISSING)
        if value is not MISSING:
            frozen.add(f.__globals__, name, value)
            space[name] = f if value is f else _constant(value, frozen, options, done)
    for name in names & set(cells):
        try:
            value = cells[name].cell_contents
        except ValueError:  # not bound yet
            raise _Mutable from None
        frozen.add(cells[name], None, value)
        space[name] = f if value is f else _constant(value, frozen, options, done)
    return space


def _constant(value: Any, frozen: Frozen, options: dict[str, Any], done: dict[Any, Any]) -> Any:
    if isinstance(value, np.ndarray) and frozen.takes_array(value):
        return value
    if isinstance(value, np.ndarray | list | dict | set | bytearray):
        raise _Mutable
    if isinstance(value, ModuleType) and not is_fixed(value):
        raise _Mutable
    if isinstance(value, tuple):
        return tuple(_constant(v, frozen, options, done) for v in value)
    if isinstance(value, FunctionType):
        made = _compiled(value, frozen, options, done)
        return value if made is None else made
    return value
