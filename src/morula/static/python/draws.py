"""Generators of random numbers that a program shares with others: those of the modules `random` and `numpy.random`.

A text that gives way, and a trial of one, leave them as they were: what runs in its place draws the same numbers.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from types import BuiltinMethodType, MethodType
from typing import Any

import numpy as np

__all__ = ["OF_NUMPY", "drawing", "shared_generator", "undrawn"]

OF_NUMPY: Any = np.random.normal.__self__  # type: ignore[attr-defined]
OF_PYTHON: Any = random.random.__self__  # type: ignore[attr-defined]


def shared_generator(f: Any) -> Any:
    """The generator whose method a function is, such as `random.gauss`; None for any other.

    >>> type(shared_generator(np.random.normal)), shared_generator(len)
    (<class 'numpy.random.mtrand.RandomState'>, None)
    """
    owner = f.__self__ if type(f) in (BuiltinMethodType, MethodType) else OF_NUMPY if f is np.random.seed else None
    return owner if owner is OF_NUMPY or owner is OF_PYTHON else None


def _states(generators: Sequence[Any]) -> list[Callable[[], None]]:
    """What puts generators back to where they are now."""
    found: list[Callable[[], None]] = []
    for g in generators:
        state = g.getstate() if g is OF_PYTHON else g.get_state(legacy=False)
        found.append(partial(g.setstate if g is OF_PYTHON else g.set_state, state))
    return found


@contextmanager
def undrawn(generators: Sequence[Any]) -> Iterator[None]:
    """Leave generators as they are now, whatever is drawn meanwhile.

    >>> with undrawn([OF_PYTHON]):
    ...     x = random.random()
    >>> x == random.random()
    True
    """
    back = _states(generators)
    try:
        yield
    finally:
        for put_back in back:
            put_back()


def drawing(run: Callable, generators: Sequence[Any]) -> Callable:
    """A text that draws from `generators`, which are left as they were where it gives way."""
    if not generators:
        return run

    def drawn(*args: Any) -> Any:
        back = _states(generators)
        found = None
        try:
            found = run(*args)
        finally:
            if found is None:
                for put_back in back:
                    put_back()
        return found

    return drawn
