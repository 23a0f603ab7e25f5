"""Global variables that the program assigns: it has them as variables of its own, and writes them when it ends."""

from __future__ import annotations

import ast
from collections.abc import Callable
from types import ModuleType
from typing import Any

from morula.static.python.bindings import of_node, own_nodes
from morula.static.python.ir import Unsupported
from morula.static.python.outside import Outside
from morula.static.python.scopes import Scope, Static

__all__ = ["GlobalNames"]

GLOBALS = "names"  # what a text calls the global variables of its function


class GlobalNames(Outside):
    """The part of a `front.Builder` that knows such variables. Nobody else may look at them before the end."""

    sub: Any
    definition: Callable[..., Any]
    assign: Callable[[ast.expr, Any], None]

    def assign_globally(self, names: list[str]) -> None:
        """``global a, b``."""
        scope = self.scopes[-1]
        if len(self.scopes) > 1 or self.sub is not None:
            raise Unsupported("a global variable that a function assigns which the program calls", self.line)
        for name in names:
            value = self.outside(scope, name)
            if not isinstance(value, str):
                raise Unsupported(f"the global variable {name!r}, which is assigned and holds no number", self.line)
            scope.own.add(name)
            self.assign(ast.Name(name, ast.Store()), value)
            self.program.stored.setdefault(GLOBALS, {})[name] = scope.variable(name)

    def check_name(self, scope: Scope, name: str) -> None:
        """See to it that what a function other than the program's own reads is no such variable."""
        function: Any = scope.function
        if scope is not self.scopes[0]:
            self._check_unassigned(function.__globals__, name)

    def check_part(self, module: Static, name: str) -> None:
        """See to it that what is read from a module is no global variable that the program assigns."""
        if isinstance(module.value, ModuleType):
            self._check_unassigned(module.value.__dict__, name)

    def check_assigned(self, name: str, value: Any) -> None:
        """See to it that a global variable gets a number."""
        if not isinstance(value, str) and name in self.program.stored.get(GLOBALS, ()) and len(self.scopes) == 1:
            raise Unsupported(f"the global variable {name!r}, which gets something other than a number", self.line)

    def _check_unassigned(self, names: dict[str, Any], name: str) -> None:
        function: Any = self.program.function
        if names is function.__globals__ and name in _assigned_globally(self.definition(function)):
            raise Unsupported(f"the global variable {name!r}, which the program assigns and reads elsewhere", self.line)


@of_node
def _assigned_globally(function: Any) -> frozenset[str]:
    """The variables that a function itself declares as global."""
    return frozenset(name for n in own_nodes(function) if isinstance(n, ast.Global) for name in n.names)
