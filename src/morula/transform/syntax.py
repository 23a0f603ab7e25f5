"""Syntax trees: from text, and their nodes."""

import ast
import threading
import warnings
from collections.abc import Iterator
from types import CodeType
from typing import Any

# Held while syntax trees are made and compiled: the interpreter's own code for that keeps one count of its depth for
# all threads (up to 3.12), and raises a SystemError where they meet.
one_at_a_time = threading.RLock()


def parsed(text: str, mode: str = "exec") -> Any:
    """What ``ast.parse`` makes of `text`.

    >>> ast.unparse(parsed("a  +b", "eval"))
    'a + b'
    """
    with one_at_a_time, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text, mode=mode)


def compiled(tree: ast.Module, filename: str = "", flags: int = 0) -> CodeType:
    """What a module compiles to. The compiler warned of the program's constructs when the program was loaded."""
    with one_at_a_time, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return compile(tree, filename, "exec", flags, dont_inherit=True)


class _Parts(dict):
    """class of nodes -> its fields that hold nodes with contents: no names, values, operators or contexts."""

    WITHOUT_NODES = frozenset(
        "id attr arg name asname names module level ctx op ops kind conversion simple rest kwd_attrs is_async lineno "
        "tag type_comment str".split()
    )
    EXCEPTIONS = {  # noqa: RUF012
        "Constant": (),
        "Import": ("names",),
        "ImportFrom": ("names",),
        "MatchSingleton": (),
        "TypeAlias": ("name", "type_params", "value"),
    }

    def __missing__(self, kind: type[ast.AST]) -> tuple[str, ...]:
        fields = self.EXCEPTIONS.get(kind.__name__)
        if fields is None:
            fields = tuple(f for f in kind._fields if f not in self.WITHOUT_NODES)
        self[kind] = fields
        return fields


_parts = _Parts()


def children(node: ast.AST) -> list[Any]:
    """The nodes directly below `node`, in their order, without operators and contexts.

    >>> [type(n).__name__ for n in children(parsed("a[0] = b + 1").body[0])]
    ['Subscript', 'BinOp']
    """
    found: list[Any] = []
    held = node.__dict__
    for field in _parts[node.__class__]:
        part = held.get(field)
        if part.__class__ is list:
            found += [p for p in part if p is not None] if None in part else part
        elif part is not None:
            found.append(part)
    return found


def walk(node: ast.AST) -> Iterator[Any]:
    """`node` and all nodes below it, as ``ast.walk`` yields them, without operators and contexts."""
    waiting = [node]
    for inner in waiting:
        yield inner
        waiting += children(inner)


def place(node: ast.AST, like: Any) -> None:
    """Give `node` and all below it that has no position yet the position of `like`.

    A statement below it that has one was placed when it was made, with all below itself. A method's name stands where
    the call begins: CPython gives a call of a method the line where that name ends.
    """
    line, col, end_line, end_col = like.lineno, like.col_offset, like.end_lineno, like.end_col_offset
    waiting = [node]
    for inner in waiting:
        if inner.__dict__.get("lineno") is None:
            if "lineno" in inner._attributes:
                inner.lineno, inner.col_offset = line, col  # type: ignore[attr-defined]
                inner.end_lineno, inner.end_col_offset = end_line, end_col  # type: ignore[attr-defined]
                if end_line != line and isinstance(inner, ast.Attribute):
                    inner.end_lineno, inner.end_col_offset = line, col
        elif isinstance(inner, ast.stmt) and inner is not node:
            continue
        waiting += children(inner)
