"""What may not cross the border to another engine unseen: its values in a closure, in an object, in a result.

A value that a function finds otherwise than in its arguments is a constant there. Where the other engine differentiates
by it, its derivative would be lost without a word.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from types import FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from chainrules import is_constant
from morula.eager.calls.registry import where_active
from morula.eager.containers.parts import attributes_of
from morula.eager.context.kinds import ATOMS, is_empty, is_library_code, is_plain_object
from morula.errors import NotDifferentiable, describe
from morula.frames import is_engine_frame, is_installed

__all__ = ["refuse_captured", "refuse_hidden"]

DEPTH = 6


def refuse_hidden(f: Callable, constants: Iterable[Any], is_foreign: Callable[[Any], bool], adapter: str) -> None:
    """Raise where `f` can reach a value of another engine otherwise than by its arguments.

    Args:
        f: the function.
        constants: arguments that are handed on as they are.
        is_foreign: whether a value belongs to the other engine.
        adapter: what `f` was given to.

    Raises:
        NotDifferentiable: names the variable or attribute.
    """
    seen: set[int] = set()
    for where, x in (*_reached(f), *[("an argument", c) for c in constants]):
        found = _foreign_in(where, x, is_foreign, seen, DEPTH)
        if found is not None:
            kind = type(found[1])
            raise NotDifferentiable(
                f"{adapter}: {describe(f)} reaches a {kind.__module__}.{kind.__qualname__} through {found[0]}, and "
                "not as an argument, so no derivative with respect to it could be returned. Pass it as an "
                "argument (alone, or in a tuple, list or dict); if it is a constant, convert it (numpy.asarray)"
            )


def _foreign_in(where: str, x: Any, is_foreign: Callable, seen: set[int], depth: int) -> tuple[str, Any] | None:
    if type(x) in ATOMS or id(x) in seen or depth == 0 or isinstance(x, ModuleType | type):
        return None
    if is_foreign(x):
        return where, x
    seen.add(id(x))
    if isinstance(x, np.ndarray):
        parts: Iterable[tuple[str, Any]] = ((where, v) for v in x.flat) if x.dtype.kind == "O" else ()
    elif isinstance(x, dict):
        parts = ((f"{where}[{k!r:.30}]", v) for k, v in list(x.items()))
    elif isinstance(x, list | tuple | set | frozenset):
        parts = ((f"an item of {where}", v) for v in list(x))
    elif is_constant(x):
        return None
    elif callable(x) and isinstance(x, FunctionType | MethodType | functools.partial):
        parts = _reached(x)
    elif is_plain_object(x):
        parts = ((f"{where}.{name}", v) for name, v in list(attributes_of(x).items()))
    else:
        return None
    return next(
        (found for name, v in parts if (found := _foreign_in(name, v, is_foreign, seen, depth - 1)) is not None), None
    )


def _reached(f: Any) -> Iterator[tuple[str, Any]]:
    """What a callable of the user's holds, with words for where."""
    if isinstance(f, functools.partial):
        yield from _reached(f.func)
        yield from (("an argument of a partial", v) for v in (*f.args, *f.keywords.values()))
    elif isinstance(f, MethodType):
        yield "self", f.__self__
        yield from _reached(f.__func__)
    elif isinstance(f, FunctionType):
        if is_engine_frame(f.__globals__) or is_library_code(f) or is_installed(f.__code__.co_filename):
            return
        for name, cell in zip(f.__code__.co_freevars, f.__closure__ or (), strict=True):
            if not is_empty(cell):
                yield f"the variable {name!r}", cell.cell_contents
        for v in (*(f.__defaults__ or ()), *(f.__kwdefaults__ or {}).values()):
            yield "a default argument", v
        for name in f.__code__.co_names:
            if name in f.__globals__:
                yield f"the global variable {name!r}", f.__globals__[name]
        for constant in f.__code__.co_consts:  # functions inside
            for name in getattr(constant, "co_names", ()):
                if name in f.__globals__:
                    yield f"the global variable {name!r}", f.__globals__[name]
    elif callable(f):
        yield "the callable", f


def refuse_captured(*adapters: Callable) -> None:
    """Refuse calls of these inside differentiated functions where the given function holds active values.

    The other engine would take them for constants.
    """
    for adapter in adapters:

        @where_active(adapter)
        def refused(*_: Any, adapter: Callable = adapter) -> Any:
            raise NotDifferentiable(
                f"{describe(adapter)} was given a function that captures active values, and the other engine would "
                "treat them as constants: pass them as arguments"
            )
