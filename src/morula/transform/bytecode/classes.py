"""Bodies of classes: the statements that the compiler adds are taken away, annotations become what they were."""

import __future__

import ast
from types import CodeType
from typing import Any

ADDED = frozenset({"__module__", "__qualname__", "__firstlineno__", "__static_attributes__", "__classcell__"})


def class_body(body: list[ast.stmt], code: CodeType, stack: Any) -> list[ast.stmt]:
    """The statements of a class out of those of its code."""
    if body and isinstance(body[-1], ast.Return):  # None, or the cell of ``__class__``
        body = body[:-1]
    made = [_annotated(s, code, stack) for s in body if not _is_added(s)]
    return made or [stack.placed(ast.Pass())]


def annotation(node: Any, code: CodeType) -> Any:
    """An annotation as it was written: under ``from __future__ import annotations`` the code has its text."""
    if not code.co_flags & __future__.annotations.compiler_flag or not isinstance(node, ast.Constant):
        return node
    tree = compile(str(node.value), "", "eval", ast.PyCF_ONLY_AST, dont_inherit=True)
    assert isinstance(tree, ast.Expression)
    written = tree.body
    for part in ast.walk(written):
        if "lineno" in part._attributes:
            part.lineno = part.end_lineno = code.co_firstlineno  # type: ignore[attr-defined]
            part.col_offset = part.end_col_offset = 0  # type: ignore[attr-defined]
    return written


def _is_added(statement: ast.stmt) -> bool:
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)]):
            return name in ADDED
    return False


def _annotated(statement: ast.stmt, code: CodeType, stack: Any) -> ast.stmt:
    match statement:
        case ast.Assign(
            targets=[ast.Subscript(value=ast.Name(id="__annotations__"), slice=ast.Constant(value=str(name)))],
            value=noted,
        ):
            made = ast.AnnAssign(ast.Name(name, ast.Store()), annotation(noted, code), None, 1)
            return ast.fix_missing_locations(ast.copy_location(made, statement))
    return statement
