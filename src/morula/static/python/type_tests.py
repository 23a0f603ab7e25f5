"""What a program asks of the types of values: `isinstance` and its kin.

A number's type may depend on the path that the program takes. What the answer relies on is noted, and looked at again
when the types of the whole program are known.
"""

from __future__ import annotations

import functools
import numbers
from abc import ABCMeta, get_cache_token
from collections.abc import Callable
from types import BuiltinFunctionType, FunctionType, UnionType
from typing import Any

import numpy as np

from morula.static.python.classes import HEAP_TYPE
from morula.static.python.ir import Compute, Loop, Program, Set, Unsupported, is_name, walk
from morula.static.python.scopes import Array, Display, ListOf, Named, Small, Static
from morula.static.python.things import ABSENT, Bound, Partial, Thing, is_member, kind_of
from morula.static.python.types import CLASSES, result_types, types_of_literal

__all__ = ["DISPATCHING", "TypeTests", "is_of_types"]

DISPATCHING = vars(functools)["singledispatch"](lambda x: x).__code__  # of all that this makes

ABSTRACT = frozenset([numbers.Number, numbers.Complex, numbers.Real, numbers.Rational, numbers.Integral])
FUNCTIONS = (FunctionType, BuiltinFunctionType, np.ufunc)
DEEPEST = 20  # operations that a guess goes through


class TypeTests:
    """The part of a `front.Builder` that answers them."""

    program: Program
    line: int
    computed: dict[str, Compute]
    prologue: dict[str, str]
    given: Callable[[dict[str, Any], Any], str]
    of_outside: Callable[[str, Any, str], Any]
    guard: Callable[[str], None]

    def type_test(self, f: Any, args: list) -> Any:
        """What a call of `isinstance`, `callable` or `numpy.isscalar` gives; `ABSENT` where that is not known."""
        if f is callable and len(args) == 1:
            if isinstance(args[0], Bound | Partial):
                return "True"
            if isinstance(args[0], str | tuple | Small | Array | ListOf):
                return "False"
            is_known = isinstance(args[0], Static) and (
                args[0].value is None or type(args[0].value) in (str, *FUNCTIONS)
            )
            return str(type(args[0].value) in FUNCTIONS) if is_known else ABSENT
        if f is np.isscalar and len(args) == 1:
            is_known = isinstance(args[0], str | tuple | Small | Array | ListOf | Thing)
            return str(isinstance(args[0], str)) if is_known else ABSENT
        if f is not isinstance or len(args) != 2:
            return ABSENT
        given = args[1] if isinstance(args[1], tuple) else (args[1],)
        if not all(map(is_of_types, given)):
            return ABSENT
        classes: list[Any] = []
        for c in given:
            classes += c.value.__args__ if type(c.value) is UnionType else (c.value,)
        return self._is_instance(args[0], tuple(classes))

    def _is_instance(self, value: Any, classes: tuple[type, ...]) -> Any:
        if isinstance(value, Named):
            is_usual = all(type(c) is type for c in classes)
            return str(issubclass(value.kind, classes)) if is_usual else ABSENT
        if isinstance(value, Thing):
            if any(_is_base(c, value.kind) for c in classes):
                return "True"
            if value.factory is not None:
                return ABSENT  # of a derived class
            if all(type(c) is type or c in ABSTRACT for c in classes):
                return str(issubclass(value.kind, classes))
            if value.kind not in (list, dict):
                return ABSENT
        others = [c for c in classes if not _is_fixed(c) and not (type(c) is type and c.__flags__ & HEAP_TYPE)]
        if not all(map(_is_registry, others)):
            return ABSENT
        if others:  # until something is registered with an abstract class
            self.guard(f"{self.given(self.program.space, get_cache_token)}() == {get_cache_token()}")
        if isinstance(value, str):
            return self._is_number_of(value, classes)
        if isinstance(value, Static) and not (
            value.value is None or type(value.value) is str or is_member(value.value)
        ):
            return ABSENT
        if isinstance(value, ListOf) and value.is_queue:
            return ABSENT
        kind: Any = kind_of(value)
        if isinstance(value, ListOf):
            is_tuple = value.kind is list and value.rows is tuple and value.is_vector
            kind = tuple if is_tuple else value.kind
        elif isinstance(value, Display):
            kind = list
        return ABSENT if kind is None else str(issubclass(kind, classes))

    def _is_number_of(self, atom: str, classes: tuple[type, ...]) -> str:
        so = frozenset([name for name, kind in CLASSES.items() if issubclass(kind, classes)])
        guess = self.types_now(atom, DEEPEST) or {"float"}
        if not guess <= so and guess & so:
            raise Unsupported("isinstance of a number that is of several types", self.line)
        found = guess <= so
        if is_name(atom):
            self.program.relied_on.append((atom, so if found else frozenset(CLASSES) - so))
        return str(found)

    def dispatched(self, callee: Static, args: list) -> Any:
        """The function that one of `functools.singledispatch` calls for the type of its first argument."""
        value, f = args[0] if args else None, callee.value
        kind: Any = kind_of(value)
        if isinstance(value, str):
            (name, *more) = self.types_now(value, DEEPEST) or {""}
            kind = CLASSES.get(name) if not more else None
            if is_name(value):
                self.program.relied_on.append((value, frozenset([name])))
        elif isinstance(value, Thing) and value.factory is None:
            kind = value.kind
        elif isinstance(value, Static) and value.value is not None and type(value.value) is not str:
            kind = None
        if kind is None or not callee.where or isinstance(value, ListOf | Named):
            raise Unsupported("a call by a type that is not known", self.line)
        read = f"{callee.where}.dispatch({self.given(self.program.space, kind)})"
        return self.of_outside(read, f.dispatch(kind), f.__name__)

    def types_now(self, atom: str, depth: int, counts: bool = False) -> frozenset[str]:
        """The types that a number may have as far as the program has been read; `counts`: of counters of loops, too."""
        known: dict[tuple[str, int], frozenset[str]] = {}  # there are many ways back to the same number
        sets: dict[str, list[str]] = {}

        def below(atom: str, depth: int) -> frozenset[str]:
            if not is_name(atom):
                return types_of_literal(atom)
            if (atom, depth) not in known:
                known[atom, depth] = found(atom, depth)
            return known[atom, depth]

        def found(atom: str, depth: int) -> frozenset[str]:
            if (given := next((i for i in self.program.inputs if i.name == atom), None)) is not None:
                return given.types
            if atom in self.prologue:
                return below(self.prologue[atom], depth)
            if not depth:
                return frozenset()
            s = self.computed.get(atom)
            if s is not None:
                return result_types(s, [below(a, depth - 1) for a in s.args])
            if not sets:
                sets[""] = []
                for x in walk(self.program.body):
                    if isinstance(x, Set) and x.value != "UNBOUND":
                        sets.setdefault(x.var, []).append(x.value)
                    elif counts and isinstance(x, Loop) and x.var is not None:
                        sets.setdefault(x.var, []).append("0")
            return frozenset().union(*[below(v, depth - 1) for v in sets.get(atom, ())])

        return below(atom, depth)


def _is_base(kind: type, of: type) -> bool:
    """Whether a class is a base of another one, and says so of its instances."""
    has_hook = any("__subclasshook__" in vars(c) for c in kind.__mro__[:-1])
    return kind in of.__mro__ and type(kind) in (type, ABCMeta) and not has_hook


def is_of_types(value: Any) -> bool:
    """Whether a value is a class, or a union of some: ``int | float``."""
    if not isinstance(value, Static):
        return False
    return type(value.value) is UnionType or (isinstance(value.value, type) and type(value.value) in (type, ABCMeta))


def _is_registry(kind: type) -> bool:
    """Whether a class says of those of Python and NumPy what it is told by ``register``, and nothing else."""
    hooks = [c for c in kind.__mro__[:-1] if {"__subclasshook__", "__instancecheck__"} & vars(c).keys()]
    return type(kind) is ABCMeta and all(c.__module__ == "collections.abc" for c in hooks)


def _is_fixed(kind: type) -> bool:
    """Whether nobody can change what a class says of its instances."""
    return kind in ABSTRACT or (type(kind) is type and not kind.__flags__ & HEAP_TYPE)
