"""What the text of a function says of its variables: which a statement binds, and which are bound in any case."""

from __future__ import annotations

import ast
import weakref
from collections import Counter
from collections.abc import Callable, Iterator, Sequence, Set
from functools import wraps
from typing import Any, TypeVar

from morula.transform.syntax import walk

__all__ = [
    "NESTED", "assigned", "assignments", "breaks", "changed_inside", "jumps", "of_node", "own_nodes", "perhaps_unbound",
    "replaced", "replaced_whole", "returns", "yields",
]  # fmt: skip

NESTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, ast.ListComp, ast.SetComp, ast.DictComp,
          ast.GeneratorExp)  # fmt: skip

T = TypeVar("T")


def of_node(find: Callable[[Any], T]) -> Callable[[Any], T]:
    """A function of a syntax tree that keeps what it finds: a program is built many times of the same ones.

    What is found must not refer to the tree, which would then never be freed.
    """
    known: weakref.WeakKeyDictionary[Any, T] = weakref.WeakKeyDictionary()

    @wraps(find)
    def found(node: Any) -> T:
        try:
            return known[node]
        except KeyError:
            value = known[node] = find(node)
            return value

    return found


@of_node
def assigned(node: Any) -> frozenset[str]:
    """The names that a statement binds."""
    return frozenset(_names_bound(node))


@of_node
def assignments(node: Any) -> Counter[str]:
    """How often a function assigns each variable; a parameter has a value from the start."""
    names = [n.id for n in walk(node) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)]
    return Counter([*names, *[n.arg for n in walk(node) if isinstance(n, ast.arg)]])


@of_node
def changed_inside(node: Any) -> frozenset[str]:
    """The variables that functions inside a function declare as not theirs."""
    return frozenset(n for s in walk(node) if isinstance(s, ast.Nonlocal) for n in s.names)


def own_nodes(function: Any) -> Iterator[ast.AST]:
    """What stands in the body of a function, without what is in functions and comprehensions further inside."""
    inside: list[ast.AST] = list(function.body) if isinstance(function, ast.FunctionDef) else []
    while inside:
        yield (n := inside.pop())
        if not isinstance(n, NESTED):
            inside += ast.iter_child_nodes(n)


def replaced(node: Any) -> set[str]:
    """The variables of a function that are assigned to, whatever the way it goes, before it returns."""
    found: set[str] = set()
    for s in node.body if isinstance(node, ast.FunctionDef) else ():
        if any(isinstance(n, ast.Return) for n in walk(s)):
            break
        if isinstance(s, ast.Assign):
            found.update([t.id for t in s.targets if isinstance(t, ast.Name)])
    return found


@of_node
def replaced_whole(function: Any) -> frozenset[str]:
    """The variables that a function assigns, other than by changing what they hold in place."""
    changed = {id(n.target) for n in walk(function) if isinstance(n, ast.AugAssign)}
    stored = [n for n in walk(function) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)]
    by_name = {n.id for n in stored if id(n) not in changed}
    caught = {n.name for n in walk(function) if isinstance(n, ast.ExceptHandler) and n.name}
    return frozenset(by_name | caught | assigned(function) - {n.id for n in stored})


def _names_bound(node: Any) -> Iterator[str]:
    for n in walk(node):
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
    return names - _bound_first(node)


@of_node
def _bound_first(node: Any) -> frozenset[str]:
    return frozenset(_names_bound_first(node))


def _names_bound_first(node: Any) -> Iterator[str]:
    met: set[str] = set()
    for s in node.body if isinstance(node, ast.FunctionDef) else []:
        is_plain = isinstance(s, ast.Assign) and all(isinstance(t, ast.Name | ast.Tuple) for t in s.targets)
        loads = {n.id for n in walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
        if is_plain:
            yield from assigned(s) - loads - met
        met |= assigned(s) | loads


def returns(body: Sequence[ast.stmt]) -> bool:
    return any(isinstance(n, ast.Return) for s in body for n in walk(s))


def breaks(body: Sequence[ast.stmt]) -> bool:
    return any(isinstance(n, ast.Break) for s in body for n in walk(s))


def jumps(body: Sequence[ast.stmt]) -> bool:
    return any(isinstance(n, ast.Return | ast.Break | ast.Continue) for s in body for n in walk(s))


def yields(body: Sequence[ast.stmt]) -> bool:
    return any(isinstance(n, ast.Yield | ast.YieldFrom) for s in body for n in walk(s))
