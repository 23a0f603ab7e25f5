"""What `dask.bag` means in differentiated programs: lists of partitions, each of which is a call of `delayed`."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator
from typing import Any

import dask.bag as db

import morula.interop.remote as remote  # used later: the import of that may be what loads this
from chainrules import NotImplementedDerivative
from morula.interop.delayed import Given, Later, filled_in
from morula.verbs.tools import means

__all__ = ["LaterBag"]

Bag = db.Bag


class LaterBag(Later):
    """A bag with active values, or with functions that hold some; its value is the list of its items.

    Attributes:
        parts: a `Later` for each partition, or what Dask computes.
    """

    def __init__(self, parts: list):
        super().__init__(flattened, (parts,))
        self.parts = parts
        self.npartitions = len(parts)

    def begin(self, runner: Any, plain: dict) -> None:
        """The partitions are there."""
        if self.call is None:
            self.call = remote.Call.of_value(flattened(filled_in(self.args[0], plain)))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or not hasattr(Bag, name):
            raise AttributeError(f"Attribute {name} not found")
        raise NotImplementedDerivative(f"dask.bag.Bag.{name} with active values is not implemented")

    def each(self, f: Callable, *args: Any, **kwargs: Any) -> LaterBag:
        """``f(partition, *args)`` for all partitions; functions among the arguments hold nothing active."""
        return LaterBag([Later(f, (part, *args), kwargs) for part in self.parts])

    def with_function(self, f: Callable, func: Callable, **kwargs: Any) -> LaterBag:
        """``f(partition, g, held)`` for all partitions; see `opened`."""
        return self.each(f, *remote.taken_apart(func), **kwargs)

    def map(self, func: Callable, *args: Any, **kwargs: Any) -> LaterBag:
        """See `dask.bag.Bag.map`."""
        g, held = remote.taken_apart(func)
        if not args and not kwargs:
            return self.each(mapped, g, held)
        others = [partitions_of(a, self.npartitions) for a in args]
        is_bag = [isinstance(a, Bag | LaterBag) for a in args]
        return LaterBag([
            Later(mapped_beside, (part, g, held, is_bag, [o[i] for o in others]), kwargs)
            for i, part in enumerate(self.parts)
        ])  # fmt: skip

    def starmap(self, func: Callable, **kwargs: Any) -> LaterBag:
        """See `dask.bag.Bag.starmap`."""
        return self.with_function(starmapped, func, **kwargs)

    def filter(self, predicate: Callable) -> LaterBag:
        """See `dask.bag.Bag.filter`."""
        return self.with_function(filtered, predicate)

    def remove(self, predicate: Callable) -> LaterBag:
        """See `dask.bag.Bag.remove`."""
        return self.with_function(removed, predicate)

    def map_partitions(self, func: Callable, *args: Any, **kwargs: Any) -> LaterBag:
        """See `dask.bag.Bag.map_partitions`."""
        g, held = remote.taken_apart(func)
        others = [partitions_of(a, self.npartitions) for a in args]
        return LaterBag([
            Later(applied, (part, g, held, [o[i] for o in others]), kwargs) for i, part in enumerate(self.parts)
        ])  # fmt: skip

    def pluck(self, key: Any, *default: Any) -> LaterBag:
        """See `dask.bag.Bag.pluck`."""
        return self.each(plucked, key, *default)

    def flatten(self) -> LaterBag:
        """See `dask.bag.Bag.flatten`."""
        return self.each(flattened)

    def reduction(
        self, perpartition: Callable, aggregate: Callable, split_every: Any = None, out_type: Any = None,
        name: Any = None,
    ) -> Any:  # fmt: skip
        """See `dask.bag.Bag.reduction`."""
        parts = self.with_function(whole, perpartition).parts
        every = self.npartitions if split_every is False else split_every or 8
        g, held = remote.taken_apart(aggregate)
        while True:
            parts = [Later(aggregated, (g, held, parts[i : i + every])) for i in range(0, len(parts), every)]
            if len(parts) == 1:
                return LaterBag([parts[0][0]]) if out_type is Bag else Item(parts[0][0])

    def fold(
        self, binop: Callable, combine: Any = None, initial: Any = db.core.no_default, split_every: Any = None,
        out_type: Any = None,
    ) -> Any:  # fmt: skip
        """See `dask.bag.Bag.fold`."""
        start = () if initial is db.core.no_default else (initial,)
        return self.reduction(
            lambda part: functools.reduce(binop, part, *start), lambda found: functools.reduce(combine or binop, found),
            split_every, out_type,
        )  # fmt: skip

    def accumulate(self, binop: Callable, *initial: Any) -> LaterBag:
        """See `dask.bag.Bag.accumulate`."""
        g, held = remote.taken_apart(binop)
        parts: list = []
        last: Any = Given(list(initial))
        for part in self.parts:
            parts.append(Later(accumulated, (part, g, held, last)))
            last = parts[-1][-1:]
        return LaterBag([parts[0], *[part[1:] for part in parts[1:]]])

    def var(self, ddof: int = 0) -> Any:
        """See `dask.bag.Bag.var`."""
        return self.reduction(
            db.chunk.var_chunk, functools.partial(db.chunk.var_aggregate, ddof=ddof), split_every=False
        )

    def std(self, ddof: int = 0) -> Any:
        """See `dask.bag.Bag.std`."""
        return self.var(ddof).apply(math.sqrt)

    def take(self, k: int, npartitions: int = 1, compute: bool = True, warn: bool = True) -> Any:
        """See `dask.bag.Bag.take`."""
        parts = self.parts if npartitions == -1 else self.parts[:npartitions]
        found = LaterBag([Later(flattened, (parts,))[:k]])
        return tuple(found.compute()) if compute else found

    def foldby(
        self, key: Any, binop: Callable, initial: Any = db.core.no_default, combine: Any = None,
        combine_initial: Any = db.core.no_default, split_every: Any = None,
    ) -> LaterBag:  # fmt: skip
        """See `dask.bag.Bag.foldby`."""
        begin = () if initial is db.core.no_default else (initial,)
        again = () if combine_initial is db.core.no_default else (combine_initial,)
        parts = self.with_function(folded_by, binop, key=key, begin=begin).parts
        g, held = remote.taken_apart(combine or binop)
        return LaterBag([Later(folded_together, (parts, g, held, again))])

    def groupby(self, grouper: Any, *options: Any, **more: Any) -> LaterBag:
        """See `dask.bag.Bag.groupby`; all groups are in one partition."""
        g, held = taken_key(grouper)
        return LaterBag([Later(grouped, (Later(flattened, (self.parts,)), g, held))])

    def product(self, other: Any) -> LaterBag:
        """See `dask.bag.Bag.product`."""
        return LaterBag([Later(pairs_of, (a, b)) for a in self.parts for b in as_later(other).parts])

    def join(self, other: Any, on_self: Any, on_other: Any = None) -> LaterBag:
        """See `dask.bag.Bag.join`."""
        if isinstance(other, Bag | LaterBag):
            if other.npartitions != 1:
                raise NotImplementedError("Multi-bag joins are not implemented")  # by Dask either
            (other,) = as_later(other).parts
        elif hasattr(other, "__next__"):
            raise NotImplementedDerivative(
                "dask.bag.Bag.join gives an iterator to its first partition only: use a list"
            )
        g, held = taken_key(on_self)
        at, held_at = (g, held) if on_other is None else taken_key(on_other)
        return self.each(joined, g, held, other, at, held_at)

    def to_delayed(self, optimize_graph: bool = True) -> list:
        """See `dask.bag.Bag.to_delayed`."""
        return list(self.parts)

    def repartition(self, npartitions: Any = None, partition_size: Any = None) -> LaterBag:
        """Itself: what is in it does not depend on its partitions."""
        return self

    def __iter__(self) -> Iterator:
        return iter(self.compute())


for name in ("all", "any", "count", "max", "mean", "min", "sum", "topk", "distinct", "frequencies"):
    setattr(LaterBag, name, getattr(Bag, name))  # by `reduction`


class Item(Later):
    """A value of a bag."""

    def __init__(self, value: Later):
        super().__init__(list, (value,))

    def begin(self, runner: Any, plain: dict) -> None:
        """It is another one."""
        self.call = self.args[0].call

    def apply(self, func: Callable) -> Item:
        """See `dask.bag.Item.apply`."""
        return Item(Later(func, (self,)))

    def to_delayed(self, optimize_graph: bool = True) -> Later:
        """See `dask.bag.Item.to_delayed`."""
        return self


def partitions_of(x: Any, n: int) -> list:
    """What a map takes beside the partitions of a bag: those of another one, or the same for all."""
    if isinstance(x, LaterBag):
        return x.parts
    return x.to_delayed() if isinstance(x, Bag) else [x] * n


def mapped(part: Any, g: Callable, held: tuple) -> list:
    """What runs on a worker for `map`."""
    return [g(*held, x) for x in part]


def mapped_beside(part: Any, g: Callable, held: tuple, is_bag: list, others: list, **kwargs: Any) -> list:
    """The same for several bags, and values beside them."""
    part = list(part)
    rows = [list(o) if b else [o] * len(part) for o, b in zip(others, is_bag, strict=True)]
    return [g(*held, x, *more, **kwargs) for x, *more in zip(part, *rows)]  # noqa: B905


def starmapped(part: Any, g: Callable, held: tuple, **kwargs: Any) -> list:
    """What runs on a worker for `starmap`."""
    return [g(*held, *x, **kwargs) for x in part]


def filtered(part: Any, g: Callable, held: tuple) -> list:
    """What runs on a worker for `filter`."""
    return [x for x in part if g(*held, x)]


def removed(part: Any, g: Callable, held: tuple) -> list:
    """What runs on a worker for `remove`."""
    return [x for x in part if not g(*held, x)]


def plucked(part: Any, key: Any, *default: Any) -> list:
    """What runs on a worker for `pluck`."""
    if isinstance(key, list):
        return [tuple([x[k] for k in key]) for x in part]
    return [x[key] for x in part] if not default else [x.get(key, *default) for x in part]


def flattened(part: Any) -> list:
    """What runs on a worker for `flatten`."""
    return [x for xs in part for x in xs]


def accumulated(part: Any, g: Callable, held: tuple, last: list) -> list:
    """What runs on a worker for `accumulate`."""
    found = list(last)
    for x in part:
        found.append(g(*held, found[-1], x) if found else x)
    return found


def folded_by(part: Any, g: Callable, held: tuple, key: Any, begin: tuple) -> dict:
    """What runs on a worker for the first step of `foldby`."""
    found: dict = {}
    for x in part:
        k = key(x) if callable(key) else x[key]
        before = (found[k],) if k in found else begin
        found[k] = g(*held, *before, x) if before else x
    return found


def folded_together(parts: list, g: Callable, held: tuple, again: tuple) -> list:
    """What runs on a worker for its second step."""
    found: dict = {}
    for part in parts:
        for k, x in part.items():
            before = (found[k],) if k in found else again
            found[k] = g(*held, *before, x) if before else x
    return list(found.items())


def grouped(part: list, g: Any, held: tuple) -> list:
    """What runs on a worker for `groupby`."""
    found: dict = {}
    for x in part:
        found.setdefault(key_of(x, g, held), []).append(x)
    return list(found.items())


def taken_key(key: Any) -> tuple[Any, tuple]:
    """See `opened`; a key may be what a function gives, or what lies at a place or at several."""
    return remote.taken_apart(key) if callable(key) else (key, ())


def key_of(x: Any, key: Any, held: tuple) -> Any:
    """The key of an item."""
    if callable(key):
        return key(*held, x)
    return tuple([x[k] for k in key]) if isinstance(key, list) else x[key]


def joined(part: Any, g: Any, held: tuple, other: Any, at: Any, held_at: tuple) -> list:
    """What runs on a worker for `join`."""
    there: dict = {}
    for y in other:
        there.setdefault(key_of(y, at, held_at), []).append(y)
    return [(y, x) for x in part for y in there.get(key_of(x, g, held), ())]


def pairs_of(part: Any, other: Any) -> list:
    """What runs on a worker for `product`."""
    return [(x, y) for x in part for y in other]


def applied(part: Any, g: Callable, held: tuple, others: list, **kwargs: Any) -> Any:
    """What runs on a worker for `map_partitions`."""
    return g(*held, part, *others, **kwargs)


def whole(part: Any, g: Callable, held: tuple) -> Any:
    """What runs on a worker for the first step of `reduction`; None for a partition without items."""
    part = list(part)
    return [g(*held, part)] if part else []


def aggregated(g: Callable, held: tuple, found: list) -> Any:
    """What runs on a worker for its further steps."""
    return [g(*held, [x for xs in found for x in xs])]


def as_later(bag: Any) -> LaterBag:
    """A bag as one that may meet active values."""
    return bag if isinstance(bag, LaterBag) else LaterBag(bag.to_delayed())


def meant(name: str) -> None:
    """A method of a bag, where it meets active values."""

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(as_later(self), name)(*args, **kwargs)

    means(getattr(Bag, name))(method)


for name in (
    "map", "starmap", "filter", "remove", "map_partitions", "reduction", "fold", "foldby", "groupby", "accumulate",
    "product", "join",
):  # fmt: skip
    meant(name)


@means(db.map)
def bag_map(func: Callable, *args: Any, **kwargs: Any) -> LaterBag:
    """A function over several bags."""
    return as_later(args[0]).map(func, *args[1:], **kwargs)


@means(db.zip)
def bag_zip(*bags: Any) -> LaterBag:
    """Tuples of what is in several bags."""
    return as_later(bags[0]).map(tuple_of, *bags[1:])


def tuple_of(*items: Any) -> tuple:
    """What runs on a worker for `zip`."""
    return items


@means(db.concat)
def bag_concat(bags: Any) -> LaterBag:
    """The partitions of several bags."""
    return LaterBag([part for bag in bags for part in as_later(bag).parts])


@means(db.Item.apply)
def item_apply(self: Any, func: Callable) -> Item:
    """A function of a value of a bag."""
    return Item(Later(func, (self,)))


@means(db.from_sequence)
def from_sequence(seq: Any, partition_size: Any = None, npartitions: Any = None) -> LaterBag:
    """A bag of active values."""
    seq = list(seq)
    if npartitions and not partition_size:
        partition_size = max(1, math.ceil(len(seq) / npartitions))
    if not partition_size:
        partition_size = 1 if len(seq) <= 100 else max(1, math.ceil(math.sqrt(len(seq)) / 10))
    return LaterBag([Given(seq[i : i + partition_size]) for i in range(0, len(seq), partition_size)])


@means(db.from_delayed)
def from_delayed(values: Any) -> LaterBag:
    """A bag whose partitions are these."""
    return LaterBag(list(values) if isinstance(values, list | tuple) else [values])
