"""Plain Python bodies for C builtins that call back or that hand items on: they are transformed like any code.

Each has the meaning that the documentation of the original gives it.
"""

import functools
import itertools
from collections.abc import Callable
from typing import Any

from morula.runtime.registry import SUBSTITUTES, structural

MISSING = object()


def substitute(*originals: Any) -> Callable:
    def declare(body: Callable) -> Callable:
        for original in originals:
            SUBSTITUTES[original] = body
        return body

    return declare


def _indices(original: Any) -> Callable:
    """An iterator over tuples of indices: integers, so that it runs plainly."""

    def run(n: int, r: int | None) -> Any:
        return original(range(n), r)

    structural(run)(lambda ctx, args, ds, kw, kw_d: (run(*args), None))
    return run


index_combinations = _indices(itertools.combinations)
index_combinations_with_replacement = _indices(itertools.combinations_with_replacement)
index_permutations = _indices(itertools.permutations)


@substitute(map)
def map_(f, *iterables):
    if len(iterables) == 1:
        for x in iterables[0]:
            yield f(x)
    else:
        for args in zip(*iterables):
            yield f(*args)


@substitute(filter)
def filter_(f, iterable):
    for x in iterable:
        if x if f is None else f(x):
            yield x


@substitute(functools.reduce)
def reduce(f, iterable, initial=MISSING):
    items = iter(iterable)
    if initial is MISSING:
        try:
            initial = next(items)
        except StopIteration:
            raise TypeError("reduce() of empty iterable with no initial value") from None
    for x in items:
        initial = f(initial, x)
    return initial


@substitute(itertools.accumulate)
def accumulate(iterable, func=None, *, initial=None):
    items = iter(iterable)
    total = initial
    if initial is None:
        try:
            total = next(items)
        except StopIteration:
            return
    yield total
    for x in items:
        total = total + x if func is None else func(total, x)
        yield total


@substitute(itertools.chain)
def chain(*iterables):
    for iterable in iterables:
        for x in iterable:
            yield x


@substitute(itertools.chain.from_iterable)
def chain_from_iterable(iterables):
    for iterable in iterables:
        for x in iterable:
            yield x


@substitute(itertools.compress)
def compress(data, selectors):
    for x, chosen in zip(data, selectors):
        if chosen:
            yield x


@substitute(itertools.cycle)
def cycle(iterable):
    saved = []
    for x in iterable:
        yield x
        saved.append(x)
    while saved:
        for x in saved:
            yield x


@substitute(itertools.dropwhile)
def dropwhile(predicate, iterable):
    items = iter(iterable)
    for x in items:
        if not predicate(x):
            yield x
            break
    for x in items:
        yield x


@substitute(itertools.takewhile)
def takewhile(predicate, iterable):
    for x in iterable:
        if not predicate(x):
            return
        yield x


@substitute(itertools.filterfalse)
def filterfalse(predicate, iterable):
    for x in iterable:
        if not (x if predicate is None else predicate(x)):
            yield x


@substitute(itertools.islice)
def islice(iterable, *bounds):
    limits = slice(*bounds)
    start = 0 if limits.start is None else limits.start
    stop = limits.stop
    step = 1 if limits.step is None else limits.step
    if start < 0 or step < 1 or (stop is not None and stop < 0):
        raise ValueError("Indices for islice() must be None or an integer: 0 <= x <= sys.maxsize.")
    position, wanted = 0, start
    if stop is not None and wanted >= stop and stop <= 0:
        return
    for x in iterable:
        if stop is not None and position >= stop:
            return
        if position == wanted:
            yield x
            wanted += step
        position += 1
        if stop is not None and position >= stop:
            return


@substitute(itertools.pairwise)
def pairwise(iterable):
    items = iter(iterable)
    try:
        before = next(items)
    except StopIteration:
        return
    for x in items:
        yield before, x
        before = x


@substitute(itertools.product)
def product(*iterables, repeat=1):
    pools = [tuple(pool) for pool in iterables] * repeat
    results: list = [()]
    for pool in pools:
        results = [(*chosen, x) for chosen in results for x in pool]
    for result in results:
        yield result


@substitute(itertools.combinations)
def combinations(iterable, r):
    pool = tuple(iterable)
    for indices in index_combinations(len(pool), r):
        yield tuple([pool[i] for i in indices])


@substitute(itertools.combinations_with_replacement)
def combinations_with_replacement(iterable, r):
    pool = tuple(iterable)
    for indices in index_combinations_with_replacement(len(pool), r):
        yield tuple([pool[i] for i in indices])


@substitute(itertools.permutations)
def permutations(iterable, r=None):
    pool = tuple(iterable)
    for indices in index_permutations(len(pool), r):
        yield tuple([pool[i] for i in indices])


@substitute(itertools.repeat)
def repeat(obj, times=None):
    if times is None:
        while True:
            yield obj
    for _ in range(times):
        yield obj


@substitute(itertools.count)
def count(start=0, step=1):
    n = start
    while True:
        yield n
        n = n + step


@substitute(itertools.starmap)
def starmap(f, iterable):
    for args in iterable:
        yield f(*args)


@substitute(itertools.zip_longest)
def zip_longest(*iterables, fillvalue=None):
    sources = [iter(x) for x in iterables]
    left = len(sources)
    while left:
        row = []
        for i, source in enumerate(sources):
            try:
                x = next(source) if source is not None else fillvalue
            except StopIteration:
                left -= 1
                if not left:
                    return
                sources[i] = None
                x = fillvalue
            row.append(x)
        yield tuple(row)
