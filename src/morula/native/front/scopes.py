"""The names of one function, and small pieces of its normal form."""

import ast
from dataclasses import dataclass, field

from morula.native.front.source import Source


def name_node(name: str, ctx: ast.expr_context | None = None) -> ast.Name:
    return ast.Name(name, ctx or ast.Load())


def is_atom(e: ast.expr) -> bool:
    return isinstance(e, ast.Name | ast.Constant)


def marked(node: ast.stmt, scope: "Scope", like: ast.AST) -> ast.stmt:
    node.user = (scope.source.name, scope.source.line(like))  # type: ignore[attr-defined]
    return node


@dataclass
class Scope:
    source: Source
    prefix: str
    result: str
    local_names: set[str]
    rename: dict[str, str] = field(default_factory=dict)
