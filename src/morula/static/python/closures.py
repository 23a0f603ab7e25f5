"""Functions inside functions: they are written into the program where they are called, as any other.

What such a function captures is read from the scope that it was made in, as that is when it is called. There is one
stand-in for each function and scope, which nothing ever runs.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable
from types import CellType, CodeType, FunctionType
from typing import Any

from morula.static.python.bindings import changed_inside
from morula.static.python.comprehensions import Given
from morula.static.python.expressions import Expressions
from morula.static.python.ir import Again, Unsupported
from morula.static.python.parameters import parameters
from morula.static.python.scopes import Box, Closure, ListOf, Scope, Static
from morula.static.python.things import Thing
from morula.transform import SourceUnavailable, reading_of

__all__ = ["Closures"]


class Closures(Expressions):
    """The part of a `front.Builder` that reads functions inside functions."""

    assign: Callable[[ast.expr, Any], None]
    definition: Callable[[FunctionType], Any]
    codes: dict[tuple[ast.AST, CodeType], CodeType]

    def _FunctionDef(self, s: ast.FunctionDef) -> str:
        decorators = [v for d in s.decorator_list if (v := self._decorator(d)) is not None]
        made: Any = self.closure(s, s.name)
        for decorator in reversed(decorators):
            call = ast.Call(Given(decorator), [ast.copy_location(Given(made), s)], [])
            made = self.value(ast.fix_missing_locations(ast.copy_location(call, s)))
        self.assign(ast.copy_location(ast.Name(s.name, ast.Store()), s), made)
        return "falls"

    def _decorator(self, node: ast.expr) -> Any:
        """What a function is given to where it is made; None for `functools.wraps`, which names it after another."""
        if isinstance(node, ast.Call):
            f = self.value(node.func)
            if isinstance(f, Static) and f.value is functools.wraps and len(node.args) == 1 and not node.keywords:
                self.value(node.args[0])
                return None
        found = self.value(node)
        if not isinstance(found, Static) or type(found.value) is not FunctionType:
            raise Unsupported("such a decorator of a function inside a function", self.line)
        return found

    def _value_Lambda(self, node: ast.Lambda) -> Static:
        return self.closure(node, "<lambda>")

    def closure(self, node: ast.FunctionDef | ast.Lambda, name: str, within: CodeType | None = None) -> Static:
        """A stand-in for a function; for a method, `within` is the code of its class."""
        scope = self.scopes[-1]
        if self.sub is not None or self.defining:
            raise Unsupported("a function inside a function that calls itself", self.line)
        code = self._code_of(within or scope.function.__code__, node, name)
        n = len(node.args.defaults)
        nodes = [*zip(parameters(node)[len(parameters(node)) - n :], node.args.defaults, strict=True)]
        nodes += [(a.arg, d) for a, d in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True) if d is not None]
        defaults = {name: self.held(self.value(d)) for name, d in nodes}
        if not all(map(_is_lasting, defaults.values())):  # which all calls share, and may change
            raise Unsupported("a default that is not a number", self.line)
        made = scope.closures.get(code)
        if made is None or defaults:
            cells = tuple([CellType() for _ in code.co_freevars])
            f = FunctionType(code, scope.function.__globals__, name, None, cells)
            made = scope.closures[code] = Static(f, scope.where)
            made.is_lasting = not (self.around if defaults else scope.around)
            self.closures[f] = Closure(scope, defaults)
        return made

    def _code_of(self, outer: CodeType, node: ast.FunctionDef | ast.Lambda, name: str) -> CodeType:
        """The code that a node was compiled to: of several of one text any does."""
        if (node, outer) in self.codes:
            return self.codes[node, outer]
        wanted = ast.dump(node)
        for code in outer.co_consts:
            if type(code) is CodeType and code.co_name == name:
                try:
                    found = reading_of(code).node
                except SourceUnavailable:
                    continue
                if ast.dump(found) == wanted:
                    self.codes[node, outer] = code
                    return code
        raise Unsupported("a function inside a function, whose code is not found", self.line)

    def _Nonlocal(self, s: ast.Nonlocal) -> str:
        self.scopes[-1].nonlocals.update(s.names)
        return "falls"

    def changed_inside(self, scope: Scope) -> frozenset[str]:
        """The variables of a scope that functions inside it assign, at any time."""
        return changed_inside(self.definition(scope.function))

    def assign_captured(self, scope: Scope, target: ast.Name, value: Any) -> None:
        """Assign a number to a variable of the outer scope, which has been assigned there before."""
        outer = scope.outer
        if (
            outer is None
            or self.sub is not None
            or not isinstance(value, str)
            or not any(target.id in names for names in outer.sure)
        ):
            raise Unsupported("an assignment of this kind to a captured variable", self.line)
        value = self.held(value)
        self.scopes.append(outer)
        self.assign(target, value)
        self.scopes.pop()

    def captured(self, scope: Scope, name: str) -> Any:
        """What a captured variable holds now."""
        assert scope.outer is not None
        self.scopes.append(scope.outer)
        found = self._value_Name(ast.Name(name, ast.Load()))
        self.scopes.pop()
        is_read = isinstance(found, str | Box) or (isinstance(found, ListOf) and bool(found.measured))
        is_read = is_read and self.program.verb in ("gradient", "pullback")
        if self.sub is not None and isinstance(found, Thing) and (code := scope.function.__code__) in self.recursive:
            self.recursive.discard(code)  # such as one that notes what it has found
            self.written_out.add(code)
            raise Again
        if self.sub is not None and not (is_read or isinstance(found, Static)):
            raise Unsupported(f"{name!r}, which a function captures that calls itself", self.line)
        return found


def _is_lasting(value: Any) -> bool:
    """Whether nobody can change a default."""
    return all(map(_is_lasting, value)) if type(value) is tuple else isinstance(value, str | Static)
