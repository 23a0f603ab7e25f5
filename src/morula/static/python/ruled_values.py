"""What the texts of calls by rules call: values that have the form they had, and what a pullback sends to operands.

A rule gives one value, or a tuple of them. Its cotangent is an array or a number in the text; that of a tuple is one
vector, in which the real numbers of all items follow one another.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from chainrules import AbstractTangent, ZeroTangent, project, unthunk
from morula.static.python.plain_classes import dataclass

__all__ = ["Just", "Parts", "Pulled", "alike", "form_of", "places_of", "ruled", "unpacked"]

CONSTANTS = (bool, str, type(None))
FLOAT64 = np.dtype(np.float64)


@dataclass(frozen=True)
class Just:
    """The form of a constant: no other one will do."""

    value: Any


@dataclass(frozen=True)
class Parts:
    """The form of a tuple or a list: its class, and the forms of its items."""

    kind: type
    forms: tuple[Any, ...]


def form_of(y: Any) -> Any:
    """What stays of a value from one call to the next: shape and dtype of an array, the type of a number, a flag.

    >>> form_of((np.ones(3), True)).forms[0]
    ((3,), dtype('float64'))
    """
    if type(y) is np.ndarray:
        return Just(y) if not y.ndim and y.dtype == bool else (y.shape, y.dtype)
    if isinstance(y, tuple | list):
        return Parts(type(y), tuple(map(form_of, y)))
    return Just(y) if type(y) in CONSTANTS else type(y)


def alike(y: Any, form: Any) -> Any:
    """A value, which must be of the form that it had when the text was made."""
    if type(y) is form:
        return y
    if type(form) is Parts:
        parts: Any = y
        if type(y) is not form.kind or len(parts) != len(form.forms):
            raise ValueError
        for part, like in zip(parts, form.forms, strict=True):
            alike(part, like)
    elif type(form) is Just:
        if type(y) is not type(form.value) or y != form.value:
            raise ValueError
    elif type(y) is not np.ndarray or type(form) is type or (y.shape, y.dtype) != form:
        raise ValueError
    return y


def places_of(form: Parts) -> tuple[Any, ...]:
    """Where the numbers of each item stand in the cotangent of a tuple, and their shape; None for other items.

    >>> places_of(form_of((np.ones((2, 2)), 3, np.float64(1.0))))
    ((0, 4, (2, 2)), None, (4, 5, None))
    """
    found: list[Any] = []
    end = 0
    for like in form.forms:
        is_number = like is np.float64 or like is float
        if is_number or (type(like) is tuple and like[1] == FLOAT64 and math.prod(like[0])):
            start, end = end, end + (1 if is_number else math.prod(like[0]))
            found.append((start, end, None if is_number else like[0]))
        else:
            found.append(None)
    return tuple(found)


def unpacked(z: np.ndarray, places: tuple[Any, ...]) -> tuple[Any, ...]:
    """The cotangents of the items of a tuple; None for items that nothing depends on."""
    found: list[Any] = []
    for place in places:
        part = None
        if place is not None:
            start, end, shape = place
            part = z[start:end]
            part = None if not part.any() else part[0] if shape is None else part.reshape(shape)
        found.append(part)
    return tuple(found)


def ruled(rule: Callable, form: Any, *args: Any) -> tuple[Any, Callable]:
    """Value and pullback by a rule."""
    y, pullback = rule(*args)
    return alike(y, form), pullback


class Pulled:
    """What a pullback sends to the operands of a call, worked out for those that are asked for.

    Args:
        made: value and pullback.
        y_bar: the cotangent of the value.
        spaces: of each operand where it stands among the arguments, and something of its type and shape.
    """

    __slots__ = ("bars", "spaces")

    def __init__(self, made: tuple, y_bar: Any, spaces: tuple):
        self.spaces = spaces
        self.bars: Any = None
        if type(y_bar) is not tuple or any(part is not None for part in y_bar):
            bars = made[1](y_bar)
            self.bars = bars if type(bars) is tuple else (bars,)

    def __getitem__(self, k: int) -> Any:
        path, space = self.spaces[k]
        found = ZeroTangent() if self.bars is None else self.bars
        for i in path:
            if type(found) is ZeroTangent:
                break
            found = unthunk(found[i])
            if found is None or (isinstance(found, AbstractTangent) and type(found) is not ZeroTangent):
                raise ValueError
        if type(found) is ZeroTangent:
            return np.zeros(space.shape) if type(space) is np.ndarray else 0.0
        return project(found, space)
