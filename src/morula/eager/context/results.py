"""The shadow of what a rule returned, and where it is kept."""

import functools
from types import FunctionType, MethodType
from typing import Any

import numpy as np

from morula.eager.containers.records import Record
from morula.eager.context.kinds import ATOMS, REAL, is_exact_number, is_plain_object
from morula.eager.context.part import Part
from morula.eager.context.tape import holds_nan, take
from morula.eager.memory.layout import owner_of
from morula.errors import NotDifferentiable

ndarray = np.ndarray
HIDING = (set, frozenset, FunctionType, MethodType, functools.partial)  # active values in there would be lost


class DictResult:
    """The shadow of a dict that a rule returned."""

    __slots__ = ("items",)

    def __init__(self, items: dict):
        self.items = items

    def holds_nan(self) -> bool:
        return any(map(holds_nan, self.items.values()))

    def take(self) -> dict | None:
        bars = {k: take(s) for k, s in self.items.items()}
        return None if all(b is None for b in bars.values()) else bars


class Results(Part):
    """Shadows of results in a reverse context."""

    __slots__ = ()

    def attach(self, y: Any, shadow: Any) -> Any:
        """Put the shadows of a result where those of its kind are looked for; return its sibling."""
        if shadow is None or type(shadow) is Record:
            return None
        if type(shadow) is DictResult:
            self.new_dict(y, {k: self.attach(y[k], s) for k, s in shadow.items.items()})
            return None
        if isinstance(y, list):
            self.new_list(y, [self.attach(v, s) for v, s in zip(y, shadow, strict=True)])
            return None
        if isinstance(y, tuple):
            return self.packed(tuple([self.attach(v, s) for v, s in zip(y, shadow, strict=True)]))
        return shadow

    def without_repeats(self, y: Any, args: tuple) -> Any:
        """A fresh result whose elements share memory (a broadcast number) as an array where each has its own."""
        if type(y) is ndarray and y.base is None:
            return y
        if type(y) is tuple or type(y) is list:
            return type(y)([self.without_repeats(v, args) for v in y])
        if type(y) is not ndarray or y.base is None or 0 not in y.strides:
            return y
        owner = owner_of(y)
        if self.buffers.find(y) is not None or any(isinstance(a, ndarray) and owner_of(a) is owner for a in args):
            return y
        y = y.copy()
        y.flags.writeable = False
        return y

    def result_shadow(self, y: Any, args: tuple, shadows: tuple, opaque: bool = False) -> tuple[Any, bool]:
        """A new shadow for what a rule returned, and whether it is a view of memory that has one already.

        The shadow has the structure of `y`. What the user's own (`opaque`) rule returns is always its result,
        also where it is the memory of an argument.
        """
        if type(y) is ndarray:
            if y.dtype.kind not in "fc" and not stays_integer(y, args, shadows):
                if y.dtype.kind in "OV":
                    raise NotDifferentiable(f"active values are stored in an array of dtype {y.dtype}")
                return None, False
            if opaque:
                present = self.buffers.find(y)
                if present is not None:
                    return self.buffers.aside(y, present), False
            for a, d in zip(args, shadows, strict=True):
                if a is y:
                    return d, True
            if y.base is not None:
                owner = owner_of(y)
                for a, d in zip(args, shadows, strict=True):
                    if isinstance(a, ndarray) and owner_of(a) is owner:
                        return (None if d is None else self.buffers.view(d.buffer, y, owner)), True
                found = self.buffers.find(y)
                if found is not None:
                    return found, True
            else:
                found = self.buffers.find(y)
                if found is not None:
                    return found, True
            return self.buffers.new(y), False
        kind = type(y)
        if (kind in REAL and kind not in (int, bool)) or isinstance(y, complex | np.inexact):
            return [0], False
        if kind is int or (isinstance(y, np.integer) and stays_integer(y, args, shadows)):
            return [0], False
        if isinstance(y, tuple | list):
            parts = [self.result_shadow(v, args, shadows, opaque) for v in y]
            if all(p[0] is None for p in parts):
                return None, False
            if any(view for _, view in parts):
                if all(view or p is None for p, view in parts):
                    return tuple(p for p, _ in parts), True
                raise NotDifferentiable("a rule returned views of its arguments together with new values")
            return tuple(p[0] for p in parts), False
        if is_exact_number(kind):
            return [0], False
        if isinstance(y, dict):
            items = {k: self.result_shadow(v, args, shadows, opaque)[0] for k, v in y.items()}
            return (None if all(s is None for s in items.values()) else DictResult(items)), False
        if is_plain_object(y) and not isinstance(y, dict) and kind not in HIDING:
            return self.records.made_by_rule(y), False
        if kind not in ATOMS and (opaque or kind in HIDING or hasattr(kind, "__next__")):
            raise NotDifferentiable(
                f"a rule returned a {kind.__qualname__}, through which cotangents cannot be propagated; return "
                "numbers, arrays, or tuples, lists, dicts and objects of them"
            )
        return None, False


def stays_integer(y: Any, args: tuple, ds: tuple) -> bool:
    """Whether the integer `y` was computed from active integers alone, so that it is as smooth as they are."""
    if y.dtype.kind not in "iu":
        return False
    return all(is_integral(a) for a, d in zip(args, ds, strict=True) if d is not None)


def is_integral(a: Any) -> bool:
    if isinstance(a, list | tuple):
        return all(is_integral(v) for v in a)
    return isinstance(a, int | np.integer) or (isinstance(a, ndarray) and a.dtype.kind in "iu")
