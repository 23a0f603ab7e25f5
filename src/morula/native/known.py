"""The kernels of calls that were met before, and what stands against having some."""

import weakref
from typing import Any

import numpy as np

import chainrules
from morula.native.dispatch import positional
from morula.native.fallback import not_native
from morula.native.integers import reaching_value
from morula.native.unsupported import Unsupported
from morula.runtime.kinds import ATOMS
from morula.runtime.registry import WHEN_ADJOINT

ndarray = np.ndarray
Found = Any  # Kernels, or the reason why there are none
STARS = "parameters with a star, or by keyword only"

_tables: dict[int, dict[Any, Found]] = {}  # by the identity of the function
_alive: dict[int, weakref.ref] = {}  # these functions


def table_of(f: Any) -> dict[Any, Found]:
    """What is known of `f`; forgotten with it, and when a rule is declared."""
    table = _tables.get(id(f))
    if table is None:
        key = id(f)
        _alive[key] = when_gone(f, key, _tables, _alive)
        table = _tables[key] = {}
    return table


def when_gone(f: Any, key: int, *tables: dict) -> weakref.ref:
    """A reference that takes `key` out of tables when `f` dies."""

    def forget(_: Any) -> None:
        for table in tables:
            table.pop(key, None)

    return weakref.ref(f, forget)


def forget_kernels() -> None:
    _tables.clear()


WHEN_ADJOINT.append(forget_kernels)
chainrules.when_declared(forget_kernels)


def fingerprint(args: tuple) -> bytes:
    """What tells arguments apart as Numba's types do.

    Raises:
        NotImplementedError: for what Numba has no such thing for.
    """
    from numba import _dispatcher

    globals()["fingerprint"] = _dispatcher.compute_fingerprint  # from now on itself
    found: bytes = _dispatcher.compute_fingerprint(args)
    return found


def kernels_for(f: Any, args: tuple, active: tuple[bool, ...]) -> Any:
    """The kernels of a call of `f` with all arguments by position.

    Args:
        f: a function under `numba.njit`.
        args: its arguments.
        active: for each of them, whether it is differentiated by.

    Returns:
        `Kernels` with a leaf for each active float in the arguments, also in those that the function writes into: what
        lies there may become active.

    Raises:
        Unsupported: there are none.
    """
    try:
        types = fingerprint(args)
    except NotImplementedError:
        types = None
    table = table_of(f)
    found = None if types is None else table.get((types, active))
    if found is None:
        try:
            found = _made(f, args, active)
        except Unsupported as reason:
            found = reason
        if types is not None:
            table[types, active] = found
    if isinstance(found, Unsupported):
        raise found
    return found


def source_for(f: Any, args: tuple) -> str:
    """The generated text for the gradient of ``f(*args)`` by all arguments.

    Raises:
        NotNative: there is none.
        TypeError: the call is wrong.
    """
    every = positional(f, args, {})
    if every is None:
        raise not_native(f, Unsupported(STARS, function=f.py_func.__qualname__))
    try:
        text: str = kernels_for(f, every, (True,) * len(every)).source
    except Unsupported as reason:
        raise not_native(f, reason) from None
    return text


def _made(f: Any, args: tuple, active: tuple[bool, ...]) -> Any:
    from morula.native.kernels import kernels_of

    refuse_arguments(f, args, active)
    kernels = kernels_of(f, args, active)
    more = tuple([a or i in kernels.written for i, a in enumerate(active)])
    return kernels if more == active else kernels_of(f, args, more)


def refuse_arguments(f: Any, args: tuple, active: tuple[bool, ...]) -> None:
    """Raise where an active argument is nothing that a kernel has a cotangent of, and an integer is a number."""
    for a, is_active in zip(args, active, strict=True):
        if is_active:
            refuse_structure(f, a)
    for i in reaching_value(f.py_func, args, active):
        name = f.py_func.__code__.co_varnames[i]
        raise Unsupported(
            f"the integer argument {name!r} as a number that it is differentiated by (pass a float, or leave it out "
            "with grad(..., argnums))",
            function=f.py_func.__qualname__,
        )


def refuse_structure(f: Any, a: Any) -> None:
    if isinstance(a, tuple):
        for part in a:
            refuse_structure(f, part)
    elif type(a) is not ndarray and type(a) not in ATOMS:
        raise Unsupported(f"an argument of type {type(a).__qualname__}", function=f.py_func.__qualname__)


def arrays_in(args: Any) -> list[ndarray]:
    """The arrays among arguments, also in tuples and lists."""
    found: list[ndarray] = []
    for a in args:
        if isinstance(a, ndarray):
            found.append(a)
        elif isinstance(a, tuple | list):
            found += arrays_in(a)
    return found


def at(values: tuple, path: tuple[int, ...]) -> Any:
    """The part of a nested tuple at a path."""
    found: Any = values
    for i in path:
        found = found[i]
    return found
