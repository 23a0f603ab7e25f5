"""Operators, comparisons and iteration as classes of the user's define them: of objects and of named tuples."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Iterable
from functools import partial
from types import FunctionType
from typing import Any

from morula.static.python.comprehensions import Given
from morula.static.python.ir import Branch, Fail, Program, Unsupported, is_name
from morula.static.python.scopes import Named, Static
from morula.static.python.things import ABSENT, Cursor, Generated, Thing, Turns, is_of_class
from morula.static.python.types import BOOL, FLOAT, INT

__all__ = ["Overloading"]

# The method of the left operand, and the one that the right operand is asked for.
COMPARISONS = {
    ast.Lt: ("__lt__", "__gt__"), ast.LtE: ("__le__", "__ge__"), ast.Gt: ("__gt__", "__lt__"),
    ast.GtE: ("__ge__", "__le__"), ast.Eq: ("__eq__", "__eq__"), ast.NotEq: ("__ne__", "__ne__"),
}  # fmt: skip


class Overloading:
    """The part of a `front.Builder` that asks such classes for their methods."""

    line: int
    call: Callable[..., Any]
    compute: Callable[..., str]
    only_number: Callable[[Any], str]
    find: Callable[[type, str], tuple[Any, str]]
    of_outside: Callable[[str, Any, str], Any]
    method_of_named: Callable[[Named, str], Static | None]
    rest_of: Callable[[Cursor], Turns]
    items_of: Callable[[ast.expr], Any]
    turns_of: Callable[[Any], Turns | None]
    generator_in: Callable[[Any], Generated | None]
    truth_of: Callable[[Any], str | None]
    emit: Callable[[Any], None]
    program: Program

    def own_method(self, value: Any, name: str) -> Static | None:
        """The special method that the class of an operand has, written in Python; None where it has none."""
        if isinstance(value, Named):
            return self.method_of_named(value, name)
        if not is_of_class(value):
            return None
        raw, read = self.find(value.kind, name)
        if read and type(raw) is not FunctionType:
            raise Unsupported(f"{name} of an object of type {value.kind.__qualname__}", self.line)
        return self.of_outside(read, raw, name) if read else None

    def overloaded(self, stem: str, left: Any, right: Any) -> Any:
        """A binary operator, as Python asks the classes of its operands."""
        return self._by_methods(f"__{stem}__", f"__r{stem}__", left, right, "an operator")

    def sum_by_class(self, items: Iterable[Any], start: Any = "0") -> Any:
        """``sum(items, start)`` of such objects."""
        return functools.reduce(partial(self.overloaded, "add"), items, start)

    def named_operator(self, stem: str | None, left: Any, right: Any) -> Any:
        """An operator that the class of a named tuple has a method for; `ABSENT` where it is something else."""
        names = [(left, f"__{stem}__"), (right, f"__r{stem}__")]
        is_own = stem and any(isinstance(x, Named) and self.own_method(x, name) is not None for x, name in names)
        return self.overloaded(stem, left, right) if is_own else ABSENT  # type: ignore[arg-type]

    def compared_by_class(self, op: type[ast.cmpop], left: Any, right: Any) -> Any:
        """A comparison by a method of the user's; `ABSENT` where no class has one."""
        names = COMPARISONS[op]
        if any(self.own_method(x, name) is not None for x, name in zip((left, right), names, strict=True)):
            return self._by_methods(*names, left, right, "a comparison")
        if op is not ast.NotEq or self.own_method(left, "__eq__") is None:
            return ABSENT
        return self.compute("not", self.only_number(self.compared_by_class(ast.Eq, left, right)))

    def _by_methods(self, name: str, reflected: str, left: Any, right: Any, what: str) -> Any:
        of_classes = is_of_class(left) and is_of_class(right)
        is_same = of_classes and left.kind is right.kind
        if of_classes and not is_same and issubclass(right.kind, left.kind):
            raise Unsupported(f"{what} of an object and one of a derived class", self.line)
        if (method := self.own_method(left, name)) is not None:
            found = self.call(method, [left, right], {})
            if not _is_refusal(found):
                return found
        is_asked = not (is_same and reflected.startswith("__r"))  # of two of one class only the left one is asked
        if is_asked and (method := self.own_method(right, reflected)) is not None:
            is_number = isinstance(left, str) and is_name(left)
            other = self.compute("plain", left) if is_number else left  # NumPy's numbers ask otherwise
            found = self.call(method, [right, other], {})
            if not _is_refusal(found):
                return found
        raise Unsupported(f"{what} of an object that its class does not define", self.line)

    def dunder(self, value: Any, name: str, args: list) -> Any:
        """A call of a special method."""
        return self.call(self.special(value, name), [value, *args], {})

    def special(self, value: Any, name: str) -> Static:
        """A special method, which is looked up on the class."""
        method = self.own_method(value, name)
        if method is None:
            raise Unsupported(f"{name} of an object of type {value.kind.__qualname__}", self.line)
        return method

    def converted(self, f: Any, value: Any) -> Any:
        """``abs``, ``bool``, ``float`` or ``len`` of an object."""
        if f is bool:
            return self.only_number(self.truth_of(value))
        if f is not len:
            found = self.dunder(value, f"__{f.__name__}__", [])
            return found if f is abs else self._only_of(found, FLOAT)
        n = self._only_of(self.dunder(value, "__len__", []), INT)
        if is_name(n):
            self.emit(Branch(self.compute("<", n, "0"), [Fail()]))
        return n

    def _only_of(self, value: Any, types: frozenset[str]) -> str:
        """A number of these types, as Python wants a method to return it."""
        atom = self.only_number(value)
        self.program.relied_on.append((atom, types))
        return atom

    def truth_by_class(self, value: Any) -> str:
        """Whether an object is true: it is, unless its class has something to say about it."""
        if self.own_method(value, "__bool__") is not None:
            return self._only_of(self.dunder(value, "__bool__", []), BOOL)
        return self.compute(">", self.converted(len, value), "0") if self.own_method(value, "__len__") else "True"

    def contained(self, value: Any, item: Any) -> str:
        """``item in value``, for an object whose class defines it."""
        return self.only_number(self.truth_of(self.dunder(value, "__contains__", [item])))

    def turns_by_class(self, value: Thing) -> Turns | None:
        """What a loop over an object goes through; None where the number of turns is not known."""
        found = self.iterated(value)
        return None if found is None else self.turns_of(found)

    def iterated(self, value: Thing | Generated) -> Any:
        """What the ``__iter__`` of an object gives, or the list of it or of a generator; None for something else."""
        if (generator := self.generator_in(value)) is not None:
            items = Given(generator)
            items.lineno, items.col_offset = self.line, 0
            return self.items_of(items)
        if isinstance(value, Generated) or (method := self.own_method(value, "__iter__")) is None:
            return None
        found = self.call(method, [value], {})
        return self.rest_of(found) if isinstance(found, Cursor) and not found.place else None


def _is_refusal(value: Any) -> bool:
    return isinstance(value, Static) and value.value is NotImplemented
