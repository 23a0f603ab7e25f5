"""The names of one function, and small pieces of its normal form."""

import ast
from dataclasses import dataclass, field
from typing import Any

from morula.static.front.source import Source


def name_node(name: str, ctx: ast.expr_context | None = None) -> ast.Name:
    """A name, read unless `ctx` says otherwise."""
    return ast.Name(name, ctx or ast.Load())


def is_atom(e: ast.expr) -> bool:
    """Whether an expression can be an operand in normal form."""
    return isinstance(e, ast.Name | ast.Constant)


def marked(node: ast.stmt, scope: "Scope", like: ast.AST) -> ast.stmt:
    """A new statement that knows the user's line from which it was made."""
    node.user = (scope.source.name, scope.source.line(like))  # type: ignore[attr-defined]
    return node


@dataclass
class Scope:
    """A function, or one call of a function that stands inline.

    Attributes:
        rename: the new names of its variables.
        functions: the variables that stand for one function all the time: parameters, and functions defined inside.
        around: of a function that is defined inside another.
    """

    source: Source
    prefix: str
    result: str
    local_names: set[str]
    rename: dict[str, str] = field(default_factory=dict)
    functions: dict[str, Any] = field(default_factory=dict)
    around: "Scope | None" = None

    def owner(self, name: str) -> "Scope | None":
        """The scope whose variable a name is; None if it is a free name of all."""
        scope: Scope | None = self
        while scope is not None and name not in scope.local_names:
            scope = scope.around
        return scope


@dataclass(frozen=True)
class Inner:
    """A function that is defined inside another, and where."""

    tree: ast.FunctionDef
    scope: Scope

    def __call__(self) -> None:
        """Functions are callable; this one is a description."""
        raise TypeError("the description of a function cannot be called")
