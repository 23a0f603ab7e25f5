"""What the rules for functions of iterables share.

A list, a tuple or an array has a cotangent with one part for each item. An iterator is gone when it has been walked, so
rules decline it, and an engine follows the items.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from functools import wraps
from typing import Any

import numpy as np

from ...accumulate import accumulate
from ...rules import rrule


def is_sequence(x: Any) -> bool:
    """Whether the items of ``x`` stay where they are and have an order: a list, a tuple, an array.

    >>> is_sequence([1.0]), is_sequence(iter([1.0])), is_sequence({1.0})
    (True, False, False)
    """
    return isinstance(x, (list, tuple, np.ndarray, range))


def over_items(f: Any, *at: int) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare a rule for a function of iterables; a decorator.

    Args:
        f: the function.
        at: the positions of the iterables; the first argument where none is given.

    The rule meets sequences only, and its pullback may answer for parameters that were not given by position. The call
    is declined for iterators, and for sets and mappings, whose items have no place of their own.
    """
    places = at or (0,)

    def declare(rule: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(rule)
        def of_sequences(*args: Any, **options: Any) -> Any:
            for i, x in enumerate(args):
                if i in places and x is not None and not is_sequence(x):
                    return NotImplemented
            if any(isinstance(v, (Iterator, Set, Mapping, deque)) for v in options.values()):
                return NotImplemented
            answer = rule(*args, **options)
            if answer is NotImplemented:
                return answer
            y, pullback = answer
            return y, lambda y_bar: _cut(pullback(y_bar), len(args))

        rrule(f)(of_sequences)
        return rule

    return declare


def _cut(bars: Any, n: int) -> Any:
    return bars[:n] if isinstance(bars, tuple) else bars


def answering(rule: Callable[..., Any]) -> Callable[..., Any]:
    """A rule whose pullback answers for all parameters, made to answer for those that were given by position."""

    @wraps(rule)
    def cut(*args: Any, **options: Any) -> Any:
        answer = rule(*args, **options)
        if answer is NotImplemented:
            return answer
        y, pullback = answer
        return y, lambda y_bar: _cut(pullback(y_bar), len(args))

    return cut


def could_be_active(x: Any) -> bool:
    """Whether a value holds a float, or anything that is no plain constant.

    >>> could_be_active(2), could_be_active("a"), could_be_active([1.0])
    (False, False, True)
    """
    if isinstance(x, (list, tuple)):
        return any(map(could_be_active, x))
    return not (x is None or callable(x) or isinstance(x, (int, str, bytes, type)))


def placed(pairs: Iterable[tuple[int, Any]]) -> list[Any]:
    """Cotangents by place as a list; those of one place are added.

    >>> placed([(2, 1.0), (0, 3.0), (2, 4.0)])
    [3.0, None, 5.0]
    """
    bars: list[Any] = []
    for place, bar in pairs:
        if len(bars) <= place:
            bars += [None] * (place + 1 - len(bars))
        bars[place] = accumulate(bars[place], bar)
    return bars


def bars_of(n: int, pairs: Iterable[tuple[int, Any]]) -> list[Any]:
    """As `placed`, for ``n`` items: one part for each."""
    bars = placed(pairs)
    return bars + [None] * (n - len(bars))


def parts(bar: Any, n: int) -> Any:
    """The ``n`` parts of the cotangent of a tuple; absent ones where it is absent."""
    return (None,) * n if bar is None else bar
