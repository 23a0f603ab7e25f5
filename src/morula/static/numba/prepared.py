"""Calls of compiled functions inside differentiated ones: the ways (`way_texts`) that were written for them."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import _dispatcher

from chainrules import when_declared
from morula.eager.calls.registry import WHEN_ADJOINT
from morula.eager.context.protocol import Context
from morula.static.numba.effects import reads_only
from morula.static.numba.generators import draws_of
from morula.static.numba.kernels import Kernels
from morula.static.numba.sharing import as_views
from morula.static.numba.way_texts import NUMBERS, Pair, Way, is_plain
from morula.static.tiers import fallback
from morula.static.tiers.kernel_table import when_gone

fingerprint = _dispatcher.compute_fingerprint
ndarray = np.ndarray
OFTEN = 3  # calls without derivatives, after which it is worth finding out what the function writes into


class Ways(dict):
    """The ways of one function, by the types of the arguments and which of them are active.

    Attributes:
        function: the Python function that it was made of.
        hides: whether it holds values that may be active.
        made: the kernels of which ways were written, if only to find that there are none, by the same keys.
        plainly: how many calls took no derivative, by the same keys.
    """

    __slots__ = ("__weakref__", "function", "hides", "made", "plainly")

    def __init__(self, f: Any):
        self.function = f.py_func
        self.hides = bool(self.function.__closure__ or self.function.__defaults__)
        self.made: set[tuple[Any, Kernels, Callable]] = set()
        self.plainly: dict[Any, int] = {}

    def call(self, ctx: Context, f: Any, args: tuple, ds: tuple) -> Pair | None:
        """``f(*args)`` in a context; None where the general path is to be taken."""
        if ctx.depth or not ctx.taped or ctx.state or ctx.observer is not None or fallback.never_blocks:
            return None
        if self.hides and ctx.reaches_active(self.function, set()):
            return None
        shadows, active = with_shadows(ctx, args, ds)
        try:
            ways = self.get((fingerprint(args), active))
        except NotImplementedError:
            return None
        for way in ways or ():
            found = way(ctx, f, args, shadows)
            if found is not None:
                return found
        return None

    def add(self, write: Callable, ctx: Context, kernels: Kernels, args: tuple, ds: tuple) -> Way | None:
        """A new way for calls with these kernels, if there is one that was not written before.

        Args:
            write: `with_partials` or `with_halves`, given the kernels, the arguments and their shadows.
        """
        if not kernels.value_kind or ctx.depth or not ctx.taped:
            return None
        shadows, active = with_shadows(ctx, args, ds)
        try:
            key = fingerprint(args), active
        except NotImplementedError:
            return None
        if (key, kernels, write) in self.made:
            return None
        self.made.add((key, kernels, write))
        way: Way | None = write(kernels, args, shadows) if is_plain(kernels, args, shadows) else None
        if way is not None:
            self[key] = (*self.get(key, ()), way)
        return way

    def add_plain(self, ctx: Context, f: Any, args: tuple, ds: tuple) -> None:
        """A way for calls that nothing active reaches, or whose value nothing active reaches, once there are some."""
        if ctx.depth or not ctx.taped or not all(type(a) is ndarray or type(a) in NUMBERS for a in args):
            return
        try:
            key = fingerprint(args), with_shadows(ctx, args, ds)[1]
        except NotImplementedError:
            return
        self.plainly[key] = self.plainly.get(key, 0) + 1
        if self.plainly[key] == OFTEN and not draws_of(f) and reads_only(f, args):
            self[key] = (called_plainly,)

    def clear(self) -> None:
        super().clear()
        self.made.clear()
        self.plainly.clear()


_every: dict[int, Ways] = {}  # by the identity of the function
_alive: dict[int, Any] = {}  # these functions


def ways_of(f: Any) -> Ways:
    """The ways of a function under `numba.njit`."""
    found = _every.get(id(f))
    if found is None:
        key = id(f)
        _alive[key] = when_gone(f, key, _every, _alive)
        found = _every[key] = Ways(f)
    return found


def forget_ways() -> None:
    """Have them written anew: a rule was declared."""
    for ways in list(_every.values()):
        ways.clear()


WHEN_ADJOINT.append(forget_ways)
when_declared(forget_ways)


def with_shadows(ctx: Context, args: tuple, ds: tuple) -> tuple[tuple, int]:
    """The shadows, also of arrays that are found by their memory, and which arguments are active, as bits."""
    active, bit = 0, 1
    found: Any = None
    for i, d in enumerate(ds):
        if d is None and type(args[i]) is ndarray:
            d = ctx.buffers.find(args[i])
            if d is not None:
                if found is None:
                    found = list(ds)
                found[i] = d
        if d is not None:
            active |= bit
        bit += bit
    return (ds if found is None else tuple(found)), active


def called_plainly(ctx: Context, f: Any, args: tuple, ds: tuple) -> Pair | None:
    """The way of a function that writes into nothing, where its value has no derivative."""
    y = f(*args)
    if type(y) in NUMBERS or y is None:
        return y, None
    views = as_views(y, [a for a in args if type(a) is ndarray])
    return (y if views is None else views), None
