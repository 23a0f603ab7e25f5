"""Observers that may store elsewhere than in their object are watched when they run.

Its text does not tell what a method will store: a memo table of classes looks like one of numbers. So while objects of
a class hold active values, a function stands in the place of such an observer. Transformed code goes through it to the
observer; where Python or C code calls it, what the observer can reach is compared before and after.
"""

import functools
import threading
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from morula.eager.calls.registry import STRUCTURAL
from morula.eager.containers.parts import DEPTH, holds_number
from morula.eager.replay.imprint import Imprint, imprint
from morula.errors import NotDifferentiable

COUNTS = (int, bool)  # numbers without a derivative

_lock = threading.Lock()
_watched: dict[tuple[type, str], "Watched"] = {}
_originals: dict[Any, FunctionType] = {}  # what stands in for what


class Watched:
    """An observer that something stands in place of.

    Attributes:
        original: the observer.
        places: finds what it and the functions that it calls name, where it may store.
        runs: the records of the runs that look at it.
    """

    def __init__(self, cls: type, name: str, original: FunctionType, places: Callable[[], list[Any]]):
        self.cls = cls
        self.name = name
        self.original = original
        self.places = places
        self.runs: list[Any] = []
        self.found: list[Any] = []

        @functools.wraps(original)
        def observer(*args: Any, **kw: Any) -> Any:
            return self.call(args, kw)

        self.stand_in = observer

    def begin(self) -> None:
        _originals[self.stand_in] = self.original
        STRUCTURAL[self.stand_in] = lambda ctx, *given: ctx.call(self.original, *given)
        type.__setattr__(self.cls, self.name, self.stand_in)

    def end(self) -> None:
        if vars(self.cls).get(self.name) is self.stand_in:  # else the program has set another
            type.__setattr__(self.cls, self.name, self.original)
        del STRUCTURAL[self.stand_in], _originals[self.stand_in]

    def call(self, args: tuple, kw: dict) -> Any:
        """The observer, called by code that is not transformed.

        Raises:
            NotDifferentiable: it stored something that may be active.
        """
        before = self._in_reach(args, kw)
        y = self.original(*args, **kw)
        if stored_a_number(before, self._in_reach(args, kw)):
            for records in list(self.runs):
                if is_active(before, records):
                    records.refusal = NotDifferentiable(
                        f"{self.cls.__qualname__}.{self.name} stores values, and Python called it where they cannot be "
                        "followed, with active values in reach: do that in an ordinary method"
                    )
                    raise records.refusal
        return y

    def _in_reach(self, args: tuple, kw: dict) -> Imprint:
        self.found[:] = self.places()
        return imprint(*args, *kw.values(), self.found)


def stored_a_number(before: Imprint, after: Imprint) -> bool:
    """Whether something that could be reached before has a new part that holds a number, and may be active."""
    for key, (x, *parts) in after.items():
        then = before.get(key)
        if then is None:  # new itself: the part of something
            continue
        if isinstance(x, np.ndarray):
            if parts[0] != then[1]:
                return True
            continue
        ids_then = set(map(id, then))
        for part in parts:
            if (
                id(part) not in ids_then
                and id(part) not in before
                and type(part) not in COUNTS
                and holds_number(part, DEPTH)
            ):
                return True
    return False


def is_active(found: Imprint, records: Any) -> bool:
    """Whether something in an imprint is active in a run."""
    return any(
        records.buffers.find(x) is not None
        if isinstance(x, np.ndarray)
        else key in records.table or ~key in records.table
        for key, (x, *_) in found.items()
    )


def watch(
    cls: type,
    name: str,
    original: FunctionType,
    places: Callable[[], list[Any]],
    records: Any,
    how: type[Watched] = Watched,
) -> None:
    """Watch an observer that the class `cls` itself defines, until the run with these `records` ends."""
    key = (cls, name)
    if key in records.watched:
        return
    with _lock:
        watched = _watched.get(key)
        if watched is None:
            watched = _watched[key] = how(cls, name, original, places)
            watched.begin()
        watched.runs.append(records)
    records.watched.add(key)


def stop_watching(records: Any) -> None:
    """The run with these records is over."""
    with _lock:
        for key in records.watched:
            watched = _watched[key]
            watched.runs = [r for r in watched.runs if r is not records]
            if not watched.runs:
                _watched.pop(key).end()
    records.watched.clear()


def original_of(member: Any) -> Any:
    """A member of a class as it is when nobody watches it."""
    return _originals.get(member, member) if type(member) is FunctionType else member
