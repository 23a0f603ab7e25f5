"""Branches: what is known where their sides meet, and sides that cannot be built."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from morula.static.python.ir import Block, Branch, Compute, Fail
from morula.static.python.known import PERHAPS, POISON
from morula.static.python.statements import FALLS, JUMPS, MAYBE, Statements
from morula.static.python.things import merged

__all__ = ["Branches"]


class Branches(Statements):
    """The part of a `front.Builder` that reads branches.

    Attributes:
        sides: the sides of branches that are being built, from the outermost on; `given_up`, those that cannot be.
    """

    sides: list[Any]
    given_up: set[Any]

    def _If(self, s: ast.If) -> str:
        test = self.truth(s.test)
        if test in ("True", "False"):
            return self.block(s.body if test == "True" else s.orelse)
        branch, scope = Branch(test), self.scopes[-1]
        self.emit(branch)
        things_before, alone = dict(scope.things), set(self.alone)
        one, end, bound = self._either(branch.body, s.body)
        then, scope.things = scope.things, things_before
        after, self.alone = self.alone, alone
        other, other_end, other_bound = self._either(branch.orelse, s.orelse)
        self.alone &= after
        if one == JUMPS or other == JUMPS:
            scope.things = scope.things if one == JUMPS else then
        else:
            scope.things = merged(then, scope.things, POISON, PERHAPS)
        if {one, other} == {FALLS, JUMPS} and _only_raises(branch.body if one == JUMPS else branch.orelse):
            self.scopes[-1].sure[-1] |= bound | other_bound
            return FALLS  # what follows stands behind the branch
        if one == other and one in (FALLS, JUMPS):
            self.scopes[-1].sure[-1] |= bound & other_bound
            return one
        if {one, other} == {FALLS, JUMPS}:  # what follows stands in the one that falls
            self.scopes[-1].sure[-1] |= bound | other_bound
        self.hole = end if (one, other) == (FALLS, JUMPS) else other_end if (one, other) == (JUMPS, FALLS) else None
        return MAYBE

    def _either(self, block: Block, statements: Sequence[ast.stmt]) -> tuple[str, Block, set[str]]:
        """One side of a branch; the eager tier runs the program if it comes to one that cannot be built."""
        if not statements:
            return self.inside(block, statements)
        first = statements[0]
        key = (self.scopes[-1].function.__code__, first.lineno, getattr(first, "col_offset", -1))
        if key in self.given_up:
            block.append(Fail())
            return JUMPS, block, set()
        self.sides.append(key)
        found = self.inside(block, statements)
        self.sides.pop()
        return found

    def inside(self, block: Block, statements: Sequence[ast.stmt]) -> tuple[str, Block, set[str]]:
        """Build statements into a block.

        Returns:
            How they are passed, the block in which whatever follows them stands, and the names that they then bind.
        """
        out, self.out = self.out, block
        scope = self.scopes[-1]
        scope.sure.append(set())
        with self.within(None):
            status = self.block(statements)
        bound = scope.sure.pop()
        end, self.out = self.out, out
        return status, end, bound if status == FALLS else set()


def _only_raises(block: Block) -> bool:
    """Whether a block does nothing but raise."""
    return bool(block) and isinstance(block[-1], Fail) and all(isinstance(s, Compute | Fail) for s in block)
