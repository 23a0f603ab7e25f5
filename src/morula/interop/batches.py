"""Hosts over a leading axis, row by row: what a map over a batch makes of one."""

from __future__ import annotations

import functools
from collections.abc import Sequence
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
