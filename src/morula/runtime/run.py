"""One differentiated call: inputs become leaves, the function runs, and pullbacks give back gradients."""

import threading
from collections.abc import Callable
from types import CellType, FunctionType, MethodType
from typing import Any

import numpy as np

from chainrules import Tangent
from morula.runtime import builtin_calls, substitutes  # noqa: F401  (they register themselves)
from morula.runtime.memory import owner_of
from morula.runtime.records import gradient_of, overlaps_itself
from morula.runtime.reverse import Reverse

ndarray = np.ndarray


class Run:
    """A finished forward run of ``f(*args, **kwargs)`` and its leaves.

    Attributes:
        y: the value.
        ctx: the context, with its tape.
    """

    __slots__ = ("_args", "_cells", "_f", "_leaves", "_lock", "ctx", "y", "y_d")

    def __init__(self, f: Callable, args: tuple, kwargs: dict, with_self: bool = False):
        ctx = self.ctx = Reverse()
        self._f = f
        self._lock = threading.Lock()
        self._args = args = separated(args, ctx)
        self._leaves = [ctx.records.leaf(a) for a in args]
        self._cells = lift_function(f, ctx) if with_self else None
        try:
            self.y, self.y_d = ctx.call(f, args, tuple(self._leaves), kwargs)
        except BaseException:
            ctx.restore_arguments()
            raise
        finally:
            ctx.finish_forward()

    def gradients(self, bar: Any, again: bool = True) -> tuple:
        """The cotangents of the arguments for the seed `bar`."""
        with self._lock:
            return self.ctx.backward(self.y, self.y_d, bar, self._collect, again)

    def gradients_with_self(self, bar: Any) -> tuple:
        """The same with the cotangent of ``f`` itself in front."""
        with self._lock:
            return self.ctx.backward(self.y, self.y_d, bar, lambda: (self._collect_self(), *self._collect()), True)

    def _collect(self) -> tuple:
        records = self.ctx.records
        return tuple(gradient_of(a, leaf, records, set()) for a, leaf in zip(self._args, self._leaves, strict=True))

    def _collect_self(self) -> Any:
        assert self._cells is not None
        records = self.ctx.records
        f = self._f
        owner = f.__self__ if isinstance(f, MethodType) else f
        if not isinstance(owner, FunctionType):
            return gradient_of(owner, None, records, set())
        found = {n: gradient_of(v, leaf, records, set()) for n, (v, leaf) in self._cells.items()}
        return None if all(v is None for v in found.values()) else Tangent(FunctionType, **found)


def separated(args: tuple, ctx: Reverse) -> tuple:
    """The arguments with arrays that share memory made separate, so that each has a gradient of its own.

    Writing into one of those is an error then, because the program would no longer be the same.
    """
    arrays = [i for i, a in enumerate(args) if isinstance(a, ndarray)]
    if not arrays:
        return args
    result = list(args)
    for n, i in enumerate(arrays):
        x = args[i]
        if overlaps_itself(x):
            result[i] = x.copy()
            ctx.records.aliased |= {id(owner_of(x)), id(result[i])}
            ctx.records.kept.append(x)
        for j in arrays[:n]:
            if np.may_share_memory(args[j], x) and np.shares_memory(args[j], x):
                result[i] = x.copy()
                ctx.records.aliased |= {id(owner_of(x)), id(result[i])}
                ctx.records.kept.append(x)
                break
    return tuple(result)


def lift_function(f: Any, ctx: Reverse) -> dict[str, tuple[Any, Any]]:
    """Make what `f` captures (or the fields of the object that it is) leaves; captured variables by name."""
    if isinstance(f, MethodType):
        ctx.records.lift(f.__self__)
        return {}
    if not isinstance(f, FunctionType):
        ctx.records.leaf(f)
        return {}
    leaves: dict[str, tuple[Any, Any]] = {}
    for name, cell in zip(f.__code__.co_freevars, f.__closure__ or (), strict=True):
        try:
            value = cell.cell_contents
        except ValueError:  # not bound yet
            continue
        leaf = ctx.records.leaf(value)
        leaves[name] = (value, leaf)
        ctx.twins.cells[id(cell)] = (cell, CellType(leaf))
    return leaves
