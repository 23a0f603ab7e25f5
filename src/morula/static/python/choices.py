"""Items of lists and tuples of known length at places that are not the same each time: one of them is chosen.

What is chosen are numbers, which nobody can write into: an item of a list, or of a list of lists or tuples. One of
several functions or texts may be chosen, too.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

from morula.static.python.arrays import indices
from morula.static.python.codes import is_constant_of_table
from morula.static.python.ir import Block, Branch, Fail, Set, Unsupported, is_name
from morula.static.python.scopes import Coded
from morula.static.python.things import ABSENT, Thing, is_known_list
from morula.transform.syntax import walk

__all__ = ["Choices"]

MOST = 24  # numbers of which one is chosen


class Choices:
    """The part of a `front.Builder` that chooses among items.

    Attributes:
        choosing: whether it does: loops that can be written out instead are.
        could_choose: whether there was an item that it did not choose.
    """

    choosing: bool
    could_choose: bool
    out: Block
    line: int
    value: Callable[[ast.expr], Any]
    key: Callable[[ast.expr], Any]
    compute: Callable[..., str]
    emit: Callable[[Any], None]
    fresh: Callable[[str], str]
    held: Callable[[Any], Any]
    slot: Callable[[Thing, Any], Any]
    length_of: Callable[[Thing], int]
    code_of: Callable[[Any], str]

    def chosen_item(self, node: ast.Subscript) -> Any:
        """A number of a list at a place that is computed; None where the expression is something else."""
        places = [node.slice]
        base = node.value
        if isinstance(base, ast.Subscript):
            places, base = [base.slice, node.slice], base.value
        if not (isinstance(base, ast.Name) or (isinstance(base, ast.Attribute) and is_simple(base))) or any(
            isinstance(p, ast.Slice) or len(indices(p)) > 1 for p in places
        ):
            return None
        if not all(map(is_simple, places)):
            return None
        if not self.choosing:
            self.could_choose = True
            return None
        owner = self._items(self.value(base))
        if owner is None or len(owner) > MOST:
            return None
        keys = [self.key(place) for place in places]
        if all(key is not ABSENT for key in keys):
            return None
        items = [self._items(item) for item in owner] if len(places) > 1 else []
        numbers = owner if len(places) == 1 else [v for row in items for v in row or (None,)]
        is_grid = len({len(row or ()) for row in items}) <= 1
        are_constants = len(places) == 1 and all(map(is_constant_of_table, numbers))
        if not all(isinstance(v, str) for v in numbers) and not are_constants:
            return None
        if not is_grid or len(numbers) > MOST:
            return None
        atoms = [self._chosen_place(place, key) for place, key in zip(places, keys, strict=True)]
        if any(atom is None for atom in atoms):
            return None
        if are_constants:
            return Coded(self._choose(atoms[0], list(map(self.code_of, owner))))
        if len(places) == 1:
            return self._choose(atoms[0], owner)
        rows = [self._choose(atoms[1], row) for row in items if row]
        return self._choose(atoms[0], rows)

    def _items(self, value: Any) -> list[Any] | None:
        if is_known_list(value):
            return [self.slot(value, i) for i in range(self.length_of(value))]
        return list(value) if isinstance(value, tuple) else None

    def _chosen_place(self, place: ast.expr, key: Any) -> str | None:
        if key is not ABSENT:
            return str(key) if type(key) is int else None
        atom = self.value(place)
        return self.compute("call", atom, f=operator.index) if isinstance(atom, str) and is_name(atom) else None

    def _choose(self, atom: str | None, options: list[Any]) -> str:
        """The option at an index, which may count from the end."""
        if atom is None or not options:
            raise Unsupported("an item that a list lacks", self.line)
        var, out = self.fresh("b"), self.out
        options = [self.held(v) for v in options]
        for i, option in enumerate(options):
            for k in (i, i - len(options)):
                branch = Branch(self.compute("==", atom, str(k) if k >= 0 else f"({k})"))
                self.emit(branch)
                branch.body.append(Set(var, option))
                self.out = branch.orelse
        self.emit(Fail())
        self.out = out
        return self.compute("copy", var)


def is_simple(node: ast.expr) -> bool:
    """Whether an index can be read twice."""
    return not any(isinstance(n, ast.Call | ast.NamedExpr | ast.IfExp | ast.BoolOp) for n in walk(node))
