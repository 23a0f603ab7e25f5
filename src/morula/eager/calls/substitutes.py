"""Plain Python bodies for C builtins that call back or that hand items on: they are transformed like any code.

Each has the meaning that the documentation of the original gives it. Those that make an iterator take hold of what
they iterate at once, as the original does, and leave the rest to a generator.
"""

import functools
from collections.abc import Callable
from typing import Any

from morula.eager.calls.registry import SUBSTITUTES, structural

MISSING = object()


def substitute(*originals: Any) -> Callable:
    """Declare the body of a callable written in C."""

    def declare(body: Callable) -> Callable:
        for original in originals:
            SUBSTITUTES[original] = body
        return body

    return declare


def checked(original: Any) -> Callable:
    """A function that only finds out whether `original` takes some plain arguments, and raises where it does not."""

    def check(*args: Any, **kw: Any) -> None:
        original(*args, **kw)

    structural(check)(lambda ctx, args, ds, kw, kw_d: (original(*args, **kw) and None, None))
    return check


@substitute(map)
def map_(f, *iterables):
    if not iterables:
        raise TypeError("map() must have at least two arguments.")
    if len(iterables) == 1:
        return mapped(f, iter(iterables[0]))
    return mapped_rows(f, zip(*iterables))


def mapped(f, items):
    for x in items:
        try:
            y = f(x)
        except StopIteration:  # of `f`: it ends the iteration, as nothing here catches it in C
            return
        yield y


def mapped_rows(f, rows):
    for args in rows:
        try:
            y = f(*args)
        except StopIteration:
            return
        yield y


@substitute(filter)
def filter_(f, iterable):
    return filtered(bool if f is None else f, iter(iterable))


def filtered(f, items):
    for x in items:
        try:
            chosen = f(x)
        except StopIteration:
            return
        if chosen:
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


@substitute(functools.cmp_to_key)
def cmp_to_key(mycmp):
    class Key:
        __slots__ = ("obj",)
        __hash__ = None  # type: ignore[assignment]

        def __init__(self, obj):
            self.obj = obj

        def __lt__(self, other):
            return mycmp(self.obj, other.obj) < 0

        def __gt__(self, other):
            return mycmp(self.obj, other.obj) > 0

        def __le__(self, other):
            return mycmp(self.obj, other.obj) <= 0

        def __ge__(self, other):
            return mycmp(self.obj, other.obj) >= 0

        def __eq__(self, other):
            return mycmp(self.obj, other.obj) == 0

    return Key


def bound_dispatcher(self, obj, cls=None):
    """``singledispatchmethod.__get__`` as Python 3.11 has it: without a table of weak references to every `obj`."""
    find = self.dispatcher.dispatch

    def _method(*args, **kwargs):
        if not args:
            name = getattr(self.func, "__name__", "singledispatchmethod method")
            raise TypeError(f"{name} requires at least 1 positional argument")
        return find(args[0].__class__).__get__(obj, cls)(*args, **kwargs)

    _method.__isabstractmethod__ = self.__isabstractmethod__  # type: ignore[attr-defined]
    _method.register = self.register  # type: ignore[attr-defined]
    functools.update_wrapper(_method, self.func)
    return _method


if "_method_cache" in functools.singledispatchmethod.__get__.__code__.co_names:
    substitute(functools.singledispatchmethod.__get__)(bound_dispatcher)
