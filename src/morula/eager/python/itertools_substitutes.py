"""The functions of `itertools` in plain Python, which is transformed like any code (see `substitutes`)."""

import itertools
from collections.abc import Callable
from typing import Any

from morula.eager.calls.registry import structural
from morula.eager.calls.substitutes import MISSING, checked, mapped_rows, substitute


def indices_by(original: Any) -> Callable:
    """An iterator over tuples of places: integers, so that it runs plainly."""

    def run(*args: Any) -> Any:
        return original(*args)

    structural(run)(lambda ctx, args, ds, kw, kw_d: (run(*args), None))
    return run


index_products = indices_by(itertools.product)
index_combinations = indices_by(itertools.combinations)
index_combinations_with_replacement = indices_by(itertools.combinations_with_replacement)
index_permutations = indices_by(itertools.permutations)
check_islice = checked(itertools.islice)
check_count = checked(itertools.count)
check_repeat = checked(itertools.repeat)
check_tee = checked(itertools.tee)
check_product = checked(itertools.product)


# -- one source -------------------------------------------------------------------------------------------


@substitute(itertools.accumulate)
def accumulate(iterable, func=None, *, initial=None):
    return accumulated(iter(iterable), func, initial)


def accumulated(items, func, total):
    if total is None:
        for x in items:
            total = x
            break
        else:
            return
    yield total
    for x in items:
        if func is None:
            total = total + x
        else:
            try:
                total = func(total, x)
            except StopIteration:
                return
        yield total


@substitute(itertools.chain)
def chain(*iterables):
    return chained(iter(iterables))


@substitute(itertools.chain.from_iterable)
def chain_from_iterable(iterables):
    return chained(iter(iterables))


def chained(iterables):
    for iterable in iterables:
        for x in iterable:
            yield x


@substitute(itertools.compress)
def compress(data, selectors):
    return compressed(iter(data), iter(selectors))


def compressed(data, selectors):
    for x in data:
        chosen = next(selectors, MISSING)
        if chosen is MISSING:
            return
        if chosen:
            yield x


@substitute(itertools.cycle)
def cycle(iterable):
    return cycled(iter(iterable))


def cycled(items):
    saved = []
    for x in items:
        saved.append(x)
        yield x
    while saved:
        for x in saved:
            yield x


@substitute(itertools.dropwhile)
def dropwhile(predicate, iterable):
    return dropped_while(predicate, iter(iterable))


def dropped_while(predicate, items):
    for x in items:
        if not predicate(x):
            yield x
            break
    for x in items:
        yield x


@substitute(itertools.takewhile)
def takewhile(predicate, iterable):
    return taken_while(predicate, iter(iterable))


def taken_while(predicate, items):
    for x in items:
        if not predicate(x):
            return
        yield x


@substitute(itertools.filterfalse)
def filterfalse(predicate, iterable):
    return filtered_false(bool if predicate is None else predicate, iter(iterable))


def filtered_false(predicate, items):
    for x in items:
        if not predicate(x):
            yield x


@substitute(itertools.islice)
def islice(iterable, *bounds):
    check_islice((), *bounds)
    limits = slice(*bounds)
    return sliced(iter(iterable), limits.start or 0, limits.stop, limits.step or 1)


def sliced(items, wanted, stop, step):
    position = 0
    while True:
        while position < wanted:
            if next(items, MISSING) is MISSING:
                return
            position += 1
        if stop is not None and position >= stop:
            return
        x = next(items, MISSING)
        if x is MISSING:
            return
        position += 1
        wanted += step
        if stop is not None and wanted > stop:
            wanted = stop
        yield x


@substitute(itertools.pairwise)
def pairwise(iterable):
    return paired(iter(iterable))


def paired(items):
    before = next(items, MISSING)
    if before is MISSING:
        return
    for x in items:
        yield before, x
        before = x


@substitute(itertools.starmap)
def starmap(f, iterable):
    return mapped_rows(f, iter(iterable))


if hasattr(itertools, "batched"):  # Python 3.12
    check_batched = checked(itertools.batched)

    @substitute(itertools.batched)
    def batched(iterable, n, **options):
        check_batched((), n, **options)
        return batches(iter(iterable), n, options.get("strict", False))


def batches(items, n, strict):
    while True:
        batch = []
        for x in items:
            batch.append(x)
            if len(batch) == n:
                break
        if not batch:
            return
        if strict and len(batch) < n:
            raise ValueError("batched(): incomplete batch")
        yield tuple(batch)


# -- groups and copies ------------------------------------------------------------------------------------


class Grouping:
    """Where a `groupby` is, which its groups share."""

    def __init__(self, items, key):
        self.items = items
        self.key = key
        self.current = MISSING  # the key of the item that was read last, and the item if no group has yielded it
        self.value = MISSING
        self.group = None

    def step(self):
        """Read one item; whether there was one."""
        value = next(self.items, MISSING)
        if value is MISSING:
            return False
        self.current = value if self.key is None else self.key(value)
        self.value = value
        return True


@substitute(itertools.groupby)
def groupby(iterable, key=None):
    return grouped(Grouping(iter(iterable), key))


def grouped(state):
    target = MISSING
    while True:
        state.group = None
        while state.value is MISSING or (
            target is not MISSING and (target is state.current or target == state.current)
        ):
            if not state.step():
                return
        target = state.current
        mark = state.group = object()
        yield target, group(state, mark, target)


def group(state, mark, target):
    while state.group is mark:
        if state.value is MISSING and not state.step():
            return
        if not (target is state.current or target == state.current):
            return
        value, state.value = state.value, MISSING
        yield value


@substitute(itertools.tee)
def tee(iterable, n=2):
    check_tee((), n)
    items, link = iter(iterable), [None, None]
    return tuple([teed(items, link) for _ in range(n)])


def teed(items, link):
    """The items from a link on: a link is an item and the next link, filled by whoever comes first."""
    while True:
        if link[1] is None:
            x = next(items, MISSING)
            if x is MISSING:
                return
            link[0] = x
            link[1] = [None, None]
        x, link = link
        yield x


# -- several sources --------------------------------------------------------------------------------------


@substitute(itertools.zip_longest)
def zip_longest(*iterables, fillvalue=None):
    return zipped_longest([iter(x) for x in iterables], fillvalue)


def zipped_longest(sources, fillvalue):
    left = len(sources)
    while left:
        row = []
        for i, source in enumerate(sources):
            x = MISSING if source is None else next(source, MISSING)
            if x is MISSING:
                if source is not None:
                    left -= 1
                    if not left:
                        return
                    sources[i] = None
                x = fillvalue
            row.append(x)
        yield tuple(row)


@substitute(itertools.product)
def product(*iterables, **options):
    check_product(**options)
    pools = [tuple(pool) for pool in iterables] * options.get("repeat", 1)
    return chosen_from(pools, index_products(*[range(len(pool)) for pool in pools]))


def chosen_from(pools, places):
    for row in places:
        yield tuple([pool[i] for pool, i in zip(pools, row)])


@substitute(itertools.combinations)
def combinations(iterable, r):
    pool = tuple(iterable)
    return chosen(pool, index_combinations(range(len(pool)), r))


@substitute(itertools.combinations_with_replacement)
def combinations_with_replacement(iterable, r):
    pool = tuple(iterable)
    return chosen(pool, index_combinations_with_replacement(range(len(pool)), r))


@substitute(itertools.permutations)
def permutations(iterable, r=None):
    pool = tuple(iterable)
    return chosen(pool, index_permutations(range(len(pool)), r))


def chosen(pool, places):
    for row in places:
        yield tuple([pool[i] for i in row])


# -- no source --------------------------------------------------------------------------------------------


@substitute(itertools.repeat)
def repeat(object, *times, **options):
    check_repeat(None, *times, **options)
    times = (*times, *options.values())
    return repeated(object, range(times[0]) if times else None)


def repeated(object, turns):
    if turns is None:
        while True:
            yield object
    for _ in turns:
        yield object


@substitute(itertools.count)
def count(start=0, step=1):
    check_count(start, step)
    return counted(start, step)


def counted(n, step):
    while True:
        yield n
        n = n + step
