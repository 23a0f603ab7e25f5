"""Containers and classes of Numba's own, as Python's: what a function makes of them when it is followed as Python.

The lists and dicts of `numba.typed`, and instances of classes under `jitclass`, keep values in compiled code, where
they cannot be followed. A compiled function that makes such a thing does the same with a plain one.
"""

import weakref
from types import FunctionType
from typing import Any

from morula.static.numba.implementations import read_from_outside


class PlainList(list):
    """In the place of `numba.typed.List`."""

    @classmethod
    def empty_list(cls, item_type: Any, allocated: int = 0) -> "PlainList":
        return cls()


class PlainDict(dict):
    """In the place of `numba.typed.Dict`."""

    @classmethod
    def empty(cls, key_type: Any, value_type: Any, n_keys: int = 0) -> "PlainDict":
        return cls()


CONTAINERS = {"numba.typed.typedlist.List": PlainList, "numba.typed.typeddict.Dict": PlainDict}
_made: "weakref.WeakKeyDictionary[FunctionType, FunctionType]" = weakref.WeakKeyDictionary()


def with_plain_classes(function: FunctionType) -> FunctionType:
    """A function that makes plain objects where `function` makes Numba's; itself where it makes none."""
    known = function.__globals__
    read = {name: value for name, value in read_from_outside(function) if name in known and known[name] is value}
    plain = {name: made for name, value in read.items() if (made := plain_class(value)) is not None}
    if not plain:
        return function
    read.update(plain)
    found = _made.get(function)
    if found is None or any(found.__globals__.get(name) is not value for name, value in read.items()):
        cells, defaults = function.__closure__, function.__defaults__
        found = FunctionType(function.__code__, {**known, **plain}, function.__name__, defaults, cells)
        found.__kwdefaults__, found.__qualname__ = function.__kwdefaults__, function.__qualname__
        _made[function] = found
    return found


def plain_class(value: Any) -> type | None:
    """The class of Python's in the place of one of Numba's; None for anything else."""
    if not isinstance(value, type):
        return None
    if type(value).__name__ == "JitClassType" and type(value).__module__.startswith("numba."):
        plain: type = value.__bases__[0]
        return plain
    return CONTAINERS.get(f"{value.__module__}.{value.__qualname__}")
