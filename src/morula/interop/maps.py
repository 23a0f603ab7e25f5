"""Maps over tasks by any engine: one rule, whatever runs them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import chainrules
from chainrules import frule, is_absent, rrule, unthunk
from morula.interop.remote import scaled, unwrapped
from morula.interop.worker import bars_alone, directional, starred, value_and_bars

__all__ = ["remote_map"]


def remote_map(run: Callable[[Callable, list], Any], f: Callable, items: Any) -> list:
    """``[f(*item) for item in items]`` by an engine that maps a function over many tasks, wherever that runs them.

    Outside derivatives it is ``list(run(task, tasks))``. The cotangents take another run of tasks, all of one map in
    one, except those of numbers, which bring their gradients along.

    Args:
        run: ``run(g, tasks)`` gives the values of ``g(task)`` in order. It is called with a function and tasks that can
            be pickled if `f` and the items can: by `map` of a pool, a queue, a cluster of your own.
        f: a function that workers can import.
        items: tuples of arguments.

    Returns:
        The list of values.

    >>> import math
    >>> import morula
    >>> here = lambda g, tasks: [g(task) for task in tasks]
    >>> morula.gradient(lambda x: sum(morula.remote_map(here, math.pow, [(x, 2.0), (x, 3.0)])), 2.0)
    (16.0,)
    """
    calls = [unwrapped(f, tuple(item), {}) for item in items]
    return mapped(Batches(run), calls[0][0] if calls else f, [args for _, args in calls])


class Batches:
    """How many calls are sent away at once."""

    def __init__(self, run: Callable[[Callable, list], Any]):
        self.run = run

    def all(self, f: Callable, tasks: list) -> list:
        """``f(*task)`` for all tasks."""
        return list(self.run(functools.partial(starred, f), tasks))


chainrules.opaque(Batches)


def mapped(batches: Batches, f: Callable, items: list) -> list:
    """The values of `f` for many tuples of arguments."""
    return batches.all(f, items)


@rrule(mapped, needs=("reverse",))
def mapped_rule(config: Any, batches: Batches, f: Callable, items: list) -> Any:
    wanted = [tuple([config.wanted(a) for a in args]) for args in items]
    found = batches.all(value_and_bars, [(f, w, *args) for w, args in zip(wanted, items, strict=True)])

    def mapped_pullback(y_bars: Any) -> tuple:
        given = [None if is_absent(bar) else unthunk(bar) for bar in unthunk(y_bars)]
        bars: list = [(None,) * len(args) for args in items]
        again = []
        for i, (bar, (_, gradient)) in enumerate(zip(given, found, strict=True)):
            if bar is not None and gradient is not None:
                bars[i] = scaled(gradient, bar)
            elif bar is not None:
                again.append(i)
        tasks = [(f, wanted[i], given[i], *items[i]) for i in again]
        for i, gradient in zip(again, batches.all(bars_alone, tasks) if tasks else (), strict=True):
            bars[i] = gradient
        return None, None, bars

    return [y for y, _ in found], mapped_pullback


@frule(mapped, given_value=True)
def mapped_frule(y: Any, primals: tuple, tangents: tuple) -> Any:
    batches, f, items = primals
    tasks = []
    for args, dots in zip(items, tangents[2], strict=True):
        dots = (None,) * len(args) if dots is None or is_absent(dots) else dots
        moves = tuple([not (d is None or is_absent(d)) for d in dots])
        tasks.append((f, moves, *args, *[d for d, m in zip(dots, moves, strict=True) if m]))
    return mapped(batches, directional, tasks)
