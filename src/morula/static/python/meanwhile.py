"""Views of arrays that an expression has and reads later, when a call in it has returned, which may have written there.

In ``x[1:] * f(x)`` the program reads the view when `f` has run. A text has taken the numbers before.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from morula.static.python.ir import CHANGES, Compute, Invoke, Program, Unsupported, walk
from morula.static.python.memory import MAKING, Memory
from morula.static.python.scopes import Array, Scope, Single, Small, key_of
from morula.transform.syntax import walk as walk_syntax

__all__ = ["Meanwhile"]


class Unread:
    """What was built since an expression has got a view, in so many functions."""

    def __init__(self, depth: int):
        self.depth, self.since = depth, list[Any]()


class Meanwhile:
    """The part of a `front.Builder` that knows of such views.

    Attributes:
        views_unread: those of the expressions that are being read; `written_since`, those that were read to their ends.
    """

    program: Program
    line: int
    scopes: list[Scope]
    views_unread: list[Unread]
    written_since: list[Unread]
    _changes_nothing: Callable[[ast.expr], bool]

    @contextmanager
    def before_reading(self, operands: Iterable[tuple[ast.expr, Any]], *later: ast.expr) -> Iterator[None]:
        """The operands have been evaluated, and are read when those that are evaluated `later`, inside, have been."""
        is_one = any(_is_view(node, value) for node, value in operands)
        if not is_one or not any(self._may_write(node) for node in later):
            yield
            return
        self.views_unread.append(Unread(len(self.scopes)))
        try:
            yield
        finally:
            self.written_since.append(self.views_unread.pop())

    def _may_write(self, node: ast.expr) -> bool:
        return any(isinstance(n, ast.Call) and not self._changes_nothing(n.func) for n in walk_syntax(node))

    def note_built(self, statement: Any) -> None:
        if isinstance(statement, CHANGES | Invoke) or (isinstance(statement, Compute) and statement.op in MAKING):
            for unread in self.views_unread:
                unread.since.append(statement)

    def check_unread(self, scope: Scope, name: str, old: Small | Array) -> None:
        """An array in a variable becomes another one: it must be the own one of the function that writes."""
        code = scope.function.__code__
        own = code.co_varnames[code.co_argcount + code.co_kwonlyargcount :]
        is_own = name in own and old.origins <= key_of(scope, name)
        if any(len(self.scopes) <= unread.depth or not is_own for unread in self.views_unread):
            raise Unsupported("an array that is written into, of which the expression has a view", self.line)

    def check_meanwhile(self, memory: Memory) -> None:
        """Lists that were written into while such a view was there must be ones that were made meanwhile."""
        for unread in self.written_since:
            made = {memory.leader(s.target) for s in unread.since if isinstance(s, Compute)}
            changed = {memory.leader(s.array) for s in unread.since if isinstance(s, CHANGES)}
            inside = [s for call in unread.since if isinstance(call, Invoke) for s in walk(call.sub.body)]
            if not changed <= made or any(isinstance(s, CHANGES) for s in inside):
                raise Unsupported("an array that is written into, of which an expression has a view")


def _is_view(node: ast.expr, value: Any) -> bool:
    """Whether a value may share its memory with an array that has a name, and is not just what the name stands for."""
    if isinstance(node, ast.Name) or not isinstance(value, Array | Single | Small):
        return False
    return bool(value.origins or getattr(value, "of", ""))
