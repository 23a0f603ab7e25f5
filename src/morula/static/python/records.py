"""Named tuples, and members of enumerations: constants that are compared by what they are."""

from __future__ import annotations

import enum
from collections.abc import Callable
from types import FunctionType
from typing import Any

from morula.static.python.ir import Program, Unsupported
from morula.static.python.scopes import Named, Static
from morula.static.python.things import Bound, is_member

__all__ = ["Records"]

SEQUENCE = ("__getitem__", "__iter__", "__len__", "__init__", "__getattribute__", "__getattr__", "__new__")


class Records:
    """The part of a `front.Builder` that knows named tuples and enumerations."""

    line: int
    program: Program
    guard: Callable[[str], None]
    given: Callable[[dict[str, Any], Any], str]
    of_outside: Callable[[str, Any, str], Any]
    of_default_at: Callable[[str, Any, str], Any]
    held: Callable[[Any], Any]
    _called_here: Callable[[str], str]
    _weak: Callable[[Any], str]
    call: Callable[..., Any]

    def named_outside(self, where: str, value: Any, name: str) -> Named:
        """A named tuple that the program finds."""
        kind = self._called_here(f"type({where})")
        self.guard(f"{kind} is {self._weak(type(value))}")
        self._check_named(type(value), kind)
        parts = [self.of_outside(f"{where}[{i}]", v, f"{name}[{i}]") for i, v in enumerate(value)]
        return Named(parts, type(value), kind)

    def new_named(self, callee: Static, args: list, named: dict[str, Any]) -> Named:
        """A named tuple."""
        kind: Any = callee.value
        self._check_named(kind, callee.where)
        given = dict(zip(kind._fields, args, strict=False))
        if len(args) > len(kind._fields) or given.keys() & named.keys() or not named.keys() <= set(kind._fields):
            raise Unsupported(f"a call to {kind.__qualname__} that does not fit", self.line)
        given |= named
        for name in kind._fields:
            if name not in given:
                if name not in kind._field_defaults:
                    raise Unsupported(f"a call to {kind.__qualname__} that does not fit", self.line)
                read = f"{callee.where}._field_defaults[{name!r}]"
                given[name] = self.of_default_at(read, kind._field_defaults[name], name)
        return Named([self.held(given[name]) for name in kind._fields], kind, callee.where)

    def _check_named(self, kind: Any, where: str) -> None:
        """See to it that the class is a tuple still, whose fields are what they were."""
        for name in SEQUENCE:
            owner = next(base for base in kind.__mro__ if name in base.__dict__ or base is object)
            if owner not in (tuple, object) and name != "__new__":
                raise Unsupported(f"an object of type {kind.__qualname__}, which has {name}", self.line)
        self.guard(f"{where}.__new__ is {self.given(self.program.space, kind.__new__)}")

    def part_of_named(self, value: Named, name: str) -> Any:
        """An attribute of a named tuple: a field, a method or a property."""
        kind, where = value.kind, value.where
        raw = next((base.__dict__[name] for base in kind.__mro__ if name in base.__dict__), None)
        depth = next((i for i, base in enumerate(kind.__mro__) if name in base.__dict__), 0)
        read = f"{where}.__mro__[{depth}].__dict__[{name!r}]"
        for i in range(depth):
            self.guard(f"{name!r} not in {where}.__mro__[{i}].__dict__")
        if name in kind._fields and type(raw).__name__ == "_tuplegetter":
            self.guard(f"{read} is {self.given(self.program.space, raw)}")
            return value[kind._fields.index(name)]
        is_own = not name.startswith("_")
        if type(raw) is FunctionType and is_own:
            return Bound(self.of_outside(read, raw, name), value)
        if type(raw) is property and raw.fget is not None and is_own:
            self.guard(f"type({read}) is property")
            return self.call(self.of_outside(f"{read}.fget", raw.fget, name), [value], {})
        raise Unsupported(f"the attribute {name!r} of a named tuple", self.line)

    def method_of_named(self, value: Named, name: str) -> Static | None:
        """A special method that the class of a named tuple has, written in Python; None where it has none."""
        depth = next(i for i, base in enumerate(value.kind.__mro__) if name in base.__dict__ or base is object)
        for i in range(min(depth, len(value.kind.__mro__) - 2)):  # the last ones are `tuple` and `object`
            self.guard(f"{name!r} not in {value.where}.__mro__[{i}].__dict__")
        raw = value.kind.__mro__[depth].__dict__.get(name)
        if type(raw) is not FunctionType:
            return None
        return self.of_outside(f"{value.where}.__mro__[{depth}].__dict__[{name!r}]", raw, name)

    def replaced(self, value: Named, args: list, named: dict[str, Any]) -> Named:
        """``value._replace(**named)``."""
        fields = value.kind._fields
        if args or not named.keys() <= set(fields):
            raise Unsupported("a call to _replace that does not fit", self.line)
        parts = [named.get(name, part) for name, part in zip(fields, value, strict=True)]
        return Named([self.held(part) for part in parts], value.kind, value.where)

    def member(self, owner: Static, name: str) -> Static | None:
        """The member of an enumeration; None where it is something else."""
        kind = owner.value
        if type(kind) is not enum.EnumMeta or name not in kind.__members__ or not is_member(kind.__members__[name]):
            return None
        found: Any = kind.__members__[name]
        self.guard(f"{owner.where}.__members__[{name!r}] is {self.given(self.program.space, found)}")
        return Static(found)
