"""Variables that a loop assigns several things to in each turn, and that are read after it.

Of ``h = x; for w in weights: h = np.tanh(h @ w)`` in a loop nothing is known afterwards, since arrays of several shapes
have been in `h`. A variable of its own takes what `h` holds when a turn ends, and gives it back when the loop has.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from morula.static.python.bindings import assigned
from morula.static.python.ir import Again
from morula.static.python.scopes import Scope
from morula.transform.syntax import walk

__all__ = ["Lasting"]

JUMPS = ast.Break | ast.Continue | ast.Return


class Lasting:
    """The part of a `front.Builder` that keeps them.

    Attributes:
        lasting: such variables.
    """

    lasting: set[Any]
    scopes: list[Scope]

    def keep_what_lasts(self, name: str) -> None:
        """Build the program anew where a loop has left a variable of which nothing is known."""
        scope = self.scopes[-1]
        key = (scope.function.__code__, name)
        if name in scope.left_by_loops and key not in self.lasting:
            self.lasting.add(key)
            raise Again

    def with_lasting(self, s: ast.For, has_turns: Callable[[], bool]) -> tuple[Sequence[ast.stmt], list[ast.stmt]]:
        """The body of a loop that has turns, which ends with what its variables hold, and what follows the loop."""
        scope = self.scopes[-1]
        code = scope.function.__code__
        names = sorted(n for n in assigned(s) if (code, n) in self.lasting and _named_last(n) not in code.co_varnames)
        if not names or any(isinstance(n, JUMPS) for part in s.body for n in walk(part)) or not has_turns():
            return s.body, []
        pairs = [(name, _named_last(name)) for name in names]
        scope.own.update(last for _, last in pairs)
        ends = [ast.copy_location(_assignment(last, name), s.body[-1]) for name, last in pairs]
        return [*s.body, *ends], [ast.copy_location(_assignment(name, last), s) for name, last in pairs]


def _named_last(name: str) -> str:
    return f"{name}__last"


def _assignment(target: str, name: str) -> ast.Assign:
    return ast.Assign([ast.Name(target, ast.Store())], ast.Name(name, ast.Load()))
