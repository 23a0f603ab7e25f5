"""What the text of a function says of its variables: what a statement binds, where one is read for the last time."""

from __future__ import annotations

import ast
import weakref
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from typing import Any

__all__ = ["NESTED", "assigned", "breaks", "jumps", "last_uses", "perhaps_unbound", "replaced", "returns"]

NESTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, ast.ListComp, ast.SetComp, ast.DictComp,
          ast.GeneratorExp)  # fmt: skip

_assigned: weakref.WeakKeyDictionary[Any, frozenset[str]] = weakref.WeakKeyDictionary()
_bound_first: weakref.WeakKeyDictionary[Any, frozenset[str]] = weakref.WeakKeyDictionary()
_last_uses: weakref.WeakKeyDictionary[Any, frozenset[int]] = weakref.WeakKeyDictionary()


def assigned(node: Any) -> frozenset[str]:
    """The names that a statement binds; a program is built several times of the same ones."""
    if node not in _assigned:
        _assigned[node] = frozenset(_names_bound(node))
    return _assigned[node]


def last_uses(function: Any) -> frozenset[int]:
    """Which names, by their identities, are read for the last time: nobody gets at that value of the variable again.

    They stand in no loop, or in one of which each turn first assigns another value. Parameters are not among them, nor
    are variables that other functions know, or that are deleted.
    """
    if not isinstance(function, ast.FunctionDef):
        return frozenset()
    if function not in _last_uses:
        found: set[int] = set()
        _add_last_uses(function.body, found, frozenset(_seen_elsewhere(function)))
        _last_uses[function] = frozenset(found)
    return _last_uses[function]


def _seen_elsewhere(function: Any) -> Iterator[str]:
    for n in ast.walk(function):
        if isinstance(n, NESTED) and n is not function:
            yield from (m.id for m in ast.walk(n) if isinstance(m, ast.Name))
        elif isinstance(n, ast.Global | ast.Nonlocal):
            yield from n.names
        elif isinstance(n, ast.Name) and isinstance(n.ctx, ast.Del):
            yield n.id
        elif isinstance(n, ast.arg):
            yield n.arg


def _add_last_uses(block: list[ast.stmt], found: set[int], later: frozenset[str]) -> None:
    """Add the names of a block; `later` has those that are used again afterwards."""
    for s in reversed(block):
        uses = _uses(s)
        if isinstance(s, ast.For | ast.While):
            again = set(_uses(s.test)) if isinstance(s, ast.While) else set()
            again.update([name for part in s.orelse for name in _uses(part)])
            again.update([name for name in uses if not _begins_anew(name, s.body)])
            _add_last_uses(s.body, found, later | again)
        elif isinstance(s, ast.If | ast.With):
            _add_last_uses(s.body, found, later)
            _add_last_uses(getattr(s, "orelse", []), found, later)
        elif isinstance(s, ast.Assign | ast.AnnAssign | ast.Expr | ast.Return):
            names = [n for n in ast.walk(s) if isinstance(n, ast.Name)]
            found.update([id(n) for n in names if uses[n.id] == 1 and n.id not in later])
        later |= uses.keys()


def _uses(node: ast.AST) -> Counter[str]:
    """How often a statement or an expression reads each variable, or changes what it holds."""
    changed = [n.target for n in ast.walk(node) if isinstance(n, ast.AugAssign)]
    names = [n for n in ast.walk(node) if isinstance(n, ast.Name)]
    return Counter([n.id for n in names if isinstance(n.ctx, ast.Load) or n in changed])


def _begins_anew(name: str, body: list[ast.stmt]) -> bool:
    """Whether each turn of a loop assigns a variable before it does anything else with it."""
    for s in body:
        if any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(s)):
            targets = s.targets if isinstance(s, ast.Assign) else []
            value = getattr(s, "value", s)
            return any(isinstance(t, ast.Name) and t.id == name for t in targets) and not any(
                isinstance(n, ast.Name) and n.id == name for n in ast.walk(value)
            )
    return False


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
