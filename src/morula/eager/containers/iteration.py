"""Loops over anything, as pairs of value and shadow; generators that yield such pairs."""

import itertools
import weakref
from collections.abc import Generator, Iterable, Iterator
from types import GeneratorType
from typing import Any

import numpy as np

from morula.eager.containers.container_types import container_of
from morula.eager.containers.dict_keys import DICT_KEYS
from morula.eager.containers.dicts import dict_of_view
from morula.eager.context.kinds import has_method
from morula.eager.context.part import Part
from morula.eager.memory.array_shadows import Keyed
from morula.eager.memory.foreign_memory import is_foreign_class, is_raw_memory
from morula.eager.memory.wholes import RecordsShadow
from morula.eager.numpy.array_subclasses import is_subclass
from morula.errors import NotDifferentiable

ndarray = np.ndarray
Pair = tuple[Any, Any]
DICT_VIEWS: tuple[type, ...] = (type({}.values()), type({}.items()))
NOTHING = itertools.repeat(None)


def unshadowed(xs: Any) -> Iterable[Pair]:
    """The items of something inactive, each beside None."""
    return zip(xs, NOTHING, strict=False)


class Iteration(Part):
    """``for`` and everything else that consumes an iterable."""

    __slots__ = ()

    def iter(self, xs: Any, xs_d: Any) -> Iterable[Pair]:
        """The items of `xs` with their shadows."""
        kind = type(xs)
        if kind is range:
            return unshadowed(xs)
        if kind is list:
            self.records.list_of(xs)  # which looks whether somebody else has changed it
            return self._watched_list(xs)
        if kind is tuple:
            return unshadowed(xs) if xs_d is None else zip(xs, xs_d, strict=True)
        if kind is ndarray:
            if xs_d is None:
                xs_d = self.buffers.find(xs)
            if xs.dtype.kind == "O":
                return (self.getitem(xs, None, i, None) for i in range(len(xs)))
            if xs_d is not None:
                return self._rows(xs, xs_d)
            if xs.ndim == 1 and xs.dtype.kind in "fc" and xs.flags.writeable:
                return self._watched_array(xs)
            return unshadowed(xs)
        if kind is GeneratorType:
            pairs = self.pairs_of(xs)
            return pairs if pairs is not None else unshadowed(xs)
        if kind is dict:
            return self.key_pairs(xs)
        if isinstance(xs, DICT_VIEWS):
            return self.dict_view_pairs(xs)
        if isinstance(xs, DICT_KEYS):
            return self.key_pairs(dict_of_view(xs))
        container = container_of(kind)
        if container is not None and not has_method(kind, "__iter__"):
            return self.container_pairs(container, xs, xs_d)
        if kind is np.flatiter and xs.base.dtype.kind in "fcO":
            return self._flat_items(xs)
        if kind is np.void and xs.dtype.names is not None:
            return (self.record_item(xs, i) for i in range(len(xs)))
        if kind is np.nditer or kind is np.broadcast:
            return self._numpy_items(xs)
        if is_subclass(xs) and not has_method(kind, "__iter__"):
            return (self.getitem(xs, None, i, None) for i in range(len(xs)))
        if has_method(kind, "__iter__"):
            made, made_d = self.special(kind, "__iter__", (xs,), (xs_d,))
            if not hasattr(type(made), "__next__"):
                raise TypeError(f"iter() returned non-iterator of type {type(made).__name__!r}")
            if made is xs:
                return self._stepped(xs, xs_d)
            return self.iter(made, made_d)
        if has_method(kind, "__next__"):
            return self._stepped(xs, xs_d)
        if not hasattr(kind, "__iter__") and has_method(kind, "__getitem__"):
            return self._indexed(xs, xs_d)
        if isinstance(xs, float | complex | np.generic):
            iter(xs)  # type: ignore[call-overload]  # raises
        if self.shadow_of(xs, xs_d) is not None:
            raise NotDifferentiable(f"iterating over a {kind.__qualname__} that holds active values is not supported")
        return self._foreign_items(xs) if is_foreign_class(kind) else unshadowed(xs)

    def _foreign_items(self, xs: Any) -> Iterator[Pair]:
        """What C code reads from memory of its own, as long as nothing active lies there."""
        changing = is_raw_memory(type(xs))  # to look at other objects once more for every item may be quadratic
        for i, v in enumerate(xs):
            if changing or not i:
                self.refuse_if_active(xs, None, f"iterating over a {type(xs).__qualname__}")
            yield v, None

    def _watched_list(self, xs: list) -> Iterator[Pair]:
        """A list, which may change and get active items while it is iterated."""
        table = self.records.table
        key = id(xs)
        i = 0
        while i < len(xs):
            record = table.get(key)
            yield xs[i], None if record is None else record.slots[i]
            i += 1

    def _watched_array(self, xs: ndarray) -> Iterator[Pair]:
        """An array that is not active, and may become so while it is iterated."""
        getitem = self.getitem
        for i in range(len(xs)):
            yield getitem(xs, None, i, None)

    def _rows(self, xs: ndarray, xs_d: Any) -> Iterator[Pair]:
        if type(xs_d) is RecordsShadow:
            for i in range(len(xs)):
                yield self.records_item(xs, xs_d, i)
        elif xs.ndim == 1:
            for i in range(len(xs)):
                node = [0, xs_d, i, None]
                self.append(node)
                yield xs[i], node
        else:
            for i, row in enumerate(xs):
                yield row, Keyed(xs_d, i, row)

    def _flat_items(self, xs: Any) -> Iterator[Pair]:
        base = xs.base
        for i in range(xs.index, base.size):
            next(xs)
            yield self.getitem(base, None, tuple(map(int, np.unravel_index(i, base.shape))), None)

    def _numpy_items(self, xs: Any) -> Iterator[Pair]:
        """What NumPy reads from its arrays on its own, as long as they are not active."""
        for v in xs:
            self.refuse_if_active(xs, None, f"iterating with np.{type(xs).__name__} over an array")
            yield v, None

    def _stepped(self, xs: Any, xs_d: Any) -> Generator[Pair, None, Pair]:
        """An iterator written as a class; its result is what it stops with."""
        step = type(xs).__next__
        while True:
            try:
                pair = self.call1(step, xs, xs_d)
            except StopIteration as stop:
                return self.getattr(stop, None, "value")
            yield pair

    def _indexed(self, xs: Any, xs_d: Any) -> Iterator[Pair]:
        """The old protocol: ``xs[0], xs[1], ...`` until an IndexError."""
        for i in itertools.count():
            try:
                pair = self.getitem(xs, xs_d, i, None)
            except IndexError:
                return
            yield pair

    # -- generators ---------------------------------------------------------------------------------------

    def generator(self, pairs: Iterable[Pair], name: str) -> Any:
        """A real generator of plain values beside the generator of pairs it stands for."""
        if type(pairs) is not GeneratorType:
            pairs = (pair for pair in pairs)
        plain = plain_generator(pairs)
        plain.__name__ = name
        table, key = self.generators, id(plain)
        table[key] = (weakref.ref(plain, lambda _: table.pop(key, None)), pairs)
        return plain

    def pairs_of(self, xs: Any) -> Any:
        """The generator of pairs that a plain generator stands for, or None.

        The table holds no reference to the plain one: a generator that is dropped half-way is closed when it
        would be plainly.
        """
        found = self.generators.get(id(xs))
        return found[1] if found is not None and found[0]() is xs else None

    def iter_pair(self, pair: Pair) -> Iterable[Pair]:
        """`iter` of a value that nothing else holds, given with its shadow."""
        return self.iter(*pair)

    def sent(self, received: Any) -> Pair:
        """What a ``yield`` expression receives: a pair from transformed code, None from ``next``."""
        if received is None:
            return None, None
        if type(received) is Sent:
            return received.value, received.shadow
        return received, None

    def delegate(self, xs: Any, xs_d: Any) -> Generator[Pair, Any, Pair]:
        """The pairs that ``yield from xs`` yields; its result is a pair too."""
        if type(xs) is GeneratorType:
            pairs = self.pairs_of(xs)
            if pairs is not None:
                result = yield from pairs
                return result if result is not None else (None, None)
            return (yield from _paired(xs))
        items: Any = self.iter(xs, xs_d)
        result = yield from items
        return result if result is not None else (None, None)

    def next_pair(self, xs: Any, xs_d: Any, default: tuple = ()) -> Pair:
        """``next(xs[, default])``; `default` is ``()`` or a pair."""
        try:
            if type(xs) is GeneratorType:
                return self.generator_method(xs, "__next__", (), ())
            if has_method(type(xs), "__next__"):
                return self.call1(type(xs).__next__, xs, xs_d)
            if type(xs) is np.nditer or type(xs) is np.broadcast:
                return next(iter(self._numpy_items(xs)))
            if type(xs) is np.flatiter and xs.base.dtype.kind in "fcO":
                return next(iter(self._flat_items(xs)))
            return next(xs), None
        except StopIteration:
            if default:
                return default
            raise

    def generator_method(self, xs: Any, name: str, args: tuple, ds: tuple) -> Pair:
        """``xs.send(v)``, ``xs.throw(e)``, ``xs.close()``."""
        pairs = self.pairs_of(xs)
        if pairs is None:
            return getattr(xs, name)(*args), None
        if name in ("__setstate__", "__reduce__", "__reduce_ex__", "__length_hint__", "__copy__"):
            raise NotDifferentiable(
                f"the state of an iterator ({name}) cannot be followed; keep the items and an index"
            )
        try:
            if name == "__next__":
                return next(pairs)
            if name == "send":
                return pairs.send(None if args[0] is None else Sent(args[0], ds[0]))
            if name == "throw":
                return pairs.throw(*args)
        except StopIteration as stop:
            if stop.value is None:
                raise
            value, shadow = stop.value
            ended = StopIteration() if value is None else StopIteration(value)
            if shadow is not None:
                self.records.make(ended).slots.update(value=shadow, args=(shadow,))
            raise ended from None
        if name == "close":
            pairs.close()
            return None, None
        return getattr(xs, name)(*args), None


def _paired(xs: Generator) -> Generator[Pair, Any, Pair]:
    """A generator that is not transformed, as pairs."""
    received = None
    while True:
        try:
            value = xs.send(received)
        except StopIteration as stop:
            return stop.value, None
        received = yield (value, None)
        if type(received) is Sent:
            received = received.value


class Sent:
    """A value sent into a transformed generator, with its shadow."""

    __slots__ = ("shadow", "value")

    def __init__(self, value: Any, shadow: Any):
        self.value = value
        self.shadow = shadow


def plain_generator(pairs: Generator) -> Any:
    """The values of a generator of pairs, for code that is not transformed."""
    received: Any = None
    try:
        while True:
            try:
                value, _ = pairs.send(received)
            except StopIteration as stop:
                return stop.value[0] if isinstance(stop.value, tuple) else None
            try:
                received = yield value
                received = None if received is None else Sent(received, None)
            except GeneratorExit:
                raise
            except BaseException as error:
                value, _ = pairs.throw(error)
                received = yield value
    finally:
        pairs.close()
