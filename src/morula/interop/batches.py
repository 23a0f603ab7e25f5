"""Hosts over a leading axis, row by row: what a map over a batch makes of one."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from morula.errors import ResultError
from morula.interop.hosts import Arrays, Aval, inexact_of

__all__ = ["Batched"]


class Batched:
    """A host over a leading axis of some of its arguments and results: row by row.

    Attributes:
        host: of one row.
        has_axis: whether an argument has the axis; another one is the same for all rows.
        size: its length.
        summed: whether a result is the sum over the rows; another one has the axis.
    """

    _is_derivative = False

    def __init__(self, host: Any, has_axis: Sequence[bool], size: int, summed: Sequence[bool] | None = None):
        self.host, self.has_axis, self.size = host, list(has_axis), size
        self._summed = summed
        self.name, self.inexact = host.name, host.inexact

    @property
    def outs(self) -> Any:
        """The structure of the result."""
        return self.host.outs

    @property
    def outs_inexact(self) -> list[bool]:
        """As of `Host`."""
        return self.host.outs_inexact

    @property
    def summed(self) -> list[bool]:
        """For each result."""
        return [False] * len(self.outs_inexact) if self._summed is None else list(self._summed)

    def like(self) -> list[Aval]:
        """As `Host.like`."""
        return [
            (shape if summed else (self.size, *shape), dtype)
            for (shape, dtype), summed in zip(self.host.like(), self.summed, strict=True)
        ]

    def run(self, leaves: Sequence[Any]) -> Arrays:
        """The results, row by row."""
        points = getattr(self.host, "points", 0)
        if points and not any(self.has_axis[:points]):
            many = getattr(self.host, "many", None)
            if many is not None and all(self.has_axis[points:]) and not any(self.summed):
                found = many(leaves[:points], leaves[points:])
                if found is not None:
                    return found
            step, given = self.host.at_point(leaves[:points]), range(points, len(leaves))
        else:
            step, given = self.host.run, range(len(leaves))
        rows = [step([leaves[i][k] if self.has_axis[i] else leaves[i] for i in given]) for k in range(self.size)]
        if not rows:
            return [np.zeros(shape, dtype) for shape, dtype in self.like()]
        shapes = {tuple(a.shape for a in row) for row in rows}
        if len(shapes) > 1:
            raise ResultError(f"{self.name} returned arrays of different shapes for the rows of a batch: {shapes}")
        return [
            np.sum(column, axis=0, dtype=column[0].dtype) if summed else np.stack(column)
            for column, summed in zip(zip(*rows, strict=True), self.summed, strict=True)
        ]

    @property
    def points(self) -> int:
        """As of a derivative; only of a batch of one, which `torch.func` and JAX make of the seed of a number."""
        return getattr(self.host, "points", 0) if self.size == 1 else 0

    def at_point(self, leaves: Sequence[Any]) -> Callable[[Sequence[Any]], Arrays]:
        """As `Derivative.at_point`."""
        return lambda rest: self.run([*leaves, *rest])

    def many(self, point: Sequence[Any], rows: Sequence[Any]) -> Arrays | None:
        """As of a derivative."""
        many = getattr(self.host, "many", None)
        if many is None:
            return None
        first = [x[0] if axis else x for x, axis in zip(point, self.has_axis, strict=False)]
        rest = [x[:, 0] if axis else x for x, axis in zip(rows, self.has_axis[len(point) :], strict=True)]
        found = many(first, rest)
        if found is None:
            return None
        return [y if summed else y[:, None] for y, summed in zip(found, self.summed, strict=True)]

    @functools.cached_property
    def vjp(self) -> Batched:
        """As `Host.vjp`."""
        seeds = inexact_of(self.outs_inexact, [not summed for summed in self.summed])
        own = inexact_of(self.inexact, self.has_axis)
        return Batched(self.host.vjp, [*self.has_axis, *seeds], self.size, [not axis for axis in own])

    @functools.cached_property
    def jvp(self) -> Batched:
        """As `Host.jvp`."""
        own = inexact_of(self.inexact, self.has_axis)
        return Batched(self.host.jvp, [*self.has_axis, *own], self.size, inexact_of(self.outs_inexact, self.summed))
