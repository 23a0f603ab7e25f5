"""What the text of a function says of its variables: which a statement binds, and which are bound in any case."""

from __future__ import annotations

import ast
import weakref
from collections.abc import Iterator, Sequence, Set
from typing import Any

__all__ = ["NESTED", "assigned", "breaks", "jumps", "perhaps_unbound", "replaced", "returns", "yields"]

NESTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, ast.ListComp, ast.SetComp, ast.DictComp,
          ast.GeneratorExp)  # fmt: skip

_assigned: weakref.WeakKeyDictionary[Any, frozenset[str]] = weakref.WeakKeyDictionary()
_bound_first: weakref.WeakKeyDictionary[Any, frozenset[str]] = weakref.WeakKeyDictionary()


def assigned(node: Any) -> frozenset[str]:
    """The names that a statement binds; a program is built several times of the same ones."""
    if node not in _assigned:
        _assigned[node] = frozenset(_names_bound(node))
    return _assigned[node]


def replaced(node: Any) -> set[str]:
    """The variables of a function that are assigned to, whatever the way it goes, before it returns."""
    found: set[str] = set()
    for s in node.body if isinstance(node, ast.FunctionDef) else ():
        if any(isinstance(n, ast.Return) for n in ast.walk(s)):
            break
        if isinstance(s, ast.Assign):
            found.update([t.id for t in s.targets if isinstance(t, ast.Name)])
    return found


def _names_bound(node: Any) -> Iterator[str]:
    for n in ast.walk(node):
        if isinstance(n, ast.Name):
            if not isinstance(n.ctx, ast.Load):
                yield n.id
        elif isinstance(n, ast.MatchAs | ast.MatchStar):
            if n.name is not None:
                yield n.name
        elif isinstance(n, ast.MatchMapping):
            if n.rest is not None:
                yield n.rest
        elif isinstance(n, ast.FunctionDef | ast.ClassDef) and n is not node:
            yield n.name


def perhaps_unbound(node: Any, names: Set[str]) -> Set[str]:
    """Those of the variables that a function does not assign first of all, in a statement of its own."""
    if node not in _bound_first:
        _bound_first[node] = frozenset(_names_bound_first(node))
    return names - _bound_first[node]


def _names_bound_first(node: Any) -> Iterator[str]:
    met: set[str] = set()
    for s in node.body if isinstance(node, ast.FunctionDef) else []:
        is_plain = isinstance(s, ast.Assign) and all(isinstance(t, ast.Name | ast.Tuple) for t in s.targets)
        loads = {n.id for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
        if is_plain:
            yield from assigned(s) - loads - met
        met |= assigned(s) | loads


def returns(body: Sequence[ast.stmt]) -> bool:
    return any(isinstance(n, ast.Return) for s in body for n in ast.walk(s))


def breaks(body: Sequence[ast.stmt]) -> bool:
    return any(isinstance(n, ast.Break) for s in body for n in ast.walk(s))


def jumps(body: Sequence[ast.stmt]) -> bool:
    return any(isinstance(n, ast.Return | ast.Break | ast.Continue) for s in body for n in ast.walk(s))


def yields(body: Sequence[ast.stmt]) -> bool:
    return any(isinstance(n, ast.Yield | ast.YieldFrom) for s in body for n in ast.walk(s))
