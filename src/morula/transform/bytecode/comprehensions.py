"""Comprehensions: loops around a single statement that adds an item to a display."""

import ast
from typing import Any

from morula.transform.bytecode.values import Append


def comprehension(target: Any, iterable: ast.expr, body: list[ast.stmt], stack: Any) -> Any:
    """The comprehension that a loop over `iterable` makes; None for any other loop."""
    display = stack.items[-1] if stack.items else None
    if not isinstance(display, ast.List | ast.Set | ast.Dict):
        return None  # an inner loop of one
    found = _generators(target, iterable, body, False)
    if found is None:
        return None
    added, generators = found
    if added.kind == "pair":
        return stack.placed(ast.DictComp(added.key, added.item, generators))
    made = ast.SetComp if isinstance(display, ast.Set) else ast.ListComp
    return stack.placed(made(added.item, generators))


def generator(loop: ast.stmt) -> tuple[ast.expr, list[ast.comprehension]] | None:
    """The element and the loops of a generator expression, whose body is `loop`."""
    if not isinstance(loop, ast.For):
        return None
    found = _generators(loop.target, loop.iter, loop.body, True)
    return None if found is None else (found[0].item, found[1])


def _generators(target: Any, iterable: ast.expr, body: list[ast.stmt], yields: bool) -> Any:
    tests: list[ast.expr] = []
    while len(body) == 1 and isinstance(body[0], ast.If) and not body[0].orelse:
        tests.append(body[0].test)
        body = body[0].body
    if len(body) == 2 and isinstance(body[1], ast.Continue):
        body = body[:1]
    if len(body) != 1:
        return None
    inner = body[0]
    head = ast.comprehension(target, iterable, tests, 0)
    if isinstance(inner, Append):
        return inner, [head]
    if yields and isinstance(inner, ast.Expr) and isinstance(inner.value, ast.Yield) and inner.value.value is not None:
        return Append(kind="item", key=None, item=inner.value.value), [head]
    if isinstance(inner, ast.For) and not inner.orelse:
        rest = _generators(inner.target, inner.iter, inner.body, yields)
        if rest is not None:
            return rest[0], [head, *rest[1]]
    return None
