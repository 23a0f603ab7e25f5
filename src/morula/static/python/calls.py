"""Calls of the user's functions: written into the program, or functions of the text where they call themselves.

Such a function has the numbers that it is given as parameters. Whatever else it is given, such as functions and arrays,
it has for good: there is one text for each such thing.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any

from morula.eager.calls.meanings import rules_of
from morula.eager.context.kinds import is_generated_init
from morula.static.python.bindings import assigned, perhaps_unbound
from morula.static.python.ir import CHANGES, Again, Compute, Invoke, Set, Sub, Unsupported, walk
from morula.static.python.memory import MAKING
from morula.static.python.parameters import Parameters, called
from morula.static.python.plain_classes import dataclass
from morula.static.python.scopes import (
    Array,
    Box,
    Coded,
    Display,
    ListOf,
    Maybe,
    Named,
    Range,
    Scope,
    Single,
    Small,
    Span,
    Static,
)
from morula.static.python.things import Thing, is_number_like
from morula.static.python.vacating import Item
from morula.transform import syntax

__all__ = ["Calls"]

DEEPEST = 12  # calls written into one another
NUMBER = "number"  # the layout of a value that is one
ORDERINGS = frozenset([  # what `functools.total_ordering` gives a class that has one comparison
    f.__code__
    for name in ("__lt__", "__le__", "__gt__", "__ge__")
    for f in vars(functools.total_ordering(type("Ordered", (), {name: None}))).values()
    if isinstance(f, FunctionType)
])  # fmt: skip


class Calls(Parameters):
    """The part of a `front.Builder` that calls functions.

    Attributes:
        recursive: functions that call themselves; of those inside functions the codes; `written_out`, those of them
            that are written into one another, since they are given lists.
        layouts: how the values of such functions are put together, as far as an attempt before has shown it.
        subs: these functions, with what they are given that is no number; `expected`, those whose layout somebody
            counts on.
    """

    is_plain: Callable[[FunctionType], bool]
    body: Callable[[Scope, Any], None]
    definition: Callable[[FunctionType], Any]
    recursive: set[Any]
    written_out: set[Any]
    layouts: dict[Any, Any]
    subs: dict[Any, Sub]
    sub: Any
    kept_of: Callable[[Scope, str, Any], Any]
    copy_of: Callable[[Any], Any]
    expected: set[Any]
    present: Callable[[Any], Any]
    now: Callable[[Maybe], Maybe]
    is_optional: Callable[[Any, Any], bool]
    set_optional: Callable[[Any, Any, Any], None]
    is_coded: Callable[[Any, Any], bool]
    set_coded: Callable[[Scope, str, Any], None]
    read_coded: Callable[[Any], Any]
    slot: Callable[[Thing, Any], Any]

    def call(self, callee: Static, args: list, named: dict[str, Any]) -> Any:
        f: FunctionType = callee.value
        again = f.__code__ if f in self.closures else f  # which is another one in each attempt
        is_within = any(s.function is f for s in self.scopes[1:])
        if again not in self.recursive | self.written_out and is_within:
            self.recursive.add(again)
            raise Again
        if len(self.scopes) > DEEPEST:
            raise Unsupported("calls inside calls", self.line)
        is_generated = is_generated_init(f) or f.__code__ in ORDERINGS
        if not self.is_plain(f) and (not is_generated or rules_of(f)):
            raise Unsupported(f"a call to {called(f)}, which has a rule or belongs to a library", self.line)
        if f.__code__.co_flags & 0x2A0:
            raise Unsupported("a generator or a coroutine", self.line)
        node = self.definition(f)
        given = self.bound_arguments(callee, node, args, named)
        self.count += 1
        scope = Scope(f, self.count, callee.where)
        if f in self.closures:
            scope.outer = self.closures[f].scope
        if again in self.recursive:
            return self._invoked(scope, node, given, again)
        try:
            self._inlined(scope, node, given)
        except Again:
            self.unbind_frame(f.__code__)
            raise
        if scope.result is not None and scope.result is scope.holders.get("return"):
            return self.copy_of(scope.result)
        if isinstance(scope.result, Maybe):
            return self.now(scope.result)
        if isinstance(scope.result, Item):
            scope.result = self.slot(scope.result.thing, scope.result.key)
        if isinstance(scope.result, Coded):
            return self.read_coded(scope.result)
        result = Static(None) if scope.result is None else self.without_own(scope, scope.result)
        self.forget_frame(scope, result)
        return result

    def _inlined(self, scope: Scope, node: Any, given: dict[str, Any]) -> None:
        rebound = assigned(node)
        scope.around = self.around
        self.expect_lending(scope, node, given)
        for name, value in given.items():
            if self.stands_when_given(scope, name, value):
                continue
            is_changed = (scope.function.__code__, name) in self.by_reference and not isinstance(value, ListOf)
            if name not in rebound and not is_changed:
                names = frozenset([(scope.function.__code__, name)])
                self.also_named(scope, name, value)
                scope.bound[name] = self.in_tuple(value, names) if isinstance(value, tuple) else value
            else:
                self._rebindable(scope, name, value)
        for name in sorted(perhaps_unbound(node, rebound - given.keys())):
            self.emit(Set(scope.variable(name), "UNBOUND"))  # not what it was at the call before
            scope.unbound.add(name)
        self.lend(scope, node, given)
        with self.looked_at_by(scope.bound.values()):
            self._written(scope, node)
        self.give_back(scope)

    def _rebindable(self, scope: Scope, name: str, value: Any) -> None:
        if self.is_optional(key := (scope.function.__code__, name), value):
            self.set_optional((scope.number, name), key, value)
            return
        if self.is_coded(key, value):
            self.set_coded(scope, name, value)
            scope.sure[-1].add(name)
            return
        if isinstance(value, str):
            self.emit(Set(scope.variable(name), value))
            scope.numbers.add(name)
            scope.sure[-1].add(name)
            return
        if not is_number_like(value) and not isinstance(value, ListOf):
            scope.things[name] = self.kept_of(scope, name, value)
            return
        self.bind(scope, name, value)

    def _written(self, scope: Scope, node: Any) -> None:
        line = self.line
        self.body(scope, node)
        self.line = line
        if scope.result is Unsupported:
            raise Unsupported(f"{called(scope.function)}, which does not always return a number", self.line)

    def is_of_lists(self, s: Any) -> bool:
        """Whether a statement makes a list, or writes into one."""
        return isinstance(s, CHANGES) or (isinstance(s, Compute) and s.op in MAKING)

    # -- functions that call themselves ---------------------------------------------------------------------

    def _invoked(self, scope: Scope, node: Any, given: dict[str, Any], again: Any) -> Any:
        if any(isinstance(value, ListOf | Display | Thing) for value in given.values()):
            self.recursive.discard(again)
            self.written_out.add(again)
            raise Again
        given = {name: self.present(value) for name, value in given.items()}
        key = (scope.function, tuple([(name, layout_of(value)) for name, value in given.items()]))
        if key not in self.subs:
            self._define(key, scope, node, given)
        layout = self.layouts.setdefault(self._lasting(key), self.guess(scope, node))
        self.expected.add(key)
        targets = tuple([self.fresh("q") for _ in leaves(layout)])
        args = tuple([atom for value in given.values() for atom in atoms_of(value)])
        self.emit(Invoke(targets, self.subs[key], args))
        return value_of(layout, iter(targets))

    def guess(self, scope: Scope, node: Any) -> Any:
        """The layout of what a function returns that calls itself, as long as it is not known."""
        return guessed(node)

    def _lasting(self, key: Any) -> Any:
        """What stands for a function and its arguments in all attempts."""
        return (key[0].__code__, key[1]) if key[0] in self.closures else key

    def _define(self, key: Any, scope: Scope, node: Any, given: dict[str, Any]) -> None:
        rebound = assigned(node)
        params: list[str] = []
        out, self.out = self.out, []
        for name, layout in key[1]:
            own = [f"{scope.variable(name)}_in{i}" for i, _ in enumerate(leaves(layout))]
            params += own
            value = value_of(layout, iter(own))
            if name not in rebound:
                scope.bound[name] = value
            else:
                self._rebindable(scope, name, value)
        sub = self.subs[key] = Sub(f"f{scope.number}", tuple(params), self.out)
        self.defining += 1
        outer, self.sub = self.sub, sub
        self._written(scope, node)
        self.defining -= 1
        if any(map(self.is_of_lists, walk(sub.body))):
            raise Unsupported("a recursive function that makes lists or writes into them", self.line)
        self.out, self.sub = out, outer
        result = Static(None) if scope.result is None else scope.result
        layout = layout_of(result)
        lasting = self._lasting(key)
        if key in self.expected and self.layouts.get(lasting) != layout:
            self.layouts[lasting] = layout
            raise Again
        self.layouts[lasting] = layout
        sub.results = tuple(atoms_of(result))
        self.program.subs.append(sub)


class Itself:
    """The layout of what is no number: the thing itself."""

    def __init__(self, value: Any):
        self.value = value
        thing = value.value if isinstance(value, Static) else value
        self.key = value.var if isinstance(value, ListOf) else id(thing)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Itself) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


@dataclass(frozen=True)
class Shaped:
    """The layout of an array as NumPy has it."""

    shape: tuple[int, ...]
    dtype: Any


@dataclass(frozen=True)
class Boxed:
    """The layout of a container that the text has as the program does."""

    place: Any


def guessed(node: Any) -> Any:
    """The layout of what a function returns, as its text lets one expect it."""
    values = [getattr(n.value, "of", n.value) for n in syntax.walk(node) if isinstance(n, ast.Return)]
    lengths = {len(v.elts) if isinstance(v, ast.Tuple) else None for v in values}
    n = lengths.pop() if len(lengths) == 1 else None
    return NUMBER if n is None else (NUMBER,) * n


def layout_of(value: Any) -> Any:
    """How numbers are put together in a value."""
    if isinstance(value, str):
        return NUMBER
    if isinstance(value, Small):
        return ("array", *map(layout_of, value.parts))
    if isinstance(value, Box):
        return Boxed(value.place)
    if isinstance(value, Array | Single | Span | Maybe | Coded):
        raise Unsupported(
            "an array, a slice, a constant of several, or perhaps None, that a function is given which calls itself"
        )
    if isinstance(value, Named | Range):
        raise Unsupported("a named tuple or a range in an object, or that a function is given which calls itself")
    return tuple(map(layout_of, value)) if isinstance(value, tuple) else Itself(value)


def atoms_of(value: Any) -> list[str]:
    """The numbers and arrays in a value."""
    if isinstance(value, str | Array | Box):
        return [value if isinstance(value, str) else value.atom]
    parts = value.parts if isinstance(value, Small) else value if isinstance(value, tuple) else ()
    return [atom for part in parts for atom in atoms_of(part)]


def leaves(layout: Any) -> Iterator[Any]:
    """The numbers and arrays of a layout."""
    if layout == NUMBER or isinstance(layout, Shaped | Boxed):
        yield layout
    elif isinstance(layout, tuple):
        for part in layout[layout[:1] == ("array",) :]:
            yield from leaves(part)


def value_of(layout: Any, atoms: Iterator[str]) -> Any:
    """The value of a layout with these numbers and arrays, which are taken one by one."""
    if layout == NUMBER:
        return next(atoms)
    if isinstance(layout, Shaped):
        return Array(next(atoms), layout.shape, layout.dtype)
    if isinstance(layout, Boxed):
        return Box(next(atoms), layout.place)
    if isinstance(layout, Itself):
        return layout.value
    if layout[:1] == ("array",):
        return Small(tuple([value_of(part, atoms) for part in layout[1:]]))
    return tuple([value_of(part, atoms) for part in layout])
