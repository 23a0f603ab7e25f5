"""Deep syntax trees: a sum of thousands of written terms is a tree as deep, which Python itself compiles."""

import ast
import sys
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")
# The compiler accepts trees 3,000 deep; the transform takes at most about a dozen frames for each level.
ROOM = 40_000


def deeply(work: Callable[[], T]) -> T:
    """`work()`, with room for a deeper recursion where the ordinary limit does not suffice.

    `work` may run twice. It must be Python code, whose calls take no room on the stack of the C library.
    """
    try:
        return work()
    except RecursionError:
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(limit + ROOM)
        try:
            return work()
        finally:
            sys.setrecursionlimit(limit)


def copied(node: Any) -> Any:
    """A copy of a syntax tree, as `copy.deepcopy` makes it but without recursion; constants are shared."""
    root = _shell(node)
    waiting = [root]
    while waiting:
        parent = waiting.pop()
        for field in parent._fields:
            value = getattr(parent, field, None)
            if isinstance(value, ast.AST):
                child = _shell(value)
                setattr(parent, field, child)
                waiting.append(child)
            elif isinstance(value, list):
                children = [_shell(v) if isinstance(v, ast.AST) else v for v in value]
                setattr(parent, field, children)
                waiting += [c for c in children if isinstance(c, ast.AST)]
    return root


def _shell(node: ast.AST) -> ast.AST:
    if isinstance(node, ast.expr_context | ast.operator | ast.unaryop | ast.cmpop | ast.boolop):
        return node  # one for all, without contents
    made = type(node).__new__(type(node))
    made.__dict__.update(node.__dict__)
    return made
