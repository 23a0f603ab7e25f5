"""Room in the arrays of lists for what is appended.

Where it is known before a loop how often it runs, there is room for all that it appends when it begins: one array then
holds the list all the time. Else the array may become a longer one in each iteration; the loop carries it, and a tape
keeps which array each iteration had.
"""

import ast
from collections.abc import Iterator
from typing import Any

from numba.core import types

from morula.static.front.lists import FIRST_SIZE, ListRef
from morula.static.ir import Block, Branch, Const, Join, Value

INT = types.intp
GROWING = frozenset({"append", "extend", "insert"})


class Room:
    """The part of lowering that knows where lists have room."""

    env: dict[str, Any]
    roomy: frozenset[ListRef]  # the lists with room for all that the loop around appends

    def room(self: Any, x: ListRef, n: Any) -> Value:
        """The array of a list of `n` numbers with room for one number more."""
        if x in self.roomy:
            found: Value = self.env[x.array]
            return found
        size = self.binary("+", self.binary("*", n, Const(2), "size", INT), Const(FIRST_SIZE), "size", INT)
        return self.long_enough(x, n, self.binary("+", n, Const(1), "needed", INT), size)

    def long_enough(self: Any, x: ListRef, n: Any, needed: Any, size: Any) -> Value:
        """The array of a list of `n` numbers: another one, of that size, where it is shorter than needed."""
        array = self.env[x.array]
        full = self.elementwise("binary", ">", [needed, self.shape(array, 0)], "full", types.boolean)
        branch = Branch(full, Block(), Block(), [], self.line)
        outer = self.block
        for block in (branch.then, branch.orelse):
            block.owner, block.parent = branch, outer
        self.block = branch.then
        longer = self.new_array(f"{x.array}_longer", x.dtype, size)
        self.copy_numbers(array, longer, n)
        self.block = outer
        outer.statements.append(branch)
        found: Value = self.value(x.array, array.type, branch)
        branch.joins.append(Join(found, longer, array))
        self.env[x.array] = found
        return found

    def reserve(self: Any, s: ast.For, start: Any, stop: Any, step: Any) -> frozenset[ListRef]:
        """Make room for all that a loop appends to lists itself; the loops inside it make room for what they append."""
        direct, nested = appended_in(s)
        if not direct or not isinstance(step, Const) or _may_be_renamed(s, {*direct, *nested}):
            return frozenset()
        inside = {self.env[name] for name in nested if isinstance(self.env.get(name), ListRef)}
        often: dict[ListRef, int] = {}
        for name in direct:
            x = self.env.get(name)
            if isinstance(x, ListRef) and x not in inside:
                often[x] = often.get(x, 0) + 1
        if often:
            trips = self.trips(start, stop, step.value)
            for x, times in often.items():
                self.reserve_in(x, self.binary("*", trips, Const(times), "more", INT) if times > 1 else trips)
        return frozenset(often)

    def reserve_in(self: Any, x: ListRef, more: Any) -> None:
        n = self.env[x.count]
        needed = more if _is_zero(n) else self.binary("+", n, more, "room", INT)
        for column in getattr(x, "columns", (x,)):
            if isinstance(n, Const):
                array = self.env[column.array]
                self.env[column.array] = self.new_array(column.array, column.dtype, needed)
                for k in range(n.value):
                    self.effect("store", [self.env[column.array], self.load(array, [Const(k)], "item"), Const(k)], None)
            else:
                twice = self.binary("*", n, Const(2), "size", INT)
                self.long_enough(column, n, needed, self.binary("max2", needed, twice, "size", INT))

    def trips(self: Any, start: Any, stop: Any, step: int) -> Any:
        """How often a loop over a range runs."""
        span = stop
        if step < 0:
            span = self.binary("-", start, stop, "span", INT)
        elif not _is_zero(start):
            span = self.binary("-", stop, start, "span", INT)
        if abs(step) != 1:
            rounded = self.binary("+", span, Const(abs(step) - 1), "span", INT)
            span = self.emit("binary", [rounded, Const(abs(step))], "n", INT, "//")
        return self.binary("max2", span, Const(0), "n", INT)


def appended_in(s: ast.stmt) -> tuple[list[str], list[str]]:
    """The variables that a loop appends to, one entry for each place: those of its own, and those of inner loops."""
    every = list(_growing(ast.walk(s)))
    direct = list(_growing(_outside_loops(s)))
    nested = list(every)
    for name in direct:
        nested.remove(name)
    return direct, nested


def _growing(nodes: Iterator[ast.AST]) -> Iterator[str]:
    for n in nodes:
        if isinstance(n, ast.Attribute) and n.attr in GROWING and isinstance(n.value, ast.Name):
            yield n.value.id


def _outside_loops(s: ast.AST) -> Iterator[ast.AST]:
    for n in ast.iter_child_nodes(s):
        if not isinstance(n, ast.For | ast.While):
            yield n
            yield from _outside_loops(n)


def _may_be_renamed(s: ast.stmt, names: set[str]) -> bool:
    """Whether one of some lists may be bound in a loop to a variable that stands for another one when it begins."""
    for n in ast.walk(s):
        if isinstance(n, ast.Assign):
            bound = {t.id for target in n.targets for t in ast.walk(target) if isinstance(t, ast.Name)}
            if bound & names and not isinstance(n.value, ast.List | ast.Call):
                return True
    return False


def _is_zero(x: Any) -> bool:
    return isinstance(x, Const) and bool(x.value == 0)
