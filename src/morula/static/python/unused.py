"""Tangents that nobody reads, taken out of a text: such as that of the value, where the gradient's is wanted."""

from __future__ import annotations

import ast
from collections.abc import Set as AbstractSet

from morula.transform.syntax import walk

__all__ = ["without_unused"]

PURE = frozenset([  # functions that change nothing
    "add_reduce", "add_between", "max_reduce", "min_reduce", "array", "float", "float64", "ones", "zeros",
])  # fmt: skip


def without_unused(text: str) -> str:
    """A text of one function without its assignments to tangents that are not read.

    Args:
        text: of a function, in which the names of tangents begin with ``dot_``.

    >>> print(without_unused("def f(x, dot_x):\\n    dot_a = x * dot_x\\n    dot_y = float(dot_a)\\n    return x"))
    def f(x, dot_x):
        return x
    """
    module = ast.parse(text)
    (function,) = (s for s in module.body if isinstance(s, ast.FunctionDef))
    left, dropped = function.body, set()
    while True:
        read = _read(left)
        unused = [s for s in left if _is_unused(s, read)]
        if not unused:
            break
        left = [s for s in left if s not in unused]
        for s in unused:
            dropped |= {*range(s.lineno, (s.end_lineno or s.lineno) + 1)}
    return "\n".join([line for i, line in enumerate(text.split("\n"), 1) if i not in dropped])


def _read(statements: list[ast.stmt]) -> set[str]:
    nodes = [n for s in statements for n in walk(s)]
    found = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    return found | {n.target.id for n in nodes if isinstance(n, ast.AugAssign) and isinstance(n.target, ast.Name)}


def _is_unused(s: ast.stmt, read: AbstractSet[str]) -> bool:
    if not isinstance(s, ast.Assign) or len(s.targets) != 1 or not isinstance(s.targets[0], ast.Name):
        return False
    name = s.targets[0].id
    if not name.startswith("dot_") or name in read:
        return False
    calls = [n.func for n in walk(s.value) if isinstance(n, ast.Call)]
    return all(isinstance(f, ast.Name) and f.id in PURE for f in calls)
