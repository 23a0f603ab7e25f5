"""Builtins that make containers and iterators of what they are given, for engines with the trait ``"iterators"``.

The value is the iterator that Python makes, as lazy as it is. What its pullback needs to know (how long a source was,
which items went through) is written down while somebody walks it, up to the item whose cotangent comes last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...accumulate import accumulate
from ...config import rrule_via
from ...projection import project
from ...rules import rrule
from ...tangents import unthunk
from .items import CALLING, LAZY, bars_of, filled, forced, parts, placed


class Traced:
    """A function whose calls are differentiated one by one, as an iterator makes them.

    Args:
        config: of the engine.
        f: the function.
    """

    def __init__(self, config: Any, f: Callable[..., Any]) -> None:
        self.config, self.f = config, f
        self.pullbacks: list[Callable[[Any], Any]] = []
        self.bar: Any = None

    def __call__(self, *args: Any) -> Any:
        y, pullback = rrule_via(self.config, self.f, *args)
        self.pullbacks.append(pullback)
        return y

    def pull(self, i: int, y_bar: Any) -> tuple[Any, ...]:
        """The cotangents of the arguments of call ``i``, and of the function into the sum of all calls."""
        own, *bars = self.pullbacks[i](y_bar)
        self.bar = accumulate(self.bar, own)
        return tuple(map(forced, bars))

    def taken(self) -> Any:
        """The cotangent of the function, once."""
        bar, self.bar = self.bar, None
        return bar


def columns(y_bar: Any, n: int) -> list[list[Any]]:
    """A list of rows of ``n`` cotangents, of which some may be absent, by column."""
    rows = [parts(row, n) for row in y_bar or ()]
    return [[row[j] for row in rows] for j in range(n)]


def mapped_bars(traced: Traced, y_bar: Any, n: int) -> list[list[Any]]:
    """The cotangents of ``n`` columns of arguments, where call ``i`` gave item ``i``."""
    return columns([None if bar is None else traced.pull(i, bar) for i, bar in enumerate(y_bar or ())], n)


# -- iterators --------------------------------------------------------------------------------------------


@rrule(map, needs=CALLING)
def map_rule(config: Any, f: Any, *iterables: Any) -> Any:
    """The pullback of each call."""
    traced = Traced(config, f)

    def map_pullback(y_bar: Any) -> Any:
        bars = mapped_bars(traced, y_bar, len(iterables))
        return traced.taken(), *map(filled, iterables, bars)

    return map(traced, *iterables), map_pullback


@rrule(filter, needs=LAZY)
def filter_rule(config: Any, f: Any, iterable: Any) -> Any:
    """The cotangents back to the places of the items that went through."""
    return filtering(filter, f, iterable, True)


def filtering(make: Any, f: Any, iterable: Any, wanted: bool) -> Any:
    """The rule for an iterator over the items for which ``f`` is true, or false."""
    places: list[int] = []
    position = 0

    def noted(x: Any) -> bool:
        nonlocal position
        chosen = bool(x if f is None else f(x))
        if chosen is wanted:
            places.append(position)
        position += 1
        return chosen

    def filter_pullback(y_bar: Any) -> Any:
        return None, filled(iterable, placed(zip(places, y_bar or (), strict=False)))

    return make(noted, iterable), filter_pullback


@rrule(zip, needs=LAZY)
def zip_rule(config: Any, *iterables: Any, **options: Any) -> Any:
    """Item by item."""
    return zip(*iterables, **options), lambda y_bar: tuple(  # noqa: B905
        map(filled, iterables, columns(y_bar, len(iterables)))
    )


@rrule(enumerate, needs=LAZY)
def enumerate_rule(config: Any, iterable: Any, *start: Any, **options: Any) -> Any:
    """The items; numbers are constant."""
    return enumerate(iterable, *start, **options), lambda y_bar: (
        filled(iterable, columns(y_bar, 2)[1]),
        *(None for _ in start),
    )


@rrule(reversed, (list, tuple, np.ndarray), needs=LAZY)
def reversed_rule(config: Any, xs: Any) -> Any:
    """The other way round."""
    n = len(xs)
    return reversed(xs), lambda y_bar: (bars_of(n, [(n - 1 - i, bar) for i, bar in enumerate(y_bar or ())]),)


@rrule(iter, needs=LAZY)
def iter_rule(config: Any, iterable: Any) -> Any:
    """Its items."""
    return iter(iterable), lambda y_bar: (filled(iterable, list(y_bar or ())),)


@rrule(iter, object, object, needs=CALLING)
def iter_of_calls_rule(config: Any, f: Any, sentinel: Any) -> Any:
    """What the calls depend on is the state of the function."""
    traced = Traced(config, f)

    def iter_pullback(y_bar: Any) -> Any:
        mapped_bars(traced, y_bar, 0)
        return traced.taken(), None

    return iter(traced, sentinel), iter_pullback


# -- containers -------------------------------------------------------------------------------------------


def _sequence(kind: type) -> None:
    def rule(config: Any, *iterable: Any) -> Any:
        """Item by item."""
        y = kind(*iterable)
        return y, lambda y_bar: tuple([filled(x, list(parts(y_bar, len(y)))) for x in iterable])

    rrule(kind, needs=LAZY)(rule)


_sequence(list)
_sequence(tuple)


@rrule(dict, needs=LAZY)
def dict_rule(config: Any, *source: Any, **named: Any) -> Any:
    """The values under their keys; of a key that comes twice the last one counts. Keys are constant."""
    if not source:
        return dict(**named), lambda y_bar: ()
    (given,) = source
    if hasattr(given, "keys"):
        if type(given) is not dict:
            return NotImplemented
        return dict(given, **named), lambda y_bar: (
            {k: bar for k, bar in (y_bar or {}).items() if k in given and k not in named},
        )
    pairs = list(given) if isinstance(given, Iterator) else given
    y = dict(pairs, **named)
    last = {pair[0]: i for i, pair in enumerate(pairs) if pair[0] not in named}

    def dict_pullback(y_bar: Any) -> Any:
        return (filled(given, placed((last[k], (None, bar)) for k, bar in (y_bar or {}).items() if k in last)),)

    return y, dict_pullback


def total_of(bars: Any, x: Any) -> Any:
    """The sum of cotangents of one value, each brought into its space first."""
    total = None
    for bar in bars or ():
        total = accumulate(total, project(unthunk(bar), x))
    return total
