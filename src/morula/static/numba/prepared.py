"""Calls of compiled functions inside differentiated ones: the ways (`way_texts`) that were written for them."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import _dispatcher

from chainrules import when_declared
from morula.eager.calls.registry import WHEN_ADJOINT
from morula.eager.context.protocol import Context
from morula.eager.memory.array_shadows import Buffer
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


class Door(NamedTuple):
    """What calls with arguments of certain types go through.

    Attributes:
        enter: what finds the shadows of arrays by their memory, and takes a way.
        ways: by which arguments are active, as bits.
    """

    enter: Way
    ways: dict[int, Way]


class Ways(dict):
    """The ways of one function: its doors, by the types of the arguments.

    Attributes:
        function: the Python function that it was made of.
        hides: whether it holds values that may be active.
        made: the kernels of which ways were written, if only to find that there are none, by types and activity.
        plainly: how many calls took no derivative, likewise.
    """

    __slots__ = ("__weakref__", "function", "hides", "made", "plainly")

    def __init__(self, f: Any):
        self.function = f.py_func
        self.hides = bool(self.function.__closure__ or self.function.__defaults__)
        self.made: set[tuple[Any, Kernels, Callable]] = set()
        self.plainly: dict[Any, int] = {}

    def call(self, ctx: Context, f: Any, args: tuple, ds: tuple) -> Pair | None:
        """``f(*args)`` in a context; None where the general path is to be taken."""
        try:
            enter = self[fingerprint(args)][0]
        except (NotImplementedError, ValueError, KeyError):  # an empty list has no type, for one
            return None
        if ctx.depth or not ctx.taped or ctx.state or ctx.observer is not None or fallback.never_blocks:
            return None
        if self.hides and ctx.reaches_active(self.function, set()):
            return None
        return enter(ctx, f, args, ds)

    def add(self, write: Callable, ctx: Context, kernels: Kernels, args: tuple, ds: tuple) -> Way | None:
        """A new way for calls with these kernels, if there is one that was not written before.

        Args:
            write: `with_partials` or `with_halves`, given the kernels, the arguments and their shadows.
        """
        if not kernels.value_kind or ctx.depth or not ctx.taped:
            return None
        shadows, active = with_shadows(ctx, args, ds)
        try:
            types = fingerprint(args)
        except NotImplementedError:
            return None
        if ((types, active), kernels, write) in self.made:
            return None
        self.made.add(((types, active), kernels, write))
        way: Way | None = write(kernels, args, shadows) if is_plain(kernels, args, shadows) else None
        if way is not None:
            self._open(types, args, active, way)
        return way

    def _open(self, types: bytes, args: tuple, active: int, way: Way) -> None:
        """Have a way taken."""
        door = self.get(types)
        if door is None:
            ways: dict[int, Way] = {}
            door = self[types] = Door(door_of(args, ways), ways)
        before = door.ways.get(active)
        door.ways[active] = way if before is None else in_turn(before, way)

    def add_plain(self, ctx: Context, f: Any, args: tuple, ds: tuple) -> None:
        """A way for calls that nothing active reaches, or whose value nothing active reaches, once there are some."""
        if ctx.depth or not ctx.taped or not all(type(a) is ndarray or type(a) in NUMBERS for a in args):
            return
        try:
            types, active = fingerprint(args), with_shadows(ctx, args, ds)[1]
        except NotImplementedError:
            return
        self.plainly[types, active] = self.plainly.get((types, active), 0) + 1
        if self.plainly[types, active] == OFTEN and not draws_of(f) and reads_only(f, args):
            self._open(types, args, active, called_plainly)

    def clear(self) -> None:
        super().clear()
        self.made.clear()
        self.plainly.clear()


def in_turn(first: Way, second: Way) -> Way:
    """The second way where the first one does not answer."""

    def way(ctx: Context, f: Any, args: tuple, ds: tuple) -> Pair | None:
        found = first(ctx, f, args, ds)
        return second(ctx, f, args, ds) if found is None else found

    return way


def door_of(args: tuple, ways: dict[int, Way]) -> Way:
    """What takes one of `ways` with arguments of the types of `args`.

    For an array and a float the text reads::

        def enter(ctx, f, args, ds):
            a0, a1 = args
            d0, d1 = ds
            buffers = ctx.buffers
            if d0 is None:
                d0 = buffers.table.get(id(a0))
                if (d0 is not None or a0.base is not None) and not (
                    type(d0) is Buffer and a0.base is None and d0() is a0 and d0.place is None
                ):
                    d0 = buffers.find(a0)
                if d0 is not None: ds = (d0, d1)
            way = ways.get((d0 is not None) + 2 * (d1 is not None))
            return None if way is None else way(ctx, f, args, ds)
    """
    n = len(args)
    arrays = [i for i, a in enumerate(args) if type(a) is ndarray]
    every = f"({', '.join([f'd{i}' for i in range(n)])}{',' * (n == 1)})"
    lines = [f"{every} = ds"]
    if arrays:
        lines += [f"{every.replace('d', 'a')} = args", "buffers = ctx.buffers"]
    for i in arrays:
        is_plain = f"type(d{i}) is Buffer and a{i}.base is None and d{i}() is a{i} and d{i}.place is None"
        if args[i].dtype.kind != "f":  # its shadow may be another than what stands for its owner
            is_plain = "False"
        lines += [
            f"if d{i} is None:",
            f"    d{i} = buffers.table.get(id(a{i}))",
            f"    if (d{i} is not None or a{i}.base is not None) and not ({is_plain}): d{i} = buffers.find(a{i})",
            f"    if d{i} is not None: ds = {every}",
        ]
    bits = " + ".join([f"{f'{2**i} * ' if i else ''}(d{i} is not None)" for i in range(n)]) or "0"
    lines += [f"way = ways.get({bits})", "return None if way is None else way(ctx, f, args, ds)"]
    namespace: dict[str, Any] = {"ways": ways, "Buffer": Buffer}
    exec("\n    ".join(["def enter(ctx, f, args, ds):", *lines]), namespace)
    enter: Way = namespace["enter"]
    return enter


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
