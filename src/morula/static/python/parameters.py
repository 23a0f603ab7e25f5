"""What the parameters of a function stand for when it is called, also by ``*``, ``**`` and keywords alone."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from types import FunctionType
from typing import Any

from morula.static.python.ir import Unsupported
from morula.static.python.list_methods import ListMethods
from morula.static.python.outside import FACTORY, MOST_ITEMS, has_floats, is_constant
from morula.static.python.scopes import Array, Closure, ListOf, Static
from morula.static.python.things import Thing, Turns

__all__ = ["Parameters", "called", "parameters"]


class Parameters(ListMethods):
    """The part of a `front.Builder` that fits arguments to parameters."""

    closures: dict[Any, Closure]
    inputs: dict[Any, Any]
    integer: Callable[[ast.expr], int | None]
    value_or_none: Callable[[ast.expr], Any]
    new_thing: Callable[[type, dict[Any, Any]], Thing]
    sequence: Callable[[Any], tuple | None]
    spread: Callable[[Any], tuple]
    all_of: Callable[[ast.expr], Any]
    slots_of: Callable[[Any], dict[Any, Any]]
    constant_of: Callable[[Any], Any]

    def spread_out(self, value: Any) -> tuple:
        """The values that ``*value`` stands for."""
        found = self.sequence(value)
        if found is None and isinstance(value, ListOf) and value.is_vector and value.kind is list:
            n = self.length_of_list(value.var) or self.observed_integer(self.compute("length", value.var))
            found = self.items(value, n) if n is not None and n <= MOST_ITEMS else None
        elif found is None and isinstance(value, ListOf | Array):
            found = self.spread(value)
        if found is None or len(found) > MOST_ITEMS:
            raise Unsupported("* of something other than a few known values", self.line)
        return found

    def arguments(self, node: ast.Call, or_none: bool = False) -> tuple[list, dict[str, Any]]:
        """The values of the arguments of a call."""
        args: list[Any] = []
        named: dict[str, Any] = {}
        read: list[tuple[ast.expr, Any]] = []
        for a in node.args:
            if isinstance(a, ast.Starred):
                args += map(self.held, self.spread_out(self.all_of(a.value)))
                continue
            with self.before_reading(read, a):
                args.append(self.number_or_value(a, or_none))
            read.append((a, args[-1]))
        for k in node.keywords:
            if k.arg is None:
                found_named = self.slots_of(self.value(k.value))
            else:
                with self.before_reading(read, k.value):
                    found_named = {k.arg: self.number_or_value(k.value, or_none)}
                read.append((k.value, found_named[k.arg]))
            if found_named.keys() & named.keys() or not all(type(name) is str for name in found_named):
                raise Unsupported("a call whose arguments do not fit", self.line)
            named |= found_named
        return args, named

    def number_or_value(self, node: ast.expr, or_none: bool = False) -> Any:
        """What an expression comes to: the integer itself where it is one whatever is computed."""
        number = self.integer(node)
        if number is not None:
            return self.literal(number)
        return self.value_or_none(node) if or_none else self.value(node)

    def bound_arguments(self, callee: Static, node: Any, args: list, named: dict[str, Any]) -> dict[str, Any]:
        """What the parameters of a function stand for."""
        f: FunctionType = callee.value
        names = parameters(node)
        extra = tuple(args[len(names) :])
        given = dict(zip(names, args, strict=False))
        only = [a.arg for a in node.args.kwonlyargs]
        places = {a.arg for a in node.args.posonlyargs}
        taken = {name: v for name, v in named.items() if name in names and name not in places}
        others = {name: v for name, v in named.items() if name not in taken and name not in only}
        is_unfit = bool(given.keys() & taken.keys()) or bool(extra and node.args.vararg is None)
        if is_unfit or (others and node.args.kwarg is None):
            raise Unsupported(f"a call to {called(f)} that does not fit", self.line)
        if any(isinstance(value, Turns) for value in [*args, *named.values()]):
            raise Unsupported("an iterator that is handed on", self.line)
        given |= taken
        missing = [n for n in names if n not in given]
        if f in self.closures:
            defaults = self.closures[f].defaults
            unset = [n for n in (*missing, *only) if n not in named]
            if not defaults.keys() >= set(unset):
                raise Unsupported("a call of a function inside a function that does not fit", self.line)
            given |= {n: named[n] if n in named else defaults[n] for n in (*missing, *only)}
        else:
            given |= self.defaults_of(callee, names, missing)
            given |= {n: named[n] if n in named else self.keyword_default(callee, n) for n in only}
        if node.args.vararg is not None:
            given[node.args.vararg.arg] = extra
        if node.args.kwarg is not None:
            given[node.args.kwarg.arg] = self.new_thing(dict, others)
        return given

    def defaults_of(self, callee: Static, names: list[str], missing: list[str]) -> dict[str, Any]:
        f = callee.value
        if missing:
            is_same = f"{callee.where}.__defaults__ is {self.given(self.program.space, f.__defaults__)}"
            if any(map(has_floats, f.__defaults__ or ())):  # which may be active in the run that made the function
                is_same += f" and has_still_defaults({callee.where})"
                self.program.fixed.add(f"{callee.where}.__defaults__")
            self.guard(is_same)
        defaults = dict(zip(names[len(names) - len(f.__defaults__ or ()) :], f.__defaults__ or (), strict=True))
        if not defaults.keys() >= set(missing):
            raise Unsupported(f"a call to {called(f)} that does not fit", self.line)
        return {name: self._of_default(callee, list(defaults), name) for name in missing}

    def _of_default(self, callee: Static, names: list[str], name: str) -> Any:
        """What a default comes to: the function has the very tuple that it had."""
        value = callee.value.__defaults__[names.index(name)]
        if type(value) is FACTORY:
            return Static(value)
        if is_constant(value) and not (type(value) is float and not math.isfinite(value)):
            return self.constant_of(value)
        return self.of_default_at(f"{callee.where}.__defaults__[{names.index(name)}]", value, name)

    def keyword_default(self, callee: Static, name: str) -> Any:
        """The default of a parameter that is given by its keyword alone: it stands in a dict that may change."""
        f = callee.value
        defaults = f.__kwdefaults__ or {}
        if name not in defaults:
            raise Unsupported(f"a call to {called(f)} that does not fit", self.line)
        return self.of_default_at(f"{callee.where or 'function'}.__kwdefaults__[{name!r}]", defaults[name], name)

    def of_default_at(self, read: str, value: Any, name: str) -> Any:
        """What is read from outside, which is the same integer each time if it is one."""
        if type(value) in (bool, int):
            self.guard(f"type({read}) is {type(value).__name__} and {read} == {value!r}")
            return self.literal(value)
        key = (read, name)
        if key not in self.inputs:
            self.inputs[key] = self.of_outside(read, value, name)
        return self.inputs[key]


def parameters(node: Any) -> list[str]:
    """The parameters that are given by their places."""
    return [a.arg for a in (*node.args.posonlyargs, *node.args.args)]


def called(f: Any) -> str:
    return getattr(f, "__qualname__", None) or repr(f)
