"""What the rules for functions of iterables share.

Every engine may hand a rule a list, a tuple or an array, whose cotangent has one part for each item. An iterator is
gone when it has been walked; only an engine with the trait ``"iterators"`` takes a list of cotangents, in the order
in which the items come, as the cotangent of one. There a missing end and a ``None`` are zeros.
"""

from __future__ import annotations

import inspect
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from functools import wraps
from typing import Any

import numpy as np

from ...accumulate import accumulate
from ...rules import rrule
from ...tangents import NotImplementedTangent, Thunk

LAZY = ("iterators",)
CALLING = ("iterators", "reverse")


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

    The rule meets sequences only, and its pullback may answer for parameters that were not given by position. For an
    engine that takes cotangents of iterators these are made lists; for any other the call is declined, as it is for
    sets and mappings, whose items have no place of their own.
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

        @wraps(rule)
        def of_iterables(config: Any, *args: Any, **options: Any) -> Any:
            listed = [list(x) if i in places and isinstance(x, (Iterator, deque)) else x for i, x in enumerate(args)]
            return of_sequences(*listed, **options)

        signature = inspect.signature(rule)
        config = inspect.Parameter("config", inspect.Parameter.POSITIONAL_ONLY)
        of_iterables.__signature__ = inspect.Signature([config, *signature.parameters.values()])  # type: ignore[attr-defined]
        rrule(f)(of_sequences)
        rrule(f, needs=LAZY)(of_iterables)
        return rule

    return declare


def _cut(bars: Any, n: int) -> Any:
    return bars[:n] if isinstance(bars, tuple) else bars


def answering(rule: Callable[..., Any], config: int = 0) -> Callable[..., Any]:
    """A rule whose pullback answers for all parameters, made to answer for those that were given by position."""

    @wraps(rule)
    def cut(*args: Any, **options: Any) -> Any:
        answer = rule(*args, **options)
        if answer is NotImplemented:
            return answer
        y, pullback = answer
        return y, lambda y_bar: _cut(pullback(y_bar), len(args) - config)

    return cut


def answering_with_config(rule: Callable[..., Any]) -> Callable[..., Any]:
    """As `answering`, of a rule that gets the config first."""
    return answering(rule, 1)


def could_be_active(x: Any) -> bool:
    """Whether a value holds a float, or anything that is no plain constant.

    >>> could_be_active(2), could_be_active("a"), could_be_active([1.0])
    (False, False, True)
    """
    if isinstance(x, (list, tuple)):
        return any(map(could_be_active, x))
    return not (x is None or callable(x) or isinstance(x, (int, str, bytes, type)))


def filled(xs: Any, bars: list[Any]) -> Any:
    """The cotangent of an iterable whose first items have these.

    Args:
        xs: what was iterated.
        bars: cotangents of its items in order, from the first one on.

    Returns:
        Lists, tuples, arrays and queues get one part for each item, iterators a list that may end early. Keys of a
        mapping and letters have none. Of anything else (a set, an object that makes iterators) nobody knows how to
        write it down.

    >>> filled([1.0, 2.0, 3.0], [5.0]), filled(iter([1.0, 2.0]), [5.0]), filled({"a": 1.0}, [None])
    ([5.0, None, None], [5.0], None)
    """
    if isinstance(xs, (list, tuple, np.ndarray, deque)):
        return bars + [None] * (len(xs) - len(bars))
    if isinstance(xs, Iterator):
        return bars
    if isinstance(xs, (dict, str, bytes, bytearray, range)) or all(bar is None for bar in bars):
        return None
    return NotImplementedTangent(
        f"the items of a {type(xs).__name__} have no cotangents; make it a list, or call iter()"
    )


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


def forced(bar: Any) -> Any:
    """What a `Thunk` gives, or ``bar`` itself; one that is not implemented stays, for its argument may be constant."""
    while isinstance(bar, Thunk):
        bar = bar()
    return bar


def parts(bar: Any, n: int) -> Any:
    """The ``n`` parts of the cotangent of a tuple; absent ones where it is absent."""
    return (None,) * n if bar is None else bar
