"""Loops: over ranges, arrays and lists as loops of the program, over what is known one turn after the other."""

from __future__ import annotations

import ast
import cmath
import itertools
import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from morula.static.python.bindings import assigned, breaks
from morula.static.python.comprehensions import Given
from morula.static.python.generators import Generators
from morula.static.python.ir import Again, Branch, Fail, Loop, Set, Unsupported
from morula.static.python.known import POISON
from morula.static.python.rearranged import LONGEST
from morula.static.python.scopes import Array, ListOf, Small, Static, is_vector_array
from morula.static.python.statements import FALLS, JUMPS, MAYBE
from morula.static.python.texts import is_any_text
from morula.static.python.things import Rigid, Turns, same
from morula.static.python.unsupported import NoLoop
from morula.transform.deep import copied
from morula.transform.syntax import walk

__all__ = ["Loops"]

HARMLESS = (
    abs, all, any, bool, complex, divmod, enumerate, float, int, len, list, max, min, pow, range, reversed, round, str,
    sum, tuple, zip,
)  # fmt: skip
SHORT = 12  # turns of a loop that is written out rather than that a variable holds copies


class Loops(Generators):
    """The part of a `front.Builder` that reads loops."""

    def _While(self, s: ast.While) -> str:
        if s.orelse:
            return self.block(self._without_else(s))
        return self._loop(None, (), s.body, s.test, [])

    def _For(self, s: ast.For) -> str:
        if s.orelse:
            return self.block(self._without_else(s))
        if (generator := self.generator_of(s.iter)) is not None:
            return self.over_generator(s, generator)
        if (loops := self.counted_stream(s) or self.of_tuples(s)) is not None:
            return self.block(loops)
        if not self.lists_are_things and (streamed := self.over_stream(s)) is not None:
            return self.block(streamed)
        if (placed := self.with_places(s)) is not None:
            return self.block(placed)
        if (range_args := self._range_arguments(s.iter)) is not None:
            return self._over_range(s, range_args)
        return self._over_sequences(s)

    def _range_arguments(self, it: Any) -> list[ast.expr] | None:
        """The arguments of the range that a loop goes through; None where it goes through something else."""
        if self.is_call_of(it, range):
            return list(it.args)
        if self.is_call_of(it, reversed) and len(it.args) == 1 and self.is_call_of(it.args[0], range):
            ends = it.args[0].args
            if len(ends) < 3 and not any(isinstance(a, ast.Starred) for a in ends):
                return [ast.copy_location(end, it) for end in _backwards(ends)]
        return None

    def _over_range(self, s: ast.For, nodes: list[ast.expr]) -> str:
        place, scope = self._place_of(s), self.scopes[-1]
        turns = self.known_range(nodes)
        if turns is None and place in self.unrolled:
            turns = self.range_now([self.number(a) for a in nodes])
        if turns is not None and place in self.unrolled:
            return self._unrolled(s, [Turns([partial(same, v) for v in turns])], [s.target], [])
        if isinstance(s.target, ast.Name):
            self.never_none((scope.function.__code__, s.target.id))
        if not isinstance(s.target, ast.Name) or s.target.id in scope.bound:
            raise Unsupported("a loop over something other than numbers", self.line)
        args = tuple([self.number(a) for a in nodes])
        scope.numbers.add(s.target.id)
        variable = scope.variable(s.target.id)
        scope.things.pop(s.target.id, None)
        body, after = self.with_lasting(s, lambda: bool(turns or self.range_now(args)))
        try:
            status = self._loop(variable, args, body, None, [])
        except Rigid as reason:
            is_short = turns is not None and len(turns) <= SHORT
            if reason.late is not None and not is_short:
                self.allow_late(*reason.late)
                raise Again from None
            may_be_copied = reason.name not in (None, *self.copies, *self.never_copied) and not is_short
            if may_be_copied or (turns is None and self.range_now(args) is None):
                raise
            self.unrolled.add(place)
            raise Again from None
        scope.left_by_loops |= assigned(s)
        self.block(after)
        return status

    def _over_sequences(self, s: ast.For) -> str:
        """A loop over an array or a list, or over several side by side, counted or not."""
        it, targets, counter = s.iter, [s.target], self.fresh("i")
        starts: list[Any] = []
        if isinstance(s.target, ast.Tuple) and (enumerated := self._enumerated(it)) is not None:
            index, *targets = s.target.elts
            it, start = enumerated
            starts = [(index, start)]
        nodes, is_strict = [it], False
        if len(targets) == 1 and isinstance(targets[0], ast.Tuple) and (zipped := self._zipped(it, s)) is not None:
            targets, (nodes, is_strict) = list(targets[0].elts), zipped
            self.check_beside(nodes)
            values = [self._gone_through(a, s) for a in nodes]
            lists = [self.side_by_side(a, value, s) for a, value in zip(nodes, values, strict=True)]
        else:
            self.check_beside(nodes)
            lists = [self._gone_through(it, s)]
            if not starts and (generator := self.generator_of_class(lists[0])) is not None:
                return self.over_generator(s, generator)
        lists = self._side_by_side(s, nodes, lists, is_strict)
        if len(lists) != len(targets) or not lists:
            raise Unsupported("a loop over something other than numbers", self.line)
        if all(isinstance(x, Turns) for x in lists):
            return self._unrolled(s, lists, targets, starts)
        if not all(isinstance(x, ListOf | Array) for x in lists):
            raise (NoLoop if any(map(is_any_text, lists)) else Unsupported)(
                "a loop over something other than arrays and ranges", self.line
            )
        lists = [x if isinstance(x, ListOf) and not (x.measured and x.kind is not list and not x.is_vector)
                 else self.held(self.as_array(x)) for x in lists]  # fmt: skip
        length = self._shortest(lists, is_strict)
        counts = [(target, partial(self._counted, counter, start)) for target, start in starts]
        return self._loop(counter, (length,), s.body, None, [*counts, *zip(targets, lists, strict=True)])

    def _side_by_side(self, s: ast.For, nodes: list[ast.expr], lists: list, is_strict: bool) -> list:
        """What a loop goes through at once, as it can be read turn by turn: all of it is written out, or none."""
        for node in nodes:
            is_read_bit_by_bit = isinstance(node, ast.GeneratorExp) or self.stream_of(node) is not None
            if is_read_bit_by_bit and self.may_change(s, node, False):
                raise Unsupported("an iterator that reads something that the loop may change", self.line)
        for x in lists:
            self.share(x.origins if isinstance(x, Small) else frozenset())  # which are read while the loop runs
        lists = [self.held(x) if (turns := self.turns_of(x)) is None else turns for x in lists]
        lengths = {len(x.values) for x in lists if isinstance(x, Turns)}
        if is_strict and len(lengths) > 1:
            raise Unsupported("zip of lists whose lengths must be the same", self.line)
        if lengths:
            given = [
                node for x, node in zip(lists, nodes, strict=True) if isinstance(x, ListOf) and not is_vector_array(x)
            ]
            if any(self.may_change(s, node) for node in given):
                raise Unsupported("a list that the loop may change, beside what is written out", self.line)
            written_out = [self.items_as_turns(x, min(lengths), is_strict) for x in lists]
            lists = [x if t is None else t for x, t in zip(lists, written_out, strict=True)]
        return lists

    def _shortest(self, lists: list, is_strict: bool) -> str:
        """How many turns a loop over arrays and lists side by side has."""
        length, *others = [str(x.shape[0]) if isinstance(x, Array) else self.length(x) for x in lists]
        for other in others:
            if is_strict and length != other:
                self.emit(Branch(self.compute("!=", length, other), [Fail()]))
            length = self.compute("call", length, other, f=min)
        return length

    def range_now(self, args: Sequence[str]) -> tuple[str, ...] | None:
        """The numbers of a range whose ends are what they are now, which the text looks at."""
        ends = list(map(self.number_of, args))
        if not all(type(n) is int for n in ends) or ends[2:] == [0]:
            return None
        found = range(*ends)
        return tuple([self.literal(i) for i in found]) if len(found) <= LONGEST else None

    def _without_else(self, s: ast.For | ast.While) -> list[ast.stmt]:
        """A loop, and what follows it unless it was left by ``break``."""
        loop, after = copied(s), s.orelse
        loop.orelse = []
        if not breaks(s.body):
            return [loop, *after]
        name = self._unused("left")
        self.scopes[-1].own.add(name)
        loop.body = [x for each in loop.body for x in _as_list(_Left(name).visit(each))]
        unless = ast.If(ast.UnaryOp(ast.Not(), ast.Name(name, ast.Load())), after, [])
        return [ast.copy_location(each, s) for each in (assigned_to(name, False), loop, unless)]

    def _gone_through(self, node: ast.expr, s: ast.For) -> Any:
        """What a loop goes through."""
        if self.is_call_of(node, reversed) and len(node.args) == 1:  # type: ignore[attr-defined]
            value = self.value(node.args[0])  # type: ignore[attr-defined]
            if isinstance(value, ListOf) and value.kind is list:
                if self.may_change(s, node.args[0]):  # type: ignore[attr-defined]
                    raise Unsupported("going backwards through something that the loop may change", self.line)
                return self.backwards(value)
            if not isinstance(node.args[0], ast.Name):  # type: ignore[attr-defined]  # it has run, and must not do so again
                given = ast.copy_location(Given(value), node)
                node = ast.copy_location(ast.Call(node.func, [given], []), node)  # type: ignore[attr-defined]
        return self.value(node)

    def is_call_of_named(self, node: ast.Call, f: Any) -> bool:
        """Whether a call is one of a function, be it read from a module."""
        owner = node.func.value if isinstance(node.func, ast.Attribute) else node.func
        if node.keywords or not isinstance(owner, ast.Name) or not self.is_outside(owner.id):
            return False
        found = self.value(owner)
        if isinstance(node.func, ast.Attribute):
            if not isinstance(found, Static) or found.value not in (itertools, np):
                return False
            found = self.value(node.func)
        return isinstance(found, Static) and found.value is f

    def may_change(self, s: ast.For, read: ast.expr, is_of_numbers: bool = True) -> bool:
        """Whether the turns of a loop may change what an expression reads, which is evaluated bit by bit meanwhile.

        It is a list of numbers, or one that may hold objects too.
        """
        changing = ast.Subscript | ast.Name if is_of_numbers else ast.Subscript | ast.Name | ast.Attribute
        inside = {n.id for n in walk(read) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        names = {n.id for n in walk(read) if isinstance(n, ast.Name)} - inside
        for n in (n for part in (s.target, *s.body) for n in walk(part)):
            if isinstance(n, changing) and not isinstance(n.ctx, ast.Load):
                if n.id in names if isinstance(n, ast.Name) else not self.is_apart(n.value, names):
                    return True
            if isinstance(n, ast.Call) and not self._changes_nothing(n.func):
                if not isinstance(n.func, ast.Attribute) or not self.is_apart(n.func.value, names):
                    return True
        return False

    def is_apart(self, changed: ast.expr, names: set[str]) -> bool:
        """Whether what is changed there is for certain nothing that these variables hold."""
        return False

    def _changes_nothing(self, f: ast.expr) -> bool:
        """Whether a function changes nothing that it is given: a builtin, or one of `math` or NumPy."""
        owner = f.value if isinstance(f, ast.Attribute) else f
        found = self.value(owner) if isinstance(owner, ast.Name) and self.is_outside(owner.id) else None
        harmless = (math, cmath, np) if isinstance(f, ast.Attribute) else HARMLESS
        return isinstance(found, Static) and any(found.value is x for x in harmless)

    def _zipped(self, node: ast.expr, s: ast.For) -> tuple[list[ast.expr], bool] | None:
        """What ``zip`` goes through, and whether that must be of one length; None for something else."""
        if not isinstance(node, ast.Call) or any(isinstance(a, ast.Starred) for a in node.args):
            return None
        if (
            self.is_call_of_named(node, itertools.pairwise)
            and len(node.args) == 1
            and isinstance(node.args[0], ast.Name)
            and not self.may_change(
                s, node.args[0]
            )  # each item is read once, in the turn in which it is the second one
        ):
            after = ast.Subscript(node.args[0], ast.Slice(ast.Constant(1)), ast.Load())
            return [node.args[0], ast.copy_location(after, node)], False
        options = {k.arg: k.value.value if isinstance(k.value, ast.Constant) else None for k in node.keywords}
        bare = ast.copy_location(ast.Call(node.func, node.args, []), node)
        is_said = not options or (list(options) == ["strict"] and type(options["strict"]) is bool)
        return (node.args, bool(options.get("strict"))) if is_said and self.is_call_of(bare, zip) else None

    def _enumerated(self, node: ast.expr) -> tuple[ast.expr, str] | None:
        """What ``enumerate`` goes through, and where it begins to count; None for something else."""
        if not isinstance(node, ast.Call) or [k.arg for k in node.keywords] not in ([], ["start"]):
            return None
        given = [*node.args, *[k.value for k in node.keywords]]
        bare = ast.copy_location(ast.Call(node.func, node.args, []), node)
        if not node.args or len(given) > 2 or not self.is_call_of(bare, enumerate):
            return None
        return given[0], self.number(given[1]) if given[1:] else "0"

    def _counted(self, i: str, start: str) -> str:
        """The number of a turn."""
        if start == "0":
            return i
        return str(int(i) + int(start)) if i.isdigit() and start.isdigit() else self.compute("add", i, start)

    def items_as_turns(self, x: Any, n: int, is_strict: bool = False) -> Turns | None:
        """The first items of a list or of an array: beside it something is written out."""
        return self.turns_of_array(x, n, is_strict) if isinstance(x, Array | ListOf) else None

    def _place_of(self, s: ast.stmt) -> Any:
        column = getattr(s, "col_offset", -1)  # one that a comprehension stands for has none
        return self.scopes[-1].function.__code__, s.lineno, column

    def _unrolled(self, s: ast.For, lists: list[Turns], targets: list[ast.expr], starts: list) -> str:
        scope, out, leaves = self.scopes[-1], self.out, self.ends(s.body) or breaks(s.body)
        names, before = assigned(s) - self.stand_throughout(assigned(s), [s]), set(scope.things)
        leave = self.fresh("leave")
        if leaves:
            self.emit(Set(leave, "False"))
        for i, values in enumerate(zip(*[self.by_items(s, x).each(self.held) for x in lists], strict=False)):
            if i and leaves:
                branch = Branch(leave)
                self.emit(branch)
                self.out = branch.orelse
            turn = self.out
            scope.loops.append((self.fresh("skip"), leave))
            scope.sure.append(set())
            self.emit(Set(scope.loops[-1][0], "False"))
            for target, start in starts:
                self.assign(target, self._counted(str(i), start))
            with self.perhaps(leaves):
                for target, value in zip(targets, values, strict=True):
                    self.assign_turn(target, self.settled(value))
                status = self.block(s.body)
            bound = scope.sure.pop()
            scope.loops.pop()
            self.out = turn
            if status == FALLS and not leaves:
                scope.sure[-1] |= bound
            else:
                self.forget_assigned(names, before)
        self.out, self.hole = out, None
        if leaves:
            self.forget_assigned(names, before)
        return MAYBE if self.ends(s.body) else FALLS

    def _loop(
        self, var: str | None, args: tuple, body: Sequence[ast.stmt], test: ast.expr | None, first: list
    ) -> str:  # fmt: skip
        scope = self.scopes[-1]
        skip, leave = self.fresh("skip"), self.fresh("leave")
        over = [x.var for _, x in first if isinstance(x, ListOf) and x.kind is list and not x.measured]
        loop = Loop(var, args, exit=leave, over=tuple(over))
        names = {n for part in (*body, *[t for t, _ in first], *([test] if test else [])) for n in assigned(part)}
        names |= {part.name for part in body if isinstance(part, ast.FunctionDef | ast.ClassDef)}
        before = set(scope.things)
        names -= self.stand_throughout(names, (*body, *[t for t, _ in first], *([test] if test else [])))
        self.forget_assigned(names, before)
        code = scope.function.__code__
        scope.things |= {n: POISON for n in names if (code, n) in self.floating}
        outside = self.before_turns(scope, names)
        self.emit(Set(leave, "False"))
        self.emit(loop)
        out, self.out = self.out, loop.body
        scope.loops.append((skip, leave))
        self.alone = set()  # what a turn does may come before it in the next one
        scope.sure.append(set() if var is None else {name for name, held in scope.names.items() if held == var})
        self.emit(Set(skip, "False"))
        if test is not None:
            branch = Branch(self.truth(test), [], [Set(leave, "True")])
            self.emit(branch)
            self.out = branch.body
        for target, source in first:
            if isinstance(source, ListOf):
                value = self.part(source, str(var))
            else:
                value = self.read(source, [str(var)], False) if isinstance(source, Array) else source()
            self.assign(target, value)
        with self.within(None if var is None or test is not None or breaks(body) or self.ends(body) else args):
            self.block(body)
        self.after_turns(scope, names, outside)
        self.alone = set()
        self.forget_assigned(names, before)
        scope.sure.pop()
        scope.loops.pop()
        self.out = out
        self.hole = None
        if isinstance(test, ast.Constant) and test.value and not breaks(body):
            return JUMPS
        return MAYBE if self.ends(body) else FALLS


def _backwards(ends: list[ast.expr]) -> list[ast.expr]:
    """The ends of a range that goes through another one from its last number to the first."""
    start = ends[0] if ends[1:] else ast.Constant(0)
    less = [ast.BinOp(end, ast.Sub(), ast.Constant(1)) for end in (ends[-1], start)]
    return [*less, ast.UnaryOp(ast.USub(), ast.Constant(1))]


def assigned_to(name: str, value: bool) -> ast.Assign:
    return ast.Assign([ast.Name(name, ast.Store())], ast.Constant(value))


class _Left(ast.NodeTransformer):
    """Statements of a loop that take note of a ``break``."""

    def __init__(self, name: str):
        self.name = name

    def visit_Break(self, node: ast.Break) -> list[ast.stmt]:
        return [ast.copy_location(assigned_to(self.name, True), node), node]

    def visit_For(self, node: ast.For) -> ast.For:
        node.orelse = [x for each in node.orelse for x in _as_list(self.visit(each))]
        return node

    visit_While: Any = visit_For

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        return node


def _as_list(found: Any) -> list[ast.stmt]:
    return found if isinstance(found, list) else [found]
