"""What runs in another process in the place of a function: it, and its derivatives."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules import is_absent, unthunk
from morula.errors import ResultError
from morula.verbs.directional import jvp
from morula.verbs.gradients import pullback, withgradient

__all__ = [
    "bars_alone", "directional", "kept", "run_back", "starred", "value_and_bars", "value_and_pullback", "with_names",
    "with_names_given",
]  # fmt: skip


def value_and_bars(f: Callable, wanted: tuple[bool, ...], *args: Any) -> tuple[Any, Any]:
    """The value; of a number also the gradient."""
    key = getattr(f, "__code__", None)
    if key in _numbers:
        places = [i for i, w in enumerate(wanted) if w]
        with contextlib.suppress(ResultError):
            if len(places) == len(args):
                y, found = withgradient(f, *[owned(a) for a in args])
            else:
                fixed = held_fast(f, places, args)
                y, found = withgradient(fixed, *[owned(args[i]) for i in places])
            if is_number(y):
                bars = [None] * len(args)
                for i, bar in zip(places, found, strict=True):
                    bars[i] = bar
                return y, plain(bars)
    y, bars, _ = value_and_pullback(f, wanted, args)
    if bars is not None and key is not None:
        if len(_numbers) > MANY:
            _numbers.clear()
        _numbers.add(key)
    return y, bars


MANY = 1000
_numbers: set[Any] = set()  # the code of functions that have returned numbers, equal also where it was sent again


def held_fast(f: Callable, places: list[int], args: tuple) -> Callable:
    """A function of the arguments in some places; written out for one that comes first, as compiled code follows it."""
    if places == [0] and len(args) == 2:
        b = args[1]
        return lambda x: f(x, b)
    if places == [0] and len(args) == 3:
        _, b, c = args
        return lambda x: f(x, b, c)
    if places == [0] and len(args) == 4:
        _, b, c, d = args
        return lambda x: f(x, b, c, d)
    return lambda *some: f(*[some[places.index(i)] if i in places else a for i, a in enumerate(args)])


def is_number(y: Any) -> bool:
    """Whether a gradient comes along with a value."""
    return isinstance(y, float) or (isinstance(y, np.floating) and np.ndim(y) == 0)


def value_and_pullback(f: Callable, wanted: tuple[bool, ...], args: tuple) -> tuple[Any, Any, Callable]:
    """The value, of a number the gradient, and the pullback."""
    y, back = pullback_of_wanted(f, wanted, args)
    return y, plain(back(1.0)) if is_number(y) else None, lambda y_bar: plain(back(y_bar))


def bars_alone(f: Callable, wanted: tuple[bool, ...], y_bar: Any, *args: Any) -> tuple:
    """The cotangents of the wanted arguments, None for the others."""
    return plain(pullback_of_wanted(f, wanted, args)[1](y_bar))


def pullback_of_wanted(f: Callable, wanted: tuple[bool, ...], args: tuple) -> tuple[Any, Callable]:
    """Only by what is wanted: the gradient of a shard of data would be as large as the data."""
    places = [i for i, w in enumerate(wanted) if w]
    rest = [None if w else a for a, w in zip(args, wanted, strict=True)]

    def of_wanted(*some: Any) -> Any:
        full = list(rest)
        for i, v in zip(places, some, strict=True):
            full[i] = v
        return f(*full)

    y, back = pullback(of_wanted, *[owned(args[i]) for i in places])

    def bars(y_bar: Any) -> list:
        found = [None] * len(args)
        for i, bar in zip(places, back(y_bar), strict=True):
            found[i] = bar
        return found

    return y, bars


def owned(x: Any) -> Any:
    """An argument whose arrays own their memory, or share NumPy's: Dask lends them that of its messages."""
    if isinstance(x, np.ndarray):
        base = x
        while isinstance(base.base, np.ndarray):
            base = base.base
        return x if base.base is None or not x.flags.writeable else x.copy()
    if type(x) in (list, tuple):
        return type(x)([owned(v) for v in x])
    return {k: owned(v) for k, v in x.items()} if type(x) is dict else x


def plain(bars: list) -> tuple:
    return tuple([None if is_absent(bar) else unthunk(bar) for bar in bars])


def directional(f: Callable, moves: tuple[bool, ...], *args: Any) -> Any:
    """The tangent of a call; the tangents of the arguments that have one follow these."""
    n = len(moves)
    dots = list(args[n:])
    return jvp(f, tuple(map(owned, args[:n])), tuple([dots.pop(0) if m else None for m in moves]))[1]


def with_names(f: Callable, names: tuple[str, ...], *args: Any) -> Any:
    """A call whose last arguments are keywords."""
    n = len(args) - len(names)
    return f(*args[:n], **dict(zip(names, args[n:], strict=True)))


def with_names_given(f: Callable, names: tuple[str, ...], values: tuple, *args: Any, **more: Any) -> Any:
    """A call with keywords, whose names and values come first."""
    return f(*args, **{**dict(zip(names, values, strict=True)), **more})


def starred(f: Callable, task: tuple) -> Any:
    """A call of a function with the arguments of a task."""
    return f(*task)


class Kept:
    """A pullback, which stays in the process that made it."""

    def __init__(self, back: Callable):
        self.back = back

    def __reduce__(self) -> Any:
        raise TypeError("a pullback stays on the worker that made it: it was asked for elsewhere")


def kept(f: Callable, wanted: tuple[bool, ...], *args: Any) -> tuple[Any, Any, Kept]:
    """The value, of a number the gradient, and the pullback."""
    y, bars, back = value_and_pullback(f, wanted, args)
    return y, bars, Kept(back)


def run_back(made: tuple[Any, Any, Kept], y_bar: Any) -> tuple:
    """The cotangents of the wanted arguments, by a pullback that lies here."""
    return made[2].back(y_bar)


def without_pullback(made: tuple[Any, Any, Kept]) -> tuple[Any, Any]:
    """The value, and the gradient of a number."""
    return made[:2]
