"""Where a program leaves a loop or a function, and what it returns."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from morula.static.python.class_definitions import ClassDefinitions
from morula.static.python.ir import Again, Fail, Set, Unsupported
from morula.static.python.optionals import is_none
from morula.static.python.scopes import ListOf, Scope, Static
from morula.static.python.things import Thing, is_number_like

__all__ = ["JUMPS", "Jumps"]

JUMPS = "jumps"  # of a statement that nothing falls through


class Jumps(ClassDefinitions):
    """The part of a `front.Builder` that reads such statements."""

    shared: set[Any]
    held_elsewhere: set[Any]
    writes: list[Any]
    hands_back: bool
    placed: Callable[[Any, str], tuple[Any, list[tuple[str, str]]]]

    def _Return(self, s: ast.Return) -> str:
        shared, kept, writes = self.shared.copy(), self.held_elsewhere.copy(), self.writes
        is_end = len(self.scopes) == 1 and is_tuple_of_names(s.value)
        self.writes = [] if is_end else writes
        status = self._return(s)
        if is_end:  # the variables end with the program: it is only in the tuple what they hold
            self.shared, self.held_elsewhere, self.writes = shared, kept, writes
        return status

    def _return(self, s: ast.Return) -> str:
        scope, value = self.scopes[-1], Static(None) if s.value is None else self.value_or_none(s.value)
        if self.sub is not None and self.sub.name == f"f{scope.number}":  # whose callers expect a number
            value = self.present(value)
        if self.returned(scope, value):
            return self._jumped(scope)
        if not scope.number and is_none(value) and not self.hands_back:  # which nobody can differentiate
            self.emit(Fail())
            return JUMPS
        value = self.result_standing(scope, s, self.present(value))
        if self.coded_result(scope, value):
            return self._jumped(scope)
        if isinstance(scope.result, Static) and isinstance(value, Static) and scope.result.value is value.value:
            value = scope.result
        if not is_number_like(value) and not isinstance(value, ListOf):
            result = self.kept_of(scope, "return", self.held(value))
            key = (scope.function.__code__, "return")
            if isinstance(result, Thing) and isinstance(scope.result, Thing) and scope.result is not result:
                if key not in self.copies | self.never_copied:
                    self.copies.add(key)
                    raise Again
        elif isinstance(value, str):
            result = f"result{scope.number}"
            self.emit(Set(result, value))
        elif isinstance(value, ListOf) and (not value.measured or value.origins <= self.by_reference):
            result = self.varying(value, f"result{scope.number}")
            self.emit(Set(result.var, value.var))
        else:
            result, pairs = self.placed(value, f"result{scope.number}_{{}}")
            self.seen(value)
            for var, v in pairs:
                self.emit(Set(var, v))
        result = self.left(scope, result)
        if scope.result is not None and type(scope.result) is not type(result):
            raise Unsupported("values of several kinds", self.line)
        is_other = scope.result is not result if isinstance(result, Thing) else scope.result != result
        if scope.result is not None and is_other:
            raise Unsupported("values of several kinds", self.line)
        scope.result = result
        return self._jumped(scope)

    def _jumped(self, scope: Scope) -> str:
        """See to it that a function goes on to its end."""
        self.emit(Set(scope.returned, "True"))
        for skip, leave in scope.loops:
            self.emit(Set(skip, "True"))
            self.emit(Set(leave, "True"))
        return JUMPS

    def _Break(self, s: ast.Break) -> str:
        skip, leave = self.scopes[-1].loops[-1]
        self.emit(Set(skip, "True"))
        self.emit(Set(leave, "True"))
        return JUMPS

    def _Continue(self, s: ast.Continue) -> str:
        self.emit(Set(self.scopes[-1].loops[-1][0], "True"))
        return JUMPS


def is_tuple_of_names(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Tuple) and all(isinstance(v, ast.Name) for v in node.elts)
