"""One of several numbers: the largest or the smallest, as the comparisons that Python makes, or by a condition."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from morula.static.python.ir import Block, Branch, Loop, Set, Unsupported, is_name
from morula.static.python.ordering import is_row
from morula.static.python.parameters import called
from morula.static.python.scopes import ListOf, Single
from morula.static.python.slopes import has_own_rule

__all__ = ["Extremes"]


class Extremes:
    """The part of a `front.Builder` that reads `max` and `min`."""

    out: Block
    line: int
    compute: Callable[..., str]
    emit: Callable[[Any], None]
    fresh: Callable[[str], str]
    length: Callable[[Any], str]
    foremost: Callable[..., Any]

    def extreme_of(self, f: Any, array: ListOf) -> str:
        """The same of a list."""
        if not (array.kind is list or array.is_float) or has_own_rule(f):
            raise Unsupported(f"a call to {called(f)} with an array", self.line)
        var, loop = self.fresh("b"), Loop(self.fresh("i"), ("1", self.length(array)))
        self.emit(Set(var, self.compute("index", array.var, "0")))
        self.emit(loop)
        out, self.out = self.out, loop.body
        number = self.compute("index", array.var, str(loop.var))
        branch = Branch(self.compute(">" if f is max else "<", number, var))
        branch.body.append(Set(var, number))
        self.emit(branch)
        self.out = out
        return self.compute("chosen", var, array.var)

    def extreme_of_known(self, f: Any, parts: Sequence[Any] | ListOf) -> Any:
        """The same of numbers that are known one by one, or of tuples of them."""
        if isinstance(parts, tuple) and parts and not has_own_rule(f) and all(map(is_row, parts)):
            return self.foremost(parts, parts, f is max)
        if isinstance(parts, ListOf) or not parts or has_own_rule(f) or not all(isinstance(v, str) for v in parts):
            raise Unsupported(f"a call to {called(f)} with something other than numbers")
        return self.extreme(f, list(parts))

    def extreme(self, f: Any, atoms: list[str]) -> str:
        """The largest or the smallest of several numbers, the first one of equal ones."""
        var, *rest = self.fresh("b"), *atoms
        first, *others = rest
        self.emit(Set(var, first))
        for atom in others:
            branch = Branch(self.compute(">" if f is max else "<", atom, var))
            branch.body.append(Set(var, atom))
            self.emit(branch)
        return self.compute("chosen", var, *[a for a in atoms if is_name(a)])

    def where_of_numbers(self, test: str, one: str, other: str) -> Single:
        """``np.where(test, one, other)``, which is an array without axes; to what is not taken zero is sent."""
        if has_own_rule(np.where):
            raise Unsupported("a call to where, which has a user-defined rule", self.line)
        sides = [self.compute("element", x, f=(one, other)) for x in (one, other)]
        var, branch = self.fresh("b"), Branch(test)
        branch.body, branch.orelse = [Set(var, sides[0])], [Set(var, sides[1])]
        self.emit(branch)
        return Single(self.compute("chosen", var, *sides))
