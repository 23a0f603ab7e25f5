"""Functions that Numba compiles, recognised without importing Numba."""

import inspect
from collections.abc import Callable
from types import FunctionType
from typing import Any

# The classes are known by their names: Numba is loaded only where the program has loaded it.
DISPATCHERS = frozenset({"CPUDispatcher"})  # what `njit` and `jit` make
UFUNCS = frozenset({"DUFunc", "GUFunc"})  # what `vectorize` and `guvectorize` make
COMPILED = DISPATCHERS | UFUNCS | {"StencilFunc"}
DECORATORS = frozenset({"numba.core.decorators", "numba.np.ufunc.decorators"})  # modules


def is_dispatcher(f: Any) -> bool:
    """Whether `f` is a function under `numba.njit` or `numba.jit`."""
    cls = type(f)
    return cls.__name__ in DISPATCHERS and is_of_numba(cls)


def is_compiled_ufunc(f: Any) -> bool:
    """Whether `f` was made by `numba.vectorize` or `numba.guvectorize`."""
    cls = type(f)
    return cls.__name__ in UFUNCS and is_of_numba(cls)


def has_python_function(f: Any) -> bool:
    """Whether a compiled function can be followed as the Python function that it was made of."""
    return type(f).__name__ in ("CPUDispatcher", "DUFunc")


def is_compiled_class(cls: type) -> bool:
    """Whether the instances of a class are compiled functions: what they keep is the compiler's, no state of theirs."""
    return cls.__name__ in COMPILED and is_of_numba(cls)


def is_decorator(f: FunctionType) -> bool:
    """Whether a function is one of Numba's decorators, or what these return when they are given options."""
    return f.__module__ in DECORATORS


def is_of_numba(cls: type) -> bool:
    return cls.__module__.startswith("numba.")


def python_function(f: Any) -> Any:
    """The Python function that a compiled one was made of."""
    if is_dispatcher(f):
        return f.py_func
    dispatcher = getattr(f, "_dispatcher", None)  # of a DUFunc
    if dispatcher is None:
        dispatcher = getattr(f, "gufunc_builder", None)
    return getattr(dispatcher, "py_func", None)


def positional(f: Any, args: tuple, kwargs: dict) -> tuple | None:
    """All arguments of a call by position, defaults too; None for a function with ``*args``.

    Raises:
        TypeError: as the call does.
    """
    function: FunctionType = f.py_func
    code = function.__code__
    if code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS) or code.co_kwonlyargcount:
        return None
    if not kwargs and len(args) == code.co_argcount:
        return args
    named = code.co_varnames[len(args) : code.co_argcount]
    if len(kwargs) == len(named) and code.co_posonlyargcount <= len(args) and all(name in kwargs for name in named):
        return (*args, *[kwargs[name] for name in named])
    try:
        found = inspect.signature(function).bind(*args, **kwargs)
    except TypeError:
        f(*args, **kwargs)  # raises, in Numba's words
        raise
    found.apply_defaults()
    return found.args


def entry_point(f: Any, given: tuple) -> Any:
    """What runs the compiled code of `f` for arguments of just the types of `given`, without looking at these.

    Returns:
        The function in C; `f` itself, which looks, where it was not compiled for just these types.
    """
    if not is_dispatcher(f):
        return f
    found = f.overloads.get(tuple(map(f.typeof_pyval, given)))
    return f if found is None else found.entry_point


def straight(f: Callable, namespace: dict, name: Any) -> Callable:
    """`f`, which takes itself out of the way: under its name in a namespace stands its `entry_point` after a call."""

    def first(*given: Any) -> Any:
        y = f(*given)
        namespace[name] = entry_point(f, given)
        return y

    return first
