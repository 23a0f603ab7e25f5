"""Functions of which one or another is called, by what is computed: out of a table, a list, an attribute, a variable.

A variable that holds one of several functions has the number of one, as of a constant (see `codes`); a call asks for
each of them.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from types import FunctionType
from typing import Any

from morula.static.python.codes import Codes, is_function, is_same_function
from morula.static.python.comprehensions import Given
from morula.static.python.ir import Again, Branch, Fail, Unsupported
from morula.static.python.scopes import Coded, Static
from morula.static.python.things import Bound, Thing

__all__ = ["Selected"]

FIRST = 10**6  # number of a function; those of other constants are smaller


class Selected(Codes):
    """The part of a `front.Builder` that calls them.

    Attributes:
        functions: those of which one or another is called, by number.
        met_later: what an attempt has met behind such a call, and may be called there in a later turn: methods by the
            number of their object, the class and the name; functions.
        are_called: whether there was a call in this attempt.
        objects_made: by number.
    """

    functions: list[Static | Bound]
    met_later: list[Any]
    are_called: bool
    objects_made: dict[int, Thing]
    attribute_of: Callable[[Thing, str], Any]
    arguments: Callable[..., tuple[list, dict[str, Any]]]
    one_of: Callable[..., Any]
    has: Callable[[Thing, Any], bool]
    closures: dict[Any, Any]

    def code_of_function(self, value: Static | Bound) -> str:
        """The atom that has the number of a function."""
        for i, known in enumerate(self.functions):
            if is_same_function(known, value):
                if isinstance(known, Static) and isinstance(value, Static) and known.where != value.where:
                    self.guard(f"{known.where} is {value.where}")
                return str(FIRST + i)
        self.functions.append(value)
        if self.are_called and (again := self._again(value)) is not None and again not in self.met_later:
            self.met_later.append(again)
            raise Again
        return str(FIRST + len(self.functions) - 1)

    def _again(self, value: Static | Bound) -> Any:
        """What stands for a function in all attempts; None for those that are made inside the program."""
        if isinstance(value, Bound):
            f = value.function.value
            return value.owner.number, value.owner.kind, f.__name__, f.__code__
        return value.value if value.value not in self.closures else None

    def _meet(self, again: Any) -> None:
        """Take note of a function before the program has come to where it is read."""
        if type(again) is not tuple:
            self.code_of(Static(again, self._weak(again) if isinstance(again, FunctionType | type) else ""))
            return
        number, kind, name, code = again
        owner = self.objects_made.get(number)
        if owner is not None and owner.kind is kind and not self.has(owner, name):
            found = self.attribute_of(owner, name)
            if isinstance(found, Bound) and found.function.value.__code__ is code and is_function(found):
                self.code_of(found)

    def called_code(self, callee: Coded, node: ast.Call) -> Any:
        """A call of one of several functions, as far as these were met before."""
        args, named = self.arguments(node)
        given: list[ast.expr] = [ast.copy_location(Given(self.held(v)), node) for v in args]
        keywords = [ast.keyword(k, ast.copy_location(Given(self.held(v)), node)) for k, v in named.items()]
        for again in self.met_later:
            self._meet(again)
        self.are_called = True
        if not self.functions:
            raise Unsupported("a call of something that is no function of its own", self.line)

        def called(i: int) -> Any:
            function = ast.copy_location(Given(self.functions[i]), node)
            return self.held(self.value(ast.copy_location(ast.Call(function, given, keywords), node)))

        def from_(i: int, n: int) -> Any:
            branch, out = Branch(self.compute("==", callee.atom, str(FIRST + i))), self.out
            self.emit(branch)
            if i + 1 == n:
                branch.orelse.append(Fail())
                return called(i)
            sides = []
            for self.out, found in ((branch.body, called), (branch.orelse, lambda i: from_(i + 1, n))):
                with self.perhaps():
                    sides.append(found(i))
            self.out = out
            return self.one_of(sides, (branch.body, branch.orelse))

        return from_(0, len(self.functions))
