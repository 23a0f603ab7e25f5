"""Tape entries that move several numbers at once, between numbers and arrays."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from chainrules import strong_mul, unbroadcast
from morula.eager.context.tape import Entry, take, to_dtype, to_number
from morula.eager.memory.layout import add_overlapping
from morula.errors import NotDifferentiable

ndarray = np.ndarray


class Elementwise(Entry):
    """y = f(*args) element by element, with broadcasting, from the partials of a scalar rule.

    `targets` holds for each active argument ``(partial, x_d, shape, dtype)``; shape is None for a number,
    whose dtype is then its type.
    """

    __slots__ = ("args", "targets", "y", "y_d")
    reads = ("args", "partials", "y")

    def __init__(self, y_d: Any, y: Any, args: tuple, targets: list[tuple]):
        self.y_d = y_d
        self.y = y
        self.args = args
        self.targets = targets

    @property
    def partials(self) -> list[Any]:
        return [partial for partial, *_ in self.targets]

    def pull(self, strict: bool) -> None:
        y_bar = take(self.y_d)
        if y_bar is None:
            return
        for partial, x_d, shape, dtype in self.targets:
            if not callable(partial):
                x_bar = y_bar if partial == 1 else strong_mul(partial, y_bar) if strict else y_bar * partial
            else:
                try:
                    p = partial(self.y, *self.args)
                except NotImplementedError as reason:  # for these arguments
                    raise NotDifferentiable(str(reason)) from None
                if (type(p) is ndarray and p.dtype.kind == "c") or isinstance(p, complex | np.complexfloating):
                    p = p.conjugate()
                x_bar = strong_mul(p, y_bar) if strict else p * y_bar
            if shape is None:
                x_d[0] += to_number(x_bar, dtype)
                continue
            if type(x_bar) is not ndarray:
                x_bar = np.asarray(x_bar)
            if x_bar.shape != shape:
                x_bar = unbroadcast(x_bar, shape)
            if x_bar.dtype != dtype:
                x_bar = to_dtype(x_bar, dtype)
            x_d.add(x_bar)


class Selected(Entry):
    """y = one of several numbers; the others have a gradient of zero."""

    __slots__ = ("chosen", "shadows", "y_d")
    reads = ()

    def __init__(self, y_d: list, shadows: list, chosen: int):
        self.y_d = y_d
        self.shadows = shadows
        self.chosen = chosen

    def pull(self, strict: bool) -> None:
        y_bar = take(self.y_d)
        if y_bar is None:
            return
        for i, shadow in enumerate(self.shadows):
            if shadow is not None:
                shadow[0] += y_bar if i == self.chosen else 0.0


class Summed(Entry):
    """y = the sum of numbers."""

    __slots__ = ("shadows", "y_d")
    reads = ()

    def __init__(self, y_d: list, shadows: list):
        self.y_d = y_d
        self.shadows = shadows

    def pull(self, strict: bool) -> None:
        y_bar = take(self.y_d)
        if y_bar is not None:
            for shadow in self.shadows:
                shadow[0] += y_bar


class Weighted(Entry):
    """y = a number with its partial derivatives: ``[(x_d, dy/dx)]``; none of these is zero or not finite."""

    __slots__ = ("terms", "y_d")
    reads = ()

    def __init__(self, y_d: Any, terms: list[tuple[Any, Any]]):
        self.y_d = y_d
        self.terms = terms

    def pull(self, strict: bool) -> None:
        y_bar = take(self.y_d)
        if y_bar is not None:
            for x_d, p in self.terms:
                x_d[0] += p * y_bar


class WeightedArrays(Weighted):
    """y = a number with its partial derivatives in numbers and arrays: ``[(x_d, dy/dx)]``, all of them finite."""

    __slots__ = ()

    def pull(self, strict: bool) -> None:
        y_bar = take(self.y_d)
        if y_bar is None:
            return
        for x_d, p in self.terms:
            x_bar = strong_mul(p, y_bar) if strict else p * y_bar
            if type(x_d) is list:
                x_d[0] += x_bar
            else:
                x_d.add(x_bar, True)


class ByJacobians(Weighted):
    """y = an array with its Jacobians by numbers and arrays: ``[(x_d, J)]``, all of them finite."""

    __slots__ = ()

    def pull(self, strict: bool) -> None:
        y_bar = take(self.y_d)
        if y_bar is None:
            return
        for x_d, jacobian in self.terms:
            x_bar = np.tensordot(y_bar, jacobian, y_bar.ndim)
            if type(x_d) is list:
                x_d[0] += float(x_bar)
            else:
                x_d.add(x_bar)


class Stacked(Entry):
    """y = an array of numbers; `shadows` holds ``(i, x_d)`` for the active ones, numbered in C order."""

    __slots__ = ("shadows", "y_d")
    reads = ()

    def __init__(self, y_d: Any, shadows: list[tuple[int, list]]):
        self.y_d = y_d
        self.shadows = shadows

    def pull(self, strict: bool) -> None:
        y_bar = take(self.y_d)
        if y_bar is not None:
            bars = (y_bar if y_bar.ndim == 1 else y_bar.ravel()).tolist()
            for i, shadow in self.shadows:
                shadow[0] += bars[i]


class Gather(Entry):
    """y = x[key] for a key that copies: index arrays and masks."""

    __slots__ = ("key", "unique", "x_d", "y_d")
    arrays = reads = ("key",)

    def __init__(self, y_d: Any, x_d: Any, key: Any, unique: bool):
        self.y_d = y_d
        self.x_d = x_d
        self.key = key
        self.unique = unique

    def pull(self, strict: bool) -> None:
        y_bar = take(self.y_d)
        if y_bar is None:
            return
        x_bar = self.x_d.view()
        if self.x_d.overlaps:
            spread = np.zeros(x_bar.shape, x_bar.dtype)
            np.add.at(spread, self.key, y_bar)
            add_overlapping(x_bar, self.x_d.buffer, spread)
        elif self.unique:
            x_bar[self.key] += y_bar
        else:
            np.add.at(x_bar, self.key, y_bar)


def leaves(found: Iterable[tuple[Any, Any]]) -> Iterator[tuple[Any, Any]]:
    """The shadows of numbers and arrays that something reaches, with that."""
    for d, bar in found:
        if type(bar) is tuple and d is not None:
            yield from leaves(zip(d, bar, strict=True))
        elif bar is not None and d is not None:
            yield d, bar
