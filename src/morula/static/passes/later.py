"""Whether what a load found is overwritten later: of recurrences, tables and eliminations it is not.

for i in range(1, n):                for i in range(1, n):             for j in range(n):
    y[i] = a * y[i - 1]                  for j in range(1, m):             for k in range(j + 1, n):
                                             t[i, j] = t[i - 1, j] ...         for i in range(k, n):
                                                                                   l[i, k] -= l[i, j] * l[k, j]

A store that comes later is one of the same iteration of all loops around it and the load, or there is a first loop
whose iteration is another one. In each of these cases one index of the store must be greater than that of the load, or
less, by what bounds them: constants, and values that both share or of which the store's is known to be further on.
"""

from collections.abc import Callable, Iterator
from typing import Any

from morula.static.ir import Block, Const, Loop, Op, Value, is_within
from morula.static.passes.bounds import REMAINDERS, Bounds, offset, upper

Bound = tuple[Any, int]  # something, and a constant that is added to it
Advance = Callable[[Any], int | None]  # by how much something is greater at the store; None where nothing is known
DEPTH = 6  # of bounds that are bounded themselves


def is_overwritten_later(
    load: Op, store: Op, loops: list[Loop], is_after: bool, block_of: Callable[[Value], Block], around: list[Loop]
) -> bool:
    """Whether a store may overwrite what a load found, by their indices.

    Args:
        load, store: of the same array.
        loops: those around both of them whose later iterations count, outermost first.
        is_after: whether the store follows the load within one iteration of all loops around both.
        block_of: the block in whose scope a value is.
        around: all loops around both.
    """
    bounds = Bounds()
    places, targets = load.args[1:], store.args[2:]
    if len(places) != len(targets):
        return True
    # An index below zero counts from the end.
    axes = [(p, t) for p, t in zip(places, targets, strict=True) if bounds.is_natural(p) and bounds.is_natural(t)]

    def is_apart(advance: Advance) -> bool:
        return any(_is_above(p, t, advance, bounds) or _is_below(p, t, advance, bounds) for p, t in axes)

    def in_one_iteration(base: Any) -> int | None:
        return 0 if base is None or all(any(x is y for y in around) for x in block_of(base).loops()) else None

    for loop in loops:
        step = loop.step.value if isinstance(loop.step, Const) else 0

        def in_later_iterations(base: Any, loop: Loop = loop, step: int = step) -> int | None:
            if base is None or not is_within(block_of(base), loop.body):
                return 0
            return step if base is loop.index and step else None

        if not is_apart(in_later_iterations):
            return True
    return is_after and not is_apart(in_one_iteration)


def _is_above(place: Any, target: Any, advance: Advance, bounds: Bounds) -> bool:
    """Whether the store's index is always greater."""
    most = list(_uppers(place, bounds))
    for base, least in _lowers(target, bounds):
        further = advance(base)
        if further is not None and further >= 0 and any(b is base and further + least > m for b, m in most):
            return True
    return False


def _is_below(place: Any, target: Any, advance: Advance, bounds: Bounds) -> bool:
    """Whether the store's index is always less."""
    least = list(_lowers(place, bounds))
    for base, most in _uppers(target, bounds):
        further = advance(base)
        if further is not None and further <= 0 and any(b is base and further + most < m for b, m in least):
            return True
    return False


def _lowers(x: Any, bounds: Bounds, depth: int = DEPTH) -> Iterator[Bound]:
    """What the integer `x` is never less than."""
    base, more = offset(x)
    yield base, more
    d = base.definition if isinstance(base, Value) else None
    if not depth:
        return
    below: list[tuple[Any, int]] = []
    if isinstance(d, Loop) and base is d.index and isinstance(d.step, Const) and d.step.value:
        below = [(d.start, 0)] if d.step.value > 0 else [(d.stop, 1)]
    elif isinstance(d, Op) and d.kind == "binary":
        a, b = d.args
        if d.attr == "+":
            below = [(y, k) for y, other in ((a, b), (b, a)) if (k := bounds.lower(other)) is not None]
        elif d.attr == "-" and (k := upper(b)) is not None:
            below = [(a, -k)]
        elif d.attr == "max2":
            below = [(a, 0), (b, 0)]
    for y, k in below:
        for found, distance in _lowers(y, bounds, depth - 1):
            yield found, distance + k + more


def _uppers(x: Any, bounds: Bounds, depth: int = DEPTH) -> Iterator[Bound]:
    """What the integer `x` is never greater than."""
    base, more = offset(x)
    yield base, more
    d = base.definition if isinstance(base, Value) else None
    if not depth:
        return
    above: list[tuple[Any, int]] = []
    if isinstance(d, Loop) and base is d.index and isinstance(d.step, Const) and d.step.value:
        above = [(d.stop, -1)] if d.step.value > 0 else [(d.start, 0)]
    elif isinstance(d, Op) and d.kind == "binary":
        a, b = d.args
        if d.attr == "+":
            above = [(y, k) for y, other in ((a, b), (b, a)) if (k := upper(other)) is not None]
        elif d.attr == "-" and (k := bounds.lower(b)) is not None:
            above = [(a, -k)]
        elif d.attr == "min2":
            above = [(a, 0), (b, 0)]
        elif d.attr in REMAINDERS and bounds.is_natural(b):
            above = [(b, -1)]  # (a remainder by zero has no value)
    for y, k in above:
        for found, distance in _uppers(y, bounds, depth - 1):
            yield found, distance + k + more
