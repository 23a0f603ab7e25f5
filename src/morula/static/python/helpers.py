"""What the texts of static adjoints call, to make lists, to add up their cotangents, and for complex numbers."""

from __future__ import annotations

import cmath
import math
from typing import Any

import numpy as np

__all__ = ["HELPERS", "Unsure", "caught_by", "say"]

NOTHING = float("-0.0")  # what cotangents begin with of which it matters whether something was sent: this very object


class Unsure(Exception):
    """A derivative is zero, or absent."""


def rows(number: float, n: int, m: int) -> list[list[float]]:
    """A new array of `n` rows, of which a list of none would have forgotten how long they are."""
    if n < 1 or m < 0:
        raise ValueError
    return [[number] * m for _ in range(n)]


def floats(numbers: list[Any]) -> np.ndarray:
    """An array of floats and integers, which must not be one of integers alone."""
    found = np.array(numbers)
    if found.dtype != np.float64:
        raise ValueError
    return found


def plus(bars: list[float], others: list[float]) -> None:
    """Add to a cotangent what a copy of the list has for one."""
    for i, bar in enumerate(others):
        bars[i] += bar


def plus_rows(bars: list[list[float]], others: list[list[float]]) -> None:
    for row, other in zip(bars, others, strict=True):
        plus(row, other)


def plus_slice(bars: list[float], part: slice, others: list[float]) -> None:
    """Add to a cotangent what a slice of the list has for one."""
    for i, bar in zip(range(*part.indices(len(bars))), others, strict=True):
        if bar is not NOTHING:
            bars[i] += bar


def stacked(arrays: list[np.ndarray], places: list[int], shape: tuple[int, ...]) -> np.ndarray:
    """An array of those at these places, which are as many as there were when the text was made."""
    found = np.array([arrays[i] for i in places])
    if found.size != math.prod(shape):
        raise ValueError
    return found.reshape(shape)


def plus_at_each(bars: list[np.ndarray], places: list[int], sent: np.ndarray) -> None:
    """Add to the cotangents of the arrays at these places their parts of that of all of them together."""
    for i, part in zip(places, sent.reshape((len(places), *bars[places[0]].shape)), strict=True):
        bars[i] = bars[i] + part


def sure(bars: list[Any]) -> None:
    """See to it that something was sent to all numbers of a list."""
    for bar in bars:
        if bar is NOTHING:
            raise Unsure
        if type(bar) is list:
            sure(bar)


def settled(bars: list[Any], wrap: Any = None) -> list[Any] | None:
    """The gradient with respect to a list of numbers, None for those that got nothing; zeros may be absent, too."""
    numbers = [bar for bar in bars if bar is not NOTHING]
    if not numbers:
        return None
    if not all(numbers):
        raise Unsure
    if not sum(map(abs, numbers)) < math.inf:
        raise ValueError
    if wrap is None and len(numbers) == len(bars):
        return bars
    return [None if bar is NOTHING else bar if wrap is None else wrap(bar) for bar in bars]


def same(found: Any, value: Any) -> Any:
    """What the program gives, which must be the number that a text has found: the program knows whether it is NumPy's.

    >>> same(0.5, np.float64(0.5))
    np.float64(0.5)
    """
    if type(value) not in (float, int, np.float64) or value != found:
        raise ValueError
    return value


def caught_by(kind: type, handlers: tuple[tuple[type, ...], ...]) -> int:
    """Which of the handlers catches an exception of a class, from 1 on; 0: none of them.

    >>> caught_by(KeyError, ((ValueError,), (LookupError, OSError))), caught_by(KeyError, ((ValueError,),))
    (2, 0)
    """
    return next((i for i, classes in enumerate(handlers, 1) if not set(classes).isdisjoint(kind.__mro__)), 0)


def order_of(numbers: list[float], reverse: bool, *more: list[float]) -> list[int]:
    """Where the items of a list stand that sorting brings to each place; `more` decides between equal ones.

    >>> order_of([0.3, 0.1, 0.3], False), order_of([0.3, 0.1, 0.3], True), order_of([0.3, 0.1, 0.3], False, [2, 1, 0])
    ([1, 0, 2], [0, 2, 1], [1, 2, 0])
    """
    keys: list[Any] = list(zip(numbers, *more, strict=True)) if more else numbers
    if more and any(v != v for key in keys for v in key):  # tuples ask first whether these are the same object
        raise ValueError
    return sorted(range(len(numbers)), key=keys.__getitem__, reverse=reverse)


def turned_by(angle: float) -> complex:
    """``exp(i angle)``."""
    return cmath.rect(1.0, angle)


def say(lines: list[str]) -> None:
    """Print what a text has noted."""
    for line in lines:
        print(line, end="")


def hush(lines: list[str]) -> None:
    """In place of `say`, as long as a text is tried."""


HELPERS: dict[str, Any] = {
    "say": hush,
    "floats": floats,
    "rows": rows,
    "plus_slice": plus_slice,
    "NOTHING": NOTHING,
    "settled": settled,
    "sure": sure,
    "same": same,
    "plus": plus,
    "plus_rows": plus_rows,
    "stacked": stacked,
    "plus_at_each": plus_at_each,
    "order_of": order_of,
    "log_of": cmath.log,
    "turned_by": turned_by,
}
