"""A call of a hot function that returns arrays or several numbers, as one entry of the tape of an eager run.

The static adjoint runs the function and gives what pulls a seed back, which the entry keeps. Where that cannot tell, as
where a cotangent is not finite, or is zero and may be absent, the eager tier runs the function once more, with copies
of the arguments.
"""

from __future__ import annotations

from collections.abc import Iterator
from sys import _getframe
from types import CellType, FunctionType
from typing import Any

import numpy as np

from morula.eager.context.number_entries import leaves
from morula.eager.context.protocol import Context
from morula.eager.context.run import Run
from morula.eager.context.tape import Entry, take
from morula.errors import NotDifferentiable, arose_at, describe
from morula.frames import Callers, callers
from morula.static.python.choice import tier
from morula.static.python.places import Places, own, part_at, part_of_gradient, write_at
from morula.static.python.runs import Other

__all__ = ["Callee", "entered"]

ndarray = np.ndarray
FLOAT = np.dtype(float)
LISTS = frozenset(["list", "numbers"])
CHANGED = (
    "what {} reads from outside has changed between its call and the way back: pass it as an argument, or choose "
    'morula.tier("eager")'
)


class Callee:
    """What pulls seeds of the value of one call back, any number of times.

    Attributes:
        f, args: what was called; nobody else has the arrays among the arguments, and in variables that it captures.
        wanted: the positions of the arguments whose cotangents are wanted.
        names: of the captured variables whose cotangents are wanted.
        y: the value, whose lists are copies: the program may write into its own.
        layout: how that is put together, a `values.Value`.
        places: where in the arguments that is which is pulled back to, and what `f` writes into.
    """

    __slots__ = ("_back", "_is_once", "_is_used", "_there", "args", "f", "layout", "names", "places", "wanted", "y")

    def __init__(self, f: FunctionType, args: tuple, wanted: tuple[int, ...], names: tuple[str, ...], found: tuple):
        self.f, self.wanted, self.names = _as_now(f) if f.__closure__ else f, wanted, names
        (y, self._back), self._there, self._is_once, self.layout, self.places = found
        self.args = self._own(args)
        self.y = _with_own_lists(y)
        self._is_used = False

    def __call__(self, y_bar: Any) -> tuple:
        """The cotangents of the wanted arguments and variables, for one of the value in which None is nothing."""
        found: Any = None
        try:
            seeds = list(_seeds(self.layout, self.y, y_bar))
            with np.errstate(divide="raise", over="raise", invalid="raise"):
                if self._is_once and self._is_used:
                    self._back = self._there()[1]
                self._is_used = True
                bars, doubt = self._back(*seeds)
                found = None if doubt else self._without_absent(bars, y_bar)
        except Exception:
            found = None  # what the program raises there, it raises in the eager tier
        return self._eagerly(y_bar) if found is None else found

    def _without_absent(self, bars: tuple, y_bar: Any) -> tuple | None:
        """The cotangents without those that nothing is sent to; None where that is not known."""
        is_used = list(_are_used(self.layout, y_bar))
        if all(is_used):
            return bars
        used = [tie for tie, each in zip(self.layout.ties, is_used, strict=True) if each is not False]
        found = []
        for k, bar in enumerate(bars):
            if _holds_zero(bar) and not any(k in sure for sure, _ in used):
                if any(k in perhaps for _, perhaps in used):
                    return None
                bar = None
            found.append(bar)
        return None if None in is_used else tuple(found)

    def _eagerly(self, y_bar: Any) -> tuple:
        with tier("eager"):
            f, args = self.f, self.args
            if self.places.written:
                f, args = _with_written(f, self.places), self._own(args)
            run = Run(f, args, {}, frozenset(self.names), self.wanted)
            if not _is_same(run.y, self.y):
                raise NotDifferentiable(CHANGED.format(describe(self.f)))
            f_bar, *bars = run.all_gradients_once(_completed(run.y, y_bar))
        found = [part_of_gradient(bars[path[0]], path) for path in self.places.sources]
        return (*found, *[getattr(f_bar, name, None) for name in self.names])

    def _own(self, args: tuple) -> tuple:
        return tuple([own(x, self.places.read.get(i)) for i, x in enumerate(args)])


def _with_own_lists(y: Any) -> Any:
    return type(y)(map(_with_own_lists, y)) if type(y) in (list, tuple) else y


def _with_written(f: FunctionType, places: Places) -> Any:
    """A function whose value has at its end what `f` leaves where it writes."""

    def called(*args: Any) -> tuple:
        y = f(*args)
        written = [part_at(args, path) for path in places.written]
        return (y, *written) if places.returns else tuple(written)

    return called


def _as_now(f: FunctionType) -> FunctionType:
    """A function that captures what another one does now."""
    held = [cell.cell_contents for cell in f.__closure__ or ()]
    cells = [CellType(own(x, None)) for x in held]
    made = FunctionType(f.__code__, f.__globals__, f.__name__, f.__defaults__, tuple(cells))
    made.__kwdefaults__ = f.__kwdefaults__
    return made


class CalleePull(Entry):
    """The value of a call of a hot function, whose shadows are `y_d`; `targets` are those of what is wanted."""

    __slots__ = ("callee", "callers", "targets", "y_d")
    reads = ()

    def __init__(self, y_d: Any, callee: Callee, targets: list, callers: Callers):
        self.y_d, self.callee, self.targets, self.callers = y_d, callee, targets, callers

    def pull(self, strict: bool) -> None:
        y_bar = take(self.y_d)
        if y_bar is None:
            return
        try:
            found = self.callee(y_bar)
        except Exception as error:
            arose_at(error, self.callers)
            raise
        for x_d, x_bar in leaves(zip(self.targets, found, strict=True)):
            if type(x_d) is list:
                x_d[0] += float(x_bar)
            else:
                x_d.add(x_bar)


def entered(ctx: Context, callee: Callee, y: Any, targets: list, args: tuple, ds: tuple) -> tuple[Any, Any]:
    """The value `y` of a call and its shadow, which is on the tape; `targets` are shadows, as of a `CalleePull`.

    The arguments, whose shadows are `ds`, are left as the function leaves them.
    """
    active = {k for k, d in enumerate(targets) if d is not None}
    tied = [not active.isdisjoint(sure | perhaps) for sure, perhaps in callee.layout.ties]
    y_d = _shadow(ctx, callee.layout, y, iter(tied))
    ctx.append(CalleePull(y_d, callee, targets, callers(_getframe(2))))
    places = callee.places
    if places.written:
        first = int(places.returns)
        for path, v, v_d in zip(places.written, y[first:], y_d[first:], strict=True):
            write_at(ctx, args, ds, path, v, v_d)
        return (y[0], ctx.attach(y[0], y_d[0])) if places.returns else (None, None)
    return y, y_d if callee.layout.kind not in LISTS and not callee.layout.parts else ctx.attach(y, y_d)


def _shadow(ctx: Context, layout: Any, y: Any, tied: Iterator[bool]) -> Any:
    """The shadow of a value; a leaf that is not `tied` to anything active is a constant."""
    if layout.kind in ("tuple", "list"):
        return tuple([_shadow(ctx, part, v, tied) for part, v in zip(layout.parts, y, strict=True)])
    if not next(tied) or layout.kind == "whole":
        return None
    if layout.kind == "number":
        return [0]
    return tuple([[0] for _ in y]) if layout.kind == "numbers" else ctx.buffers.new(y)


def _seeds(layout: Any, y: Any, y_bar: Any) -> Iterator[Any]:
    """The seeds of the leaves of a value, with zeros for nothing."""
    kind = layout.kind
    if kind in ("tuple", "list"):
        for i, part in enumerate(layout.parts):
            yield from _seeds(part, y[i], None if y_bar is None else y_bar[i])
    elif kind == "whole":
        yield 0.0
    elif kind == "number":
        yield 0.0 if y_bar is None else float(y_bar)
    elif kind == "numbers":
        yield [0.0] * len(y) if y_bar is None else [0.0 if bar is None else float(bar) for bar in y_bar]
    elif y_bar is None:
        yield np.zeros(y.shape)
    elif type(y_bar) is ndarray and y_bar.dtype == FLOAT and y_bar.shape == y.shape:
        yield y_bar.copy()
    else:
        raise Other


def _are_used(layout: Any, y_bar: Any) -> Iterator[bool | None]:
    """For each leaf of a value whether there is a cotangent of it; None where there are some of its numbers alone."""
    if layout.kind in ("tuple", "list"):
        for i, part in enumerate(layout.parts):
            yield from _are_used(part, None if y_bar is None else y_bar[i])
    elif layout.kind == "numbers" and y_bar is not None:
        given = [bar is not None for bar in y_bar]
        yield None if any(given) and not all(given) else any(given)
    else:
        yield y_bar is not None or layout.kind == "whole"


def _holds_zero(bar: Any) -> bool:
    if type(bar) is tuple:
        return any(map(_holds_zero, bar))
    return bar is not None and not np.any(bar)


def _completed(y: Any, y_bar: Any) -> Any:
    """A seed in the structure of the value."""
    if type(y) in (tuple, list):
        return type(y)([_completed(v, None if y_bar is None else y_bar[i]) for i, v in enumerate(y)])
    return y_bar


def _is_same(y: Any, other: Any) -> bool:
    if type(y) is not type(other):
        return False
    if type(y) in (tuple, list):
        return len(y) == len(other) and all(map(_is_same, y, other))
    return bool(np.array_equal(y, other, equal_nan=True))
