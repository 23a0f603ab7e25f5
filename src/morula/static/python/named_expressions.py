"""``name := value`` inside expressions: an assignment where the expression comes to it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from morula.static.python.comprehensions import in_order
from morula.static.python.ir import Unsupported
from morula.static.python.known import PERHAPS, POISON
from morula.static.python.scopes import Scope
from morula.static.python.things import merged
from morula.transform.syntax import walk

__all__ = ["NamedExpressions", "has_names"]


class NamedExpressions:
    """The part of a `front.Builder` that reads them.

    Attributes:
        statement: the one that is read, by a number that none before it has had.
        named_in: the expressions of this kind that were read, each with its statement.
        unfit: by code, those that something read before them may depend on, or that are read more than once.
    """

    line: int
    scopes: list[Scope]
    statement: int
    named_in: set[tuple[int, int]]
    unfit: dict[Any, set[int]]
    value_or_none: Callable[[ast.expr], Any]
    assign: Callable[[ast.expr, Any], None]
    held: Callable[[Any], Any]
    definition: Callable[..., Any]
    perhaps: Callable[..., AbstractContextManager[None]]

    def _value_NamedExpr(self, node: ast.NamedExpr) -> Any:
        code = self.scopes[-1].function.__code__
        if code not in self.unfit:
            self.unfit[code] = {id(n) for n in _unfit(self.definition(self.scopes[-1].function))}
        key = self.statement, id(node)
        if id(node) in self.unfit[code] or key in self.named_in:
            raise Unsupported("an assignment inside such an expression", self.line)
        self.named_in.add(key)
        self.assign(node.target, self.value_or_none(node.value))
        return self.value_or_none(ast.copy_location(ast.Name(node.target.id, ast.Load()), node))

    @contextmanager
    def aside(self, *nodes: ast.expr) -> Iterator[None]:
        """Expressions that may not be come to: whether names are bound that they assign is open then."""
        if not has_names(*nodes):
            with self.perhaps():
                yield
            return
        scope = self.scopes[-1]
        scope.sure.append(set())
        things_before = dict(scope.things)
        with self.perhaps():
            yield
        scope.sure.pop()
        scope.things = merged(scope.things, things_before, POISON, PERHAPS)


# Expressions of which parts may be read twice, or in another order than they stand in.
TWICE = (ast.Subscript, ast.Lambda, ast.Dict, ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp)


def has_names(*nodes: ast.AST) -> bool:
    return any(isinstance(n, ast.NamedExpr) for node in nodes for n in walk(node))


def _unfit(function: ast.AST) -> Iterator[ast.NamedExpr]:
    """Those after which a name is another thing that was read before, and those in places that are read twice."""
    for s in walk(function):
        if not isinstance(s, ast.stmt):
            continue
        inside = [n for part in ast.iter_child_nodes(s) if not isinstance(part, ast.stmt) for n in in_order(part)]
        named = [(i, n) for i, n in enumerate(inside) if isinstance(n, ast.NamedExpr)]
        if not named:
            continue
        twice = {id(n) for part in inside if isinstance(part, TWICE) or _is_target(part) for n in walk(part)}
        changed = s.target.id if isinstance(s, ast.AugAssign) and isinstance(s.target, ast.Name) else ""
        for i, n in named:
            is_read = any(isinstance(x, ast.Name) and x.id == n.target.id for x in inside[:i])
            if id(n) in twice or n.target.id == changed or is_read:
                yield n


def _is_target(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store)
