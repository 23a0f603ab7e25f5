"""The module `itertools`, for engines with the trait ``"iterators"``: see `iterators`."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Iterable, Iterator
from typing import Any

from ...accumulate import accumulate
from ...declarations import unsupported
from ...rules import rrule
from ...tangents import Thunk
from .items import CALLING, LAZY, answering_with_config, bars_of, filled, parts, placed
from .iterators import Traced, columns, filtering, total_of

unsupported("its groups share one iterator with it, and are gone when it moves on", itertools.groupby)


class Counted:
    """An iterable that counts the items that it has handed on."""

    def __init__(self, iterable: Iterable[Any]) -> None:
        self.iterable, self.count = iterable, 0

    def __iter__(self) -> Iterator[Any]:
        for x in self.iterable:
            self.count += 1
            yield x


# -- one source -------------------------------------------------------------------------------------------


@rrule(itertools.accumulate, needs=CALLING)
@answering_with_config
def accumulate_rule(config: Any, iterable: Any, func: Any = None, *, initial: Any = None) -> Any:
    """From the last result back: the pullback of each call, with what has come from behind."""
    traced = Traced(config, operator.add if func is None else func)

    def accumulate_pullback(y_bar: Any) -> Any:
        bars, total_bar = [], None
        results = list(y_bar or ())
        for i in range(len(results) - 1, 0, -1):
            total_bar = accumulate(results[i], total_bar)
            x_bar = None
            if total_bar is not None:
                total_bar, x_bar = traced.pull(i - 1, total_bar)
            bars.append(x_bar)
        if initial is None and results:
            bars.append(accumulate(results[0], total_bar))
        return filled(iterable, bars[::-1]), traced.taken()

    return itertools.accumulate(iterable, traced, initial=initial), accumulate_pullback


@rrule(itertools.compress, needs=LAZY)
def compress_rule(config: Any, data: Any, selectors: Any) -> Any:
    """The cotangents back to the places of the items that were selected."""
    places: list[int] = []

    def noted() -> Iterator[bool]:
        for i, s in enumerate(selectors):
            chosen = bool(s)
            if chosen:
                places.append(i)
            yield chosen

    def compress_pullback(y_bar: Any) -> Any:
        return filled(data, placed(zip(places, y_bar or (), strict=False))), None

    return itertools.compress(data, noted()), compress_pullback


@rrule(itertools.cycle, needs=LAZY)
def cycle_rule(config: Any, iterable: Any) -> Any:
    """The sum over the turns."""
    source = Counted(iterable)

    def cycle_pullback(y_bar: Any) -> Any:
        return (filled(iterable, placed((k % source.count, bar) for k, bar in enumerate(y_bar or ()))),)

    return itertools.cycle(source), cycle_pullback


@rrule(itertools.dropwhile, needs=LAZY)
def dropwhile_rule(config: Any, predicate: Any, iterable: Any) -> Any:
    """The items after those that were dropped."""
    dropped = 0

    def noted(x: Any) -> bool:
        nonlocal dropped
        passed = bool(predicate(x))
        dropped += passed
        return passed

    return itertools.dropwhile(noted, iterable), lambda y_bar: (
        None,
        filled(iterable, [None] * dropped + list(y_bar)) if y_bar else None,
    )


@rrule(itertools.takewhile, needs=LAZY)
def takewhile_rule(config: Any, predicate: Any, iterable: Any) -> Any:
    """The first items."""
    return itertools.takewhile(predicate, iterable), lambda y_bar: (None, filled(iterable, list(y_bar or ())))


@rrule(itertools.filterfalse, needs=LAZY)
def filterfalse_rule(config: Any, predicate: Any, iterable: Any) -> Any:
    """As `filter`."""
    return filtering(itertools.filterfalse, predicate, iterable, False)


@rrule(itertools.islice, needs=LAZY)
def islice_rule(config: Any, iterable: Any, *bounds: Any) -> Any:
    """Every item that was not passed over."""
    limits = slice(*bounds)
    start, step = limits.start or 0, limits.step or 1

    def islice_pullback(y_bar: Any) -> Any:
        pairs = ((int(start) + k * int(step), bar) for k, bar in enumerate(y_bar or ()))
        return filled(iterable, placed(pairs)), *(None for _ in bounds)

    return itertools.islice(iterable, *bounds), islice_pullback


@rrule(itertools.pairwise, needs=LAZY)
def pairwise_rule(config: Any, iterable: Any) -> Any:
    """An item is the second of one pair and the first of the next."""

    def pairwise_pullback(y_bar: Any) -> Any:
        first, second = columns(y_bar, 2)
        return (filled(iterable, placed([*enumerate(first), *enumerate(second, 1)])),)

    return itertools.pairwise(iterable), pairwise_pullback


@rrule(itertools.starmap, needs=CALLING)
def starmap_rule(config: Any, function: Any, iterable: Any) -> Any:
    """The pullback of each call; an item is a tuple of arguments."""
    traced = Traced(config, function)

    def starmap_pullback(y_bar: Any) -> Any:
        bars = [None if bar is None else traced.pull(i, bar) for i, bar in enumerate(y_bar or ())]
        return traced.taken(), filled(iterable, bars)

    return itertools.starmap(traced, iterable), starmap_pullback


_batched: Any = getattr(itertools, "batched", None)
if _batched is not None:  # Python 3.12

    @rrule(_batched, needs=LAZY)
    def batched_rule(config: Any, iterable: Any, n: Any, **options: Any) -> Any:
        """Item by item."""

        def batched_pullback(y_bar: Any) -> Any:
            bars = [bar for batch in y_bar or () for bar in parts(batch, n)]
            # only the last batch may be shorter, and nothing comes after it
            return filled(iterable, bars[: len(iterable)] if hasattr(iterable, "__len__") else bars), None

        return _batched(iterable, n, **options), batched_pullback


@rrule(itertools.tee, needs=LAZY)
def tee_rule(config: Any, iterable: Any, *n: Any) -> Any:
    """The sum over the copies."""

    def tee_pullback(y_bar: Any) -> Any:
        pairs = [pair for bars in y_bar or () for pair in enumerate(bars or ())]
        return filled(iterable, placed(pairs)), *(None for _ in n)

    return itertools.tee(iterable, *n), tee_pullback


# -- several sources --------------------------------------------------------------------------------------


@rrule(itertools.chain, needs=LAZY)
def chain_rule(config: Any, *iterables: Any) -> Any:
    """The seed, cut where one source ended."""
    sources = [Counted(x) for x in iterables]
    return itertools.chain(*sources), lambda y_bar: tuple(_cut(sources, y_bar))


@rrule(itertools.chain.from_iterable, needs=LAZY)
def from_iterable_rule(config: Any, iterables: Any) -> Any:
    """As `chain`."""
    sources: list[Counted] = []

    def noted() -> Iterator[Counted]:
        for x in iterables:
            sources.append(Counted(x))
            yield sources[-1]

    return itertools.chain.from_iterable(noted()), lambda y_bar: (filled(iterables, _cut(sources, y_bar)),)


def _cut(sources: list[Counted], y_bar: Any) -> list[Any]:
    bars, cut = list(y_bar or ()), []
    for source in sources:
        cut.append(filled(source.iterable, bars[: source.count]))
        bars = bars[source.count :]
    return cut


@rrule(itertools.zip_longest, needs=LAZY)
def zip_longest_rule(config: Any, *iterables: Any, **options: Any) -> Any:
    """As `zip`; what was filled up is a constant."""
    sources = [Counted(x) for x in iterables]

    def zip_longest_pullback(y_bar: Any) -> Any:
        bars = columns(y_bar, len(sources))
        return tuple([filled(s.iterable, bar[: s.count]) for s, bar in zip(sources, bars, strict=True)])

    return itertools.zip_longest(*sources, **options), zip_longest_pullback


@rrule(itertools.product, needs=LAZY)
def product_rule(config: Any, *iterables: Any, repeat: Any = 1) -> Any:
    """The sum over the rows in which an item stands."""
    pools = [tuple(x) for x in iterables]

    def product_pullback(y_bar: Any) -> Any:
        rows = itertools.product(*[range(len(pool)) for pool in pools], repeat=repeat)
        pairs: list[list[tuple[int, Any]]] = [[] for _ in pools]
        for row, bars in zip(rows, y_bar or (), strict=False):
            for j, (place, bar) in enumerate(zip(row, parts(bars, len(row)), strict=True)):
                pairs[j % len(pools)].append((place, bar))
        return tuple([filled(x, bars_of(len(pool), p)) for x, pool, p in zip(iterables, pools, pairs, strict=True)])

    return itertools.product(*pools, repeat=repeat), product_pullback


def _arrangements(f: Any) -> None:
    def rule(config: Any, iterable: Any, r: Any = None) -> Any:
        """The sum over the rows in which an item stands."""
        pool = tuple(iterable)
        r = len(pool) if r is None else r

        def arrangements_pullback(y_bar: Any) -> Any:
            pairs = [
                pair
                for row, bars in zip(f(range(len(pool)), r), y_bar or (), strict=False)
                for pair in zip(row, parts(bars, r), strict=True)
            ]
            return filled(iterable, bars_of(len(pool), pairs)), None

        return f(pool, r), arrangements_pullback

    rrule(f, needs=LAZY)(answering_with_config(rule))


_arrangements(itertools.permutations)
_arrangements(itertools.combinations)
_arrangements(itertools.combinations_with_replacement)


# -- no source --------------------------------------------------------------------------------------------


@rrule(itertools.repeat, needs=LAZY)
def repeat_rule(config: Any, object: Any, *times: Any, **options: Any) -> Any:
    """The sum over the turns."""
    return itertools.repeat(object, *times, **options), lambda y_bar: (
        Thunk(total_of, y_bar, object),
        *(None for _ in times),
    )


@rrule(itertools.count, needs=LAZY)
@answering_with_config
def count_rule(config: Any, start: Any = 0, step: Any = 1) -> Any:
    """``start + k step``."""

    def count_pullback(y_bar: Any) -> Any:
        steps = [None if bar is None else k * bar for k, bar in enumerate(y_bar or ())]
        return Thunk(total_of, y_bar, start), Thunk(total_of, steps, step)

    return itertools.count(start, step), count_pullback
