"""The names of one function, and small pieces of its normal form."""

import ast
from dataclasses import dataclass, field

from morula.native.front.source import Source


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
    """A function, or one call of a function that stands inline: `rename` has the new names of its variables."""

    source: Source
    prefix: str
    result: str
    local_names: set[str]
    rename: dict[str, str] = field(default_factory=dict)
