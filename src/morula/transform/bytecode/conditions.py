"""Boolean operators, chains of comparisons and conditional expressions: what several branches decide together."""

import ast
from typing import Any

from morula.transform.bytecode.stack import Stack
from morula.transform.bytecode.values import Shared


def fails(out: list[ast.stmt]) -> bool:
    """Whether a branch is that of an ``assert`` which does not hold."""
    return len(out) == 1 and isinstance(out[0], ast.Raise) and hasattr(out[0], "message")


def same_value(x: Any, y: Any, test: Any) -> bool:
    return x is y and x is not test


def conditional(test: Any, x: Any, y: Any, stack: Stack) -> ast.expr:
    if y is test:
        middle = getattr(getattr(test, "value", None), "shared_right", None) or getattr(test, "shared_right", None)
        if isinstance(x, ast.Compare) and middle is not None and getattr(x, "shared_left", None) is middle:
            return chained(stack.tree(test), x)
        return both(stack.tree(test), stack.tree(x), stack)
    if x is test:
        return either(stack.tree(test), stack.tree(y), stack)
    return ast.IfExp(stack.tree(test), stack.tree(x), stack.tree(y))


def chained(left: Any, right: ast.Compare) -> ast.Compare:
    made = ast.Compare(left.left, [*left.ops, *right.ops], [*left.comparators, *right.comparators])
    made.shared_right = getattr(right, "shared_right", None)  # type: ignore[attr-defined]
    return made


def both(left: Any, right: Any, stack: Stack) -> ast.expr:
    middle = getattr(left, "shared_right", None)
    if isinstance(middle, Shared) and isinstance(right, ast.Compare) and getattr(right, "shared_left", None) is middle:
        return stack.placed(chained(left, right))
    return stack.placed(ast.BoolOp(ast.And(), [stack.tree(left), stack.tree(right)]))


def either(left: Any, right: Any, stack: Stack) -> ast.expr:
    return stack.placed(ast.BoolOp(ast.Or(), [stack.tree(left), stack.tree(right)]))


def negated(test: Any, stack: Stack) -> ast.expr:
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return test.operand
    return stack.placed(ast.UnaryOp(ast.Not(), stack.tree(test)))
